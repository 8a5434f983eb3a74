//! Line of sight. A cell is named (f, k): f tiles forward, k sideways. Sight spreads outwards from
//! the own cell: a cell is visible if its *parents* are visible and no walls. The parent of a cell
//! on the forward ray or on a diagonal is the one before it. The parents of a cell between are
//! (f−1, k) and (f−1, k∓1), towards the ray. A visible wall is shown and ends the sight; the
//! board's end does neither.

use super::Kind;
use super::field::{Direction, Field, Location, Terrain};

/// How far sideways a spotter sees, 1, 2, … tiles forward.
const SPOTTER_SEES: &[i8] = &[1, 2, 3, 3, 2];
const ASSASIN_SEES: &[i8] = &[1, 1];

/// A spotter's on highground, in steps.
const HIGHGROUND_REACH: i8 = 5;

/// Calls `see` once with every tile that a living piece sees.
pub(super) fn look(
    field: &Field,
    at: Location,
    facing: Direction,
    kind: Kind,
    mut see: impl FnMut(Location, Terrain),
) {
    let own = field.at(at).expect("a living piece is on the board");
    let sees = match kind {
        Kind::Spotter if own == Terrain::Highground => return look_around(field, at, see),
        Kind::Spotter => SPOTTER_SEES,
        Kind::Assasin => ASSASIN_SEES,
    };
    see(at, own);
    let (rows, columns) = facing.delta();
    // If forward is down or up, sideways is along the row, else along the column.
    let (rows_sideways, columns_sideways) = (columns.abs(), rows.abs());
    let bit = |forward: i8, lateral: i8| 1_u64 << (8 * forward + lateral + 3);
    // The visible cells that are no walls.
    let mut passing = bit(0, 0);
    for (forward, &most) in (1..).zip(sees) {
        for lateral in -most..=most {
            let inwards = lateral - lateral.signum();
            let is_diagonal = lateral.abs() == forward;
            let before = if is_diagonal { inwards } else { lateral };
            let parents = bit(forward - 1, inwards) | bit(forward - 1, before);
            if passing & parents != parents {
                continue;
            }
            let target = at.shifted(
                forward * rows + lateral * rows_sideways,
                forward * columns + lateral * columns_sideways,
            );
            if let Some(terrain) = field.at(target) {
                see(target, terrain);
                if terrain != Terrain::Wall {
                    passing |= bit(forward, lateral);
                }
            }
        }
    }
}

fn look_around(field: &Field, at: Location, mut see: impl FnMut(Location, Terrain)) {
    for rows in -HIGHGROUND_REACH..=HIGHGROUND_REACH {
        let reach = HIGHGROUND_REACH - rows.abs();
        for columns in -reach..=reach {
            let target = at.shifted(rows, columns);
            if let Some(terrain) = field.at(target) {
                see(target, terrain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use alloc::vec::Vec;

    /// Draws the sight of a piece in the middle of the picture. `.` and `#` are seen, a blank is
    /// not.
    fn sight(map: &[&str], facing: Direction, kind: Kind) -> Vec<String> {
        let row = |row: &&str| row.replace('.', "F").replace('#', "W").replace('^', "O");
        let rows: Vec<String> = map.iter().map(row).collect();
        let field = Field::parse(&rows).expect("a map");
        let mut seen = vec![vec![b' '; 11]; 11];
        look(&field, Location(5, 5), facing, kind, |at, terrain| {
            let Location(row, column) = at;
            let letter = if terrain == Terrain::Wall { b'#' } else { b'.' };
            seen[usize::from(row)][usize::from(column)] = letter;
        });
        let text = seen.into_iter().map(|row| {
            let row = String::from_utf8(row).expect("ASCII");
            row.trim_end().to_owned()
        });
        text.collect()
    }

    #[test]
    fn pieces_see_what_the_pictures_show() {
        let pictures = include_str!("../../testdata/monkey_metal_man/sight.txt");
        for picture in pictures.split("\n\n") {
            let (title, rows) = picture.split_once('\n').expect("a title");
            let (who, _) = title.split_once(':').expect("what it shows");
            let (kind, facing) = who.split_once(' ').expect("a kind and a direction");
            let kind = Kind::ALL.into_iter().find(|k| format!("{k:?}") == kind);
            let facing = Direction::ALL
                .into_iter()
                .find(|d| format!("{d:?}") == facing);
            let rows = rows
                .lines()
                .map(|row| row.split_once('|').expect("two halves"));
            let (map, seen): (Vec<&str>, Vec<&str>) = rows.unzip();
            let (kind, facing) = (kind.expect("a kind"), facing.expect("a direction"));
            assert_eq!(sight(&map, facing, kind), seen, "{title}");
        }
    }
}
