//! Tests of records and results: both readers read the same lines alike.

use super::*;

const LINE: &str = r#"{"v":5,"fixture":"ffffffffffffffffffffffffffffffff","game":"g\n","state":3,"setup":{"a":[1]},"draw":"d","seats":[{"entrant":"ann","artifact":"x","seed":5,"cpu_us":7,"off_turn_us":1,"wall_us":9,"uncharged_us":2,"startup_wall_us":3},{"entrant":"b\"ob","artifact":"y","seed":6,"says":"B","cpu_us":0,"off_turn_us":0,"wall_us":0,"uncharged_us":0,"startup_wall_us":0}],"turns":[[0,[1,2],5,6],[1,"pass",2,3],[0,null,2,3]],"faults":[{"seat":0,"ply":2,"phase":"turn","cause":"crash","detail":"gone","exit":{"signal":11},"cpu_us":1,"wall_us":1}],"end":{"fault":{"cause":"crash","seat":0}},"outcome":{"seats":[{"result":"lost","placement":2,"points":-1,"tie_break":0},{"result":"won","placement":1,"points":1,"tie_break":0}],"reason":"r"}}"#;

/// The id in [`LINE`].
const NO_ID: &str = "ffffffffffffffffffffffffffffffff";

fn terms() -> Terms {
    let entry = &engines::GAMES[0];
    let conditions = serde_json::json!({
        "game": entry.info.slug, "config": {}, "time": entry.info.time, "mode": "cpu",
        "backstop_ms": 1, "idle_ms": 1, "startup_ms": 1, "lifetime": "game", "memory_mib": 1, "processes": false,
    });
    let conditions = serde_json::from_value(conditions).expect("plain data");
    Terms::new(entry.info.rules_version, &conditions)
}

/// Returns the line with the correct id.
fn line(line: &str) -> String {
    let Ok(record) = serde_json::from_str::<MatchRecord>(line) else {
        return line.into();
    };
    let seats = record.seats.iter();
    let seats: Vec<(&str, &str)> = seats.map(|one| (&*one.entrant, &*one.artifact)).collect();
    let id = terms().id(record.state, &seats, &record.setup, &record.draw);
    line.replacen(NO_ID, &id.text(), 1)
}

/// The text between the turns and the outcome.
const FAULTS: &str = r#""faults":[{"seat":0,"ply":2,"phase":"turn","cause":"crash","detail":"gone","exit":{"signal":11},"cpu_us":1,"wall_us":1}],"end":{"fault":{"cause":"crash","seat":0}},"outcome""#;

/// Returns the line with an id for its changed content.
fn line_again(text: &str) -> String {
    let start = text.find("\"fixture\":\"").expect("there") + 11;
    let end = text.find("\",\"game\"").expect("there");
    line(&[&text[..start], NO_ID, &text[end..]].concat())
}

fn both(line: &str) -> (Option<MatchResult>, Option<MatchResult>) {
    let record = MatchRecord::read(line.as_bytes(), &terms()).ok();
    (
        MatchResult::read(line.as_bytes(), &terms()).ok(),
        record.as_ref().map(MatchRecord::result),
    )
}

#[test]
fn a_line_gives_what_the_whole_record_gives() {
    let (read, made) = both(&line(LINE));
    assert_eq!(read, made);
    let result = read.expect("it is a record");
    assert_eq!((result.plies, &*result.seats[1].entrant), (2, "b\"ob"));
    assert!(result.ended_by(&result.faults[0]));
}

