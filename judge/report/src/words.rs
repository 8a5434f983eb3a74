//! Words and digits that tables, pages and the terminal share, and the winners as they are announced.

use model::competition::{Competition, Scoring};
use model::numbers::{counted, so_many_points};
use model::points::Points;
use model::tally::RankKey;
use model::text::listed;
use rulebook::schedule;
use rulebook::scoring::{Alarm, Change, Standing, StandingsTable};

const PRACTICE: &str = "practice/";

pub(crate) fn practice_number(round: &str) -> Option<&str> {
    round.strip_prefix(PRACTICE)
}

/// Returns the practice round of a competition in words; `None` for the final round.
pub fn practice_round(competition: &Competition) -> Option<String> {
    let number = practice_number(&competition.round);
    number.map(|number| format!("practice round {number}"))
}

/// Returns the title, such as `Cat Contest, practice round 3`. The final round is not named.
pub fn titled(competition: &Competition) -> String {
    let title = &competition.title;
    practice_round(competition).map_or_else(|| title.clone(), |round| format!("{title}, {round}"))
}

/// Returns whether several initial states are all the same, so that they only number repetitions.
pub fn has_one_start(competition: &Competition) -> bool {
    competition.states > 1 && !schedule::states_differ(competition).unwrap_or(true)
}

/// Explains the interval of a rank.
pub fn interval_meaning(competition: &Competition) -> String {
    let drawn = if schedule::states_differ(competition).unwrap_or(true) {
        "if the initial states were drawn again"
    } else {
        "if the repetitions of the same initial state were drawn again"
    };
    format!("confidence interval of the rank, {drawn}")
}

/// Joins texts of an iterator.
pub(crate) fn joined<T: ToString>(parts: impl IntoIterator<Item = T>, between: &str) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    parts.join(between)
}

const DECIMALS_MAX: usize = 6;

/// Returns the number of decimals that points need in a table: none if all are whole, else as many
/// as tell different ones apart, which is one in most tables.
pub fn decimals(points: impl Iterator<Item = Points>) -> usize {
    let mut all: Vec<Points> = points.collect();
    all.sort_unstable();
    all.dedup();
    if all.iter().all(|points| !points.to_string().contains('.')) {
        return 0;
    }
    let looks_equal = |two: &[Points], digits: usize| {
        format!("{:.digits$}", two[0]) == format!("{:.digits$}", two[1])
    };
    let tells_apart = |digits: &usize| !all.windows(2).any(|two| looks_equal(two, *digits));
    (1..DECIMALS_MAX).find(tells_apart).unwrap_or(DECIMALS_MAX)
}

/// Explains why totals have more than one decimal. Returns `None` if they do not.
pub fn close_totals(scoring: &Scoring, decimals: usize) -> Option<String> {
    let remedy = match (scoring.points_per_cpu_second, scoring.cpu_step_ms) {
        (0.0, _) | (_, 1..) => "",
        _ => "; they are apart by CPU time, which cpu_step_ms in [scoring] would round",
    };
    (decimals > 1).then(|| {
        format!("totals have {decimals} decimals because some differ in no other place{remedy}")
    })
}

pub(crate) const PODIUM_PLACES: usize = 3;
/// Maximum number of winners if most entrants are among them.
const LISTED_MAX: usize = 10;

pub(crate) fn prize_words(prize: u32) -> String {
    counted(prize, "prize point")
}

pub(crate) fn is_fit(table: &StandingsTable, one: &Standing) -> bool {
    one.disqualified.is_none() && table.standings.meets_prize_needs(&one.entrant)
}

fn is_on_podium(scoring: &Scoring, one: &Standing) -> bool {
    !scoring.podium.is_empty() && one.place <= PODIUM_PLACES
}

fn prize(one: &Standing) -> Option<u32> {
    one.prize.filter(|prize| *prize > 0)
}

/// Lists the entrants that get something, by place. Without prizes and rules for a podium, nobody
/// does. If many and most do, only the podium or the highest prize counts.
fn winners<'a>(scoring: &Scoring, table: &'a StandingsTable) -> Vec<&'a Standing> {
    let fit: Vec<&Standing> = table.rows.iter().filter(|one| is_fit(table, one)).collect();
    let gets_something = |one: &Standing| prize(one).is_some() || is_on_podium(scoring, one);
    let mut winners = fit.clone();
    winners.retain(|one| one.total.games > 0 && gets_something(one));
    if winners.len() > LISTED_MAX && winners.len() * 2 > fit.len() {
        let most = winners.iter().filter_map(|one| prize(one)).max();
        winners.retain(|one| match scoring.podium.as_slice() {
            [] => prize(one) == most,
            _ => is_on_podium(scoring, one),
        });
        if winners.len() == fit.len() {
            winners.clear();
        }
    }
    winners
}

/// The winners in words. `public` returns the name to announce.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcement {
    /// A line for each winner, by place.
    pub list: Vec<String>,
    /// The winners in one line, or the winners by two readings of the rules.
    pub lines: Vec<String>,
}

impl Announcement {
    /// Returns whether there is somebody to announce, so that public names are needed.
    pub fn is_due(competition: &Competition, table: &StandingsTable) -> bool {
        let are_winners = !winners(&competition.scoring, table).is_empty();
        are_winners || other_winners(competition, table).is_some()
    }

