//! Selection of a run's moments to a number that a page can carry.

use jiff::Timestamp;
use store::{Games, Moment};

const DAY_S: i64 = 86_400;
/// Number of newest moments that are kept, however close together they are.
const RECENT: usize = 24;
/// Numbers of recent days with one moment an hour, and with one moment a day. Earlier moments are
/// one a week.
const HOURLY_DAYS: i64 = 2;
const DAILY_DAYS: i64 = 30;

/// The precision of times in moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finest {
    Hour,
    Day,
}

impl Finest {
    /// Returns a time in this precision.
    pub(crate) fn shown(self, at: Timestamp) -> Timestamp {
        let day = at.as_second().div_euclid(DAY_S) * DAY_S;
        match self {
            Self::Hour => at,
            Self::Day => Timestamp::from_second(day).unwrap_or(at),
        }
    }
}

/// Lists the moments of a run on its own page.
pub(crate) fn moments_of_page(games: &Games) -> Vec<Moment> {
    thinned(games.moments(), Finest::Hour)
        .into_iter()
        .cloned()
        .collect()
}

/// Selects as many moments as a page can carry, however long a run lasts.
///
/// Keeps the last moment of each hour, day or week; the older, the coarser. Also keeps the newest
/// moments, unless moments give only the day.
pub(crate) fn thinned<'a>(
    moments: impl DoubleEndedIterator<Item = &'a Moment>,
    finest: Finest,
) -> Vec<&'a Moment> {
    let mut back = moments.rev().peekable();
    let day = |moment: &Moment| moment.at.as_second().div_euclid(DAY_S);
    let newest = back.peek().map_or(0, |moment| day(moment));
    let mut kept: Vec<&Moment> = Vec::new();
    let mut before = None;
    for moment in back {
        let at = moment.at.as_second();
        let length = match newest - day(moment) {
            ..HOURLY_DAYS if finest == Finest::Hour => DAY_S / 24,
            ..DAILY_DAYS => DAY_S,
            _ => 7 * DAY_S,
        };
        let part = Some((length, at.div_euclid(length)));
        let is_recent = finest == Finest::Hour && kept.len() < RECENT;
        if part != before || is_recent {
            kept.push(moment);
        }
        before = part;
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::FINAL;

    #[test]
    fn moments_are_the_coarser_the_longer_ago_they_are_and_never_more_than_a_page_carries() {
        let moment = |minutes: i64| Moment {
            at: Timestamp::from_second(1_790_000_000 + minutes * 60).expect("near"),
            round: FINAL.to_owned(),
            played: 1,
            of: 1,
            frozen: false,
            entrants: Vec::new(),
        };
        // A year with a moment every ten minutes.
        let all: Vec<Moment> = (0..365 * 144).map(|at| moment(at * 10)).collect();
        for (finest, most) in [(Finest::Hour, 150), (Finest::Day, 90)] {
            let kept = thinned(all.iter(), finest);
            assert!((most - 25..most).contains(&kept.len()), "{}", kept.len());
            assert_eq!(kept.last(), Some(&&all[all.len() - 1]));
            assert!(kept.windows(2).all(|two| two[0].at < two[1].at));
            let days = kept.iter().map(|one| Finest::Day.shown(one.at));
            let days: std::collections::HashSet<_> = days.collect();
            assert_eq!(days.len() == kept.len(), finest == Finest::Day);
        }
        let few = [moment(0), moment(1), moment(90)];
        assert_eq!(thinned(few.iter(), Finest::Hour).len(), 3);
        assert!(thinned([].iter(), Finest::Hour).is_empty());
    }
}
