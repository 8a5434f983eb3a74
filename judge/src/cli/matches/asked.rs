//! The questions about the games in a match's folder, with their answers, in `match.json`; and the
//! entrants: the two sides, and their opponents. The journal has no bounds, and without this file a
//! verdict's meaning would be lost.

use intake::Submission;
use model::builtin::PREFIX;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::commands::shown;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::manifest::Manifest;
use system::files::{read_regular, write_whole};

/// Name of the file in a match's folder.
const FILE: &str = "match.json";

/// All questions so far, the latest last.
pub(super) struct AskedBefore {
    path: PathBuf,
    file: AskedFile,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedFile {
    asked: Vec<Asked>,
}

/// One question, and the state of its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// Name of the new version.
    pub(super) new: String,
    /// Name of the old version.
    pub(super) old: String,
    /// The bounds and the error rates, as flags.
    pub(super) bounds: String,
    /// The hash of each entrant's artifact, by name.
    pub(super) artifacts: BTreeMap<String, String>,
    /// Number of states that count.
    pub(super) states: u32,
    /// The result so far, in words.
    pub(super) verdict: String,
    /// Whether all its states were played without a verdict. Another look at more of them is one
    /// more chance to be wrong.
    pub(super) played_out: bool,
}

impl Asked {
    /// Makes a question without an answer.
    pub(super) fn new([new, old]: &[String; 2], bounds: String, manifest: &Manifest) -> Self {
        let artifacts = manifest
            .entrants
            .iter()
            .map(|line| (line.name.clone(), line.artifact.clone().unwrap_or_default()))
            .collect();
        Self {
            new: new.clone(),
            old: old.clone(),
            bounds,
            artifacts,
            states: 0,
            verdict: "undecided".to_owned(),
            played_out: false,
        }
    }

    /// Returns whether the two sides have the same artifact.
    pub(super) fn is_one_program(&self) -> bool {
        let artifact = |name| self.artifacts.get(name).filter(|hash| !hash.is_empty());
        artifact(&self.new).is_some_and(|new| artifact(&self.old) == Some(new))
    }

    /// Returns whether this is the same question about the same games.
    fn is_same(&self, other: &Self) -> bool {
        self.is_of_same_games(other) && self.bounds == other.bounds
    }

    fn is_of_same_games(&self, other: &Self) -> bool {
        self.names() == other.names() && self.artifacts == other.artifacts
    }

    fn names(&self) -> [&str; 2] {
        [&self.new, &self.old]
    }

    /// Returns the artifact of the new version.
    fn version(&self) -> Option<&String> {
        self.artifacts.get(&self.new)
    }
}

impl AskedBefore {
    /// Returns whether a folder has the questions of a match.
    pub(super) fn is_in(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads the questions of a folder; none if it has no match yet.
    pub(super) fn read(folder: &Path) -> Result<Self, JudgeError> {
        let path = folder.join(FILE);
        let text = match read_regular(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let file = AskedFile { asked: Vec::new() };
                return Ok(Self { path, file });
            }
            Err(e) => return Err(JudgeError::io("read", &path, e)),
        };
        let file = serde_json::from_slice(&text).map_err(|error| {
            JudgeError::input(format!(
                "{} is damaged ({error}). It records the earlier questions to these games; choose another folder with \
                 --out, or remove the file and lose that record",
                shown(&path)
            ))
        })?;
        Ok(Self { path, file })
    }

    /// Writes a question before its answer, which keeps it even after a failure.
    pub(super) fn begin(&mut self, asked: &Asked) -> Result<(), JudgeError> {
        if self.file.asked.iter().any(|before| before.is_same(asked)) {
            return Ok(());
        }
        self.write(asked)
    }

    /// Writes a question with its answer so far.
    pub(super) fn write(&mut self, asked: &Asked) -> Result<(), JudgeError> {
        let all = &mut self.file.asked;
        all.retain(|before| !before.is_same(asked));
        all.push(asked.clone());
        let mut text = serde_json::to_string_pretty(&self.file).expect("plain data");
        text.push('\n');
        write_whole(&self.path, text.as_bytes())
    }

