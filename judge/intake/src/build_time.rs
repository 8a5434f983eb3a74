//! Time limits of a submission's build, for all of its steps together.

use model::competition::BuildLimits;
use model::fault::Exit;
use rulebook::JudgeError;
use sandbox::{
    Build, BuildEnd, BuildRun, Builder, FOLDER_BYTES_MAX, FOLDER_DEPTH_MAX, FOLDER_ENTRIES_MAX,
    Limits,
};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that remains for one build.
#[derive(Debug)]
pub(super) struct BuildTime {
    limits: BuildLimits,
    began: Instant,
    /// CPU time of the steps that have ended.
    spent: Cell<Duration>,
}

impl BuildTime {
    /// Starts the clock of a build.
    pub(super) fn begin(limits: BuildLimits) -> Self {
        Self {
            limits,
            began: Instant::now(),
            spent: Cell::default(),
        }
    }

    /// Starts the clock of another build with the same limits.
    pub(super) fn anew(&self) -> Self {
        Self::begin(self.limits)
    }

    /// Runs a build step in `folder`, within the remaining time.
    ///
    /// # Errors
    /// When it is stopped, or cannot be run for a reason on our side.
    pub(super) fn run(
        &self,
        builder: Builder<'_>,
        program: &Path,
        args: &[String],
        folder: &Path,
    ) -> Result<BuildRun, JudgeError> {
        let run = builder.run(&Build {
            program,
            args,
            folder,
            limit: Duration::from_millis(self.limits.wall_ms).saturating_sub(self.began.elapsed()),
            cpu: Duration::from_millis(self.limits.cpu_ms).saturating_sub(self.spent.get()),
            reserves: false,
        })?;
        self.spent.set(self.spent.get() + run.cpu);
        Ok(run)
    }

    /// Returns whether a step was ended because no time remained.
    pub(super) const fn ended(end: BuildEnd) -> bool {
        matches!(end, BuildEnd::Time | BuildEnd::Cpu)
    }

    /// Returns why a step called `name` failed; `None` if it did not.
    pub(super) fn failure(&self, end: BuildEnd, name: &str) -> Option<String> {
        let seconds = |ms| Duration::from_millis(ms).as_secs_f64();
        let did = match end {
            BuildEnd::Exit(Exit::Code(0)) => return None,
            BuildEnd::Exit(Exit::Code(code)) => format!("exited with {code}"),
            BuildEnd::Exit(Exit::Signal(signal)) => format!("was killed by signal {signal}"),
            BuildEnd::Time => format!("did not finish within {} s", seconds(self.limits.wall_ms)),
            BuildEnd::Cpu => format!(
                "used more than {} s of CPU time",
                seconds(self.limits.cpu_ms)
            ),
            BuildEnd::Output => "printed too much".to_owned(),
            BuildEnd::Memory => format!(
                "used more than {} MiB of memory",
                Limits::BUILD.memory_bytes_max >> 20
            ),
            BuildEnd::Disk => format!(
                "wrote more than {} MiB, more than {FOLDER_ENTRIES_MAX} files and folders, or folders nested more than {FOLDER_DEPTH_MAX} deep",
                FOLDER_BYTES_MAX >> 20
            ),
        };
        Some(format!("{name} {did}"))
    }
}
