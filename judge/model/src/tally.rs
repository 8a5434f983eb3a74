//! The totals of an entrant, the keys that rank a table, and the rules for ties that these leave.

use crate::numbers::{count, counted, so_many_points};
use crate::points::Points;
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;
use engines::GameInfo;
use serde::{Deserialize, Serialize};

/// A key that ranks a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankKey {
    /// More points, after the cost of CPU time.
    Points,
    /// More games won, alone or jointly.
    Wins,
    /// The better place in a game, on average.
    Placement,
    /// More of the game's tie-break count (captures).
    TieBreak,
}

impl RankKey {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Wins => "wins",
            Self::Placement => "placement",
            Self::TieBreak => "tie-break",
        }
    }

    /// Says why the key cannot order anybody in a game; none if it can.
    pub fn refused_for(self, game: &GameInfo) -> Option<String> {
        let counts_nothing = self == Self::TieBreak && game.tie_break.is_none();
        counts_nothing.then(|| format!("{} has no tie-break count", game.title))
    }
}

/// The totals of one entrant, in one role or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Games won, alone or jointly.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points, after the cost of CPU time.
    pub points: Points,
    /// The points taken off for CPU time.
    pub cpu_cost: Points,
    /// The sum of the places in all games. 1 is the best place in a game.
    pub places: u64,
    /// The sum of the game's tie-break counts (captures).
    pub tie_break: i64,
    /// CPU time charged, in microseconds.
    pub cpu_us: u64,
    /// The number of the entrant's faults.
    pub faults: u64,
    /// Games without an own fault that were played to their end, or until another's after an own move.
    pub faultless: u64,
}

impl Tally {
    /// Adds other totals of the same entrant.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.points += other.points;
        self.cpu_cost += other.cpu_cost;
        self.places += other.places;
        self.tie_break += other.tie_break;
        self.cpu_us += other.cpu_us;
        self.faults += other.faults;
        self.faultless += other.faultless;
    }

    /// Returns the totals without a part of them.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        Self {
            games: self.games - part.games,
            wins: self.wins - part.wins,
            draws: self.draws - part.draws,
            losses: self.losses - part.losses,
            points: self.points - part.points,
            cpu_cost: self.cpu_cost - part.cpu_cost,
            places: self.places - part.places,
            tie_break: self.tie_break - part.tie_break,
            cpu_us: self.cpu_us - part.cpu_us,
            faults: self.faults - part.faults,
            faultless: self.faultless - part.faultless,
        }
    }

    /// Compares two totals by one key. `Less` means that this one is ahead.
    pub fn compare(&self, other: &Self, key: RankKey) -> Ordering {
        match key {
            RankKey::Points => other.points.cmp(&self.points),
            RankKey::Wins => other.wins.cmp(&self.wins),
            RankKey::TieBreak => other.tie_break.cmp(&self.tie_break),
            // Compares mean places without dividing: a/b < c/d as a·d < c·b.
            RankKey::Placement => {
                let cross = |one: &Self, other: &Self| {
                    u128::from(one.places) * u128::from(other.games.max(1))
                };
                cross(self, other).cmp(&cross(other, self))
            }
        }
    }

    /// Compares two totals by all keys of a ranking. `Less` means that this one is ahead.
    pub fn compare_by(&self, other: &Self, ranking: &[RankKey]) -> Ordering {
        ranking
            .iter()
            .map(|&key| self.compare(other, key))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Returns the count of a key, negated for places: more is better.
    pub fn counted_by(&self, key: RankKey) -> Points {
        let whole = |count: u64| Points::whole(i64::try_from(count).expect("far below 2^63"));
        match key {
            RankKey::Points => self.points,
            RankKey::Wins => whole(self.wins),
            RankKey::Placement => Points::default() - whole(self.places),
            RankKey::TieBreak => Points::whole(self.tie_break),
        }
    }

    /// Returns the points before the cost of CPU time.
    pub fn base(&self) -> Points {
        let mut base = self.points;
        base += self.cpu_cost;
        base
    }

    /// Says how far this total leads another by one key: `2 wins more`.
    pub fn lead(&self, other: &Self, key: RankKey) -> String {
        match key {
            RankKey::Points if self.points > other.points => {
                format!("{} more", so_many_points(self.points - other.points))
            }
            RankKey::Points => format!("{} fewer", so_many_points(other.points - self.points)),
            RankKey::Wins if self.wins > other.wins => {
                format!("{} more", counted(self.wins - other.wins, "win"))
            }
            RankKey::Wins => format!("{} fewer", counted(other.wins - self.wins, "win")),
            RankKey::Placement => {
                let (own, other) = (self.mean_place(), other.mean_place());
                format!("{own} as the average place in a game, against {other}")
            }
            RankKey::TieBreak => {
                let (own, other) = (self.tie_break, other.tie_break);
                format!("{own} as the tie-break count, against {other}")
            }
        }
    }

    fn mean_place(&self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let mean = self.places as f64 / self.games.max(1) as f64;
        format!("{mean:.3}")
    }
}

