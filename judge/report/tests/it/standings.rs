//! The tables of each course, compared cell by cell with tables computed by hand. Each file of
//! `tests/scoring` has a journal in brief and its expected tables.

use crate::brief;
use model::artifact::Artifact;
use model::artifact::{Confinement, IsolationLevel};
use model::competition::{Competition, Disqualify, Prize};
use model::entrant::Entrant;
use model::fixture::{Fixture, Participant};
use model::game_id::GameId;
use model::tally::RankKey;
use model::tally::Tie;
use report::{Announcement, GameCommands, PlayedRun, explain, write_tables};
use rulebook::scoring::StandingsTable;
use rulebook::{courses, schedule};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use store::manifest::{Machine, Manifest};
use store::{Journal, Keys};

const COMMANDS: GameCommands<'static> = GameCommands {
    repeat: &|game| format!("repeat {game}"),
    watch: &|game| format!("watch {game}"),
};

/// One file: a competition, its games in brief (see [`brief`]), and its tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    competition: String,
    states: Option<u32>,
    disqualify: Option<Disqualify>,
    ranking: Option<Vec<RankKey>>,
    ties: Option<Vec<Tie>>,
    podium: Option<Vec<Tie>>,
    prizes: Option<Vec<Prize>>,
    /// Names, each with a count of tokens if it has one.
    entrants: Vec<String>,
    filler: Option<String>,
    games: String,
    standings: String,
    /// Other files of the run, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The winners as they are announced: a list, then lines.
    #[serde(default)]
    announced: Option<Vec<String>>,
    /// Expected lines of `judge explain`, by entrant.
    #[serde(default)]
    explain: BTreeMap<String, Vec<String>>,
}

impl Case {
    fn competition(&self) -> Competition {
        let course = courses().find(|course| course.name == self.competition);
        let course = course.expect("a course");
        let read = rulebook::read(course.name, course.text);
        let mut competition = read.expect("allowed").competition;
        competition.seed = Some(1);
        competition.states = self.states.unwrap_or(competition.states);
        let scoring = &mut competition.scoring;
        scoring.disqualify = self.disqualify.unwrap_or(scoring.disqualify);
        scoring.ranking = self.ranking.as_ref().unwrap_or(&scoring.ranking).clone();
        scoring.ties = self.ties.as_ref().unwrap_or(&scoring.ties).clone();
        scoring.podium = self.podium.as_ref().unwrap_or(&scoring.podium).clone();
        scoring.prizes = self.prizes.as_ref().unwrap_or(&scoring.prizes).clone();
        competition
    }

