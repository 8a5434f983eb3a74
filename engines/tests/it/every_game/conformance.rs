//! Contract checks that run on every registered game.
//!
//! `check` plays random games through the erased interface and asserts every promise that callers
//! rely on. The output names the game of a broken promise.

use crate::support::{self, each, view};
use judge_engines::erased::{AnyGame, MoveRefused};
use judge_engines::rand_chacha::ChaCha8Rng;
use judge_engines::rand_chacha::rand_core::SeedableRng;
use judge_engines::{Entry, Forfeit, Frame, GAMES, GameResult, Outcome, Seat, SeatOutcome, Seats};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// The maximum number of plies of a game on any configuration that the checks use.
const PLIES_MAX: u64 = 20_000;

/// Plays `games` random games on a game's defaults, and a tenth as many on each of its variants.
/// Asserts the contract at every ply.
fn check(entry: &Entry, games: u64) {
    info_is_sound(entry);
    let defaults_max = u64::from(entry.info.plies_max);
    assert!(defaults_max <= PLIES_MAX, "endless");
    check_config(entry, "{}", games, defaults_max);
    for variant in entry.info.variants {
        check_config(entry, variant, games.div_ceil(10), PLIES_MAX);
    }
    let unknown = entry.configure(r#"{"no such setting": 1}"#);
    unknown.expect_err("an unknown setting is refused");
}

/// Plays random games on a configuration, every third with a forfeit.
fn check_config(entry: &Entry, settings: &str, games: u64, plies_max: u64) {
    let config = entry.configure(settings);
    let config = config.unwrap_or_else(|error| panic!("{settings}: {error}"));
    for seed in 0..games {
        let setup = entry.draw(&config, seed).expect("an allowed configuration");
        let again = entry.draw(&config, seed).expect("an allowed configuration");
        assert_eq!(setup.get(), again.get(), "equal seeds, equal setups");
        let forfeit_at = (seed % 3 == 2).then_some(seed % 7);
        let plies = play_out(entry, &setup, seed, forfeit_at);
        assert!(plies <= plies_max, "{settings}: {plies} plies");
    }
}

fn info_is_sound(entry: &Entry) {
    let info = &entry.info;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(info.slug.chars().all(plain), "a plain slug");
    assert!((2..=info.roles.len()).contains(&info.seats_min), "seats");
    assert_eq!(entry.baselines()[0].0, "random", "the first bot");
    assert!(
        info.roles.len() <= info.palette.seats.len(),
        "a colour for every seat"
    );
    let summary = info.summary;
    assert!(
        summary.ends_with('.') && !summary.contains('\n'),
        "a summary in one sentence"
    );
    let heading = format!("## {}\n\n", info.title);
    assert!(
        info.protocol.starts_with(&heading) && info.protocol.ends_with('\n'),
        "a section of the protocol with its heading"
    );
    assert!(!info.courses.is_empty(), "a competition");
    let help = info.notation.help;
    assert!(
        !help.is_empty() && help.iter().all(|line| line.chars().count() <= 76),
        "how moves are typed fits a terminal"
    );
}

/// Plays a random game and returns its number of plies. At ply `forfeit_at`, if given, a random
/// seat forfeits, whether or not it is to move.
fn play_out(entry: &Entry, setup: &RawValue, seed: u64, forfeit_at: Option<u64>) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = entry.start(setup).expect("a drawn setup is valid");
    let seats = game.seats();
    let range = game.points_range();
    assert!((entry.info.seats_min..=entry.info.roles.len()).contains(&seats));
    let mut plies = 0;
    while let Some(seat) = game.to_move().first() {
        assert!(game.outcome().is_none(), "over, yet a seat is to move");
        assert!(seat.index() < seats, "{seat} of {seats}");
        let legal = game.legal_moves(seat);
        assert!(!legal.is_empty(), "no move (ply {plies}, seed {seed})");
        moves_are_sound(entry, game.as_ref(), seat, &legal, &mut rng);
        moves_have_one_spelling(game.as_ref(), seat, &legal);
        if plies % TYPED_EVERY == 0 {
            moves_can_be_typed(game.as_ref(), seat, &legal);
        }
        if forfeit_at == Some(plies) {
            let seat = Seat::new(rng.random_range(..seats));
            game.forfeit(seat, *Forfeit::ALL.choose(&mut rng).expect("four kinds"));
        } else {
            let mv = legal.choose(&mut rng).expect("not empty");
            let spelled = game.play(seat, mv).expect("a listed move is legal");
            assert_eq!(&spelled, mv, "a listed move keeps its spelling");
        }
        let counted = game.measure().len();
        let is_counted = counted <= seats && (counted == 0) == entry.info.measure.is_none();
        assert!(is_counted, "{counted} counts for those who watch");
        game.frame();
        game.seen(seat);
        plies += 1;
        assert!(plies <= PLIES_MAX, "endless");
    }
    let outcome = game.outcome().unwrap_or_else(|| panic!("no outcome"));
    outcome_is_sound(&outcome, seats);
    for SeatOutcome { points, .. } in &outcome.seats {
        assert!(range.contains(points), "{points} points, not {range:?}");
    }
    the_end_is_final(game.as_ref());
    plies
}

