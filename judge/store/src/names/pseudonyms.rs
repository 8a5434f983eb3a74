//! Pseudonyms: a colour and an animal for every entrant, drawn at random and kept with the run.

use super::PublicNames;
use crate::manifest::{DrawSource, EntrantLine, Manifest};
use model::builtin::is_builtin;
use model::competition::NameRule;
use model::text::{escape_cell, skeleton, unescape_cell};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use system::files::{if_there, random, write_whole};

/// The file's name in the staff's folder of a run.
pub const FILE_NAME: &str = "pseudonyms.csv";

const COLOURS: &str = "\
    Amber Azure Beige Black Blue Bronze Brown Copper Coral Cream Crimson Cyan Emerald Golden \
    Green Indigo Ivory Jade Lilac Magenta Maroon Olive Orange Pink Purple Ruby Scarlet Silver \
    Teal Turquoise Violet White";

const ANIMALS: &str = "\
    Albatross Alpaca Antelope Badger Bat Bear Beaver Beetle Bison Butterfly Camel Cheetah Cobra \
    Cormorant Crane Cricket Deer Dolphin Donkey Dragonfly Eagle Falcon Ferret Flamingo Fox \
    Gazelle Gecko Giraffe Hare Hawk Hedgehog Heron Ibex Jackal Jaguar Kingfisher Koala Lemur \
    Leopard Lynx Magpie Marten Mole Moose Narwhal Newt Octopus Otter Owl Panda Pelican Penguin \
    Puffin Raven Salmon Seal Squirrel Stork Swan Tapir Tiger Walrus Wolf Zebra";

const DRAWS_MAX: usize = 1000;

/// The pseudonyms of a run's entrants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pseudonyms {
    by_entrant: BTreeMap<String, String>,
}

impl Pseudonyms {
    /// Reads a run's pseudonyms, and draws missing ones into the staff's folder, which must exist.
    pub fn of_run<'a>(staff: &Path, entrants: impl Iterator<Item = &'a str>) -> Result<Self> {
        let path = staff.join(FILE_NAME);
        let mut all = Self::read(&path)?;
        let before = all.by_entrant.len();
        all.complete(entrants, random()?);
        if all.by_entrant.len() > before {
            all.write(&path)?;
        }
        Ok(all)
    }

    /// Returns an entrant's pseudonym. Panics if it has none.
    pub fn of(&self, entrant: &str) -> &str {
        self.by_entrant
            .get(entrant)
            .expect("everybody in a run has one")
    }

    /// Returns whether an entrant has this pseudonym, ignoring case.
    pub fn has(&self, pseudonym: &str) -> bool {
        let mut all = self.by_entrant.values();
        let skeleton_of = |name: &str| skeleton(&name.to_lowercase());
        let alike = skeleton_of(pseudonym);
        all.any(|own| skeleton_of(own) == alike)
    }

    /// Draws pseudonyms for entrants without one. None is another's pseudonym or name.
    pub fn complete<'a>(&mut self, entrants: impl Iterator<Item = &'a str>, secret: [u8; 32]) {
        let entrants: Vec<&str> = entrants.collect();
        let names = entrants.iter().map(|name| name.to_lowercase());
        let own = self.by_entrant.values().map(|name| name.to_lowercase());
        let mut taken: HashSet<String> = names.chain(own).collect();
        let mut rng = ChaCha8Rng::from_seed(secret);
        let [colours, animals] = [COLOURS, ANIMALS].map(|all| all.split(' ').collect::<Vec<_>>());
        for entrant in entrants {
            if self.by_entrant.contains_key(entrant) {
                continue;
            }
            let mut draws = 0..;
            let pseudonym = loop {
                let colour = colours.choose(&mut rng).expect("there are some");
                let animal = animals.choose(&mut rng).expect("there are some");
                let name = match draws.next().expect("endless") {
                    n if n < DRAWS_MAX => format!("{colour} {animal}"),
                    n => format!("{colour} {animal} {n}"),
                };
                if taken.insert(name.to_lowercase()) {
                    break name;
                }
            };
            self.by_entrant.insert(entrant.to_owned(), pseudonym);
        }
    }

    /// Staff may have edited the file, also in a spreadsheet.
    fn read(path: &Path) -> Result<Self> {
        let text = if_there(fs::read_to_string(path))
            .or_io("read", path)?
            .unwrap_or_default();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let unescaped = |(entrant, own): (String, String)| {
            (unescape_cell(&entrant).into(), unescape_cell(&own).into())
        };
        let rows = reader.deserialize().map(|row| row.map(unescaped));
        let by_entrant = rows.collect::<Result<_, _>>().map_err(|error| {
            JudgeError::input(format!(
                "cannot read {} ({error}); fix it, or remove it to draw new pseudonyms",
                path.display()
            ))
        })?;
        Ok(Self { by_entrant })
    }

    fn write(&self, path: &Path) -> Result {
        let mut sheet = ::csv::Writer::from_writer(Vec::new());
        let heads = ["entrant".to_owned(), "pseudonym".to_owned()];
        let cells = |(entrant, own): (&String, &String)| [escape_cell(entrant), escape_cell(own)];
        let rows = self.by_entrant.iter().map(cells);
        for row in [heads].into_iter().chain(rows) {
            sheet.write_record(row).expect("rows in memory");
        }
        write_whole(path, &sheet.into_inner().expect("rows in memory"))
    }
}

