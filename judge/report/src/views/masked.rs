//! A run under public names, without anything that reveals the people behind them.

use super::folder::public_fingerprint;
use super::hidden_names::HiddenNames;
use crate::html::BotStderr;
use crate::moments::public_moments;
use crate::run_data::{GameSource, PlayedRun, playing, standings};
use crate::words::joined;
use model::competition::Schedule;
use model::draw::hash;
use model::fault::{Cause, Fault};
use model::fixture::{Participant, Terms};
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult, SeatRecord};
use model::tally::Tie;
use rulebook::Result;
use rulebook::scoring::StandingsTable;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use store::author_log::AuthorLogs;
use store::manifest::{DrawLine, EntrantLine, Manifest};
use store::names::PublicNames;
use store::{MachineGames, MachineLine, Moment};
use system::files::write_unless_read_only;
use system::run_folder::STAFF;

/// A run as the public may see it. Games have public numbers, by state and public names, because the
/// run's own order follows the entrants' names.
pub(super) struct Masked<'a> {
    run: &'a PlayedRun<'a>,
    pub(super) names: &'a PublicNames,
    pub(super) hidden_names: HiddenNames,
    pub(super) manifest: Manifest,
    pub(super) moments: Vec<Moment>,
    terms: Terms,
    /// Places in the schedule, by number.
    order: Vec<usize>,
}

impl<'a> Masked<'a> {
    pub(super) fn new(run: &'a PlayedRun<'a>, names: &'a PublicNames) -> Result<Self> {
        let mut keys = Vec::new();
        for (place, id) in run.ids.iter().enumerate() {
            if let Some(game) = run.games.result(*id)? {
                let seats = game.seats.iter().map(|seat| names.of(&seat.entrant));
                keys.push((game.state, joined(seats, "\n"), place));
            }
        }
        keys.sort();
        let manifest = manifest(run, names)?;
        Ok(Self {
            run,
            names,
            hidden_names: HiddenNames::new(run, names)?,
            terms: rulebook::rules::terms_of(&manifest.competition.conditions)?,
            manifest,
            moments: public_moments(run.games, run.manifest, names, &|entrant, artifact| {
                salted(run, entrant, artifact)
            }),
            order: keys.into_iter().map(|(_, _, place)| place).collect(),
        })
    }

    pub(super) fn games(&self) -> MaskedGames<'_> {
        MaskedGames {
            masked: self,
            own: None,
        }
    }

    pub(super) fn list_numbers(&self) -> Result {
        let mut list = "public_game,game\n".to_owned();
        for (number, place) in (1..).zip(&self.order) {
            writeln!(list, "{number},{}", place + 1).expect("a string takes it");
        }
        let path = self.run.folder.join(STAFF).join("public-games.csv");
        write_unless_read_only(&path, list.as_bytes())
    }

    fn fixture(&self, number: usize) -> GameId {
        self.run.ids[self.order[number - 1]]
    }

    pub(super) fn by_fixture(&self) -> HashMap<GameId, usize> {
        (1..=self.order.len())
            .map(|number| (self.fixture(number), number))
            .collect()
    }
}

impl PlayedRun<'_> {
    pub(crate) fn public_table(&self, names: &PublicNames) -> Result<StandingsTable> {
        let masked = Masked::new(self, names)?;
        standings(&masked.manifest, &masked.games(), &mut |_, _, _| Ok(()))
    }
}

/// The games of a run as the public may see them, or those of one entrant as its author may.
pub(super) struct MaskedGames<'a> {
    pub(super) masked: &'a Masked<'a>,
    pub(super) own: Option<OwnGames<'a>>,
}

pub(super) struct OwnGames<'a> {
    pub(super) entrant: &'a str,
    pub(super) numbers: &'a [usize],
    pub(super) logs: &'a AuthorLogs,
}

