//! The games of one entrant that need explaining.

use super::own_games::{Case, Loss, Places};
use model::numbers::{count, counted, so_many_points};
use model::points::Points;
use model::tally::Tally;

/// Maximum number of lost games listed.
const LOSSES_MAX: usize = 5;
/// Maximum number of opponents listed.
const OPPONENTS_MAX: usize = 20;

pub(super) fn faults(case: &Case<'_>) -> Vec<String> {
    let own = case.own;
    let mut lines = Vec::new();
    for (game, line) in &own.faults {
        lines.push(line.clone());
        let command = (case.commands.repeat)(*game);
        lines.push(format!("    to play it again: {command}"));
    }
    if let Some(more @ 1..) = own.faults_all.checked_sub(own.faults.len() as u64) {
        lines.push(format!("and {} more: see faults.csv", count(more)));
    }
    lines
}

/// Lists the lost games with the greatest deficit in points to the best at the table. Of equal
/// ones, those against the entrants with the lowest places come first.
pub(super) fn losses(case: &Case<'_>) -> Vec<String> {
    let rank = |loss: &Loss| case.table.row(&loss.opponents).map(|row| row.standing.rank);
    let mut losses: Vec<&Loss> = case.own.losses.iter().collect();
    losses.sort_by(|a, b| {
        let behind = b.behind.cmp(&a.behind);
        behind
            .then_with(|| rank(b).cmp(&rank(a)))
            .then(a.game.cmp(&b.game))
    });
    let mut lines = Vec::new();
    for loss in losses.iter().take(LOSSES_MAX) {
        let Loss {
            game,
            role,
            opponents,
            ..
        } = loss;
        lines.push(format!(
            "game {game}, as {role} against {opponents}: {}, {}; {}",
            so_many_points(loss.own),
            deficit(loss.behind),
            loss.end
        ));
        let command = (case.commands.watch)(*game);
        lines.push(format!("    to watch it: {command}"));
    }
    if let Some(more @ 1..) = losses.len().checked_sub(LOSSES_MAX) {
        lines.push(format!("and {} more: see games.csv", count(more as u64)));
    }
    lines
}

/// Describes a loser's deficit; by some formulas the loser has as many points as the winner, or
/// more.
fn deficit(behind: Points) -> String {
    if behind == Points::default() {
        "and nobody had more".to_owned()
    } else {
        format!("{} behind", so_many_points(behind))
    }
}

/// Lists opponents, the entrant's worst results first. These are the results with the fewest points
/// a game; in games for more than two, with the opponents that most often finished ahead of it.
pub(super) fn opponents(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing.entrant;
    let mut against = case.table.sums.against(own);
    // Compares a/b < c/d as a·d < c·b, without dividing.
    let fewer = |a: &Tally, b: &Tally| {
        let cross = |one: &Tally, other: &Tally| one.points.times(other.games, 1);
        cross(a, b).cmp(&cross(b, a))
    };
    let met = |name: &str| case.own.met.get(name).copied();
    let share = |name: &str| met(name).unwrap_or_default().percent();
    against.sort_by(|a, b| {
        let placed = share(a.0).total_cmp(&share(b.0));
        placed
            .then_with(|| fewer(&a.1, &b.1))
            .then_with(|| a.0.cmp(b.0))
    });
    let mut lines: Vec<String> = against
        .iter()
        .take(OPPONENTS_MAX)
        .map(|(name, tally)| {
            let games = counted(tally.games, "game");
            let (chance, points) = (chance(case, name), so_many_points(tally.points));
            match met(name) {
                Some(places) => {
                    format!(
                        "{name}: {games}, {}; {points} in them{chance}",
                        placed(places)
                    )
                }
                None => format!(
                    "{name}: {games}, {} won, {} drawn, {} lost: {points}{chance}",
                    tally.wins, tally.draws, tally.losses
                ),
            }
        })
        .collect();
    if let Some(more @ 1..) = against.len().checked_sub(OPPONENTS_MAX) {
        lines.push(format!("and {more} more, with better results"));
    }
    if case.table.strengths.is_some() && !against.is_empty() {
        lines.push(meaning_of_chance(case).to_owned());
    }
    lines
}

/// Formats places: `ahead 7 times, level once, behind 0 times (94 %)`.
fn placed(places: Places) -> String {
    let times = |count: u64| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    };
    let level = match places.level {
        0 => String::new(),
        level => format!(", level {}", times(level)),
    };
    format!(
        "ahead {}{level}, behind {} ({:.0} %)",
        times(places.before),
        times(places.after),
        places.percent()
    )
}

/// Describes how often the entrant would win, estimated from all results of the table.
fn chance(case: &Case<'_>, name: &str) -> String {
    let strengths = case.table.strengths.as_ref();
    let own = &case.row.standing.entrant;
    match strengths.and_then(|strengths| strengths.chance(own, name)) {
        Some(chance) => format!("; expected {:.0} %", chance * 100.0),
        None => String::new(),
    }
}

/// Explains the output of [`chance`].
fn meaning_of_chance(case: &Case<'_>) -> &'static str {
    if case.own.met.is_empty() {
        "expected: how often it would win against this opponent, estimated from all results"
    } else {
        "expected: how often it would finish ahead of this opponent, estimated from all results"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_with_the_share_that_the_page_shows() {
        let mut places = Places::default();
        for other in [2, 3, 4, 1, 4, 2, 3, 4] {
            places.add(1, other);
        }
        let told = placed(places);
        assert_eq!(told, "ahead 7 times, level once, behind 0 times (94 %)");
        places.add(2, 1);
        assert_eq!((places.before, places.level, places.after), (7, 1, 1));
    }
}