/// Returns the warning for staff where the names of a run can be guessed.
pub fn guess_warning(manifest: &Manifest) -> Option<String> {
    let hides = |line: &EntrantLine| match manifest.competition.names {
        _ if is_builtin(&line.name) => false,
        _ if line.anonymous => true,
        Some(NameRule::Nickname) => true,
        Some(NameRule::Roster | NameRule::Real) => false,
        None => line.platform_named,
    };
    let people = manifest
        .entrants
        .iter()
        .filter(|line| !is_builtin(&line.name))
        .count();
    // Alone, nobody hides.
    if !can_be_guessed(manifest) || people < 2 || !manifest.entrants.iter().any(hides) {
        return None;
    }
    Some(format!(
        "the seed is public, so nicknames and pseudonyms hide nobody: {HOW}. Nicknames that are known from this run \
         are known wherever they are used again, so ask for new ones before a final; {INSTEAD}"
    ))
}

/// Refuses to show names that hide somebody and can be guessed.
pub fn refuse_guessable(manifest: &Manifest, names: &PublicNames) -> Result {
    if !can_be_guessed(manifest) || !names.has_hidden() {
        return Ok(());
    }
    refuse(format!(
        "the seed is public, and this view hides names behind nicknames or pseudonyms: {HOW}; {INSTEAD}"
    ))
}

const HOW: &str = "with a list of the class, anybody can draw the same games, and who meets whom in which group tells who is behind which name";
const INSTEAD: &str = "play without a seed in a new folder, or confirm with guessable = true under [names] in the competition's file and rerun judge run";

fn can_be_guessed(manifest: &Manifest) -> bool {
    matches!(manifest.draw.source, DrawSource::Seed(_)) && !manifest.competition.guessable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_keeps_one_distinct_pseudonym() {
        let staff = tempfile::tempdir().expect("a temporary folder");
        let names: Vec<String> = (0..3000).map(|number| format!("bot {number}")).collect();
        let few = names[..5].iter().map(String::as_str);
        let first = Pseudonyms::of_run(staff.path(), few).expect("readable");
        let all = names.iter().map(String::as_str);
        let second = Pseudonyms::of_run(staff.path(), all).expect("readable");
        for name in &names[..5] {
            assert_eq!(first.of(name), second.of(name));
        }
        let distinct: HashSet<&String> = second.by_entrant.values().collect();
        assert_eq!(distinct.len(), names.len());
        assert_eq!(first.of("bot 0").split(' ').count(), 2);
    }

    #[test]
    fn they_do_not_follow_from_the_names() {
        let draw = |secret| {
            let mut drawn = Pseudonyms::default();
            drawn.complete(["ann", "bob", "cid"].into_iter(), secret);
            drawn
        };
        assert_eq!(draw([1; 32]), draw([1; 32]));
        assert_ne!(draw([1; 32]), draw([2; 32]));
    }

    #[test]
    fn formulas_are_kept_and_no_spreadsheet_calculates_them() {
        let staff = tempfile::tempdir().expect("a temporary folder");
        let path = staff.path().join("kept.csv");
        let rows = [("=1", "@x"), ("ann", "+1"), ("'=2", "Zoe")];
        let rows = rows.map(|(entrant, own)| (entrant.to_owned(), own.to_owned()));
        let by_entrant = rows.into();
        let kept = Pseudonyms { by_entrant };
        kept.write(&path).expect("writable");
        let text = fs::read_to_string(&path).expect("there");
        assert_eq!(text, "entrant,pseudonym\n''=2,Zoe\n'=1,'@x\nann,'+1\n");
        assert_eq!(Pseudonyms::read(&path).expect("readable"), kept);
    }
}
