//! Compares the crate's rules with the naive ones, position by position.

use super::naive::{Cell, Naive, Role};
use judge_engines::catch_the_cat::{CAT, CATCHER, CatchTheCat, Point};
use judge_engines::{Forfeit, Game, Seat, Turn};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How often each special case occurred.
type Met = BTreeMap<String, u64>;

fn meet(met: &mut Met, what: impl Into<String>) {
    *met.entry(what.into()).or_default() += 1;
}

const SIDES: [i64; 8] = [5, 9, 13, 17, 21, 25, 29, 33];

const FORFEITS: [(Forfeit, &str); 4] = [
    (Forfeit::Illegal, " moved illegally"),
    (Forfeit::Malformed, " gave no readable move"),
    (Forfeit::Time, " gave no move in time"),
    (Forfeit::Gone, "'s program is gone"),
];

/// The same game under both rules.
#[derive(Clone)]
struct Pair {
    real: CatchTheCat,
    naive: Naive,
}

impl Pair {
    fn new(naive: Naive) -> Self {
        let setup = serde_json::from_value(naive.setup()).expect("a setup by form");
        let real = CatchTheCat::start(&setup).expect("a position");
        Self { real, naive }
    }

    fn seat(&self) -> Seat {
        if self.naive.cats_turn { CAT } else { CATCHER }
    }

    fn after(&self, to: Cell) -> Self {
        let mut next = self.clone();
        next.real
            .apply_unchecked(self.seat(), Turn::Played(point(to)));
        next.naive.play(to);
        next
    }

    /// Compares all but the moves. Returns whether the game is over.
    fn compare_state(&self) -> bool {
        let Self { real, naive } = self;
        let over = naive.is_over();
        assert_eq!(
            real.to_move().first(),
            (!over).then(|| self.seat()),
            "{naive:?}"
        );
        assert_eq!(outcome(real), naive.outcome(), "{naive:?}");
        assert_eq!(written(real, self.seat()), naive.view());
        over
    }

    /// Compares both views, each in both ways of writing it.
    fn compare_views(&self) {
        for seat in [CAT, CATCHER] {
            let view = serde_json::to_string(&self.real.view(seat)).expect("plain data");
            assert_eq!(view, written(&self.real, seat));
            assert_eq!(view, self.naive.view());
        }
    }

    /// Compares the legal moves and the verdicts on cells near and far. Returns the legal moves.
    fn compare_moves(&self, rng: &mut ChaCha8Rng, met: &mut Met) -> Vec<Cell> {
        let Self { real, naive } = self;
        let legal = naive.legal();
        let found: Vec<Point> = real.legal_moves(self.seat());
        assert_eq!(found.len(), legal.len(), "{naive:?}");
        let set = |points: &[Point]| points.iter().map(|p| (p.0, p.1)).collect::<BTreeSet<_>>();
        let expected: Vec<Point> = legal.iter().copied().map(point).collect();
        assert_eq!(set(&found), set(&expected), "{naive:?}");
        assert_eq!(real.perft(1), legal.len() as u64);
        for cell in candidates(naive, rng) {
            let expected = naive.fault(cell);
            let found = real.check(self.seat(), &point(cell)).err();
            assert_eq!(
                found.map(|broken| broken.rule),
                expected,
                "{cell:?} in {naive:?}"
            );
            if let Some(rule) = expected {
                meet(met, format!("{}: {rule}", role(self.seat())));
            }
        }
        legal
    }

    /// Forfeits in every way, and twice each, because only the first one counts.
    fn compare_forfeits(&self, met: &mut Met) {
        for (who, seat) in [(Role::Cat, CAT), (Role::Catcher, CATCHER)] {
            for (why, words) in FORFEITS {
                let mut pair = self.clone();
                pair.real.apply_unchecked(seat, Turn::Forfeit(why));
                pair.naive.forfeit(who, words);
                assert!(pair.compare_state());
                for late in [CAT, CATCHER] {
                    pair.real
                        .apply_unchecked(late, Turn::Forfeit(Forfeit::Gone));
                    assert!(pair.compare_state());
                }
                let when = if self.naive.is_over() { "late " } else { "" };
                meet(met, format!("{when}forfeit of the {}: {why:?}", role(seat)));
            }
        }
    }
}

