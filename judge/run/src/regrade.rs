//! Replay of games of a run after a correction, in a folder of their own.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use crate::collected::{Collected, ReceiptSources, list_rules};
use crate::commands::{path_for_shell, shown};
use crate::event::Sink;
use crate::location::target_of;
use crate::past_run::PastRun;
use crate::programs::named_by_run;
use crate::scheduled::Scheduled;
use crate::spec::{MachineUse, RunKind, RunSpec, named_competition};
use intake::{Class, KeptSubmissions, Submission, people};
use model::builtin::is_builtin;
use model::competition::Competition;
use model::draw::hash;
use model::entrant::{Blame, Entrant, Roster};
use model::entrants_folder::part_of_name;
use model::lateness::Deadlines;
use model::numbers::counted;
use report::exports::people_of_run;
use report::results;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, Result, refuse};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use store::manifest::{Manifest, Regrade};
use store::{Games, Journal, Keys};
use system::cleanup::TemporaryFolder;
use system::files::{copy_tree, make_folder, make_private_folder, parent_of, sync_tree};
use system::foreign::ForeignFolder;
use system::run_folder::{self, ARTIFACTS, STAFF, VERSIONS};

/// A correction of a run, as plain data. The run itself is only read.
#[derive(Clone, Debug)]
pub struct RegradeSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// The run's folder.
    pub run: PathBuf,
    /// The entrant whose games are played again.
    pub entrant: String,
    /// The submission that plays in its place, as if received when that version was.
    pub submission: Option<PathBuf>,
    /// An earlier version that plays.
    pub version: Option<usize>,
    /// The corrected competition: a built-in one by its name, or a TOML file.
    pub competition: Option<String>,
    /// The corrected roster.
    pub roster: Option<PathBuf>,
    /// The folder of the new run; by default one next to the run, named after the correction.
    pub out: Option<PathBuf>,
    /// How this machine plays; the run decides whether workers are pinned.
    pub machine: MachineUse,
    /// Whether games count although this machine is not like those of the other games.
    pub mixed: bool,
}

struct Corrected<'a> {
    past: &'a PastRun,
    games: Games,
    entrant: &'a str,
    collected: Collected,
}

