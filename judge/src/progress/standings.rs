//! The tables of standings, and of a gauntlet.

use super::table::{TextColumn, Worth, fit};
use model::competition::{Competition, Scoring};
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use report::{close_totals, decimals, interval_meaning, no_prize, no_result, ranked_by};
use rulebook::Result;
use rulebook::scoring::{
    Estimate, Paired, Rating, Standing, StandingsTable, Sums, Unit, places_score,
};
use std::collections::BTreeMap;
use std::time::Duration;
use store::manifest::EntrantLine;

/// Draws the standings as a table with notes below it, in `columns` if there is such a width, and else
/// in 80 for names of ordinary length. standings.csv has all columns.
pub fn final_table(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
    entrants: &[EntrantLine],
    columns: Option<usize>,
) -> String {
    let [before, mut behind] = columns_around(competition, roles, table);
    let mut names: Vec<String> = lines(table).map(|line| line.entrant.to_owned()).collect();
    let mut reasons = Vec::new();
    for [entrant, grade, reason] in without_rank(&competition.scoring, table, entrants) {
        if competition.scoring.grades.is_some()
            && let Some((_, grades)) = behind.last_mut()
        {
            grades.cells.push(grade);
        }
        names.push(entrant);
        reasons.push(reason);
    }
    let text = fit([before, behind], ("entrant", &names, &reasons), columns);
    let mut notes = notes(competition, table);
    if shows_elo(roles, table) {
        let rating = "Elo: strength with half its 95 % interval; 0 is the mean of all who played";
        notes.push(rating.to_owned());
    }
    format!("{text}\n{}", notes.join("\n"))
}

/// Returns name, grade and reason of each entrant without a rank.
fn without_rank(
    scoring: &Scoring,
    table: &StandingsTable,
    entrants: &[EntrantLine],
) -> impl Iterator<Item = [String; 3]> {
    let removed = table.removed.iter().map(|removed| {
        let reason = format!("disqualified and removed: {}", removed.reason);
        let grade = removed.grade.clone().unwrap_or_default();
        [removed.entrant.clone(), grade, reason]
    });
    let others = no_result(entrants).filter_map(|(entrant, result)| {
        let (kind, reason) = result.problem()?;
        let grade = result.grade(scoring).unwrap_or_default().to_owned();
        Some([entrant.to_owned(), grade, format!("{kind}: {reason}")])
    });
    removed.chain(others)
}

/// Returns the columns before the names, and those behind; grades are the last.
fn columns_around(
    competition: &Competition,
    roles: &[&str],
    table: &StandingsTable,
) -> [Vec<(Worth, TextColumn)>; 2] {
    use Worth::{Always, ByRole, Certainty, Cost};
    let scoring = &competition.scoring;
    let of = |worth, heading: &str, cell: &dyn Fn(TableLine<'_>) -> String| {
        (worth, TextColumn::of(heading, lines(table).map(cell)))
    };
    // Empty for entrants without a rank.
    let ranked = |worth, heading, cell: &dyn Fn(&Standing) -> Option<String>| {
        of(worth, heading, &|line| {
            line.ranked.and_then(cell).unwrap_or_default()
        })
    };
    let mut before = vec![ranked(Always, "rank", &|row| Some(row.rank.to_string()))];
    if table.silent.is_none() {
        before.push(ranked(Certainty, "95 %", &|row| {
            let ranks = row.uncertainty.as_ref()?;
            Some(interval(ranks.rank_best, ranks.rank_worst))
        }));
    }
    let mut behind = Vec::new();
    // Numbers as roles say little, and more than two roles would not fit.
    let is_word = |role: &&str| role.chars().all(char::is_alphabetic);
    if roles.len() == 2 && roles.iter().all(is_word) {
        for (seat, role) in roles.iter().enumerate() {
            behind.push(of(ByRole, role, &|line| {
                format!("{:.1}", line.by_role[seat].points)
            }));
        }
    }
    let decimals = total_decimals(table);
    behind.extend([
        of(Always, "total", &|line| {
            format!("{:.decimals$}", line.total.points)
        }),
        of(Always, "wins", &|line| line.total.wins.to_string()),
    ]);
    if shows_elo(roles, table) {
        behind.push(of(Certainty, "Elo", &|line| rating(table, line.entrant)));
    }
    behind.extend([
        of(Always, "faults", &|line| line.total.faults.to_string()),
        of(Cost, "CPU s", &|line| {
            let cpu = Duration::from_micros(line.total.cpu_us);
            format!("{:.2}", cpu.as_secs_f64())
        }),
    ]);
    if !scoring.podium.is_empty() {
        behind.push(ranked(Always, "place", &|row| Some(row.place.to_string())));
    }
    if !scoring.prizes.is_empty() {
        behind.push(ranked(Always, "prize", &|row| Some(row.prize?.to_string())));
    }
    if scoring.graded_games().is_some() {
        behind.push(ranked(Always, "graded", &|row| {
            Some(format!("{:.1}", row.graded.as_ref()?.points))
        }));
    }
    if scoring.grades.is_some() {
        behind.push(ranked(Always, "grade", &|row| row.grade.clone()));
    }
    [before, behind]
}

