//! `judge plan`: estimates the cost of a tournament from a few trial games.

use super::exit::{Done, stop_on_interrupt};
use super::flags::{Entering, FLAGS_OF_RUN, hides_all_but};
use super::out::{self, Form, say_each, whole};
use super::run_output;
use super::run_sink::RunSink;
use clap::Args;
use engines::Lifetime;
use model::fixture::{Conditions, Fixture};
use model::numbers::{self, about, count, counted};
use model::startup::FIRST_GAMES;
use report::tables_bytes;
use rulebook::Result;
use run::commands::this_command_as;
use run::{RunKind, Scheduled, Trial};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The games that are tried out are neither scored nor kept. Where there is no run yet, only the
/// programs that were built are kept, for it.
#[derive(Args)]
#[command(mut_args(hides_all_but(&["places", "seconds", "format", "json"])), after_help = FLAGS_OF_RUN)]
pub(super) struct PlanArgs {
    /// The submissions, as judge run takes them
    #[arg(value_name = "PLACE")]
    places: Vec<PathBuf>,
    /// Longest time to play trial games, in seconds of wall time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole::<u64>(1..=3600))]
    seconds: u64,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    entering: Entering,
}

impl PlanArgs {
    pub(super) fn execute(self) -> Result<Done> {
        let spec = self
            .entering
            .spec_at(RunKind::TriedOut, &self.places, "plan")?;
        if self.form.is_json() {
            out::redirect_to_stderr();
        }
        let (stop, sink) = (stop_on_interrupt()?, RunSink::default());
        let built = spec.collect(&sink, &stop)?.build(&sink, &stop)?;
        let scheduled = built.schedule(&sink)?;
        run_output::machinery(&scheduled.machinery());
        let journal = &scheduled.journal;
        let missing: Vec<&Fixture> = scheduled
            .fixtures
            .iter()
            .filter(|f| !journal.contains(f.id))
            .collect();
        if missing.is_empty() {
            let games = scheduled.fixtures.len() as u64;
            say!("{}, all of them already played", counted(games, "game"));
            if self.form.is_json() {
                out::json(&EstimateJson::of(&scheduled, &missing, None));
            }
            return Ok(Done::Success);
        }
        let time_max = Duration::from_secs(self.seconds);
        let trial = scheduled.try_out(&missing, time_max, &stop)?;
        if stop.load(Ordering::Relaxed) && !trial.cut {
            return Ok(Done::Interrupted);
        }
        say!(
            "played {} in {}; they are neither scored nor kept{}\n",
            counted(trial.sample.games(), "trial game"),
            about(trial.elapsed.as_secs_f64()),
            if scheduled.keeps_only_programs() {
                "; the run will use the programs built here, but their build logs are not kept"
            } else {
                "; the builds stay in the run folder"
            }
        );
        let figures = EstimateJson::of(&scheduled, &missing, Some(&trial));
        if self.form.is_json() {
            out::json(&figures);
        } else {
            say(&scheduled, &trial, time_max, &figures);
        }
        Ok(Done::Success)
    }
}

/// The estimate, for programs. docs/scripts.md describes the fields.
#[derive(Serialize)]
struct EstimateJson<'a> {
    games: u64,
    played: u64,
    /// `None` if no trial game ended.
    process_starts: Option<f64>,
    /// CPU time until these processes are ready, in seconds; nobody is charged for it.
    starts_cpu_s: Option<f64>,
    wall_s: Option<f64>,
    /// Whether slow games were cut off, so that the time is a lower bound.
    is_lower_bound: bool,
    jobs: usize,
    journal_bytes: Option<f64>,
    run_memory_bytes: u64,
    tables_memory_bytes: u64,
    never_ready: Vec<&'a str>,
    slowest: Option<&'a str>,
    slowest_game_s: Option<f64>,
    command: String,
}

impl<'a> EstimateJson<'a> {
    /// Without a trial, all games have been played.
    fn of(scheduled: &Scheduled, missing: &[&Fixture], trial: Option<&'a Trial>) -> Self {
        let (games, left) = (scheduled.fixtures.len() as u64, missing.len() as u64);
        let lifetime = scheduled.competition().conditions.lifetime;
        let jobs = scheduled.spec.machine.jobs;
        let [starts, starts_cpu_us, wall_us, bytes] = match trial {
            None => [Some(0.0); 4],
            Some(trial) => trial
                .sample
                .whole(missing.iter().copied(), lifetime, jobs)
                .map_or([None; 4], |it| {
                    [it.starts, it.starts_cpu_us, it.wall_us, it.bytes].map(Some)
                }),
        };
        let (slowest, slowest_game_s) = trial.and_then(|trial| trial.sample.slowest()).unzip();
        Self {
            games,
            played: games - left,
            process_starts: starts.map(f64::round),
            starts_cpu_s: starts_cpu_us.map(|us| us / 1e6),
            wall_s: wall_us.map(|us| us / 1e6),
            is_lower_bound: trial.is_some_and(|trial| trial.cut),
            jobs,
            journal_bytes: bytes,
            run_memory_bytes: tables_bytes(games) + scheduled.games_bytes(),
            tables_memory_bytes: tables_bytes(games),
            never_ready: trial
                .into_iter()
                .flat_map(|trial| trial.sample.never_ready())
                .collect(),
            slowest,
            slowest_game_s,
            command: this_command_as("run", &["--seconds", "--format"]).replace(" --json", ""),
        }
    }
}

