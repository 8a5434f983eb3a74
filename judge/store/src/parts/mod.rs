//! Parts of a run in separate files, which the same program can play anywhere. They have fixtures,
//! programs and conditions. The secret that all seeds come from is not there. A file has header
//! lines, a line for each game, zips of programs, and a SHA-256.

mod programs;
#[cfg(test)]
mod tests;

pub use programs::Programs;

use crate::{Keys, part_games};
use engines::Lifetime;
use model::FORMAT;
use model::artifact::{Artifact, READ};
use model::draw::{Secret, hash, hexadecimal};
use model::fixture::{Conditions, Fixture};
use model::text::readable;
use programs::{ProgramCache, ProgramFolder};
use rulebook::{JudgeError, Result, refuse};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{read_bounded, write_whole};

/// Groups the games that must be played on one machine, in the order of play. These are the same
/// entrants' games on one initial state. If a process lives for a match, they are those on all.
pub fn groups<'a>(
    fixtures: impl Iterator<Item = &'a Fixture>,
    lifetime: Lifetime,
) -> Vec<Vec<&'a Fixture>> {
    let mut groups: Vec<Vec<&Fixture>> = Vec::new();
    let mut places = HashMap::new();
    for fixture in fixtures {
        let state = match lifetime {
            Lifetime::Turn | Lifetime::Game => Some(fixture.state),
            Lifetime::Match => None,
        };
        let place = *places
            .entry((state, fixture.match_key()))
            .or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(fixture);
    }
    groups
}

/// Cuts groups into at most `parts` slices of nearly the same cost, in order.
pub fn slices<'a>(
    groups: Vec<Vec<&'a Fixture>>,
    parts: usize,
    cost: &dyn Fn(&Fixture) -> f64,
) -> Vec<Vec<&'a Fixture>> {
    let cost_of = |group: &Vec<&Fixture>| group.iter().map(|game| cost(game)).sum::<f64>();
    let all: f64 = groups.iter().map(cost_of).sum();
    let mut slices: Vec<Vec<&Fixture>> = vec![Vec::new(); parts];
    let mut before = 0.0;
    for group in groups {
        let own = cost_of(&group);
        // The slice that contains the group's middle.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a small count"
        )]
        let place = ((before + own / 2.0) * parts as f64 / all) as usize;
        before += own;
        slices[place.min(parts - 1)].extend(group);
    }
    slices.retain(|slice| !slice.is_empty());
    slices
}

/// Start of a part file; [`model::FORMAT`] follows, and the version and build of the program.
const MAGIC: &str = "judge part ";

const SUM_DIGITS: usize = 64;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    id: String,
    /// The key that signs its journal; it follows from the run's key and `id`.
    key: Secret,
    content: Content,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    rules: u32,
    run: String,
    number: usize,
    of: usize,
    games: usize,
    conditions: Conditions,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    toolchains: BTreeMap<String, String>,
    artifacts: Vec<Artifact>,
    folders: Vec<ProgramFolder>,
    programs: Programs,
}

/// The machine that plays a part must not open to programs what its author chooses.
fn refuse_read(toolchains: &BTreeMap<String, String>) -> Result {
    if toolchains.contains_key(READ) {
        return refuse(
            "[toolchains] read opens files of one machine, so its games cannot be played in parts; remove the key, \
             or play the games on this machine",
        );
    }
    Ok(())
}

fn rules_version(conditions: &Conditions) -> Result<u32> {
    Ok(rulebook::rules::of(conditions)?.info().rules_version)
}

fn id(content: &Content, games: &[u8]) -> String {
    let content = serde_json::to_vec(content).expect("plain data");
    hash(&[b"part", &content, games])
}

/// Maximum length of a part, which is held in memory, in bytes: programs take up to 4 GiB.
const PART_BYTES_MAX: u64 = 8 << 30;

/// A part of a run.
#[derive(Debug)]
pub struct Part {
    judge: String,
    header: Header,
    /// The games, in the order of play.
    pub fixtures: Vec<Fixture>,
    packed: Vec<u8>,
}

