//! Interim results of a run: standings with confidence intervals, faults by cause, slow bots; and the
//! events that `judge run --json-events` prints as lines, which `protocol.md` lists.

use super::standings::interval;
use super::table::{NAME_CHARS_MAX, TextColumn, draw, shortened};
use crate::terminal::joined;
use engines::{GameResult, Seat, SeatOutcome};
use model::competition::Competition;
use model::fault::{Cause, quote};
use model::fixture::Conditions;
use model::numbers::{counted, time};
use model::record::{MatchRecord, MatchResult, SeatRecord};
use rulebook::scoring::{Blocks, RESAMPLES, Ranked, Standing, Standings, Uncertainty, ranks_of};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

pub(crate) struct Live {
    standings: Standings,
    blocks: Blocks,
    entrants: Vec<String>,
    seed: u64,
    uncertainty: HashMap<String, Uncertainty>,
    faults: BTreeMap<Cause, u64>,
    slow: HashMap<String, Slow>,
    conditions: Conditions,
    pub(super) total: usize,
    /// Games played, by this command and before it.
    pub(super) played: usize,
}

struct Slow {
    share: f64,
    text: String,
}

const LEADERS: usize = 3;
/// Share of the time limit from which on a bot counts as slow.
const SLOW_SHARE: f64 = 0.5;
const SLOW_SHOWN: usize = 3;
/// Fewer resampled tournaments say too little. The next constant keeps the work to about a second.
const DRAWS_MIN: usize = 100;
const DRAWN_SHARES_MAX: usize = 20_000_000;

impl Live {
    /// `seed` seeds the resampling.
    pub(crate) fn new(
        competition: &Competition,
        ranked: &[Ranked],
        roles: usize,
        total: usize,
        seed: u64,
    ) -> Self {
        let conditions = &competition.conditions;
        let standings = Standings::new(&competition.scoring, ranked, roles);
        let ranked: Vec<Ranked> = ranked.iter().filter(|one| !one.unranked).cloned().collect();
        Self {
            standings,
            blocks: Blocks::new(&competition.scoring, &ranked),
            entrants: ranked.iter().map(|one| one.name.clone()).collect(),
            seed,
            uncertainty: HashMap::new(),
            faults: BTreeMap::new(),
            slow: HashMap::new(),
            conditions: conditions.clone(),
            total,
            played: 0,
        }
    }

    pub(crate) fn add(&mut self, game: usize, result: &MatchResult) {
        self.standings.add(game, result);
        if !self.standings.is_unranked(result) {
            self.blocks.add(result);
        }
        self.played += 1;
        for fault in &result.faults {
            *self.faults.entry(fault.cause).or_default() += 1;
        }
    }

