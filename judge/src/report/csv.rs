//! The CSV files of a run.

use super::blame::{FirstFault, FirstFaults};
use super::faults;
use super::pairs::{Pairs, pairs_name};
use super::sheet::{Roles, Sheet, per_role, strings, text, yes_or_empty};
use super::standings::standings_sheet;
use crate::artifact::Artifact;
use crate::competition::{Competition, Disqualify};
use crate::error::JudgeError;
use crate::files::write_whole;
use crate::fixture::Fixture;
use crate::intake::{Entrant, Readiness, Receipt};
use crate::journal::Journal;
use crate::record::MatchRecord;
use crate::schedule;
use crate::scoring::{Conduct, Gathering, Ranked, Table, tally};
use engines::GameResult;
use std::path::{Path, PathBuf};

/// What the files of a run are made from.
#[derive(Debug)]
pub struct RunFiles<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// The competition.
    pub competition: &'a Competition,
    /// Everybody who handed something in.
    pub entrants: &'a [Entrant],
    /// Every game of the competition, in order.
    pub fixtures: &'a [Fixture],
    /// The games that have been played.
    pub journal: &'a Journal,
}

/// The files of a run, and what a summary of it needs.
#[derive(Debug)]
pub struct Written {
    /// Where the files are.
    pub paths: Vec<PathBuf>,
    /// Who stands where.
    pub table: Table,
    /// The first fault of each bot that made one, in fixture order.
    pub first_faults: Vec<FirstFault>,
}

/// Writes `games.csv`, `faults.csv`, the file of pairs, `standings.csv` and
/// `submissions.csv`.
///
/// # Errors
/// When the journal cannot be read or a file cannot be written.
pub fn write_csvs(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    let roles = schedule::roles(run.competition)?;
    let ranked = ranked(run.competition, run.entrants);
    let conduct = conduct(run)?;
    let mut gathering = Gathering::new(run.competition, &ranked, roles.len(), &conduct);
    let names: Vec<String> = playing(run.entrants)
        .map(|(name, _)| name.clone())
        .collect();
    let mut pairs = Pairs::new(&names);
    let mut games = Sheet::new(&games_header(roles));
    let mut faults = Sheet::new(&faults::header());
    let mut firsts = FirstFaults::default();
    let mut first_faults = Vec::new();
    for (fixture, game) in run.fixtures.iter().zip(1..) {
        let Some(record) = run.journal.read(&fixture.id)? else {
            continue;
        };
        games.row(&game_row(run.competition, roles, game, &record));
        for row in faults::rows(roles, game, &record) {
            faults.row(&row);
        }
        first_faults.extend(firsts.of(roles, game, &record));
        if gathering.add(&record) {
            pairs.add(run.competition, &record);
        }
    }
    let table = gathering.table();
    let mut paths = Vec::new();
    let mut save = |name: &str, sheet: Sheet| {
        let path = run.folder.join(name);
        write_whole(&path, &sheet.finish())?;
        paths.push(path);
        Ok::<(), JudgeError>(())
    };
    save(
        "standings.csv",
        standings_sheet(run.competition, roles, &table),
    )?;
    if roles.len() == 2 {
        save(&pairs_name(roles), pairs.sheet(roles))?;
    }
    save("games.csv", games)?;
    save("faults.csv", faults)?;
    save("submissions.csv", submissions_sheet(run.entrants))?;
    Ok(Written {
        paths,
        table,
        first_faults,
    })
}

/// Looks for what disqualifies, where that removes games from the table.
fn conduct(run: &RunFiles<'_>) -> Result<Conduct, JudgeError> {
    let mut conduct = Conduct::default();
    if run.competition.scoring.disqualify == Disqualify::Remove {
        for fixture in run.fixtures {
            if let Some(record) = run.journal.read(&fixture.id)? {
                conduct.add(&record);
            }
        }
    }
    Ok(conduct)
}

/// Gives who is ranked: everybody who can play, but for the opponents of a gauntlet.
pub fn ranked(competition: &Competition, entrants: &[Entrant]) -> Vec<Ranked> {
    let opponents = competition.schedule.opponents();
    playing(entrants)
        .filter(|(name, _)| !opponents.contains(name))
        .map(|(name, artifact)| Ranked {
            name: name.clone(),
            tokens: artifact.tokens,
        })
        .collect()
}

