//! The lists that learning platforms export and take back with grades, by their records in [`model::platform`].
//! A platform may ignore grades above the maximum without a word, as Moodle does, so no such file is made.

use super::row::GradeRow;
use super::{Export, ExportSource};
use crate::submission_result::SubmissionResult;
use crate::words::joined;
use model::entrant::Person;
use model::lateness::Timing;
use model::numbers::counted;
use model::platform::{ListForm, MaximumIn, PLATFORMS, Platform, first_match, list_of};
use model::table::Table;
use model::text::readable;
use std::collections::HashMap;

pub(super) const MOODLE: Export = Export {
    name: "moodle",
    about: "Moodle's grading worksheet; needs --fill",
    file_name: "grades-moodle.csv",
    write: Err(
        "Moodle accepts grades only in its own worksheet: download it (Submissions, \"Download grading worksheet\") and pass it with --fill",
    ),
    fill: Some(put),
    report: None,
};

const HEADING_ROWS: usize = 3;

/// Fills the column of grades, and says in the empty cells of that for feedback who is late. The requested
/// column is its heading, or the assignment's title or number in it.
pub(super) fn put(source: &ExportSource<'_>, bytes: &[u8]) -> Result<Filled, String> {
    let cells = Table::read_file(bytes)?;
    let known =
        (0..cells.len().min(HEADING_ROWS)).find_map(|row| Some((row, list_of(&cells.row(row))?)));
    let (head, platform, list) = match known {
        Some((row, (platform, list))) => (row, platform, Some(list)),
        None => (0, &PLATFORMS[0], None),
    };
    let (name, form) = (platform.name, platform.grades.as_ref());
    let header = cells.row(head);
    let columns = || 0..header.len();
    let place_of = |heading: &str| columns().find(|&at| header[at] == heading);
    let nobody = list.map_or(&[][..], |list| list.nobody);
    let rows: Vec<usize> = (head + 1..cells.len())
        .filter(|&row| !nobody.contains(&cells.cell(row, 0).trim()))
        .collect();
    let full = match form.map(|form| form.maximum) {
        Some(MaximumIn::Row(label)) => {
            Some((head + 1..cells.len()).find(|&row| cells.cell(row, 0).contains(label)))
        }
        _ => None,
    };
    let (value, in_heading) = match full {
        Some(full) => (assignment(&cells, &rows, full, source)?, None),
        None => column(&header, platform, source)?,
    };
    if value == 0 {
        return Err(format!(
            "cannot be filled: its first column {:?} identifies the people",
            header[0]
        ));
    }
    let maximum = |row: usize| {
        let place = match form?.maximum {
            MaximumIn::Right => Some((row, value + 1)),
            MaximumIn::Column(heading) => place_of(heading).map(|at| (row, at)),
            MaximumIn::Row(_) => full?.map(|row| (row, value)),
            MaximumIn::Heading => None,
        };
        place.map(|(row, at)| cells.cell(row, at).trim())
    };
    let is_with_comma = |row: &usize| {
        maximum(*row).is_some_and(|cell| cell.contains(',') && decimal(cell).is_some())
    };
    let feedback = form.map_or(&[][..], |form| form.feedback);
    let place = SheetLayout {
        head,
        who: about_people(&header, list).unwrap_or_else(|| (0..value).collect()),
        value,
        feedback: columns().find(|&at| feedback.contains(&header[at])),
        comma: full.is_none() && rows.iter().any(is_with_comma),
        rows,
    };
    let mut filled = fill(&cells, &place, source.rows)?;
    let in_cell = place.rows.first().and_then(|&row| decimal(maximum(row)?));
    let in_file = in_heading.or(in_cell);
    if full.is_some() {
        note_gradebook(&mut filled, in_file);
        return Ok(filled);
    }
    if let Some(limit) = source.points_possible.or(in_file) {
        let place = if source.points_possible.is_none() {
            " in the list"
        } else {
            ""
        };
        let what = format!("above the maximum {limit}{place}");
        let is_above = |put: &Put| decimal(&put.value).is_some_and(|n| n > limit);
        if let Some(beyond) = filled.some(is_above, &what) {
            return Err(format!(
                "cannot be filled: it would get {beyond}; make grades of totals in the competition's file, with \
                 [scoring.grades], steps = [{{ at_least = 500, grade = 100 }}], otherwise = 0 and disqualified = 0, and rerun \
                 the judge run command with it; or raise the assignment's maximum in {name} and give it with --points-possible"
            ));
        }
    }
    let can_change = form.map_or(&[][..], |form| form.can_change);
    let is_locked = |put: &Put| {
        can_change.iter().any(|(name, no)| {
            place_of(name).is_some_and(|at| cells.cell(put.row, at).trim() == *no)
        })
    };
    let ignored = format!("locked in the worksheet, which {name} will ignore");
    let locked = filled.some(is_locked, &ignored);
    note_worksheet(&mut filled, locked, in_file);
    Ok(filled)
}

