//! Compares the real rules with the naive ones, side by side on random positions.

use super::naive::{Camel, DIRECTIONS, Move as NaiveMove, Naive, Tile};
use judge_engines::crazy_camel::{self as real, CrazyCamel, Direction, Move};
use judge_engines::{Forfeit, Game, GameResult, Seat, Turn};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// How often each special case occurred.
type Met = BTreeMap<String, u64>;

const SIZES: [(i64, i64); 13] = [
    (3, 3),
    (3, 7),
    (7, 3),
    (4, 4),
    (5, 5),
    (6, 4),
    (7, 7),
    (8, 8),
    (9, 9),
    (11, 3),
    (3, 11),
    (10, 10),
    (11, 11),
];

const FORFEITS: [(Forfeit, &str); 4] = [
    (Forfeit::Illegal, " moved illegally"),
    (Forfeit::Malformed, " gave no readable move"),
    (Forfeit::Time, " ran out of time"),
    (Forfeit::Gone, "'s program is gone"),
];

fn to_real(mv: NaiveMove) -> Move {
    match mv {
        NaiveMove::Step(name) => {
            let index = DIRECTIONS.iter().position(|&d| d == name);
            Move::Step(Direction::ALL[index.expect("a direction")])
        }
        NaiveMove::Camel((lie, x, y)) => {
            let number = |number: i64| i8::try_from(number).expect("one that can be read");
            let anchor = real::Tile(number(x), number(y));
            Move::Camel(match lie {
                'h' => real::Camel::H(anchor),
                _ => real::Camel::V(anchor),
            })
        }
    }
}

fn start(naive: &Naive) -> Result<CrazyCamel, judge_engines::Refused> {
    let setup = serde_json::from_value(naive.setup()).expect("a setup by form");
    CrazyCamel::start(&setup)
}

/// Draws a position, often crowded, often with the masters side by side. It may be invalid.
fn draw(rng: &mut ChaCha8Rng) -> Naive {
    let &(width, height) = SIZES.choose(rng).expect("not empty");
    let hand = rng.random_range(0..=8);
    let mut naive = Naive {
        width,
        height,
        masters: [(width / 2, 0), (width / 2, height - 1)],
        hands: [hand, hand],
        camels: Vec::new(),
        to_move: rng.random_range(0..2),
        ply: 0,
        plies_max: rng.random_range(1..40),
        winner: None,
        forfeited: None,
    };
    if rng.random_bool(0.2) {
        naive.to_move = 0;
        return naive;
    }
    let a: Tile = (rng.random_range(0..width), rng.random_range(0..height));
    let (dx, dy) = *[(0, 1), (1, 0), (0, -1), (-1, 0), (2, 1)]
        .choose(rng)
        .expect("not empty");
    naive.masters = [a, (a.0 + dx, a.1 + dy)];
    for _ in 0..rng.random_range(0..=(width * height / 3)) {
        let lie = if rng.random() { 'h' } else { 'v' };
        let camel: Camel = (
            lie,
            rng.random_range(0..width - 1),
            rng.random_range(0..height - 1),
        );
        let clashes = |&c: &Camel| super::naive::intersection(c, camel).is_some();
        // Now and then a camel that intersects another stays, because the setup's check must refuse
        // it.
        if !naive.camels.iter().any(clashes) || rng.random_bool(0.005) {
            naive.camels.push(camel);
        }
    }
    naive
}

/// Makes moves with the most distant numbers that can be read.
fn garbage(rng: &mut ChaCha8Rng) -> NaiveMove {
    const FAR: [i64; 9] = [-128, -127, -64, -1, 0, 64, 120, 126, 127];
    let mut number = || *FAR.choose(rng).expect("not empty");
    let (x, y) = (number(), number());
    NaiveMove::Camel((if rng.random() { 'h' } else { 'v' }, x, y))
}

