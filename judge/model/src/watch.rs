//! The settings for watching a run, which change no result.

use jiff::Timestamp;
use jiff::tz::Offset;

/// The settings for `judge run --watch` in a competition's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// The times at which games are played.
    pub every: Every,
    /// The time from which nothing published changes, until the secret is revealed.
    pub freeze: Option<Timestamp>,
    /// The length of a practice round, in seconds, more than 0; none if there is only one.
    pub round_s: Option<u32>,
    /// The interval between requests to git repositories, in seconds; at least 60.
    pub poll_s: u32,
    /// The minimum time between two versions of the same person that are taken, in seconds.
    pub again_after_s: u32,
    /// The maximum size of the run's folder, in bytes; none = unlimited.
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

/// The times at which the games to be played are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// As soon as there are any.
    AtOnce,
    /// At every multiple of this many seconds since 1970-01-01T00:00:00Z. More than 0.
    Seconds(u32),
    /// Each day at this time, in seconds since midnight at this offset from UTC.
    Day {
        /// The time in seconds, less than 86,400.
        at_s: u32,
        /// The offset from UTC.
        offset: Offset,
    },
    /// Not before the final round.
    Deadline,
}

impl Every {
    /// The time of `nightly`: 2 o'clock UTC.
    pub const NIGHTLY: Self = Self::Day {
        at_s: 2 * 3600,
        offset: Offset::UTC,
    };

    /// Returns since when games may be played: the latest such time not after `now`.
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
            let reported = every.since(now).map(|since| since.to_string());
            assert_eq!(reported.as_deref(), since, "{every:?} at {now}");
        }
    }
}
