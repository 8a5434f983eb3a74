//! `judge split`, `part` and `merge`: missing games go into files, are played anywhere, and come back.

use super::exit::{Done, stop_on_interrupt};
use super::flags::{Entering, FLAGS_OF_RUN, Verbosity, Workers, hides_all_but};
use super::out::{say_each, whole};
use super::run_output;
use super::run_sink::RunSink;
use clap::Args;
use model::numbers::counted;
use rulebook::{Result, refuse};
use run::commands::{path_for_shell, program, shown, this_command};
use run::{MergeSpec, PartSpec, RunKind, Split, SplitSpec};
use std::path::{Path, PathBuf};
use system::run_folder;

/// Takes the folder of a run that has been begun; or takes the flags of `judge run`, builds as it
/// does, and plays nothing.
#[derive(Args)]
#[command(
    mut_args(hides_all_but(&["place", "parts"])),
    after_help = FLAGS_OF_RUN
)]
pub(super) struct SplitArgs {
    /// A run that has begun; or submissions, as judge run takes them
    ///
    /// A run that has begun is neither built nor changed, and takes no flag of a new run.
    #[arg(value_name = "RUN|PLACE")]
    place: Option<PathBuf>,
    /// Maximum number of parts; games of one group stay together
    #[arg(long, value_name = "N", default_value_t = PARTS, value_parser = whole::<u32>(1..=100_000))]
    parts: u32,
    #[command(flatten)]
    entering: Entering,
}

/// Number of parts without `--parts`: enough for a handful of machines of different speeds.
const PARTS: u32 = 10;

impl SplitArgs {
    pub(super) fn execute(self) -> Result<Done> {
        let sink = RunSink::default();
        let spec = SplitSpec {
            build: crate::BUILD,
            parts: self.parts as usize,
        };
        let split = match self.place.as_deref() {
            // A run that has begun has the values of the flags of a new one.
            Some(place) if place.join(run_folder::MANIFEST).exists() || !place.exists() => {
                if !self.entering.is_empty() {
                    return refuse(format!(
                        "{} is a run that has begun and has its own settings; leave out all flags but --parts",
                        shown(place)
                    ));
                }
                let (split, findings) = spec.split_past(place, &sink)?;
                say_each("note: ", findings);
                split
            }
            place => {
                let places: Vec<PathBuf> = place.into_iter().map(Path::to_owned).collect();
                let run = self.entering.spec_at(RunKind::Played, &places, "split")?;
                let stop = stop_on_interrupt()?;
                let built = run.collect(&sink, &stop)?.build(&sink, &stop)?;
                let scheduled = built.schedule(&sink)?;
                run_output::machinery(&scheduled.machinery());
                let played = scheduled.begin()?;
                played.write(&sink)?;
                spec.split(&played.scheduled, &sink)?
            }
        };
        print(&split, spec.parts);
        Ok(Done::Success)
    }
}

fn print(split: &Split, parts: usize) {
    let (games, missing) = split.games;
    let all = counted(games, "game");
    let [first, ..] = split.paths.as_slice() else {
        say!("all {all} already played: nothing to split");
        return;
    };
    let played = match games - missing {
        0 => String::new(),
        played => format!(", {played} of them already played"),
    };
    say!(
        "{all}{played}; split into {} in {}",
        counted(split.paths.len(), "part"),
        shown(&split.folder)
    );
    if split.paths.len() < parts {
        say!("  fewer than {parts}, because games of one group stay on one machine");
    }
    say!(
        "  anyone who has a part can play it, sign its games and read the seeds of its bots: protect it like the run folder"
    );
    let (program, first) = (program(), path_for_shell(first));
    say!("\nto play a part, on any machine with this program: {program} part {first}");
    say!(
        "to bring its games back: {program} merge {} JOURNAL…",
        path_for_shell(&split.run)
    );
}

/// Needs the file and this program, and neither the run nor a network. Rerun the same command to
/// continue; `judge merge` brings the games back.
#[derive(Args)]
pub(super) struct PartArgs {
    /// The part file, as `judge split` wrote it
    file: PathBuf,
    /// The journal that the games are written into; an existing one is continued [default: the
    /// part's name with .jsonl, in the current folder]
    #[arg(long, value_name = "JOURNAL")]
    out: Option<PathBuf>,
    /// A journal of an earlier attempt, whose games are not played again
    ///
    /// May be repeated.
    #[arg(long, value_name = "JOURNAL")]
    played: Vec<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl PartArgs {
    pub(super) fn execute(self) -> Result<Done> {
        self.verbosity.apply();
        let name = Path::new(self.file.file_name().unwrap_or_default());
        let spec = PartSpec {
            build: crate::BUILD,
            out: self.out.unwrap_or_else(|| name.with_extension("jsonl")),
            file: self.file,
            played: self.played,
            machine: self.workers.machine(),
        };
        let left = spec.play(&RunSink::default(), &stop_on_interrupt()?)?;
        if left > 0 {
            say!(
                "games still to be played: {left}; to continue: {}",
                this_command()
            );
            return Ok(Done::Interrupted);
        }
        say!(
            "all games of the part are played; to bring them back: judge merge RUN {}",
            shown(&spec.out)
        );
        Ok(Done::Success)
    }
}

/// Takes journals in any order, any number of times, whole or not; a game that is there already
/// stays as it is. Then the tables and the page are written as `judge run` writes them.
#[derive(Args)]
pub(super) struct MergeArgs {
    /// The run folder
    run: PathBuf,
    /// Journals that `judge part` wrote, or copies of the run's own
    #[arg(required = true, value_name = "JOURNAL")]
    journals: Vec<PathBuf>,
    /// Accept games of machines whose speeds differ by more than half
    ///
    /// Tables and page say so.
    #[arg(long)]
    mixed: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl MergeArgs {
    pub(super) fn execute(self) -> Result<Done> {
        self.verbosity.apply();
        let spec = MergeSpec {
            run: self.run,
            journals: self.journals,
            mixed: self.mixed,
        };
        let sink = RunSink::default();
        let merged = spec.merge(&sink)?;
        let folder = path_for_shell(&merged.past.folder);
        let resume = (
            "to continue, merge the other parts, or split these games again",
            format!("{} split {folder} --parts 1", program()),
        );
        run_output::end(&merged.write(&sink)?, None, resume)?;
        Ok(Done::Success)
    }
}
