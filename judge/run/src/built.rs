//! A run whose entrants are built; its pairings are not known yet.

use crate::collected::Collected;
use crate::event::{RunEvent, Sink, counted_stage, stage};
use crate::programs::{THIS_PROGRAM, open_run_cgroups, toolchains};
use crate::spec::{RunKind, RunSpec, bank_note};
use crate::{builtin, game, location};
use intake::people::{Claims, claim};
use intake::{BuildContext, BuildStep, Submission};
use jiff::Timestamp;
use model::competition::{Competition, NameRule, SlurmSettings};
use model::entrant::{Entrant, Roster};
use model::lateness::Deadlines;
use report::{titled, write_identities};
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, Result, refuse};
use sandbox::{Builder, Isolation, OpenRunCgroups};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::manifest::{Machine, Manifest};
use store::names::NOBODY_NAMED;
use store::{Journal, Keys, RunKeys};
use system::run_folder;

/// All entrants, built as far as possible.
pub struct Built {
    /// Dropped before the journal, which holds the lock.
    pub(crate) traces: Traces,
    /// Locks the folder while it is open.
    pub journal: Journal,
    /// The run's keys.
    pub keys: Keys,
    /// The specification of the run.
    pub spec: RunSpec,
    /// The run as it will be written.
    pub manifest: Manifest,
    pub(crate) slurm: SlurmSettings,
    /// Absolute path of the run's folder.
    pub folder: PathBuf,
    /// All entrants, by name.
    pub entrants: Vec<Entrant>,
    pub(crate) claims: Claims,
    pub(crate) isolation: Isolation,
    pub(crate) run_cgroups: Option<OpenRunCgroups>,
}

impl Built {
    pub(crate) fn has_begun(&self) -> bool {
        self.spec.kind == RunKind::FromPast || !self.journal.games().is_empty()
    }
}

