//! Trial games, neither scored nor kept, and the estimate of a tournament's cost from them.

use crate::play::whole_us;
use crate::play::worker::CAGES_MAX;
use crate::tournament::{PlayTime, TournamentEvent, TournamentPlan};
use engines::Lifetime;
use model::fault::Cause;
use model::fixture::Fixture;
use model::record::MatchRecord;
use model::startup::{FIRST_GAMES, Startup};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::{IoContext, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::Journal;
use system::cleanup::TemporaryFolder;

const GAMES_MAX: usize = 200;
/// Number of trial games of every entrant in every seat.
const TRIES: u32 = 3;
/// Further trial games are played until this part of the time limit has passed.
const SPARE_PART: u32 = 4;

/// The outcome of a trial.
pub struct Trial {
    /// Cost of the games that ended.
    pub sample: Sample,
    /// Duration of the trial.
    pub elapsed: Duration,
    /// Whether games were still in play when it was ended.
    pub cut: bool,
}

impl Trial {
    /// Plays some missing games, drawn by `seed`. Those in play after `time_max` are ended.
    pub(crate) fn play(
        mut plan: TournamentPlan<'_>,
        missing: &[&Fixture],
        seed: u64,
        time_max: Duration,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let folder =
            TemporaryFolder::new("plan", 0o700).or_io("make a folder in", std::env::temp_dir())?;
        let conditions = &mut plan.order.conditions;
        let mut journal = Journal::open(folder.path(), conditions)?;
        let mut sample = Sample::of_trial(conditions.startup_ms);
        // A mute bot must not take the time of the whole trial.
        let startup_max = u64::try_from((time_max / SPARE_PART).as_millis());
        conditions.startup_ms = startup_max.unwrap_or(u64::MAX).min(conditions.startup_ms);
        let (ended, abandon) = (&plan.stop, &plan.abandon);
        let (games, needed) = pick(missing, seed);
        let began = Instant::now();
        let played = crate::tournament::play(&plan, &games, &mut journal, &mut |event| {
            if let TournamentEvent::Finished(record, _, Some(took)) = event {
                let line = serde_json::to_vec(record).expect("plain data");
                sample.add(record, took, line.len() as u64 + 1);
            }
            let elapsed = began.elapsed();
            let is_enough = sample.games() >= needed as u64 && elapsed > time_max / SPARE_PART;
            let is_late = elapsed > time_max;
            if is_late {
                abandon.store(true, Ordering::Relaxed);
            }
            if is_enough || is_late || stop.load(Ordering::Relaxed) {
                ended.store(true, Ordering::Relaxed);
            }
        });
        let cut = abandon.load(Ordering::Relaxed);
        if !cut {
            played?;
        }
        Ok(Self {
            sample,
            elapsed: began.elapsed(),
            cut,
        })
    }
}

/// Picks games at random. First come those, and their number is returned, that give every entrant
/// every seat up to [`TRIES`] times.
fn pick(missing: &[&Fixture], seed: u64) -> (Vec<Fixture>, usize) {
    let mut order: Vec<&Fixture> = missing.to_vec();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut tries: HashMap<(&str, usize), u32> = HashMap::new();
    let (mut needed, mut others) = (Vec::new(), Vec::new());
    for fixture in order {
        let seats = || (fixture.seats.iter().zip(0..)).map(|(one, seat)| (&*one.entrant, seat));
        let is_needed = seats().any(|seat| tries.get(&seat).is_none_or(|&n| n < TRIES));
        if is_needed {
            for seat in seats() {
                *tries.entry(seat).or_default() += 1;
            }
        }
        let picked = if is_needed { &mut needed } else { &mut others };
        picked.push(fixture.clone());
    }
    needed.truncate(GAMES_MAX);
    let picked = needed.len();
    others.truncate(GAMES_MAX - picked);
    ([needed, others].concat(), picked)
}

/// The trial games.
#[derive(Default)]
pub struct Sample {
    games: Vec<TrialGame>,
    cages: Cages,
    bytes: u64,
    /// The limit of a startup outside of the trial, in microseconds; 0 if these are no trial games.
    startup_us: u64,
    ready: BTreeSet<String>,
    unready: BTreeSet<String>,
}

struct TrialGame {
    /// By seat, the entrant and the cost of this game.
    seats: Vec<(String, SeatCost)>,
    wall_us: u64,
}

impl TrialGame {
    fn new_cages(&self) -> u64 {
        self.seats.iter().map(|(_, cost)| cost.new.games).sum()
    }
}

#[derive(Clone, Copy, Default)]
struct SeatCost {
    games: u64,
    turns: u64,
    turns_us: u64,
    /// In microseconds; nobody is charged this.
    starts_cpu_us: u64,
    ready: Startups,
    new: Startups,
}

#[derive(Clone, Copy, Default)]
struct Startups {
    games: u64,
    wall_us: u64,
}

impl SeatCost {
    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.turns += other.turns;
        self.turns_us += other.turns_us;
        self.starts_cpu_us += other.starts_cpu_us;
        for (sum, own) in [(&mut self.ready, other.ready), (&mut self.new, other.new)] {
            sum.games += own.games;
            sum.wall_us += own.wall_us;
        }
    }

    fn turns_us(&self) -> f64 {
        mean(self.turns_us, self.games)
    }

    /// In a ready sandbox, the usual case in a tournament, if there was such a trial.
    fn startup_us(&self) -> f64 {
        let startups = match self.ready.games {
            0 => self.new,
            _ => self.ready,
        };
        mean(startups.wall_us, startups.games)
    }
}