fn note_gradebook(filled: &mut Filled, full: Option<f64>) {
    let above = filled.some(
        |put| decimal(&put.value).is_some_and(|value| full.is_some_and(|full| value > full)),
        "above Points Possible, which Canvas accepts",
    );
    filled.notes.extend(above.map(|above| format!(
        "note: {above}; for smaller ones, make grades with [scoring.grades] in the competition's file and rerun the \
         judge run command with it"
    )));
    if full.is_some() {
        filled.note_words("which Canvas accepts only where grades are letters");
    }
}

fn note_worksheet(filled: &mut Filled, locked: Option<String>, maximum: Option<f64>) {
    let below = filled
        .some(
            |put| decimal(&put.value).is_some_and(|n| n < 0.0),
            "below 0",
        )
        .map(|some| {
            format!("{some}; make grades of totals with [scoring.grades] in the competition's file")
        });
    filled.notes.extend(
        below
            .into_iter()
            .chain(locked)
            .map(|some| format!("note: {some}")),
    );
    if let Some(maximum) = maximum {
        filled.note_words(&format!("but the assignment has the maximum {maximum}"));
    }
}

/// Finds the column of an assignment in a gradebook: by its name or the title, or the only one, if it is empty.
/// `full` is the row of full points, which says what the platform computes itself.
fn assignment(
    cells: &Table,
    rows: &[usize],
    full: Option<usize>,
    source: &ExportSource<'_>,
) -> Result<usize, String> {
    let header = cells.row(0);
    let assignments = header
        .iter()
        .position(|name| *name == "Section")
        .map_or(0, |at| at + 1)..header.len();
    let is_computed = |at: usize| full.is_some_and(|row| cells.cell(row, at).contains("read only"));
    let wanted = source.column.unwrap_or(source.title);
    let is_named = |at: &usize| {
        header[*at] == wanted
            || first_match("{title} ({number})", header[*at])
                .is_some_and(|parts| parts.get("title") == wanted || parts.get("number") == wanted)
    };
    let named: Vec<usize> = assignments.clone().filter(is_named).collect();
    let open: Vec<usize> = assignments.filter(|&at| !is_computed(at)).collect();
    let is_empty = |at: usize| {
        rows.iter()
            .all(|&row| cells.cell(row, at).trim().is_empty())
    };
    match (named.as_slice(), open.as_slice()) {
        ([one], _) if is_computed(*one) => Err(format!(
            "cannot be filled: Canvas computes {:?} itself",
            header[*one]
        )),
        ([one], _) => Ok(*one),
        ([], [only]) if source.column.is_none() && is_empty(*only) => Ok(*only),
        ([], [only]) if source.column.is_none() => Err(format!(
            "has no column {wanted:?}, and its only assignment has values already; to replace them: --column {:?}",
            header[*only]
        )),
        _ => {
            let found = match named.len() {
                0 => "no column".to_owned(),
                several => format!("{several} columns"),
            };
            Err(format!(
                "has {found} {wanted:?}; choose one with --column: {}",
                joined(open.iter().map(|&at| header[at]), ", ")
            ))
        }
    }
}

