//! Random setups, answers and garbage.

use super::naive::{Naive, Player};
use crate::support::compare::Met;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const DIRECTIONS: [[i64; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

fn direction(rng: &mut ChaCha8Rng) -> Value {
    json!(DIRECTIONS.choose(rng).unwrap())
}

/// Makes a setup with a random map and random pieces on it, at any point of a game. The rules may
/// refuse it.
pub(crate) fn setup(rng: &mut ChaCha8Rng) -> Value {
    let side: usize = if rng.random_ratio(1, 50) {
        *[21, 31].choose(rng).unwrap()
    } else {
        *[5, 7, 7, 9, 9, 11, 13, 19].choose(rng).unwrap()
    };
    let walls = rng.random_range(0.0..0.35);
    let high = *[0.0, 0.05, 0.3].choose(rng).unwrap();
    let map: Vec<String> = (0..side)
        .map(|_| {
            let tile = |rng: &mut ChaCha8Rng| match rng.random::<f64>() {
                x if x < walls => 'W',
                x if x < walls + high => 'O',
                _ => 'F',
            };
            (0..side).map(|_| tile(rng)).collect()
        })
        .collect();
    let late = rng.random_ratio(1, 2);
    let circles = if late {
        rng.random_range(0..side / 2)
    } else {
        0
    };
    let timer = if late { rng.random_range(1..=5) } else { 5 };
    let players: usize = rng.random_range(2..=4);
    // Most pieces are on rings that have not collapsed.
    let place = |rng: &mut ChaCha8Rng| {
        let coordinate = |rng: &mut ChaCha8Rng| rng.random_range(circles..side - circles);
        json!([coordinate(rng), coordinate(rng)])
    };
    let pieces: Vec<Value> = (0..players)
        .map(|_| {
            let spotter_alive = !rng.random_ratio(1, 8);
            let assasin_alive = !rng.random_ratio(1, 8);
            let mut player = json!({
                "spotter": place(rng), "assasin": place(rng),
                "spotter_direction": direction(rng), "assasin_direction": direction(rng),
                "spotter_alive": spotter_alive, "assasin_alive": assasin_alive,
                "timeouts": rng.random_range(0..2),
            });
            if !spotter_alive && !assasin_alive && rng.random_ratio(1, 2) {
                let round = rng.random_range(0..=circles * 5 + 5 - timer);
                player["lost"] = json!({"round": round, "turn": rng.random_range(0..=4)});
            }
            player
        })
        .collect();
    json!({
        "map": map, "pieces": pieces, "timer": timer, "circles_collapsed": circles,
        "to_move": rng.random_range(0..players),
        "timeouts_max": rng.random_range(2..5), "strict": rng.random_ratio(1, 3),
        "dead_pieces_block": rng.random::<bool>(),
    })
}

/// Makes a legal answer: often a listed one, sometimes a capture, otherwise random. Some have too
/// many moves, and some have steps that stay, unless the rules are strict.
pub(crate) fn answer(naive: &Naive, listed: &[String], rng: &mut ChaCha8Rng) -> String {
    match rng.random_range(0..10) {
        0 => listed.choose(rng).unwrap().clone(),
        1 => capture(naive, listed).unwrap_or_else(|| inwards(naive, listed, rng)),
        2..=4 => inwards(naive, listed, rng),
        _ => {
            let orders = |most: usize, rng: &mut ChaCha8Rng| {
                let count = rng.random_range(0..=most + 1);
                let mut moves = Vec::new();
                for _ in 0..count {
                    let stays = rng.random_ratio(1, 12) && !naive.strict;
                    moves.push(if stays { json!([0, 0]) } else { direction(rng) });
                }
                match count {
                    0 => json!({"direction": direction(rng)}),
                    _ => json!({"moves": moves, "direction": direction(rng)}),
                }
            };
            let (spotter, assasin) = (orders(2, rng), orders(4, rng));
            json!({"Spotter": spotter, "Assasin": assasin}).to_string()
        }
    }
}

/// Finds a listed answer that captures, judged by the complete position.
fn capture(naive: &Naive, listed: &[String]) -> Option<String> {
    let before = naive.players[naive.turn].captures;
    let mut answers = listed.iter();
    answers
        .find(|answer| after(naive, answer).captures > before)
        .cloned()
}

/// Returns the player to move as it is after an answer.
fn after(naive: &Naive, answer: &str) -> Player {
    let mut next = naive.clone();
    next.play(answer, &mut Met::default());
    next.players.swap_remove(naive.turn)
}

/// Finds, among a few listed answers, one that leads the player's pieces farthest inwards. This
/// makes games last.
fn inwards(naive: &Naive, listed: &[String], rng: &mut ChaCha8Rng) -> String {
    let depth = |answer: &&String| {
        let middle = naive.side / 2;
        let distance = |at: (i64, i64)| (at.0 - middle).abs() + (at.1 - middle).abs();
        let [spotter, assasin] = after(naive, answer).pieces;
        -distance(spotter.at) - distance(assasin.at)
    };
    listed.sample(rng, 12).max_by_key(depth).unwrap().clone()
}

const ODD: &str = r#"null
0
-1
1.0
1e300
18446744073709551615
"up"
[]
[1]
[1,0,0]
[1,1]
[0,0]
[2,0]
[-9223372036854775808,9223372036854775807]
[9223372036854775807,0]
[1.0,0.0]
[true,false]
{}
[[1,0]]
[[1,0],[5,5]]
[[1,0],[0,1],[1,0],[0,1],"north"]
{"direction":[1,0]}
[[0,1],[0,1],[0,1],[0,-9223372036854775808]]"#;

/// Breaks an answer in one place, or makes up something else.
pub(crate) fn garbage(rng: &mut ChaCha8Rng) -> String {
    let odd = |rng: &mut ChaCha8Rng| {
        let odd: Vec<&str> = ODD.lines().collect();
        serde_json::from_str::<Value>(odd.choose(rng).unwrap()).unwrap()
    };
    let orders =
        |rng: &mut ChaCha8Rng| json!({"direction": direction(rng), "moves": [direction(rng)]});
    let mut answer = json!({"Spotter": orders(rng), "Assasin": orders(rng)});
    let piece = *["Spotter", "Assasin"].choose(rng).unwrap();
    match rng.random_range(0..9) {
        0 => return odd(rng).to_string(),
        1 => answer[piece] = odd(rng),
        2 | 3 => answer[piece]["direction"] = odd(rng),
        4 | 5 => answer[piece]["moves"] = odd(rng),
        6 => answer[piece]["moves"] = json!([direction(rng), odd(rng)]),
        7 => answer[*["Debug", "spotter", ""].choose(rng).unwrap()] = odd(rng),
        _ => {
            let key = *["direction", "moves"].choose(rng).unwrap();
            answer[piece].as_object_mut().unwrap().remove(key);
        }
    }
    answer.to_string()
}
