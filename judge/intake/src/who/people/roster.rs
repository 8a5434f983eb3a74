//! `roster.csv`, or a platform's own list. Identities are for staff only.

use super::claims::{Claims, claim};
use super::platform_lists::{COLUMNS, List, Row, SUBMITTED, of_metadata};
use crate::read::meant::unreadable_words;
use crate::read::submission::Submission;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::entrant::{Person, Roster};
use model::fault::quote;
use model::platform::{PlatformList, names as platforms, times};
use model::table::{Table, decoded};
use model::text::listed_sentences;
use rulebook::JudgeError;
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
pub fn read(
    path: &Path,
    rules: &ListRules,
    submissions: &[Submission],
) -> Result<ReadRoster, JudgeError> {
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
) -> Result<(Vec<Person>, Claims), JudgeError> {
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
) -> Result<ReadRoster, JudgeError> {
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
            let id = quote(&person.id);
            let reason = format!("received {received} of id {id}: is in the future; correct it");
            roster.left_out.push(reason);
        }
    }
}

fn leave_out_earlier(roster: &mut Roster, deadline: Option<Timestamp>) {
    for person in &mut roster.people {
        let is_earlier = |extension: &mut Timestamp| deadline.is_some_and(|end| *extension < end);
        if let Some(extension) = person.extension.take_if(is_earlier) {
            let id = quote(&person.id);
            let reason =
                format!("extension {extension} of id {id}: is before the deadline, which counts");
            roster.left_out.push(reason);
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

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::Offset;

    fn parse(text: &[u8], deadline: Option<Timestamp>) -> Result<Roster, String> {
        super::parse(text, deadline, None).map(|read| read.roster)
    }

    #[test]
    fn spreadsheets_encodings_are_read() {
        let text = "sep=;\r\nsubmission;id;name\r\nann;1;Jörg “Ö ”\r\n";
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cp1252 = b"submission;id;name\nann;1;J\xf6rg \x93\xd6 \x94\n";
        for bytes in [
            text.as_bytes(),
            &[&b"\xff\xfe"[..], &utf16].concat(),
            &["\u{feff}".as_bytes(), text.as_bytes()].concat(),
            cp1252,
        ] {
            let roster = parse(bytes, None).expect("a good header");
            assert_eq!(roster.people[0].name, "Jörg “Ö ”");
        }
        let mixed = parse("submission,id,name\nann,1,Jörg\n".as_bytes(), None);
        assert!(mixed.is_ok());
        let mut mixed = b"submission,id,name\nann,1,J\xf6rg\n".to_vec();
        mixed.extend("bob,2,Jörg\n".bytes());
        let refused = parse(&mixed, None).expect_err("two encodings");
        let words = "is UTF-8 text only in part";
        assert!(refused.starts_with(words), "{refused}");
    }

    #[test]
    fn files_of_spreadsheets_are_read() {
        let comma = "\u{feff}Submission,ID,Name,Email,Section,Comment\r\nann,7,\"Lee, Ann\",a@b,A,x\r\n ,8,Bob,,,\r\n";
        let roster = parse(comma.as_bytes(), None).expect("well-formed");
        assert_eq!(roster.people[0].name, "Lee, Ann");
        assert_eq!(roster.people[0].section, "A");
        assert_eq!(roster.people[1].submission, "", "handed in nothing");
        let team = parse(b"id;submission\n7;ann\n8;ann\n", None);
        let team = team.expect("well-formed").people;
        assert_eq!(team.len(), 2, "two people may share a submission");
        assert_eq!(team[1].email, "");
    }

    #[test]
    fn a_receipt_in_the_future_is_left_out() {
        let text = "submission,id,received\n\
            ann,1,2020-01-01T00:00:00Z\nbob,2,2020-01-01T00:00:01Z\n";
        let mut roster = parse(text.as_bytes(), None).expect("well-formed");
        leave_out_future(&mut roster, "2020-01-01T00:00:00Z".parse().expect("a time"));
        assert!(roster.people[0].received.is_some());
        assert!(roster.people[1].received.is_none());
        assert!(roster.left_out[0].contains("is in the future"));
    }

    #[test]
    fn a_wrong_header_is_refused() {
        for (text, words) in [
            ("", "line 1: the column submission is missing"),
            (
                "name,mail\n",
                "line 1: the column submission is missing; a roster needs submission and id and may have name, email, section, extension, received, or is a list as Moodle, Canvas, Brightspace, Blackboard, Artemis, Gradescope, GitHub Classroom, Sakai, ILIAS or Microsoft Teams exports it; this file has name, mail",
            ),
            ("submission,id,ID\n", "line 1: the column id appears twice"),
            ("PK\x03\x04\x14\0\x06\0", "is no text"),
        ] {
            let refused = parse(text.as_bytes(), None).expect_err(text);
            assert!(refused.starts_with(words), "{text:?}: {refused}");
        }
    }

    #[test]
    fn times_require_zone_and_extensions_follow_deadline() {
        let deadline = "2026-12-24T17:00:00Z".parse().expect("a time");
        let with = |cells: &str| {
            let text = format!("submission,id,extension,received\nann,1,{cells}\n");
            parse(text.as_bytes(), Some(deadline))
        };
        let both = with("2026-12-24T19:00:00+01:00,2026-12-24T18:30:00+01:00").expect("allowed");
        let ann = &both.people[0];
        assert_eq!(ann.extension, "2026-12-24T18:00:00Z".parse().ok());
        assert_eq!(ann.received, "2026-12-24T17:30:00Z".parse().ok());
        assert_eq!(with(",").expect("allowed").people[0].extension, None);
        for row in "\
2026-12-24T17:59:59+01:00, => line 2: extension 2026-12-24T16:59:59Z: is before the deadline, 2026-12-24T17:00:00Z
2026-12-24T19:00:00, => line 2: extension 2026-12-24T19:00:00: must be a date and a time with its zone
,yesterday => line 2: received yesterday: must be a date and a time with its zone"
            .lines()
        {
            let (cells, reason) = row.split_once(" => ").expect("a row");
            let refused = with(cells).expect_err(cells);
            assert!(refused.starts_with(reason), "{refused}");
        }
    }

    #[test]
    fn wrong_times_are_reported_together_up_to_five() {
        let deadline = "2026-12-24T17:00:00Z".parse().ok();
        let mut text = "submission,id,extension,received\nann,1,nonsense,yesterday\nbob,,,\n\
            eve,3,2026-12-24T18:57:00,\njoe,4,2026-12-23T18:57:00Z,\n"
            .to_owned();
        let refused = parse(text.as_bytes(), deadline).expect_err("wrong times");
        let zone = "must be a date and a time with its zone, for example 2026-12-24T18:00:00+01:00";
        let four = format!(
            "line 2: extension nonsense: {zone}; line 2: received yesterday: {zone}; \
             line 4: extension 2026-12-24T18:57:00: {zone}; line 5: extension 2026-12-23T18:57:00Z: \
             is before the deadline, 2026-12-24T17:00:00Z (write a later time, or leave the cell empty)"
        );
        assert_eq!(refused, four);
        text += "kim,5,one,two\nlea,6,three,\n";
        let refused = parse(text.as_bytes(), deadline).expect_err("wrong times");
        let six = format!("{four}; line 6: extension one: {zone}; and 2 more");
        assert_eq!(refused, six);
    }

    #[test]
    fn extension_before_moved_deadline_is_dropped() {
        let text =
            "submission,id,extension\nann,1,2026-12-24T17:00:00Z\nbob,2,2026-12-26T17:00:00Z\n";
        let mut roster = parse(text.as_bytes(), None).expect("right");
        let bobs = roster.people[1].extension;
        leave_out_earlier(&mut roster, None);
        assert!(roster.left_out.is_empty());
        leave_out_earlier(&mut roster, "2026-12-25T17:00:00Z".parse().ok());
        assert_eq!(roster.people[0].extension, None);
        assert_eq!(roster.people[1].extension, bobs);
        let left_out =
            "extension 2026-12-24T17:00:00Z of id 1: is before the deadline, which counts";
        assert_eq!(roster.left_out, [left_out]);
    }

    #[test]
    fn wrong_line_is_skipped_with_number_others_kept() {
        for (line, reason) in [
            (
                "\nbob,1",
                "line 5: id 1 is already in line 2, with another submission; neither line is used",
            ),
            ("ann,1", "line 4: id 1 is already in line 2"),
            ("bob,", "line 4: the id is empty"),
            ("bob", "line 4: has 1 cells, but the header has 2"),
            ("bob,4,x", "line 4: has 3 cells, but the header has 2"),
        ] {
            let text = format!("submission,id\nann,1\nzoe,2\n{line}\neve,3\n");
            let roster = parse(text.as_bytes(), None).expect("a good header");
            assert_eq!(roster.left_out, [reason], "{text:?}");
            let ids: Vec<&str> = roster.people.iter().map(|one| one.id.as_str()).collect();
            let skipped = usize::from(reason.contains("neither"));
            let expected = &["1", "2", "3"][skipped..];
            assert_eq!(ids, expected, "{text:?}");
        }
    }

    #[test]
    fn platform_times_use_zone_and_yield_to_staff() {
        let list = "Identifier,Full name,Last modified (submission),received\n\
            Participant 17,Ann,\"Monday, 21 December 2026, 6:05 PM\",\n\
            Participant 18,Bob,\"Montag, 21. Dezember 2026, 18:05\",2026-12-21T12:00:00Z\n\
            Participant 19,Eve,-,\n";
        let east_of_utc = TimeZone::fixed(Offset::constant(1));
        let read = |zone| super::parse(list.as_bytes(), None, zone).expect("well-formed");
        let received = |read: &ReadRoster| {
            let people = read.roster.people.iter();
            let times = people.map(|one| one.received.map(|time| time.to_string()));
            times.map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        let east = read(Some(&east_of_utc));
        let staffs = "2026-12-21T12:00:00Z";
        assert_eq!(received(&east), ["2026-12-21T17:05:00Z", staffs, ""]);
        assert_eq!(east.times_at.as_ref(), Some(&east_of_utc));
        let none = read(None);
        assert_eq!(received(&none), ["", staffs, ""]);
        assert_eq!(none.times_at, None);
    }

    #[test]
    fn unreadable_platform_time_is_refused_with_line() {
        let list = "ID,Vollständiger Name,Zuletzt geändert (Abgabe)\n\
            Teilnehmer/in17,Ann,\"Montag, 21. Dezember 2026, 18:05\"\n\
            Teilnehmer/in18,Bob,12/11/2026 18:05\n";
        let refused =
            super::parse(list.as_bytes(), None, Some(&TimeZone::UTC)).expect_err("no date");
        let words = "line 3: Last modified (submission) 12/11/2026 18:05: cannot be read as a date and a time";
        assert!(refused.starts_with(words), "{refused}");
        // Without an offset, the column is not read.
        super::parse(list.as_bytes(), None, None).expect("well-formed");
    }
}
