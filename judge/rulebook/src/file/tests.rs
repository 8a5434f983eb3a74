//! Tests of a competition's file: the allowed values, and the refusal of all others.

use super::*;
use model::clock::ClockMode;
use model::competition::{Grades, Schedule, Scoring};
use model::tally::RankKey;
use std::collections::BTreeMap;

/// Splits a table into rows, and each row at `|`. In a cell, `\n` begins another line.
pub(super) fn rows<const N: usize>(table: &str) -> Vec<[String; N]> {
    let cells = |row: &str| -> [String; N] {
        let cells = row.split('|').map(|cell| cell.trim().replace("\\n", "\n"));
        let cells: Vec<String> = cells.collect();
        cells.try_into().expect("a cell for each column")
    };
    let rows = table.lines().filter(|row| !row.trim().is_empty());
    let rows: Vec<_> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "no rows");
    rows
}

#[derive(serde::Deserialize)]
struct Refused {
    file: String,
    reason: String,
}

#[test]
fn refusals_name_the_line_and_what_is_allowed() {
    let text = include_str!("refused.toml");
    let all: BTreeMap<String, Vec<Refused>> = toml::from_str(text).expect("TOML");
    for Refused { file, reason } in &all["refused"] {
        let error = read("mine.toml", file).expect_err(file).to_string();
        assert!(error.contains(reason), "{reason:?} is not in {error:?}");
    }
}

#[test]
fn what_is_left_out_is_the_games_own() {
    let loaded = read("mine.toml", "game = \"crazy-camel\"\n").expect("allowed");
    let competition = loaded.competition;
    assert_eq!(competition.title, "Crazy Camel");
    assert_eq!(competition.conditions.time, loaded.rules.info().time);
    assert_eq!(competition.schedule, Schedule::Pairs { self_play: false });
    assert_eq!(competition.scoring, Scoring::plain());
}

fn allowed(text: &str) -> Competition {
    let read = read("mine.toml", text);
    read.unwrap_or_else(|error| panic!("{error}")).competition
}

#[test]
fn times_are_decimal_seconds_and_free_startup_milliseconds() {
    let text = "game = \"reversi\"\n[clock]\ncounts = \"wall\"\nbank_s = 60\nincrement_s = 0.5\n";
    let conditions = allowed(text).conditions;
    assert_eq!(conditions.time.bank_us, Some(60_000_000));
    assert_eq!(conditions.time.increment_us, 500_000);
    assert_eq!(conditions.mode, ClockMode::Wall);
    for (line, expected) in [
        ("startup_free_ms = 0", Some(0)),
        ("startup_free_ms = 250", Some(250)),
        ("", None),
    ] {
        let text = format!("game = \"reversi\"\n[clock]\n{line}\n");
        assert_eq!(allowed(&text).conditions.startup_free_ms, expected);
    }
}

#[test]
fn rounds_and_deadlines_are_checked() {
    let text = "game = \"reversi\"\nround = \"practice/2\"\ndeadline = 2026-12-24T18:00:00+01:00\n\
        timezone = \"Europe/Stockholm\"\ntoo_late = \"graded\"\n";
    let loaded = read("mine.toml", text).expect("allowed");
    assert!(!loaded.judges_clock_counts);
    assert_eq!(loaded.timezone.as_deref(), Some("Europe/Stockholm"));
    assert_eq!(loaded.zone, Some(Offset::constant(1)));
    let word = format!("{text}received = \"judge\"\n");
    let loaded = read("mine.toml", &word).expect("allowed");
    assert!(loaded.judges_clock_counts);
    let utc = text.replace("+01:00", "Z");
    let utc = read("mine.toml", &utc).expect("allowed");
    assert_eq!(utc.zone, Some(Offset::UTC));
    let competition = loaded.competition;
    assert_eq!(competition.round, "practice/2");
    let deadline = competition.deadline.expect("there").to_string();
    assert_eq!(deadline, "2026-12-24T17:00:00Z");
}

#[test]
fn a_ranking_names_each_key_once() {
    let text = "game = \"reversi\"\n[scoring]\nranking = [\"wins\", \"points\"]\n";
    let keys = allowed(text).scoring.ranking;
    assert_eq!(keys, [RankKey::Wins, RankKey::Points]);
}

fn grades(table: &str) -> Grades {
    let text = format!(
        "game = \"reversi\"\n[scoring.grades]\n{table}\notherwise = \"4\"\ndisqualified = \"3\"\n"
    );
    allowed(&text).scoring.grades.expect("there are some")
}

#[test]
fn not_playing_grade_defaults_to_disqualified_grade() {
    assert_eq!(grades("steps = []").not_playing(), "3");
    assert_eq!(grades("steps = []").missing, None);
    let both = grades("steps = []\nnot_playing = 2\nmissing = \"0\"");
    let both = (both.not_playing(), both.missing.as_deref());
    assert_eq!(both, ("2", Some("0")));
}

#[test]
fn a_grade_is_a_text_or_a_number() {
    for (grade, expected) in [
        ("\"A+\"", "A+"),
        ("90", "90"),
        ("1.0", "1.0"),
        ("-1.30", "-1.3"),
    ] {
        let grades = grades(&format!("steps = [{{ at_least = 5, grade = {grade} }}]"));
        assert_eq!(grades.steps[0].grade, expected);
    }
}

#[test]
fn homework_awards_points_only_for_existing_game_parts() {
    let homework = |keys: &str| {
        let text = format!("game = \"crazy-camel\"\n[scoring.homework]\n{keys}\n");
        let parts = allowed(&text).scoring.homework.into_iter();
        let parts = parts.map(|part| format!("{} {}", part.name, part.points));
        parts.collect::<Vec<_>>().join(", ")
    };
    let parts = homework("make_move = 0.5\nhas_won = 2");
    assert_eq!(
        parts, "has_won 2, make_move 0.500000",
        "in the order of the game"
    );
    assert_eq!(homework(""), "");
}

#[test]
fn submission_is_the_default_of_public_names() {
    for (line, expected) in [
        ("", None),
        ("public = \"submission\"", None),
        ("public = \"nickname\"", Some(NameRule::Nickname)),
        ("public = \"roster\"", Some(NameRule::Roster)),
        ("public = \"real\"", Some(NameRule::Real)),
    ] {
        let text = format!("game = \"reversi\"\n[names]\n{line}\n");
        assert_eq!(allowed(&text).names, expected);
    }
}
