//! `judge competitions` and `judge competition`: list the built-in competitions, and print one as a
//! file.

use super::exit::Done;
use super::out;
use clap::Args;
use competition::courses;
use error::JudgeError;
use words::nearest::did_you_mean;

#[derive(Args)]
pub(super) struct CompetitionArgs {
    /// Name of a built-in competition
    name: String,
}

/// Lists the built-in competitions.
///
/// # Errors
/// When one of them cannot be read.
pub(super) fn list() -> Result<Done, JudgeError> {
    for course in courses() {
        let loaded = competition::read(course.name, course.text)?;
        say!("{:20} {}", course.name, loaded.competition.title);
    }
    say!("");
    say!("to play one: judge run DIR --competition NAME");
    say!("to start your own: judge competition NAME > my.toml");
    Ok(Done::Success)
}

impl CompetitionArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let known = courses().map(|course| course.name);
        let course = courses().find(|course| course.name == self.name);
        let course = course.ok_or_else(|| {
            let known: Vec<&str> = known.collect();
            let meant = did_you_mean(&self.name, known.iter().copied());
            JudgeError::input(format!(
                "no built-in competition {:?}{meant}; there are {}",
                self.name,
                known.join(", ")
            ))
        })?;
        out::line(format_args!("{}", course.text.trim_end()));
        Ok(Done::Success)
    }
}