    /// Records which seats of a game used much of their time, by the game's number.
    pub(crate) fn note_slow(&mut self, game: usize, record: &MatchRecord) {
        for (index, seat) in record.seats.iter().enumerate() {
            if let Some(slow) = self.slowness(game, record, index, seat)
                && self
                    .slow
                    .get(&seat.entrant)
                    .is_none_or(|old| old.share < slow.share)
            {
                self.slow.insert(seat.entrant.clone(), slow);
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    fn slowness(
        &self,
        game: usize,
        record: &MatchRecord,
        index: usize,
        seat: &SeatRecord,
    ) -> Option<Slow> {
        let (control, mode) = (self.conditions.time_of(&seat.entrant), self.conditions.mode);
        let own = record
            .turns
            .iter()
            .filter(|turn| turn.seat.index() == index);
        let (used, limit, what) = if let Some(limit) = control.turn_us {
            (
                own.map(|turn| turn.counted_us(mode)).max()?,
                limit,
                "in a turn",
            )
        } else {
            let added = control.increment_us.saturating_mul(own.count() as u64);
            (
                seat.counted_us(mode),
                control.bank_us?.saturating_add(added),
                "in a game",
            )
        };
        let share = used as f64 / limit.max(1) as f64;
        (share >= SLOW_SHARE).then(|| Slow {
            share,
            text: format!(
                "{} ({} of {} {what}, game {game})",
                quote(seat.entrant.as_bytes()),
                time(used),
                time(limit)
            ),
        })
    }

    pub(super) fn update_uncertainty(&mut self) {
        self.uncertainty.clear();
        let games = self.played.max(1) * 2;
        let draws = (DRAWN_SHARES_MAX / games).min(RESAMPLES);
        if draws < DRAWS_MIN || self.blocks.silent().is_some() {
            return;
        }
        let names = self.entrants.iter().map(String::as_str);
        let shown = ranks_of(names, &self.standings.ranked());
        let ranks = self.blocks.draw(draws, self.seed).ranks(&shown);
        self.uncertainty = self.entrants.iter().cloned().zip(ranks).collect();
    }

    pub(super) fn emit(&self, emit: Emit) {
        let ranked = self.standings.ranked();
        emit(&Event::Standings {
            finished: false,
            rows: ranked
                .iter()
                .map(|row| StandingEvent::of(row, self.uncertainty.get(&row.entrant)))
                .collect(),
        });
    }

    /// Ranks only those who have played: where points can be lost, the others would rank above them.
    fn leading(&self) -> Vec<Standing> {
        let (mut played, waiting): (Vec<_>, Vec<_>) = self
            .standings
            .ranked()
            .into_iter()
            .partition(|row| row.total.games > 0);
        for row in &mut played {
            row.rank -= waiting.iter().filter(|one| one.rank < row.rank).count();
        }
        played
    }

    fn interval(&self, row: &Standing) -> Option<String> {
        let uncertainty = self.uncertainty.get(&row.entrant)?;
        Some(interval(uncertainty.rank_best, uncertainty.rank_worst))
    }

    pub(super) fn leaders(&self) -> String {
        let leading = self.leading();
        if leading.is_empty() {
            return "no game finished yet".to_owned();
        }
        let leaders = leading.iter().take(LEADERS).map(|row| {
            format!(
                "{}. {} {:.1}{}",
                row.rank,
                quote(row.entrant.as_bytes()),
                row.total.points,
                self.interval(row)
                    .map(|range| format!(" ({range})"))
                    .unwrap_or_default()
            )
        });
        joined(leaders, "   ")
    }

    pub(super) fn top(&self, rows_max: usize) -> Vec<String> {
        let mut rows = self.leading();
        let more = rows.len().saturating_sub(rows_max);
        rows.truncate(rows_max);
        if rows.is_empty() {
            return Vec::new();
        }
        let names: Vec<String> = rows.iter().map(|row| row.entrant.clone()).collect();
        let short = shortened(&names, NAME_CHARS_MAX).into_iter();
        let column = |heading: &str, cell: &dyn Fn(&Standing) -> String| {
            TextColumn::of(heading, rows.iter().map(cell))
        };
        let columns = [
            column("rank", &|row| row.rank.to_string()),
            column("95 %", &|row| self.interval(row).unwrap_or_default()),
            TextColumn::of("entrant", short.map(|name| quote(name.as_bytes()))).left(),
            column("total", &|row| format!("{:.1}", row.total.points)),
            column("games", &|row| row.total.games.to_string()),
            column("wins", &|row| row.total.wins.to_string()),
            column("faults", &|row| row.total.faults.to_string()),
        ];
        let mut lines = draw(&columns, &[]);
        if more > 0 {
            lines.push(format!("      … and {more} more"));
        }
        lines
    }

    pub(super) fn faults(&self) -> Option<String> {
        let mut counts: Vec<_> = self.faults.iter().collect();
        counts.sort_by_key(|(cause, count)| (std::cmp::Reverse(**count), **cause));
        let counts = counts
            .iter()
            .map(|(cause, count)| format!("{count} {cause}"));
        (!self.faults.is_empty()).then(|| format!("faults: {}", joined(counts, ", ")))
    }

    pub(super) fn slow(&self) -> Option<String> {
        let mut slow: Vec<&Slow> = self.slow.values().collect();
        slow.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.text.cmp(&b.text)));
        let named = joined(slow.iter().take(SLOW_SHOWN).map(|s| &s.text), ", ");
        let more = match slow.len().saturating_sub(SLOW_SHOWN) {
            0 => String::new(),
            more => format!(", and {}", counted(more, "other")),
        };
        (!slow.is_empty()).then(|| format!("slow: {named}{more}"))
    }
}

pub(super) type Emit = fn(&Event<'_>);

pub(crate) const VERSION: u32 = 1;

/// An event of a run. Times are in microseconds unless their name says otherwise. Games have their
/// numbers in `games.csv`, from 1.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event<'a> {
    /// All programs are built; the games begin.
    Started {
        version: u32,
        judge: &'a str,
        game: &'a str,
        title: &'a str,
        folder: String,
        roles: &'a [&'a str],
        entrants: Vec<&'a str>,
        games: usize,
        played: usize,
    },
    /// An entrant does not play; comes after `started`.
    Refused {
        entrant: &'a str,
        reason: String,
        /// The file with the compiler's output, if any.
        log: Option<String>,
    },
    Game {
        game: usize,
        /// The number of the initial state, from 0.
        state: u32,
        plies: usize,
        /// Why the game ended: `rules`, or the cause of the fault that ended it.
        end: &'a str,
        /// The seat that is charged with the end, if any.
        charged: Option<usize>,
        seats: Vec<SeatEvent<'a>>,
    },
    /// A bot's fault; comes before its game.
    Fault {
        game: usize,
        entrant: &'a str,
        seat: usize,
        /// Plies played before it.
        ply: u32,
        /// The cause, by its name in `protocol.md`.
        cause: &'a str,
        detail: &'a str,
    },
    /// A game will be played again, because of the machine or the judge.
    Again { reason: &'a str },
    /// The run's progress, at most once a second.
    Progress {
        /// Games played, including those of earlier commands.
        played: usize,
        games: usize,
        /// Time since this command began to play.
        elapsed_s: f64,
        /// Estimated time to the end, if known.
        left_s: Option<f64>,
    },
    /// The standings so far, from time to time and at the end.
    Standings {
        finished: bool,
        /// The best one first.
        rows: Vec<StandingEvent<'a>>,
    },
    /// The last event of a run that did not fail.
    Done {
        /// Number of games still to play; more than 0 after an interrupt.
        missing: usize,
        files: Vec<String>,
        journal: String,
        /// The most useful next command.
        next: &'a str,
    },
}

#[derive(Serialize)]
pub(crate) struct SeatEvent<'a> {
    entrant: &'a str,
    result: GameResult,
    /// Points by the game's own formula.
    points: i64,
    cpu_us: u64,
}