    /// Returns whether the same question was open when all states had been played.
    pub(super) fn was_played_out(&self, asked: &Asked) -> bool {
        self.file
            .asked
            .iter()
            .filter(|one| one.is_same(asked))
            .any(|one| one.played_out)
    }

    /// Lists the reasons to trust a verdict less than it says: other bounds for the same games, and
    /// other versions on the same boards.
    pub(super) fn doubts(&self, asked: &Asked) -> Vec<String> {
        let before = || self.file.asked.iter();
        let other_bounds = before().rfind(|one| one.is_of_same_games(asked) && !one.is_same(asked)).map(|one| {
            format!(
                "these games already answered an earlier question: {} ({}). With bounds chosen after seeing games, \
                 the verdict is wrong more often than --alpha and --beta say. For a reliable verdict, repeat the \
                 command with another --seed and another --out",
                one.bounds, one.verdict
            )
        });
        let versions: BTreeSet<_> = before()
            .filter(|one| one.names() == asked.names())
            .filter_map(Asked::version)
            .collect();
        let others = versions
            .iter()
            .filter(|one| Some(**one) != asked.version())
            .count();
        let same_boards = (others > 0).then(|| {
            let versions = if others == 1 { "version" } else { "versions" };
            format!(
                "{others} other {versions} of {} already played these boards. The best of several versions is also a \
                 lucky one: before you rely on the verdict, repeat the command with another --seed and another --out",
                asked.new
            )
        });
        other_bounds.into_iter().chain(same_boards).collect()
    }
}

/// The entrants of a match.
pub(super) struct Sides {
    /// The names of the new side and the old side.
    pub(super) compared: [String; 2],
    /// The opponents of both sides; empty if they play each other.
    pub(super) opponents: Vec<String>,
    /// The submissions to build.
    pub(super) submissions: Vec<Submission>,
    /// The built-in bots among the entrants.
    pub(super) builtins: Vec<String>,
    /// The places of the submissions.
    pub(super) places: Vec<PathBuf>,
    /// Entrants left out because they would have played against themselves.
    pub(super) left_out: Vec<String>,
}

/// One of the two sides.
enum Side {
    Builtin(String),
    Submitted(PathBuf, Box<Submission>),
}

impl Side {
    /// Finds the side that `word` names; `game` is the named game, if any.
    fn of(
        word: &str,
        game: Option<&Arc<dyn Rules>>,
        stop: &AtomicBool,
    ) -> Result<Self, JudgeError> {
        if word.starts_with(PREFIX) {
            return Ok(Self::Builtin(word.to_owned()));
        }
        let place = Path::new(word);
        let submission = intake::open_one(place, game, stop)?;
        Ok(Self::Submitted(
            intake::folder_of(place),
            Box::new(submission),
        ))
    }

    fn name(&self) -> &str {
        match self {
            Self::Builtin(name) => name,
            Self::Submitted(_, submission) => &submission.name,
        }
    }

    /// Returns the name of the submission's parent folder, if it is a valid entrant's name.
    fn folder_around(&self) -> Option<String> {
        let Self::Submitted(place, _) = self else {
            return None;
        };
        let there = place.canonicalize().ok()?;
        let name = there.parent()?.file_name()?.to_str()?;
        name.chars()
            .all(|c| c.is_alphanumeric() || "-_.".contains(c))
            .then(|| name.to_owned())
    }
}