/// Asks the built-in bots for moves and tries malformed moves. None of them may change or break the
/// position.
fn moves_are_sound(
    entry: &Entry,
    game: &dyn AnyGame,
    seat: Seat,
    legal: &[String],
    rng: &mut ChaCha8Rng,
) {
    let (seen, listed) = (view(game, seat), support::legal(game, seat));
    let different: BTreeSet<_> = legal.iter().collect();
    assert_eq!(different.len(), legal.len(), "a move is listed twice");
    for (name, _) in entry.baselines() {
        let choice = entry
            .choose(name, seat, &seen, &listed, rng.random())
            .unwrap_or_else(|error| panic!("{name} reads the view: {error}"));
        let mut copy = game.boxed_clone();
        copy.play(seat, &choice)
            .unwrap_or_else(|error| panic!("{name} played {choice}: {error:?}"));
    }
    for garbage in "|null|{|[]|[1e999]|\"\u{0}\"|{\"a\":1}|-1".split('|') {
        let mut copy = game.boxed_clone();
        if copy.play(seat, garbage).is_err() {
            let after = view(copy.as_ref(), seat);
            assert_eq!(seen.get(), after.get(), "{garbage:?} changed the position");
            let is_carried_out = copy.play_broken(seat, garbage).is_some();
            let is_fit = !is_carried_out || game.carries_out_broken_moves();
            assert!(is_fit, "{garbage:?} is carried out");
        }
    }
}

/// Checks that a name in a move is a string and nothing else, and that a zero may have a sign.
fn moves_have_one_spelling(game: &dyn AnyGame, seat: Seat, legal: &[String]) {
    let play = |mv: &Value| game.boxed_clone().play(seat, &mv.to_string());
    for mv in legal.iter().take(SPELLED_MAX) {
        let value: Value = serde_json::from_str(mv).expect("moves are JSON");
        let mut named = value.clone();
        each(&mut named, &mut |part| {
            if let Some(name) = part.as_str() {
                *part = serde_json::json!({ name: null });
            }
        });
        if named != value {
            let refused = matches!(play(&named), Err(MoveRefused::Unreadable(_)));
            assert!(refused, "{named} was read");
        }
        let mut signed = value;
        each(&mut signed, &mut |part| {
            if part.as_i64() == Some(0) {
                *part = (-0.0).into();
            }
        });
        assert_eq!(play(&signed).as_ref(), Ok(mv), "{signed}");
    }
}

/// The maximum number of legal moves of a position that are tried in other spellings.
const SPELLED_MAX: usize = 8;

/// The interval, in plies, at which all legal moves are typed.
const TYPED_EVERY: u64 = 8;

/// Checks that every legal move has a spelling that reads back as the same move, so that a person
/// can play it. Any other text is refused with the expected form.
fn moves_can_be_typed(game: &dyn AnyGame, seat: Seat, legal: &[String]) {
    for mv in legal {
        let spelled = game.spell(seat, mv);
        let read = game.read(seat, &spelled);
        assert_eq!(read.as_ref(), Ok(mv), "{spelled:?} is typed");
    }
    for garbage in "|  |?|no move|99999999999999999999 1|\u{0}|é1".split('|') {
        let refused = game.read(seat, garbage).expect_err("no move");
        assert!(refused.0.contains("expected"), "{refused}");
    }
}