impl RegradeSpec {
    /// Enters all entrants again. The new run keeps keys, programs, versions and unaffected games.
    pub fn schedule(&self, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result<Scheduled> {
        let past = PastRun::open(&self.run)?;
        let entrant = past.find_entrant(&self.entrant)?;
        let mut corrected = self.corrected(&past, entrant, sink, stop)?;
        let table = past.as_played(&corrected.games).table()?;
        let scoring = &past.manifest.competition.scoring;
        let before = results(scoring, &past.manifest.entrants, &table);
        let folder = self.folder(&corrected)?;
        if is_new(&folder, &corrected)? {
            let is_correction =
                self.plays_another() || self.competition.is_some() || self.roster.is_some();
            corrected.begin(&folder, is_correction, sink)?;
        }
        corrected.collected.spec.out = Some(folder.clone());
        let mut scheduled = corrected
            .collected
            .build(sink, stop)
            .and_then(|built| built.schedule(sink))
            .and_then(|run| self.plays_correction(entrant, &run.entrants).map(|()| run))
            .inspect_err(|_| remove_unused(&folder))?;
        scheduled.manifest.regrade = Some(Regrade {
            run: shown(&past.folder),
            entrant: entrant.to_owned(),
            before,
        });
        Ok(scheduled)
    }

    fn spec(&self, past: &PastRun) -> RunSpec {
        let names = past.manifest.entrants.iter().map(|line| &line.name);
        // The new rules name their own opponents.
        let builtins =
            names.filter(|name| is_builtin(name) && !past.manifest.competition.is_opponent(name));
        let machine = past.manifest.machine.as_ref();
        RunSpec {
            build: self.build,
            kind: RunKind::FromPast,
            places: vec![past.folder.clone()],
            builtins: builtins.cloned().collect(),
            machine: MachineUse {
                pins: machine.is_none_or(|machine| machine.pinned),
                ..self.machine.clone()
            },
            mixed: self.mixed,
            on_shown_draw: true,
            closed: self.submission.iter().cloned().collect(),
            ..RunSpec::default()
        }
    }

    const fn plays_another(&self) -> bool {
        self.submission.is_some() || self.version.is_some()
    }

    fn plays_correction(&self, name: &str, entrants: &[Entrant]) -> Result {
        let mut entrants = entrants.iter().filter(|_| self.plays_another());
        let entrant = entrants.find(|one| one.name == name);
        let Some(broken) = entrant.and_then(Entrant::broken_newest) else {
            return Ok(());
        };
        let what = match &self.submission {
            Some(path) => path.display().to_string(),
            None => format!("version {}", self.version.unwrap_or_default()),
        };
        refuse(format!(
            "{what} cannot play for {name}: {broken}; correct it (judge check shows what is wrong) and rerun the command"
        ))
    }

    fn corrected<'a>(
        &self,
        past: &'a PastRun,
        entrant: &'a str,
        sink: &dyn Sink,
        stop: &AtomicBool,
    ) -> Result<Corrected<'a>> {
        let games = past.whole_games(sink)?;
        let ids = games.listed();
        let missing = ids.iter().filter(|id| !games.contains(**id)).count();
        if missing > 0 {
            return refuse(format!(
                "{} is not finished ({missing} of {} are missing); rerun the same judge run command first",
                shown(&past.folder),
                counted(ids.len(), "game")
            ));
        }
        let old = &past.manifest.competition;
        let rules = rulebook::rules::of(&old.conditions)?;
        let loaded = match &self.competition {
            Some(name) => {
                let mut new = named_competition(name)?;
                let (charged, before) = (&mut new.competition.conditions, &old.conditions);
                if charged.rules_program() == before.rules_program() {
                    charged.keep_game(before);
                }
                refuse_other_draw(old, &new.competition, name)?;
                new
            }
            None => Loaded {
                competition: old.clone(),
                toolchains: named_by_run(&past.manifest),
                ..Loaded::standard(Arc::clone(&rules))
            },
        };
        let submissions = self.submissions(past, entrant, &rules, stop)?;
        let roster = match &self.roster {
            Some(path) => {
                let rules = list_rules(&loaded, SystemTime::now())?;
                Some(people::read(path, &rules, &submissions)?.roster)
            }
            None => roster_of_run(past)?,
        };
        Ok(Corrected {
            past,
            games,
            entrant,
            collected: Collected {
                spec: self.spec(past),
                loaded,
                class: Class {
                    submissions,
                    ..Class::default()
                },
                roster,
                sources: ReceiptSources {
                    judges_clock_counts: true,
                    ..ReceiptSources::default()
                },
                received: SystemTime::now(),
            },
        })
    }

    fn submissions(
        &self,
        past: &PastRun,
        entrant: &str,
        rules: &Arc<dyn Rules>,
        stop: &AtomicBool,
    ) -> Result<Vec<Submission>> {
        intake::limit(past.manifest.competition.submissions);
        let kept = KeptSubmissions::of_run(&past.folder);
        let roster = roster_of_run(past)?;
        let deadlines = Deadlines::new(&past.manifest.competition, roster.as_ref());
        let mut all = Vec::new();
        for line in &past.manifest.entrants {
            let is_corrected = line.name == entrant && self.plays_another();
            let is_withdrawn = line.blame == Some(Blame::Withdrawn) && !is_corrected;
            if is_withdrawn || is_builtin(&line.name) {
                continue;
            }
            let mut submission = if is_corrected {
                let (mut other, version) = match &self.submission {
                    Some(path) => (
                        open_correction(path, &line.name, rules, stop)?,
                        line.version,
                    ),
                    None => (kept.take(&line.name, self.version, &**rules)?, self.version),
                };
                other.name.clone_from(&line.name);
                other.record = Some(kept.stands_in(&line.name, version, &deadlines)?);
                other
            } else if line.version.is_some() {
                kept.take(&line.name, None, &**rules)?
            } else {
                let reason = line.broken.as_deref().unwrap_or_default();
                let blame = line.blame.unwrap_or(Blame::Submission);
                Submission::refused(line.name.clone(), reason, blame)
            };
            if line.platform_named {
                submission.mark.get_or_insert_default();
            }
            all.push(submission);
        }
        if is_builtin(entrant) && self.plays_another() {
            return refuse(format!(
                "{entrant} is a built-in bot, which has no versions; name an entrant who submitted something"
            ));
        }
        Ok(all)
    }

    /// The same command continues the folder, and another one does not touch it.
    fn folder(&self, corrected: &Corrected<'_>) -> Result<PathBuf> {
        if let Some(out) = &self.out {
            if target_of(out).is_ok_and(|target| target.starts_with(&corrected.past.folder)) {
                return refuse(format!(
                    "--out {} is the run itself, or in it; choose a folder beside it",
                    out.display()
                ));
            }
            return Ok(out.clone());
        }
        let PastRun {
            folder: run,
            manifest,
            ..
        } = corrected.past;
        let name = run.file_name().unwrap_or_default().to_string_lossy();
        let first = match manifest.regrade {
            None => &*name,
            Some(_) => name.split(BETWEEN).next().unwrap_or(&name),
        };
        let (stem, id) = (part_of_name(corrected.entrant), corrected.id(self.version));
        Ok(run.with_file_name(format!("{first}{BETWEEN}{stem}-{id}")))
    }
}