    fn scored<T>(&self, folder: &Path, then: impl FnOnce(&PlayedRun<'_>, &[Fixture]) -> T) -> T {
        let competition = self.competition();
        let entrants: Vec<Entrant> = self.entrants.iter().map(|line| entrant(line)).collect();
        let contestants: Vec<Participant> = entrants.iter().map(contestant).collect();
        let filler = self.filler.as_ref().map(|name| contestant(&entrant(name)));
        let mut journal = Journal::open(folder, &competition.conditions).expect("readable");
        let keys = Keys::of_run(folder).expect("made with the journal");
        let draw = keys.draw(&competition);
        let fixtures = schedule::fixtures(&competition, &draw, &contestants, filler.as_ref());
        let fixtures = fixtures.expect("the course's own configuration");
        for record in brief::records(&competition, &fixtures, &self.games) {
            journal.append(&record).expect("writable");
        }
        let confinement = Confinement {
            level: IsolationLevel::Sealed,
            landlock_version: 0,
            seccomp: true,
            ids: None,
            counter: None,
        };
        let machine = Machine::detect(false, confinement);
        let games: Vec<GameId> = fixtures.iter().map(|one| one.id).collect();
        let run = PlayedRun {
            folder,
            manifest: &Manifest::new("a test", competition, &keys, &entrants, machine),
            ids: &games,
            games: journal.games(),
            keys: &keys,
        };
        then(&run, &fixtures)
    }

    fn check_explained(&self, run: &PlayedRun<'_>) {
        for (entrant, words) in &self.explain {
            let reported = explain(run, entrant, COMMANDS).expect("valid").join("\n");
            for word in words {
                assert!(reported.contains(word), "{word:?} is not in {reported}");
            }
        }
    }

    fn check_announced(&self, run: &PlayedRun<'_>, table: &StandingsTable) {
        let Some(expected) = &self.announced else {
            return;
        };
        let competition = &run.manifest.competition;
        let public = |name: &str| name.to_uppercase();
        let announced = Announcement::new(competition, table, &public);
        let all = [announced.list, announced.lines].concat();
        assert_eq!(all, *expected);
        let is_due = Announcement::is_due(competition, table);
        assert_eq!(is_due, !expected.is_empty());
    }

    /// Scores the games. Returns a reader of files there, with games' numbers for their fixtures' ids.
    fn play(&self, folder: &Path) -> impl Fn(&str) -> String {
        let fixtures = self.scored(folder, |run, fixtures| {
            self.check_explained(run);
            let written = write_tables(run, run.folder).expect("writable");
            self.check_announced(run, &written.table);
            fixtures.to_vec()
        });
        let folder = folder.to_owned();
        move |name| {
            let text = fs::read_to_string(folder.join(name)).expect("written");
            numbered(&text, &fixtures)
        }
    }
}

fn entrant(line: &str) -> Entrant {
    let (name, tokens) = line.split_once(' ').unwrap_or((line, ""));
    let artifact = serde_json::json!({
        "hash": format!("hash of {name}"), "tokens": tokens.parse::<u64>().ok(), "directory": "",
        "program": "", "args": [], "forks": false, "toolchains": [], "versions": [],
        "without_paths": false,
    });
    let artifact: Artifact = serde_json::from_value(artifact).expect("an artifact");
    Entrant::new(name.to_owned(), "executable", Ok(artifact))
}

fn contestant(entrant: &Entrant) -> Participant {
    let Ok(artifact) = &entrant.program else {
        unreachable!("made so above");
    };
    Participant {
        entrant: entrant.name.as_str().into(),
        artifact: artifact.hash.as_str().into(),
    }
}

fn numbered(text: &str, fixtures: &[Fixture]) -> String {
    let ids = fixtures.iter().zip(1..);
    ids.fold(text.to_owned(), |text, (fixture, number)| {
        text.replace(&*fixture.id.text(), &format!("#{number}"))
    })
}

/// Returns those columns of a table that the header of another one names, as CSV.
fn columns_of(expected: &str, table: &str) -> String {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let there = reader.headers().expect("a header").clone();
    let named = expected.lines().next().unwrap_or_default().split(',');
    let places = named.map(|name| there.iter().position(|column| column == name));
    let places: Option<Vec<usize>> = places.collect();
    let places = places.expect("each named column is there");
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = reader.records().map(|row| row.expect("a row"));
    for row in [there.clone()].into_iter().chain(rows) {
        let cells = places.iter().map(|&place| &row[place]);
        writer.write_record(cells).expect("in memory");
    }
    let written = String::from_utf8(writer.into_inner().expect("in memory")).expect("UTF-8");
    written.trim().to_owned()
}

#[test]
fn every_table_is_what_was_computed_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scoring");
    let mut count = 0;
    for file in fs::read_dir(folder).expect("it is there") {
        let path = file.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        let case = toml::from_str(&text);
        let case: Case = case.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let scene = tempfile::tempdir().expect("a temporary folder");
        let read = case.play(scene.path());
        let files = case.files.iter().map(|(name, content)| (&**name, content));
        for (name, content) in files.chain([("standings.csv", &case.standings)]) {
            let named = columns_of(content.trim(), &read(name));
            assert_eq!(named, content.trim(), "{}: {name}", path.display());
        }
        count += 1;
    }
    assert!(count >= 10, "{count} files");
}