impl Part {
    /// Reads a part.
    pub fn read(path: &Path) -> Result<Self> {
        let file = read_bounded(path, PART_BYTES_MAX).map_err(|e| match e.kind() {
            ErrorKind::NotFound => JudgeError::input(format!(
                "there is no file {}; give a part that judge split wrote",
                path.display()
            )),
            ErrorKind::FileTooLarge => JudgeError::input(format!(
                "{} cannot be played: {e}; give a part that judge split wrote",
                path.display()
            )),
            _ if path.is_dir() => JudgeError::input(format!(
                "{} is a folder; give one part that judge split wrote, such as part-1-of-2.part",
                path.display(),
            )),
            _ => JudgeError::io("read", path, e),
        })?;
        let part = of_bytes(&file).map_err(|reason| {
            JudgeError::input(format!("{} cannot be played: {reason}", path.display()))
        })?;
        let content = &part.header.content;
        refuse_read(&content.toolchains)?;
        // The program of a game of somebody's own comes with the part.
        let own = match content.conditions.rules_program() {
            Some(_) => content.rules,
            None => rules_version(&content.conditions)?,
        };
        if content.rules != own {
            return refuse(format!(
                "{} cannot be played: it was made by judge {} with rules of version {}, and this judge has version \
                 {own}; play it with the judge that split the run",
                path.display(),
                part.judge,
                content.rules
            ));
        }
        Ok(part)
    }

    /// Returns the id, by which the run recognizes the part's journal.
    pub fn id(&self) -> &str {
        &self.header.id
    }

    /// Returns the number of the part, from 1, and the number of parts.
    pub const fn number(&self) -> (usize, usize) {
        (self.header.content.number, self.header.content.of)
    }

    /// Returns the conditions of its games.
    pub const fn conditions(&self) -> &Conditions {
        &self.header.content.conditions
    }

    /// Returns the folders of interpreters on the machine that began the run, by program.
    pub const fn toolchains(&self) -> &BTreeMap<String, String> {
        &self.header.content.toolchains
    }

    /// Returns the key that signs its journal.
    pub const fn key(&self) -> &Secret {
        &self.header.key
    }

    /// Returns the folder of the run, if the programs are used from there.
    pub fn shared_run(&self) -> Option<&PathBuf> {
        match &self.header.content.programs {
            Programs::Shared(run) => Some(run),
            Programs::Packed => None,
        }
    }

    /// Unpacks the programs below a folder, checks them, and returns the entrants' artifacts there.
    pub fn lay_out(&self, folder: &Path) -> Result<Vec<Artifact>> {
        let Content {
            artifacts,
            folders,
            programs,
            ..
        } = &self.header.content;
        programs::lay_out(programs, &self.packed, folders, folder)?;
        let attached = artifacts.iter().map(|it| programs::attached(it, folder));
        attached.collect()
    }
}

const NO_PART: &str = "it is not a part file of judge split";
const CHANGED: &str = "it was changed after judge split wrote it, or is incomplete; copy it again";

fn of_bytes(file: &[u8]) -> Result<Part, String> {
    let rest = file.strip_prefix(MAGIC.as_bytes()).ok_or(NO_PART)?;
    let (made, rest) = line(rest).ok_or(NO_PART)?;
    let made = str::from_utf8(made).map_err(|_| NO_PART)?;
    let (format, judge) = made
        .split_once(' ')
        .unwrap_or((made, "of an earlier version"));
    let judge = readable(judge);
    if format != FORMAT.to_string() {
        return Err(format!(
            "it was written by judge {judge} in format {}, and this judge has format {FORMAT}; play it with that version",
            readable(format)
        ));
    }
    let at = file.len().checked_sub(SUM_DIGITS).ok_or(CHANGED)?;
    let (whole, sum) = file.split_at(at);
    if hexadecimal(&Sha256::digest(whole)).as_bytes() != sum {
        return Err(CHANGED.to_owned());
    }
    let strange = |error: serde_json::Error| format!("its content cannot be understood ({error})");
    let rest = &rest[..rest.len() - SUM_DIGITS];
    let (head, rest) = line(rest).ok_or(CHANGED)?;
    let header: Header = serde_json::from_slice(head).map_err(strange)?;
    let (mut fixtures, mut packed) = (Vec::new(), rest);
    for _ in 0..header.content.games {
        let (fixture, after) = line(packed).ok_or(CHANGED)?;
        fixtures.push(serde_json::from_slice(fixture).map_err(strange)?);
        packed = after;
    }
    let games = &rest[..rest.len() - packed.len()];
    if id(&header.content, games) != header.id {
        return Err(CHANGED.to_owned());
    }
    let content = &header.content;
    programs::check(&content.artifacts, &content.folders, &content.programs)?;
    Ok(Part {
        judge,
        fixtures,
        packed: packed.to_vec(),
        header,
    })
}

fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

/// The common data of all parts of a run.
#[derive(Clone, Debug)]
pub struct PartPlan<'a> {
    /// The version and build of the program that splits the run.
    pub build: &'a str,
    /// The run's folder, which records the games of each part.
    pub run: &'a Path,
    /// The keys of the run.
    pub keys: &'a Keys,
    /// The conditions of the run.
    pub conditions: &'a Conditions,
    /// The entrants' artifacts; each part takes those that it needs.
    pub artifacts: &'a [Artifact],
    /// The folders of interpreters that the competition names, by program.
    pub toolchains: &'a BTreeMap<String, String>,
    /// The place where the parts find their programs.
    pub programs: Programs,
}

impl PartPlan<'_> {
    /// Writes parts, each to the path of its number, from 1. Returns their ids.
    pub fn write(
        &self,
        parts: &[Vec<&Fixture>],
        path: &dyn Fn(usize) -> PathBuf,
    ) -> Result<Vec<String>> {
        let mut cache = ProgramCache::default();
        (1..)
            .zip(parts)
            .map(|(number, part)| {
                self.write_part(&path(number), (number, parts.len()), part, &mut cache)
            })
            .collect()
    }

    fn write_part(
        &self,
        path: &Path,
        (number, of): (usize, usize),
        fixtures: &[&Fixture],
        cache: &mut ProgramCache,
    ) -> Result<String> {
        refuse_read(self.toolchains)?;
        let seats = fixtures.iter().flat_map(|fixture| &*fixture.seats);
        let game = self.conditions.rules_program();
        let needed: HashSet<&str> = seats.map(|seat| &*seat.artifact).chain(game).collect();
        let own = (self.artifacts.iter()).filter(|one| needed.contains(&*one.hash));
        let (mut artifacts, mut zips) = (Vec::new(), Vec::new());
        let mut folders: Vec<ProgramFolder> = Vec::new();
        for artifact in own {
            let (folder, zip) = cache.folder(artifact.directory.as_ref(), &self.programs)?;
            if folders.iter().all(|known| known.name != folder.name) {
                folders.push(folder.clone());
                zips.extend_from_slice(zip);
            }
            artifacts.push(programs::detached(artifact, folder)?);
        }
        let content = Content {
            rules: rules_version(self.conditions)?,
            run: self.keys.fingerprint(),
            number,
            of,
            games: fixtures.len(),
            conditions: self.conditions.clone(),
            toolchains: self.toolchains.clone(),
            artifacts,
            folders,
            programs: self.programs.clone(),
        };
        let mut games = Vec::new();
        for fixture in fixtures {
            serde_json::to_writer(&mut games, fixture).expect("in memory");
            games.push(b'\n');
        }
        let id = id(&content, &games);
        let ids = fixtures.iter().map(|fixture| fixture.id);
        part_games::write_part_games(self.run, self.keys, &id, ids)?;
        let header = Header {
            key: self.keys.part_key(&id),
            id: id.clone(),
            content,
        };
        let mut file = format!("{MAGIC}{FORMAT} {}\n", self.build).into_bytes();
        serde_json::to_writer(&mut file, &header).expect("in memory");
        file.push(b'\n');
        file.extend(games);
        file.extend(zips);
        let sum = hexadecimal(&Sha256::digest(&file));
        file.extend(sum.as_bytes());
        write_whole(path, &file)?;
        Ok(id)
    }
}