#[derive(Default)]
struct SeatCosts<'a> {
    seated: HashMap<(&'a str, usize), SeatCost>,
    seats: HashMap<usize, SeatCost>,
}

impl<'a> SeatCosts<'a> {
    fn of(games: &'a [TrialGame]) -> Self {
        let mut costs = Self::default();
        for (seat, (entrant, cost)) in games.iter().flat_map(|game| game.seats.iter().enumerate()) {
            costs.seated.entry((entrant, seat)).or_default().add(cost);
            costs.seats.entry(seat).or_default().add(cost);
        }
        costs
    }

    fn find(&self, entrant: &str, seat: usize) -> SeatCost {
        self.seated
            .get(&(entrant, seat))
            .or_else(|| self.seats.get(&seat))
            .copied()
            .unwrap_or_default()
    }

    fn players_us(&self, game: &TrialGame) -> f64 {
        game.seats
            .iter()
            .enumerate()
            .map(|(seat, (entrant, _))| self.find(entrant, seat))
            .map(|cost| cost.turns_us() + cost.startup_us())
            .sum()
    }
}

/// Cost of games besides their players: starts and ends of processes, and the judge's own work.
struct Overhead {
    game_us: f64,
    cage_us: f64,
}

impl Overhead {
    /// If every game had a new sandbox, its cost is not separable.
    fn of(games: &[TrialGame], costs: &SeatCosts<'_>) -> Self {
        let rest = |game: &TrialGame| float(game.wall_us) - costs.players_us(game);
        let warm: Vec<&TrialGame> = games.iter().filter(|game| game.new_cages() == 0).collect();
        let all_us: f64 = games.iter().map(rest).sum();
        let cages: u64 = games.iter().map(TrialGame::new_cages).sum();
        if warm.is_empty() {
            return Self {
                game_us: (all_us / float(games.len() as u64)).max(0.0),
                cage_us: 0.0,
            };
        }
        let warm_us: f64 = warm.iter().map(|game| rest(game)).sum();
        let game_us = (warm_us / float(warm.len() as u64)).max(0.0);
        let cages_us = all_us - game_us * float(games.len() as u64);
        Self {
            game_us,
            cage_us: (cages_us / float(cages.max(1))).max(0.0),
        }
    }
}

/// The sandboxes that each worker keeps, the most recently used at the end.
#[derive(Default)]
struct Cages(HashMap<usize, VecDeque<(String, usize)>>);

impl Cages {
    fn enter(&mut self, worker: usize, program: &str, seat: usize) -> bool {
        let kept = self.0.entry(worker).or_default();
        let known = kept
            .iter()
            .position(|(own, its)| own == program && *its == seat)
            .and_then(|at| kept.remove(at));
        let is_new = known.is_none();
        if is_new && kept.len() == CAGES_MAX {
            kept.pop_front();
        }
        kept.push_back(known.unwrap_or_else(|| (program.to_owned(), seat)));
        is_new
    }
}

/// Times are in microseconds.
#[derive(Default)]
pub(crate) struct GameEstimate {
    pub(crate) wall_us: f64,
    starts: f64,
    starts_cpu_us: f64,
}

/// Cost of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Number of games.
    pub games: u64,
    /// Number of starts of bots' processes.
    pub starts: f64,
    /// CPU time of these starts, in microseconds.
    pub starts_cpu_us: f64,
    /// Wall time of all games on all workers at once, in microseconds.
    pub wall_us: f64,
    /// Size of the journal's lines, in bytes.
    pub bytes: f64,
}

