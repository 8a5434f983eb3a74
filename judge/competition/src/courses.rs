//! The competitions of real courses, built in.

use super::file;
use engines::Entry;
use words::competition::Competition;

/// A built-in competition.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The name on the command line, as `reversi-grading`.
    pub name: &'static str,
    /// Its file.
    pub toml: &'static str,
}

/// Every built-in competition; the first one of a game is what is played when nothing is said.
pub const COURSES: &[Course] = &[
    Course {
        name: "catch-the-cat",
        toml: include_str!("courses/catch-the-cat.toml"),
    },
    Course {
        name: "crazy-camel",
        toml: include_str!("courses/crazy-camel.toml"),
    },
    Course {
        name: "reversi-tournament",
        toml: include_str!("courses/reversi-tournament.toml"),
    },
    Course {
        name: "reversi-grading",
        toml: include_str!("courses/reversi-grading.toml"),
    },
    Course {
        name: "monkey-metal-man",
        toml: include_str!("courses/monkey-metal-man.toml"),
    },
];

impl Course {
    /// Reads the file.
    pub fn competition(&self) -> Competition {
        let loaded = file::read(self.name, self.toml);
        loaded.expect("a test reads every one of them").competition
    }
}

/// Returns the competition that a game has when nothing else is said: the first built-in one
/// with this game.
pub fn standard(entry: &'static Entry) -> Competition {
    let of_game = |course: &&Course| course.competition().conditions.game == entry.info.slug;
    COURSES
        .iter()
        .find(of_game)
        .map_or_else(|| file::bare(entry), Course::competition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_course_is_read_and_every_game_has_one() {
        for course in COURSES {
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
