//! Tests of records and results.

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
    let seats = record
        .seats
        .iter()
        .map(|seat| (&*seat.entrant, &*seat.artifact));
    let seats: Vec<(&str, &str)> = seats.collect();
    let id = terms().id(record.state, &seats, &record.setup, &record.draw);
    line.replacen(NO_ID, &id.text(), 1)
}

fn read(line: &str) -> Option<MatchResult> {
    MatchResult::read(line.as_bytes(), &terms()).ok()
}

#[test]
fn a_result_has_what_tables_need_of_a_line() {
    let result = read(&line(LINE)).expect("it is a record");
    assert_eq!((result.plies, &*result.seats[1].entrant), (2, "b\"ob"));
    assert!(result.ended_by(&result.faults[0]));
    let elsewhere = LINE.replace(r#""reason":"r"}}"#, r#""reason":"r"},"machine":"m"}"#);
    let result = read(&line(&elsewhere)).expect("it is a record");
    assert_eq!(result.machine.as_deref(), Some("m"));
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
fn line_with_seats_or_values_that_do_not_fit_is_refused() {
    for row in include_str!("unfit.txt").lines() {
        let (old, new) = row.split_once(" => ").expect("a row");
        let new = if new == "nothing" { "" } else { new };
        let damaged = line(&LINE.replacen(old, new, 1));
        assert_ne!(damaged, LINE, "{old}");
        assert_eq!(read(&damaged), None, "{new}");
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
        assert_eq!(read(&forged), None, "{new}");
    }
}

#[test]
fn transcripts_tell_initial_states_and_moves_apart() {
    let transcript = |old: &str, new: &str| {
        let line = line(&LINE.replacen(old, new, 1));
        read(&line).expect("a record").transcript
    };
    let own = transcript("", "");
    assert_eq!(transcript("5,6]", "50,60]"), own, "times are no moves");
    assert_ne!(transcript("[1,2]", "[1,3]"), own);
    assert_ne!(transcript("[0,null", "[0,1"), own);
    assert_ne!(transcript(r#"{"a":[1]}"#, r#"{"a":[2]}"#), own);
}
