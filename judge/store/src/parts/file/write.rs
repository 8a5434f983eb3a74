//! Writes the parts of a run.

use super::{Content, Header, MAGIC, id};
use crate::parts::programs::{ProgramCache, Programs};
use crate::{Keys, part_games};
use model::FORMAT;
use model::artifact::Artifact;
use model::fixture::{Conditions, Fixture};
use model::hash::hexadecimal;
use rulebook::JudgeError;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use system::files::write_whole;

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
    /// Returns a writer of parts.
    pub fn writer(&self) -> PartWriter<'_> {
        PartWriter {
            plan: self,
            cache: ProgramCache::default(),
        }
    }

    /// Writes one part. For several parts, [`PartWriter::write`] is faster.
    ///
    /// # Errors
    /// As [`PartWriter::write`].
    pub fn write(
        &self,
        path: &Path,
        number: (usize, usize),
        fixtures: &[&Fixture],
    ) -> Result<String, JudgeError> {
        self.writer().write(path, number, fixtures)
    }
}

/// A writer of a run's parts.
#[derive(Debug)]
pub struct PartWriter<'a> {
    plan: &'a PartPlan<'a>,
    cache: ProgramCache,
}

impl PartWriter<'_> {
    /// Writes a part, with its number, from 1, and the number of parts; returns its id.
    ///
    /// # Errors
    /// When a program cannot be read, or the file cannot be written.
    pub fn write(
        &mut self,
        path: &Path,
        (number, of): (usize, usize),
        fixtures: &[&Fixture],
    ) -> Result<String, JudgeError> {
        let plan = self.plan;
        let seats = fixtures.iter().flat_map(|fixture| &*fixture.seats);
        let game = plan.conditions.rules_program();
        let needed: HashSet<&str> = seats.map(|seat| &*seat.artifact).chain(game).collect();
        let own: Vec<&Artifact> = plan
            .artifacts
            .iter()
            .filter(|one| needed.contains(&*one.hash))
            .collect();
        let detached = self.cache.detached(&own, &plan.programs)?;
        let content = Content {
            rules: rulebook::rules::of(plan.conditions)?.info().rules_version,
            run: plan.keys.fingerprint(),
            number,
            of,
            games: fixtures.len(),
            conditions: plan.conditions.clone(),
            toolchains: plan.toolchains.clone(),
            artifacts: detached.artifacts,
            folders: detached.folders,
            programs: plan.programs.clone(),
        };
        content.refuse_read()?;
        let mut games = Vec::new();
        for fixture in fixtures {
            serde_json::to_writer(&mut games, fixture).expect("in memory");
            games.push(b'\n');
        }
        let id = id(&content, &games);
        let ids = fixtures.iter().map(|fixture| fixture.id);
        part_games::note(plan.run, plan.keys, &id, ids)?;
        let header = Header {
            key: plan.keys.part_key(&id),
            id: id.clone(),
            content,
        };
        let mut file = format!("{MAGIC}{FORMAT} {}\n", plan.build).into_bytes();
        serde_json::to_writer(&mut file, &header).expect("in memory");
        file.push(b'\n');
        file.extend(games);
        file.extend(detached.zips);
        let sum = hexadecimal(&Sha256::digest(&file));
        file.extend(sum.as_bytes());
        write_whole(path, &file)?;
        Ok(id)
    }
}
