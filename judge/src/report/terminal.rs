//! What a run shows while it goes on and when it ends.

use crate::competition::Competition;
use crate::record::MatchResult;
use crate::scoring::{Row, Standings, Table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// Writes a line on standard error; that nobody reads it stops nothing.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// How many leaders the progress line names.
const LEADERS: usize = 3;
/// How often a plain line tells the progress where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a run: a bar on a terminal, now and then a plain line elsewhere.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    standings: Standings,
    total: usize,
    played: usize,
    since_resume: usize,
    began: Instant,
    told: Instant,
}

impl Progress {
    /// Begins with what has been played before.
    pub fn new(standings: Standings, played: usize, total: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| bar(played, total));
        Self {
            bar,
            standings,
            total,
            played,
            since_resume: 0,
            began: Instant::now(),
            told: Instant::now(),
        }
    }

    /// Counts a finished game.
    pub fn finished(&mut self, result: &MatchResult) {
        self.standings.add(result);
        self.played += 1;
        self.since_resume += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Says something besides the progress.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(line)),
            None => tell(line),
        }
    }

    /// Shows where the run stands.
    pub fn tick(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_message(leaders(&self.standings));
            bar.tick();
        } else if self.told.elapsed() >= PLAIN_INTERVAL {
            self.told = Instant::now();
            let (played, total) = (self.played, self.total);
            let eta = self
                .eta()
                .map(|eta| format!(", about {eta} to go"))
                .unwrap_or_default();
            tell(&format!(
                "{played} of {total} games{eta}; {}",
                leaders(&self.standings)
            ));
        }
    }

    fn eta(&self) -> Option<String> {
        let played = u32::try_from(self.since_resume).ok().filter(|&n| n > 0)?;
        let left = u32::try_from(self.total - self.played).ok()?;
        let eta = self.began.elapsed() / played * left;
        Some(format!("{} s", eta.as_secs().max(1)))
    }

    /// Takes the bar away.
    pub fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(played: usize, total: usize) -> ProgressBar {
    let template = "{bar:24} {pos}/{len} games  {elapsed} gone, {eta} to go\n{msg}";
    let style = ProgressStyle::with_template(template).expect("a valid template");
    let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
    bar.set_style(style);
    bar.set_position(played as u64);
    bar.reset_eta();
    bar
}

fn leaders(standings: &Standings) -> String {
    let ranked = standings.ranked();
    let first = ranked
        .iter()
        .filter(|row| row.total.games > 0)
        .take(LEADERS);
    let names = first.map(|row| format!("{}. {} {:.1}", row.rank, row.entrant, row.total.points));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        "no game finished yet".to_owned()
    } else {
        names.join("   ")
    }
}

/// The longest name that the table shows whole.
const NAME_CHARS_MAX: usize = 24;

/// Draws the standings as a table, with notes below it; within 80 columns for names of
/// ordinary length.
pub fn final_table(competition: &Competition, roles: &[&str], table: &Table) -> String {
    let mut columns = vec![column("rank", table, |row| row.standing.rank.to_string())];
    if table.silent.is_none() {
        columns.push(column("95 %", table, |row| {
            let sure = row.uncertainty.as_ref();
            sure.map(|u| interval(u.rank_best, u.rank_worst))
                .unwrap_or_default()
        }));
    }
    let mut entrant = column("entrant", table, |row| shorten(&row.standing.entrant));
    entrant.left = true;
    columns.push(entrant);
    // Roles that are only numbered say little, and more than two would not fit; standings.csv
    // has them all.
    let told = roles.len() == 2
        && roles
            .iter()
            .all(|role| role.chars().all(char::is_alphabetic));
    for (seat, role) in roles.iter().enumerate().filter(|_| told) {
        columns.push(column(role, table, |row| {
            format!("{:.1}", row.standing.by_role[seat].points)
        }));
    }
    columns.push(column("total", table, |row| {
        format!("{:.1}", row.standing.total.points)
    }));
    columns.push(column("wins", table, |row| {
        row.standing.total.wins.to_string()
    }));
    columns.push(column("faults", table, |row| {
        row.standing.total.faults.to_string()
    }));
    columns.push(column("CPU s", table, |row| {
        let cpu = Duration::from_micros(row.standing.total.cpu_us);
        format!("{:.2}", cpu.as_secs_f64())
    }));
    if !competition.scoring.prizes.is_empty() {
        columns.push(column("prize", table, |row| {
            row.standing
                .prize
                .map_or_else(String::new, |prize| prize.to_string())
        }));
    }
    if competition.scoring.grades.is_some() {
        columns.push(column("grade", table, |row| {
            row.standing.grade.clone().unwrap_or_default()
        }));
    }
    let mut text = draw(&columns);
    for note in notes(table) {
        text.push('\n');
        text.push_str(&note);
    }
    text
}

/// A column of text, its heading first.
struct Column {
    cells: Vec<String>,
    /// Whether it is aligned to the left.
    left: bool,
}

fn column(heading: &str, table: &Table, cell: impl Fn(&Row) -> String) -> Column {
    let cells = table.rows.iter().map(cell);
    Column {
        cells: [heading.to_owned()].into_iter().chain(cells).collect(),
        left: false,
    }
}

fn draw(columns: &[Column]) -> String {
    let widths = columns.iter().map(|column| {
        let widths = column.cells.iter().map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    });
    let widths: Vec<usize> = widths.collect();
    let lines = (0..columns[0].cells.len()).map(|line| {
        let cells = columns.iter().zip(&widths).map(|(column, &width)| {
            let cell = &column.cells[line];
            if column.left {
                format!("{cell:width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = cells.collect::<Vec<String>>().join("  ");
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

fn interval(best: usize, worst: usize) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// What the table does not say: who is disqualified, and how sure the ranks are.
fn notes(table: &Table) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &table.rows {
        if let Some(reason) = &row.standing.disqualified {
            notes.push(format!("{}: disqualified: {reason}", row.standing.entrant));
        }
    }
    for (entrant, reason) in &table.removed {
        notes.push(format!("{entrant}: disqualified and left out: {reason}"));
    }
    notes.push(match &table.silent {
        None => {
            "95 %: where the rank lies in 95 of 100 tournaments on states drawn anew".to_owned()
        }
        Some(reason) => format!("no intervals for the ranks: {reason}"),
    });
    notes
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head: String = name.chars().take(NAME_CHARS_MAX - 1).collect();
    format!("{head}…")
}
