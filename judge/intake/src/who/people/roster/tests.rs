use super::*;
use jiff::tz::Offset;
use model::table::Table;

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
    let missing = "line 1: the column submission is missing; a roster needs submission and id and may have name, email, section, extension, received, or is a list as Moodle, Canvas, Brightspace, Blackboard, Artemis, Gradescope, GitHub Classroom, Sakai, ILIAS or Microsoft Teams exports it; this file has name, mail";
    for (text, words) in [
        ("", "line 1: the column submission is missing"),
        ("name,mail\n", missing),
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
    let text = "submission,id,extension\nann,1,2026-12-24T17:00:00Z\nbob,2,2026-12-26T17:00:00Z\n";
    let mut roster = parse(text.as_bytes(), None).expect("right");
    let bobs = roster.people[1].extension;
    leave_out_earlier(&mut roster, None);
    assert!(roster.left_out.is_empty());
    leave_out_earlier(&mut roster, "2026-12-25T17:00:00Z".parse().ok());
    assert_eq!(roster.people[0].extension, None);
    assert_eq!(roster.people[1].extension, bobs);
    let left_out = "extension 2026-12-24T17:00:00Z of id 1: is before the deadline, which counts";
    assert_eq!(roster.left_out, [left_out]);
}

#[test]
fn wrong_line_is_skipped_with_number_others_kept() {
    let both = "line 5: id 1 is already in line 2, with another submission; neither line is used";
    for (line, reason) in [
        ("\nbob,1", both),
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
    let refused = super::parse(list.as_bytes(), None, Some(&TimeZone::UTC)).expect_err("no date");
    let words =
        "line 3: Last modified (submission) 12/11/2026 18:05: cannot be read as a date and a time";
    assert!(refused.starts_with(words), "{refused}");
    // Without an offset, the column is not read.
    super::parse(list.as_bytes(), None, None).expect("well-formed");
}

/// Returns the cells of each person without the last empty ones. `None`: no platform's list.
fn made(text: &str) -> Option<Vec<String>> {
    let table = Table::read(text.to_owned()).expect("a table");
    let lists = (0..table.len()).find_map(|row| Some((row, List::of(table.row(row))?)));
    let (head, list) = lists?;
    let rows = (head + 1..table.len()).filter_map(|row| list.row(&table.row(row)));
    Some(rows.map(|row| reported(&row)).collect())
}

fn reported(row: &Row) -> String {
    row.join("|").trim_end_matches('|').to_owned()
}

/// Compares lists, separated by empty lines, with their people, each after `= `.
fn compare(cases: &str) {
    for case in cases.trim_end().split("\n\n") {
        let (list, people) = case.split_once("\n= ").expect("people");
        let people: Vec<&str> = people.split("\n= ").collect();
        assert_eq!(made(list).expect(list), people);
    }
}

#[test]
fn lists_of_platforms_become_rosters_line_by_line() {
    compare(include_str!("lists.txt"));
    // Columns that staff have added are kept; an entrant precedes the platform's number.
    compare(include_str!("added_columns.txt"));
}

#[test]
fn gradescope_list_has_one_row_per_submitter() {
    let text = "---\nsubmission_31:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '00101'\n    :email: ann@b\n  - :name: Bob\n    :email: bob@b\n  :created_at: 2026-03-27 17:05:12.1 Z\n  :score: 0.0\n";
    let made = of_metadata(text).expect("a list");
    let made: Vec<String> = made.iter().map(reported).collect();
    assert_eq!(
        made,
        [
            "submission_31|00101|Ann Lee|ann@b||||2026-03-27 17:05:12.1 Z",
            "submission_31|bob@b|Bob|bob@b||||2026-03-27 17:05:12.1 Z"
        ]
    );
    assert_eq!(of_metadata("submission,id\n"), None);
}

#[test]
fn a_roster_stays_as_it_is() {
    for text in [
        "submission,id,name\nann,1,Ann\n",
        "submission,id,Full name\nann,1,Ann\n",
        "Submission,ID,Name,Login\nann,1,Ann,al\n",
        "Name,Mail\nAnn,x\n",
        "",
    ] {
        assert_eq!(made(text), None, "{text}");
    }
}
