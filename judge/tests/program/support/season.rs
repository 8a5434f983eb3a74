//! A played competition made in memory: real schedules, real rules, no process.

use jiff::Timestamp;
use judge::final_table;
use model::FORMAT;
use model::competition::Competition;
use model::competition::FINAL;
use model::draw::Draw;
use model::entrant::Blame;
use model::fault::{Cause, Fault, Phase};
use model::fixture::{Fixture, Participant};
use model::game_id::GameId;
use model::points::Points;
use model::record::{End, MatchRecord, MatchResult, SeatRecord, TurnRecord};
use report::html::{FILE_NAME, Live, Made, Pages};
use report::{GameSource, RunData};
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::{Conduct, Gathering, Ranked, StandingsTable};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::manifest::{DrawLine, DrawSource, EntrantLine, Manifest};
use store::{Moment, MomentEntrant};

pub(crate) struct Season {
    pub(crate) competition: Competition,
    pub(crate) ids: Vec<GameId>,
    pub(crate) records: HashMap<GameId, MatchRecord>,
    names: Vec<String>,
    pub(crate) broken: Vec<String>,
    pub(crate) moments: Vec<Moment>,
    /// The mark that distinguishes its page from later ones.
    pub(crate) live: Option<String>,
}

/// The line of each faulty answer.
pub(crate) const OFFENDING_LINE: &str = "</script><script>document.title='owned'</script>";

impl Season {
    /// Plays a game's standard competition on `states` states. In every `fault_every`th game the
    /// second seat errs at its second turn (0 = never).
    pub(crate) fn play(slug: &str, names: &[String], states: u32, fault_every: usize) -> Self {
        let rules = rulebook::rules::find(slug).expect("registered");
        let mut competition = rulebook::standard(&*rules);
        competition.states = states;
        let contestants: Vec<Participant> = names.iter().map(|name| contestant(name)).collect();
        let draw = Draw::public(1, FINAL);
        let fixtures = schedule::fixtures(&competition, &draw, &contestants, None);
        let fixtures = fixtures.expect("allowed");
        let mut records = HashMap::new();
        for (fixture, number) in fixtures.iter().zip(1..) {
            let errs = fault_every > 0 && number % fault_every == 0;
            let record = record(&competition, fixture, number, errs);
            records.insert(fixture.id, record);
        }
        Self {
            competition,
            ids: fixtures.into_iter().map(|fixture| fixture.id).collect(),
            records,
            names: names.to_vec(),
            broken: Vec::new(),
            moments: Vec::new(),
            live: None,
        }
    }

    /// Adds moments, six hours apart: ranks change, entrants come and submit again, rounds begin.
    pub(crate) fn with_past(mut self, moments: u64) -> Self {
        let count = self.names.len() as u64;
        let moment = |at: u64| {
            let there = (3 + at / 2).min(count);
            let entrants = (0..there).map(|number| MomentEntrant {
                entrant: self.names[usize::try_from(number).expect("few")].clone(),
                version: Some(usize::try_from(1 + (at + number) / 9).expect("few")),
                received: None,
                artifact: format!("{number} {}", (at + number) / 9),
                rank: Some(1 + usize::try_from((number + at / (3 + number)) % there).expect("few")),
                points: Points::default(),
            });
            let second = 1_790_000_000 + i64::try_from(at).expect("near") * 6 * 3600;
            Moment {
                at: Timestamp::from_second(second).expect("near"),
                round: format!("practice/{}", 1 + at / 40),
                played: at,
                of: at,
                frozen: false,
                entrants: entrants.collect(),
            }
        };
        self.moments = (0..moments).map(moment).collect();
        self
    }

    pub(crate) fn write(&self, folder: &Path) -> PathBuf {
        let live = self.live.as_deref().map(|digest| Live {
            digest,
            made: Made {
                at: Timestamp::UNIX_EPOCH,
                freeze: None,
            },
        });
        let page = self.shown(|run, table| Pages::gather(run, table)?.whole(live, false));
        let path = folder.join(FILE_NAME);
        fs::write(&path, page.expect("valid")).expect("the folder can be written");
        path
    }

    pub(crate) fn table(&self) -> String {
        self.shown(|run, table| {
            let competition = &run.manifest.competition;
            let roles = schedule::roles(competition).expect("allowed");
            final_table(competition, roles, table, &[], None)
        })
    }

    pub(crate) fn write_games_interrupted(&self, folder: &Path) -> Result<(), JudgeError> {
        self.shown(|run, table| {
            let pages = Pages::gather(run, table)?;
            pages.write(folder, Some(&AtomicBool::new(true))).map(drop)
        })
    }

