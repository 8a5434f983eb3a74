//! The game that submissions name: a built-in one, or one of one's own in the current folder.

use crate::commands::{game_or_own_unknown, game_unknown, path_for_shell};
use crate::game::open_own;
use intake::{GAME_FILE, Submission, folder_of};
use model::text::listed;
use rulebook::nearest::nearest;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::foreign::{ForeignFolder, Kind};

pub(crate) fn only_game_of(
    submissions: &[Submission],
    places: &[PathBuf],
) -> Result<Arc<dyn Rules>> {
    match named_by(submissions, places) {
        Ok(Named::Known(rules)) => Ok(rules),
        Ok(Named::Own(slug, folder)) => open_own(slug, &folder),
        Err(unknown) => {
            Err(folder_of_classes(places).unwrap_or_else(|| unknown.error(submissions.len())))
        }
    }
}

/// Returns whether submissions from these places are for one game. It opens none.
pub fn are_for_one_game(submissions: &[Submission], places: &[PathBuf]) -> bool {
    named_by(submissions, places).is_ok()
}

/// Refuses submissions that do not say which game they play.
pub fn no_game_known() -> JudgeError {
    let built_in = rulebook::rules::built_in().map(|rules| rules.info().slug.to_owned());
    game_or_own_unknown(
        "cannot tell which game to play; name it, or the file or folder of a game of your own",
        built_in.collect(),
    )
}

/// Returns why there is no such game as a submission names, if it names one.
pub fn no_such_game(submission: &Submission, places: &[PathBuf]) -> Option<String> {
    let named = named_by(std::slice::from_ref(submission), places);
    let Err(Unknown::Missing(missing, _)) = named else {
        return None;
    };
    Some(format!("judge.toml names the game {}", missing.why()))
}

/// Returns whether submissions from these places find a game of one's own by its slug.
pub fn is_found_by(slug: &str, game: &Path, places: &[PathBuf]) -> bool {
    let is_namesake = |place: &PathBuf| place.file_name() == Some(OsStr::new(slug));
    if places.iter().any(is_namesake) {
        return false;
    }
    let found = own_folder(slug, &[], places).ok();
    found.is_some_and(|found| game.canonicalize().is_ok_and(|game| game == found))
}

enum Named<'a> {
    Known(Arc<dyn Rules>),
    Own(&'a str, PathBuf),
}

enum Unknown<'a> {
    /// Nobody names one, or too few do.
    NotSaid,
    /// This many name one that is not found.
    Missing(Missing<'a>, usize),
    Several(Vec<&'a str>),
}

struct Missing<'a> {
    slug: &'a str,
    reason: Reason,
}

enum Reason {
    /// It is not built in, and not in the current folder.
    Nowhere,
    /// A student may have written it.
    Submitted,
}

/// A name that is not found may be the mistake of a few, who do not play.
fn named_by<'a>(
    submissions: &'a [Submission],
    places: &[PathBuf],
) -> Result<Named<'a>, Unknown<'a>> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for slug in submissions.iter().filter_map(Submission::game) {
        *votes.entry(slug).or_default() += 1;
    }
    let mut votes: Vec<(&str, usize)> = votes.into_iter().collect();
    votes.sort_by_key(|(_, count)| Reverse(*count));
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (slug, count) in votes {
        // An opened game is also known by the path that named it.
        let known = rulebook::rules::find(slug).ok();
        let named = known.filter(|known| known.info().slug == slug).map_or_else(
            || own_folder(slug, submissions, places).map(|folder| Named::Own(slug, folder)),
            |rules| Ok(Named::Known(rules)),
        );
        match named {
            Ok(named) => found.push((slug, count, named)),
            Err(reason) => missing.push((Missing { slug, reason }, count)),
        }
    }
    if found.len() > 1 {
        return Err(Unknown::Several(
            found.into_iter().map(|(slug, ..)| slug).collect(),
        ));
    }
    let missing = missing.into_iter().next();
    let lost = missing.as_ref().map_or(0, |(_, count)| *count);
    match found.pop() {
        Some((_, count, named)) if count >= lost => Ok(named),
        _ => Err(missing
            .filter(|(_, count)| count * 2 >= submissions.len())
            .map_or(Unknown::NotSaid, |(missing, count)| {
                Unknown::Missing(missing, count)
            })),
    }
}

/// A student must not choose the rules. So it is no link, lies neither in a place of submissions
/// nor next to a single one, and has the name of none of them.
fn own_folder(
    slug: &str,
    submissions: &[Submission],
    places: &[PathBuf],
) -> Result<PathBuf, Reason> {
    let here = ForeignFolder::open(Path::new(".")).map_err(|_| Reason::Nowhere)?;
    let facts = here.facts_of(OsStr::new(slug));
    let is_folder = facts.is_ok_and(|facts| facts.kind == Kind::Folder);
    if !is_folder || !Path::new(slug).join(GAME_FILE).is_file() {
        return Err(Reason::Nowhere);
    }
    let here = Path::new(".").canonicalize().map_err(|_| Reason::Nowhere)?;
    let folder = here.join(slug);
    let is_apart = |place: &PathBuf| {
        let place = folder_of(place);
        let real = place.canonicalize();
        real.is_ok_and(|real| {
            let is_beside = real.parent() == Some(&here) && intake::is_single(&place, None);
            !is_beside && !folder.starts_with(&real)
        })
    };
    if submissions.iter().any(|one| one.name == slug) || !places.iter().all(is_apart) {
        return Err(Reason::Submitted);
    }
    Ok(folder)
}

