//! Time limits of a submission's build, for all of its steps together.

use error::JudgeError;
use sandbox::{Build, BuildEnd, BuildRun, Builder};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};
use words::competition::BuildLimits;

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

    /// Returns the message that a step did not end within the wall time.
    pub(super) fn too_long(&self, name: &str) -> String {
        let limit = Duration::from_millis(self.limits.wall_ms);
        format!("{name} did not finish within {} s", limit.as_secs_f64())
    }

    /// Returns the message that the build used too much CPU time.
    pub(super) fn too_much(&self, name: &str) -> String {
        let limit = Duration::from_millis(self.limits.cpu_ms);
        format!(
            "{name} used more than {} s of CPU time",
            limit.as_secs_f64()
        )
    }
}
