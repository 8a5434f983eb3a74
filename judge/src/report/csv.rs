//! The CSV files of a run.

use crate::competition::{Competition, Disqualify, Tie};
use crate::error::JudgeError;
use crate::files::write_whole;
use crate::fixture::Fixture;
use crate::intake::{Entrant, Readiness};
use crate::journal::Journal;
use crate::record::MatchRecord;
use crate::schedule;
use crate::scoring::{Conduct, Gathering, Points, Ranked, Row, Table, Tally, tally};
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

/// Writes `games.csv`, the file of pairs, `standings.csv` and `submissions.csv`; gives their
/// paths and the standings.
///
/// # Errors
/// When the journal cannot be read or a file cannot be written.
pub fn write_csvs(run: &RunFiles<'_>) -> Result<(Vec<PathBuf>, Table), JudgeError> {
    let roles = schedule::roles(run.competition)?;
    let ranked = ranked(run.competition, run.entrants);
    let conduct = conduct(run)?;
    let mut gathering = Gathering::new(run.competition, &ranked, roles.len(), &conduct);
    let mut pairs = Pairs::new(&playing(run.entrants));
    let mut games = Sheet::new(&games_header(roles));
    for fixture in run.fixtures {
        let Some(record) = run.journal.read(&fixture.id)? else {
            continue;
        };
        games.row(&game_row(run.competition, roles, &record));
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
    save("submissions.csv", submissions_sheet(run.entrants))?;
    Ok((paths, table))
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
    let names = playing(entrants).into_iter();
    names
        .filter(|name| !opponents.contains(name))
        .map(Ranked::of)
        .collect()
}

fn playing(entrants: &[Entrant]) -> Vec<String> {
    let ready = |e: &&Entrant| matches!(e.readiness, Readiness::Ready(_));
    entrants
        .iter()
        .filter(ready)
        .map(|e| e.name.clone())
        .collect()
}

/// The names of a competition's seats.
type Roles = &'static [&'static str];

/// Rows on their way to a file.
struct Sheet(::csv::Writer<Vec<u8>>);

impl Sheet {
    fn new(header: &[String]) -> Self {
        let mut sheet = Self(::csv::Writer::from_writer(Vec::new()));
        sheet.row(header);
        sheet
    }

    fn row(&mut self, cells: &[String]) {
        self.0
            .write_record(cells)
            .expect("rows in memory, all of one length");
    }

    fn finish(self) -> Vec<u8> {
        self.0.into_inner().expect("rows in memory")
    }
}

/// Makes a text that came from outside safe to be opened in a spreadsheet, which would take
/// a leading `=`, `+`, `-` or `@` for a formula.
fn text(cell: &str) -> String {
    match cell.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{cell}"),
        _ => cell.to_owned(),
    }
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Makes a role's name fit for the name of a column.
fn column(role: &str) -> String {
    role.replace([' ', '-'], "_")
}

fn per_role(roles: Roles, what: &str) -> impl Iterator<Item = String> {
    roles.iter().map(move |role| match what {
        "" => column(role),
        _ => format!("{}_{what}", column(role)),
    })
}

fn games_header(roles: Roles) -> Vec<String> {
    let mut header = strings(&["fixture", "state"]);
    header.extend(per_role(roles, ""));
    header.extend(strings(&[
        "winner",
        "won_as",
        "end",
        "charged",
        "charged_as",
        "detail",
        "plies",
    ]));
    for what in ["cpu_us", "wall_us", "points"] {
        header.extend(per_role(roles, what));
    }
    header
}

