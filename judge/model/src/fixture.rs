//! One game to be played: its seats, its initial state and its conditions.

use crate::artifact::{KIT_STARTUP_FREE_MS, STARTUP_FREE_MS};
use crate::clock::ClockMode;
use crate::draw::{BotSeeds, PartsHash};
use crate::fault::{Cause, Offence};
use crate::game_id::GameId;
use crate::protocol::{self, Hello, Start, ToBot};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use engines::{GameInfo, Lifetime, Seat, Seats, TimeControl};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Default of [`Conditions::idle_ms`]. Honest bots need a small part, to read files not in memory.
pub const IDLE_DEFAULT_MS: u64 = 5_000;

/// The end of a game of one's own that is not over before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PliesLimit {
    /// Maximum number of plies.
    pub plies_max: u32,
    /// Decides a game that is not over then.
    pub at_limit: AtLimit,
}

/// The way to decide a game of one's own that is not over after its last ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtLimit {
    /// It is drawn.
    Draw,
    /// The rules must have an outcome.
    Rules,
}

/// The seats of a game whose bots are not started again, as they never became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unready {
    /// The seats.
    pub seats: Seats,
    /// Why the bots did not become ready when they were started.
    pub cause: Cause,
}

impl Unready {
    /// Returns the offence of a bot that is not started.
    pub fn offence(self) -> Offence {
        Offence::new(
            self.cause,
            "not started again: it became ready in none of its first three games",
        )
    }
}

/// The clock of one entrant. What it does not set is as for everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnClock {
    /// The maximum time of a single turn, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_us: Option<u64>,
    /// The time on the clock at the start of the game, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_us: Option<u64>,
    /// The time added to the bank at the start of each turn, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_us: Option<u64>,
}

/// The conditions of every game of a run. A change to any of them makes other fixtures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The game's slug.
    pub game: String,
    /// The hash of the program that serves the rules; none for a built-in game.
    pub game_program: Option<String>,
    /// The hash of the program's version that has taken over, if any. No id depends on it.
    pub game_mended: Option<String>,
    /// How long a game may be at most; none for a built-in game, whose rules end it.
    pub limit: Option<PliesLimit>,
    /// The game's complete configuration.
    pub config: Box<RawValue>,
    /// The time of each seat.
    pub time: TimeControl,
    /// Other times of some entrants, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clocks: BTreeMap<String, OwnClock>,
    /// The kind of time that the clocks charge.
    pub mode: ClockMode,
    /// The wall-clock limit for an answer, in milliseconds, on a CPU clock. It catches silence only.
    pub backstop_ms: u64,
    /// Maximum silence of a seat in a game, in milliseconds, see [`Conditions::idle_max`].
    pub idle_ms: u64,
    /// The wall-clock limit for startup (`hello` to `ready`), in milliseconds.
    pub startup_ms: u64,
    /// The free CPU time of a startup, in milliseconds; the rest is charged to the first turn. None = the
    /// [program's own](crate::artifact::Artifact::startup_free_ms), or else [`STARTUP_FREE_MS`] if a
    /// process lives for one turn.
    pub startup_free_ms: Option<u64>,
    /// The lifetime of a bot's process.
    pub lifetime: Lifetime,
    /// The memory that a bot may allocate, in MiB.
    pub memory_mib: u64,
    /// Whether bots may start processes. Those are charged and ended with the bot.
    pub processes: bool,
}

impl Conditions {
    /// Returns the conditions that ids depend on.
    #[must_use]
    pub fn in_ids(&self) -> Self {
        Self {
            game_mended: None,
            ..self.clone()
        }
    }

    /// Gives every seat the clock of one entrant.
    #[must_use]
    pub fn with_clock_of(mut self, entrant: &str) -> Self {
        self.time = self.time_of(entrant);
        self.clocks.clear();
        self
    }