/// Returns whether a table has strengths on Elo's scale. Games for two have them.
fn shows_elo(roles: &[&str], table: &StandingsTable) -> bool {
    roles.len() == 2 && table.silent.is_none()
}

/// Returns the strength of an entrant with half its interval. An unbounded one is left out.
fn rating(table: &StandingsTable, entrant: &str) -> String {
    let strengths = table.strengths.as_ref();
    let Some(Rating { elo, low, high }) = strengths.and_then(|all| all.rating(entrant)) else {
        return String::new();
    };
    let half = low
        .zip(high)
        .map(|(low, high)| format!(" ±{:.0}", (high - low) / 2.0));
    format!("{}{}", signed(elo, 0), half.unwrap_or_default())
}

/// Formats a number with its sign; zero has none.
pub(crate) fn signed(number: f64, digits: usize) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "+∞" } else { "-∞" }.to_owned();
    }
    let text = format!("{:.digits$}", number.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    match number {
        _ if is_zero => text,
        number if number < 0.0 => format!("-{text}"),
        _ => format!("+{text}"),
    }
}

fn total_decimals(table: &StandingsTable) -> usize {
    decimals(lines(table).map(|line| line.total.points)).max(1)
}

struct TableLine<'a> {
    entrant: &'a str,
    by_role: &'a [Tally],
    total: &'a Tally,
    ranked: Option<&'a Standing>,
}

fn lines(table: &StandingsTable) -> impl Iterator<Item = TableLine<'_>> {
    let ranked = table.rows.iter().map(|row| TableLine {
        entrant: &row.entrant,
        by_role: &row.by_role,
        total: &row.total,
        ranked: Some(row),
    });
    let unranked = table.unranked.iter().map(|row| TableLine {
        entrant: &row.entrant,
        by_role: &row.by_role,
        total: &row.total,
        ranked: None,
    });
    ranked.chain(unranked)
}

pub(super) fn interval(best: usize, worst: usize) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// Lists what the table lacks: the disqualified, who has no prize and why, how certain the ranks are.
fn notes(competition: &Competition, table: &StandingsTable) -> Vec<String> {
    let scoring = &competition.scoring;
    let mut notes = Vec::new();
    let mut add = |note: &dyn Fn(&Standing) -> Option<String>| {
        let own = |row: &Standing| Some(format!("{}: {}", row.entrant, note(row)?));
        notes.extend(table.rows.iter().filter_map(own));
    };
    add(&|row| Some(format!("disqualified: {}", row.disqualified.as_ref()?)));
    add(&|row| Some(format!("no prize: {}", no_prize(row)?)));
    let shown = "submitted after games on these initial states had been shown";
    add(&|row| row.knew_draw.then(|| shown.to_owned()));
    if !table.unranked.is_empty() {
        notes.push("built-in bots take no rank (rank_builtins)".to_owned());
    }
    notes.push(ranked_by(&competition.scoring));
    notes.extend(close_totals(scoring, total_decimals(table)));
    notes.push(match &table.silent {
        None => format!("95 %: {}", interval_meaning(competition)),
        Some(reason) => format!("no confidence intervals for the ranks: {reason}"),
    });
    notes
}

/// The number of games and the score on each initial state. A draw is ½.
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
    games: impl Iterator<Item = Result<MatchResult>>,
    columns: Option<usize>,
) -> Result<String> {
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
            Points::whole(i64::try_from(halves(tally)).unwrap_or(i64::MAX)).times(1, tally.games)
        });
        rows.extend(own.into_iter().map(|(opponent, tally)| PoolRow {
            entrant,
            opponent,
            tally,
            elo: (met.get(&[entrant, opponent].map(str::to_owned))).map_or_else(String::new, elo),
        }));
    }
    let digits = decimals(rows.iter().map(|row| row.tally.points)).max(1);
    let column = |worth, heading: &str, cell: &dyn Fn(&PoolRow<'_>) -> String| {
        (worth, TextColumn::of(heading, rows.iter().map(cell)))
    };
    let number = |worth, heading, number: fn(&Tally) -> u64| {
        column(worth, heading, &|row| number(&row.tally).to_string())
    };
    let mut behind = vec![
        number(Worth::Always, "games", |sum| sum.games),
        number(Worth::Always, "won", |sum| sum.wins),
        number(Worth::Always, "drawn", |sum| sum.draws),
        number(Worth::Always, "lost", |sum| sum.losses),
        column(Worth::Cost, "points", &|row| {
            format!("{:.digits$}", row.tally.points)
        }),
    ];
    // It needs as many pairs as a match.
    if rows.iter().any(|row| !row.elo.is_empty()) {
        behind.push(column(Worth::Certainty, "Elo (95 %)", &|row| {
            row.elo.clone()
        }));
    }
    behind.push(number(Worth::Cost, "faults", |sum| sum.faults));
    let mut before = Vec::new();
    if ranked.len() != 1 {
        let own = rows.iter().map(|row| row.entrant.to_owned());
        before.push((Worth::Always, TextColumn::of("entrant", own).left()));
    }
    let opponents: Vec<String> = rows.iter().map(|row| row.opponent.to_owned()).collect();
    Ok(fit([before, behind], ("against", &opponents, &[]), columns))
}

/// Returns how much more Elo the entrant has than the opponent, as in a match.
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