fn role(seat: Seat) -> &'static str {
    if seat == CAT { "cat" } else { "catcher" }
}

fn point((x, y): Cell) -> Point {
    let near = |n: i64| i32::try_from(n).expect("drawn as such");
    Point(near(x), near(y))
}

fn written(real: &CatchTheCat, seat: Seat) -> String {
    let mut view = Vec::new();
    real.write_view(seat, &mut view);
    String::from_utf8(view).expect("text")
}

fn outcome(real: &CatchTheCat) -> Value {
    serde_json::to_value(real.outcome()).expect("plain data")
}

/// Returns all cells around the cat, some of the board and next to it, and some far away.
fn candidates(naive: &Naive, rng: &mut ChaCha8Rng) -> Vec<Cell> {
    const FAR: [i32; 8] = [
        i32::MIN,
        i32::MIN + 1,
        -1,
        0,
        1,
        1 << 20,
        i32::MAX - 1,
        i32::MAX,
    ];
    let (x, y) = naive.cat;
    let around = (-2..=2).flat_map(|down| (-2..=2).map(move |right| (x + right, y + down)));
    let mut cells: Vec<Cell> = around.collect();
    let reach = naive.side / 2 + 2;
    let mut near = || rng.random_range(-reach..=reach);
    cells.extend((0..40).map(|_| (near(), near())));
    let mut far = || i64::from(*FAR.choose(rng).expect("not empty"));
    cells.extend((0..6).map(|_| (far(), far())));
    cells.push((rng.random::<i32>().into(), rng.random::<i32>().into()));
    cells
}

/// Draws a position: from empty to crowded, with the cat anywhere but most often in the middle.
fn draw(rng: &mut ChaCha8Rng) -> Naive {
    let side = *SIDES.choose(rng).expect("not empty");
    let density = *[0.0, 0.07, 0.3, 0.45, 0.6, 0.6, 0.75, 0.9]
        .choose(rng)
        .expect("not empty");
    let reach = side / 2;
    let mut cell = || rng.random_range(-reach..=reach);
    let cat = [(0, 0), (cell(), cell()), (cell() / 2, cell() / 2)];
    let cat = *cat.choose(rng).expect("not empty");
    let mut naive = Naive::new(side, cat, rng.random());
    for cell in naive.cells() {
        if cell != cat && rng.random_bool(density) {
            naive.block(cell);
        }
    }
    naive
}

fn note_start(naive: &Naive, met: &mut Met) {
    meet(met, format!("side {}", naive.side));
    let turn = if naive.cats_turn { "cat" } else { "catcher" };
    if naive.escaped() {
        meet(met, format!("at the border at once, {turn} to move"));
    } else if naive.trapped() {
        meet(met, format!("trapped at once, {turn} to move"));
    }
}

/// Notes the special cases of a move and of its result.
fn note_move(before: &Naive, to: Cell, after: &Naive, met: &mut Met) {
    let reach = before.side / 2;
    let borders = [
        ("left", to.0 == -reach),
        ("right", to.0 == reach),
        ("top", to.1 == -reach),
        ("bottom", to.1 == reach),
    ];
    let reached = borders.iter().filter(|(_, is)| *is).map(|(name, _)| *name);
    if !before.cats_turn {
        if after.trapped() {
            meet(met, "the catcher won");
        }
        for name in reached {
            meet(
                met,
                format!("the catcher filled a cell of the {name} border"),
            );
        }
        return;
    }
    let (x, y) = before.cat;
    let row = match (y % 2 == 0, y < 0) {
        (true, _) => "an even row",
        (false, true) => "a negative odd row",
        (false, false) => "a positive odd row",
    };
    meet(met, format!("from {row} by {} {}", to.0 - x, to.1 - y));
    for name in reached {
        meet(met, format!("the cat won on the {name} border"));
    }
}