/// Checks that a forfeit after the end changes nothing, by any seat and of any kind.
fn the_end_is_final(over: &dyn AnyGame) {
    let expected = reported(over);
    for seat in (0..over.seats()).map(Seat::new) {
        for why in Forfeit::ALL {
            let mut after = over.boxed_clone();
            after.forfeit(seat, why);
            let found = reported(after.as_ref());
            assert_eq!(found, expected, "{seat} forfeited ({why:?}) after the end");
        }
    }
}

/// Returns all that a position shows: outcome, seats to move, picture, and each seat's view.
fn reported(game: &dyn AnyGame) -> (Option<Outcome>, Seats, Frame, Vec<String>) {
    let view = |seat| view(game, Seat::new(seat)).to_string();
    let views = (0..game.seats()).map(view).collect();
    (game.outcome(), game.to_move(), game.frame(), views)
}

fn outcome_is_sound(outcome: &Outcome, seats: usize) {
    assert_eq!(outcome.seats.len(), seats, "an outcome for every seat");
    assert!(!outcome.reason.is_empty(), "a reason");
    let count = |is: &dyn Fn(&SeatOutcome) -> bool| outcome.seats.iter().filter(|s| is(s)).count();
    let drawn = count(&|seat| seat.result == GameResult::Drawn);
    match count(&|seat| seat.result == GameResult::Won) {
        0 => assert_eq!(drawn, seats, "nobody won, so all drew"),
        _ => assert_eq!(drawn, 0, "somebody won, so nobody drew"),
    }
    for seat in &outcome.seats {
        let better = count(&|other| other.placement < seat.placement);
        assert_eq!(better + 1, usize::from(seat.placement), "places");
        assert_eq!(seat.result == GameResult::Lost, seat.placement != 1);
    }
    let json = serde_json::to_string(outcome).expect("plain data");
    let back: Outcome = serde_json::from_str(&json).expect("an outcome reads back");
    assert_eq!(&back, outcome, "the outcome survives JSON");
}

#[test]
fn every_registered_game_keeps_the_contract() {
    for entry in GAMES {
        println!("{entry:?}");
        check(entry, 60);
    }
    let slugs: BTreeSet<_> = GAMES.iter().map(|entry| entry.info.slug).collect();
    assert_eq!(slugs.len(), GAMES.len(), "a slug is there twice");
}

fn first_position(entry: &Entry) -> Box<dyn AnyGame> {
    let config = entry.configure("{}").expect("the defaults");
    let setup = entry.draw(&config, 1).expect("a setup");
    entry.start(&setup).expect("a position")
}

#[test]
fn mark_names_cells_as_game_moves_do() {
    // Each row: a game, a mark's cell, and its column and row in the picture.
    let rows = "catch-the-cat [0,0] 10,10
catch-the-cat [-10,10] 0,20
catch-the-cat [-11,0] none
catch-the-cat [2147483647,0] 2147483657,10
reversi 19 3,2
reversi \"pass\" none
reversi -1 none
crazy-camel [3,6] 3,6
monkey-metal-man [1,2] 2,1
connect-four 3 3,5
connect-four [3,1] 3,4
connect-four [3,6] none
connect-four 7 none
connect-four 99 none
connect-four [1,2,3] none
connect-four { none";
    for row in rows.lines() {
        let [slug, at, expected] = *row.split(' ').collect::<Vec<_>>() else {
            panic!("three words: {row}");
        };
        let position = first_position(judge_engines::game(slug).expect("a game"));
        let cell = position
            .cell(at)
            .map(|(column, row)| format!("{column},{row}"));
        assert_eq!(cell.as_deref().unwrap_or("none"), expected, "{row}");
    }
}

#[test]
fn no_mark_is_too_odd_for_a_game() {
    let numbers = "-9223372036854775809 -1 0 7 63 64 99 2147483648 8999999999999999999 \
                   18446744073709551615 18446744073709551616 1e300 1.5 null \"z9\"";
    let numbers = || numbers.split(' ');
    let pairs = numbers().flat_map(|one| numbers().map(move |other| format!("[{one},{other}]")));
    let others = numbers().chain(["{}", "[]", "[[0,0]]"]).map(str::to_owned);
    let all: Vec<String> = pairs.chain(others).collect();
    for entry in GAMES {
        let position = first_position(entry);
        for at in &all {
            // No panic; a cell beyond the picture is refused by the table.
            let _ = position.cell(at);
        }
    }
}