    fn shown<T>(&self, show: impl FnOnce(&RunData<'_>, &StandingsTable) -> T) -> T {
        let ranked: Vec<Ranked> = self.names.iter().map(Ranked::of).collect();
        let roles = schedule::roles(&self.competition).expect("allowed").len();
        let mut gathering =
            Gathering::new(&self.competition, &ranked, roles, &Conduct::default(), 1);
        for (id, number) in self.ids.iter().zip(1..) {
            if let Some(record) = self.records.get(id) {
                gathering.add(number, &record.result());
            }
        }
        let manifest = Manifest {
            v: FORMAT,
            judge: String::new(),
            rules: 1,
            competition: self.competition.clone(),
            draw: DrawLine {
                source: DrawSource::Seed(1),
                resamples: 1,
                states: Vec::new(),
            },
            keys: String::new(),
            mac: String::new(),
            toolchains: BTreeSet::new(),
            toolchain_folders: BTreeMap::new(),
            entrants: self.lines(),
            submissions: None,
            closes: None,
            filler: None,
            regrade: None,
            machine: None,
            machines: Vec::new(),
        };
        let run = RunData {
            manifest: &manifest,
            games: self,
            people: &manifest.entrants,
            moments: self.moments.as_slice().into(),
            scheduled: self.ids.len(),
            machines: [].as_slice().into(),
            is_staff: true,
        };
        show(&run, &gathering.table())
    }
}

impl GameSource for Season {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        Ok(self.record(number)?.map(|record| record.result()))
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        Ok(self.records.get(&self.ids[number - 1]).cloned())
    }
}

impl Season {
    fn lines(&self) -> Vec<EntrantLine> {
        let broken = self.broken.iter().map(|name| EntrantLine {
            artifact: None,
            broken: Some("does not build".to_owned()),
            blame: Some(Blame::Submission),
            ..line(name)
        });
        let named = self.names.iter().map(|name| line(name));
        named.chain(broken).collect()
    }
}

fn line(name: &str) -> EntrantLine {
    EntrantLine {
        name: name.to_owned(),
        form: "an executable".to_owned(),
        artifact: Some("a".to_owned()),
        ..EntrantLine::default()
    }
}

fn contestant(name: &str) -> Participant {
    Participant {
        entrant: name.into(),
        artifact: "a".into(),
    }
}

/// Plays a fixture with moves that look random.
fn record(competition: &Competition, fixture: &Fixture, number: usize, errs: bool) -> MatchRecord {
    let entry = engines::game(&competition.conditions.game).expect("registered");
    let mut game = entry.start(&fixture.setup).expect("drawn by the rules");
    let mut turns: Vec<TurnRecord> = Vec::new();
    let mut faults = Vec::new();
    let mut end = End::Rules;
    while let Some(seat) = game.to_move().first() {
        let ply = turns.len();
        let cpu_us = 20 + (number * 37 + ply * ply * 11) as u64 % 400;
        if errs && ply == 3 {
            let cause = Cause::IllegalMove;
            game.forfeit(seat, cause.forfeit(Phase::Turn));
            if game.outcome().is_some() {
                end = End::Fault { cause, seat };
            }
            faults.push(Fault {
                seat,
                ply: 3,
                phase: Phase::Turn,
                cause,
                detail: "the cell is <b>blocked</b>".to_owned(),
                raised: None,
                line: Some(OFFENDING_LINE.to_owned()),
                exit: None,
                went_short: false,
                cpu_us,
                wall_us: cpu_us,
            });
            turns.push(TurnRecord {
                seat,
                mv: None,
                cpu_us,
                wall_us: cpu_us,
            });
            continue;
        }
        let legal = game.legal_moves(seat);
        let mv = &legal[(number * 7919 + ply * 104_729) % legal.len()];
        let spelling = game.play(seat, mv).expect("it is legal");
        let mv = RawValue::from_string(spelling).expect("JSON");
        turns.push(TurnRecord {
            seat,
            mv: Some(mv),
            cpu_us,
            wall_us: cpu_us,
        });
    }
    let seats = fixture.seats.iter().enumerate();
    let seats = seats.map(|(index, participant)| {
        let own = turns.iter().filter(|turn| turn.seat.index() == index);
        let mut seat = SeatRecord::of(participant, 1);
        seat.cpu_us = own.map(|turn| turn.cpu_us).sum();
        seat.bot_name = Some("\u{5d0}\u{5d1}".to_owned());
        seat
    });
    MatchRecord {
        v: FORMAT,
        fixture: fixture.id,
        game: entry.info.slug.to_owned(),
        state: fixture.state,
        setup: fixture.setup.as_ref().to_owned(),
        draw: fixture.luck.draw.clone(),
        seats: seats.collect(),
        turns,
        faults,
        end,
        outcome: game.outcome().expect("nobody is to move"),
        overloaded: false,
        machine: None,
    }
}
