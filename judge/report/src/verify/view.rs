//! Inspection of a published view: checks everything that can be rebuilt from it.

use super::{
    DrawnStates, Expected, GAMES_MAX, Inspection, Records, check_manifest, files, players, refused,
};
use crate::html::GAMES_FOLDER;
use crate::moments::{MOMENTS, read_moments};
use crate::run_data::GameSource;
use crate::views::{
    self, Extent, LATEST_NAME, Latest, MARK_NAME, PublishedGames, SUMS_NAME, rewrite_own_tables,
    rewrite_public_view, wrong_sums,
};
use crate::words::joined;
use model::competition::Schedule;
use model::draw::{Draw, Secret};
use model::fixture::Fixture;
use model::numbers::counted;
use model::record::MatchRecord;
use referee::verify::WordsKnown;
use rulebook::{JudgeError, Result, schedule};
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;
use store::Moment;
use store::manifest::{DrawSource, Manifest};
use system::foreign::ForeignFolder;
use system::run_folder::{JOURNAL, MANIFEST};

/// Checks a public view.
pub fn public(
    folder: &ForeignFolder,
    shown: &str,
    stop: &AtomicBool,
    inspection: &mut Inspection,
) -> Result {
    let Some(view) = View::open(folder, shown, inspection)? else {
        return Ok(());
    };
    if !view.inspect_games(WordsKnown::Nobodys, inspection)? {
        return Ok(());
    }
    let fresh = files::temporary_folder()?;
    let made = fresh.path().join("view");
    let extent = Extent {
        full: files::is_there(folder, GAMES_FOLDER),
        live: view.latest.as_ref().and_then(Latest::made),
        stop,
    };
    let (manifest, games, moments) = (&view.manifest, &view.games, &view.moments);
    match rewrite_public_view(manifest, games, moments, extent, &made) {
        Ok(_) => {
            let made = files::open_made(&made)?;
            let found = (folder, &*manifest.judge);
            files::compare(found, &made, &views::names(&made)?, inspection)
        }
        Err(error) => files::failed(error, inspection),
    }
}

/// Checks the folder of the student with this public name.
pub fn student(
    folder: &ForeignFolder,
    (shown, name): (&str, &str),
    inspection: &mut Inspection,
) -> Result {
    let Some(mut view) = View::open(folder, shown, inspection)? else {
        return Ok(());
    };
    match own_numbers(folder, view.games.count())? {
        Ok(numbers) => view.games.numbers = Some(numbers),
        Err(reason) => inspection.differs(format!("games.csv: {reason}")),
    }
    if !view.inspect_games(WordsKnown::Of(name), inspection)? {
        return Ok(());
    }
    let fresh = files::temporary_folder()?;
    if let Err(error) = rewrite_own_tables(&view.manifest, &view.games, name, fresh.path()) {
        files::failed(error, inspection)?;
    }
    let made = files::open_made(fresh.path())?;
    let names = views::names(&made)?;
    files::compare((folder, &*view.manifest.judge), &made, &names, inspection)?;
    let known = [MANIFEST, JOURNAL, MARK_NAME, SUMS_NAME];
    let is_unchecked = |name: &&String| !known.contains(&name.as_str()) && !names.contains(name);
    inspection.note(format!(
        "checked only against {SUMS_NAME}, because they need other people's games: {}",
        joined(view.files.iter().filter(is_unchecked), ", ")
    ));
    Ok(())
}

struct View {
    manifest: Manifest,
    games: PublishedGames,
    draw: Option<Draw>,
    seats: usize,
    moments: Vec<Moment>,
    latest: Option<Latest>,
    files: BTreeSet<String>,
}

