//! The table of a gauntlet: the results of each entrant against each opponent.

use super::final_table::{TextColumn, Worth, fit, signed};
use model::competition::Competition;
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use report::decimals;
use rulebook::JudgeError;
use rulebook::scoring::{Estimate, Paired, Sums, Unit, places_score};
use std::collections::BTreeMap;

/// The number of games and the score on each initial state: 1 for a win, ½ for a draw.
type States = BTreeMap<u32, (u64, Points)>;

struct PoolRow<'a> {
    entrant: &'a str,
    opponent: &'a str,
    tally: Tally,
    elo: String,
}

/// Draws a row for each opponent of each entrant; the hardest opponent comes first.
pub(crate) fn pool_table(
    competition: &Competition,
    ranked: &[&str],
    sums: &Sums,
    games: impl Iterator<Item = Result<MatchResult, JudgeError>>,
    columns: Option<usize>,
) -> Result<String, JudgeError> {
    let opponents = competition.schedule.opponents();
    let mut met: BTreeMap<[String; 2], States> = BTreeMap::new();
    for game in games {
        let game = game?;
        let [first, second] = &*game.seats else {
            continue;
        };
        for (seat, own, other) in [(0, first, second), (1, second, first)] {
            if opponents.contains(&other.entrant) {
                let both = [own, other].map(|one| one.entrant.clone());
                let states = met.entry(both).or_default();
                let (games, score) = states.entry(game.state).or_default();
                *games += 1;
                *score += places_score(&game.outcome, seat);
            }
        }
    }
    let mut rows = Vec::new();
    for entrant in ranked {
        let mut own: Vec<(&str, Tally)> = sums.against(entrant);
        own.retain(|(opponent, _)| opponents.iter().any(|name| name == opponent));
        let halves = |tally: &Tally| 2 * tally.wins + tally.draws;
        own.sort_by_key(|(_, tally)| {
            let score = i64::try_from(halves(tally)).unwrap_or(i64::MAX);
            Points::whole(score).times(1, tally.games)
        });
        rows.extend(own.into_iter().map(|(opponent, tally)| PoolRow {
            entrant,
            opponent,
            tally,
            elo: (met.get(&[entrant, opponent].map(str::to_owned))).map_or_else(String::new, elo),
        }));
    }
    Ok(drawn(ranked, &rows, columns))
}

/// Returns the Elo that the entrant has more than the opponent, as a match of the two has it.
fn elo(states: &States) -> String {
    let mut paired = Paired::default();
    for &(games, score) in states.values().filter(|(games, _)| *games == 2) {
        let lost = Points::whole(2) - score;
        paired.add(score.times(1, games), lost.times(1, games));
    }
    match Unit::Elo.estimate(&paired) {
        None => String::new(),
        Some(Estimate { value, .. }) if paired.has_no_variance() => signed(value, 0),
        Some(Estimate { value, low, high }) => {
            let [value, low, high] = [value, low, high].map(|elo| signed(elo, 0));
            format!("{value} ({low} to {high})")
        }
    }
}

fn drawn(ranked: &[&str], rows: &[PoolRow<'_>], columns: Option<usize>) -> String {
    let digits = decimals(rows.iter().map(|row| row.tally.points)).max(1);
    let column = |heading: &str, cell: &dyn Fn(&Tally) -> String| {
        TextColumn::of(heading, rows.iter().map(|row| cell(&row.tally)))
    };
    let mut behind = vec![
        (Worth::Always, column("games", &|sum| sum.games.to_string())),
        (Worth::Always, column("won", &|sum| sum.wins.to_string())),
        (Worth::Always, column("drawn", &|sum| sum.draws.to_string())),
        (Worth::Always, column("lost", &|sum| sum.losses.to_string())),
        (
            Worth::Cost,
            column("points", &|sum| format!("{:.digits$}", sum.points)),
        ),
        (Worth::Cost, column("faults", &|sum| sum.faults.to_string())),
    ];
    // It needs as many pairs as a match.
    if rows.iter().any(|row| !row.elo.is_empty()) {
        let elo = TextColumn::of("Elo (95 %)", rows.iter().map(|row| row.elo.clone()));
        behind.insert(5, (Worth::Certainty, elo));
    }
    let before = if let [_] = ranked {
        Vec::new()
    } else {
        let own = rows.iter().map(|row| row.entrant.to_owned());
        vec![(Worth::Always, TextColumn::of("entrant", own).left())]
    };
    let opponents: Vec<String> = rows.iter().map(|row| row.opponent.to_owned()).collect();
    fit([before, behind], ("against", &opponents, &[]), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::Schedule;
    use model::record::MatchRecord;
    use rulebook::scoring::Ranked;
    use serde_json::json;

    /// A game of two with places from 1 on.
    fn game(state: u32, seats: [(&str, u8); 2]) -> MatchResult {
        let sat = seats.map(|(name, _)| {
            json!({"entrant": name, "artifact": "", "seed": 0, "cpu_us": 0, "off_turn_us": 0,
                   "wall_us": 0, "uncharged_us": 0, "startup_wall_us": 0})
        });
        let is_drawn = seats[0].1 == seats[1].1;
        let outcomes = seats.map(|(_, place)| {
            let result = match (is_drawn, place) {
                (true, _) => "drawn",
                (false, 1) => "won",
                (false, _) => "lost",
            };
            json!({"result": result, "placement": place, "points": i64::from(place == 1), "tie_break": 0})
        });
        let record = json!({
            "v": model::FORMAT, "fixture": "0".repeat(32), "game": "g", "state": state, "setup": {}, "draw": "",
            "seats": sat, "turns": [], "faults": [], "end": "rules", "outcome": {"reason": "", "seats": outcomes},
        });
        let record: MatchRecord = serde_json::from_value(record).expect("a record");
        record.result()
    }

    #[test]
    fn each_opponent_has_row_and_hardest_comes_first() {
        let rules = rulebook::rules::find("connect-four").expect("registered");
        let mut competition = rulebook::standard(&*rules);
        let against = ["easy", "hard"].map(str::to_owned).to_vec();
        competition.schedule = Schedule::Gauntlet { against };
        let games = (0..8).flat_map(|state| {
            let wins = state < 2;
            [
                game(state, [("me", 1), ("easy", 2)]),
                game(state, [("easy", 1 + u8::from(state == 7)), ("me", 1)]),
                game(state, [("me", 2), ("hard", 1)]),
                game(
                    state,
                    [("hard", 1 + u8::from(wins)), ("me", 2 - u8::from(wins))],
                ),
            ]
        });
        let games: Vec<MatchResult> = games.collect();
        let mut sums = Sums::new(&competition.scoring, &[Ranked::of("me")]);
        for game in &games {
            sums.add(game);
        }
        let games = games.into_iter().map(Ok);
        let text = pool_table(&competition, &["me"], &sums, games, None).expect("no failure");
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "against  games  won  drawn  lost  points           Elo (95 %)  faults",
            "hard        16    2      0    14     2.0    -338 (-∞ to -168)       0",
            "easy        16    9      7     0    12.5  +221 (+167 to +286)       0",
        ];
        assert_eq!(lines, expected, "{text}");
    }
}