impl Sample {
    /// Startups may be cut short here; `startup_ms` is their limit in other games.
    fn of_trial(startup_ms: u64) -> Self {
        Self {
            startup_us: startup_ms.saturating_mul(1000),
            ..Self::default()
        }
    }

    /// Lists the entrants whose startups were cut short in all trial games.
    pub fn never_ready(&self) -> impl Iterator<Item = &str> {
        self.unready
            .difference(&self.ready)
            .filter(|_| self.startup_us > 0)
            .map(String::as_str)
    }

    /// Adds a game; `bytes` is the size of its line in the journal.
    fn add(&mut self, record: &MatchRecord, took: PlayTime, bytes: u64) {
        self.bytes += bytes;
        let mut seats = Vec::new();
        for (index, seat) in record.seats.iter().enumerate() {
            let (name, overloaded) = (&seat.entrant, record.overloaded);
            match Startup::of(name, &record.seats, &record.faults, overloaded) {
                Startup::Ready => self.ready.insert(name.clone()),
                Startup::Unready(Cause::Time | Cause::Silence | Cause::Idle) => {
                    self.unready.insert(name.clone())
                }
                // A bot that ends at once does so in other games, too.
                Startup::Unready(_) | Startup::Unknown => false,
            };
            let turns = record.turns.iter();
            let mut cost = SeatCost {
                games: 1,
                turns: turns.filter(|turn| turn.seat.index() == index).count() as u64,
                turns_us: seat.wall_us,
                starts_cpu_us: seat.uncharged_us,
                ..SeatCost::default()
            };
            let startups = if self.cages.enter(took.worker, &seat.artifact, index) {
                &mut cost.new
            } else {
                &mut cost.ready
            };
            *startups = Startups {
                games: 1,
                wall_us: seat.startup_wall_us,
            };
            seats.push((name.clone(), cost));
        }
        let wall_us = whole_us(took.wall);
        self.games.push(TrialGame { seats, wall_us });
    }

    /// Returns the number of trial games.
    pub const fn games(&self) -> u64 {
        self.games.len() as u64
    }

    /// Estimates the cost of these games with `jobs` at once. Returns `None` without trial games.
    pub fn whole<'a>(
        &self,
        fixtures: impl Iterator<Item = &'a Fixture>,
        lifetime: Lifetime,
        jobs: usize,
    ) -> Option<Estimate> {
        let each = self.each(fixtures, lifetime, jobs)?;
        let games = each.len() as u64;
        let busy_us: f64 = each.iter().map(|game| game.wall_us).sum();
        Some(Estimate {
            games,
            starts: each.iter().map(|game| game.starts).sum(),
            starts_cpu_us: each.iter().map(|game| game.starts_cpu_us).sum(),
            wall_us: busy_us / float(games.min(jobs as u64).max(1)),
            bytes: float(self.bytes) / float(self.games()) * float(games),
        })
    }

    /// By entrants in their seats, or by seats for entrants without trial games.
    pub(crate) fn each<'a>(
        &self,
        fixtures: impl Iterator<Item = &'a Fixture>,
        lifetime: Lifetime,
        jobs: usize,
    ) -> Option<Vec<GameEstimate>> {
        if self.games.is_empty() {
            return None;
        }
        let costs = SeatCosts::of(&self.games);
        let overhead = Overhead::of(&self.games, &costs);
        let mut cages = Cages::default();
        let mut matches: HashSet<Vec<&str>> = HashSet::new();
        // A mute bot is started in its first games only.
        let mut waits: HashMap<&str, usize> =
            self.never_ready().map(|name| (name, FIRST_GAMES)).collect();
        let estimate = |(number, fixture): (usize, &'a Fixture)| {
            let starts_anew = lifetime != Lifetime::Match || matches.insert(fixture.match_key());
            let mut game = GameEstimate::default();
            if starts_anew {
                game.wall_us += overhead.game_us;
            }
            for (seat, participant) in fixture.seats.iter().enumerate() {
                if let Some(left) = waits.get_mut(&*participant.entrant) {
                    if *left > 0 {
                        game.wall_us += float(self.startup_us);
                        game.starts += 1.0;
                    }
                    *left = left.saturating_sub(1);
                    continue;
                }
                let cost = costs.find(&participant.entrant, seat);
                game.wall_us += cost.turns_us();
                if starts_anew {
                    game.wall_us += cost.startup_us();
                    game.starts_cpu_us += mean(cost.starts_cpu_us, cost.games);
                    game.starts += match lifetime {
                        Lifetime::Turn => mean(cost.turns, cost.games),
                        Lifetime::Game | Lifetime::Match => 1.0,
                    };
                }
                if cages.enter(number % jobs, &participant.artifact, seat) {
                    game.wall_us += overhead.cage_us;
                }
            }
            game
        };
        Some(fixtures.enumerate().map(estimate).collect())
    }

    /// Returns the entrant with the highest mean wall time in a game, and that time in seconds.
    pub fn slowest(&self) -> Option<(&str, f64)> {
        let sum_us = |cost: SeatCost| cost.turns_us + cost.ready.wall_us + cost.new.wall_us;
        self.dearest(|cost| mean(sum_us(cost), cost.games) / 1e6)
    }

    /// Returns whose process takes the most CPU time until it is ready, and this time in µs.
    pub fn dearest_start(&self) -> Option<(&str, f64)> {
        self.dearest(|cost| mean(cost.starts_cpu_us, cost.turns))
    }

    fn dearest(&self, of: impl Fn(SeatCost) -> f64) -> Option<(&str, f64)> {
        let mut by_entrant: BTreeMap<&str, SeatCost> = BTreeMap::new();
        for (entrant, cost) in self.games.iter().flat_map(|game| &game.seats) {
            by_entrant.entry(entrant).or_default().add(cost);
        }
        by_entrant
            .into_iter()
            .map(|(name, cost)| (name, of(cost)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(a.0)))
    }
}

