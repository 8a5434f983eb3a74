//! `roster.csv`, or a platform's own list. Identities are for staff only.

use super::claims::{Claims, claim};
use crate::read::places::unreadable_words;
use crate::read::submission::Submission;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::entrant::{Person, Roster};
use model::fault::quote;
use model::platform::{Headings, PlatformList, list_of, names as platforms, times};
use model::table::{Table, decoded};
use model::text::listed_sentences;
use rulebook::{JudgeError, Result};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use system::files::read_regular;

/// Name of the roster in a folder of submissions.
pub const FILE_NAME: &str = "roster.csv";

const HEADS_MAX: usize = 3;
const COLUMNS_OWN: usize = 7;
const COLUMNS_NEEDED: usize = 2;
const NO_TIMES: [&str; 3] = ["", "-", "\u{2013}"];

/// The terms under which a list is read.
#[derive(Clone, Debug)]
pub struct ListRules {
    /// The deadline, if there is one.
    pub deadline: Option<Timestamp>,
    /// Whether extensions before the deadline are left out; otherwise, the list is refused.
    pub leaves_out_earlier: bool,
    /// Zone of a platform's times of receipt; without one they are ignored.
    pub zone: Option<TimeZone>,
    /// The present: nothing was received later.
    pub now: Timestamp,
}

/// The result of reading a roster.
#[derive(Clone, Debug, Default)]
pub struct ReadRoster {
    /// The people and their submissions.
    pub roster: Roster,
    /// Zone in which a platform's times were read; `None` if there were none.
    pub times_at: Option<TimeZone>,
    /// The platform and the form of its list; `None` for a roster of staff's own.
    pub list: Option<PlatformList>,
}

/// Reads the roster, and pairs its people with the submissions. Leaves out wrong lines, and all lines
/// that give one id to different submissions. The column `received` precedes a platform's times.
pub fn read(path: &Path, rules: &ListRules, submissions: &[Submission]) -> Result<ReadRoster> {
    let refused_before = rules.deadline.filter(|_| !rules.leaves_out_earlier);
    let mut read = read_lines(path, refused_before, rules.zone.as_ref())?;
    leave_out_future(&mut read.roster, rules.now);
    leave_out_earlier(&mut read.roster, rules.deadline);
    let names = submissions.iter().map(|one| one.name.as_str());
    claim(&mut read.roster, names, read.list);
    Ok(read)
}

/// Reads a list in which every line counts, and pairs its people with the entrants.
pub fn read_whole<'a>(
    path: &Path,
    deadline: Option<Timestamp>,
    entrants: impl Iterator<Item = &'a str>,
) -> Result<(Vec<Person>, Claims)> {
    let ReadRoster {
        mut roster, list, ..
    } = read_lines(path, deadline, None)?;
    if let Some(reason) = roster.left_out.first() {
        return Err(refused(path, reason));
    }
    let claims = claim(&mut roster, entrants, list);
    Ok((roster.people, claims))
}

fn read_lines(
    path: &Path,
    deadline: Option<Timestamp>,
    zone: Option<&TimeZone>,
) -> Result<ReadRoster> {
    let bytes = read_regular(path).map_err(|e| {
        let reason = format!(
            "{}; give a CSV file with --roster",
            unreadable_words(path, &e)
        );
        refused(path, &reason)
    })?;
    parse(&bytes, deadline, zone).map_err(|reason| refused(path, &reason))
}

fn refused(path: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("the roster {} {reason}", path.display()))
}

fn leave_out_future(roster: &mut Roster, now: Timestamp) {
    for person in &mut roster.people {
        if let Some(received) = person.received.take_if(|received| *received > now) {
            roster.left_out.push(format!(
                "received {received} of id {}: is in the future; correct it",
                quote(&person.id)
            ));
        }
    }
}

fn leave_out_earlier(roster: &mut Roster, deadline: Option<Timestamp>) {
    for person in &mut roster.people {
        let is_earlier = |extension: &mut Timestamp| deadline.is_some_and(|end| *extension < end);
        if let Some(extension) = person.extension.take_if(is_earlier) {
            roster.left_out.push(format!(
                "extension {extension} of id {}: is before the deadline, which counts",
                quote(&person.id)
            ));
        }
    }
}

