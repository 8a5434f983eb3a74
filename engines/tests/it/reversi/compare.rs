//! Compares the crate's rules with the naive ones, position by position.

use super::naive::{DIRECTIONS, Naive, NaiveMove};
use judge_engines::reversi::{BLACK, Board, Colour, Move, Reversi, Setup, WHITE};
use judge_engines::{Forfeit, Game, Seat, Turn};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

/// How often each special case was compared.
#[derive(Default, Debug)]
struct Seen {
    positions: u64,
    forced_passes: u64,
    /// Ends with empty fields and discs of both colours, where both sides would have to pass.
    stuck_ends: u64,
    /// Ends because one side lost its last disc, reached by play.
    wipe_outs: u64,
    /// Ends with empty fields.
    early_ends: u64,
    draws: u64,
    full_boards: u64,
    /// Moves by the direction of the discs that they flip.
    flips_by_direction: [u64; 8],
    /// Moves by the number of directions in which they flip.
    flips_by_directions_at_once: [u64; 9],
    /// Illegal moves by rule: outside, must-pass, may-not-pass, occupied, flips-nothing.
    faults: [u64; 5],
}

const RULES: [&str; 5] = [
    "outside",
    "must-pass",
    "may-not-pass",
    "occupied",
    "flips-nothing",
];

struct Pair {
    real: Reversi,
    naive: Naive,
}

impl Pair {
    fn new(board: &str, turn: char) -> Self {
        let setup = Setup {
            board: Board::parse(board).expect("a board"),
            to_move: if turn == 'B' {
                Colour::Black
            } else {
                Colour::White
            },
        };
        Self {
            real: Reversi::start(&setup).expect("every board is allowed"),
            naive: Naive::new(board, turn),
        }
    }

    fn play(&self, mv: NaiveMove) -> Self {
        let mut next = Self {
            real: self.real.clone(),
            naive: self.naive.clone(),
        };
        next.real
            .apply_unchecked(self.seat(), Turn::Played(real(mv)));
        next.naive.play(mv);
        next
    }

    fn seat(&self) -> Seat {
        if self.naive.turn == 'B' { BLACK } else { WHITE }
    }

    /// Compares everything but the moves and views. Returns whether the game is over.
    fn compare_state(&self) -> bool {
        let Self { real, naive } = self;
        let over = naive.is_over();
        let to_move = (!over).then(|| self.seat());
        assert_eq!(real.to_move().first(), to_move, "{naive:?}");
        assert_eq!(real.board().to_string(), naive.board());
        assert_eq!(real.outcome().is_some(), over, "{naive:?}");
        if over {
            assert_eq!(json(&real.outcome()), naive.outcome(), "{naive:?}");
        }
        over
    }

    fn compare_views(&self) {
        for (seat, colour) in [(BLACK, 'B'), (WHITE, 'W')] {
            assert_eq!(json(&self.real.view(seat)), self.naive.view(colour));
        }
    }

    /// Compares the legal moves and the verdict on every field, on passing and on garbage.
    fn compare_moves(&self, seen: &mut Seen, rng: &mut ChaCha8Rng) -> Vec<NaiveMove> {
        let Self { real: game, naive } = self;
        let mut listed: Vec<i64> = game.legal_moves(self.seat()).iter().map(number).collect();
        listed.sort_unstable();
        let legal = naive.legal();
        let mut expected: Vec<i64> = legal.iter().map(|&mv| number(&real(mv))).collect();
        expected.sort_unstable();
        assert_eq!(listed, expected, "{naive:?}");
        let garbage = [
            -1,
            64,
            i64::MIN,
            i64::MAX,
            rng.random(),
            rng.random_range(-300..300),
            rng.random_range(0..64) + (1 << 32),
        ];
        let fields = (0..64).chain(garbage).map(NaiveMove::Field);
        for mv in fields.chain([NaiveMove::Pass]) {
            let fault = naive.fault(mv);
            let broken = game.check(self.seat(), &real(mv)).err();
            assert_eq!(broken.map(|b| b.rule), fault, "{mv:?} in {naive:?}");
            assert_eq!(legal.contains(&mv), fault.is_none(), "{mv:?} in {naive:?}");
            if let Some(rule) = RULES.iter().position(|&rule| Some(rule) == fault) {
                seen.faults[rule] += 1;
            }
        }
        legal
    }

    /// Plays a forfeit of each kind by the side to move.
    fn compare_forfeits(&self) {
        let kinds = [
            (Forfeit::Illegal, " moved illegally"),
            (Forfeit::Malformed, " gave no readable move"),
            (Forfeit::Time, " ran out of time"),
            (Forfeit::Gone, "'s program is gone"),
        ];
        for (why, words) in kinds {
            let (mut game, mut naive) = (self.real.clone(), self.naive.clone());
            game.apply_unchecked(self.seat(), Turn::Forfeit(why));
            naive.forfeit(words);
            assert_eq!(json(&game.outcome()), naive.outcome());
            assert!(game.to_move().is_empty());
        }
    }
}

fn real(mv: NaiveMove) -> Move {
    match mv {
        NaiveMove::Pass => Move::Pass,
        NaiveMove::Field(field) => Move::Place(field),
    }
}

/// Returns a number that orders moves. A pass is -1, which is no legal field.
fn number(mv: &Move) -> i64 {
    match *mv {
        Move::Pass => -1,
        Move::Place(field) => field,
    }
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("plain data")
}