/// Compares a position and the results of its moves. Returns the next position.
fn compare(pair: &Pair, rng: &mut ChaCha8Rng, met: &mut Met) -> Option<Pair> {
    meet(met, "positions");
    if met["positions"].is_multiple_of(32) {
        pair.compare_forfeits(met);
    }
    pair.compare_views();
    if pair.compare_state() {
        return None;
    }
    let legal = pair.compare_moves(rng, met);
    // The catcher's moves next to the cat, which may end the game, and some more.
    let matters = |&to: &Cell| pair.naive.neighbours(pair.naive.cat).contains(&to);
    let (beside, elsewhere): (Vec<Cell>, Vec<Cell>) = legal.iter().partition(|to| matters(to));
    let more = elsewhere.sample(rng, 2).copied();
    for to in beside.iter().copied().chain(more) {
        let next = pair.after(to);
        next.compare_state();
        note_move(&pair.naive, to, &next.naive, met);
    }
    let pool = if rng.random_bool(0.4) {
        &beside
    } else {
        &legal
    };
    let next = pair.after(*pool.choose(rng).expect("the cat has a free neighbour"));
    let cells = next.naive.sealed_in();
    if cells.is_some_and(|cells| cells > 1) {
        assert!(!next.compare_state());
        meet(met, "sealed in several cells, and plays on");
    }
    Some(next)
}

fn expected() -> Vec<String> {
    let mut cases = vec![
        "sealed in several cells, and plays on".to_owned(),
        "trapped at once, cat to move".to_owned(),
        "trapped at once, catcher to move".to_owned(),
        "at the border at once, cat to move".to_owned(),
        "at the border at once, catcher to move".to_owned(),
        "the catcher won".to_owned(),
        "cat: cat-stays".to_owned(),
        "cat: not-a-neighbour".to_owned(),
        "cat: blocked-cell".to_owned(),
        "catcher: outside".to_owned(),
        "catcher: cat-cell".to_owned(),
        "catcher: blocked-cell".to_owned(),
    ];
    for border in ["left", "right", "top", "bottom"] {
        cases.push(format!("the cat won on the {border} border"));
        cases.push(format!("the catcher filled a cell of the {border} border"));
    }
    for role in ["cat", "catcher"] {
        for (why, _) in FORFEITS {
            cases.push(format!("forfeit of the {role}: {why:?}"));
            cases.push(format!("late forfeit of the {role}: {why:?}"));
        }
    }
    // The neighbours of a cell in the course text's picture.
    let rows = [
        (
            "an even row",
            [(-1, 0), (1, 0), (-1, -1), (0, -1), (-1, 1), (0, 1)],
        ),
        (
            "a negative odd row",
            [(-1, 0), (1, 0), (0, -1), (1, -1), (0, 1), (1, 1)],
        ),
        (
            "a positive odd row",
            [(-1, 0), (1, 0), (0, -1), (1, -1), (0, 1), (1, 1)],
        ),
    ];
    for (row, steps) in rows {
        let step = |(right, down)| format!("from {row} by {right} {down}");
        cases.extend(steps.map(step));
    }
    cases.extend(SIDES.map(|side| format!("side {side}")));
    cases
}

/// The number of plies that are compared from each drawn position.
const PLIES: usize = 10;

#[test]
fn cat_naive_rules_agree_on_hundred_thousand_positions() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut met = Met::new();
    while met.get("positions").is_none_or(|&n| n < 120_000) {
        let pair = Pair::new(draw(&mut rng));
        note_start(&pair.naive, &mut met);
        let mut next = Some(pair);
        for _ in 0..PLIES {
            next = next.and_then(|pair| compare(&pair, &mut rng, &mut met));
        }
    }
    println!("{met:#?}");
    let expected = expected();
    for case in &expected {
        let times = met.get(case).copied().unwrap_or(0);
        assert!(times >= 100, "{case} was met {times} times only: {met:#?}");
    }
    let steps = met.keys().filter(|case| case.starts_with("from "));
    assert_eq!(
        steps.count(),
        18,
        "six steps from each kind of row: {met:#?}"
    );
}
