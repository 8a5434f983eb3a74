//! Tests of a competition's file: the allowed values, and the refusal of all others.

use super::*;
use model::clock::ClockMode;
use model::competition::{Schedule, Scoring};
use model::tally::RankKey;

fn error(text: &str) -> String {
    read("mine.toml", text)
        .expect_err("not allowed")
        .to_string()
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
fn times_are_written_in_seconds_with_or_without_decimals() {
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
fn what_is_free_of_a_start_up_is_a_whole_number_of_milliseconds_or_left_to_the_kits() {
    let with = |line: &str| read("c.toml", &format!("game = \"reversi\"\n[clock]\n{line}\n"));
    let free = |line: &str| {
        let loaded = with(line).expect(line);
        loaded.competition.conditions.startup_free_ms
    };
    assert_eq!(free("startup_free_ms = 0"), Some(0));
    assert_eq!(free("startup_free_ms = 250"), Some(250));
    assert_eq!(free(""), None);
    for (wrong, advice) in [
        ("0.5", ""),
        ("-1", ""),
        ("86400001", ""),
        ("\"much\"", ""),
        ("\"1\"", ", without quotes"),
    ] {
        let error = with(&format!("startup_free_ms = {wrong}")).expect_err(wrong);
        let words =
            format!("c.toml, line 3: startup_free_ms: {wrong}: must be 0 to 86400000{advice}");
        assert_eq!(error.to_string(), words);
    }
}

#[test]
fn rounds_and_deadlines_are_checked() {
    for (text, words) in [
        (
            "game = \"reversi\"\nround = \"practice\"\n",
            "line 2: round: \"practice\": must be \"final\", or a practice round, for example \"practice/1\"",
        ),
        (
            "game = \"reversi\"\ndeadline = 2026-12-24T18:00:00\n",
            "line 2: deadline: 2026-12-24T18:00:00: must be a date and a time with its zone",
        ),
        (
            "game = \"reversi\"\ndeadline = 7\n",
            "line 2: deadline: 7: must be a date and a time with its zone",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
    for (text, words) in [
        (
            "late = [{ within_h = 24, penalty = 0 }]\n",
            "line 2: late needs a deadline",
        ),
        (
            "too_late = \"ungraded\"\n",
            "line 2: too_late needs a deadline",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 0, penalty = 0 }]\n",
            "line 3: within_h: 0: must be 1 to 8760",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 1, penalty = -1 }]\n",
            "line 3: penalty: -1: must be 0 to 1000000 points",
        ),
        (
            "received = \"judge\"\n",
            "line 2: received needs a deadline",
        ),
        (
            "states = 1\ndeadline = 2026-12-24T18:00:00Z\n",
            "line 3: a deadline alone has no effect: say what happens to later submissions. Add the line too_late = \"ungraded\" (",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nreceived = \"judge\"\n",
            "line 2: a deadline alone has no effect",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nreceived = \"now\"\n",
            "line 3: received: unknown value `now`; allowed: `judge`",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = []\n",
            "line 3: late: name at least one step",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 0 },\n{ within_h = 2, penalty = 0 }]\n",
            "line 4: list the steps of late in order: within_h must increase",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 },\n{ within_h = 3, penalty = 0 }]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n",
            "line 4: later submissions cannot lose less: penalty must not decrease",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 }]\n",
            "line 3: the penalty is taken off the grade or else the prize, but this competition has neither",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 0.5 }]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n",
            "line 3: the penalty is taken off the prize, which is a whole number: penalty must be one too",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 }]\n[scoring.grades]\nsteps = [{ at_least = 1, grade = \"pass\" }]\notherwise = \"0\"\ndisqualified = \"no\"\n",
            "line 3: the penalty is taken off the grade, but the grade \"pass\" is not a number",
        ),
        (
            "deadline = 2026-12-24T18:00:00Z\ntoo_late = \"gone\"\n",
            "line 3: too_late: unknown value `gone`; allowed: `graded`, `ungraded`, `not-played`",
        ),
    ] {
        let error = error(&format!("game = \"reversi\"\n{text}"));
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
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
    let alone = "game = \"reversi\"\ntimezone = \"Europe/Stockholm\"\n";
    let refused = error(alone);
    assert!(
        refused.contains("line 2: timezone needs a deadline"),
        "{refused}"
    );
    let text = format!("{alone}deadline = 2026-12-24T18:00:00+01:00\ntoo_late = \"graded\"\n");
    let loaded = read("mine.toml", &text).expect("allowed");
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
    for (keys, words) in [
        ("[]", "line 3: ranking: name what the table is ranked by"),
        (
            "[\"wins\", \"wins\"]",
            "line 3: ranking: wins appears twice",
        ),
        (
            "[\"tie-break\"]",
            "line 3: ranking: Reversi has no tie-break count",
        ),
        ("[\"tokens\"]", "line 3"),
    ] {
        let error = ranking(keys).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_game_that_counts_nothing_for_it_breaks_no_ties_by_it() {
    let text = |game: &str| format!("game = \"{game}\"\n[scoring]\nties = [\"tie-break\"]\n");
    let words = "line 3: ties: Reversi has no tie-break count";
    assert!(error(&text("reversi")).contains(words));
    read("mine.toml", &text("monkey-metal-man")).expect("captures");
}

#[test]
fn who_does_not_play_has_the_grade_of_the_disqualified_unless_the_file_says_otherwise() {
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
    let error = error(&text("true"));
    let words = "a grade must be a text or a finite number";
    assert!(error.contains(words), "{error}");
}

#[test]
fn the_step_of_cpu_time_has_bounds() {
    for (text, words) in [
        (
            "game = \"reversi\"\n[scoring]\ncpu_step_ms = 0\n",
            "line 3: cpu_step_ms: 0: must be 1 to 60000",
        ),
        (
            "game = \"reversi\"\n[scoring]\ncpu_step_ms = 60_001\n",
            "line 3: cpu_step_ms: 60001: must be 1 to 60000",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
}

#[test]
fn what_prizes_need_is_checked() {
    for (text, words) in [
        (
            "game = \"reversi\"\n[scoring]\nprize_needs = { faultless_games = 1 }\n",
            "line 3: there are no prizes: add [[scoring.prizes]], or remove prize_needs",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"builtin:best\"]\n",
            "line 6: ahead_of: Reversi has no built-in bot \"best\"; there are builtin:",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"ann\", \"ann\"]\n",
            "line 6: ahead_of: \"ann\" appears twice",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"ann\"]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"ann\"]\n",
            "line 9: the gauntlet is against \"ann\", which has no row in the table",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"ann\"]\n[scoring.grades]\nsteps = []\notherwise = \"4\"\ndisqualified = \"3\"\ngames = { against = [\"ann\"], states = 1 }\n",
            "line 6: the graded games are against \"ann\", which has no row in the table",
        ),
        (
            "game = \"monkey-metal-man\"\n[scoring.grades]\nsteps = []\notherwise = \"4\"\ndisqualified = \"3\"\ngames = { against = [\"ann\"], states = 1 }\n",
            "line 6: graded games are for two, and The Monkey and the Metal Man is for more",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"ann\"]\n[scoring.grades]\nsteps = []\notherwise = \"4\"\ndisqualified = \"3\"\ngames = { against = [\"bob\"], states = 1 }\n",
            "line 9: the games of a gauntlet decide the grades already",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nfaultless_games = -1\n",
            "line 6: faultless_games: -1: must be 0 to 1000000",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nwins = -1\n",
            "line 6: wins: -1: must be 0 to 1000000",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
}

#[test]
fn homework_gives_points_for_parts_that_the_game_has() {
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
    for (game, keys, words) in [
        (
            "crazy-camel",
            "has_won = 1\nhas_one = 1",
            "line 4: homework: Crazy Camel has no part \"has_one\"; there are camels_intersect, ",
        ),
        (
            "catch-the-cat",
            "has_won = 1",
            "line 3: homework: Catch the Cat has no homework that the judge marks",
        ),
        (
            "crazy-camel",
            "has_won = -1",
            "line 3: has_won: -1: must be 0 to 1000000 points",
        ),
        (
            "crazy-camel",
            "has_won = \"1\"",
            "line 3: has_won: must be a number, not a string",
        ),
    ] {
        let error = homework(game, keys).expect_err("refused").to_string();
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
    let plain = read("mine.toml", "game = \"crazy-camel\"\n[scoring.homework]\n");
    let scoring = plain.expect("allowed").competition.scoring;
    assert!(scoring.homework.is_empty());
}

#[test]
fn what_is_missing_or_stands_in_a_wrong_table_is_told_with_the_next_step() {
    for (text, words) in [
        (
            "title = \"x\"\n",
            "missing key `game`: add the game at the top",
        ),
        (
            "game = \"reversi\"\n[names]\npublic = \"nickname\"\ndeadline = 2026-12-01\n",
            "line 4: `deadline` must be above the first [table]; allowed here: `public`",
        ),
        (
            "game = \"reversi\"\n[scoring.grades]\nsteps = []\notherwise = \"4\"\n",
            "missing key `disqualified`: grades need steps = [{ at_least = 500",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
}

#[expect(clippy::too_many_lines, reason = "rows of data")]
#[test]
fn errors_name_the_file_the_line_and_what_is_allowed() {
    for (text, words) in [
        ("game = 7\n", "mine.toml, line 1: "),
        ("title = \"x\"\n", "missing key `game`"),
        (
            "game = \"reversi\"\ntitle = \"x\n",
            "line 2: title: a text in quotes does not end",
        ),
        (
            "game = \"chess\"\n",
            "line 1: unknown game \"chess\"; the games are",
        ),
        (
            "game = \"reversi\"\nstates = 0\n",
            "line 2: states: 0: must be 1 to 1000000",
        ),
        (
            "game = \"reversi\"\n[clock]\nbank_s = -1\n",
            "line 3: bank_s: -1 seconds: must be 0.001",
        ),
        (
            "game = \"reversi\"\n[clock]\nbackstop_s = 0.05\n",
            "line 3: backstop_s: 0.05 seconds: must be 0.1 to 86400",
        ),
        (
            "game = \"reversi\"\n[clock]\nbank_ms = 1\n",
            "line 3: unknown key `bank_ms`",
        ),
        (
            "game = \"reversi\"\n[bots]\nown_pages = false\n",
            "line 3: own_pages: always on for these bots now; delete the line",
        ),
        ("game = \"reversi\"\n[config]\nopening = 4\n", "line 3: "),
        (
            "game = \"reversi\"\n\n[config]\nopening_plies = 100\n",
            "line 4: ",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"groups\"\n",
            "line 3: Reversi is for two: kind must be pairs or gauntlet",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\n",
            "line 3: a gauntlet needs opponents",
        ),
        (
            "game = \"reversi\"\n[scoring]\nties = [\"age\"]\n",
            "line 3: ties: unknown value `age`; allowed: `wins`",
        ),
        (
            "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 2\npoints = 3\n[[scoring.prizes]]\nto_rank = 2\npoints = 1\n",
            "line 5: list prizes from the best rank down",
        ),
        (
            "game = \"reversi\"\ntitle = \" \"\n",
            "line 2: title: must be one line",
        ),
        (
            "game = \"reversi\"\n[clock]\nturn_s = 1\nincrement_s = 0.5\n",
            "line 4: increment_s needs a bank to add to",
        ),
        (
            "game = \"reversi\"\n[clock]\nincrement_s = 0.5\n",
            "line 3: increment_s needs a bank",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"a\",\n\"a\"]\n",
            "line 5: against: \"a\" appears twice",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"builtin:best\"]\n",
            "line 4: against: Reversi has no built-in bot \"best\"; there are builtin:",
        ),
        (
            "game = \"reversi\"\n[schedule]\nkind = \"pairs\"\nagainst = [\"a\"]\n",
            "line 4: against needs kind = \"gauntlet\"",
        ),
        (
            "game = \"reversi\"\n[scoring]\nties = [\"wins\", \"wins\"]\n",
            "line 3: ties: wins appears twice",
        ),
        (
            "game = \"monkey-metal-man\"\n[scoring]\npodium = [\"head-to-head\"]\n",
            "line 3: podium: head-to-head is only for games for two",
        ),
        (
            "game = \"reversi\"\n[scoring.grades]\notherwise = \"4\"\ndisqualified = \"3\"\nsteps = [{ at_least = -9223372036854775808, grade = \"5\" }]\n",
            "line 5: at_least: must be -1000000000 to 1000000000",
        ),
        (
            "game = \"reversi\"\n[scoring.grades]\notherwise = \"4\"\ndisqualified = \"3\"\nsteps = [{ at_least = 5, grade = \"5\" },\n{ at_least = 5, grade = \"6\" }]\n",
            "line 6: list grades from the best down",
        ),
        (
            "game = \"reversi\"\n[scoring]\npoints_per_cpu_second = nan\n",
            "line 3: points_per_cpu_second: NaN points per second: must be 0 to 1000000",
        ),
        (
            "game = \"reversi\"\n[names]\npublic = \"all\"\n",
            "line 3: public: unknown value `all`; allowed: `submission`, `nickname`, `roster`, `real`",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
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

#[test]
fn what_the_user_wrote_is_quoted_as_it_stands_and_found_where_it_is() {
    for (text, words) in [
        (
            "game = \"reversi\"\n\"map x\" = 1\n",
            "line 2: unknown key `map x`; allowed: ",
        ),
        (
            "game = \"reversi\"\nstates = \"map x\"\n",
            "line 2: states: map x: only a competition in a file can have files",
        ),
        (
            "game = \"reversi\"\nbots = { memory_mib = 1 }\n",
            "line 2: memory_mib: 1: must be 16 to",
        ),
        (
            "game = \"reversi\"\nclock = 3\n",
            "line 2: clock: the whole number `3` is not a table",
        ),
        (
            "game = \"reversi\"\n[config]\nopening_plies = 4\nopening = 4\n",
            "line 4: ",
        ),
        (
            "game = \"reversi\"\n[config]\nopening = 4\nopening_plies = 100\n",
            "line 3: ",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
}