    /// Returns the time of an entrant's seats.
    pub fn time_of(&self, entrant: &str) -> TimeControl {
        let own = self.clocks.get(entrant).copied().unwrap_or_default();
        TimeControl {
            turn_us: own.turn_us.or(self.time.turn_us),
            bank_us: own.bank_us.or(self.time.bank_us),
            increment_us: own.increment_us.unwrap_or(self.time.increment_us),
            ..self.time
        }
    }

    /// Returns the hash of the program that serves the rules; none for a built-in game.
    pub fn rules_program(&self) -> Option<&str> {
        self.game_mended.as_deref().or(self.game_program.as_deref())
    }

    /// Takes over the identity of the game from a run begun with any version of its program.
    pub fn keep_game(&mut self, begun: &Self) {
        let program = self.rules_program().map(String::from);
        self.game_mended = program.filter(|program| begun.game_program.as_ref() != Some(program));
        self.game_program.clone_from(&begun.game_program);
    }

    /// Returns the maximum silence of a seat in a game; none = unlimited. Silence is wall time in which the
    /// bot neither computes nor waits for a CPU. A wall clock charges it already.
    pub fn idle_max(&self) -> Option<Duration> {
        (self.mode == ClockMode::Cpu).then_some(Duration::from_millis(self.idle_ms))
    }

    /// Returns the maximum silence in one turn on a CPU clock.
    pub fn silence_max(&self) -> Duration {
        let backstop = Duration::from_millis(self.backstop_ms);
        self.idle_max().map_or(backstop, |idle| idle.min(backstop))
    }

    /// Returns the free CPU time of a startup, in milliseconds; none = all. `own` is the program's.
    pub fn startup_free_ms(&self, own: Option<u64>) -> Option<u64> {
        let default = (self.lifetime == Lifetime::Turn).then_some(STARTUP_FREE_MS);
        self.startup_free_ms.or(own).or(default)
    }

    /// Says how much of a startup is free; none if all of it is.
    pub fn startup_words(&self) -> Option<String> {
        let free = self.startup_free_ms(None)?;
        let kits = match self.startup_free_ms {
            Some(_) => String::new(),
            None => format!(" ({KIT_STARTUP_FREE_MS} ms with the kits for C++, OCaml and Haskell)"),
        };
        Some(format!(
            "{free} ms of CPU time are free until a process is ready{kits}; the rest is charged to its first turn"
        ))
    }
}

/// The entrant in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Participant {
    /// The entrant's name.
    pub entrant: Arc<str>,
    /// The hash of the entrant's artifact.
    pub artifact: Arc<str>,
}

/// One game to be played. A big competition has millions in memory, which share equal parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// A hash of rules, conditions, participants, setup, and the bots' draw.
    pub id: GameId,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// The participants, in seat order.
    pub seats: Arc<[Participant]>,
    /// The initial state.
    pub setup: Arc<RawValue>,
    /// The bots' random numbers.
    pub luck: Arc<BotSeeds>,
    /// The game's number in the schedule, from 1; 0 = none. No id depends on it.
    pub number: u32,
    /// The seats of bots that have had their [`FIRST_GAMES`](crate::startup::FIRST_GAMES). No id depends on
    /// it.
    pub later: Seats,
    /// The seats whose bots are not started, if any. No id depends on it.
    pub unready: Option<Unready>,
}

/// The part of a game's id that is the same for all games of a run: protocol, rules and conditions.
#[derive(Clone, Debug)]
pub struct Terms {
    begun: PartsHash,
}

impl Terms {
    /// Makes the terms of a run. `rules_version` is [`engines::GameInfo::rules_version`].
    pub fn new(rules_version: u32, conditions: &Conditions) -> Self {
        #[derive(Serialize)]
        struct Content {
            protocol: u32,
            rules_version: u32,
            conditions: Conditions,
        }
        let content = Content {
            protocol: protocol::VERSION,
            rules_version,
            conditions: conditions.in_ids(),
        };
        let mut begun = PartsHash::default();
        begun.add(&serde_json::to_vec(&content).expect("plain data"));
        Self { begun }
    }