impl MaskedGames<'_> {
    fn mask(&self, faults: &mut [Fault], seats: &mut [SeatRecord], machine: &mut Option<String>) {
        *machine = None;
        let Masked {
            run,
            names,
            hidden_names,
            ..
        } = self.masked;
        let reader = self.own.as_ref().map(|own| own.entrant);
        for (index, seat) in seats.iter_mut().enumerate() {
            let own = faults.iter().filter(|fault| fault.seat.index() == index);
            mask_startup(seat, own);
        }
        for fault in faults {
            let whose = &seats[fault.seat.index()].entrant;
            let Some(reader) = reader.filter(|reader| reader == whose) else {
                fault.detail = String::new();
                fault.raised = None;
                fault.line = None;
                fault.exit = None;
                continue;
            };
            let mask = |text: &mut String| *text = hidden_names.mask(text, reader);
            fault
                .raised
                .iter_mut()
                .chain(&mut fault.line)
                .for_each(mask);
            // The rules say what an illegal move breaks.
            if fault.cause != Cause::IllegalMove {
                mask(&mut fault.detail);
            }
        }
        for seat in seats {
            seat.artifact = salted(run, &seat.entrant, &seat.artifact);
            seat.entrant = names.of(&seat.entrant).to_owned();
            seat.bot_name = None;
        }
    }
}