/// Returns whether a folder is missing or empty. Otherwise it contains this correction of the run.
fn is_new(folder: &Path, corrected: &Corrected<'_>) -> Result<bool> {
    let names = ForeignFolder::open(folder).and_then(|it| it.names());
    if !folder.exists() || names.is_ok_and(|mut names| names.next().is_none()) {
        return Ok(true);
    }
    let past = corrected.past;
    let has_keys =
        Keys::find(folder)?.is_some_and(|keys| keys.fingerprint() == past.keys.fingerprint());
    // There is no manifest before all entrants are built.
    let manifest = Manifest::read(folder)?;
    let is_of_entrant = manifest.is_none_or(|manifest| {
        let regrade = manifest.regrade;
        regrade.is_some_and(|regrade| regrade.entrant == corrected.entrant)
    });
    if has_keys && is_of_entrant {
        return Ok(false);
    }
    refuse(format!(
        "{} holds something other than a regrade of {} in {}; choose another folder with --out",
        shown(folder),
        corrected.entrant,
        shown(&past.folder)
    ))
}

/// Separates the names of the first run and of the corrected entrant.
const BETWEEN: &str = "-regrade-";
const ID_DIGITS: usize = 8;

impl Corrected<'_> {
    fn id(&self, version: Option<usize>) -> String {
        let Collected {
            loaded,
            roster,
            class,
            ..
        } = &self.collected;
        let version = version.unwrap_or_default().to_string();
        let texts = [json(&loaded.competition), json(roster), version];
        let mut parts = texts.each_ref().map(String::as_bytes).to_vec();
        let own = class
            .submissions
            .iter()
            .filter(|one| one.name == self.entrant);
        for file in own.flat_map(|one| &one.files) {
            parts.extend([file.path.as_bytes(), &file.bytes]);
        }
        if self.past.manifest.regrade.is_some() {
            // The same correction of the first run has another folder.
            let run = self.past.folder.file_name().unwrap_or_default();
            parts.push(run.as_encoded_bytes());
        }
        let mut id = hash(&parts);
        id.truncate(ID_DIGITS);
        id
    }

    /// It gets its name when it is complete.
    fn begin(&self, folder: &Path, is_correction: bool, sink: &dyn Sink) -> Result {
        let parent = parent_of(folder);
        make_folder(parent)?;
        let failed = |e| JudgeError::io("write", folder, e);
        let fresh = TemporaryFolder::new_in(parent, ".new-", 0o755).map_err(failed)?;
        let new = fresh.path();
        let staff = new.join(STAFF);
        make_private_folder(&staff)?;
        for name in [store::keys::FILE_NAME, store::names::PSEUDONYMS_NAME] {
            let from = self.past.folder.join(STAFF).join(name);
            if from.exists() {
                fs::copy(&from, staff.join(name)).map_err(failed)?;
            }
        }
        for name in [ARTIFACTS, VERSIONS] {
            let from = self.past.folder.join(name);
            if from.exists() {
                copy_tree(&from, &new.join(name)).map_err(failed)?;
            }
        }
        let kept = self.keep_games(new, is_correction, sink)?;
        let of = shown(&self.past.folder);
        if kept == self.games.listed().len() {
            sink.line(&format!(
                "keeping the games of {of}, except those that the correction changes"
            ));
        } else if kept > 0 {
            let games = counted(kept, "game");
            sink.line(&format!("keeping {games} of {of} without {}", self.entrant));
        }
        sync_tree(new).map_err(failed)?;
        fs::rename(new, folder).map_err(failed)?;
        fresh.keep();
        Ok(())
    }

    /// Those without the entrant, and its own if a correction may leave them unchanged.
    fn keep_games(&self, new: &Path, is_correction: bool, sink: &dyn Sink) -> Result<usize> {
        let old = &self.past.manifest.competition.conditions;
        let conditions = &self.collected.loaded.competition.conditions;
        if json(old) != json(conditions) {
            let line = "the corrected settings apply to every game, so all games are played again";
            sink.line(line);
            return Ok(0);
        }
        let mut journal = Journal::open(new, conditions)?;
        for machine in self.games.machines().values() {
            journal.append_machine(machine)?;
        }
        let mut kept = 0;
        for id in self.games.listed() {
            let record = self.games.read(*id)?.expect("the run is finished");
            let is_own = record.seats.iter().any(|seat| seat.entrant == self.entrant);
            if is_correction || !is_own {
                journal.append(&record)?;
                kept += 1;
            }
        }
        journal.sync()?;
        Ok(kept)
    }
}