#[derive(Serialize)]
pub(crate) struct StandingEvent<'a> {
    /// The rank, from 1; equal ranks are shared.
    rank: usize,
    /// Inclusive. It covers the ranks of 95 of 100 tournaments on states drawn anew.
    rank_95: Option<[usize; 2]>,
    entrant: &'a str,
    /// Points by the competition's scoring.
    points: f64,
    games: u64,
    wins: u64,
    faults: u64,
    cpu_us: u64,
}

impl<'a> Event<'a> {
    pub(crate) fn game(game: usize, result: &'a MatchResult) -> Self {
        let seat = |(seat, outcome): (&'a SeatRecord, &SeatOutcome)| SeatEvent {
            entrant: &seat.entrant,
            result: outcome.result,
            points: outcome.points,
            cpu_us: seat.cpu_us,
        };
        let seats = result.seats.iter().zip(&result.outcome.seats);
        Self::Game {
            game,
            state: result.state,
            plies: result.plies,
            end: result.end.name(),
            charged: result.end.charged().map(Seat::index),
            seats: seats.map(seat).collect(),
        }
    }

    pub(crate) fn faults(game: usize, result: &'a MatchResult) -> impl Iterator<Item = Self> {
        result.faults.iter().map(move |fault| Self::Fault {
            game,
            entrant: &result.seats[fault.seat.index()].entrant,
            seat: fault.seat.index(),
            ply: fault.ply,
            cause: fault.cause.name(),
            detail: &fault.detail,
        })
    }
}