impl GameSource for MaskedGames<'_> {
    fn count(&self) -> usize {
        let all = self.masked.order.len();
        self.own.as_ref().map_or(all, |own| own.numbers.len())
    }

    fn number(&self, place: usize) -> usize {
        let own = self.own.as_ref();
        own.map_or(place + 1, |own| own.numbers[place])
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>> {
        let mut result = self.masked.run.games.result(self.masked.fixture(number))?;
        if let Some(result) = &mut result {
            self.mask(&mut result.faults, &mut result.seats, &mut result.machine);
        }
        Ok(result)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>> {
        let masked = self.masked;
        let mut record = masked.run.games.read(masked.fixture(number))?;
        if let Some(record) = &mut record {
            let moves = record.turns.iter().flat_map(|turn| &turn.mv);
            // The rules may quote a move that they refuse.
            let refused = record
                .faults
                .iter()
                .filter(|fault| fault.cause == Cause::IllegalMove);
            (moves.map(|mv| mv.get()))
                .chain(refused.map(|fault| &*fault.detail))
                .for_each(|text| masked.hidden_names.add_disclosed(text));
            self.mask(&mut record.faults, &mut record.seats, &mut record.machine);
            record.fixture = record.id(&masked.terms);
        }
        Ok(record)
    }

    fn wrote(&self, number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>> {
        let Some(OwnGames { entrant, logs, .. }) = &self.own else {
            return Ok(Vec::new());
        };
        let fixture = self.masked.fixture(number).text();
        let name = self.masked.names.of(entrant);
        let mask = |text: &str| self.masked.hidden_names.mask(text, entrant);
        BotStderr::of_one(logs, (*entrant, &*fixture), (name, record), mask)
    }
}

/// Hides the time of startup, which tells in which language a program is, except the part that the
/// seat's faults tell. The silence of each startup of a stateless bot counts too; a fault for it
/// tells the sum.
fn mask_startup<'f>(seat: &mut SeatRecord, faults: impl Iterator<Item = &'f Fault>) {
    let (mut cpu_us, mut wall_us) = (0, 0);
    for fault in faults {
        cpu_us = cpu_us.max(fault.cpu_us);
        wall_us = wall_us.max(fault.wall_us);
        if fault.cause == Cause::Idle {
            wall_us = wall_us.max(seat.idle_us.saturating_sub(seat.wall_us));
        }
    }
    seat.uncharged_us = seat.uncharged_us.min(cpu_us);
    seat.startup_wall_us = seat.startup_wall_us.min(wall_us);
    seat.idle_us = seat
        .idle_us
        .min(seat.wall_us.saturating_add(seat.startup_wall_us));
}

/// Returns a pseudonym for an entrant's program: its source cannot be recognized, nor the same one of another
/// entrant. Entrants' names have no slash, so no other label is the same.
fn salted(run: &PlayedRun<'_>, entrant: &str, artifact: &str) -> String {
    run.keys
        .pseudonym(&format!("artifacts/{artifact}/{entrant}"))
}

/// Returns the public facts about the machines, with numbers for their hosts. Kernel, load, user
/// ids and the part that they played stay secret.
fn machines(run: &PlayedRun<'_>) -> Result<Vec<MachineGames>> {
    let secret = |line: &MachineLine| run.keys.pseudonym(&format!("hosts/{}", line.identity()));
    let hosts: BTreeSet<String> = run.games.machines().values().map(secret).collect();
    let mut machines = run.machines()?;
    for MachineGames { line, .. } in &mut machines {
        let own = secret(line);
        line.host = (1 + hosts.iter().take_while(|other| **other != own).count()).to_string();
        line.boot = None;
        line.machine.kernel.clear();
        line.machine.isolation.ids = None;
        line.machine.isolation.counter = None;
        line.load.clear();
        line.part = None;
    }
    // The order must depend only on public facts, not on the order of games.
    machines.sort_by_cached_key(|one| serde_json::to_string(one).expect("plain data"));
    Ok(machines)
}

/// Submissions that do not play come last, without the reason.
fn manifest(run: &PlayedRun<'_>, names: &PublicNames) -> Result<Manifest> {
    let mut competition = run.manifest.competition.clone();
    let scoring = &mut competition.scoring;
    let graded = scoring
        .grades
        .iter_mut()
        .flat_map(|grades| &mut grades.games);
    let met = match &mut competition.schedule {
        Schedule::Gauntlet { against } => Some(against),
        Schedule::Pairs { .. } | Schedule::Groups => None,
    };
    for list in met
        .into_iter()
        .chain(graded.map(|games| &mut games.against))
        .chain([&mut scoring.prize_needs.ahead_of])
    {
        for name in &mut *list {
            *name = names.of(name).to_owned();
        }
        // The order in the file would reveal identities.
        list.sort();
    }
    let clocks = &mut competition.conditions.clocks;
    *clocks = playing(&run.manifest.entrants)
        .filter_map(|line| Some((names.of(&line.name).to_owned(), *clocks.get(&line.name)?)))
        .collect();
    for file in &mut competition.kit.files {
        file.text = hash(&[file.text.as_bytes()]);
    }
    let scoring = &competition.scoring;
    // Token counts would reveal whose source it is.
    let counts_tokens =
        scoring.ties.contains(&Tie::Tokens) || scoring.podium.contains(&Tie::Tokens);
    let hidden = |line: &EntrantLine| {
        let own = EntrantLine {
            name: names.of(&line.name).to_owned(),
            ..EntrantLine::default()
        };
        let Some(artifact) = &line.artifact else {
            return EntrantLine {
                broken: Some("does not play".to_owned()),
                ..own
            };
        };
        EntrantLine {
            artifact: Some(salted(run, &line.name, artifact)),
            tokens: line.tokens.filter(|_| counts_tokens),
            knew_draw: line.knew_draw,
            penalty: line.penalty(),
            unranked: line.is_too_late(),
            ..own
        }
    };
    let mut entrants: Vec<EntrantLine> = run.manifest.entrants.iter().map(hidden).collect();
    entrants.sort_by_cached_key(|line| (line.artifact.is_none(), line.name.clone()));
    let filler = run.manifest.filler.as_ref().map(|filler| Participant {
        entrant: names.of(&filler.entrant).into(),
        artifact: salted(run, &filler.entrant, &filler.artifact).into(),
    });
    let draw = run.keys.draw(&competition);
    let states = (0..competition.states_drawn()).map(|state| draw.state(state).digest());
    Ok(Manifest {
        v: run.manifest.v,
        judge: run.manifest.judge.clone(),
        rules: run.manifest.rules,
        competition,
        draw: DrawLine {
            states: states.collect(),
            ..run.manifest.draw.clone()
        },
        keys: public_fingerprint(&run.manifest.keys),
        mac: String::new(),
        // With few entrants they would reveal who writes in which language.
        toolchains: BTreeSet::new(),
        toolchain_folders: BTreeMap::new(),
        entrants,
        submissions: None,
        closes: None,
        filler,
        regrade: None,
        machine: None,
        machines: machines(run)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `judge verify` checks that a seat is never silent for more than the time that it was waited for.
    #[test]
    fn hidden_startup_hides_its_silence() {
        let fault = |cause: Cause, wall_us: u64| -> Fault {
            let fault = serde_json::json!({"seat": 0, "ply": 0, "phase": "hello", "cause": cause,
                "detail": "", "cpu_us": 0, "wall_us": wall_us});
            serde_json::from_value(fault).expect("a fault")
        };
        for (faults, startup_us, idle_us) in [
            (vec![], 0, 300),
            (vec![fault(Cause::Crash, 50)], 50, 350),
            (vec![fault(Cause::Idle, 50)], 8700, 9000),
        ] {
            let mut seat = SeatRecord {
                wall_us: 300,
                startup_wall_us: 10_000,
                idle_us: 9000,
                ..SeatRecord::default()
            };
            mask_startup(&mut seat, faults.iter());
            assert_eq!((seat.startup_wall_us, seat.idle_us), (startup_us, idle_us));
        }
    }
}
