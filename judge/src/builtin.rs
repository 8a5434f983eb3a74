//! The built-in bots as programs: they speak the protocol and are run, charged and confined
//! like any other.

use engines::{Entry, Seat};
use error::JudgeError;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs;
use std::io::{BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use system::files::{make_folder, text_of};
use words::artifact::Artifact;
use words::builtin::{FILLER_PREFIX, PREFIX};
use words::draw::Secret;
use words::entrant::{Contestant, Entrant, Readiness, Receipt};
use words::hash::hash;

/// This program, also when its file has been replaced since it was started.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// The name of the program in a built-in bot's folder.
const PROGRAM: &str = "judge";

/// Makes a built-in bot an entrant of a run.
///
/// # Errors
/// When the game has no such bot, or the run's folder cannot be written.
pub fn entrant(entry: &Entry, name: &str, run: &Path) -> Result<Entrant, JudgeError> {
    let bot = name.strip_prefix(PREFIX).unwrap_or(name);
    check_name(entry, bot)?;
    Ok(Entrant {
        name: format!("{PREFIX}{bot}"),
        form: "builtin",
        warnings: Vec::new(),
        compiler_warnings: None,
        readiness: Readiness::Ready(artifact(entry, bot, run)?),
        receipt: Receipt::default(),
    })
}

/// Makes a built-in bot's artifact: a copy of this program in a folder of its own.
fn artifact(entry: &Entry, bot: &str, run: &Path) -> Result<Artifact, JudgeError> {
    let rules = entry.info.rules_version.to_string();
    let version = env!("CARGO_PKG_VERSION");
    // The program itself, so that a changed bot is another bot.
    let program = fs::read(THIS_PROGRAM).map_err(|e| JudgeError::io("read", THIS_PROGRAM, e))?;
    let parts = ["builtin", entry.info.slug, bot, &rules, version].map(str::as_bytes);
    let hash = hash(&[&parts[..], &[&program[..]]].concat());
    let directory = run.join("artifacts").join(&hash);
    make_folder(&directory)?;
    copy_program(&directory)?;
    Ok(Artifact {
        hash,
        program: text_of(&directory.join(PROGRAM))?,
        directory: text_of(&directory)?,
        args: ["bot", entry.info.slug, bot].map(str::to_owned).to_vec(),
        tokens: None,
    })
}

/// Checks that a game has a built-in bot of this name.
///
/// # Errors
/// When it has none; the message lists those it has.
pub fn check_name(entry: &Entry, bot: &str) -> Result<(), JudgeError> {
    let known: Vec<&str> = entry
        .baselines()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    if known.contains(&bot) {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "{} has no built-in bot {bot:?}; it has {PREFIX}{}",
        entry.info.title,
        known.join(&format!(", {PREFIX}"))
    )))
}

/// The strongest built-in bot of a game, which fills empty chairs and is not ranked.
///
/// # Errors
/// When the folder cannot be written.
pub fn filler(entry: &Entry, run: &Path) -> Result<Contestant, JudgeError> {
    let strongest = entry.baselines().last().map_or("random", |(name, _)| *name);
    let artifact = artifact(entry, strongest, run)?;
    let name = format!("{FILLER_PREFIX}{PREFIX}{strongest})");
    Ok(Contestant { name, artifact })
}

/// Finds what a built-in bot played with in a run, as an entrant or on an empty chair; none if
/// the name is no built-in bot's, or the program is not there any more.
pub fn find_kept(entry: &Entry, entrant: &str, hash: &str, run: &Path) -> Option<Artifact> {
    let filling = entrant.strip_prefix(FILLER_PREFIX);
    let filling = filling.and_then(|name| name.strip_suffix(')'));
    let bot = filling.unwrap_or(entrant).strip_prefix(PREFIX)?;
    let directory = run.join("artifacts").join(hash);
    let program = directory.join(PROGRAM);
    if !program.is_file() {
        return None;
    }
    Some(Artifact {
        hash: hash.to_owned(),
        program: text_of(&program).ok()?,
        directory: text_of(&directory).ok()?,
        args: ["bot", entry.info.slug, bot].map(str::to_owned).to_vec(),
        tokens: None,
    })
}

