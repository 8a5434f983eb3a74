//! What a run shows while it goes on and when it ends.

use crate::record::MatchRecord;
use crate::scoring::{Standing, Standings};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write as _;
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
    pub fn finished(&mut self, record: &MatchRecord) {
        self.standings.add(record);
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

/// Draws the standings as a table; within 80 columns for two roles and names of ordinary length.
pub fn final_table(roles: &[&str], ranked: &[Standing]) -> String {
    let shown: Vec<String> = ranked.iter().map(|row| shorten(&row.entrant)).collect();
    let width = shown
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max("entrant".len());
    let role_width = |role: &str| role.len().max(9);
    let mut table = format!("{:>4}  {:width$}", "rank", "entrant");
    // More than two columns would not fit; standings.csv has them all.
    let roles = if roles.len() <= 2 { roles } else { &[] };
    for role in roles {
        write!(table, "  {role:>0$}", role_width(role)).expect("writing to memory");
    }
    table.push_str("      total   wins  faults      CPU s\n");
    for (row, name) in ranked.iter().zip(&shown) {
        write!(table, "{:>4}  {name:width$}", row.rank).expect("writing to memory");
        for (role, tally) in roles.iter().zip(&row.by_role) {
            write!(table, "  {:>1$.1}", tally.points, role_width(role)).expect("writing to memory");
        }
        let cpu = Duration::from_micros(row.total.cpu_us).as_secs_f64();
        let total = row.total;
        writeln!(
            table,
            "  {:>9.1}  {:>5}  {:>6}  {cpu:>9.2}",
            total.points, total.wins, total.faults
        )
        .expect("writing to memory");
    }
    table
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS_MAX {
        return name.to_owned();
    }
    let head: String = name.chars().take(NAME_CHARS_MAX - 1).collect();
    format!("{head}…")
}