fn game_row(competition: &Competition, roles: Roles, record: &MatchRecord) -> Vec<String> {
    let seats = 0..record.seats.len();
    let mut row = vec![record.fixture.clone(), record.state.to_string()];
    row.extend(record.seats.iter().map(|seat| text(&seat.entrant)));
    row.extend(winners(record, roles));
    row.push(record.end.name().to_owned());
    row.extend(charged(record, roles));
    row.push(
        record
            .turns
            .iter()
            .filter(|turn| turn.1.is_some())
            .count()
            .to_string(),
    );
    row.extend(record.seats.iter().map(|seat| seat.cpu_us.to_string()));
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

fn standings_sheet(competition: &Competition, roles: Roles, table: &Table) -> Sheet {
    let columns = Columns::of(competition);
    let mut header = strings(&["rank", "entrant"]);
    header.extend(per_role(roles, "points"));
    header.extend(strings(&[
        "total", "games", "wins", "draws", "losses", "cpu_us", "faults",
    ]));
    header.extend(columns.header());
    let mut sheet = Sheet::new(&header);
    for row in &table.rows {
        let standing = &row.standing;
        let total = &standing.total;
        let mut cells = vec![standing.rank.to_string(), text(&standing.entrant)];
        let by_role = standing
            .by_role
            .iter()
            .map(|tally| tally.points.to_string());
        cells.extend(by_role);
        cells.push(total.points.to_string());
        let counts = [total.games, total.wins, total.draws, total.losses];
        cells.extend(counts.map(|n| n.to_string()));
        cells.extend([total.cpu_us, total.faults].map(|n| n.to_string()));
        cells.extend(columns.cells(row));
        sheet.row(&cells);
    }
    for (entrant, reason) in &table.removed {
        let mut cells = vec![String::new(); header.len()];
        cells[1] = text(entrant);
        if let Some(at) = header.iter().position(|name| name == "disqualified") {
            cells[at] = text(reason);
        }
        sheet.row(&cells);
    }
    sheet
}

/// A column's name, and what it holds in a row.
type Extra = (&'static str, fn(&Row) -> String);

/// The columns of the standings that only some competitions have.
struct Columns<'a>(&'a Competition);

impl<'a> Columns<'a> {
    fn of(competition: &'a Competition) -> Self {
        Self(competition)
    }

    /// Gives the names of the columns with what they hold in a row.
    fn list(&self) -> Vec<Extra> {
        let scoring = &self.0.scoring;
        let mut list: Vec<Extra> = vec![
            ("rank_best", |row| {
                or_empty(row.uncertainty.as_ref().map(|u| u.rank_best))
            }),
            ("rank_worst", |row| {
                or_empty(row.uncertainty.as_ref().map(|u| u.rank_worst))
            }),
            ("first_probability", |row| {
                let first = row.uncertainty.as_ref().and_then(|u| u.placing.first());
                or_empty(first.map(|share| format!("{share:.3}")))
            }),
            ("ahead_per_game", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.mean)))
            }),
            ("ahead_low", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.low)))
            }),
            ("ahead_high", |row| {
                or_empty(row.ahead.map(|d| format!("{:.6}", d.high)))
            }),
        ];
        if !scoring.ties.is_empty() || !scoring.podium.is_empty() {
            list.push(("tie_broken_by", |row| {
                or_empty(row.standing.decided_by.map(Tie::name))
            }));
        }
        if !scoring.podium.is_empty() {
            list.push(("place", |row| row.standing.place.to_string()));
        }
        if !scoring.prizes.is_empty() {
            list.push(("prize", |row| or_empty(row.standing.prize)));
        }
        if scoring.grades.is_some() {
            list.push(("grade", |row| {
                or_empty(row.standing.grade.as_deref().map(text))
            }));
        }
        if scoring.disqualify != Disqualify::Never {
            list.push(("disqualified", |row| {
                or_empty(row.standing.disqualified.as_deref().map(text))
            }));
        }
        list
    }

    fn header(&self) -> Vec<String> {
        self.list()
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect()
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        self.list().iter().map(|(_, cell)| cell(row)).collect()
    }
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The file of pairs is named after the roles: `cats_vs_catchers.csv`.
fn pairs_name(roles: Roles) -> String {
    let nouns = roles
        .iter()
        .all(|role| role.chars().all(char::is_alphabetic));
    match roles {
        [first, second] if nouns => format!("{first}s_vs_{second}s.csv"),
        _ => "pairs.csv".to_owned(),
    }
}

/// What each pair of entrants did in the first two seats.
struct Pairs {
    names: Vec<String>,
    /// By first entrant, then by second; the tallies of both seats.
    tallies: Vec<Vec<[Tally; 2]>>,
}

impl Pairs {
    /// Begins with nothing; `names` are sorted.
    fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            tallies: vec![vec![Default::default(); names.len()]; names.len()],
        }
    }

    fn add(&mut self, competition: &Competition, record: &MatchRecord) {
        let index = |seat: usize| self.names.binary_search(&record.seats[seat].entrant);
        let (Ok(first), Ok(second)) = (index(0), index(1)) else {
            return;
        };
        for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
            sum.add(&tally(&competition.scoring, record, seat));
        }
    }

    fn sheet(&self, roles: Roles) -> Sheet {
        let roles = [column(roles[0]), column(roles[1])];
        let mut header = roles.to_vec();
        header.push("games".to_owned());
        for what in ["wins", "points", "cpu_us", "faults"] {
            header.extend(roles.iter().map(|role| format!("{role}_{what}")));
        }
        let mut sheet = Sheet::new(&header);
        for (first, row) in self.names.iter().zip(&self.tallies) {
            for (second, [a, b]) in self.names.iter().zip(row) {
                if a.games > 0 {
                    sheet.row(&pair_row(first, second, a, b));
                }
            }
        }
        sheet
    }
}

fn pair_row(first: &str, second: &str, a: &Tally, b: &Tally) -> Vec<String> {
    let points = |p: Points| p.to_string();
    let mut cells = vec![text(first), text(second), a.games.to_string()];
    cells.extend([a.wins, b.wins].map(|n| n.to_string()));
    cells.extend([points(a.points), points(b.points)]);
    cells.extend([a.cpu_us, b.cpu_us, a.faults, b.faults].map(|n| n.to_string()));
    cells
}

fn submissions_sheet(entrants: &[Entrant]) -> Sheet {
    let mut sheet = Sheet::new(&strings(&[
        "entrant", "form", "plays", "artifact", "reason", "warnings",
    ]));
    for entrant in entrants {
        let (plays, artifact, reason) = match &entrant.readiness {
            Readiness::Ready(artifact) => ("yes", artifact.hash.as_str(), ""),
            Readiness::Broken { reason, .. } => ("no", "", reason.as_str()),
        };
        sheet.row(&[
            text(&entrant.name),
            entrant.form.to_owned(),
            plays.to_owned(),
            artifact.to_owned(),
            text(reason),
            text(&entrant.warnings.join("; ")),
        ]);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn cells_that_a_spreadsheet_would_calculate_are_defused() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(text(cell), format!("'{cell}"));
        }
        assert_eq!(text("alice"), "alice");
    }
}
