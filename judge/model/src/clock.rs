//! A seat's clock, as a pure value: the time left, the charge for a turn, and when it has run out.

use engines::TimeControl;
use serde::{Deserialize, Serialize};

/// The kind of time that a clock charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockMode {
    /// The CPU time of the bot's process.
    #[default]
    Cpu,
    /// The time between question and answer.
    Wall,
}

impl ClockMode {
    /// Returns the one of two times that this clock charges.
    pub const fn counted(self, cpu_us: u64, wall_us: u64) -> u64 {
        match self {
            Self::Cpu => cpu_us,
            Self::Wall => wall_us,
        }
    }

    /// Returns the name of the charged time.
    pub const fn called(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
        }
    }
}

/// The clock of one seat in one game. Every amount is in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    bank_us: Option<u64>,
}

/// The clock has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired;

impl Clock {
    /// Makes the clock for a new game.
    pub const fn new(control: TimeControl) -> Self {
        Self {
            control,
            bank_us: control.bank_us,
        }
    }

    /// Begins a turn by adding the increment to the bank.
    pub fn begin_turn(&mut self) {
        self.bank_us = self
            .bank_us
            .map(|bank| bank.saturating_add(self.control.increment_us));
    }

    /// Returns the time in the bank; none = unlimited.
    pub const fn bank_us(&self) -> Option<u64> {
        self.bank_us
    }

    /// Returns the maximum time of the turn; none = unlimited.
    pub fn left_us(&self) -> Option<u64> {
        match (self.control.turn_us, self.bank_us) {
            (Some(turn), Some(bank)) => Some(turn.min(bank)),
            (turn, bank) => turn.or(bank),
        }
    }

    /// Charges the time of a turn. Using exactly the time left is in time.
    pub fn charge(&mut self, spent_us: u64) -> Result<(), Expired> {
        let in_time = self.left_us().is_none_or(|left| spent_us <= left);
        self.bank_us = self.bank_us.map(|bank| bank.saturating_sub(spent_us));
        if in_time { Ok(()) } else { Err(Expired) }
    }
}

/// Returns the maximum charge of a seat in a game, in microseconds; none = unlimited.
pub fn game_max_us(control: TimeControl, turns: u32) -> Option<u64> {
    let turns = u64::from(turns);
    let by_turn = control.turn_us.map(|us| us.saturating_mul(turns));
    let by_bank = control
        .bank_us
        .map(|us| us.saturating_add(control.increment_us.saturating_mul(turns)));
    by_turn.into_iter().chain(by_bank).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    fn control(turn_us: Option<u64>, bank_us: Option<u64>, increment_us: u64) -> TimeControl {
        TimeControl {
            turn_us,
            bank_us,
            increment_us,
            charge_start: false,
        }
    }

    #[test]
    fn camel_clock_is_10_s_with_increment_1() {
        let mut clock = Clock::new(control(None, Some(10 * SECOND), SECOND));
        assert_eq!(clock.charge(4 * SECOND), Ok(()), "initialisation");
        clock.begin_turn();
        assert_eq!(clock.left_us(), Some(7 * SECOND));
        assert_eq!(clock.charge(7 * SECOND), Ok(()), "exactly what is left");
        clock.begin_turn();
        assert_eq!(clock.charge(SECOND + 1), Err(Expired));
        assert_eq!(clock.bank_us(), Some(0));
    }

    #[test]
    fn a_limit_per_turn_does_not_add_up() {
        let mut clock = Clock::new(control(Some(2 * SECOND), None, 0));
        for _ in 0..3 {
            clock.begin_turn();
            assert_eq!(clock.charge(2 * SECOND), Ok(()));
        }
        assert_eq!(clock.charge(2 * SECOND + 1), Err(Expired));
        let both = Clock::new(control(Some(5), Some(3), 0));
        assert_eq!(both.left_us(), Some(3), "the smaller one");
    }

    #[test]
    fn game_total_is_bounded_by_bank_or_turns() {
        for (turn_us, bank_us, most_us) in [
            (None, None, None),
            (Some(5), None, Some(50)),
            (None, Some(5), Some(25)),
            (Some(5), Some(5), Some(25)),
            (Some(2), Some(5), Some(20)),
        ] {
            assert_eq!(game_max_us(control(turn_us, bank_us, 2), 10), most_us);
        }
    }
}