impl Collected {
    /// Builds all entrants in the run's folder.
    pub fn build(self, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result<Built> {
        let spec = self.spec;
        let Loaded {
            rules,
            mut competition,
            slurm,
            toolchains: named_toolchains,
            ..
        } = self.loaded;
        let mut isolation = isolation(&spec)?;
        let deadlines = Deadlines::new(&competition, self.roster.as_ref());
        check_builtins(&spec, &*rules, &competition)?;
        let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
        let traces = Traces::of(spec.chosen(&*rules));
        let folder = spec.folder(&*rules)?;
        if spec.kind != RunKind::Watched {
            location::refuse_beside(&folder)?;
        }
        isolation.close(&folder);
        let tools = toolchains(&named_toolchains, &mut isolation)?;
        game::keep_identity(&mut competition.conditions, &folder)?;
        let (journal, RunKeys { keys, are_new }, mut begun) =
            open_journal(&spec, &mut competition, &folder, sink)?;
        game::check_mended(&*rules, &competition, &folder, &isolation, sink)?;
        // From here on dropped before the journal, which holds the lock.
        let mut traces = traces.locked(are_new);
        let rules = game::keep(rules, &folder, &isolation)?;
        run_folder::clean(&folder);
        sink.take(RunEvent::Opened {
            title: &titled(&competition),
            places: &spec.all_places(),
            class: &self.class,
            journal: &journal,
        });
        sink.notes(self.sources.note());
        let round = &competition.round;
        let before = begun.as_ref().filter(|_| !journal.games().is_empty());
        if let Some(old) = before.map(|begun| &begun.competition.round)
            && spec.kind != RunKind::Watched
            && old != round
        {
            sink.note(&format!(
                "note: round was {old} and is now {round}: the tables and the page will have only games of the new \
                 round; to keep the other ones, choose another folder with --out"
            ));
        }
        sink.notes(bank_note(&competition.conditions));
        let now = Timestamp::try_from(self.received).unwrap_or(Timestamp::MAX);
        let (submissions, roster) = (&self.class.submissions, self.roster.as_ref());
        (self.sources).refuse_late(&folder, submissions, roster, &deadlines, now)?;
        let has_begun = spec.kind == RunKind::FromPast || !journal.games().is_empty();
        let context = BuildContext {
            run: &folder,
            game: &*rules,
            conditions: &competition.conditions,
            jobs: spec.machine.jobs,
            builds: competition.builds,
            kit: &competition.kit,
            toolchains: &tools,
            builder: Builder {
                judge: Path::new(THIS_PROGRAM),
                isolation: &isolation,
                stop,
            },
            failed_of: (spec.kind == RunKind::Watched).then_some(&folder),
            cache: spec.machine.cache.as_ref(),
            has_begun,
            received: self.received,
            deadlines: Some(&deadlines),
        };
        let (mut entrants, claims) = enter(
            &spec,
            &competition,
            (self.class.submissions, self.roster),
            context,
            &mut traces,
            sink,
        )?;
        let is_past = spec.kind == RunKind::FromPast;
        if is_past {
            begun = Manifest::read(&spec.places[0])?;
        }
        Manifest::keep_names(begun.as_ref(), &mut entrants, is_past);
        let machine = Machine::detect(spec.machine.pins, isolation.confinement());
        let mut manifest = Manifest::new(spec.build, competition, &keys, &entrants, machine);
        manifest.closes = deadlines.last();
        manifest.toolchain_folders = named_toolchains;
        manifest.submissions = spec.submissions_name();
        Ok(Built {
            traces,
            journal,
            keys,
            spec,
            manifest,
            slurm,
            folder,
            entrants,
            claims,
            isolation,
            run_cgroups,
        })
    }
}

fn isolation(spec: &RunSpec) -> Result<Isolation> {
    let mut isolation = Isolation::find();
    isolation.cold = spec.machine.cold;
    if spec.has_strangers() {
        isolation.admit(spec.machine.weak_isolation)?;
    }
    for place in spec.all_places().iter().chain(&spec.closed) {
        isolation.close(place);
    }
    Ok(isolation)
}

fn check_builtins(spec: &RunSpec, rules: &dyn Rules, competition: &Competition) -> Result {
    let mut seen = HashSet::new();
    for name in builtins(spec, competition) {
        let bot = name.strip_prefix(model::builtin::PREFIX).unwrap_or(name);
        builtin::check_name(rules, bot)?;
        if !seen.insert(bot) {
            return refuse(format!(
                "--with {}{bot} appears twice; remove one",
                model::builtin::PREFIX
            ));
        }
    }
    Ok(())
}

/// The command's, opponents without a rank, and those that a prize must be ahead of.
fn builtins<'a>(spec: &'a RunSpec, competition: &'a Competition) -> Vec<&'a String> {
    let bot = |name: &'a str| name.strip_prefix(model::builtin::PREFIX);
    let asked = spec.builtins.iter().map(|name| bot(name).unwrap_or(name));
    let is_asked = |met: &str| asked.clone().any(|name| name == met);
    let met = competition
        .opponents()
        .chain(&competition.scoring.prize_needs.ahead_of)
        .filter(|name| bot(name).is_some_and(|met| !is_asked(met)));
    spec.builtins.iter().chain(met).collect()
}

/// Also returns the manifest of a run that has begun.
fn open_journal(
    spec: &RunSpec,
    competition: &mut Competition,
    folder: &Path,
    sink: &dyn Sink,
) -> Result<(Journal, RunKeys, Option<Manifest>)> {
    // Under other settings every line would look foreign.
    let old = spec.admits_again(competition, folder)?;
    let open = || Journal::open_with_keys(folder, &competition.conditions);
    let (journal, keys) = stage(sink, "reading the journal", open)?;
    if let Some(old) = &old {
        old.check_keys(&keys.keys, folder)?;
    } else if keys.keys.committed && competition.seed.is_some() {
        return refuse(format!(
            "{} has a secret from judge commit, and a seed would draw without it; omit the seed, or choose another \
             folder with --out",
            folder.display()
        ));
    }
    Ok((journal, keys, old))
}

fn enter(
    spec: &RunSpec,
    competition: &Competition,
    (submissions, mut roster): (Vec<Submission>, Option<Roster>),
    context: BuildContext<'_>,
    traces: &mut Traces,
    sink: &dyn Sink,
) -> Result<(Vec<Entrant>, Claims)> {
    let count = submissions.len();
    let built = counted_stage(sink, "builds finished", Some(count), || {
        intake::prepare(submissions, context, &|step| {
            sink.take(match step {
                BuildStep::Begun(name) => RunEvent::BuildBegins(name),
                BuildStep::Done(name) => RunEvent::BuildEnds(name),
            });
        })
    });
    let is_tried_out = spec.kind == RunKind::TriedOut;
    if !matches!(built, Err(JudgeError::Input(_))) {
        if is_tried_out {
            traces.keeps_programs = true;
        } else if built.is_err() {
            // An interrupted run, or one that the machine stopped, is continued.
            traces.keep();
        }
    }
    let mut entrants = built?;
    let names = entrants.iter().map(|entrant| entrant.name.as_str());
    let claims = roster
        .as_mut()
        .map(|roster| claim(roster, names, None))
        .unwrap_or_default();
    write_identities(context.run, &entrants, roster.as_ref())?;
    for name in builtins(spec, competition) {
        let bot = builtin::entrant(context.game, name, context.run, context.has_begun)?;
        entrants.push(bot);
    }
    entrants.sort_by(|a, b| a.name.cmp(&b.name));
    let is_removed = is_tried_out && traces.is_ours;
    sink.take(RunEvent::Entered {
        folder: context.run,
        entrants: &entrants,
        is_removed,
    });
    if !is_removed && entrants.iter().any(has_log) {
        // Messages have named files in the folder.
        traces.keep();
    }
    match &roster {
        Some(roster) => sink.take(RunEvent::Claimed {
            roster,
            claims: &claims,
            entrants: &entrants,
        }),
        None if competition.names == Some(NameRule::Roster) => sink.note(NOBODY_NAMED),
        None => {}
    }
    Ok((entrants, claims))
}

fn has_log(entrant: &Entrant) -> bool {
    let broken = entrant.broken_newest();
    entrant.compiler_warnings.is_some() || broken.is_some_and(|broken| broken.log.is_some())
}

/// The files made before the first game, in a folder that was empty. Dropping this removes them.
pub(crate) struct Traces {
    folder: PathBuf,
    /// Folders that did not exist, the innermost first.
    made: Vec<PathBuf>,
    /// Whether nothing but programs was in the folder when this process locked it. Then everything
    /// in it is removed afterwards, except programs.
    pub(crate) is_ours: bool,
    /// Each is under the hash of everything that it was made from, and a later run uses them.
    keeps_programs: bool,
}

const LOCKED: [&str; 3] = [run_folder::JOURNAL, run_folder::STAFF, run_folder::LOCK];

/// Other files made before the first game of a run; the lock is removed last.
const BEFORE_GAMES: [&str; 5] = [
    "logs",
    run_folder::STAFF,
    run_folder::VERSIONS,
    run_folder::JOURNAL,
    run_folder::LOCK,
];

#[expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]
impl Traces {
    fn of(folder: PathBuf) -> Self {
        let made = folder
            .ancestors()
            .take_while(|one| !one.as_os_str().is_empty() && !one.exists());
        Self {
            made: made.map(Path::to_owned).collect(),
            folder,
            is_ours: false,
            keeps_programs: false,
        }
    }

