//! The competitions of real courses, built in; their files lie with their games.

use super::file;
use engines::{CourseText, Entry};
use words::competition::Competition;

/// Lists every built-in competition, in the order of the games.
pub fn courses() -> impl Iterator<Item = &'static CourseText> {
    engines::GAMES.iter().flat_map(|game| game.courses)
}

/// Returns the competition that a game has when nothing else is said: the first built-in one
/// of this game.
pub fn standard(entry: &'static Entry) -> Competition {
    entry.courses.first().map_or_else(
        || file::bare(entry),
        |course| {
            let loaded = file::read(course.name, course.text);
            loaded.expect("a test reads every one of them").competition
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_course_is_read_and_is_for_the_game_that_it_lies_with() {
        for game in engines::GAMES {
            assert!(!game.courses.is_empty(), "{}", game.info.slug);
            for course in game.courses {
                let read = file::read(course.name, course.text);
                let read = read.unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(read.entry.info.slug, game.info.slug);
            }
        }
    }
}
