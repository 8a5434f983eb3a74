//! The lists that learning platforms export and take back with grades, by their records in
//! [`model::platform`]. Moodle's offline grading worksheet is the usual one.
//!
//! A platform may ignore grades above the maximum without a word, as Moodle does. A file with such
//! grades is therefore not made.

use super::cells::Cells;
use super::export::{Export, ExportSource, Fill};
use super::fill::{Filled, Put, SheetLayout, decimal, fill};
use model::platform::{ListForm, MaximumIn, PLATFORMS, Platform, first_match, list_of};

pub(super) const MOODLE: Export = Export {
    name: "moodle",
    about: "Moodle's grading worksheet; needs --fill",
    file_name: "grades-moodle.csv",
    write: Err(
        "Moodle accepts grades only in its own worksheet: download it (Submissions, \"Download grading worksheet\") and pass it with --fill",
    ),
    fill: Some(Fill {
        is_of: |_| true,
        put,
    }),
    report: None,
};

/// Number of rows in which headings are looked for.
const HEADING_ROWS: usize = 3;

/// A column for grades.
struct Column {
    at: usize,
    /// The maximum in its heading.
    maximum: Option<f64>,
    /// The assignment's title in its heading.
    title: String,
}

/// Fills the column of grades, and says in the empty cells of that for feedback who is late. The
/// requested column is its heading, or the assignment's title in it. The full points are the greatest
/// grade that the platform takes, if it is not the one in the file.
fn put(source: &ExportSource<'_>, bytes: &[u8]) -> Result<Filled, String> {
    let cells = Cells::read(bytes)?;
    let known =
        (0..cells.len().min(HEADING_ROWS)).find_map(|row| Some((row, list_of(&cells.row(row))?)));
    let (head, platform, list) = match known {
        Some((row, (platform, list))) => (row, platform, Some(list)),
        None => (0, PLATFORMS[0], None),
    };
    let (name, form) = (platform.name, platform.grades.as_ref());
    let header = cells.row(head);
    let column = column(&header, platform, source)?;
    let value = column.at;
    if value == 0 {
        return Err(format!(
            "cannot be filled: its first column {:?} identifies the people",
            header[0]
        ));
    }
    let columns = || 0..header.len();
    let place_of = |heading: &str| columns().find(|&at| header[at].trim() == heading);
    let maximum_at = form.and_then(|form| match form.maximum {
        MaximumIn::Right => Some(value + 1),
        MaximumIn::Column(heading) => place_of(heading),
        MaximumIn::Heading => None,
    });
    let maximum = |row: usize| {
        maximum_at
            .map_or("", |at| cells.cell(row, at))
            .trim()
            .to_owned()
    };
    let rows: Vec<usize> = (head + 1..cells.len()).collect();
    let feedback = form.map_or(&[][..], |form| form.feedback);
    let place = SheetLayout {
        head,
        who: about_people(&header, list).unwrap_or_else(|| (0..value).collect()),
        value,
        feedback: columns().find(|&at| feedback.contains(&header[at].trim())),
        comma: rows.iter().any(|&row| is_with_comma(&maximum(row))),
        rows,
    };
    let mut filled = fill(&cells, &place, source.rows)?;
    let in_cell = place.rows.first().and_then(|&row| decimal(&maximum(row)));
    let in_file = column.maximum.or(in_cell);
    if let Some(limit) = source.points_possible.or(in_file) {
        let place = if source.points_possible.is_none() {
            " in the list"
        } else {
            ""
        };
        let what = format!("above the maximum {limit}{place}");
        if let Some(beyond) =
            filled.some(|put| decimal(&put.value).is_some_and(|n| n > limit), &what)
        {
            return Err(format!(
                "cannot be filled: it would get {beyond}; make grades of totals in the competition's file, with \
                 [scoring.grades], steps = [{{ at_least = 500, grade = 100 }}], otherwise = 0 and disqualified = 0, and rerun \
                 the judge run command with it; or raise the assignment's maximum in {name} and give it with --points-possible"
            ));
        }
    }
    let can_change = form.map_or(&[][..], |form| form.can_change);
    let is_locked = |put: &Put| {
        let mut locks = can_change.iter();
        locks.any(|(name, no)| {
            place_of(name).is_some_and(|at| cells.cell(put.row, at).trim() == *no)
        })
    };
    let below = filled.some(
        |put| decimal(&put.value).is_some_and(|n| n < 0.0),
        "below 0",
    );
    let locked = filled.some(
        is_locked,
        &format!("locked in the worksheet, which {name} will ignore"),
    );
    let below = below.map(|some| {
        format!("{some}; make grades of totals with [scoring.grades] in the competition's file")
    });
    let ignored = below.into_iter().chain(locked);
    filled
        .notes
        .extend(ignored.map(|some| format!("note: {some}")));
    if let Some(maximum) = in_file {
        filled.note_words(&format!("but the assignment has the maximum {maximum}"));
    }
    Ok(filled)
}

/// Finds the column for grades: the requested one, that of the title, or the only one.
fn column(
    header: &[&str],
    platform: &Platform,
    source: &ExportSource<'_>,
) -> Result<Column, String> {
    let headings = platform
        .grades
        .as_ref()
        .map_or(&[][..], |form| form.headings);
    let known = |at: usize| {
        let parts = headings
            .iter()
            .find_map(|pattern| first_match(pattern, header[at].trim()));
        parts.map(|parts| Column {
            at,
            maximum: decimal(parts.get("maximum")),
            title: parts.get("title").to_owned(),
        })
    };
    let all: Vec<Column> = (0..header.len()).filter_map(known).collect();
    let hits: Vec<Column> = match source.column {
        Some(wanted) => (0..header.len())
            .filter(|&at| header[at].trim() == wanted)
            .map(|at| {
                known(at).unwrap_or(Column {
                    at,
                    maximum: None,
                    title: String::new(),
                })
            })
            .chain(all.into_iter().filter(|one| one.title == wanted))
            .collect(),
        None if all.iter().any(|one| one.title == source.title) => {
            let of_title = |one: &Column| one.title == source.title;
            all.into_iter().filter(of_title).collect()
        }
        None => all,
    };
    let [column] = <[Column; 1]>::try_from(hits).map_err(|_| {
        let what = source.column.map_or(
            "a grade column that judge recognises".to_owned(),
            |column| format!("exactly one column {column:?}"),
        );
        format!(
            "does not have {what}; choose one with --column: {}",
            header.join(", ")
        )
    })?;
    Ok(column)
}

/// Returns the columns of a list that identify people, if the platform's record names them.
fn about_people(header: &[&str], list: Option<&ListForm>) -> Option<Vec<usize>> {
    let list = list.filter(|list| !list.is_numbered)?;
    let names = list.name.iter().copied();
    let known: Vec<&str> = names
        .chain([list.id, list.email, list.submission])
        .flatten()
        .copied()
        .collect();
    let is_known = |at: &usize| known.contains(&header[*at].trim());
    Some((0..header.len()).filter(is_known).collect())
}

fn is_with_comma(cell: &str) -> bool {
    cell.contains(',') && decimal(cell).is_some()
}
