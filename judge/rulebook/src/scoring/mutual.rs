//! Which entrant beat which in games for two.

use std::collections::HashMap;

/// The games between any two entrants, reduced to the question "won every game against". It can
/// leave out one initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct Mutual {
    games: HashMap<(usize, usize), Encounter>,
}

/// The games of one entrant against another.
#[derive(Clone, Copy, Debug, Default)]
struct Encounter {
    played_on: StatesSeen,
    not_won_on: StatesSeen,
}

/// The initial states on which something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StatesSeen {
    #[default]
    None,
    One(u32),
    Several,
}

impl StatesSeen {
    fn add(&mut self, state: u32) {
        *self = match *self {
            Self::None => Self::One(state),
            Self::One(known) if known == state => Self::One(known),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    /// Returns whether a state other than this one is among them.
    fn any_but(self, without: Option<u32>) -> bool {
        match self {
            Self::None => false,
            Self::One(state) => Some(state) != without,
            Self::Several => true,
        }
    }
}

impl Mutual {
    pub(super) fn add(&mut self, one: usize, other: usize, state: u32, won: bool) {
        let encounter = self.games.entry((one, other)).or_default();
        encounter.played_on.add(state);
        if !won {
            encounter.not_won_on.add(state);
        }
    }

    /// Returns whether one entrant won every game against the other, without the games on the state
    /// `without`.
    pub(super) fn beat(&self, one: usize, other: usize, without: Option<u32>) -> bool {
        let encounter = self.games.get(&(one, other)).copied().unwrap_or_default();
        encounter.played_on.any_but(without) && !encounter.not_won_on.any_but(without)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_left_out_neither_helps_nor_hinders() {
        let mut mutual = Mutual::default();
        for (state, won) in [(0, true), (0, true), (1, false), (2, true)] {
            mutual.add(0, 1, state, won);
        }
        assert!(!mutual.beat(0, 1, None));
        assert!(!mutual.beat(0, 1, Some(0)));
        assert!(mutual.beat(0, 1, Some(1)));
        mutual.add(0, 1, 2, false);
        assert!(!mutual.beat(0, 1, Some(1)));
        mutual.add(2, 3, 5, true);
        assert!(mutual.beat(2, 3, None));
        assert!(!mutual.beat(2, 3, Some(5)), "no game is left");
        assert!(!mutual.beat(3, 2, None), "they have not met");
    }
}