impl Missing<'_> {
    fn meant(&self) -> Option<&'static str> {
        nearest(
            self.slug,
            rulebook::rules::built_in().map(|rules| rules.info().slug),
        )
    }

    fn why(&self) -> String {
        let slug = self.slug;
        match self.reason {
            Reason::Nowhere => {
                let ask = |meant| format!(" (did you mean {meant}?)");
                let meant = self.meant().map(ask).unwrap_or_default();
                format!(
                    "{slug}{meant}, which is neither built in nor a folder here with a game.toml"
                )
            }
            Reason::Submitted => format!(
                "{slug}, but the folder {slug} here is among or beside the submissions, so a student may have written it"
            ),
        }
    }
}

impl Unknown<'_> {
    fn error(&self, submissions: usize) -> JudgeError {
        match self {
            Self::NotSaid => no_game_known(),
            Self::Missing(missing, count) => {
                let who = match submissions {
                    1 => "judge.toml names".to_owned(),
                    all => format!("{count} of {all} submissions name, in judge.toml,"),
                };
                let why = format!("{who} the game {}", missing.why());
                let slug = missing.slug;
                match (&missing.reason, missing.meant()) {
                    (Reason::Nowhere, Some(_)) => {
                        JudgeError::input(format!("{why}; correct it there"))
                    }
                    (Reason::Nowhere, None) => game_or_own_unknown(
                        &format!(
                            "{why}; if it is a game of your own, go to the folder around it, or name its file or folder"
                        ),
                        vec!["PATH".to_owned()],
                    ),
                    (Reason::Submitted, _) => game_unknown(
                        &format!("{why}; if you trust its rules, name it"),
                        &[format!("./{slug}")],
                    ),
                }
            }
            Self::Several(slugs) => game_unknown(
                &format!(
                    "some submissions are for {} and others for {}; give only the submissions of one game, or name the game",
                    slugs[0], slugs[1]
                ),
                slugs,
            ),
        }
    }
}

fn folder_of_classes(places: &[PathBuf]) -> Option<JudgeError> {
    let [place] = places else {
        return None;
    };
    let classes: Vec<String> = intake::classes_in(place)
        .iter()
        .map(|class| path_for_shell(class))
        .collect();
    (classes.len() > 1).then(|| {
        JudgeError::input(format!(
            "{} holds folders with several submissions each; give one of them ({}), or name the game with --game if \
             each folder is one submission",
            path_for_shell(place),
            listed(&classes)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use intake::{Expected, Opened, Opening};
    use std::fs;
    use std::sync::atomic::AtomicBool;

    /// Returns a class whose members name these games in their `judge.toml`; an empty name is none.
    fn class(games: &[&str]) -> Vec<Submission> {
        let folder = tempfile::tempdir().expect("a folder");
        for (number, game) in games.iter().enumerate() {
            let own = folder.path().join(number.to_string());
            fs::create_dir(&own).expect("writable");
            let game = if game.is_empty() {
                String::new()
            } else {
                format!("game = \"{game}\"\n")
            };
            fs::write(own.join("judge.toml"), game + "run = \"true\"\n").expect("writable");
        }
        let stop = AtomicBool::new(false);
        let opening = Opening::new(Expected::Class, None, &stop);
        match intake::open(folder.path(), opening).expect("readable") {
            Opened::One(one) => vec![*one],
            Opened::Class(class) => class.submissions,
        }
    }

    #[test]
    fn one_bots_mistake_neither_decides_nor_hides_game() {
        let unknown = "3 of 4 submissions name, in judge.toml, the game chess, which is neither";
        let mixed = "some submissions are for reversi and others for connect-four";
        for (games, expected) in [
            (&["reversi", "reversi", "", "chess"][..], Ok("reversi")),
            (&["reversi", ""], Ok("reversi")),
            // Most have a game of their own, which is not here.
            (&["reversi", "chess", "chess", "chess"], Err(unknown)),
            (&["reversi", "chess", "", ""], Ok("reversi")),
            (&["chess", "", ""], Err("cannot tell which game")),
            (&["reversi", "reversi", "connect-four"], Err(mixed)),
            (&["", ""], Err("cannot tell which game")),
        ] {
            let found = only_game_of(&class(games), &[]);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.info().slug, expected),
                (Err(error), Err(words)) => {
                    let error = error.to_string();
                    assert!(error.contains(words), "{games:?}: {error}");
                }
                (found, expected) => panic!("{games:?}: {found:?} instead of {expected:?}"),
            }
        }
    }
}