/// A rule that decides between two entrants that the ranking leaves equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// More games won.
    Wins,
    /// Every game won against the other; only in games for two.
    HeadToHead,
    /// The better place in a game, on average.
    Placement,
    /// More of the game's tie-break count.
    TieBreak,
    /// Fewer lexer tokens of the source, if both were counted. The counts are published only for it.
    Tokens,
    /// Fewer faults.
    Faults,
}

const TIE_NAMES: [&str; 6] = [
    "wins",
    "head-to-head",
    "placement",
    "tie-break",
    "tokens",
    "faults",
];

impl Tie {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        TIE_NAMES[self as usize]
    }

    /// Says why the rule can decide nothing in a game; none if it can.
    pub fn refused_for(self, game: &GameInfo) -> Option<String> {
        let title = game.title;
        match self {
            Self::HeadToHead => (game.roles.len() > 2)
                .then(|| format!("head-to-head is only for games for two; {title} is for more")),
            Self::TieBreak => RankKey::TieBreak.refused_for(game),
            Self::Wins | Self::Placement | Self::Tokens | Self::Faults => None,
        }
    }

    /// Compares the totals, and the counted lexer tokens, of two entrants. `Less` means that the first one is
    /// ahead. `won_all` returns, for each of the two, whether it won every game against the other.
    pub fn compare(
        self,
        [one, other]: [&Tally; 2],
        tokens: [Option<u64>; 2],
        won_all: impl FnOnce() -> [bool; 2],
    ) -> Ordering {
        match self {
            Self::Wins => one.compare(other, RankKey::Wins),
            Self::HeadToHead => {
                let [first, second] = won_all();
                second.cmp(&first)
            }
            Self::Placement => one.compare(other, RankKey::Placement),
            Self::TieBreak => one.compare(other, RankKey::TieBreak),
            Self::Tokens => match tokens {
                [Some(first), Some(second)] => first.cmp(&second),
                // An entrant without a count cannot be compared.
                _ => Ordering::Equal,
            },
            Self::Faults => one.faults.cmp(&other.faults),
        }
    }

    /// Says why the rule puts the first of two ahead: `ann has 2 wins more`. `games` is the number of games
    /// between the two.
    pub fn explain(
        self,
        [better, worse]: [&str; 2],
        [first, second]: [&Tally; 2],
        tokens: [Option<u64>; 2],
        games: u64,
    ) -> String {
        let lead = |key| format!("{better} has {}", first.lead(second, key));
        let fewer = |what, numbers: [u64; 2]| {
            let [fewer, more] = numbers.map(count);
            format!("{better} has fewer {what}: {fewer}, against {more} of {worse}")
        };
        match self {
            Self::Wins => lead(RankKey::Wins),
            Self::HeadToHead => {
                let games = match games {
                    1 => "its only game".to_owned(),
                    2 => "both games".to_owned(),
                    games => format!("all {games} games"),
                };
                format!("{better} won {games} against {worse}")
            }
            Self::Placement => lead(RankKey::Placement),
            Self::TieBreak => lead(RankKey::TieBreak),
            Self::Tokens => fewer("tokens", tokens.map(Option::unwrap_or_default)),
            Self::Faults => fewer("faults", [first.faults, second.faults]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_tie_rule_has_distinct_serialisable_name() {
        for (number, name) in TIE_NAMES.into_iter().enumerate() {
            let holds = !TIE_NAMES[..number].contains(&name);
            assert!(holds, "{name} is there twice");
            let quoted = format!("{name:?}");
            let tie: Tie = serde_json::from_str(&quoted).expect("known");
            assert_eq!(tie.name(), name);
            assert_eq!(serde_json::to_string(&tie).expect("plain data"), quoted);
        }
        let unknown = serde_json::from_str::<Tie>("\"age\"").expect_err("no rule");
        let reported = unknown.to_string();
        assert!(
            reported.starts_with("unknown variant `age`, expected one of `wins`, `head-to-head`")
        );
    }
}