/// Parses a cell with a time that must not be before the deadline, if one is given.
fn moment(text: &str, deadline: Option<Timestamp>) -> Result<Option<Timestamp>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let moment: Timestamp = text.parse().map_err(|_| {
        let text = quote(text);
        format!(
            "{text}: must be a date and a time with its zone, for example 2026-12-24T18:00:00+01:00"
        )
    })?;
    match deadline {
        Some(deadline) if moment < deadline => Err(format!(
            "{moment}: is before the deadline, {deadline} (write a later time, or leave the cell empty)"
        )),
        Some(_) | None => Ok(Some(moment)),
    }
}

/// Parses a platform's time that has its offset, such as `2026-03-27 18:05:12 +0100`.
fn with_offset(text: &str) -> Option<Timestamp> {
    let (local, offset) = text.rsplit_once(' ')?;
    let offset = if offset == "UTC" { "Z" } else { offset };
    format!("{local}{offset}").parse().ok()
}

fn platform_moment(text: &str, zone: &TimeZone) -> Result<Option<Timestamp>, String> {
    if NO_TIMES.contains(&text) {
        return Ok(None);
    }
    times::read(text, zone).map(Some).ok_or_else(|| {
        let text = quote(text);
        format!(
            "{text}: cannot be read as a date and a time; write it as \"21 December 2026, 18:05\", or leave the \
             cell empty and give the time in a column received"
        )
    })
}

type Rows = Vec<(usize, Result<Row, String>)>;

fn rows_of(text: &[u8]) -> Result<(Rows, Option<PlatformList>), String> {
    let text = decoded(text)?;
    if let Some(rows) = of_metadata(&text) {
        return Ok(((2..).zip(rows.into_iter().map(Ok)).collect(), None));
    }
    let table = Table::read(text)?;
    let mut heads = 0..table.len().min(HEADS_MAX);
    if let Some((head, list)) = heads.find_map(|head| Some((head, List::of(table.row(head))?))) {
        let rows = (head + 1..table.len())
            .filter_map(|row| Some((table.line(row), Ok(list.row(&table.row(row))?))))
            .collect();
        return Ok((rows, Some(list.of)));
    }
    let header = if table.is_empty() {
        Vec::new()
    } else {
        table.row(0)
    };
    let places = places(&header)?;
    let read = |row: usize| {
        let cells = table.row(row);
        let cell = |place: Option<usize>| place.map_or("", |place| cells[place]).to_owned();
        let read = if cells.len() == header.len() {
            Ok(places.map(cell))
        } else {
            let (count, most) = (cells.len(), header.len());
            Err(format!("has {count} cells, but the header has {most}"))
        };
        (table.line(row), read)
    };
    Ok(((1..table.len()).map(read).collect(), None))
}