#[test]
fn fast_and_full_reader_read_same_line_alike() {
    let faulty = line(LINE);
    let is_usual = |line: &str| cut::parse_fault_free(line, &terms()).is_some();
    assert!(!is_usual(&faulty), "a fault is read with care");
    let plain = LINE.replace(FAULTS, r#""faults":[],"end":"rules","outcome""#);
    let plain = line(&plain);
    let cut = |line: &str| line.replace(r#"b\"ob"#, "bob").replace(r"g\n", "g");
    let own = line_again(&cut(&plain));
    assert!(is_usual(&own), "as the judges of before wrote it: {own}");
    let (read, made) = both(&own);
    assert!(read.is_some() && read == made);
    let own = own.replace(r#""reason":"r"}}"#, r#""reason":"r"},"machine":"m"}"#);
    let (read, made) = both(&own);
    assert!(is_usual(&own), "as the judge writes it: {own}");
    assert!(read == made && read.is_some_and(|read| read.machine.as_deref() == Some("m")));
    for (old, new) in [
        (",\"turns\":", ", \"turns\" : "),
        (",\"faults\":[]", ",\"overloaded\":false,\"faults\":[]"),
        ("\"points\":-1", "\"points\":-1e0"),
        ("\"seed\":5", "\"seed\":5,\"suspended\":false"),
    ] {
        let other = own.replacen(old, new, 1);
        assert_ne!(other, own);
        assert!(!is_usual(&other), "{other}");
        let (slow, made) = both(&other);
        assert_eq!(slow, made, "{other}");
    }
    for place in 0..own.len() {
        for byte in [b'"', b'0', b',', b'}', b'x', b'-'] {
            let mut changed = own.clone().into_bytes();
            changed[place] = byte;
            let changed = String::from_utf8(changed).expect("ASCII");
            let (read, made) = both(&changed);
            assert_eq!(read, made, "{changed}");
        }
        let shorter = [&own[..place], &own[place + 1..]].concat();
        let (read, made) = both(&shorter);
        assert_eq!(read, made, "{shorter}");
    }
}

#[test]
fn older_record_line_roundtrips_unchanged() {
    let record: MatchRecord = serde_json::from_str(LINE).expect("a record");
    assert_eq!(serde_json::to_string(&record).expect("plain data"), LINE);
    let turn = &record.turns[1];
    assert_eq!((turn.seat.index(), turn.cpu_us, turn.wall_us), (1, 2, 3));
    assert_eq!(turn.mv.as_ref().map(|mv| mv.get()), Some("\"pass\""));
}

#[test]
fn line_is_refused_exactly_when_record_is() {
    for row in include_str!("unfit.txt").lines() {
        let (old, new) = row.split_once(" => ").expect("a row");
        let new = if new == "nothing" { "" } else { new };
        let damaged = line(&LINE.replacen(old, new, 1));
        assert_ne!(damaged, LINE, "{old}");
        assert_eq!(both(&damaged), (None, None), "{new}");
    }
}

#[test]
fn line_with_id_not_matching_fixture_is_refused() {
    let line = line(LINE);
    for (old, new) in [
        (r#""state":3"#, r#""state":4"#),
        (r#"{"a":[1]}"#, r#"{"a":[2]}"#),
        (r#""draw":"d""#, r#""draw":"e""#),
        (r#""entrant":"ann""#, r#""entrant":"eve""#),
        (r#""artifact":"y""#, r#""artifact":"z""#),
    ] {
        let forged = line.replacen(old, new, 1);
        assert_ne!(forged, line, "{old}");
        assert_eq!(both(&forged), (None, None), "{new}");
    }
}

#[test]
fn transcripts_tell_initial_states_and_moves_apart() {
    let transcript = |old: &str, new: &str| {
        let line = line(&LINE.replacen(old, new, 1));
        let read = MatchResult::read(line.as_bytes(), &terms());
        read.expect("a record").transcript
    };
    let own = transcript("", "");
    assert_eq!(transcript("5,6]", "50,60]"), own, "times are no moves");
    assert_ne!(transcript("[1,2]", "[1,3]"), own);
    assert_ne!(transcript("[0,null", "[0,1"), own);
    assert_ne!(transcript(r#"{"a":[1]}"#, r#"{"a":[2]}"#), own);
}
