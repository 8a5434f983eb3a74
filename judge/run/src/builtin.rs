//! The built-in bots as programs, which are run, charged and sandboxed like any other.

#![expect(clippy::disallowed_methods, reason = "it is the judge's own program")]

use crate::play::worker;
use crate::programs::THIS_PROGRAM;
use engines::Seat;
use model::artifact::Artifact;
use model::builtin::{FILLER_PREFIX, PREFIX};
use model::draw::{Secret, hash};
use model::entrant::{Contestant, Entrant};
use rulebook::nearest::did_you_mean;
use rulebook::rules::{Rules, RulesError};
use rulebook::{IoContext, JudgeError, Result, refuse};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fs;
use std::io::{BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use system::cleanup::TemporaryFolder;
use system::files::{make_folder, read_bounded, set_mode, sync_tree, text_of, write_whole};
use system::kept_folder;
use system::run_folder::ARTIFACTS;

const PROGRAM: &str = "judge";

/// The game of a bot that knows no rules.
pub const ANY_GAME: &str = "any-game";

const UNFINISHED: &str = ".build-";

const NOTE_BYTES_MAX: u64 = 1 << 16;

/// `artifacts/builtin-NAME.json`: the bot stays the one that first played there.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptBot {
    hash: String,
    /// Name of the folder in `artifacts` with the program. All bots of one judge share it.
    folder: String,
    /// The hash of both, which reveals a changed note.
    seal: String,
}

/// Makes a built-in bot an entrant. `has_begun`: games of the run have been played.
pub fn entrant(rules: &dyn Rules, name: &str, run: &Path, has_begun: bool) -> Result<Entrant> {
    let bot = name.strip_prefix(PREFIX).unwrap_or(name);
    check_name(rules, bot)?;
    let artifact = make(rules, bot, run, has_begun)?;
    Ok(Entrant::new(
        format!("{PREFIX}{bot}"),
        "builtin",
        Ok(artifact),
    ))
}

fn make(rules: &dyn Rules, bot: &str, run: &Path, has_begun: bool) -> Result<Artifact> {
    let artifacts = run.join(ARTIFACTS);
    make_folder(&artifacts)?;
    let own = || KeptBot::of_this_program(rules, bot);
    if has_begun && let Some(kept) = KeptBot::read(bot, &artifacts)? {
        if kept_folder::is_intact(&artifacts.join(&kept.folder))? {
            return kept.artifact(rules, bot, &artifacts);
        }
        if own()?.hash != kept.hash {
            return Err(kept.lost(bot, &artifacts));
        }
    }
    let own = own()?;
    let place = artifacts.join(&own.folder);
    if !kept_folder::is_intact(&place)? {
        remove(&place)?;
        copy_program(&place, digest_of_this_program()?)?;
    }
    let text = serde_json::to_vec(&own).expect("serializable");
    write_whole(&KeptBot::path(bot, &artifacts), &text)?;
    own.artifact(rules, bot, &artifacts)
}

impl KeptBot {
    fn of_this_program(rules: &dyn Rules, bot: &str) -> Result<Self> {
        // The hash of the program itself, so that a changed bot is another bot.
        let folder = hash(&[b"program", &digest_of_this_program()?]);
        let info = rules.info();
        let rules_version = info.rules_version.to_string();
        let version = env!("CARGO_PKG_VERSION");
        let parts = ["builtin", info.slug, bot, &rules_version, version, &folder];
        let hash = hash(&parts.map(str::as_bytes));
        Ok(Self {
            seal: seal_of(&hash, &folder),
            hash,
            folder,
        })
    }

    fn path(bot: &str, artifacts: &Path) -> PathBuf {
        artifacts.join(format!("builtin-{bot}.json"))
    }

    fn read(bot: &str, artifacts: &Path) -> Result<Option<Self>> {
        let path = Self::path(bot, artifacts);
        let damaged = |reason: &dyn std::fmt::Display| {
            JudgeError::input(format!(
                "{} is damaged ({reason}), so it is unknown which program {PREFIX}{bot} has played with; restore it \
                 from a backup, or remove it, which may play its games again",
                path.display()
            ))
        };
        let text = match read_bounded(&path, NOTE_BYTES_MAX) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) if e.kind() == ErrorKind::FileTooLarge => return Err(damaged(&e)),
            text => text.or_io("read", &path)?,
        };
        let kept: Self = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if kept.seal != seal_of(&kept.hash, &kept.folder) {
            return Err(damaged(&"it is not what the judge wrote"));
        }
        Ok(Some(kept))
    }

    fn artifact(&self, rules: &dyn Rules, bot: &str, artifacts: &Path) -> Result<Artifact> {
        let directory = artifacts.join(&self.folder);
        let game = rules.program().map_or(rules.info().slug, |_| ANY_GAME);
        Ok(Artifact {
            hash: self.hash.clone(),
            program: text_of(&directory.join(PROGRAM))?,
            directory: text_of(&directory)?,
            args: ["bot", game, bot].map(str::to_owned).to_vec(),
            tokens: None,
            without_paths: false,
            forks: false,
            toolchains: Vec::new(),
            versions: Vec::new(),
            startup_free_ms: None,
        })
    }

    fn lost(&self, bot: &str, artifacts: &Path) -> JudgeError {
        JudgeError::input(format!(
            "all games of {PREFIX}{bot} would be played again: the copy of judge that played them ({}) is damaged or \
             missing, and this is another judge. Restore it from a backup, or use the judge that run.json names, and \
             rerun the command; to play these games again, remove {} first",
            artifacts.join(&self.folder).display(),
            Self::path(bot, artifacts).display()
        ))
    }
}

