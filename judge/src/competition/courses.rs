//! The competitions of real courses, built in.

use super::{Competition, file};
use std::sync::LazyLock;

/// A built-in competition.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The name on the command line, as `reversi-grading`.
    pub name: &'static str,
    /// Its file.
    pub toml: &'static str,
}

/// Every built-in competition, from the games' folders; the first one of a game is what is
/// played when nothing is said.
pub static COURSES: LazyLock<Vec<Course>> = LazyLock::new(|| {
    let texts = engines::GAMES.iter().flat_map(|game| game.courses);
    let course = |text: &engines::CourseText| Course {
        name: text.name,
        toml: text.text,
    };
    texts.map(course).collect()
});

impl Course {
    /// Reads the file.
    pub fn competition(&self) -> Competition {
        let loaded = file::read(self.name, self.toml);
        loaded.expect("a test reads every one of them").competition
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_course_is_read_and_every_game_has_one() {
        for course in COURSES.iter() {
            let read = file::read(course.name, course.toml);
            assert!(read.is_ok(), "{}", read.expect_err("so it is"));
        }
        for game in engines::GAMES {
            let of_game = COURSES.iter().map(Course::competition);
            let count = of_game
                .filter(|c| c.conditions.game == game.info.slug)
                .count();
            assert!(count > 0, "{}", game.info.slug);
        }
    }
}
