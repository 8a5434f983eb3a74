//! The entrants of a match: the two sides, and their opponents.

use intake::Submission;
use model::builtin::PREFIX;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