fn seal_of(artifact: &str, folder: &str) -> String {
    hash(&[artifact, folder].map(str::as_bytes))
}

/// Lists the built-in bots of a game, from the weakest to the strongest.
pub fn names(rules: &dyn Rules) -> Vec<&str> {
    rules
        .baselines()
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

/// Checks that a game has a built-in bot of this name.
pub fn check_name(rules: &dyn Rules, bot: &str) -> Result {
    let known = names(rules);
    if known.contains(&bot) {
        return Ok(());
    }
    let meant = did_you_mean(bot, known.iter().copied());
    refuse(format!(
        "{} has no built-in bot {bot:?}{meant}; it has {PREFIX}{}",
        rules.info().title,
        known.join(&format!(", {PREFIX}"))
    ))
}

/// Returns the strongest built-in bot of a game.
pub fn strongest(rules: &dyn Rules) -> &str {
    names(rules).last().unwrap_or(&"random")
}

/// Returns the strongest built-in bot of a game, which takes empty seats and is not ranked.
pub fn filler(rules: &dyn Rules, run: &Path, has_begun: bool) -> Result<Contestant> {
    let strongest = strongest(rules);
    Ok(Contestant {
        name: format!("{FILLER_PREFIX}{PREFIX}{strongest})"),
        artifact: make(rules, strongest, run, has_begun)?,
    })
}

/// Finds a built-in bot's program. `None` if there is no such bot, or it is gone or changed.
pub fn find_kept(
    rules: &dyn Rules,
    entrant: &str,
    hash: &str,
    run: &Path,
) -> Result<Option<Artifact>> {
    let artifacts = run.join(ARTIFACTS);
    let Some((bot, kept)) = noted(entrant, hash, &artifacts)? else {
        return Ok(None);
    };
    if !kept_folder::is_intact(&artifacts.join(&kept.folder))? {
        return Ok(None);
    }
    kept.artifact(rules, bot, &artifacts).map(Some)
}

/// Returns whether at most the permissions of a built-in bot's program have changed.
pub(crate) fn has_kept_content(entrant: &str, hash: &str, run: &Path) -> Result<bool> {
    let artifacts = run.join(ARTIFACTS);
    let has_content = |(_, kept): (_, KeptBot)| {
        kept_folder::has_noted_content(&artifacts.join(kept.folder)).unwrap_or(false)
    };
    Ok(noted(entrant, hash, &artifacts)?.is_some_and(has_content))
}

/// As an entrant or in an empty seat; with the bot's own name.
fn noted<'a>(entrant: &'a str, hash: &str, artifacts: &Path) -> Result<Option<(&'a str, KeptBot)>> {
    let Some(bot) = entrant
        .strip_prefix(FILLER_PREFIX)
        .and_then(|name| name.strip_suffix(')'))
        .unwrap_or(entrant)
        .strip_prefix(PREFIX)
    else {
        return Ok(None);
    };
    let kept = KeptBot::read(bot, artifacts)?;
    Ok(kept
        .filter(|kept| kept.hash == hash)
        .map(|kept| (bot, kept)))
}

fn digest_of_this_program() -> Result<[u8; 32]> {
    static DIGEST: OnceLock<[u8; 32]> = OnceLock::new();
    if let Some(digest) = DIGEST.get() {
        return Ok(*digest);
    }
    let digest = fs::File::open(THIS_PROGRAM)
        .and_then(kept_folder::digest_of_file)
        .or_io("read", THIS_PROGRAM)?;
    Ok(*DIGEST.get_or_init(|| digest))
}

/// Copies this program into a folder of its own; a bot may reach nothing outside it.
fn copy_program(place: &Path, digest: [u8; 32]) -> Result {
    let failed = |e| JudgeError::io("copy this program to", place, e);
    let parent = place.parent().expect("it is below the run's folder");
    // Bots may run under another user.
    let fresh = TemporaryFolder::new_in(parent, UNFINISHED, 0o755).map_err(failed)?;
    let program = fresh.path().join(PROGRAM);
    fs::copy(THIS_PROGRAM, &program).map_err(failed)?;
    set_mode(&program, 0o755).map_err(failed)?;
    sync_tree(fresh.path()).map_err(failed)?;
    kept_folder::write_note_of_copy(fresh.path(), place, digest)?;
    fs::rename(fresh.path(), place).map_err(failed)?;
    fresh.keep();
    Ok(())
}

