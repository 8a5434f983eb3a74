//! Games played at the table.

use crate::players::{Crime, CrimePlayer, Misdeed, Seating};
use engines::{Lifetime, Seat};
use model::clock::ClockMode;
use model::competition::FINAL;
use model::draw::Draw;
use model::fault::Phase;
use model::fixture::{Conditions, Fixture, Participant, Terms};
use model::protocol::Ready;
use model::record::MatchRecord;
use referee::table::Seated;
use referee::verify::WordsKnown;
use rulebook::rules::Rules;
use serde_json::json;
use serde_json::value::RawValue;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// A game's slug, its settings, and a move that is never legal.
pub(crate) const GAMES: [(&str, &str, &str); 6] = [
    ("catch-the-cat", r#"{"side":5}"#, "[99,99]"),
    ("reversi", r#"{"opening_plies":40}"#, "27"),
    (
        "crazy-camel",
        r#"{"width":5,"height":5,"camels":3,"plies_max":24}"#,
        r#"{"camel":{"h":[99,99]}}"#,
    ),
    (
        "monkey-metal-man",
        r#"{"map":"symmetric","side":11,"timeouts_max":2}"#,
        r#"{"Spotter":{"direction":[5,5],"moves":[]},"Assasin":{"direction":[1,0],"moves":[]}}"#,
    ),
    (
        "monkey-metal-man",
        r#"{"map":"symmetric","side":11,"players":3,"timeouts_max":2,"strict":true}"#,
        r#"{"Spotter":{"direction":[1,0],"moves":[[0,0]]},"Assasin":{"direction":[1,0],"moves":[]}}"#,
    ),
    ("connect-four", r#"{"opening_plies":2}"#, "99"),
];

/// How a game of [`GAMES`] begins. To draw it anew for every scene would take long.
struct Start {
    config: Box<RawValue>,
    setup: Box<RawValue>,
    seats: usize,
}

static STARTS: LazyLock<[Start; 6]> = LazyLock::new(|| {
    GAMES.map(|(slug, settings, _)| {
        let entry = engines::game(slug).expect("registered");
        let config = entry.configure(settings).expect("allowed");
        let setup = entry.draw(&config, 5).expect("allowed");
        let seats = entry.start(&setup).expect("drawn").seats();
        Start {
            config,
            setup,
            seats,
        }
    })
});

/// A game to play.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The index in [`GAMES`].
    pub(crate) game: usize,
    pub(crate) lifetime: Lifetime,
    pub(crate) mode: ClockMode,
    pub(crate) charge_start: bool,
    /// Whether there are clocks at all.
    pub(crate) is_timed: bool,
    pub(crate) are_greeted: bool,
    pub(crate) crimes: Vec<Crime>,
}

impl Scene {
    pub(crate) fn of(game: usize) -> Self {
        Self {
            game,
            lifetime: Lifetime::Game,
            mode: ClockMode::Cpu,
            charge_start: false,
            is_timed: true,
            are_greeted: false,
            crimes: Vec::new(),
        }
    }

    /// Returns whether such a misdeed is possible in such a game.
    pub(crate) fn allows(&self, phase: Phase, misdeed: Misdeed) -> bool {
        let is_charged = match phase {
            Phase::Hello => false,
            Phase::Start => self.charge_start,
            Phase::Turn => true,
        };
        let limited = is_charged && self.is_timed;
        let exists = match phase {
            Phase::Hello => !self.are_greeted,
            Phase::Start => self.lifetime != Lifetime::Turn,
            Phase::Turn => true,
        };
        exists
            && match misdeed {
                Misdeed::Late => limited,
                Misdeed::AtLimit => limited && self.mode == ClockMode::Cpu,
                Misdeed::CannotStart => phase == Phase::Hello,
                _ => true,
            }
    }

    pub(crate) fn with(&self, crime: Crime) -> Self {
        let mut scene = self.clone();
        scene.crimes.push(crime);
        scene
    }

    pub(crate) fn conditions(&self) -> Conditions {
        let (slug, ..) = GAMES[self.game];
        let limit = |us: u64| self.is_timed.then_some(us);
        let time = json!({"turn_us": limit(200_000), "bank_us": limit(900_000), "increment_us": 40,
            "charge_start": self.charge_start});
        let conditions = json!({
            "game": slug, "config": {}, "time": time, "mode": self.mode, "backstop_ms": 1000,
            "idle_ms": model::fixture::IDLE_DEFAULT_MS, "startup_ms": 3000,
            "lifetime": self.lifetime, "memory_mib": 1024, "processes": false,
        });
        let mut conditions: Conditions = serde_json::from_value(conditions).expect("plain data");
        conditions.config.clone_from(&STARTS[self.game].config);
        conditions
    }

    fn fixture(&self, rules: &dyn Rules, conditions: &Conditions) -> Fixture {
        let Start { setup, seats, .. } = &STARTS[self.game];
        let participant = |seat: usize| Participant {
            entrant: format!("entrant {seat}").into(),
            artifact: format!("{seat}").into(),
        };
        let luck = Draw::public(1, FINAL).state(0).luck(*seats);
        let seats = (0..*seats).map(participant).collect();
        let terms = Terms::new(rules.info().rules_version, conditions);
        Fixture::new(&terms, 0, seats, setup.clone().into(), luck.into())
    }

    pub(crate) fn play(&self) -> MatchRecord {
        let conditions = self.conditions();
        let asked = Rc::default();
        let mut players = Seating(|seat: Seat| Seated {
            player: Box::new(CrimePlayer {
                seat: seat.index(),
                scene: self.clone(),
                asked: Rc::clone(&asked),
                line: Vec::new(),
            }),
            ready: self.are_greeted.then_some(Ready {
                name: None,
                legal_moves: true,
            }),
            startup_free_ms: None,
        });
        let rules = rules_of(&conditions);
        let fixture = self.fixture(&*rules, &conditions);
        let played = referee::table::play(&*rules, &fixture, &conditions, &mut players);
        played.expect("no failure of ours").record
    }
}

/// Lists the seats of a game of these tests.
pub(crate) fn seats(game: usize) -> impl Iterator<Item = Seat> {
    (0..STARTS[game].seats).map(Seat::new)
}

/// Returns the rules that the conditions name.
pub(crate) fn rules_of(conditions: &Conditions) -> Arc<dyn Rules> {
    rulebook::rules::of(conditions).expect("registered")
}

/// Lists the differences of a record that includes all words.
pub(crate) fn refereed(conditions: &Conditions, record: &MatchRecord) -> Vec<String> {
    let rules = rules_of(conditions);
    let differences = referee::verify::referee(&*rules, conditions, record, WordsKnown::All);
    let differences = differences.expect("built-in rules do not fail");
    differences.iter().map(ToString::to_string).collect()
}
