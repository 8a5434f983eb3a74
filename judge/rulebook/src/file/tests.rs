//! Tests of a competition's file: the allowed values, and the refusal of all others.

use super::*;
use model::clock::ClockMode;
use model::competition::{Schedule, Scoring};
use model::tally::RankKey;
use std::collections::BTreeMap;

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

#[test]
fn times_are_read_in_seconds_with_optional_decimals() {
    let text = "game = \"reversi\"\n[clock]\ncounts = \"wall\"\nbank_s = 60\nincrement_s = 0.5\n";
    let conditions = read("mine.toml", text)
        .expect("allowed")
        .competition
        .conditions;
    assert_eq!(conditions.time.bank_us, Some(60_000_000));
    assert_eq!(conditions.time.increment_us, 500_000);
    assert_eq!(conditions.mode, ClockMode::Wall);
}

#[test]
fn startup_free_ms_is_whole_or_kit_default() {
    let with = |line: &str| read("c.toml", &format!("game = \"reversi\"\n[clock]\n{line}\n"));
    let free = |line: &str| {
        let loaded = with(line).expect(line);
        loaded.competition.conditions.startup_free_ms
    };
    assert_eq!(free("startup_free_ms = 0"), Some(0));
    assert_eq!(free("startup_free_ms = 250"), Some(250));
    assert_eq!(free(""), None);
}

#[test]
fn rounds_and_deadlines_are_checked() {
    let text = "game = \"reversi\"\nround = \"practice/2\"\ndeadline = 2026-12-24T18:00:00+01:00\n\
        too_late = \"graded\"\n";
    let loaded = read("mine.toml", text).expect("allowed");
    assert!(!loaded.judges_clock_counts);
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
fn a_timezone_stands_beside_a_deadline() {
    let text = "game = \"reversi\"\ntimezone = \"Europe/Stockholm\"\n\
        deadline = 2026-12-24T18:00:00+01:00\ntoo_late = \"graded\"\n";
    let loaded = read("mine.toml", text).expect("allowed");
    assert_eq!(loaded.timezone.as_deref(), Some("Europe/Stockholm"));
}

#[test]
fn a_ranking_names_each_key_once() {
    let ranking = |keys: &str| {
        let text = format!("game = \"reversi\"\n[scoring]\nranking = {keys}\n");
        read("mine.toml", &text).map(|read| read.competition.scoring.ranking)
    };
    let keys = ranking("[\"wins\", \"points\"]").expect("allowed");
    assert_eq!(keys, [RankKey::Wins, RankKey::Points]);
}

#[test]
fn not_playing_grade_defaults_to_disqualified_grade() {
    let grades = |more: &str| {
        let text = format!(
            "game = \"reversi\"\n[scoring.grades]\nsteps = []\notherwise = \"4\"\ndisqualified = \"3\"\n{more}"
        );
        let read = read("mine.toml", &text).expect("allowed");
        read.competition.scoring.grades.expect("there are some")
    };
    assert_eq!(grades("").not_playing(), "3");
    assert_eq!(grades("").missing, None);
    let both = grades("not_playing = 2\nmissing = \"0\"\n");
    assert_eq!(
        (both.not_playing(), both.missing.as_deref()),
        ("2", Some("0"))
    );
}

#[test]
fn a_grade_is_a_text_or_a_number() {
    let text = |grade: &str| {
        format!(
            "game = \"reversi\"\n[scoring.grades]\nsteps = [{{ at_least = 5, grade = {grade} }}]\n\
             otherwise = \"4\"\ndisqualified = \"3\"\n"
        )
    };
    for (grade, expected) in [
        ("\"A+\"", "A+"),
        ("90", "90"),
        ("1.0", "1.0"),
        ("-1.30", "-1.3"),
    ] {
        let read = read("mine.toml", &text(grade)).expect(grade);
        let grades = read.competition.scoring.grades.expect("there are some");
        assert_eq!(grades.steps[0].grade, expected);
    }
}

#[test]
fn homework_awards_points_only_for_existing_game_parts() {
    let homework = |game: &str, keys: &str| {
        let text = format!("game = \"{game}\"\n[scoring.homework]\n{keys}\n");
        read("mine.toml", &text).map(|read| read.competition.scoring.homework)
    };
    let parts = homework("crazy-camel", "make_move = 0.5\nhas_won = 2").expect("allowed");
    let parts: Vec<(&str, String)> = parts
        .iter()
        .map(|part| (part.name.as_str(), part.points.to_string()))
        .collect();
    let expected = [
        ("has_won", "2".to_owned()),
        ("make_move", "0.500000".to_owned()),
    ];
    assert_eq!(parts, expected, "in the order of the game");
    let plain = read("mine.toml", "game = \"crazy-camel\"\n[scoring.homework]\n");
    let scoring = plain.expect("allowed").competition.scoring;
    assert!(scoring.homework.is_empty());
}

#[test]
fn submission_is_the_default_of_public_names() {
    let names = |line: &str| {
        let text = format!("game = \"reversi\"\n[names]\n{line}\n");
        read("mine.toml", &text).expect(line).competition.names
    };
    assert_eq!(names(""), None);
    assert_eq!(names("public = \"submission\""), None);
    assert_eq!(names("public = \"nickname\""), Some(NameRule::Nickname));
    assert_eq!(names("public = \"roster\""), Some(NameRule::Roster));
    assert_eq!(names("public = \"real\""), Some(NameRule::Real));
}