impl View {
    fn open(
        folder: &ForeignFolder,
        shown: &str,
        inspection: &mut Inspection,
    ) -> Result<Option<Self>> {
        for name in [MANIFEST, JOURNAL, SUMS_NAME] {
            if !files::is_there(folder, name) {
                return Err(refused(shown, &format!("it has no {name}")));
            }
            files::open(folder, name)?;
        }
        let mut sums = views::sums(folder)?;
        // Hidden files are staff's own, for their web server.
        sums.retain(|name, _| !name.starts_with('.'));
        // This file changes without a new view.
        let latest = match sums.remove(LATEST_NAME) {
            Some(Ok(_)) => Latest::read(files::text(folder, LATEST_NAME)?.as_bytes()),
            other => {
                sums.extend(other.map(|sum| (LATEST_NAME.to_owned(), sum)));
                None
            }
        };
        if let Some(Err(reason)) = sums.get(JOURNAL) {
            let reason = format!(
                "{JOURNAL}: {reason}; get the folder again from the people who published it"
            );
            return Err(refused(shown, &reason));
        }
        let wrong = wrong_sums(&files::text(folder, SUMS_NAME)?, &sums);
        inspection.row("files", sums.len(), "file", wrong.len());
        for difference in wrong {
            inspection.differs(difference);
        }
        let text = files::text(folder, MANIFEST)?;
        let manifest = Manifest::of_text(text.as_bytes(), &folder.path().join(MANIFEST))?;
        if let Err(error) = rulebook::rules::of(&manifest.competition.conditions) {
            // Nothing that strangers may have written is executed, a game neither.
            inspection.unchecked(format!(
                "the games were not checked against their rules: {error}"
            ));
            return Ok(None);
        }
        let seats = check_manifest(&manifest)?;
        let draw = inspect_manifest(&text, &manifest, inspection);
        let moments = match sums.get(MOMENTS) {
            Some(_) => read_moments(&files::text(folder, MOMENTS)?)?,
            None => Vec::new(),
        };
        let journal = files::open(folder, JOURNAL)?;
        Ok(Some(Self {
            games: PublishedGames::read_from(
                journal,
                folder.path().join(JOURNAL),
                &manifest,
                GAMES_MAX,
            )?,
            moments,
            latest,
            manifest,
            draw,
            seats,
            files: sums.into_keys().collect(),
        }))
    }

