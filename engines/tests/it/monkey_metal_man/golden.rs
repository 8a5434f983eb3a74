//! Recorded games under `testdata/monkey_metal_man`: they replay to the same outcome, and one
//! of them picture by picture.
//!
//! `UPDATE_GOLDEN=1 cargo test -p judge-engines --test it monkey_metal_man::golden` plays them anew.

use crate::support::records::{Bout, Golden};
use judge_engines::Notation;
use judge_engines::erased::AnyGame;
use std::fmt::Write;

const GOLDEN: Golden = Golden {
    slug: "monkey-metal-man",
    bouts: &[
        Bout("{}", &["hunter"; 4], 1),
        Bout(
            r#"{"map":"symmetric","side":11,"players":2}"#,
            &["hunter", "random"],
            2,
        ),
        Bout("{}", &["random"; 4], 3),
        Bout(r#"{"players":2}"#, &["random", "hunter"], 4),
        Bout(
            r#"{"map":"symmetric","side":15,"players":3,"highground_groups":3}"#,
            &["hunter"; 3],
            5,
        ),
        Bout(
            r#"{"map":"symmetric","side":13,"dead_pieces_block":true}"#,
            &["hunter", "random", "hunter", "random"],
            6,
        ),
    ],
    pictured: 1,
    picture,
};

#[test]
fn the_recorded_games_replay_to_the_same_outcomes_and_pictures() {
    GOLDEN.check();
}

/// Draws the truth and, beside it, what the seat to move sees of it: `0` to `3` the spotters,
/// `a` to `d` the assasins, `?` not seen.
fn picture(game: &dyn AnyGame, _: &Notation) -> String {
    let frame = game.frame();
    let mut cells: Vec<char> = frame.cells.chars().collect();
    for disc in &frame.discs {
        let first = if disc.letter == Some('S') { b'0' } else { b'a' };
        let player = u8::try_from(disc.seat).unwrap();
        cells[disc.y * frame.width + disc.x] = char::from(first + player);
    }
    let seen = game.to_move().first().map(|seat| {
        let visible = frame.visible[seat.index()].chars();
        let cells = visible.zip(&cells);
        cells
            .map(|(bit, &c)| if bit == '1' { c } else { '?' })
            .collect::<Vec<_>>()
    });
    let mut text = String::new();
    for row in 0..frame.height {
        let row = row * frame.width..(row + 1) * frame.width;
        text.extend(&cells[row.clone()]);
        if let Some(seen) = &seen {
            text.push_str("   ");
            text.extend(&seen[row]);
        }
        text.push('\n');
    }
    for disc in &frame.discs {
        let facing = disc.facing.unwrap();
        writeln!(
            text,
            "{:?} of player {} looks {facing:?}",
            disc.letter.unwrap(),
            disc.seat
        )
        .unwrap();
    }
    text + &frame.notes.join("\n") + "\n"
}