impl<'a> StandingEvent<'a> {
    pub(crate) fn of(standing: &'a Standing, uncertainty: Option<&Uncertainty>) -> Self {
        let total = &standing.total;
        Self {
            rank: standing.rank,
            rank_95: uncertainty.map(|uncertainty| [uncertainty.rank_best, uncertainty.rank_worst]),
            entrant: &standing.entrant,
            points: total.points.as_f64(),
            games: total.games,
            wins: total.wins,
            faults: total.faults,
            cpu_us: total.cpu_us,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A game of Crazy Camel that the first seat won, with this CPU time.
    fn game(seats: [&str; 2], cpu_us: u64, faults: &Value) -> MatchRecord {
        let seat = |name: &str, cpu_us: u64| {
            json!({"entrant": name, "artifact": "", "seed": 0, "cpu_us": cpu_us, "off_turn_us": 0,
                   "wall_us": cpu_us, "uncharged_us": 0, "startup_wall_us": 0})
        };
        let record = json!({
            "v": model::FORMAT, "fixture": "0".repeat(32), "game": "crazy-camel", "state": 0,
            "setup": {}, "draw": "", "seats": [seat(seats[0], cpu_us), seat(seats[1], 10)],
            "turns": [[0, {"step": "down"}, cpu_us, cpu_us]],
            "faults": faults,
            "end": if faults[0].is_null() { json!("rules") } else {
                json!({"fault": {"cause": faults[0]["cause"], "seat": 1}})
            },
            "outcome": {"reason": "", "seats": [
                {"result": "won", "placement": 1, "points": 1, "tie_break": 0},
                {"result": "lost", "placement": 2, "points": 0, "tie_break": 0}]},
        });
        serde_json::from_value(record).expect("a record")
    }

    fn live(names: &[&str]) -> Live {
        let rules = rulebook::rules::find("crazy-camel").expect("registered");
        let competition = rulebook::standard(&*rules);
        let ranked = names.iter().map(|name| Ranked::of(*name));
        Live::new(&competition, &ranked.collect::<Vec<_>>(), 2, 9, 1)
    }

    #[test]
    fn live_view_shows_leaders_faults_and_slow_bots() {
        let mut live = live(&["ann", "bob\u{1b}[31m", "cid", "dan"]);
        assert_eq!(live.leaders(), "no game finished yet");
        assert!(live.top(10).is_empty());
        assert_eq!((live.faults(), live.slow()), (None, None));
        let fault = |cause: &str| {
            json!([{"seat": 1, "ply": 1, "phase": "turn", "cause": cause, "detail": "",
                    "cpu_us": 10, "wall_us": 10}])
        };
        let games = [
            game(["ann", "cid"], 6_000_000, &json!([])),
            game(["ann", "bob\u{1b}[31m"], 9_000_000, &fault("crash")),
            game(["bob\u{1b}[31m", "cid"], 5_500_000, &fault("crash")),
            game(["ann", "cid"], 20, &fault("illegal-move")),
        ];
        for (record, number) in games.iter().zip(1..) {
            live.add(number, &record.result());
            live.note_slow(number, record);
        }
        let leaders = "1. ann 3.0   2. bob\\u{1b}[31m 1.0   3. cid 0.0";
        assert_eq!(live.leaders(), leaders);
        let top = live.top(2);
        assert!(top[0].contains("entrant") && top[0].contains("faults"));
        assert!(top[1].contains("ann") && top[2].contains("bob\\u{1b}"));
        assert_eq!(top[3].trim(), "… and 1 more");
        let faults = "faults: 2 crash, 1 illegal-move";
        assert_eq!(live.faults().as_deref(), Some(faults));
        let slow = "slow: ann (9.00 s of 11.00 s in a game, game 2), \
             bob\\u{1b}[31m (5.50 s of 11.00 s in a game, game 3)";
        assert_eq!(live.slow().as_deref(), Some(slow));
    }
}