impl Sides {
    /// Reads the sides and the opponents from the command line: submissions, places, and built-in
    /// bots.
    pub(super) fn of(
        [new, old]: [&str; 2],
        places: &[PathBuf],
        with: &[String],
        game: Option<&Arc<dyn Rules>>,
        stop: &AtomicBool,
    ) -> Result<Self, JudgeError> {
        let mut sides = [Side::of(new, game, stop)?, Side::of(old, game, stop)?];
        if sides[0].name() == sides[1].name() {
            tell_apart(&mut sides)?;
        }
        let compared = [0, 1].map(|one| sides[one].name().to_owned());
        let mut submissions = Vec::new();
        let mut builtins = Vec::new();
        let mut from = places.to_vec();
        for side in sides {
            match side {
                Side::Builtin(name) => builtins.push(name),
                Side::Submitted(place, submission) => {
                    from.push(place);
                    submissions.push(*submission);
                }
            }
        }
        let (mut opponents, mut left_out) = (Vec::new(), Vec::new());
        let (collected, _) = run::collect_places(places, game, None, None, &|_| Ok(()), stop)?;
        for opponent in collected.submissions {
            if compared.contains(&opponent.name) {
                left_out.push(opponent.name);
                continue;
            }
            opponents.push(opponent.name.clone());
            submissions.push(opponent);
        }
        let named = with.len() + opponents.len();
        if let (0, Some(name)) = (named, left_out.first()) {
            return Err(JudgeError::input(format!(
                "--opponents contains only bots that are being compared ({name}); name another folder, or omit \
                 --opponents to let the two play each other"
            )));
        }
        for bot in with {
            let name = bot.strip_prefix(PREFIX).unwrap_or(bot);
            let name = format!("{PREFIX}{name}");
            if compared.contains(&name) {
                let reason = "is compared and cannot be an opponent too; remove --with";
                return Err(JudgeError::input(format!("{name} {reason}")));
            }
            opponents.push(name.clone());
            builtins.push(name);
        }
        Ok(Self {
            compared,
            opponents,
            submissions,
            builtins,
            places: from,
            left_out,
        })
    }

    /// Lists the names of all entrants.
    pub(super) fn all(&self) -> Vec<String> {
        self.compared
            .iter()
            .chain(&self.opponents)
            .cloned()
            .collect()
    }
}

/// Renames two sides with the same name: to their parent folders' names if these differ, else to
/// `new` and `old`.
fn tell_apart(sides: &mut [Side; 2]) -> Result<(), JudgeError> {
    let around = [0, 1].map(|one| sides[one].folder_around());
    let names = match around {
        [Some(new), Some(old)] if new != old => [new, old],
        _ => ["new", "old"].map(str::to_owned),
    };
    for (side, name) in sides.iter_mut().zip(names) {
        match side {
            Side::Submitted(_, submission) => submission.name = name,
            Side::Builtin(bot) => {
                return Err(JudgeError::input(format!(
                    "{bot} cannot be compared with itself; name two different bots"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(version: &str, bounds: &str) -> Asked {
        let artifacts = [("n", version), ("o", "1")];
        let artifacts = artifacts.map(|(name, hash)| (name.to_owned(), hash.to_owned()));
        Asked {
            new: "n".to_owned(),
            old: "o".to_owned(),
            bounds: bounds.to_owned(),
            artifacts: artifacts.into(),
            states: 7,
            verdict: "undecided".to_owned(),
            played_out: false,
        }
    }

    #[test]
    fn what_was_asked_is_read_again_and_other_bounds_and_versions_are_doubts() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = || AskedBefore::read(folder.path()).expect("readable");
        let first = asked("1", "--elo0 0 --elo1 30");
        assert!(read().doubts(&first).is_empty());
        read().write(&first).expect("writable");
        let mut ended = first.clone();
        ended.verdict = "n is better than o".to_owned();
        read().write(&ended).expect("writable");
        assert_eq!(read().file.asked, [ended]);
        assert!(read().doubts(&first).is_empty(), "the same again");
        let [bounds] = &read().doubts(&asked("1", "--elo0 0 --elo1 5"))[..] else {
            panic!("one doubt")
        };
        assert!(
            bounds.contains("--elo0 0 --elo1 30 (n is better than o)"),
            "{bounds}"
        );
        let [boards] = &read().doubts(&asked("2", "--elo0 0 --elo1 30"))[..] else {
            panic!("one doubt")
        };
        assert!(
            boards.starts_with("1 other version of n already played these boards"),
            "{boards}"
        );
    }

    #[test]
    fn a_damaged_file_is_refused_with_the_next_step() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), "{").expect("ours");
        let error = AskedBefore::read(folder.path()).err().expect("refused");
        assert!(
            error.to_string().contains("match.json is damaged"),
            "{error}"
        );
    }
}