fn remove(place: &Path) -> Result {
    let removed = match fs::symlink_metadata(place) {
        Ok(it) if it.is_dir() => fs::remove_dir_all(place),
        Ok(_) => fs::remove_file(place),
        Err(_) => return Ok(()),
    };
    removed.or_io("remove", place)
}

/// Other messages and fields are ignored, as any bot does.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum JudgeMessage<'a> {
    Hello(SeatMessage),
    Start(SeatMessage),
    #[serde(borrow)]
    Turn(TurnMessage<'a>),
    End(IgnoredAny),
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

/// Chooses a move for a seat: its view, its legal moves, and a seed.
pub type Chooser<'a> = dyn Fn(Seat, &RawValue, &RawValue, u64) -> Result<String, RulesError> + 'a;

/// Returns how a built-in bot of a game chooses.
pub fn chooser<'a>(
    rules: &'a dyn Rules,
    bot: &'a str,
) -> impl Fn(Seat, &RawValue, &RawValue, u64) -> Result<String, RulesError> + 'a {
    move |seat, view, legal, seed| rules.choose(bot, seat, view, legal, seed)
}

/// Plays until the input ends. The choice depends only on the seed, the ply and the view, not on
/// the process. An opponent could find a short seed by trying.
pub fn play(choose: &Chooser<'_>, input: impl BufRead, mut output: impl Write) -> Result {
    let mut me = SeatMessage {
        seat: Seat::new(0),
        long_seed: Secret::new([0; 32]),
    };
    for line in input.lines() {
        let line = line.or_io("read", "the judge's messages")?;
        let answer = match worker::read("a message of the judge", &line)? {
            JudgeMessage::Hello(seated) | JudgeMessage::Start(seated) => {
                me = seated;
                "{\"ready\":{\"legal_moves\":true}}\n".to_owned()
            }
            JudgeMessage::Turn(turn) => {
                let seed = me.long_seed.derive(&turn.ply.to_string()).number();
                let mv = choose(me.seat, turn.view, turn.legal, seed)
                    .map_err(|error| error.of("a turn"))?;
                format!("{{\"move\":{mv}}}\n")
            }
            JudgeMessage::End(_) => continue,
        };
        output
            .write_all(answer.as_bytes())
            .and_then(|()| output.flush())
            .or_io("write", "an answer")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "0707070707070707070707070707070707070707070707070707070707070707";

    #[test]
    fn built_in_bot_follows_protocol_and_repeats_seed() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let hello =
            format!(r#"{{"hello":{{"protocol":1,"seat":0,"long_seed":"{SEED}","role":"cat"}}}}"#);
        let turn = r#"{"turn":{"ply":0,"view":{"side":5,"cat":[0,0],"world":"0000000000000000000000000"},"legal":[[-1,0],[1,0]],"clock":{}}}"#;
        let talk = |text: String| {
            let mut out = Vec::new();
            play(&chooser(&*rules, "random"), text.as_bytes(), &mut out).expect("well-formed");
            String::from_utf8(out).expect("JSON")
        };
        let once = talk(format!("{hello}\n{turn}\n{{\"end\":{{}}}}\n"));
        let holds = once.starts_with("{\"ready\":{\"legal_moves\":true}}\n{\"move\":[");
        assert!(holds, "{once}");
        assert_eq!(once, talk(format!("{hello}\n{turn}\n")));
    }

    #[test]
    fn changed_or_unsealed_note_is_damaged() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let note = KeptBot::path("random", folder.path());
        let (hash, other) = ("0a", "0A");
        let seal = seal_of(hash, "program");
        // (hash, seal, whether it counts)
        let rows = [
            (hash, format!(r#","seal":"{seal}""#), true),
            (other, format!(r#","seal":"{seal}""#), false),
            (hash, String::new(), false),
        ];
        for (hash, seal, counts) in rows {
            let text = format!(r#"{{"hash":"{hash}","folder":"program"{seal}}}"#);
            fs::write(&note, &text).expect("writable");
            let read = KeptBot::read("random", folder.path());
            assert_eq!(read.is_ok(), counts, "{text}");
        }
    }

    #[test]
    fn unknown_seat_or_view_is_error_without_panic() {
        let rules = rulebook::rules::find("crazy-camel").expect("registered");
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
                "{{\"hello\":{{\"seat\":{seat},\"long_seed\":\"{SEED}\"}}}}\n\
                 {{\"turn\":{{\"ply\":0,\"view\":{view},\"legal\":[{{\"step\":\"up\"}}]}}}}\n"
            );
            let chooser = chooser(&*rules, "shortest-path");
            let error = play(&chooser, text.as_bytes(), std::io::sink()).expect_err("refused");
            let reported = format!("{error}: {:?}", std::error::Error::source(&error));
            assert!(reported.contains(words), "{reported}");
        }
    }
}