fn parse(
    text: &[u8],
    deadline: Option<Timestamp>,
    zone: Option<&TimeZone>,
) -> Result<ReadRoster, String> {
    let mut roster = Roster::default();
    let (rows, list) = rows_of(text)?;
    let mut lines: HashMap<String, (usize, String)> = HashMap::new();
    let mut doubtful: HashSet<String> = HashSet::new();
    let mut wrong_times = Vec::new();
    let mut times_at = None;
    let mut leave_out =
        |line: usize, why: &str| roster.left_out.push(format!("line {line}: {why}"));
    for (line, row) in rows {
        let [
            submission,
            id,
            name,
            email,
            section,
            extension,
            received,
            submitted,
        ] = match row {
            Ok(row) => row,
            Err(why) => {
                leave_out(line, &why);
                continue;
            }
        };
        let mut time = |column: &str, read: Result<Option<Timestamp>, String>| {
            read.unwrap_or_else(|why| {
                wrong_times.push(format!("line {line}: {column} {why}"));
                None
            })
        };
        let extension = time("extension", moment(&extension, deadline));
        let received = time("received", moment(&received, None));
        let submitted = with_offset(&submitted).or_else(|| {
            let zone = zone?;
            let read = time(SUBMITTED, platform_moment(&submitted, zone));
            times_at = times_at.take().or(read.map(|_| zone.clone()));
            read
        });
        if id.is_empty() {
            leave_out(line, "the id is empty");
            continue;
        }
        if let Some((other, theirs)) = lines.get(&id) {
            let shown = quote(&id);
            let mut why = format!("id {shown} is already in line {other}");
            if *theirs != submission {
                why.push_str(", with another submission; neither line is used");
                doubtful.insert(id);
            }
            leave_out(line, &why);
            continue;
        }
        lines.insert(id.clone(), (line, submission.clone()));
        roster.people.push(Person {
            submission,
            id,
            name,
            email,
            section,
            extension,
            received: received.or(submitted),
        });
    }
    if !wrong_times.is_empty() {
        return Err(listed_sentences(&wrong_times));
    }
    roster
        .people
        .retain(|person| !doubtful.contains(&person.id));
    Ok(ReadRoster {
        roster,
        times_at,
        list,
    })
}

fn places(header: &[&str]) -> Result<[Option<usize>; COLUMNS.len()], String> {
    let mut places = [None; COLUMNS.len()];
    for (place, name) in header.iter().enumerate() {
        let known = COLUMNS
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name));
        if let Some(column) = known
            && places[column].replace(place).is_some()
        {
            return Err(format!(
                "line 1: the column {} appears twice",
                COLUMNS[column]
            ));
        }
    }
    for (column, place) in COLUMNS.iter().zip(places).take(COLUMNS_NEEDED) {
        if place.is_none() {
            let found: Vec<String> = header.iter().map(quote).collect();
            return Err(format!(
                "line 1: the column {column} is missing; a roster needs {} and may have {}, or is a list as {} exports it; this file has {}",
                COLUMNS[..COLUMNS_NEEDED].join(" and "),
                COLUMNS[COLUMNS_NEEDED..COLUMNS_OWN].join(", "),
                platforms(),
                found.join(", ")
            ));
        }
    }
    Ok(places)
}

/// The order is that of [`Person`](model::entrant::Person)'s fields, with the platform's times.
pub(super) const COLUMNS: [&str; 8] = [
    "submission",
    "id",
    "name",
    "email",
    "section",
    "extension",
    "received",
    SUBMITTED,
];
pub(super) type Row = [String; COLUMNS.len()];
pub(super) const SUBMITTED: &str = "Last modified (submission)";
pub(super) struct List<'a> {
    pub(super) of: PlatformList,
    header: Vec<&'a str>,
    numbered: Option<usize>,
}

/// Reads Gradescope's export of submissions, which is in YAML, with a row for each submitter.
pub(super) fn of_metadata(text: &str) -> Option<Vec<Row>> {
    let is_metadata = text.starts_with("---") && text.contains("\n  :submitters:");
    is_metadata.then_some(())?;
    let mut made = Vec::new();
    let (mut submission, mut people): (&str, Vec<[String; 3]>) = ("", Vec::new());
    let (mut key, mut is_dated) = ("", false);
    for line in text.lines().skip(1) {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            (submission, people, is_dated) = (name, Vec::new(), false);
        } else if let Some(entry) = line.strip_prefix("  :") {
            let (name, value) = entry.split_once(':').unwrap_or((entry, ""));
            key = name;
            if key == "created_at" && !is_dated {
                is_dated = true;
                made.extend(people.drain(..).map(|[sid, name, email]| {
                    let id = if sid.is_empty() { email.clone() } else { sid };
                    let mut row = Row::default();
                    (row[0], row[1], row[2], row[3]) = (submission.to_owned(), id, name, email);
                    value.trim().clone_into(&mut row[7]);
                    row
                }));
            }
        } else if key == "submitters" {
            // Deeper lines are of other keys, and may have an author's text.
            if line.starts_with("  - :") {
                people.push(Default::default());
            }
            let entry = line
                .strip_prefix("  - :")
                .or_else(|| line.strip_prefix("    :"));
            let Some((name, value)) = entry.and_then(|entry| entry.split_once(": ")) else {
                continue;
            };
            let column = ["sid", "name", "email"]
                .iter()
                .position(|known| *known == name);
            if let (Some(column), Some(last)) = (column, people.last_mut()) {
                value
                    .trim()
                    .trim_matches(['\'', '"'])
                    .clone_into(&mut last[column]);
            }
        }
    }
    Some(made)
}