/// Compares everything about one position. Returns the legal moves.
fn compare(
    naive: &Naive,
    game: &CrazyCamel,
    rng: &mut ChaCha8Rng,
    met: &mut Met,
) -> Vec<NaiveMove> {
    let seat = Seat::new(naive.to_move);
    assert_eq!(game.to_move().first(), Some(seat), "{naive:?}");
    for player in [0, 1] {
        let view = serde_json::to_value(game.view(Seat::new(player))).expect("plain data");
        assert_eq!(view, naive.view(player), "{naive:?}");
    }
    let mut legal = Vec::new();
    let far = (0..3).map(|_| garbage(rng));
    for mv in naive.candidates().into_iter().chain(far) {
        let expected = naive.verdict(mv);
        let found = game.check(seat, &to_real(mv)).map_err(|broken| broken.rule);
        assert_eq!(found, expected, "{mv:?} at {naive:?}");
        match expected {
            // Garbage may be a candidate again.
            Ok(()) if legal.contains(&mv) => {}
            Ok(()) => legal.push(mv),
            Err(rule) => *met.entry(format!("refused: {rule}")).or_default() += 1,
        }
    }
    let mut expected: Vec<Move> = legal.iter().copied().map(to_real).collect();
    let mut found = game.legal_moves(seat);
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "{naive:?}");
    assert_eq!(game.perft(1), expected.len() as u64, "{naive:?}");
    legal
}

/// Names the special case of a legal move.
fn special(naive: &Naive, mv: NaiveMove) -> Option<&'static str> {
    let NaiveMove::Step(direction) = mv else {
        return None;
    };
    let me = naive.masters[naive.to_move];
    let other = naive.masters[1 - naive.to_move];
    let target = naive.target(direction).expect("legal");
    if (target.0 - me.0).abs() + (target.1 - me.1).abs() == 1 {
        return None;
    }
    if !direction.contains('-') {
        return Some("straight jump");
    }
    let behind = (2 * other.0 - me.0, 2 * other.1 - me.1);
    Some(if naive.inside(behind) {
        "diagonal jump, a camel behind"
    } else {
        "diagonal jump, the edge behind"
    })
}

/// Chooses a move, with a preference for jumps and then for steps. A uniform choice would only lay
/// camels at first.
fn choose(naive: &Naive, legal: &[NaiveMove], rng: &mut ChaCha8Rng) -> NaiveMove {
    let jumps = legal.iter().filter(|&&mv| special(naive, mv).is_some());
    let jumps: Vec<_> = jumps.copied().collect();
    let steps = legal.iter().filter(|mv| matches!(mv, NaiveMove::Step(_)));
    let steps: Vec<_> = steps.copied().collect();
    let pool = match rng.random_range(0..4) {
        0 if !jumps.is_empty() => &jumps,
        1 | 2 => &steps,
        _ => legal,
    };
    *pool.choose(rng).expect("there is always a step")
}

fn compare_outcome(naive: &Naive, game: &CrazyCamel) {
    let outcome = game.outcome();
    assert_eq!(outcome.is_some(), naive.is_over(), "{naive:?}");
    assert_eq!(game.to_move().is_empty(), naive.is_over(), "{naive:?}");
    let Some(outcome) = outcome else {
        return;
    };
    assert_eq!(outcome.reason, naive.reason(), "{naive:?}");
    for (player, seat) in outcome.seats.iter().enumerate() {
        let (result, placement, points) = match naive.winner {
            None => (GameResult::Drawn, 1, 0),
            Some(winner) if winner == player => (GameResult::Won, 1, 1),
            Some(_) => (GameResult::Lost, 2, 0),
        };
        assert_eq!(
            (seat.result, seat.placement, seat.points, seat.tie_break),
            (result, placement, points, 0),
            "{naive:?}"
        );
    }
}

/// Forfeits for a player, whether or not it is to move. Does so twice, because only the first
/// forfeit counts.
fn compare_forfeits(naive: &Naive, game: &CrazyCamel, rng: &mut ChaCha8Rng, met: &mut Met) {
    let (mut naive, mut game) = (naive.clone(), game.clone());
    let player = rng.random_range(0..2);
    let whose = if naive.is_over() {
        "late"
    } else if player == naive.to_move {
        "due"
    } else {
        "other's"
    };
    for player in [player, rng.random_range(0..2)] {
        let &(why, words) = FORFEITS.choose(rng).expect("not empty");
        naive.forfeit(player, words);
        game.apply_unchecked(Seat::new(player), Turn::Forfeit(why));
        compare_outcome(&naive, &game);
    }
    let (player, words) = naive.forfeited.unwrap_or((player, ""));
    *met.entry(format!("{whose} forfeit: {player}{words}"))
        .or_default() += 1;
}