fn mean(sum: u64, count: u64) -> f64 {
    float(sum) / float(count.max(1))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and microseconds far below 2^53"
)]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::draw::Draw;
    use model::fixture::Participant;
    use model::game_id::GameId;
    use model::record::SeatRecord;
    use serde_json::value::RawValue;

    fn record(seats: [(&str, u64, u64); 2]) -> MatchRecord {
        let seat = |(entrant, wall_us, startup_wall_us): (&str, u64, u64)| SeatRecord {
            entrant: entrant.to_owned(),
            artifact: entrant.to_owned(),
            wall_us,
            startup_wall_us,
            ..SeatRecord::default()
        };
        let record = serde_json::json!({
            "v": model::FORMAT, "fixture": "0".repeat(32), "game": "", "state": 0, "setup": {},
            "draw": "", "seats": seats.map(seat), "faults": [], "end": "rules",
            "turns": [[0, null, 0, 0], [1, null, 0, 0], [0, null, 0, 0]],
            "outcome": {"seats": [], "reason": ""},
        });
        serde_json::from_value(record).expect("a record")
    }

    fn fixture(seats: [&str; 2]) -> Fixture {
        let participant = |entrant: &str| Participant {
            entrant: entrant.into(),
            artifact: entrant.into(),
        };
        Fixture {
            id: GameId::parse(&[b'0'; 32]).expect("an id"),
            state: 0,
            seats: seats.map(participant).into(),
            setup: RawValue::from_string("{}".to_owned()).expect("JSON").into(),
            luck: Draw::public(1, "final").state(0).luck(2).into(),
            number: 0,
            later: engines::Seats::NONE,
            unready: None,
        }
    }

    /// Adds a game that a worker played.
    fn add(sample: &mut Sample, seats: [(&str, u64, u64); 2], worker: usize, wall_us: u64) {
        let wall = Duration::from_micros(wall_us);
        sample.add(&record(seats), PlayTime { worker, wall }, 200);
    }

    /// Two games that took no longer than their players.
    fn sample() -> Sample {
        let mut sample = Sample::default();
        add(&mut sample, [("slow", 1000, 50), ("quick", 10, 5)], 0, 1065);
        add(&mut sample, [("quick", 20, 5), ("slow", 3000, 50)], 0, 3075);
        sample
    }

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-6, "{one} {other}");
    }

    #[test]
    fn every_seat_takes_what_its_entrant_took_there() {
        let games = [
            fixture(["slow", "quick"]),
            fixture(["slow", "quick"]),
            // Unknown: the average of the players in that seat.
            fixture(["new", "slow"]),
        ];
        let whole = |lifetime| {
            let whole = sample().whole(games.iter(), lifetime, 1);
            whole.expect("tried out")
        };
        let by_game = whole(Lifetime::Game);
        let slow_quick = 1000.0 + 50.0 + 10.0 + 5.0;
        let new_slow = 1020.0 / 2.0 + 55.0 / 2.0 + 3000.0 + 50.0;
        near(by_game.wall_us, 2.0 * slow_quick + new_slow);
        assert_eq!(by_game.games, 3);
        near(by_game.starts, 6.0);
        near(by_game.bytes, 600.0);
        let by_match = whole(Lifetime::Match);
        near(by_match.starts, 4.0);
        near(by_game.wall_us - by_match.wall_us, 55.0);
        // Two turns for the first seat, one for the second.
        near(whole(Lifetime::Turn).starts, 9.0);
    }

    #[test]
    fn total_time_is_mean_game_time_per_worker() {
        let seats = [("a", 100, 20), ("b", 100, 20)];
        // Wall times of trial games on their workers, games and workers of the tournament, and its
        // wall time.
        let rows = [
            // All had new sandboxes: every game is assumed to have them.
            (&[(0, 1240)][..], 10, 1, 12_400.0),
            (&[(0, 1240), (1, 2240)], 10, 2, 8_700.0),
            // Two new sandboxes took 500 each, and every game 1240.
            (&[(0, 2240), (0, 1240)], 10, 1, 13_400.0),
            (&[(0, 2240), (0, 1240), (0, 1240)], 600, 1, 745_000.0),
            // Each worker makes its own.
            (&[(0, 2240), (0, 1240)], 10, 2, 7_200.0),
            // No more at once than there are games.
            (&[(0, 1240), (0, 1240)], 1, 8, 1_240.0),
            // Games never take less than their players.
            (&[(0, 7)], 10, 1, 2_400.0),
        ];
        for (tried, games, jobs, expected) in rows {
            let mut sample = Sample::default();
            for &(worker, wall_us) in tried {
                add(&mut sample, seats, worker, wall_us);
            }
            let games = vec![fixture(["a", "b"]); games];
            let whole = sample.whole(games.iter(), Lifetime::Game, jobs);
            near(whole.expect("tried out").wall_us, expected);
        }
    }

    #[test]
    fn start_in_new_sandbox_is_counted_only_once() {
        let mut sample = Sample::default();
        add(&mut sample, [("a", 100, 920), ("b", 100, 920)], 0, 3040);
        add(&mut sample, [("a", 100, 20), ("b", 100, 20)], 0, 1240);
        let games = vec![fixture(["a", "b"]); 10];
        let whole = sample.whole(games.iter(), Lifetime::Game, 1);
        near(whole.expect("tried out").wall_us, 12_400.0 + 1_800.0);
    }

    #[test]
    fn worker_keeps_most_recently_used_sandboxes() {
        let mut cages = Cages::default();
        let names: Vec<String> = (0..=CAGES_MAX).map(|n| n.to_string()).collect();
        let mut all = || names.iter().filter(|name| cages.enter(0, name, 1)).count();
        assert_eq!(all(), CAGES_MAX + 1);
        assert_eq!(all(), CAGES_MAX + 1, "each was given up before its turn");
        let last = &names[CAGES_MAX];
        assert!(!cages.enter(0, last, 1));
        assert!(cages.enter(0, last, 0), "another seat");
        assert!(cages.enter(1, last, 1), "another worker");
    }

    #[test]
    fn empty_sample_gives_no_estimate_slowest_is_named() {
        let games = [fixture(["a", "b"])];
        let none = Sample::default().whole(games.iter(), Lifetime::Game, 1);
        assert_eq!(none, None);
        assert_eq!(sample().slowest().map(|(name, _)| name), Some("slow"));
    }

    #[test]
    fn only_timed_out_startup_takes_its_full_limit() {
        for (cause, mute) in [(Cause::Silence, &["slow"][..]), (Cause::Exit, &[])] {
            let mut record = record([("slow", 0, 50), ("quick", 10, 5)]);
            let fault = serde_json::json!({"seat": 0, "ply": 0, "phase": "hello", "cause": cause,
                "detail": "", "cpu_us": 0, "wall_us": 9});
            record.faults = vec![serde_json::from_value(fault).expect("a fault")];
            let mut sample = Sample::of_trial(20_000);
            let took = PlayTime {
                worker: 0,
                wall: Duration::ZERO,
            };
            sample.add(&record, took, 0);
            assert_eq!(sample.never_ready().collect::<Vec<_>>(), mute, "{cause}");
        }
    }
}