    /// Checks every game. Returns whether tables can be made of the games.
    fn inspect_games(&self, words: WordsKnown<'_>, inspection: &mut Inspection) -> Result<bool> {
        let competition = &self.manifest.competition;
        let named = &self.manifest.draw.states;
        let drawn = match &self.draw {
            Some(draw) => DrawnStates::of(competition, self.seats, draw)?,
            None => DrawnStates::named(competition, self.seats, named),
        };
        if !drawn.digests().eq(named.iter().map(String::as_str)) {
            inspection.differs(format!(
                "{MANIFEST}, draw.states: they are not drawn from the secret or the seed"
            ));
        }
        let mut expected = Expected::new(&competition.conditions, words, drawn)?;
        let mut records = Records::default();
        let players = players(&self.manifest);
        let known: HashSet<(&str, &str)> = players
            .iter()
            .map(|one| (&*one.entrant, &*one.artifact))
            .collect();
        let scheduled = self.scheduled()?;
        let mut ids = HashSet::new();
        let mut differ = 0;
        for line in 1..=self.games.count() {
            let record = match self.games.read(line) {
                Ok(record) => record,
                Err(JudgeError::Input(reason)) => {
                    differ += 1;
                    inspection.differs(reason);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let place = format!("line {line}, game {}", self.games.number(line - 1));
            let wrong = record
                .seats
                .iter()
                .find(|seat| !known.contains(&(seat.entrant.as_str(), seat.artifact.as_str())));
            let is_own = match words {
                WordsKnown::Of(name) => record.seats.iter().any(|seat| seat.entrant == name),
                WordsKnown::All | WordsKnown::Nobodys => true,
            };
            let reason = if let Some(seat) = wrong {
                format!("{} plays with another program, by {MANIFEST}", seat.entrant)
            } else if !is_own {
                "it is not a game of this student".to_owned()
            } else if !scheduled.has(&record) {
                "the schedule does not contain it".to_owned()
            } else if !ids.insert(record.fixture) {
                "it appears twice".to_owned()
            } else {
                expected.drawn.learn(&record);
                records.add(&place, &expected.check(&record, true)?, inspection);
                continue;
            };
            differ += 1;
            inspection.differs(format!("{place}: {reason}"));
        }
        inspection.row("journal", self.games.count(), "line", differ);
        let missing = scheduled.games.saturating_sub(ids.len());
        let is_public = matches!(words, WordsKnown::Nobodys);
        if is_public && missing > 0 {
            inspection.note(format!(
                "{missing} of {} in the schedule are missing: they had not been played, or were left out",
                counted(scheduled.games, "game")
            ));
        }
        let is_sound = records.summarize(inspection) && differ == 0;
        self.note_limits(inspection);
        if !is_sound {
            let files = if is_public {
                "tables and pages"
            } else {
                "tables"
            };
            inspection.note(format!("{files} are not made again from such games"));
        }
        Ok(is_sound)
    }

    fn scheduled(&self) -> Result<Scheduled> {
        let competition = &self.manifest.competition;
        // The pairings do not depend on the draw, except for groups.
        let draw = Draw::public(0, &competition.round);
        let filler = self.manifest.filler.as_ref();
        let fixtures = schedule::fixtures(competition, &draw, &self.manifest.playing(), filler)?;
        let names = |fixture: &Fixture| {
            (
                fixture.state,
                fixture
                    .seats
                    .iter()
                    .map(|one| one.entrant.to_string())
                    .collect(),
            )
        };
        let is_known = competition.schedule != Schedule::Groups;
        Ok(Scheduled {
            games: fixtures.len(),
            seats: self.seats,
            seatings: is_known.then(|| fixtures.iter().map(names).collect()),
        })
    }

    fn note_limits(&self, inspection: &mut Inspection) {
        inspection.note(self.manifest.draw.words());
        if self.draw.is_none() {
            let why = match self.manifest.draw.source {
                DrawSource::Secret { revealed: None, .. }
                    if self.manifest.competition.seed.is_none() =>
                {
                    "the secret is not revealed yet"
                }
                _ => "run.json contradicts itself about the draw",
            };
            inspection.note(format!(
                "{why}: judge checked that games of one state share one setup and one draw, but not that these come \
                 from the secret or the seed"
            ));
        }
        if self.manifest.competition.schedule == Schedule::Groups {
            inspection.note("only staff can check who was dealt into which group");
        }
        inspection.note(
            "only staff can check the measurements (CPU and wall times) and who is behind each name, with judge \
             verify on the run folder",
        );
    }
}

struct Scheduled {
    games: usize,
    seats: usize,
    /// The entrants by seat, for each state; `None` if only staff know them.
    seatings: Option<HashSet<(u32, Vec<String>)>>,
}

impl Scheduled {
    fn has(&self, record: &MatchRecord) -> bool {
        let names = || record.seats.iter().map(|seat| seat.entrant.clone());
        record.seats.len() == self.seats
            && self
                .seatings
                .as_ref()
                .is_none_or(|all| all.contains(&(record.state, names().collect())))
    }
}

fn inspect_manifest(text: &str, manifest: &Manifest, inspection: &mut Inspection) -> Option<Draw> {
    let competition = &manifest.competition;
    let rules = rulebook::rules::of(&competition.conditions).ok();
    let mut wrong = Vec::new();
    if text.as_bytes() != manifest.text() {
        wrong.push("it is not formatted as judge writes it");
    }
    if rules.is_some_and(|rules| rules.info().rules_version != manifest.rules) {
        wrong.push("rules: this judge has another version of the rules");
    }
    if manifest.draw.states.len() as u64 != u64::from(competition.states_drawn()) {
        wrong.push("draw.states: its length differs from states");
    }
    // The secret that deals entrants into groups is never revealed.
    let draw = match (&manifest.draw.source, competition.seed) {
        (DrawSource::Seed(seed), Some(own)) if *seed == own => {
            Some(Draw::public(own, &competition.round))
        }
        (
            DrawSource::Secret {
                commitment,
                revealed,
                ..
            },
            None,
        ) => match revealed {
            Some(secret) if secret.commitment() == *commitment => {
                let numbers = Secret::new([0; 32]);
                Some(Draw::new(secret.clone(), &competition.round, numbers))
            }
            Some(_) => {
                wrong.push("draw.source: the secret is not the one that was committed to");
                None
            }
            None => None,
        },
        (DrawSource::Seed(_) | DrawSource::Secret { .. }, _) => {
            wrong.push("draw.source: it does not fit the competition's seed");
            None
        }
    };
    if let Some(draw) = &draw
        && draw.resample_seed() != manifest.draw.resamples
    {
        wrong.push("draw.resamples: it is not drawn from the secret or the seed");
    }
    inspection.row("run.json", 5, "fact", wrong.len());
    for reason in wrong {
        inspection.differs(format!("{MANIFEST}: {reason}"));
    }
    draw
}

fn own_numbers(folder: &ForeignFolder, games: usize) -> Result<Result<Vec<usize>, String>> {
    let mut numbers: Vec<usize> = Vec::new();
    if files::is_there(folder, "games.csv") {
        let table = files::bytes(folder, "games.csv")?;
        let mut reader = csv::Reader::from_reader(table.as_slice());
        for (row, line) in reader.records().zip(2..) {
            let number = row.ok().and_then(|row| row.get(0)?.parse().ok());
            let is_next = |one: &usize| numbers.last().is_none_or(|last| last < one);
            let Some(number) = number.filter(is_next) else {
                return Ok(Err(format!("line {line}, game: it is not the next number")));
            };
            numbers.push(number);
        }
    }
    let other = || format!("it has another number of games than {JOURNAL}");
    let is_whole = numbers.len() == games;
    Ok(is_whole.then_some(numbers).ok_or_else(other))
}
