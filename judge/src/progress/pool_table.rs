//! The table of a gauntlet: the results of each entrant against each opponent.

use super::final_table::{TextColumn, Worth, fit, signed};
use model::competition::{Competition, Scoring};
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use report::decimals;
use rulebook::JudgeError;
use rulebook::scoring::{Estimate, Paired, Unit, places_score, tally};
use std::collections::BTreeMap;

/// The results of an entrant against an opponent.
#[derive(Default)]
struct Met {
    tally: Tally,
    /// The sum of its scores: 1 for a win, ½ for a draw.
    score: Points,
    /// The number of games and the score on each initial state.
    states: BTreeMap<u32, (u64, Points)>,
}

impl Met {
    fn add(&mut self, scoring: &Scoring, game: &MatchResult, seat: usize) {
        let score = places_score(game, seat);
        self.tally.add(&tally(scoring, game, seat));
        self.score += score;
        let (games, sum) = self.states.entry(game.state).or_default();
        *games += 1;
        *sum += score;
    }

    /// Returns the Elo that the entrant has more than the opponent, as a match of the two has it.
    fn elo(&self) -> String {
        let mut paired = Paired::default();
        for &(games, score) in self.states.values().filter(|(games, _)| *games == 2) {
            let lost = Points::whole(2) - score;
            paired.add(score.times(1, games), lost.times(1, games));
        }
        match Unit::Elo.estimate(&paired) {
            None => String::new(),
            Some(Estimate { value, .. }) if paired.is_alike() => signed(value, 0),
            Some(Estimate { value, low, high }) => {
                let [value, low, high] = [value, low, high].map(|elo| signed(elo, 0));
                format!("{value} ({low} to {high})")
            }
        }
    }
}

/// Draws a row for each opponent of each of the entrants, which are in the order of the table. The
/// opponent that an entrant scored least against comes first.
pub fn pool_table(
    competition: &Competition,
    ranked: &[&str],
    games: impl Iterator<Item = Result<MatchResult, JudgeError>>,
    columns: Option<usize>,
) -> Result<String, JudgeError> {
    let mut met: BTreeMap<(usize, String), Met> = BTreeMap::new();
    for game in games {
        let game = game?;
        let [first, second] = &*game.seats else {
            continue;
        };
        for (seat, own, other) in [(0, first, second), (1, second, first)] {
            let place = ranked.iter().position(|name| *name == own.entrant);
            let is_met = competition.schedule.opponents().contains(&other.entrant);
            if let Some(place) = place.filter(|_| is_met) {
                let met = met.entry((place, other.entrant.clone())).or_default();
                met.add(&competition.scoring, &game, seat);
            }
        }
    }
    let mut rows: Vec<((usize, String), Met)> = met.into_iter().collect();
    let share = |met: &Met| met.score.times(1, met.tally.games);
    rows.sort_by(|((a, _), one), ((b, _), other)| a.cmp(b).then(share(one).cmp(&share(other))));
    Ok(drawn(ranked, &rows, columns))
}

fn drawn(ranked: &[&str], rows: &[((usize, String), Met)], columns: Option<usize>) -> String {
    let points = rows.iter().map(|(_, met)| met.tally.points);
    let digits = decimals(points).max(1);
    let column = |heading: &str, cell: &dyn Fn(&Met) -> String| {
        TextColumn::of(heading, rows.iter().map(|(_, met)| cell(met)))
    };
    let mut behind = vec![
        (
            Worth::Always,
            column("games", &|met| met.tally.games.to_string()),
        ),
        (
            Worth::Always,
            column("won", &|met| met.tally.wins.to_string()),
        ),
        (
            Worth::Always,
            column("drawn", &|met| met.tally.draws.to_string()),
        ),
        (
            Worth::Always,
            column("lost", &|met| met.tally.losses.to_string()),
        ),
        (
            Worth::Cost,
            column("points", &|met| format!("{:.digits$}", met.tally.points)),
        ),
        (
            Worth::Cost,
            column("faults", &|met| met.tally.faults.to_string()),
        ),
    ];
    // It needs as many pairs as a match.
    if rows.iter().any(|(_, met)| !met.elo().is_empty()) {
        behind.insert(5, (Worth::Certainty, column("Elo (95 %)", &Met::elo)));
    }
    let names =
        |heading: &str, cells: Vec<String>| TextColumn::of(heading, cells.into_iter()).left();
    let own = rows.iter().map(|((place, _), _)| ranked[*place].to_owned());
    let before = match ranked {
        [_] => Vec::new(),
        _ => vec![(Worth::Always, names("entrant", own.collect()))],
    };
    let opponents: Vec<String> = rows.iter().map(|((_, name), _)| name.clone()).collect();
    fit([before, behind], ("against", &opponents, &[]), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::Schedule;
    use model::record::MatchRecord;
    use serde_json::json;

    /// A game of two with places from 1 on.
    fn game(state: u32, seats: [(&str, u8); 2]) -> Result<MatchResult, JudgeError> {
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
        Ok(record.result())
    }

    #[test]
    fn each_opponent_has_a_row_and_the_hardest_comes_first() {
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
        let text = pool_table(&competition, &["me"], games, None).expect("no failure");
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "against  games  won  drawn  lost  points            Elo (95 %)  faults",
            "hard        16    2      0    14     2.0  -338 (-∞ to -168)       0",
            "easy        16    9      7     0    16.0  +221 (+167 to +286)       0",
        ];
        assert_eq!(lines, expected, "{text}");
    }
}
