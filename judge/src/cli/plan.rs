//! `judge plan` estimates what a tournament takes, from a few games that are tried out.

use super::display::{about, this_command_as};
use super::entering::Entering;
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::prepare::Purpose;
use super::prepared::Prepared;
use super::run_tell;
use super::trial::{Trial, TrialPlan};
use clap::Args;
use error::JudgeError;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use words::fixture::Fixture;
use words::numbers::{self, count, counted};

/// Takes the same flags as `judge run`. The games that are tried out are neither scored nor
/// kept; where there is no run yet, only the programs that were built are, for it.
#[derive(Args)]
#[command(mut_arg("submissions", |arg| arg.required_unless_present("places")))]
pub(super) struct PlanArgs {
    /// The submissions, as --submissions takes them
    #[arg(value_name = "PLACE")]
    places: Vec<PathBuf>,
    /// Longest time to play trial games, in seconds of wall time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    #[command(flatten)]
    entering: Entering,
}

impl PlanArgs {
    pub(super) fn execute(mut self) -> Result<Done, JudgeError> {
        self.entering.take_places(&mut self.places)?;
        let stop = stop_on_interrupt()?;
        let prepared = self.entering.prepare(Purpose::Trial, &stop)?;
        run_tell::machinery(&prepared.machinery);
        let journal = &prepared.journal;
        let missing = prepared.fixtures.iter();
        let missing: Vec<&Fixture> = missing.filter(|f| !journal.contains(&f.id)).collect();
        if missing.is_empty() {
            say!(
                "{}, all of them already played",
                counted(prepared.fixtures.len() as u64, "game")
            );
            return Ok(Done::Success);
        }
        let trial = self.try_out(&prepared, &missing, &stop)?;
        if stop.load(Ordering::Relaxed) && !trial.cut {
            return Ok(Done::Interrupted);
        }
        say!(
            "played {} in {}; they are not scored and not kept{}\n",
            counted(trial.sample.games(), "trial game"),
            about(trial.elapsed.as_secs_f64()),
            match prepared.traces {
                Some(_) => "; the programs that were built stay for judge run, their logs do not",
                None => "; the builds stay in the run folder",
            }
        );
        self.tell(&prepared, &missing, &trial);
        Ok(Done::Success)
    }

    /// After so long the trial is ended, with the games in play.
    const fn trial_max(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    fn try_out(
        &self,
        prepared: &Prepared,
        missing: &[&Fixture],
        stop: &Arc<AtomicBool>,
    ) -> Result<Trial, JudgeError> {
        let plan = TrialPlan {
            order: prepared.order(),
            pin: self.entering.pins(),
            jobs: self.entering.jobs(),
            time_max: self.trial_max(),
            seed: prepared.manifest.draw.resamples,
        };
        plan.play(missing, stop)
    }

    fn tell(&self, prepared: &Prepared, missing: &[&Fixture], trial: &Trial) {
        let competition = prepared.competition();
        let (all, left) = (prepared.fixtures.len() as u64, missing.len() as u64);
        let played = match all - left {
            0 => String::new(),
            played => format!(", {played} of them already played"),
        };
        say!("games           {}{played}", count(all));
        let lifetime = competition.conditions.lifetime;
        let jobs = self.entering.jobs();
        let whole = trial.sample.whole(missing.iter().copied(), lifetime, jobs);
        let Some(whole) = whole else {
            say!(
                "no game ended within {}, so the time cannot be estimated{}",
                about(self.trial_max().as_secs_f64()),
                self.by_the_clocks(prepared, left)
            );
            return;
        };
        if let Some(words) = competition.conditions.startup_words() {
            say!("start-up        {words}");
        }
        let starts = whole.starts.round();
        say!("process starts  about {}", amount_f64(starts));
        let about_or_more = if trial.cut { "at least" } else { "about" };
        say!(
            "time            {about_or_more} {} with {} at once (--jobs)",
            about(whole.wall_us / 1e6),
            counted(jobs as u64, "game")
        );
        if trial.cut {
            say!(
                "                the trial stopped with games in play, so slow games are missing from it{}",
                self.by_the_clocks(prepared, left)
            );
        }
        say!(
            "disk            about {:.1} MB for the journal",
            whole.bytes / 1e6
        );
        if let Some((slowest, seconds)) = trial.sample.slowest().first() {
            say!(
                "slowest         {slowest}, about {} a game",
                about(*seconds)
            );
        }
        if let Some(note) = prepared.note_on_states() {
            say!("\n{note}");
        }
        say!("\nto play: {}", this_command_as("run", "--seconds"));
    }

    /// Says what the clocks allow, where they limit a whole game; waiting may come on top.
    fn by_the_clocks(&self, prepared: &Prepared, games: u64) -> String {
        let time = prepared.competition().conditions.time;
        let (Some(bank_us), 0) = (time.bank_us, time.increment_us) else {
            return String::new();
        };
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let all = (bank_us * games * prepared.roles.len() as u64) as f64 / 1e6;
        #[expect(clippy::cast_precision_loss, reason = "a few")]
        let jobs = self.entering.jobs() as f64;
        format!("; the clocks allow up to {}", about(all / jobs))
    }
}

fn amount_f64(count: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count"
    )]
    numbers::count(count as u64)
}