impl<'a> List<'a> {
    pub(super) fn of(header: Vec<&'a str>) -> Option<Self> {
        let has = |column: &str| header.iter().any(|name| column.eq_ignore_ascii_case(name));
        // Staff may have added the column `submission` to a platform's list, or made a roster.
        let is_added_to = has(COLUMNS[0]);
        if is_added_to && header.contains(&COLUMNS[1]) {
            return None;
        }
        let (platform, form) = list_of(&header)?;
        // With `submission` and `id` of any case it is a roster, unless the platform has `ID`.
        let has_own = form.is_numbered || form.sign.contains(&&["ID"][..]);
        if is_added_to && has(COLUMNS[1]) && !has_own {
            return None;
        }
        let is_platforms = |name: &&str| !COLUMNS[0].eq_ignore_ascii_case(name);
        let first = header.iter().position(is_platforms).unwrap_or_default();
        if form.is_numbered && form.name[0].contains(header.get(first)?) {
            return None;
        }
        Some(Self {
            of: (platform, form),
            numbered: form.is_numbered.then_some(first),
            header,
        })
    }

    /// Reads a row, with what staff have added to it. Returns `None` if it is no person's.
    pub(super) fn row(&self, row: &[&str]) -> Option<Row> {
        let form = self.of.1;
        let columns = || self.header.iter().zip(row);
        let added = |column: usize| {
            let mut columns = columns();
            let found = columns.find(|(name, _)| COLUMNS[column].eq_ignore_ascii_case(name));
            found.map(|(_, cell)| (*cell).to_owned())
        };
        let cell = |headings: Headings| {
            let filled = |heading: &&str| {
                let mut columns = columns();
                let found = columns.find(|(name, cell)| *name == heading && !cell.is_empty())?;
                // Spreadsheets and Brightspace put these before what is no number.
                Some(found.1.trim_start_matches('#').to_owned())
            };
            headings.iter().find_map(filled).unwrap_or_default()
        };
        let mut parts: Vec<String> = form.name.iter().map(|part| cell(part)).collect();
        parts.retain(|part| !part.is_empty());
        let mut name = parts.join(" ");
        if form.nobody.contains(&name.as_str()) {
            return None;
        }
        let members = cell(form.members);
        if !members.is_empty() {
            name = format!("{name} ({members})");
        }
        let (mut submission, mut id, mut email) =
            (cell(form.submission), cell(form.id), cell(form.email));
        if id.is_empty() {
            id.clone_from(&submission);
        }
        if !submission.is_empty() {
            submission.insert_str(0, form.prefix);
        }
        if let Some(numbered) = self.numbered {
            let numbered = *row.get(numbered).unwrap_or(&"");
            let name_of = numbered.trim_end_matches(|c: char| c.is_ascii_digit());
            numbered[name_of.len()..].clone_into(&mut submission);
            if id.is_empty() {
                numbered.clone_into(&mut id);
            }
            let is_address = |name: &str| {
                let lower = name.to_lowercase();
                form.email.iter().any(|word| lower.contains(word))
            };
            let found = columns().find(|(name, _)| is_address(name));
            email = found
                .map(|(_, cell)| (*cell).to_owned())
                .unwrap_or_default();
        }
        Some([
            added(0).filter(|own| !own.is_empty()).unwrap_or(submission),
            id,
            name,
            email,
            added(4).unwrap_or_else(|| cell(form.section)),
            added(5).unwrap_or_default(),
            added(6).unwrap_or_default(),
            cell(form.time),
        ])
    }
}

#[cfg(test)]
mod tests;
