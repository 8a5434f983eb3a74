//! Writers of JSON by hand, because views and moves are sent every turn.

use super::action::{Orders, Step};
use super::view::{Board, Cell, View};
use super::{Action, Direction, Location, SIDE_MAX};
use crate::object;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// As many hidden tiles as a row can have.
const HIDDEN: [u8; 3 * SIDE_MAX] = {
    let mut text = [0; 3 * SIDE_MAX];
    let mut i = 0;
    while i < text.len() {
        text[i] = b"-1,"[i % 3];
        i += 1;
    }
    text
};

/// Writes what `serde_json` would.
pub(super) fn write_view(view: &View, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"board":"#);
    write_board(&view.board, out);
    out.extend_from_slice(br#","timer":"#);
    write_number(view.timer, out);
    out.extend_from_slice(br#","circles collapsed":"#);
    write_number(view.circles_collapsed, out);
    out.extend_from_slice(br#","spotter location":"#);
    write_location(view.spotter_location, out);
    out.extend_from_slice(br#","assasin location":"#);
    write_location(view.assasin_location, out);
    out.extend_from_slice(br#","spotter alive":"#);
    write_flag(view.spotter_alive, out);
    out.extend_from_slice(br#","assasin alive":"#);
    write_flag(view.assasin_alive, out);
    out.extend_from_slice(br#","spotter direction":"#);
    write_direction(view.spotter_direction, out);
    out.extend_from_slice(br#","assasin direction":"#);
    write_direction(view.assasin_direction, out);
    out.push(b'}');
}

fn write_board(board: &Board, out: &mut Vec<u8>) {
    let side = u8::try_from(board.side()).expect("a side is at most 31");
    let mut before = b'[';
    for row in 0..side {
        out.extend_from_slice(&[before, b'[']);
        write_row(board, row, side, out);
        // In place of the comma after the last tile.
        out.pop();
        out.push(b']');
        before = b',';
    }
    out.push(b']');
}

/// Writes a comma after each tile.
fn write_row(board: &Board, row: u8, side: u8, out: &mut Vec<u8>) {
    let has_enemies = board.enemies().iter().any(|(at, _)| at.0 == row);
    let mut seen = board.seen[usize::from(row)];
    let mut column = 0;
    while column < side {
        let run = u8::try_from(seen.trailing_zeros())
            .expect("at most 32")
            .min(side - column);
        out.extend_from_slice(&HIDDEN[..3 * usize::from(run)]);
        column += run;
        seen >>= run;
        while seen & 1 == 1 {
            write_seen(board, Location(row, column), has_enemies, out);
            column += 1;
            seen >>= 1;
        }
    }
}

fn write_seen(board: &Board, at: Location, look_for_enemies: bool, out: &mut Vec<u8>) {
    if look_for_enemies && let Cell::Enemy(enemy) = board.at(at) {
        object::write(&enemy, out);
        out.push(b',');
    } else if let Some(terrain) = board.terrain(at) {
        out.extend_from_slice(&[b'0' + terrain.number(), b',']);
    }
}

/// All numbers of a view are below 100.
fn write_number(number: u8, out: &mut Vec<u8>) {
    if number >= 10 {
        out.push(b'0' + number / 10);
    }
    out.push(b'0' + number % 10);
}

fn write_location(location: Location, out: &mut Vec<u8>) {
    out.push(b'[');
    write_number(location.0, out);
    out.push(b',');
    write_number(location.1, out);
    out.push(b']');
}

fn write_flag(flag: bool, out: &mut Vec<u8>) {
    let text: &[u8] = if flag { b"true" } else { b"false" };
    out.extend_from_slice(text);
}

fn write_direction(direction: Direction, out: &mut Vec<u8>) {
    out.extend_from_slice(direction_text(direction).as_bytes());
}

fn direction_text(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "[-1,0]",
        Direction::Down => "[1,0]",
        Direction::Left => "[0,-1]",
        Direction::Right => "[0,1]",
    }
}

/// Six steps, two directions and the keys around them.
const LEGAL_MOVE_BYTES: usize = 128;

/// Writes what `serde_json` would.
pub(super) fn action(action: &Action) -> String {
    let mut text = String::with_capacity(LEGAL_MOVE_BYTES);
    text.push_str(r#"{"Spotter":"#);
    write_orders(&action.spotter, &mut text);
    text.push_str(r#","Assasin":"#);
    write_orders(&action.assasin, &mut text);
    text.push('}');
    text
}

fn write_orders<const STEPS_MAX: usize>(orders: &Orders<STEPS_MAX>, text: &mut String) {
    text.push_str(r#"{"direction":"#);
    write_step(orders.direction, text);
    text.push_str(r#","moves":["#);
    for (i, step) in orders.moves.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        write_step(step, text);
    }
    text.push_str("]}");
}

fn write_step(step: Step, text: &mut String) {
    match (step, step.direction()) {
        (_, Some(direction)) => text.push_str(direction_text(direction)),
        (Step::Pair(..), None) => text.push_str(&step.to_string()),
        (Step::NoPair, None) => text.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::position;
    use super::super::{Config, MapKind, MonkeyMetalMan, bots};
    use super::*;
    use crate::{Game, Turn};
    use alloc::borrow::ToOwned;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn a_view_reads_as_the_course_text_says() {
        let game = position(&["SA...", "#.B..", "^.T..", ".....", "....."]);
        let mut text = Vec::new();
        game.write_view(crate::Seat::new(0), &mut text);
        let text = String::from_utf8(text).expect("ASCII");
        let enemy = |kind: &str| {
            format!(r#"{{"playerId":1,"direction":[1,0],"type":"{kind}","square":1}}"#)
        };
        let expected = format!(
            "{{\"board\":[[1,1,-1,-1,-1],[0,1,{},-1,-1],[-1,1,{},-1,-1],\
             [-1,-1,-1,1,-1],[-1,-1,-1,-1,-1]],\"timer\":5,\"circles collapsed\":0,\
             \"spotter location\":[0,0],\"assasin location\":[0,1],\"spotter alive\":true,\
             \"assasin alive\":true,\"spotter direction\":[1,0],\"assasin direction\":[1,0]}}",
            enemy("assasin"),
            enemy("spotter"),
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn json_text_equals_serde_json_text() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut with_enemies = 0;
        for side in [11, 15, 19, 31] {
            let config = Config {
                map: MapKind::Symmetric,
                side,
                highground_groups: 3,
                ..Config::default()
            };
            let setup = MonkeyMetalMan::draw(&config, &mut rng).expect("allowed");
            let mut game = MonkeyMetalMan::start(&setup).expect("valid");
            while let Some(to_move) = game.to_move().first() {
                for seat in (0..4).map(crate::Seat::new) {
                    let view = game.view(seat);
                    let mut text = Vec::new();
                    game.write_view(seat, &mut text);
                    assert_eq!(text, serde_json::to_vec(&view).expect("data"));
                    let read: View = serde_json::from_slice(&text).expect("readable");
                    assert_eq!(read, view);
                    with_enemies += usize::from(!view.board.enemies().is_empty());
                }
                let view = game.view(to_move);
                let hunter = bots::BASELINES[1].choose;
                let action = hunter(to_move, &view, &[], &mut rng);
                let text = serde_json::to_string(&action).expect("data");
                assert_eq!(MonkeyMetalMan::spelling(&action), text);
                game.apply_unchecked(to_move, Turn::Played(action));
            }
        }
        assert!(with_enemies > 20, "{with_enemies}");
    }

    #[test]
    fn text_of_illegal_answer_equals_serde_json_text() {
        let text = format!(
            r#"{{"Spotter":{{"direction":[7,{}],"moves":[[-2,0],[0,0]]}},"Assasin":{{"direction":null,"moves":[[0,1],null]}}}}"#,
            i64::MIN
        );
        let read: Action = serde_json::from_str(&text).expect("readable");
        assert_eq!(action(&read), text);
    }

    #[test]
    fn board_other_than_known_square_is_refused() {
        let read = |text: &str| serde_json::from_str::<Board>(text).map_err(|e| e.to_string());
        let row = "[-1,0,1,2,-1]";
        let board = |first: &str| format!("[{first},{row},{row},{row},{row}]");
        assert!(read(&board(row)).is_ok());
        for (text, complaint) in [
            ("[]".to_owned(), "no square"),
            (board("[1]"), "no square"),
            (board("[-2,1,1,1,1]"), "-2 is not a tile"),
            (board("[3,1,1,1,1]"), "3 is not a tile"),
            (board("[null,1,1,1,1]"), "invalid type: null"),
            (
                board(r#"[{"playerId":4,"direction":[1,0],"type":"spotter","square":1},1,1,1,1]"#),
                "a playerId is below 4",
            ),
        ] {
            let error = read(&text).expect_err("refused");
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