fn roster_of_run(past: &PastRun) -> Result<Option<Roster>> {
    let people = people_of_run(&past.folder)?;
    Ok((!people.is_empty()).then(|| Roster {
        people,
        left_out: Vec::new(),
    }))
}

fn refuse_other_draw(old: &Competition, new: &Competition, name: &str) -> Result {
    let drawn_by = |of: &Competition| {
        let seed = of.seed.map_or("none".to_owned(), |seed| seed.to_string());
        let game = of.conditions.game.clone();
        [("game", game), ("seed", seed), ("round", of.round.clone())]
    };
    for ((key, old), (_, new)) in drawn_by(old).into_iter().zip(drawn_by(new)) {
        if old != new {
            return refuse(format!(
                "{name}: {key} was {old} and is now {new}, but judge regrade plays on the same draw; put the old value back, \
                 or begin a new run with judge run"
            ));
        }
    }
    // The run's programs are not built again.
    if (&old.kit.files, &old.kit.libraries) == (&new.kit.files, &new.kit.libraries) {
        return Ok(());
    }
    refuse(format!(
        "{name}: [kit] names other files or libraries than the run, but judge regrade builds no program again; use \
         the old ones, or begin a new run with judge run"
    ))
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

fn remove_unused(folder: &Path) {
    let has_begun = Manifest::read(folder).is_ok_and(|manifest| manifest.is_some());
    if !has_begun && folder.join(run_folder::JOURNAL).exists() {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Opens a corrected submission. In a folder of several, the error names the entrant's own.
fn open_correction(
    path: &Path,
    name: &str,
    rules: &Arc<dyn Rules>,
    stop: &AtomicBool,
) -> Result<Submission> {
    let own = path.join(name);
    intake::open_one(path, Some(rules), stop).map_err(|error| {
        if !own.exists() {
            return error;
        }
        JudgeError::input(format!(
            "{} holds several submissions; give the corrected one: {}",
            path_for_shell(path),
            path_for_shell(&own)
        ))
    })
}
