//! `judge bot`: plays as a built-in bot on standard input and output.

use super::exit::Done;
use clap::Args;
use referee::external::choose_any;
use rulebook::JudgeError;
use run::builtin;
use serde_json::value::RawValue;
use std::ffi::OsString;
use std::io;

#[derive(Args)]
pub(super) struct BotArgs {
    /// The game
    game: String,
    /// The bot, for example `random`
    name: String,
}

impl BotArgs {
    /// Returns the bot of a command of exactly the form that a run starts, `judge bot GAME NAME`.
    /// To build the help of all verbs would take half of the start, which a process for each turn
    /// repeats.
    pub(super) fn of_command(arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let arguments: Vec<OsString> = arguments.skip(1).take(4).collect();
        let [verb, game, name] = arguments
            .iter()
            .map(|argument| argument.to_str())
            .collect::<Option<Vec<&str>>>()?
            .try_into()
            .ok()?;
        let is_plain = !game.starts_with('-') && !name.starts_with('-');
        (verb == "bot" && is_plain).then(|| Self {
            game: game.to_owned(),
            name: name.to_owned(),
        })
    }

    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        if self.game == builtin::ANY_GAME {
            // A game of somebody's own: its rules are not here, and this bot needs none.
            let any = |_, _: &RawValue, legal: &RawValue, seed| Ok(choose_any(legal, seed)?);
            builtin::play(&any, input, output)?;
            return Ok(Done::Success);
        }
        let rules = rulebook::rules::find(&self.game)?;
        builtin::check_name(&*rules, &self.name)?;
        builtin::play(&builtin::chooser(&*rules, &self.name), input, output)?;
        Ok(Done::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_of_a_run_is_a_bot_without_the_other_verbs() {
        let is_bot = |command: &str| {
            let arguments = command.split(' ').map(OsString::from);
            BotArgs::of_command(arguments).is_some()
        };
        assert!(is_bot("judge bot reversi random"));
        for command in [
            "judge",
            "judge bot",
            "judge bot reversi",
            "judge bot reversi --help",
            "judge bot --help random",
            "judge bot reversi random more",
            "judge run reversi random",
        ] {
            assert!(!is_bot(command), "{command}");
        }
    }
}