    /// Announces the winners of a table.
    pub fn new(
        competition: &Competition,
        table: &StandingsTable,
        public: &dyn Fn(&str) -> String,
    ) -> Self {
        let winners = winners(&competition.scoring, table);
        let list = winners.iter().map(|winner| {
            let prize = prize(winner).map(|prize| format!(", {}", prize_words(prize)));
            let name = public(&winner.entrant);
            format!("{}. {name}{}", winner.place, prize.unwrap_or_default())
        });
        let on_podium = winners
            .iter()
            .filter(|winner| is_on_podium(&competition.scoring, winner))
            .map(|winner| format!("{}. {}", winner.place, public(&winner.entrant)));
        let podium = Some(joined(on_podium, ", ")).filter(|podium| !podium.is_empty());
        let lines = podium.map(|podium| format!("podium: {podium}")).into_iter();
        Self {
            list: list.collect(),
            lines: lines
                .chain(two_readings(competition, table, public))
                .collect(),
        }
    }
}

/// Lists the entrants with the most games won, or the most points where another key comes first. `None` if they
/// have the first rank anyway, or if entrants do not play each other.
fn other_winners<'a>(
    competition: &Competition,
    table: &'a StandingsTable,
) -> Option<Vec<&'a Standing>> {
    let changed: Vec<&Alarm> = table
        .alarms
        .iter()
        .filter(|alarm| matches!(alarm.change, Change::WinsFirst | Change::PointsFirst))
        .collect();
    let then = |one: &Standing| {
        let alarm = changed.iter().find(|alarm| alarm.entrant == one.entrant);
        alarm.map_or(one.rank, |alarm| alarm.then.rank)
    };
    if changed.is_empty() || !competition.schedule.opponents().is_empty() {
        return None;
    }
    let rows = table.rows.iter();
    let best = rows.clone().find(|one| then(one) == 1)?;
    let key = other_key(competition);
    let is_equal = |one: &&Standing| {
        one.disqualified.is_none() && one.total.compare_by(&best.total, &[key]).is_eq()
    };
    Some(rows.filter(is_equal).collect())
}

fn other_key(competition: &Competition) -> RankKey {
    match competition.scoring.ranking[0] {
        RankKey::Points => RankKey::Wins,
        RankKey::Wins | RankKey::Placement | RankKey::TieBreak => RankKey::Points,
    }
}

fn two_readings(
    competition: &Competition,
    table: &StandingsTable,
    public: &dyn Fn(&str) -> String,
) -> Option<String> {
    let others = other_winners(competition, table)?;
    let (first, other) = (competition.scoring.ranking[0], other_key(competition));
    let best: Vec<&Standing> = table.rows.iter().filter(|one| one.rank == 1).collect();
    let named = |key: RankKey, standings: &[&Standing]| {
        let names: Vec<String> = standings.iter().map(|one| public(&one.entrant)).collect();
        let total = standings.first().map(|one| &one.total);
        let (called, count) = match (key, total) {
            (RankKey::Wins, _) => ("games won", total.map(|total| counted(total.wins, "win"))),
            (RankKey::Points, _) => (key.name(), total.map(|total| so_many_points(total.points))),
            _ => (key.name(), None),
        };
        let amount = count.map(|count| format!(" ({count})")).unwrap_or_default();
        format!("by {called}: {}{amount}", listed(&names))
    };
    Some(format!(
        "winner {}; {}",
        named(first, &best),
        named(other, &others)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_names_practice_round_but_not_final() {
        let mut competition =
            rulebook::standard(&*rulebook::rules::find("reversi").expect("registered"));
        let title = competition.title.clone();
        assert_eq!(titled(&competition), title);
        competition.round = "practice/3".to_owned();
        assert_eq!(titled(&competition), format!("{title}, practice round 3"));
    }

    #[test]
    fn different_points_get_enough_decimals_to_differ() {
        let needed = |micros: &[i64]| decimals(micros.iter().copied().map(Points::from));
        assert_eq!(needed(&[]), 0);
        assert_eq!(needed(&[2_000_000, 3_000_000, 3_000_000]), 0);
        assert_eq!(needed(&[2_000_000, 3_500_000]), 1);
        assert_eq!(needed(&[2_394_951_000, 2_394_962_000]), 2);
        assert_eq!(needed(&[2_395_000_400, 2_394_999_900]), 4);
        let found = needed(&[2_395_000_001, 2_395_000_001, 1]);
        assert_eq!(found, 1, "equal points look equal");
        assert_eq!(needed(&[1, 2]), 6);
    }

    #[test]
    fn more_decimals_are_explained() {
        let mut scoring = Scoring::plain();
        assert_eq!(close_totals(&scoring, 1), None);
        let plain = "totals have 3 decimals because some differ in no other place";
        assert_eq!(close_totals(&scoring, 3).as_deref(), Some(plain));
        scoring.points_per_cpu_second = 1.0;
        let reported = close_totals(&scoring, 3).expect("a note");
        let holds = reported.starts_with(plain) && reported.contains("cpu_step_ms");
        assert!(holds, "{reported}");
        scoring.cpu_step_ms = 10;
        assert_eq!(close_totals(&scoring, 3).as_deref(), Some(plain));
    }
}
