use super::board::{FIELDS, fields};
use super::{Board, Colour, Move};
use crate::notation::no_move;
use crate::prelude::*;
use crate::{Ansi, Disc, Frame, Grid, Labels, Mark, Notation, Palette, Piece, Refused, Tone};

const RIM: Tone = Tone::new(0x0080_868d, 0x0076_7d85);

pub(super) const PALETTE: Palette = Palette {
    seats: &[
        Piece::disc(Tone::new(0x0023_272d, 0x000c_0e10), Ansi::Cyan).rimmed(RIM),
        Piece::disc(Tone::new(0x00fb_faf5, 0x00ec_e9df), Ansi::Yellow).rimmed(RIM),
    ],
    cell: Tone::new(0x004d_8a66, 0x0037_6b50),
    line: Tone::new(0x003f_7556, 0x0029_5340),
    hole: None,
};

/// Draws the board. `to_move` is none once the game is over.
pub(super) fn draw(board: &Board, to_move: Option<Colour>) -> Frame {
    let discs = Colour::BOTH.into_iter().flat_map(|colour| {
        fields(board.discs(colour))
            .map(move |field| Disc::plain(column_row(field), colour as usize))
    });
    let safe_mark = |colour| {
        let cells = fields(safe(board, colour)).map(column_row).collect();
        Mark::of("can never be turned", Some(colour as usize), cells)
    };
    let turn = match to_move {
        Some(colour) if board.moves(colour) == 0 => format!("{colour} must pass"),
        Some(colour) => format!("{colour} to move"),
        None => "over".to_owned(),
    };
    Frame {
        discs: discs.collect(),
        notes: vec![
            format!(
                "black {}, white {}",
                board.count(Colour::Black),
                board.count(Colour::White)
            ),
            turn,
        ],
        marks: Colour::BOTH.into_iter().filter_map(safe_mark).collect(),
        ..Frame::of_floor(Grid::Square, 8, 8, ".".repeat(FIELDS))
    }
}

fn column_row(field: u32) -> (usize, usize) {
    (field as usize % 8, field as usize / 8)
}

const ROWS: (u64, u64) = (0xff, 0xff << 56);
const COLUMNS: (u64, u64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080);

/// The lines along a row, a column and the two diagonals: the distance to the next field, and the
/// fields at the first and the last end.
const LINES: [(u32, u64, u64); 4] = [
    (1, COLUMNS.0, COLUMNS.1),
    (8, ROWS.0, ROWS.1),
    (9, COLUMNS.0 | ROWS.0, COLUMNS.1 | ROWS.1),
    (7, COLUMNS.1 | ROWS.0, COLUMNS.0 | ROWS.1),
];

/// Returns discs of a colour that no move can turn: along each line, one side ends at the edge or at
/// such a disc, or the whole line is full. There may be more.
fn safe(board: &Board, colour: Colour) -> u64 {
    let full = LINES.map(|(step, first, last)| {
        // A line has at most eight fields.
        let open = (0..7).fold(board.empty(), |open, _| {
            open | (open & !last) << step | (open & !first) >> step
        });
        !open
    });
    let mut safe = 0;
    loop {
        let next = LINES.into_iter().zip(full).fold(
            board.discs(colour),
            |held, ((step, first, last), full)| {
                let before = first | (safe & !last) << step;
                let behind = last | (safe & !first) >> step;
                held & (before | behind | full)
            },
        );
        if next == safe {
            return safe;
        }
        safe = next;
    }
}

pub(super) const NOTATION: Notation = Notation {
    help: &[
        "a field by its column and row, as d3, or by its number, as 19",
        "pass, where there is no other move",
    ],
    columns: Labels::Letters,
    rows: Labels::FromOne,
    cell: (4, 2),
};

pub(super) fn spell(mv: Move) -> String {
    match mv {
        Move::Pass => "pass".to_owned(),
        Move::Place(field) => match u8::try_from(field) {
            Ok(field @ 0..64) => {
                format!("{}{}", char::from(b'a' + field % 8), field / 8 + 1)
            }
            _ => field.to_string(),
        },
    }
}

pub(super) fn read(text: &str) -> Result<Move, Refused> {
    let word = text.trim().to_ascii_lowercase();
    if word == "pass" {
        return Ok(Move::Pass);
    }
    if let [column @ b'a'..=b'h', row @ b'1'..=b'8'] = *word.as_bytes() {
        return Ok(Move::Place(
            i64::from(row - b'1') * 8 + i64::from(column - b'a'),
        ));
    }
    word.parse()
        .map(Move::Place)
        .map_err(|_| no_move(text, "a field, a1 to h8 or 0 to 63, or pass"))
}
