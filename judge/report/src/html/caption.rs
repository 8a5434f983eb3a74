//! One sentence why a featured game is worth watching. It does not say who wins.

use super::gather::{Feature, GameSummary};
use super::phrases;
use crate::replay::Replay;
use engines::Better;
use std::cmp::Ordering;

/// Returns the sentence. `ranks` are those of the ranked entrants, in their order; `better` is the
/// direction of the game's count for spectators, if it has one. `is_close` says whether other games
/// ended with a larger margin.
pub(super) fn caption(
    feature: Feature,
    game: &GameSummary,
    ranks: &[usize],
    is_close: bool,
    (replay, better): (&Replay, Option<Better>),
) -> String {
    let why = why(feature, game, ranks, is_close);
    phrases::sentence(&format!("{why}; {}", course(replay, better)))
}

fn why(feature: Feature, game: &GameSummary, ranks: &[usize], is_close: bool) -> String {
    match (feature, game.margin) {
        (Feature::Top, _) => best(game.seats(), ranks),
        (Feature::Closest, Some(margin)) if is_close => {
            format!(
                "only {} apart at the end",
                phrases::counted(margin, "point")
            )
        }
        (Feature::Closest, _) => "a long game between good entrants".to_owned(),
        (Feature::Upset, _) => format!("{}, and the lower one wins", ranks_of(game.seats(), ranks)),
        (Feature::Longest, _) => "the longest game".to_owned(),
    }
}

/// Says how good the entrants of a game are.
fn best(seats: &[usize], ranks: &[usize]) -> String {
    let mut sorted = seats.to_vec();
    sorted.sort_unstable();
    let is_best = sorted.iter().copied().eq(0..seats.len());
    match (is_best, seats.len()) {
        (true, 2) => "the two best of the table".to_owned(),
        (true, _) => "the best of the table".to_owned(),
        (false, _) => format!("the best of the table that met: {}", ranks_of(seats, ranks)),
    }
}

fn ranks_of(seats: &[usize], ranks: &[usize]) -> String {
    let mut own: Vec<usize> = seats
        .iter()
        .filter_map(|&seat| ranks.get(seat).copied())
        .collect();
    own.sort_unstable();
    let names: Vec<String> = own.iter().map(usize::to_string).collect();
    match &names[..] {
        [before @ .., last] if !before.is_empty() => {
            format!("ranks {} and {last}", before.join(", "))
        }
        _ => format!("rank {}", names.concat()),
    }
}

/// Says how the lead went from one side to the other, in games for two.
fn course(replay: &Replay, better: Option<Better>) -> String {
    let turns = replay.steps.len();
    let counts =
        std::iter::once(&replay.first_counts).chain(replay.steps.iter().map(|step| &step.counts));
    let leads: Vec<Ordering> = counts.filter_map(|counts| lead(counts, better?)).collect();
    let length = phrases::counted(turns as u64, "turn");
    let is_told = leads.len() == turns + 1 && leads.iter().any(|lead| lead.is_ne());
    if !is_told {
        return length;
    }
    let led: Vec<(usize, Ordering)> = leads
        .iter()
        .enumerate()
        .filter(|(_, lead)| lead.is_ne())
        .map(|(turn, lead)| (turn, *lead))
        .collect();
    let changes: Vec<usize> = led
        .windows(2)
        .filter(|two| two[0].1 != two[1].1)
        .map(|two| two[1].0)
        .collect();
    match changes[..] {
        [] if led[0].0 == 0 => format!("one side is ahead in all of its {length}"),
        [] => format!("one side leads from turn {} of {turns} on", led[0].0),
        [once] => format!("the lead changes on turn {once} of {turns}"),
        [.., last] => format!(
            "the lead changes {} times, last on turn {last} of {turns}",
            changes.len()
        ),
    }
}

/// Compares the counts of two seats: greater if the first is ahead.
fn lead(counts: &[Option<u32>], better: Better) -> Option<Ordering> {
    let &[one, other] = counts else { return None };
    let (Some(one), Some(other)) = (one, other) else {
        return Some(Ordering::Equal);
    };
    Some(match better {
        Better::More => one.cmp(&other),
        Better::Less => other.cmp(&one),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::gather::SeatsAndPlaces;
    use crate::replay::Step;
    use engines::{Frame, Grid, Seat};
    use std::rc::Rc;

    fn frame() -> Frame {
        Frame {
            grid: Grid::Square,
            width: 0,
            height: 0,
            cells: String::new(),
            walls: Vec::new(),
            discs: Vec::new(),
            visible: Vec::new(),
            notes: Vec::new(),
            marks: Vec::new(),
        }
    }

    fn replay(counts: &[[u32; 2]]) -> Replay {
        let some = |counts: &[u32; 2]| counts.iter().copied().map(Some).collect::<Vec<_>>();
        let step = |counts| Step {
            seat: Seat::new(0),
            spelled: String::new(),
            cpu_us: 0,
            bank_us: None,
            fault: None,
            frame: frame(),
            counts: some(counts),
        };
        Replay {
            first: frame(),
            first_counts: some(&counts[0]),
            steps: counts[1..].iter().map(step).collect(),
            is_whole: true,
        }
    }

    fn said(
        feature: Feature,
        seats: [usize; 2],
        better: Option<Better>,
        counts: &[[u32; 2]],
    ) -> String {
        let game = GameSummary {
            number: 1,
            result: Rc::new(SeatsAndPlaces {
                seats: seats.to_vec(),
                places: vec![1, 2],
            }),
            faults: Box::default(),
            margin: Some(2),
            turns: u32::try_from(counts.len() - 1).expect("few"),
        };
        caption(feature, &game, &[1, 2, 3], true, (&replay(counts), better))
    }

    #[test]
    fn a_caption_says_who_meets_and_how_the_lead_went() {
        let swings = [[2, 2], [4, 1], [2, 3], [5, 2], [5, 5], [3, 6]];
        let more = Some(Better::More);
        let rows = [
            (
                said(Feature::Top, [1, 0], more, &swings),
                "The two best of the table; the lead changes 3 times, last on turn 5 of 5.",
            ),
            (
                said(Feature::Top, [2, 0], more, &swings[..3]),
                "The best of the table that met: ranks 1 and 3; the lead changes on turn 2 of 2.",
            ),
            (
                said(Feature::Closest, [2, 0], Some(Better::Less), &swings[..2]),
                "Only 2 points apart at the end; one side leads from turn 1 of 1 on.",
            ),
            (
                said(Feature::Upset, [2, 0], None, &swings),
                "Ranks 1 and 3, and the lower one wins; 5 turns.",
            ),
            (
                said(Feature::Longest, [2, 0], more, &swings[1..2]),
                "The longest game; one side is ahead in all of its 0 turns.",
            ),
        ];
        for (said, expected) in rows {
            assert_eq!(said, expected);
        }
    }
}
