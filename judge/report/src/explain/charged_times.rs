//! The counted times of one entrant.

use engines::Seat;
use model::fixture::Conditions;
use model::record::MatchRecord;

/// Times that the clock counts, in microseconds.
#[derive(Default)]
pub(super) struct ChargedTimes {
    /// The time of each turn.
    pub(super) turns: Vec<u64>,
    /// The time of the game that came nearest to its limit, and that limit, if there is a bank.
    pub(super) game_max: Option<(u64, u64)>,
}

impl ChargedTimes {
    /// Adds the turns of an entrant in a game.
    pub(super) fn add(&mut self, entrant: &str, conditions: &Conditions, record: &MatchRecord) {
        for (seat, _) in record
            .seats
            .iter()
            .enumerate()
            .filter(|(_, participant)| participant.entrant == entrant)
        {
            self.add_seat(conditions, record, Seat::new(seat));
        }
    }

    fn add_seat(&mut self, conditions: &Conditions, record: &MatchRecord, seat: Seat) {
        let mode = conditions.mode;
        let own = record.turns.iter().filter(|turn| turn.seat == seat);
        let before = self.turns.len();
        self.turns.extend(own.map(|turn| turn.counted_us(mode)));
        let turns = (self.turns.len() - before) as u64;
        let used = record.seats[seat.index()].counted_us(mode);
        if let Some(bank) = conditions.time.bank_us {
            let allowed = bank + turns * conditions.time.increment_us;
            // The game that came nearest to its limit: compares used/allowed without dividing.
            let nearer = |(most, limit): (u64, u64)| {
                u128::from(used) * u128::from(limit) > u128::from(most) * u128::from(allowed)
            };
            if self.game_max.is_none_or(nearer) {
                self.game_max = Some((used, allowed));
            }
        }
    }
}
