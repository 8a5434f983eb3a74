//! `judge competitions` and `judge competition`: what is built in, and a file to start from.

use super::Done;
use crate::competition::COURSES;
use crate::error::JudgeError;
use clap::Args;

#[derive(Args)]
pub(super) struct Competition {
    /// Name of a built-in competition
    name: String,
}

/// Lists what is built in.
pub(super) fn list() -> Done {
    for course in COURSES {
        let competition = course.competition();
        let game = &competition.conditions.game;
        say!("{:20} {} ({game})", course.name, competition.title);
    }
    say!("");
    say!("to play one: judge run --competition NAME --submissions DIR");
    say!("to start your own: judge competition NAME > my.toml");
    Done::Well
}

impl Competition {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let known = COURSES.iter().map(|course| course.name);
        let course = COURSES.iter().find(|course| course.name == self.name);
        let course = course.ok_or_else(|| {
            JudgeError::input(format!(
                "no built-in competition {:?}; there are {}",
                self.name,
                known.collect::<Vec<_>>().join(", ")
            ))
        })?;
        say!("{}", course.toml.trim_end());
        Ok(Done::Well)
    }
}
