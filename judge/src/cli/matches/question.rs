//! The question of a match: a test made from flags.

use crate::cli::out::number;
use clap::Args;
use rulebook::JudgeError;
use rulebook::scoring::{Sprt, Unit};

const TEST: &str = "The test";

/// Flags about the question, and how sure the answer must be.
#[derive(Args)]
pub(super) struct Question {
    /// The test decides whether NEW is better by only elo0 …
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST
    )]
    elo0: f64,
    /// … or by elo1 or more; logistic Elo. The closer the two, the more games the test needs
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 30.0,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST
    )]
    elo1: f64,
    /// Accepted rate of calling NEW better when it is not
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    alpha: f64,
    /// Accepted rate of calling NEW no better when it is
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    beta: f64,
}

/// Largest difference in Elo that a bound may have.
const GAIN_MAX: f64 = 1000.0;
/// Range of the error rates, both ends inclusive.
const ERROR_MIN: f64 = 0.0001;
const ERROR_MAX: f64 = 0.4;

impl Question {
    pub(super) fn test(&self) -> Result<Sprt, JudgeError> {
        let (null, alternative) = (self.elo0, self.elo1);
        for (number, gain) in [(0, null), (1, alternative)] {
            if !(-GAIN_MAX..=GAIN_MAX).contains(&gain) {
                return Err(JudgeError::input(format!(
                    "--elo{number} {gain}: must be {} to {GAIN_MAX}",
                    -GAIN_MAX
                )));
            }
        }
        if null >= alternative {
            let how = if null > alternative {
                "are the wrong way round"
            } else {
                "are equal"
            };
            return Err(JudgeError::input(format!(
                "--elo0 {null} and --elo1 {alternative} {how}: the test decides whether NEW is better by elo1 or only \
                 by elo0, so elo0 must be the smaller one"
            )));
        }
        for (flag, share) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..=ERROR_MAX).contains(&share) {
                return Err(JudgeError::input(format!(
                    "{flag} {share}: must be {ERROR_MIN} to {ERROR_MAX}; 0.05 allows a wrong verdict in one match of twenty"
                )));
            }
        }
        Ok(Sprt {
            unit: Unit::Elo,
            null,
            alternative,
            alpha: self.alpha,
            beta: self.beta,
        })
    }
}
