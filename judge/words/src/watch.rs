//! How a run is watched, as data: when it plays, what stands still, how often it looks. It
//! changes no result.

use jiff::Timestamp;
use jiff::tz::Offset;

/// What a competition's file says about `judge run --watch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// When games are played.
    pub every: Every,
    /// From when on what is published stands still, until the secret is revealed.
    pub freeze: Option<Timestamp>,
    /// How long a practice round lasts, in seconds, more than 0; none where there is only one.
    pub round_s: Option<u32>,
    /// How often git repositories are asked, in seconds; at least 60.
    pub poll_s: u32,
    /// How long after a version of somebody the next one of the same person is taken at the
    /// earliest, in seconds.
    pub again_after_s: u32,
    /// How much the run's folder may hold, in bytes; none where nothing bounds it.
    pub disk_bytes_max: Option<u64>,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            every: Every::AtOnce,
            freeze: None,
            round_s: None,
            poll_s: 300,
            again_after_s: 300,
            disk_bytes_max: None,
        }
    }
}

/// When games are played that are to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// As soon as there are some.
    AtOnce,
    /// Each time when so many seconds, more than 0, have gone since 1970-01-01T00:00:00Z again.
    Seconds(u32),
    /// Each day at this time, in seconds since midnight at this offset from UTC.
    Day {
        /// Less than 86,400.
        at_s: u32,
        /// The offset.
        offset: Offset,
    },
    /// Not before the final round.
    Deadline,
}

impl Every {
    /// At what hour of UTC `nightly` plays.
    pub const NIGHTLY: Self = Self::Day {
        at_s: 2 * 3600,
        offset: Offset::UTC,
    };

    /// Returns since when games may be played at a time: the latest time of play that is not after
    /// it; none where it does not come.
    pub fn since(self, now: Timestamp) -> Option<Timestamp> {
        let latest = |length_s: i64, shift_s: i64| {
            let since = (now.as_second() - shift_s).div_euclid(length_s) * length_s + shift_s;
            Timestamp::from_second(since).ok()
        };
        match self {
            Self::AtOnce => Some(now),
            Self::Seconds(length_s) => latest(length_s.into(), 0),
            Self::Day { at_s, offset } => {
                latest(86_400, i64::from(at_s) - i64::from(offset.seconds()))
            }
            Self::Deadline => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn times_of_play_come_by_the_clock() {
        let hour = Every::Seconds(3600);
        let early = Every::Day {
            at_s: 3 * 3600 + 1800,
            offset: Offset::constant(1),
        };
        for (every, now, since) in [
            (
                Every::AtOnce,
                "2026-12-01T10:20:30Z",
                Some("2026-12-01T10:20:30Z"),
            ),
            (hour, "2026-12-01T10:59:59Z", Some("2026-12-01T10:00:00Z")),
            (hour, "2026-12-01T11:00:00Z", Some("2026-12-01T11:00:00Z")),
            (
                Every::NIGHTLY,
                "2026-12-01T01:59:59Z",
                Some("2026-11-30T02:00:00Z"),
            ),
            (
                Every::NIGHTLY,
                "2026-12-01T02:00:00Z",
                Some("2026-12-01T02:00:00Z"),
            ),
            (early, "2026-12-01T02:29:59Z", Some("2026-11-30T02:30:00Z")),
            (early, "2026-12-01T02:30:00Z", Some("2026-12-01T02:30:00Z")),
            (Every::Deadline, "2026-12-01T02:30:00Z", None),
        ] {
            let now: Timestamp = now.parse().expect("a time");
            let told = every.since(now).map(|since| since.to_string());
            assert_eq!(told.as_deref(), since, "{every:?} at {now}");
        }
    }
}
