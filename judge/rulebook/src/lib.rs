//! Competitions from TOML ([`read`]), the built-in [`courses`], and the [`schedule`] of games.

mod changes;
mod error;
mod file;
pub mod nearest;
pub mod rules;
pub mod schedule;
pub mod scoring;

pub use changes::{Changes, GameSettings, KeyChange};
pub use error::{IoContext, JudgeError, Result, refuse};
pub use file::{
    CPU_STEP_MS_MAX, Loaded, MEMORY_MIB, RATE_MAX, STATES_MAX, TABLE_KEYS, TOP_LEVEL_KEYS, read,
    read_with,
};

use engines::CourseText;
use model::competition::Competition;
use rules::Rules;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::{Table, Value};

/// Lists every built-in competition, in the order of the games.
pub fn courses() -> impl Iterator<Item = &'static CourseText> {
    rules::built_in().flat_map(|rules| rules.courses())
}

/// Returns the first built-in competition of a game, without grades: there is nobody to grade.
pub fn standard(rules: &dyn Rules) -> Competition {
    standard_file(rules).competition
}

fn standard_file(rules: &dyn Rules) -> Loaded {
    let slug = rules.info().slug;
    let course = rules.courses().first().map(|course| course.text);
    let text = course.map_or_else(|| format!("game = {slug:?}"), str::to_owned);
    let mut table: Table = text.parse().expect("a test reads every one of them");
    if let Some(Value::Table(scoring)) = table.get_mut("scoring") {
        scoring.remove("grades");
    }
    read(slug, &table.to_string()).expect("a test reads every one of them")
}

impl Loaded {
    /// Creates the standard competition of a game, which needs no file.
    pub fn standard(rules: Arc<dyn Rules>) -> Self {
        let file = standard_file(&*rules);
        Self {
            keys: BTreeMap::new(),
            rules,
            ..file
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::Lifetime;
    use model::competition::NameRule;

    #[test]
    fn every_course_is_read_with_the_numbers_of_its_text() {
        for game in rules::built_in() {
            assert!(!game.courses().is_empty(), "{}", game.info().slug);
            for course in game.courses() {
                let read = read(course.name, course.text);
                let read = read.unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(read.rules.info().slug, game.info().slug);
                let (states, conditions) = (read.competition.states, read.competition.conditions);
                let time = &conditions.time;
                let game_time = (time.bank_us, time.increment_us, time.charge_start);
                match game.info().slug {
                    "catch-the-cat" => {
                        assert_eq!((states, conditions.lifetime), (100, Lifetime::Turn));
                    }
                    "crazy-camel" => {
                        assert_eq!(game_time, (Some(10_000_000), 1_000_000, true));
                        let config = conditions.config.get();
                        let size = r#""width":7,"height":7,"camels":8"#;
                        assert!(config.contains(size), "{config}");
                    }
                    "reversi" => assert_eq!(game_time, (Some(300_000_000), 0, true)),
                    _ => {}
                }
                // None shows a platform's names, and one those of rosters.
                let names = match course.name {
                    "crazy-camel" => Some(NameRule::Roster),
                    "reversi" => Some(NameRule::Nickname),
                    _ => None,
                };
                assert_eq!(read.competition.names, names, "{}", course.name);
            }
        }
    }

    #[test]
    fn every_course_has_commented_deadline_with_its_consequences() {
        for course in courses() {
            let with = |keys: &[&str]| {
                let uncommented = |line: &str| {
                    let bare = line.strip_prefix("# ").unwrap_or(line);
                    let is_meant = keys
                        .iter()
                        .any(|key| bare.starts_with(&format!("{key} = ")));
                    format!("{}\n", if is_meant { bare } else { line })
                };
                let text: String = course.text.lines().map(uncommented).collect();
                read(course.name, &text)
            };
            for keys in [
                &["deadline", "too_late"][..],
                &["deadline", "late"],
                &["deadline", "too_late", "late"],
            ] {
                let read = with(keys).unwrap_or_else(|error| panic!("{keys:?}: {error}"));
                assert!(read.competition.deadline.is_some(), "{}", course.name);
                let is_priced = !read.competition.late.is_empty();
                assert_eq!(is_priced, keys.contains(&"late"), "{}", course.name);
            }
            let refused = with(&["deadline"]).expect_err(course.name).to_string();
            let words = "a deadline alone has no effect";
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn commented_homework_in_course_has_all_game_parts() {
        let camel = courses().find(|course| course.name == "crazy-camel");
        let camel = camel.expect("a course");
        let both = camel.text.split_once("# [scoring.homework]\n");
        let (before, table) = both.expect("there");
        let parts = table.lines().map_while(|line| line.strip_prefix("# "));
        let parts: Vec<&str> = parts.collect();
        let text = format!("{before}[scoring.homework]\n{}\n", parts.join("\n"));
        let read = read(camel.name, &text).unwrap_or_else(|error| panic!("{error}"));
        let points = read.competition.scoring.homework;
        let names: Vec<&str> = points.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, read.rules.homework_parts());
    }
}