    /// The run stays locked while this lives. Earlier keys stay, and all next to them.
    fn locked(mut self, has_made_keys: bool) -> Self {
        let mut others = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                name != run_folder::ARTIFACTS && !LOCKED.iter().any(|known| name == *known)
            });
        let journal = fs::metadata(self.folder.join(run_folder::JOURNAL));
        let is_empty = others.next().is_none() && journal.is_ok_and(|it| it.len() == 0);
        self.is_ours = is_empty && has_made_keys;
        // The programs of an earlier plan.
        self.keeps_programs = self.folder.join(run_folder::ARTIFACTS).exists();
        self
    }

    pub(crate) fn keep(&mut self) {
        self.is_ours = false;
        self.made.clear();
    }
}

impl Drop for Traces {
    /// Best effort. Removes nothing of a run that has begun.
    fn drop(&mut self) {
        let length = fs::metadata(self.folder.join(run_folder::JOURNAL)).map_or(0, |it| it.len());
        let has_begun = length > 0 || self.folder.join(run_folder::MANIFEST).exists();
        if self.is_ours && !has_begun {
            for name in (!self.keeps_programs)
                .then_some(run_folder::ARTIFACTS)
                .into_iter()
                .chain(BEFORE_GAMES)
            {
                let path = self.folder.join(name);
                let _ = if path.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                };
            }
        }
        // Folders with new files of somebody else stay.
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}