/// Compares a position and the result of each of its legal moves.
fn compare(pair: &Pair, seen: &mut Seen, rng: &mut ChaCha8Rng) -> Option<Pair> {
    seen.positions += 1;
    pair.compare_views();
    if pair.compare_state() {
        return None;
    }
    let legal = pair.compare_moves(seen, rng);
    if seen.positions.is_multiple_of(16) {
        pair.compare_forfeits();
    }
    for &mv in &legal {
        let next = pair.play(mv);
        note_move(pair, mv, seen);
        if next.compare_state() {
            note_end(&next, seen);
        }
    }
    Some(pair.play(chosen(&legal, rng)))
}

fn note_move(pair: &Pair, mv: NaiveMove, seen: &mut Seen) {
    let NaiveMove::Field(field) = mv else {
        seen.forced_passes += 1;
        return;
    };
    let lines = pair.naive.lines(pair.naive.turn, field);
    let flips = lines.iter().map(|line| !line.is_empty());
    let count = flips.clone().filter(|&flips| flips).count();
    seen.flips_by_directions_at_once[count] += 1;
    for (direction, flips) in flips.enumerate() {
        seen.flips_by_direction[direction] += u64::from(flips);
    }
}

fn note_end(pair: &Pair, seen: &mut Seen) {
    let [black, white, empty] = ['B', 'W', '.'].map(|what| pair.naive.count(what));
    let wiped_out = black == 0 || white == 0;
    seen.wipe_outs += u64::from(wiped_out);
    seen.early_ends += u64::from(empty > 0);
    seen.stuck_ends += u64::from(empty > 0 && !wiped_out);
    seen.draws += u64::from(black == white);
    seen.full_boards += u64::from(empty == 0);
}

/// The number of plies from each drawn board: few, so that many boards are drawn.
const PLIES_FROM_A_DRAWN_BOARD: usize = 4;

fn chosen<T: Copy>(from: &[T], rng: &mut ChaCha8Rng) -> T {
    *from.choose(rng).expect("something to choose from")
}

/// Draws any board: from nearly empty to nearly full, from even to one-sided.
fn scattered(rng: &mut ChaCha8Rng) -> Vec<char> {
    let empty = chosen(&[0.02, 0.02, 0.1, 0.3, 0.5, 0.8], rng);
    let black = chosen(&[0.05, 0.4, 0.5, 0.5, 0.6, 0.95], rng);
    let field = |_| match (rng.random_bool(empty), rng.random_bool(black)) {
        (true, _) => '.',
        (false, true) => 'B',
        (false, false) => 'W',
    };
    (0..64).map(field).collect()
}

/// Draws a few discs close together. Such games end early.
fn huddled(rng: &mut ChaCha8Rng) -> Vec<char> {
    let (row, column) = (rng.random_range(0..6), rng.random_range(0..6));
    let mut board = vec!['.'; 64];
    for field in (0..3).flat_map(|r| (0..3).map(move |c| (row + r) * 8 + column + c)) {
        board[field] = chosen(&['.', '.', 'B', 'W'], rng);
    }
    board
}

/// Draws lines of one colour from a free field to the other colour, in all directions with room.
fn star(rng: &mut ChaCha8Rng) -> Vec<char> {
    let mut board = scattered(rng);
    let centre = (rng.random_range(2..6), rng.random_range(2..6));
    let ends = chosen(&[('B', 'W'), ('W', 'B')], rng);
    for (down, right) in DIRECTIONS {
        let length = rng.random_range(2..=3);
        for step in 0..=length {
            let (row, column) = (centre.0 + down * step, centre.1 + right * step);
            if (0..8).contains(&row) && (0..8).contains(&column) {
                let field = usize::try_from(row * 8 + column).expect("on the board");
                board[field] = match step {
                    0 => '.',
                    _ if step == length => ends.0,
                    _ => ends.1,
                };
            }
        }
    }
    board
}

#[test]
fn reversi_naive_rules_agree_on_hundred_thousand_positions() {
    let mut rng = ChaCha8Rng::seed_from_u64(64);
    let mut seen = Seen::default();
    for _ in 0..1000 {
        let mut next = Some(Pair::new(&Board::START.to_string(), 'B'));
        while let Some(pair) = next {
            next = compare(&pair, &mut seen, &mut rng);
        }
    }
    while seen.positions < 130_000 {
        let draw = chosen(&[scattered, huddled, huddled, star], &mut rng);
        let board = String::from_iter(draw(&mut rng));
        let mut next = Some(Pair::new(&board, chosen(&['B', 'W'], &mut rng)));
        for _ in 0..PLIES_FROM_A_DRAWN_BOARD {
            next = next.and_then(|pair| compare(&pair, &mut seen, &mut rng));
        }
    }
    println!("{seen:?}");
    assert!(seen.forced_passes >= 1000, "{seen:?}");
    assert!(seen.stuck_ends >= 1000, "{seen:?}");
    assert!(seen.wipe_outs >= 1000, "{seen:?}");
    assert!(seen.early_ends >= 1000, "{seen:?}");
    assert!(seen.draws >= 200, "{seen:?}");
    assert!(seen.full_boards >= 1000, "{seen:?}");
    assert!(seen.flips_by_direction.iter().all(|&n| n >= 10_000));
    let at_once = seen.flips_by_directions_at_once;
    assert_eq!(at_once[0], 0, "a move flips something");
    assert!(at_once[1..].iter().all(|&n| n >= 100), "{seen:?}");
    assert!(seen.faults.iter().all(|&n| n >= 10_000), "{seen:?}");
}
