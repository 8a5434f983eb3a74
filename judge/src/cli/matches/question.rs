//! The question of a match: a test made from flags.

use super::comparison::Encounter;
use crate::cli::out::number;
use clap::Args;
use model::competition::Competition;
use model::points::Points;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use rulebook::scoring::{Sprt, Unit, points_apart_max};

/// Heading of the flags about the test.
const TEST: &str = "The test";

/// Flags about the question, and how sure the answer must be.
#[derive(Args)]
pub(super) struct Question {
    /// The test decides whether NEW is better by only elo0 …
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true,
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
        allow_negative_numbers = true,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST
    )]
    elo1: f64,
    /// Compare points per game instead of Elo: whether NEW is better by only points0 …
    #[arg(
        long,
        value_name = "POINTS",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST,
        requires = "points1"
    )]
    points0: f64,
    /// … or by points1 or more
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, value_parser = number, hide_short_help = true, help_heading = TEST, conflicts_with_all = ["elo0", "elo1"])]
    points1: Option<f64>,
    /// Accepted rate of calling NEW better when it is not
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    alpha: f64,
    /// Accepted rate of calling NEW no better when it is
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    beta: f64,
}

/// Largest difference in Elo or points that a bound may have.
const GAIN_MAX: f64 = 1000.0;
/// Range of the error rates, both ends inclusive.
const ERROR_MIN: f64 = 0.0001;
const ERROR_MAX: f64 = 0.4;

impl Question {
    /// Returns the common part of the flags' names, and the two hypotheses.
    fn hypotheses(&self) -> (&'static str, [f64; 2]) {
        match self.points1 {
            Some(points1) => ("points", [self.points0, points1]),
            None => ("elo", [self.elo0, self.elo1]),
        }
    }

    /// Returns the question as flags.
    pub(super) fn flags(&self) -> String {
        let (what, [null, alternative]) = self.hypotheses();
        let (alpha, beta) = (self.alpha, self.beta);
        format!("--{what}0 {null} --{what}1 {alternative} --alpha {alpha} --beta {beta}")
    }

    /// Checks the flags without knowing the game.
    pub(super) fn check(&self) -> Result<(), JudgeError> {
        let (what, [null, alternative]) = self.hypotheses();
        for (number, gain) in [(0, null), (1, alternative)] {
            if !(-GAIN_MAX..=GAIN_MAX).contains(&gain) {
                return Err(JudgeError::input(format!(
                    "--{what}{number} {gain}: must be {} to {GAIN_MAX}",
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
                "--{what}0 {null} and --{what}1 {alternative} {how}: the test decides whether NEW is better by \
                 {what}1 or only by {what}0, so {what}0 must be the smaller one"
            )));
        }
        for (flag, share) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..=ERROR_MAX).contains(&share) {
                return Err(JudgeError::input(format!(
                    "{flag} {share}: must be {ERROR_MIN} to {ERROR_MAX}; 0.05 allows a wrong verdict in one match of twenty"
                )));
            }
        }
        Ok(())
    }

    /// Makes the test for a competition.
    pub(super) fn test(
        &self,
        rules: &dyn Rules,
        competition: &Competition,
        encounter: Encounter,
    ) -> Result<Sprt, JudgeError> {
        let (what, [null, alternative]) = self.hypotheses();
        let unit = match (self.points1, encounter) {
            (Some(_), _) => Unit::Points(points_apart(rules, competition)?),
            (None, Encounter::EachOther) => Unit::Elo,
            (None, Encounter::Opponents) => Unit::EloAgainstOthers,
        };
        if let Unit::Points(most) = unit {
            for (number, gain) in [(0, null), (1, alternative)] {
                if gain.abs() >= most.as_f64() {
                    return Err(JudgeError::input(format!(
                        "--{what}{number} {gain}: two bots differ by at most {most} points in a game; choose less"
                    )));
                }
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

/// Returns the largest possible difference in points between two sides in a game.
fn points_apart(rules: &dyn Rules, competition: &Competition) -> Result<Points, JudgeError> {
    let Competition {
        scoring,
        conditions,
        ..
    } = competition;
    // The range of points is the same from every initial state.
    let game = rules
        .draw(&conditions.config, 0)
        .and_then(|setup| rules.start(&setup))
        .map_err(|error| error.of("the competition's configuration"))?;
    let bank_us = conditions.time.bank_us.unwrap_or_default();
    Ok(points_apart_max(scoring, &game.points_range()?, bank_us))
}