/// Plays one game on both sides. Returns the number of positions compared.
fn play_out(mut naive: Naive, mut game: CrazyCamel, rng: &mut ChaCha8Rng, met: &mut Met) -> u64 {
    let mut positions = 0;
    while !naive.is_over() {
        let legal = compare(&naive, &game, rng, met);
        compare_forfeits(&naive, &game, rng, met);
        positions += 1;
        *met.entry(format!("{}×{}", naive.width, naive.height))
            .or_default() += 1;
        let jumps = legal.iter().filter_map(|&mv| special(&naive, mv));
        for jump in jumps {
            *met.entry(jump.to_owned()).or_default() += 1;
        }
        let mv = choose(&naive, &legal, rng);
        let jumped = special(&naive, mv).is_some();
        let seat = Seat::new(naive.to_move);
        naive.play(mv);
        game.apply_unchecked(seat, Turn::Played(to_real(mv)));
        compare_outcome(&naive, &game);
        let end = match (naive.winner.is_some(), naive.ply == naive.plies_max) {
            (false, false) => continue,
            (false, true) => "draw at the cap",
            (true, true) => "win at the cap",
            (true, false) if jumped => "win by a jump",
            (true, false) => "win by a step",
        };
        *met.entry(end.to_owned()).or_default() += 1;
        compare_forfeits(&naive, &game, rng, met);
    }
    positions
}

/// The number of positions to compare. The deep comparison is for optimised builds.
const POSITIONS: u64 = if cfg!(debug_assertions) {
    100_000
} else {
    400_000
};

#[test]
fn rules_agree_with_naive_rules_on_random_positions() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut met = Met::new();
    let mut positions = 0;
    while positions < POSITIONS {
        let naive = draw(&mut rng);
        let started = start(&naive);
        assert_eq!(
            started.is_ok(),
            naive.may_start(),
            "{started:?} of {naive:?}"
        );
        let Ok(game) = started else {
            *met.entry("setup refused".to_owned()).or_default() += 1;
            continue;
        };
        positions += play_out(naive, game, &mut rng, &mut met);
    }
    let expected = [
        "refused: off-board",
        "refused: camel-between",
        "refused: jump-onto-camel",
        "refused: jump-off-board",
        "refused: diagonal-without-master",
        "refused: diagonal-camel-between",
        "refused: diagonal-straight-open",
        "refused: diagonal-off-board",
        "refused: diagonal-camel-beside",
        "refused: no-camel-in-hand",
        "refused: camel-out-of-range",
        "refused: camel-there-already",
        "refused: camel-overlaps",
        "refused: camel-crosses",
        "refused: blocks-player-0",
        "refused: blocks-player-1",
        "refused: blocks-both-players",
        "straight jump",
        "diagonal jump, a camel behind",
        "diagonal jump, the edge behind",
        "win by a step",
        "win by a jump",
        "win at the cap",
        "draw at the cap",
        "setup refused",
    ];
    let sizes = SIZES.map(|(w, h)| format!("{w}×{h}"));
    let forfeits = [0, 1].into_iter().flat_map(|player| {
        let all = FORFEITS.map(|(_, words)| {
            ["due", "other's"].map(|whose| format!("{whose} forfeit: {player}{words}"))
        });
        let late = format!("late forfeit: {player}");
        all.into_iter().flatten().chain([late])
    });
    let cases = expected.iter().map(|&c| c.to_owned());
    for case in cases.chain(sizes).chain(forfeits) {
        let times = met.get(&case).copied().unwrap_or(0);
        assert!(times >= 100, "{case} was met {times} times only: {met:#?}");
    }
}