/// Prints the estimate. `time_max` limited the trial; it also stops the games in play.
fn say(scheduled: &Scheduled, trial: &Trial, time_max: Duration, estimate: &EstimateJson<'_>) {
    let conditions = &scheduled.competition().conditions;
    let left = estimate.games - estimate.played;
    let played = match estimate.played {
        0 => String::new(),
        played => format!(", {played} of them already played"),
    };
    say!("games           {}{played}", count(estimate.games));
    let (Some(wall_s), Some(starts), Some(bytes)) = (
        estimate.wall_s,
        estimate.process_starts,
        estimate.journal_bytes,
    ) else {
        say!(
            "no game ended within {}, so the time cannot be estimated{}",
            about(time_max.as_secs_f64()),
            by_the_clocks(scheduled, left)
        );
        return;
    };
    say_each("start-up        ", conditions.startup_words());
    let cost = cost_of_starts(conditions, trial, estimate).unwrap_or_default();
    let starts = numbers::thousands(&format!("{starts:.0}"));
    say!("process starts  about {starts}{cost}");
    let cut = estimate.is_lower_bound;
    let about_or_more = if cut { "at least" } else { "about" };
    say!(
        "time            {about_or_more} {} with {} at once (--jobs)",
        about(wall_s),
        counted(estimate.jobs, "game")
    );
    if cut {
        say!(
            "                the trial stopped with games in play, so slow games are missing from it{}",
            by_the_clocks(scheduled, left)
        );
    }
    let disk = if bytes < 1e5 {
        "less than 0.1".to_owned()
    } else {
        format!("about {:.1}", bytes / 1e6)
    };
    say!("disk            {disk} MB for the journal");
    let [run_mb, tables_mb] = [estimate.run_memory_bytes, estimate.tables_memory_bytes]
        .map(|bytes| count(bytes.div_ceil(1_000_000)));
    say!(
        "memory          about {run_mb} MB for judge run, {tables_mb} MB to make the tables of all games"
    );
    if !estimate.never_ready.is_empty() {
        let limit = Duration::from_millis(conditions.startup_ms);
        say!(
            "never ready     {}: their starts used up startup_s ({}), which counts for each of their first \
             {FIRST_GAMES} games; the others are not started",
            estimate.never_ready.join(", "),
            about(limit.as_secs_f64())
        );
    }
    if let (Some(slowest), Some(seconds)) = (estimate.slowest, estimate.slowest_game_s) {
        say!("slowest         {slowest}, about {} a game", about(seconds));
    }
    say_each("\n", scheduled.note_on_states());
    say!("\nto play: {}", estimate.command);
}

fn cost_of_starts(
    conditions: &Conditions,
    trial: &Trial,
    estimate: &EstimateJson<'_>,
) -> Option<String> {
    let is_each_turn = conditions.lifetime == Lifetime::Turn;
    let (name, start_us) = trial.sample.dearest_start().filter(|_| is_each_turn)?;
    let (all, each) = (about(estimate.starts_cpu_s?), about(start_us / 1e6));
    Some(format!(
        ", one a turn: {all} of CPU in all, and {each} for each turn of {name}"
    ))
}

/// Returns the upper bound of the clocks, if they limit a whole game; waiting may come on top.
fn by_the_clocks(scheduled: &Scheduled, games: u64) -> String {
    let conditions = &scheduled.competition().conditions;
    let time = conditions.time;
    let (Some(bank_us), 0, true) = (
        time.bank_us,
        time.increment_us,
        conditions.clocks.is_empty(),
    ) else {
        return String::new();
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let all = (bank_us * games * scheduled.roles.len() as u64) as f64 / 1e6;
    #[expect(clippy::cast_precision_loss, reason = "a few")]
    let jobs = scheduled.spec.machine.jobs as f64;
    format!("; the clocks allow up to {}", about(all / jobs))
}