/// Lists who can play, and with what.
fn playing(entrants: &[Entrant]) -> impl Iterator<Item = (&String, &Artifact)> {
    entrants
        .iter()
        .filter_map(|entrant| match &entrant.readiness {
            Readiness::Ready(artifact) => Some((&entrant.name, artifact)),
            Readiness::Broken { .. } => None,
        })
}

pub(super) fn games_header(roles: Roles) -> Vec<String> {
    let mut header = strings(&["game", "fixture", "state"]);
    header.extend(per_role(roles, ""));
    header.extend(strings(&[
        "winner",
        "won_as",
        "end",
        "charged",
        "charged_as",
        "detail",
        "overloaded",
        "plies",
    ]));
    for what in ["cpu_us", "off_turn_us", "wall_us", "points"] {
        header.extend(per_role(roles, what));
    }
    header
}

/// Makes the row of a game; `game` is its number in fixture order, from 1, whether or not
/// the games before it have been played.
pub(super) fn game_row(
    competition: &Competition,
    roles: Roles,
    game: usize,
    record: &MatchRecord,
) -> Vec<String> {
    let seats = 0..record.seats.len();
    let mut row = vec![game.to_string(), record.fixture.clone()];
    row.push(record.state.to_string());
    row.extend(record.seats.iter().map(|seat| text(&seat.entrant)));
    row.extend(winners(record, roles));
    row.push(record.end.name().to_owned());
    row.extend(charged(record, roles));
    row.push(yes_or_empty(record.overloaded));
    row.push(
        record
            .turns
            .iter()
            .filter(|turn| turn.1.is_some())
            .count()
            .to_string(),
    );
    row.extend(record.seats.iter().map(|seat| seat.cpu_us.to_string()));
    row.extend(record.seats.iter().map(|seat| seat.off_turn_us.to_string()));
    row.extend(record.seats.iter().map(|seat| seat.wall_us.to_string()));
    row.extend(seats.map(|seat| tally(&competition.scoring, record, seat).points.to_string()));
    row
}

/// Names who won, and in which roles: joint winners with ` & ` between them, nobody after a
/// draw.
fn winners(record: &MatchRecord, roles: Roles) -> [String; 2] {
    let seats = record.seats.iter().zip(&record.outcome.seats).zip(roles);
    let won = seats.filter(|((_, outcome), _)| outcome.result == GameResult::Won);
    let (names, roles): (Vec<&str>, Vec<&str>) = won
        .map(|((seat, _), role)| (seat.entrant.as_str(), *role))
        .unzip();
    [text(&names.join(" & ")), roles.join(" & ")]
}

/// Names whose fault ended the game, in which role, and the fault in words.
fn charged(record: &MatchRecord, roles: Roles) -> [String; 3] {
    let Some(seat) = record.end.charged() else {
        return Default::default();
    };
    let detail = record
        .faults
        .last()
        .map(|fault| text(&fault.detail))
        .unwrap_or_default();
    [
        text(&record.seats[seat.index()].entrant),
        roles[seat.index()].to_owned(),
        detail,
    ]
}

fn submissions_sheet(entrants: &[Entrant]) -> Sheet {
    let mut sheet = Sheet::new(&strings(&[
        "entrant", "form", "plays", "artifact", "version", "received", "name", "nickname",
        "language", "tokens", "reason", "warnings",
    ]));
    for entrant in entrants {
        let Receipt {
            about,
            version,
            replaced,
            ..
        } = &entrant.receipt;
        let (plays, artifact, reason) = match &entrant.readiness {
            Readiness::Ready(artifact) => ("yes", Some(artifact), replaced.as_deref()),
            Readiness::Broken { reason, .. } => ("no", None, Some(reason.as_str())),
        };
        let tokens = artifact.map_or(about.tokens, |artifact| artifact.tokens);
        let own = |text: &Option<String>| text_of(text.as_deref());
        sheet.row(&[
            text(&entrant.name),
            entrant.form.to_owned(),
            plays.to_owned(),
            artifact.map(|a| a.hash.clone()).unwrap_or_default(),
            version
                .as_ref()
                .map(|v| v.number.to_string())
                .unwrap_or_default(),
            version
                .as_ref()
                .map(|v| v.received.clone())
                .unwrap_or_default(),
            own(&about.name),
            own(&about.nickname),
            own(&about.language),
            tokens.map(|n| n.to_string()).unwrap_or_default(),
            text_of(reason),
            text(&entrant.warnings.join("; ")),
        ]);
    }
    sheet
}

fn text_of(cell: Option<&str>) -> String {
    text(cell.unwrap_or_default())
}