/// Finds the column for grades: the requested one, that of the title, or the only one. Adds the maximum in its heading.
fn column(
    header: &[&str],
    platform: &Platform,
    source: &ExportSource<'_>,
) -> Result<(usize, Option<f64>), String> {
    let form = platform.grades.as_ref();
    let headings = form.map_or(&[][..], |form| form.headings);
    let known = |at: usize| {
        headings
            .iter()
            .find_map(|pattern| first_match(pattern, header[at]))
    };
    let wanted = source.column.unwrap_or(source.title);
    let is_titled = |at: &usize| known(*at).is_some_and(|parts| parts.get("title") == wanted);
    let all = 0..header.len();
    let titled: Vec<usize> = all.clone().filter(is_titled).collect();
    let hits: Vec<usize> = match source.column {
        Some(wanted) => all
            .filter(|&at| header[at] == wanted)
            .chain(titled)
            .collect(),
        None if !titled.is_empty() => titled,
        None => all.filter(|&at| known(at).is_some()).collect(),
    };
    let [at] = hits[..] else {
        let what = source.column.map_or(
            "a grade column that judge recognises".to_owned(),
            |column| format!("exactly one column {column:?}"),
        );
        return Err(format!(
            "does not have {what}; choose one with --column: {}",
            header.join(", ")
        ));
    };
    let maximum = known(at).and_then(|parts| decimal(parts.get("maximum")));
    Ok((at, maximum))
}

fn about_people(header: &[&str], list: Option<&ListForm>) -> Option<Vec<usize>> {
    let list = list.filter(|list| !list.is_numbered)?;
    let known: Vec<&str> = list
        .name
        .iter()
        .copied()
        .chain([list.id, list.email, list.submission])
        .flatten()
        .copied()
        .collect();
    let is_known = |at: &usize| known.contains(&header[*at]);
    Some((0..header.len()).filter(is_known).collect())
}

/// A filled file, with its values and notes on the problems.
#[derive(Debug)]
pub struct Filled {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The heading of the filled column.
    pub column: String,
    /// The filled values.
    pub put: Vec<Put>,
    /// Notes on people in only one of the two sources, and on values rejected or there before.
    pub notes: Vec<String>,
}

/// A filled value.
#[derive(Debug)]
pub struct Put {
    /// The row of the file, from 0.
    pub row: usize,
    pub who: String,
    pub value: String,
}

struct SheetLayout {
    head: usize,
    who: Vec<usize>,
    value: usize,
    rows: Vec<usize>,
    /// Whether decimals follow a comma.
    comma: bool,
    /// The column in which people read why they are late, if there is one.
    feedback: Option<usize>,
}

