//! Tournaments of honest and hostile programs. The honest ones meet each other; the hostile ones
//! meet the first honest one. Only the choice of games is the test's own: intake, coordinator,
//! workers and journal are the judge's. Every game is refereed again.

use super::{Scene, processes, program};
use intake::{BuildContext, Expected, Opening};
use model::competition::Competition;
use model::competition::FINAL;
use model::draw::Draw;
use model::entrant::{Contestant, Entrant};
use model::fixture::{Conditions, Participant};
use model::record::MatchRecord;
use referee::verify::{WordsKnown, referee};
use rulebook::schedule;
use run::play::worker::Order;
use run::tournament::{TournamentEvent, TournamentPlan};
use sandbox::{Builder, Isolation, Namespaces};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use store::Journal;

#[derive(Clone, Debug)]
pub(crate) struct Arena {
    side: u32,
    states: u32,
    conditions: fn(&mut Conditions),
}

#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) records: Vec<MatchRecord>,
    /// Output on standard error, as (entrant, text).
    pub(crate) stderr: Vec<(String, String)>,
    /// Peak memory of any worker, in bytes.
    pub(crate) worker_bytes_max: u64,
}

const WEAK: &str = "JUDGE_TESTS_WEAK";

/// Number of games at once; most of the hostile programs wait.
const JOBS: usize = 8;

impl Arena {
    /// Sets the board's side (bigger boards make longer games and larger views), the initial
    /// states, and what changes in the conditions: the usual ones with short clocks.
    pub(crate) const fn new(side: u32, states: u32, conditions: fn(&mut Conditions)) -> Self {
        Self {
            side,
            states,
            conditions,
        }
    }
    pub(crate) fn play(&self, scene: &Scene, honest: &[&str]) -> Played {
        let mut isolation = Isolation::find();
        if std::env::var_os(WEAK).is_some() {
            isolation.namespaces = Namespaces::Missing("not asked for".to_owned());
        }
        std::fs::create_dir_all(scene.out()).expect("a new folder");
        let folder = scene.out().canonicalize().expect("it is there");
        let stop = AtomicBool::new(false);
        let opening = Opening::new(Expected::Class, None, &stop);
        let collected = intake::open(&scene.submissions(), opening);
        let collected = collected.expect("submissions").into_class();
        let competition = self.competition();
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let context = BuildContext {
            run: &folder,
            game: &*rules,
            conditions: &competition.conditions,
            jobs: 2,
            builds: competition.builds,
            kit: &competition.kit,
            toolchains: &intake::Toolchains::default(),
            builder: Builder {
                judge: program(),
                isolation: &isolation,
                stop: &stop,
            },
            failed_of: None,
            cache: None,
            has_begun: false,
            received: SystemTime::now(),
            deadlines: None,
        };
        let entrants = intake::prepare(collected.submissions, context, &|_| ());
        let entrants = entrants.expect("the folder can be written").into_iter();
        let contestants: Vec<Contestant> = entrants.map(contestant).collect();
        let participants = contestants.iter().map(Contestant::participant);
        let participants: Vec<Participant> = participants.collect();
        let draw = Draw::public(1, FINAL);
        let fixtures = schedule::fixtures(&competition, &draw, &participants, None);
        let mut fixtures = fixtures.expect("allowed");
        fixtures.retain(|fixture| is_played(&fixture.seats, honest));
        // The order by opponent keeps games of one hostile program apart in time.
        fixtures.sort_by_key(|fixture| {
            let mut seats = fixture.seats.iter();
            seats.position(|one| honest.contains(&&*one.entrant))
        });
        let plan = TournamentPlan {
            judge: program(),
            order: Order {
                conditions: competition.conditions.clone(),
                artifacts: contestants.iter().map(|c| c.artifact.clone()).collect(),
                pin: None,
                isolation,
                run_cgroups: None,
            },
            machine: None,
            pin: true,
            intact: &|_| Ok(()),
            ended: Arc::default(),
            jobs: JOBS,
            stop: Arc::new(AtomicBool::new(false)),
            abandon: Arc::default(),
        };
        let mut journal = Journal::open(&folder, &competition.conditions).expect("a new journal");
        let mut played = Played {
            records: Vec::new(),
            stderr: Vec::new(),
            worker_bytes_max: 0,
        };
        let ended = run::tournament::play(&plan, &fixtures, &mut journal, &mut |event| {
            played.worker_bytes_max = played.worker_bytes_max.max(processes::workers_bytes_max());
            if let TournamentEvent::Finished(record, stderr, _) = event {
                let seats = record.seats.iter().zip(stderr);
                let texts = seats.map(|(seat, text)| (seat.entrant.clone(), text.text.clone()));
                played.stderr.extend(texts);
            }
        });
        ended.expect("the judge itself does not fail");
        for fixture in &fixtures {
            let record = journal.games().read(fixture.id).expect("readable");
            let record = record.expect("every game was played");
            // Whatever a bot has done, its game must pass the referee.
            let conditions = &competition.conditions;
            let differences = referee(&*rules, conditions, &record, WordsKnown::All);
            assert_eq!(differences.expect("built in"), [], "{record:?}");
            played.records.push(record);
        }
        played
    }

    fn competition(&self) -> Competition {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let config = rules.configure(&format!("{{\"side\":{}}}", self.side));
        let mut competition = rulebook::standard(&*rules);
        competition.conditions.config = config.expect("a good side");
        competition.states = self.states;
        let conditions = &mut competition.conditions;
        // On a slow machine, half of this time goes to page tables of the size that ends a bot.
        conditions.time.turn_us = Some(600_000);
        conditions.backstop_ms = 3000;
        conditions.lifetime = engines::Lifetime::Game;
        (self.conditions)(conditions);
        competition
    }
}

fn contestant(entrant: Entrant) -> Contestant {
    match entrant.program {
        Ok(artifact) => Contestant {
            name: entrant.name,
            artifact,
        },
        Err(broken) => panic!("{}: {broken}", entrant.name),
    }
}

/// All honest programs meet each other, and the first of them meets everybody.
fn is_played(seats: &[Participant], honest: &[&str]) -> bool {
    let entrants = || seats.iter().map(|participant| &*participant.entrant);
    entrants().all(|entrant| honest.contains(&entrant))
        || entrants().any(|entrant| entrant == honest[0])
}
