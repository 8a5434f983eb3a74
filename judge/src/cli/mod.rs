//! The command line: one file per verb. [`EXIT_HELP`] lists the exit codes.

/// Prints a line. The reader may be gone (`judge run … | head`); that stops nothing.
macro_rules! say {
    () => {
        $crate::cli::out::say(format_args!(""))
    };
    ($($text:tt)+) => {
        $crate::cli::out::say(format_args!($($text)+))
    };
}

mod check;
mod commit;
mod completions;
mod doctor;
mod exit;
mod explain;
mod flags;
mod game;
mod grades;
mod help;
mod matches;
mod new;
mod one_game;
mod out;
mod plan;
mod play;
mod referee;
mod report;
mod repro;
mod run;
mod run_output;
mod run_sink;
mod split;
mod verify;
mod view;

use self::exit::{Done, exit_code};
use ::run::play::worker;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::env::CompleteEnv;
use rulebook::{JudgeError, Result};
use sandbox::serve_build;
use std::process::ExitCode;
use std::{env, io};

#[derive(Parser)]
#[command(version = crate::BUILD, about = "A referee for game-AI tournaments", after_long_help = EXIT_HELP)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_HELP: &str = "Exit codes: 0 success (even if bots failed), 1 judge error (the judge or the machine failed), \
2 wrong command or input, 3 a game ended differently when played again, \
4 check found something wrong, 5 verify found a difference, 130 interrupted (rerun the same command to continue).";

#[derive(Subcommand)]
enum Verb {
    /// Build the bots, play a tournament, and write the results
    Run(run::RunArgs),
    /// Watch one game of submissions, built-in bots, or yourself
    Play(play::PlayArgs),
    /// Create the secret of a run's draw, before submissions open
    Commit(commit::CommitArgs),
    /// Publish the secret of a run's draw, after the deadline
    Reveal(commit::RevealArgs),
    /// Estimate the games, time and disk space of a tournament
    Plan(plan::PlanArgs),
    /// Split the unplayed games of a run into parts for other machines
    Split(split::SplitArgs),
    /// Play one part of a run on any machine
    Part(split::PartArgs),
    /// Bring the games of parts back into their run
    Merge(split::MergeArgs),
    /// Explain the results: rank, points, prize and grade
    Explain(explain::ExplainArgs),
    /// Create a first bot, or a course's exercises, and PROTOCOL.md
    New(new::NewArgs),
    /// Create a game of your own, or check one
    Game(game::GameArgs),
    /// List the built-in competitions, or print one as a file to adapt
    Competition(game::CompetitionArgs),
    /// Write the results for the public, for each student, or for staff
    Report(report::ReportArgs),
    /// Check a run, or its published results, against the journal
    Verify(verify::VerifyArgs),
    /// Play an entrant's games again after a correction
    Regrade(run::RegradeArgs),
    /// Write the grades as a table, or for Canvas, Moodle and others
    Grades(grades::GradesArgs),
    /// Play a game again, to see how a bot failed
    Repro(repro::ReproArgs),
    /// Build and test a bot, and say in plain words what is wrong
    Check(check::CheckArgs),
    /// Find out whether one bot is better than another
    Match(matches::MatchArgs),
    /// Write the page of a run or game, or step through a game
    View(view::ViewArgs),
    /// Play as a built-in bot, over the protocol (used by `run --with builtin:NAME`)
    #[command(hide = true)]
    Bot(referee::BotArgs),
    /// Serve the rules of a game, for training a bot
    Referee(referee::RefereeArgs),
    /// Count the positions N plies ahead, to compare rules engines and measure their speed
    #[command(hide = true)]
    Perft(referee::PerftArgs),
    /// Show what this machine supports: sandboxes and compilers
    Doctor(doctor::DoctorArgs),
    /// Print a shell script that completes commands, names and runs
    Completions(completions::CompletionsArgs),
    /// Write a manual page for each verb (used for packages)
    #[command(hide = true)]
    ManPages(completions::ManPagesArgs),
    /// Play games for a coordinator (used by `run`)
    #[command(hide = true)]
    Worker,
    /// Run a build step for a coordinator (used by everything that builds)
    #[command(hide = true)]
    Builder,
}

/// Runs the program.
pub fn main() -> ExitCode {
    if let Some(bot) = referee::BotArgs::of_command(env::args_os()) {
        return exit_code(bot.execute());
    }
    CompleteEnv::with_factory(|| completions::completing(Cli::command()))
        .var(completions::ASKED_BY)
        .complete();
    let cli = help::grouped(Cli::command())
        .try_get_matches()
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches))
        .unwrap_or_else(|refused| help::refuse(&Cli::command(), refused));
    let result = match cli.verb {
        Verb::Run(run) => run.execute(),
        Verb::Commit(commit) => commit.execute(),
        Verb::Reveal(reveal) => reveal.execute(),
        Verb::Plan(plan) => plan.execute(),
        Verb::Split(split) => split.execute(),
        Verb::Part(part) => part.execute(),
        Verb::Merge(merge) => merge.execute(),
        Verb::Play(play) => play.execute(),
        Verb::Explain(explain) => explain.execute(),
        Verb::Report(report) => report.execute(),
        Verb::Verify(verify) => verify.execute(),
        Verb::Regrade(regrade) => regrade.execute(),
        Verb::Grades(grades) => grades.execute(),
        Verb::Repro(repro) => repro.execute(),
        Verb::View(view) => view.execute(),
        Verb::Check(check) => check.execute(),
        Verb::Match(versions) => versions.execute(),
        Verb::Doctor(doctor) => doctor.execute(),
        Verb::New(new) => new.execute(),
        Verb::Game(game) => game.execute(),
        Verb::Competition(competition) => competition.execute(),
        Verb::Bot(bot) => bot.execute(),
        Verb::Referee(referee) => until_closed(referee.execute()),
        Verb::Perft(perft) => until_closed(perft.execute()),
        Verb::Completions(completions) => completions.execute(),
        Verb::ManPages(pages) => pages.execute(Cli::command()),
        Verb::Worker => worker::serve().map(|()| Done::Success),
        Verb::Builder => serve_build().map(|()| Done::Success),
    };
    let code = exit_code(result);
    rulebook::rules::forget_opened();
    code
}

/// Treats a closed standard output as success: the reader has seen enough.
fn until_closed(result: Result) -> Result<Done> {
    match result {
        Err(JudgeError::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Done::Success)
        }
        result => result.map(|()| Done::Success),
    }
}
