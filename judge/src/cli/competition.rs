//! `judge competition`: list the built-in competitions, or print one as a file.

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
    name: Option<String>,
}

fn list() -> Result<Done, JudgeError> {
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
        let Some(name) = self.name.as_deref() else {
            return list();
        };
        let known = courses().map(|course| course.name);
        let course = courses().find(|course| course.name == name);
        let is_built_in = rulebook::rules::built_in().any(|rules| rules.info().slug == name);
        if course.is_none() && !is_built_in && Path::new(name).exists() {
            return of_own_game(name);
        }
        let course = course.ok_or_else(|| {
            let known: Vec<&str> = known.collect();
            let meant = did_you_mean(name, known.iter().copied());
            JudgeError::input(format!(
                "no built-in competition {name:?}{meant}; there are {}",
                known.join(", ")
            ))
        })?;
        out::line(format_args!("{}", course.text.trim_end()));
        Ok(Done::Success)
    }
}

fn of_own_game(name: &str) -> Result<Done, JudgeError> {
    let rules = named_game(name)?;
    // A text in JSON is one in TOML.
    out::line(format_args!(
        "# The path of the game begins at this file's folder. COMPETITIONS.md lists all keys.\n\
         game = {}\ntitle = {}\nstates = {}",
        Value::from(name),
        Value::from(rules.info().title),
        standard(&*rules).states
    ));
    Ok(Done::Success)
}