/// Fills the column. People are looked up by id, address, submission or name, in this order. Who is not found,
/// or found more than once, gets a note and no value.
fn fill(cells: &Table, place: &SheetLayout, grades: &[GradeRow<'_>]) -> Result<Filled, String> {
    let mut notes = Vec::new();
    let mut by_row: HashMap<usize, Vec<&GradeRow<'_>>> = HashMap::new();
    for grade in grades {
        match find(cells, place, &grade.who) {
            Ok(row) => by_row.entry(row).or_default().push(grade),
            Err(reason) => notes.push(format!("{} {reason}", grade.shown())),
        }
    }
    let (mut put, mut changes) = (Vec::new(), Vec::new());
    let point = if place.comma { "," } else { "." };
    for &row in &place.rows {
        let cell = |column| cells.cell(row, column).trim();
        let before = readable(cell(place.value));
        let kept = match &*before {
            "" => String::new(),
            before => format!("; the file keeps {before}"),
        };
        let grade = match by_row.get(&row).map_or(&[][..], Vec::as_slice) {
            [grade] => grade,
            [] => {
                let cells = place.who.iter().map(|&column| cells.cell(row, column));
                let who = readable(&joined(cells.filter(|cell| !cell.trim().is_empty()), ", "));
                notes.push(format!("{who}: no entrant in this run{kept}"));
                continue;
            }
            [one, other, ..] => {
                let (one, other) = (one.shown(), other.shown());
                notes.push(format!("{one} and {other} match the same row{kept}"));
                continue;
            }
        };
        let (who, result) = (grade.shown(), &grade.result);
        let timing = grade.timing.filter(Timing::is_late);
        let feedback = place.feedback.filter(|&column| cell(column).is_empty());
        if let Some((timing, column)) = timing.zip(feedback) {
            changes.push((row, column, timing.words(result.standing().is_some())));
        }
        if let Some(value) = grade.value.clone() {
            if !before.is_empty() && !is_same(&before, &value) {
                notes.push(format!("{who}: {value} in place of {before}"));
            }
            changes.push((row, place.value, value.replace('.', point)));
            put.push(Put { row, who, value });
            continue;
        }
        // Every format reports these for the whole run.
        let is_reported = grade.is_unmarked
            || matches!(
                result,
                SubmissionResult::Missing | SubmissionResult::JudgeFailure(_)
            );
        let problem = result.problem().filter(|_| !is_reported);
        if !is_reported || !kept.is_empty() {
            let why = problem.map_or_else(String::new, |(_, reason)| format!(": {reason}"));
            notes.push(format!("{who} has no value{why}{kept}"));
        }
    }
    notes.sort();
    Ok(Filled {
        column: readable(cells.row(place.head)[place.value]),
        bytes: cells.with(changes)?,
        put,
        notes,
    })
}

fn is_same(one: &str, other: &str) -> bool {
    match (decimal(one), decimal(other)) {
        (Some(one), Some(other)) => (one - other).abs() < f64::EPSILON,
        _ => one == other,
    }
}

fn find(cells: &Table, place: &SheetLayout, who: &Person) -> Result<usize, String> {
    for key in [&who.id, &who.email, &who.submission, &who.name] {
        let key = folded(key);
        if key.is_empty() {
            continue;
        }
        let is_there = |row: &&usize| {
            place.who.iter().any(|&column| {
                let cell = folded(cells.cell(**row, column));
                cell == key || turned(&cell).is_some_and(|cell| cell == key)
            })
        };
        let hits: Vec<usize> = place.rows.iter().filter(is_there).copied().collect();
        match hits.as_slice() {
            [] => {}
            [row] => return Ok(*row),
            several => return Err(format!("matches {} rows of the file", several.len())),
        }
    }
    Err("is not in the file".to_owned())
}

/// Returns a cell or key in one form. Brightspace begins logins and ids with `#`.
fn folded(text: &str) -> String {
    text.trim().trim_start_matches('#').to_lowercase()
}

/// Turns `last, first` into `first last`.
fn turned(name: &str) -> Option<String> {
    let (last, first) = name.split_once(", ")?;
    Some(format!("{first} {last}"))
}

pub(super) fn decimal(cell: &str) -> Option<f64> {
    cell.replace(',', ".").parse().ok()
}

impl Filled {
    fn some(&self, is: impl Fn(&Put) -> bool, what: &str) -> Option<String> {
        let mut some = self.put.iter().filter(|put| is(put));
        let Put { who, value, .. } = some.next()?;
        let all = counted(some.count() as u64 + 1, "value");
        Some(format!("{all} {what} (the first: {value} of {who})"))
    }

    fn note_words(&mut self, why: &str) {
        let is_word = |put: &Put| !put.value.is_empty() && decimal(&put.value).is_none();
        let words = self.some(is_word, &format!("without a number, {why}"));
        self.notes.extend(words.map(|words| {
            format!("note: {words}; write numbers in [scoring.grades], or give --value total")
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_among_numbers_are_noted() {
        let notes = |values: &[&str]| {
            let put = |value: &&str| Put {
                row: 1,
                who: "Ann Lee".into(),
                value: (*value).into(),
            };
            let mut filled = Filled {
                bytes: Vec::new(),
                column: String::new(),
                put: values.iter().map(put).collect(),
                notes: Vec::new(),
            };
            filled.note_words("but Moodle counts");
            filled.notes.concat()
        };
        assert_eq!(notes(&["12.5", ""]), "");
        let note = notes(&["12.5", "pass"]);
        let expected =
            "note: 1 value without a number, but Moodle counts (the first: pass of Ann Lee);";
        assert!(note.starts_with(expected), "{note}");
    }
}
