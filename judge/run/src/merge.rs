//! Merging of the games of parts into their run.

use crate::commands::shown;
use crate::event::{Sink, stage};
use crate::location;
use crate::past_run::PastRun;
use crate::played::Written;
use model::fixture::Conditions;
use model::game_id::GameId;
use model::numbers::counted;
use model::record::MatchRecord;
use referee::verify::{WordsKnown, referee};
use report::PlayedRun;
use rulebook::rules::Rules;
use rulebook::{Result, refuse};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use store::author_log::AuthorLog;
use store::{Journal, JournalOwner, MachineLines, PartLine, PartLines, UnequalMachines};

/// A merge. Journals may come in any order, any number of times, whole or not.
#[derive(Clone, Debug)]
pub struct MergeSpec {
    /// The run's folder.
    pub run: PathBuf,
    /// Journals of parts, or copies of the run's own.
    pub journals: Vec<PathBuf>,
    /// Whether to accept games of machines whose speeds differ by more than half.
    pub mixed: bool,
}

/// A run with the merged games.
pub struct Merged {
    /// The run.
    pub past: PastRun,
    ids: Vec<GameId>,
    journal: Journal,
}

impl Merged {
    /// Writes the tables and the page of the games played so far.
    pub fn write(&self, sink: &dyn Sink) -> Result<Written<'_>> {
        let games = self.journal.games();
        let run = PlayedRun {
            ids: &self.ids,
            ..self.past.as_played(games)
        };
        Written::of(run, None, sink)
    }
}

const LINES_REPORTED_MAX: usize = 5;

#[derive(Default)]
struct Taken {
    games: usize,
    known: usize,
    otherwise: BTreeSet<usize>,
    unfit: usize,
}

impl MergeSpec {
    /// Merges the games.
    pub fn merge(&self, sink: &dyn Sink) -> Result<Merged> {
        let (folder, manifest) = PastRun::find(&self.run)?;
        location::refuse_beside(&folder)?;
        let conditions = &manifest.competition.conditions;
        let open = || Journal::open(&folder, conditions);
        let mut journal = stage(sink, "reading the journal", open)?;
        // Nobody else changes the run now.
        let past = PastRun::open(&self.run)?;
        for words in journal.games().findings.words() {
            sink.line(&format!("note: {words}"));
        }
        let ids = past.ids()?;
        let mut readers = self.readers(&past, sink)?;
        self.admit_machines(&readers, &journal, &ids)?;
        let numbers: HashMap<GameId, usize> = ids.iter().copied().zip(1..).collect();
        let log = AuthorLog::open(&past.folder)?;
        let conditions = &past.manifest.competition.conditions;
        let rules = rulebook::rules::of(conditions)?;
        let admission = Admission {
            rules: &*rules,
            conditions,
            numbers: &numbers,
            mixed: self.mixed,
            sink,
        };
        for lines in &mut readers {
            let taken = admission.take(lines, &mut journal, &log)?;
            sink.line(&taken.words(lines.path()));
        }
        journal.sync()?;
        journal.note_end()?;
        Ok(Merged { past, ids, journal })
    }

    fn readers(&self, past: &PastRun, sink: &dyn Sink) -> Result<Vec<PartLines>> {
        let conditions = &past.manifest.competition.conditions;
        let mut readers = Vec::new();
        let mut others = 0;
        for path in &self.journals {
            match PartLines::of_run(path, &past.keys, conditions, &past.folder)? {
                JournalOwner::ThisRun(lines) => readers.push(*lines),
                JournalOwner::Empty => {
                    sink.line(&format!("{}: no game yet", shown(path)));
                }
                JournalOwner::OtherRun => {
                    sink.line(&format!(
                        "{}: left out: none of its lines belongs to this run or to one of its parts",
                        shown(path)
                    ));
                    others += 1;
                }
                JournalOwner::NotAJournal => {
                    return refuse(format!(
                        "{} is not a journal; give the files that judge part wrote (its --out)",
                        path.display()
                    ));
                }
            }
        }
        if others == self.journals.len() {
            return refuse(format!(
                "none of the files is of {}; give journals of its parts, or the run that they belong to",
                past.folder.display()
            ));
        }
        Ok(readers)
    }

    fn admit_machines(&self, readers: &[PartLines], journal: &Journal, ids: &[GameId]) -> Result {
        let own = journal.games().machines_of(ids)?;
        let missing: HashSet<GameId> = ids
            .iter()
            .filter(|id| !journal.contains(**id))
            .copied()
            .collect();
        let is_accepted = self.mixed || UnequalMachines::among(own.values()).is_some();
        let mut all = own;
        for lines in readers {
            all.extend(machines_of_new(lines.clone(), &missing)?);
        }
        let Some(unequal) = UnequalMachines::among(all.values()).filter(|_| !is_accepted) else {
            return Ok(());
        };
        refuse(format!(
            "these games were played on machines of different speed: {}. Clocks may have decided games, and judge \
             scales no times; play the parts of one machine again on the other, or accept the difference with \
             --mixed, which tables and page will state",
            unequal.words()
        ))
    }
}

