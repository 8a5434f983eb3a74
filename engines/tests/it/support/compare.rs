//! Compares a game's rules with a second implementation, position by position.

use judge_engines::{Forfeit, Game, Seat};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The seat that gave no legal move, and what it did.
pub(crate) type Forfeited = (usize, &'static str);

/// A position of a game for two under slow and obvious rules, without a line of the crate.
pub(crate) trait Naive: Clone + Debug {
    type Move: Copy + Debug;

    /// The doings of a seat that lost by time.
    const TIME: &'static str = " ran out of time";

    /// Writes the setup as JSON.
    fn setup(&self) -> String;

    fn may_start(&self) -> bool {
        true
    }

    /// Returns the seat to move; any one once the game is over.
    fn turn(&self) -> usize;

    /// Lists moves in the crate's order. All legal ones are among them.
    fn moves(&self) -> Vec<Self::Move>;

    /// Returns the rule that a move breaks.
    fn fault(&self, mv: Self::Move) -> Option<&'static str>;

    fn play(&mut self, mv: Self::Move);

    fn is_over(&self) -> bool;
    /// Returns the outcome in the journal's form (see [`outcome`]) of a game that is over, by a
    /// forfeit or by the rules.
    fn outcome(&self, forfeited: Option<Forfeited>) -> String;

    /// Writes a view in the order and spelling of the protocol.
    fn view(&self, seat: usize) -> String;
}

/// A comparison with the crate's rules on random positions.
pub(crate) trait Compare: Naive {
    type Real: Game;
    /// Whether games are kept long if possible.
    const LASTS: bool = false;

    fn real(mv: Self::Move) -> <Self::Real as Game>::Move;

    /// Draws a position, which both rules may refuse, and the number of plies to play from it.
    fn draw(rng: &mut ChaCha8Rng) -> (Self, usize);

    /// Draws moves besides [`Naive::moves`], such as those of distant numbers.
    fn garbage(&self, rng: &mut ChaCha8Rng) -> Vec<Self::Move>;

    /// Chooses the legal moves whose results are compared. The first one is played, or the first
    /// one that does not end the game.
    fn choose(&self, legal: &[Self::Move], rng: &mut ChaCha8Rng) -> Vec<Self::Move> {
        let mut all = legal.to_vec();
        all.shuffle(rng);
        all
    }

    /// Compares what the position has beyond that of other games.
    fn compare_more(&self, _real: &Self::Real) {}

    /// Notes the special cases of a position.
    fn note_position(&self, _met: &mut Met) {}

    /// Notes the special cases of a move and of its result.
    fn note_move(&self, mv: Self::Move, after: &Self, met: &mut Met);
}

/// How often each special case occurred.
#[derive(Default, Debug)]
pub(crate) struct Met(BTreeMap<String, u64>);

impl Met {
    pub(crate) fn note(&mut self, case: &str) {
        self.note_times(case, 1);
    }

    fn note_times(&mut self, case: &str, more: u64) {
        if let Some(times) = self.0.get_mut(case) {
            *times += more;
        } else {
            self.0.insert(case.to_owned(), more);
        }
    }

    fn times(&self, case: &str) -> u64 {
        self.0.get(case).copied().unwrap_or(0)
    }

    /// Counts the cases whose names begin like this.
    pub(crate) fn kinds(&self, beginning: &str) -> usize {
        let names = self.0.keys();
        names.filter(|name| name.starts_with(beginning)).count()
    }

    /// Checks lines of cases, each behind the minimum number of its occurrences.
    pub(crate) fn suffices(&self, cases: &str) {
        for line in cases.lines().filter(|line| !line.starts_with('#')) {
            let (least, case) = line.split_once(' ').expect("a number and a case");
            let least: u64 = least.parse().expect("a number");
            let times = self.times(case);
            assert!(times >= least, "{case}: {times} of {least}; {self:#?}");
        }
    }
}

/// Writes an outcome: the result and points of each seat.
pub(crate) fn outcome(seats: [(&str, i64); 2], reason: &str) -> String {
    let [a, b] = seats.map(|(result, points)| {
        let placement = if result == "lost" { 2 } else { 1 };
        format!(
            r#"{{"result":"{result}","placement":{placement},"points":{points},"tie_break":0}}"#
        )
    });
    format!(r#"{{"seats":[{a},{b}],"reason":"{reason}"}}"#)
}

/// The same game under both rules.
#[derive(Clone)]
struct Pair<N: Compare> {
    real: N::Real,
    naive: N,
    forfeited: Option<Forfeited>,
}

/// The interval, in positions, at which all forfeits are compared.
const FORFEITS_EVERY: u64 = 16;

impl<N: Compare> Pair<N> {
    /// Returns none if both rules refuse the setup.
    fn start(naive: N, met: &mut Met) -> Option<Self> {
        let setup = serde_json::from_str(&naive.setup()).expect("a setup by form");
        let started = N::Real::start(&setup);
        assert_eq!(started.is_ok(), naive.may_start(), "{started:?}: {naive:?}");
        let Ok(real) = started else {
            met.note("setup refused");
            return None;
        };
        let forfeited = None;
        Some(Self {
            real,
            naive,
            forfeited,
        })
    }

    fn after(&self, mv: N::Move) -> Self {
        let mut next = self.clone();
        let seat = Seat::new(self.naive.turn());
        next.real.apply_unchecked(seat, N::real(mv));
        next.naive.play(mv);
        next
    }

    fn is_over(&self) -> bool {
        self.forfeited.is_some() || self.naive.is_over()
    }

    /// Compares whose turn it is and the outcome. Returns whether the game is over.
    fn compare_end(&self) -> bool {
        let Self { real, naive, .. } = self;
        let over = self.is_over();
        let to_move = (!over).then(|| Seat::new(naive.turn()));
        assert_eq!(real.to_move().first(), to_move, "{naive:?}");
        let outcome = serde_json::to_string(&real.outcome()).expect("plain data");
        let expected = over.then(|| naive.outcome(self.forfeited));
        assert_eq!(outcome, expected.as_deref().unwrap_or("null"), "{naive:?}");
        over
    }

    /// Compares both views, each in both ways of writing it.
    fn compare_views(&self) {
        for seat in [0, 1] {
            let view = self.real.view(Seat::new(seat));
            let view = serde_json::to_string(&view).expect("plain data");
            assert_eq!(view, self.naive.view(seat), "{:?}", self.naive);
            let mut written = Vec::new();
            self.real.write_view(Seat::new(seat), &mut written);
            assert_eq!(written, view.as_bytes());
        }
    }

    /// Compares the verdicts on moves near and far. Returns the legal ones.
    fn compare_moves(&self, rng: &mut ChaCha8Rng, met: &mut Met) -> Vec<N::Move> {
        let Self { real, naive, .. } = self;
        let seat = Seat::new(naive.turn());
        let mut broken_rules: BTreeMap<&str, u64> = BTreeMap::new();
        let mut is_legal = |mv: N::Move| {
            let fault = naive.fault(mv);
            let broken = real.check(seat, &N::real(mv)).err();
            assert_eq!(broken.map(|b| b.rule), fault, "{mv:?} in {naive:?}");
            if let Some(rule) = fault {
                *broken_rules.entry(rule).or_default() += 1;
            }
            fault.is_none()
        };
        let mut legal = naive.moves();
        legal.retain(|&mv| is_legal(mv));
        for mv in naive.garbage(rng) {
            is_legal(mv);
        }
        for (rule, times) in broken_rules {
            met.note_times(&format!("{seat}: {rule}"), times);
        }
        let expected: Vec<_> = legal.iter().copied().map(N::real).collect();
        assert_eq!(real.legal_moves(seat), expected, "{naive:?}");
        assert_eq!(real.perft(1), expected.len() as u64, "{naive:?}");
        legal
    }

    /// Forfeits in every way, and twice each, because only the first one counts.
    fn compare_forfeits(&self, met: &mut Met) {
        let late = if self.is_over() { "late " } else { "" };
        let forfeits = [
            (Forfeit::Illegal, " moved illegally"),
            (Forfeit::Malformed, " gave no readable move"),
            (Forfeit::Time, N::TIME),
            (Forfeit::Gone, "'s program is gone"),
        ];
        for seat in [0, 1] {
            for first in forfeits {
                let mut pair = self.clone();
                for (seat, (why, words)) in [(seat, first), (0, forfeits[3]), (1, forfeits[3])] {
                    pair.real.forfeit(Seat::new(seat), why);
                    if !pair.is_over() {
                        pair.forfeited = Some((seat, words));
                    }
                    assert!(pair.compare_end());
                }
                met.note(&format!("{late}forfeit of {seat}: {:?}", first.0));
            }
        }
    }

    /// Compares the position and the results of moves. Returns one of these.
    fn compare(&self, rng: &mut ChaCha8Rng, met: &mut Met) -> Option<Self> {
        met.note(POSITIONS);
        self.naive.note_position(met);
        self.compare_views();
        self.naive.compare_more(&self.real);
        if met.times(POSITIONS).is_multiple_of(FORFEITS_EVERY) {
            self.compare_forfeits(met);
        }
        if self.compare_end() {
            return None;
        }
        let legal = self.compare_moves(rng, met);
        let mut played = None;
        for mv in self.naive.choose(&legal, rng) {
            let next = self.after(mv);
            let is_over = next.compare_end();
            if is_over {
                next.compare_views();
            }
            self.naive.note_move(mv, &next.naive, met);
            let lasts = N::LASTS && !is_over;
            if played
                .as_ref()
                .is_none_or(|best: &Self| lasts && best.is_over())
            {
                played = Some(next);
            }
        }
        played
    }
}

const POSITIONS: &str = "positions";

/// Compares at least so many positions and meets all cases.
pub(crate) fn agree<N: Compare>(seed: u64, positions: u64, cases: &str) -> Met {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut met = Met::default();
    while met.times(POSITIONS) < positions {
        let (naive, plies) = N::draw(&mut rng);
        let mut next = Pair::start(naive, &mut met);
        for _ in 0..plies {
            let Some(pair) = next else { break };
            next = pair.compare(&mut rng, &mut met);
        }
    }
    println!("{met:#?}");
    met.suffices(cases);
    met
}
