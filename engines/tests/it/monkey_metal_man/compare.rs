//! Compares the rules with a naive second implementation, on random positions.

use super::cases;
use super::naive::{Naive, Verdict, judge};
use crate::support::compare::Met;
use judge_engines::erased::{AnyGame, MoveRefused};
use judge_engines::monkey_metal_man::MonkeyMetalMan;
use judge_engines::{Forfeit, Game, GameResult, Seat};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

const POSITIONS: u64 = 110_000;

const CASES: &str = include_str!("../../../testdata/monkey_metal_man/cases.txt");

#[test]
fn the_rules_agree_with_a_naive_second_implementation() {
    let mut rng = super::seeded(2024);
    let mut cover = Met::default();
    let mut positions = 0;
    while positions < POSITIONS {
        positions += play_a_game(&mut rng, &mut cover);
    }
    cover.suffices(CASES);
}

/// Plays a game from a random setup and compares every position. Returns the number of positions.
fn play_a_game(rng: &mut ChaCha8Rng, cover: &mut Met) -> u64 {
    let setup = cases::setup(rng);
    let Some(mut game) = super::start(setup.clone()) else {
        return 0;
    };
    let mut naive = Naive::new(&setup);
    let mut positions = 1;
    while let Some(seat) = naive.to_move() {
        compare(&game, &naive, rng, cover);
        let to_move = Seat::new(seat);
        let listed = AnyGame::legal_moves(&game, to_move);
        assert_eq!(listed, naive.selection(seat));
        try_garbage(&game, &naive, to_move, rng, cover);
        match rng.random_range(0..60) {
            0..=3 => {
                let seat = rng.random_range(0..naive.players.len());
                forfeit(&mut game, &mut naive, seat, rng, cover);
            }
            4..=6 => forfeit(&mut game, &mut naive, seat, rng, cover),
            _ => {
                let answer = cases::answer(&naive, &listed, rng);
                AnyGame::play(&mut game, to_move, &answer).expect("legal");
                naive.play(&answer, cover);
            }
        }
        positions += 1;
    }
    compare(&game, &naive, rng, cover);
    positions
}

fn forfeit(
    game: &mut MonkeyMetalMan,
    naive: &mut Naive,
    seat: usize,
    rng: &mut ChaCha8Rng,
    cover: &mut Met,
) {
    let why = *Forfeit::ALL.choose(rng).expect("four");
    Game::forfeit(game, Seat::new(seat), why);
    naive.forfeit(seat, why == Forfeit::Gone, why == Forfeit::Time, cover);
}

fn compare(game: &MonkeyMetalMan, naive: &Naive, rng: &mut ChaCha8Rng, cover: &mut Met) {
    let to_move = AnyGame::to_move(game).first().map(Seat::index);
    assert_eq!(to_move, naive.to_move());
    let other = rng.random_range(0..naive.players.len());
    for seat in BTreeSet::from([naive.turn, other]) {
        let mut view = Vec::new();
        AnyGame::write_view(game, Seat::new(seat), &mut view);
        let view = String::from_utf8(view).expect("ASCII");
        assert_eq!(view, naive.view(seat, cover), "seat {seat}");
    }
    let outcome = AnyGame::outcome(game).map(|outcome| {
        let rows = outcome.seats.iter().map(|seat| {
            assert_ne!(seat.result, GameResult::Drawn);
            let won = seat.result == GameResult::Won;
            (won, seat.placement.into(), seat.points, seat.tie_break)
        });
        rows.collect::<Vec<_>>()
    });
    assert_eq!(outcome, naive.result(cover));
    if rng.random_ratio(1, 8) {
        compare_frame(game, naive);
    }
    if to_move.is_some() && rng.random_ratio(1, 8) {
        let setup = game.setup();
        let again = MonkeyMetalMan::start(&setup).expect("a position is a setup");
        assert_eq!(&again, game);
        for (player, other) in setup.pieces.iter().zip(&naive.players) {
            assert_eq!(i64::from(player.timeouts), other.timeouts);
        }
    }
}

fn compare_frame(game: &MonkeyMetalMan, naive: &Naive) {
    let frame = AnyGame::frame(game);
    let letters = naive.terrain.iter().map(|&number| match number {
        0 => '#',
        1 => '.',
        _ => '^',
    });
    assert_eq!(frame.cells, letters.collect::<String>());
    for (seat, visible) in frame.visible.iter().enumerate() {
        let seen = naive.visible(seat, &mut Met::default());
        let bits = seen.iter().map(|&seen| if seen { '1' } else { '0' });
        assert_eq!(visible, &bits.collect::<String>());
    }
    let discs = frame.discs.iter().map(|disc| {
        let (columns, rows) = disc.facing.expect("a piece looks somewhere");
        let kind = usize::from(disc.letter == Some('A'));
        let number = |i: usize| i64::try_from(i).expect("small");
        let at = (number(disc.y), number(disc.x));
        (disc.seat, kind, at, (i64::from(rows), i64::from(columns)))
    });
    let mut living = Vec::new();
    for (seat, player) in naive.players.iter().enumerate() {
        for (kind, piece) in player.pieces.iter().enumerate() {
            if piece.alive {
                living.push((seat, kind, piece.at, piece.direction));
            }
        }
    }
    assert_eq!(discs.collect::<Vec<_>>(), living);
}

/// Checks that both rules judge an arbitrary answer alike and carry out the same part of it.
fn try_garbage(
    game: &MonkeyMetalMan,
    naive: &Naive,
    seat: Seat,
    rng: &mut ChaCha8Rng,
    cover: &mut Met,
) {
    let answer = cases::garbage(rng);
    let mut copy = game.clone();
    let verdict = match AnyGame::play(&mut copy, seat, &answer) {
        Ok(_) => Verdict::Legal,
        Err(MoveRefused::Broken(broken)) => Verdict::Broken(broken.rule),
        Err(MoveRefused::Unreadable(_)) => Verdict::Unreadable,
    };
    assert_eq!(verdict, judge(&answer, naive.strict), "{answer}");
    let case = match verdict {
        Verdict::Legal => "an odd answer is legal".to_owned(),
        Verdict::Broken(rule) => format!("an answer breaks {rule}"),
        Verdict::Unreadable => "an answer is unreadable".to_owned(),
    };
    cover.note(&case);
    if verdict != Verdict::Legal {
        assert_eq!(&copy, game, "{answer} changed the position");
    }
    let broken = AnyGame::play_broken(&mut copy, seat, &answer);
    let is_carried_out = matches!(verdict, Verdict::Broken(_)) && !naive.strict;
    assert_eq!(broken.is_some(), is_carried_out, "{answer}");
    let Some(spelled) = broken else {
        return;
    };
    let mut again = game.clone();
    let recorded = AnyGame::play_recorded(&mut again, seat, &spelled);
    assert_eq!(recorded, Ok(spelled), "{answer}");
    assert_eq!(again, copy, "{answer}: the record leads elsewhere");
    let mut naive = naive.clone();
    naive.play(&answer, cover);
    compare(&copy, &naive, rng, cover);
}
