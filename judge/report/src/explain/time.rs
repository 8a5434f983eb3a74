//! What the turns of one entrant took.

use super::Case;
use engines::Seat;
use words::fixture::Conditions;
use words::numbers::{counted, percent, time};
use words::record::MatchRecord;

/// The time that counts, in microseconds.
#[derive(Default)]
pub(super) struct ChargedTimes {
    /// Of each turn.
    turns: Vec<u64>,
    /// The most of a game, and what its clock allowed, where there is a bank.
    game_max: Option<(u64, u64)>,
}

impl ChargedTimes {
    /// Adds the turns of an entrant in a game.
    pub(super) fn add(&mut self, entrant: &str, conditions: &Conditions, record: &MatchRecord) {
        let seats = record.seats.iter().enumerate();
        for (seat, _) in seats.filter(|(_, participant)| participant.entrant == entrant) {
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
            // The game that came nearest to its limit: used/allowed, without dividing.
            let nearer = |(most, limit): (u64, u64)| {
                u128::from(used) * u128::from(limit) > u128::from(most) * u128::from(allowed)
            };
            if self.game_max.is_none_or(nearer) {
                self.game_max = Some((used, allowed));
            }
        }
    }
}

pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let conditions = &case.competition.conditions;
    let kind = conditions.mode.called();
    let mut turns = case.own.times.turns.clone();
    turns.sort_unstable();
    let Some(&longest) = turns.last() else {
        return Vec::new();
    };
    let at = |part: usize| time(turns[(turns.len() * part).div_ceil(100).max(1) - 1]);
    let mut lines = vec![format!(
        "{}, {kind}: median {}, 95 % up to {}, 99 % up to {}, longest {}",
        counted(turns.len() as u64, "turn"),
        at(50),
        at(95),
        at(99),
        time(longest)
    )];
    if let Some(limit) = conditions.time.turn_us {
        lines.push(format!(
            "the limit of a turn is {}; the longest turn took {} of it",
            time(limit),
            percent(longest, limit)
        ));
    }
    if let Some((used, allowed)) = case.own.times.game_max {
        lines.push(format!(
            "the game closest to its limit used {} of {} ({})",
            time(used),
            time(allowed),
            percent(used, allowed)
        ));
    }
    lines
}
