//! Why a worker could not finish a game.

use model::fixture::Fixture;

/// Why a worker cannot finish its game.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    pub(super) reason: String,
    /// Whether the program with the rules of the game has failed.
    pub(super) is_of_rules: bool,
}

impl Lost {
    pub(super) const fn of(reason: String) -> Self {
        Self {
            reason,
            is_of_rules: false,
        }
    }

    /// Returns the reason. If the rules failed, it names the game that they failed in.
    pub(super) fn reason_in(&self, fixture: &Fixture) -> String {
        if !self.is_of_rules {
            return self.reason.clone();
        }
        let names: Vec<&str> = fixture.seats.iter().map(|seat| &*seat.entrant).collect();
        format!(
            "{} on state {}: {}",
            names.join(" against "),
            fixture.state,
            self.reason
        )
    }
}