/// Puts this program into a bot's folder; a bot may reach nothing outside it.
fn copy_program(directory: &Path) -> Result<(), JudgeError> {
    let target = directory.join(PROGRAM);
    if target.exists() {
        return Ok(());
    }
    let failed = |e| JudgeError::io("copy this program to", &target, e);
    let fresh = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(directory)
        .map_err(failed)?;
    fs::copy(THIS_PROGRAM, fresh.path()).map_err(failed)?;
    // Bots may run under another user.
    fs::set_permissions(fresh.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
    fresh.persist(&target).map_err(|e| failed(e.error))?;
    Ok(())
}

/// What a built-in bot reads; other messages and fields are ignored, as in any bot.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum JudgeMessage<'a> {
    Hello(SeatMessage),
    Start(SeatMessage),
    #[serde(borrow)]
    Turn(TurnMessage<'a>),
    End(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct SeatMessage {
    seat: Seat,
    long_seed: Secret,
}

#[derive(Deserialize)]
struct TurnMessage<'a> {
    ply: u64,
    #[serde(borrow)]
    view: &'a RawValue,
    #[serde(borrow)]
    legal: &'a RawValue,
}

/// Plays as a built-in bot until the input ends. The choice depends on the seed, the ply and
/// the view alone, so that it is the same however long the process lives. The seed is the long
/// one: whoever plays against this bot could find a short one by trying.
///
/// # Errors
/// When a message cannot be read, or the game has no such bot.
pub fn play(
    entry: &Entry,
    bot: &str,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<(), JudgeError> {
    let mut me = SeatMessage {
        seat: Seat::new(0),
        long_seed: Secret::new([0; 32]),
    };
    for line in input.lines() {
        let line = line.map_err(|e| JudgeError::io("read", "the judge's messages", e))?;
        let message = serde_json::from_str(&line).map_err(|source| JudgeError::Format {
            what: "a message of the judge".to_owned(),
            source,
        })?;
        let answer = match message {
            JudgeMessage::Hello(seated) | JudgeMessage::Start(seated) => {
                me = seated;
                "{\"ready\":{\"legal_moves\":true}}\n".to_owned()
            }
            JudgeMessage::Turn(turn) => {
                let seed = me.long_seed.derive(&turn.ply.to_string()).number();
                let choice = entry.choose(bot, me.seat, turn.view, turn.legal, seed);
                let mv = choice.map_err(|reason| JudgeError::Rules {
                    what: "a turn",
                    reason,
                })?;
                format!("{{\"move\":{mv}}}\n")
            }
            JudgeMessage::End(_) => continue,
        };
        output
            .write_all(answer.as_bytes())
            .and_then(|()| output.flush())
            .map_err(|e| JudgeError::io("write", "an answer", e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_bot_answers_in_the_protocol_and_repeats_itself_by_the_seed() {
        let entry = engines::game("catch-the-cat").expect("registered");
        let hello = r#"{"hello":{"protocol":1,"seat":0,"seed":7,"role":"cat"}}"#;
        let turn = r#"{"turn":{"ply":0,"view":{"side":5,"cat":[0,0],"world":"0000000000000000000000000"},"legal":[[-1,0],[1,0]],"clock":{}}}"#;
        let talk = |text: String| {
            let mut out = Vec::new();
            play(entry, "random", text.as_bytes(), &mut out).expect("well-formed");
            String::from_utf8(out).expect("JSON")
        };
        let once = talk(format!("{hello}\n{turn}\n{{\"end\":{{}}}}\n"));
        assert!(
            once.starts_with("{\"ready\":{\"legal_moves\":true}}\n{\"move\":["),
            "{once}"
        );
        assert_eq!(once, talk(format!("{hello}\n{turn}\n")));
    }

    #[test]
    fn a_seat_or_a_view_that_no_game_has_is_an_error_and_no_panic() {
        let entry = engines::game("crazy-camel").expect("registered");
        let view = r#"{"you":1,"width":7,"height":7,"players":[{"position":[3,0],"camels":7},{"position":[3,5],"camels":8}],"camels":[],"ply":3,"plies_max":128}"#;
        // (seat, view, words of the error)
        let rows = [
            ("8", view, "there is no seat 8: seats are 0 to 7"),
            ("-1", view, "-1"),
            ("2", view, "crazy-camel has no seat 2: seats are 0 to 1"),
            ("0", "{}", "you"),
        ];
        for (seat, view, words) in rows {
            let text = format!(
                "{{\"hello\":{{\"seat\":{seat},\"seed\":7}}}}\n\
                 {{\"turn\":{{\"ply\":0,\"view\":{view},\"legal\":[{{\"step\":\"up\"}}]}}}}\n"
            );
            let error = play(entry, "shortest-path", text.as_bytes(), std::io::sink());
            let error = error.expect_err("refused");
            let told = format!("{error}: {:?}", std::error::Error::source(&error));
            assert!(told.contains(words), "{told}");
        }
    }
}
