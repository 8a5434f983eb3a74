//! In which order games are played: those of newcomers first.

use jiff::Timestamp;
use std::collections::HashMap;
use words::fixture::Fixture;

/// Puts the games of those first who came after the round began, by `received`: whose latest
/// player came first goes first, so that many versions of one author only put that author back.
/// The others stay in their order.
pub(super) fn newcomers_first(
    fixtures: &mut [Fixture],
    received: &HashMap<String, Timestamp>,
    round_began: Timestamp,
) {
    let came = |fixture: &Fixture| {
        let seats = fixture.seats.iter();
        let seats = seats.filter_map(|seat| received.get(&*seat.entrant));
        seats.max().copied().filter(|came| *came > round_began)
    };
    fixtures.sort_by_cached_key(|fixture| {
        let came = came(fixture);
        (came.is_none(), came)
    });
}
