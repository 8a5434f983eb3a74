//! Cost of the rules next to a pipe round trip. It measures, per ply of random games of each game,
//! checking and applying a move and building the next view, as JSON. It also measures perft of
//! Reversi and the move generation of Crazy Camel. `scripts/bench-rules` runs it and compares with
//! `open_spiel`.
//!
//! Each figure is a median of several rounds, all in one run on one core.

use engines::erased::AnyGame;
use engines::{Entry, GAMES};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const ROUND_TRIPS: u32 = 20_000;
const GAMES_PER_ROUND: u64 = 40;
const CAMEL_PLIES: usize = 12;
/// Number of times that each list is made, which makes reading the clock negligible.
const REPEATS: u32 = 8;

fn main() {
    sandbox::pin_to(0).expect("a CPU to pin to");
    let floor_ns = median(pipe_round_trip_ns);
    println!("pipe round trip on one core: {floor_ns:.0} ns");
    println!("{:24} {:>12} {:>12}", "game", "ns per ply", "of a trip");
    for entry in GAMES {
        let games = recorded(entry);
        let ns = median(|| ply_ns(&games));
        println!("{:24} {ns:>12.0} {:>12.3}", entry.info.slug, ns / floor_ns);
    }
    let leaves = median(perft_leaves_per_s) / 1e6;
    println!("reversi perft 10: {leaves:.0} million leaves/s");
    let lists = median(camel_lists_per_s);
    println!("crazy-camel legal_moves: {lists:.0} lists/s");
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut figures: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}

fn ns(elapsed: Duration, count: u32) -> f64 {
    elapsed.as_secs_f64() * 1e9 / f64::from(count)
}

/// Measures sending one line to a process on the same core and back.
fn pipe_round_trip_ns() -> f64 {
    let mut echo = Command::new("/bin/cat");
    echo.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut echo = echo.spawn().expect("cat is everywhere");
    let mut to = echo.stdin.take().expect("piped");
    let mut from = echo.stdout.take().expect("piped");
    let mut line = [b'x'; 64];
    let began = Instant::now();
    for _ in 0..ROUND_TRIPS {
        to.write_all(&line).expect("it listens");
        from.read_exact(&mut line).expect("it answers");
    }
    let elapsed = began.elapsed();
    drop(to);
    echo.wait().expect("it ends with its input");
    ns(elapsed, ROUND_TRIPS)
}

/// A game as a first position and its moves.
struct Recorded {
    start: Box<dyn AnyGame>,
    moves: Vec<String>,
}

/// Plays random games and keeps their moves, which leaves choosing them out of the measurement.
fn recorded(entry: &Entry) -> Vec<Recorded> {
    let config = entry.configure("{}").expect("the defaults are allowed");
    let play = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let setup = entry.draw(&config, seed).expect("the defaults are allowed");
        let start = entry.start(&setup).expect("a drawn setup is valid");
        let mut game = start.boxed_clone();
        let mut moves = Vec::new();
        while let Some(seat) = game.to_move().first() {
            let legal = game.legal_moves(seat);
            let mv = legal.choose(&mut rng).expect("never empty").clone();
            game.play(seat, &mv).expect("listed");
            moves.push(mv);
        }
        Recorded { start, moves }
    };
    (0..GAMES_PER_ROUND).map(play).collect()
}

/// Parses, checks and applies every move, and writes the view for the next seat.
fn ply_ns(games: &[Recorded]) -> f64 {
    let mut view = Vec::new();
    let mut plies = 0;
    let began = Instant::now();
    for recorded in games {
        let mut game = recorded.start.boxed_clone();
        for mv in &recorded.moves {
            let seat = game.to_move().first().expect("as recorded");
            view.clear();
            game.write_view(seat, &mut view);
            black_box(&view);
            game.play(seat, mv).expect("as recorded");
            plies += 1;
        }
    }
    ns(began.elapsed(), plies)
}

fn perft_leaves_per_s() -> f64 {
    const DEPTH: u32 = 10;
    let entry = engines::game("reversi").expect("registered");
    let config = entry.configure("{}").expect("the defaults are allowed");
    let setup = entry.draw(&config, 0).expect("allowed");
    let game = entry.start(&setup).expect("valid");
    let began = Instant::now();
    #[expect(clippy::cast_precision_loss, reason = "24 million")]
    let leaves = game.perft(DEPTH) as f64;
    leaves / began.elapsed().as_secs_f64()
}

/// Lists the moves of the typed game along the first plies of random games, while both players have
/// walls to place. `scripts/bench-rules` has `open_spiel` do the same.
fn camel_lists_per_s() -> f64 {
    use engines::Game;
    use engines::crazy_camel::{Config, CrazyCamel};
    let mut lists = 0;
    let mut spent = Duration::ZERO;
    for seed in 0..GAMES_PER_ROUND {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let setup = <CrazyCamel as Game>::draw(&Config::default(), &mut rng);
        let setup = setup.expect("the defaults are allowed");
        let mut game = CrazyCamel::start(&setup).expect("a drawn setup is valid");
        for _ in 0..CAMEL_PLIES {
            let Some(seat) = Game::to_move(&game).first() else {
                break;
            };
            let began = Instant::now();
            for _ in 1..REPEATS {
                black_box(Game::legal_moves(&game, seat));
            }
            let legal = Game::legal_moves(&game, seat);
            spent += began.elapsed();
            lists += REPEATS;
            let mv = *legal.choose(&mut rng).expect("never empty");
            game.apply_unchecked(seat, mv);
        }
    }
    f64::from(lists) / spent.as_secs_f64()
}
