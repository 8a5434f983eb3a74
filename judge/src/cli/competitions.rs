//! `judge competitions` and `judge competition`: list the built-in competitions, and print one as a
//! file.

use super::exit::Done;
use super::out;
use clap::Args;
use rulebook::JudgeError;
use rulebook::nearest::did_you_mean;
use rulebook::{courses, standard};
use run::named_game;
use serde_json::Value;
use std::path::Path;

#[derive(Args)]
pub(super) struct CompetitionArgs {
    /// Name of a built-in competition, or the file or folder of a game of your own
    name: String,
}

/// Lists the built-in competitions.
pub(super) fn list() -> Result<Done, JudgeError> {
    for course in courses() {
        let loaded = rulebook::read(course.name, course.text)?;
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
        let is_built_in = rulebook::rules::built_in().any(|rules| rules.info().slug == self.name);
        if course.is_none() && !is_built_in && Path::new(&self.name).exists() {
            return self.of_own_game();
        }
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

    /// Prints the standard competition of a game of one's own.
    fn of_own_game(&self) -> Result<Done, JudgeError> {
        let rules = named_game(&self.name)?;
        let (game, title) = (self.name.as_str(), rules.info().title);
        // A text in JSON is one in TOML.
        out::line(format_args!(
            "# The path of the game begins at this file's folder. COMPETITIONS.md lists all keys.\n\
             game = {}\ntitle = {}\nstates = {}",
            Value::from(game),
            Value::from(title),
            standard(&*rules).states
        ));
        Ok(Done::Success)
    }
}
