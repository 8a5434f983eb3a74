//! What is asked of a match: from flags to a test.

use clap::Args;
use error::JudgeError;
use scoring::{Sprt, Unit};

/// What is asked, and how sure the answer is to be.
#[derive(Args)]
pub(super) struct Question {
    /// The test decides between NEW being better by elo0 only …
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    elo0: f64,
    /// … and by elo1 or more; logistic Elo. The closer they are, the more games it takes
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 30.0,
        allow_negative_numbers = true
    )]
    elo1: f64,
    /// Compare points a game in the place of Elo: NEW is better by points0 only …
    #[arg(
        long,
        value_name = "POINTS",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        requires = "points1"
    )]
    points0: f64,
    /// … or by points1 or more
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, conflicts_with_all = ["elo0", "elo1"])]
    points1: Option<f64>,
    /// How often NEW may be called better where it is not
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    alpha: f64,
    /// How often NEW may be called no better where it is
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    beta: f64,
}

/// The largest difference in Elo or points that can be asked for.
const GAIN_MAX: f64 = 1000.0;
/// Between which parts the errors must lie.
const ERROR_MIN: f64 = 0.0001;
const ERROR_MAX: f64 = 0.4;

impl Question {
    /// Makes the test; `elo` is the unit where Elo is asked for.
    ///
    /// # Errors
    /// When the bounds are the wrong way round, or something is out of range.
    pub(super) fn test(&self, elo: Unit) -> Result<Sprt, JudgeError> {
        let (unit, what, null, alternative) = match self.points1 {
            Some(points1) => (Unit::Points, "points", self.points0, points1),
            None => (elo, "elo", self.elo0, self.elo1),
        };
        for (number, gain) in [(0, null), (1, alternative)] {
            if !(-GAIN_MAX..=GAIN_MAX).contains(&gain) {
                return Err(JudgeError::input(format!(
                    "--{what}{number} {gain}: must be {} to {GAIN_MAX}",
                    -GAIN_MAX
                )));
            }
        }
        if null >= alternative {
            return Err(JudgeError::input(format!(
                "--{what}0 {null} and --{what}1 {alternative} are the wrong way round: the test decides whether NEW is \
                 better by {what}1 or by {what}0 only, so {what}0 must be the smaller one"
            )));
        }
        for (flag, part) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..=ERROR_MAX).contains(&part) {
                return Err(JudgeError::input(format!(
                    "{flag} {part}: must be {ERROR_MIN} to {ERROR_MAX}; 0.05 errs in one match of twenty"
                )));
            }
        }
        Ok(Sprt {
            unit,
            null,
            alternative,
            alpha: self.alpha,
            beta: self.beta,
        })
    }
}