fn machines_of_new(mut lines: PartLines, missing: &HashSet<GameId>) -> Result<MachineLines> {
    let mut described = MachineLines::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    lines.read_new(&mut |line| {
        match line {
            PartLine::Machine(machine) => {
                described.insert(machine.digest(), *machine);
            }
            PartLine::Game { record, .. } if missing.contains(&record.fixture) => {
                named.extend(record.machine);
            }
            PartLine::Game { .. } | PartLine::Rejected { .. } => {}
        }
        Ok(())
    })?;
    described.retain(|digest, _| named.contains(digest));
    Ok(described)
}

struct Admission<'a> {
    rules: &'a dyn Rules,
    conditions: &'a Conditions,
    numbers: &'a HashMap<GameId, usize>,
    mixed: bool,
    sink: &'a dyn Sink,
}

impl Admission<'_> {
    fn take(&self, lines: &mut PartLines, journal: &mut Journal, log: &AuthorLog) -> Result<Taken> {
        let path = lines.path().to_owned();
        let mut taken = Taken::default();
        let mut machines = MachineLines::new();
        lines.read_new(&mut |line| {
            match line {
                PartLine::Machine(machine) => {
                    machines.insert(machine.digest(), *machine);
                }
                PartLine::Rejected { number, reason } => {
                    taken.leave_out(self.sink, || format!("{}, line {number}: {reason}", shown(&path)));
                }
                PartLine::Game { record, stderr } => {
                    let id = record.fixture;
                    let Some(&number) = self.numbers.get(&id) else {
                        let reason = "nobody has to play it in this run now; it is of other submissions, states or rounds";
                        taken.leave_out(self.sink, || format!("{}: game {id}: {reason}", shown(&path)));
                        return Ok(());
                    };
                    if let Some(known) = journal.games().read(id)? {
                        if text(&known) == text(&record) {
                            taken.known += 1;
                        } else {
                            taken.otherwise.insert(number);
                        }
                        return Ok(());
                    }
                    if let Some(reason) = self.refuse(&record, &machines)? {
                        taken.leave_out(self.sink, || format!("{}: game {number}: {reason}", shown(&path)));
                        return Ok(());
                    }
                    if let Some(machine) = record.machine.as_ref().and_then(|one| machines.get(one))
                    {
                        journal.append_machine(machine)?;
                    }
                    journal.append(&record)?;
                    log.add(&record, &stderr)?;
                    taken.games += 1;
                }
            }
            journal.sync_if_due()
        })?;
        Ok(taken)
    }

    /// The holder of a part can sign records that no table would have written.
    fn refuse(&self, record: &MatchRecord, machines: &MachineLines) -> Result<Option<String>> {
        let reason = match record.machine.as_ref().map(|one| machines.get(one)) {
            Some(None) if !self.mixed => UNKNOWN_SPEED,
            Some(Some(line)) if line.is_of_another_game(self.conditions) => OTHER_GAME,
            _ => {
                let differences = referee(self.rules, self.conditions, record, WordsKnown::All)?;
                return Ok(differences.first().map(ToString::to_string));
            }
        };
        Ok(Some(reason.to_owned()))
    }
}

const UNKNOWN_SPEED: &str = "the line that describes its machine is damaged or missing, so the machine's speed is \
    unknown; play it again, or accept it with --mixed";
const OTHER_GAME: &str =
    "it was played with another version of the game; split the run again, and play it again";

fn text(record: &MatchRecord) -> String {
    serde_json::to_string(record).expect("plain data")
}

impl Taken {
    fn leave_out(&mut self, sink: &dyn Sink, why: impl FnOnce() -> String) {
        self.unfit += 1;
        if self.unfit <= LINES_REPORTED_MAX {
            sink.line(&why());
        }
    }

    fn words(&self, path: &Path) -> String {
        let mut words = vec![format!("{} taken", counted(self.games, "game"))];
        if self.known > 0 {
            words.push(format!("{} already there", self.known));
        }
        if !self.otherwise.is_empty() {
            let all = self.otherwise.len();
            let games = self.otherwise.iter().take(LINES_REPORTED_MAX);
            let mut shown: Vec<String> = games.map(ToString::to_string).collect();
            if all > LINES_REPORTED_MAX {
                shown.push("…".to_owned());
            }
            words.push(format!(
                "{all} played twice; the first record counts (game {})",
                shown.join(", ")
            ));
        }
        if self.unfit > 0 {
            words.push(format!("{} left out", counted(self.unfit, "line")));
        }
        format!("{}: {}", shown(path), words.join(", "))
    }
}