    /// Returns a game's id. `seats` are names and artifacts, and `draw` is [`BotSeeds::draw`].
    pub fn id(&self, state: u32, seats: &[(&str, &str)], setup: &RawValue, draw: &str) -> GameId {
        let own = serde_json::to_vec(&(state, seats, setup, draw)).expect("plain data");
        let mut id = self.begun.clone();
        id.add(&own);
        GameId(id.finish())
    }
}

impl Fixture {
    /// Makes a fixture and its id.
    pub fn new(
        terms: &Terms,
        state: u32,
        seats: Arc<[Participant]>,
        setup: Arc<RawValue>,
        luck: Arc<BotSeeds>,
    ) -> Self {
        let names: Vec<(&str, &str)> = seats
            .iter()
            .map(|one| (&*one.entrant, &*one.artifact))
            .collect();
        Self {
            id: terms.id(state, &names, &setup, &luck.draw),
            state,
            seats,
            setup,
            luck,
            number: 0,
            later: Seats::NONE,
            unready: None,
        }
    }

    /// Makes the first message to a seat's bot.
    pub fn hello<'a>(
        &'a self,
        info: &'a GameInfo,
        conditions: &'a Conditions,
        seat: Seat,
    ) -> ToBot<'a> {
        let index = seat.index();
        ToBot::Hello(Hello {
            protocol: protocol::VERSION,
            game: info.slug,
            seat: index,
            role: info.roles[index],
            seats: self.seats.len(),
            config: &conditions.config,
            seed: self.luck.seed(seat),
            long_seed: &self.luck.seeds[index],
            time: conditions.time_of(&self.seats[index].entrant),
            counts: conditions.mode,
            lifetime: conditions.lifetime,
            notes: true,
        })
    }

    /// Makes the message to a seat's bot at the start of the game.
    pub fn start<'a>(&'a self, info: &'a GameInfo, seat: Seat) -> ToBot<'a> {
        ToBot::Start(Start {
            seat: seat.index(),
            role: info.roles[seat.index()],
            seed: self.luck.seed(seat),
            long_seed: &self.luck.seeds[seat.index()],
        })
    }

    /// Returns the seats of an entrant.
    pub fn seats_of(&self, entrant: &str) -> Seats {
        self.seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| *seat.entrant == *entrant)
            .fold(Seats::NONE, |all, (index, _)| all.with(Seat::new(index)))
    }

    /// Returns the key of the match, the same for all seatings.
    pub fn match_key(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.seats.iter().map(|s| &*s.entrant).collect();
        names.sort_unstable();
        names
    }
}

/// Returns the leg: by how many places the seats are turned from the order that begins with the first
/// name. It is 0 where there is one of [`legs`].
pub fn leg(lifetime: Lifetime, entrants: &[&str]) -> usize {
    let turned = |by: usize| entrants[by..].iter().chain(&entrants[..by]);
    let all = 0..legs(lifetime, entrants.len());
    all.min_by(|a, b| turned(*a).cmp(turned(*b))).unwrap_or(0)
}

/// Returns the number of legs with seeds of their own: one, unless a process would know the next.
pub const fn legs(lifetime: Lifetime, seats: usize) -> usize {
    match lifetime {
        Lifetime::Turn | Lifetime::Game => 1,
        Lifetime::Match => seats,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_differ_only_where_processes_remember() {
        for (entrants, expected) in [
            (&["a", "b"][..], 0),
            (&["b", "a"], 1),
            (&["a", "a"], 0),
            (&["b", "c", "d", "a"], 3),
            (&["d", "a", "b", "c"], 1),
            (&["x", "x", "a", "x"], 2),
        ] {
            assert_eq!(leg(Lifetime::Match, entrants), expected, "{entrants:?}");
            assert_eq!(leg(Lifetime::Game, entrants), 0);
        }
    }

    #[test]
    fn fixture_takes_72_bytes() {
        assert_eq!(size_of::<Fixture>(), 72);
    }
}
