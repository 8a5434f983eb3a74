use super::moves::{Camel, Direction, Intersection, Tile, intersection};
use super::pieces::NoStep;
use crate::RuleBroken;
use alloc::borrow::ToOwned;
use alloc::string::String;

pub(super) fn step(
    player: usize,
    from: Tile,
    other: Tile,
    direction: Direction,
    why: NoStep,
) -> RuleBroken {
    let (rule, reason) = match why {
        NoStep::OffBoard => ("off-board", "the board ends there".to_owned()),
        NoStep::CamelBetween => ("camel-between", "a camel lies in the way".to_owned()),
        NoStep::JumpOntoCamel => (
            "jump-onto-camel",
            format!("a camel lies behind the other master at {other}, so it cannot be jumped over"),
        ),
        NoStep::JumpOffBoard => (
            "jump-off-board",
            format!("the board ends behind the other master at {other}"),
        ),
        NoStep::DiagonalWithoutMaster => (
            "diagonal-without-master",
            format!(
                "a diagonal step passes the other master, which at {other} stands next to it \
                 in neither of the two directions"
            ),
        ),
        NoStep::DiagonalCamelBetween => (
            "diagonal-camel-between",
            format!("a camel lies between it and the other master at {other}"),
        ),
        NoStep::DiagonalStraightOpen => (
            "diagonal-straight-open",
            format!(
                "behind the other master at {other} lies neither a camel nor the edge of the \
                 board, so it can only be jumped over straight"
            ),
        ),
        NoStep::DiagonalOffBoard => (
            "diagonal-off-board",
            format!("the board ends beside the other master at {other}"),
        ),
        NoStep::DiagonalCamelBeside => (
            "diagonal-camel-beside",
            format!("a camel lies between the other master at {other} and the target"),
        ),
    };
    let message = format!("player {player} cannot step {direction} from {from}: {reason}");
    RuleBroken::new(rule, message)
}

pub(super) fn check_range(camel: Camel, width: u32, height: u32) -> Result<(), String> {
    let Tile(x, y) = camel.anchor();
    let (last_x, last_y) = (width - 2, height - 2);
    let within = |number: i8, last| u32::try_from(number).is_ok_and(|number| number <= last);
    if within(x, last_x) && within(y, last_y) {
        return Ok(());
    }
    Err(format!(
        "it does not lie inside the board (x goes from 0 to {last_x} and y from 0 to {last_y})"
    ))
}

pub(super) fn first_intersection(camel: Camel, camels: &[Camel]) -> Option<(&'static str, String)> {
    let (kind, other) = camels
        .iter()
        .find_map(|&other| Some((intersection(camel, other)?, other)))?;
    Some(match kind {
        Intersection::Same => ("camel-there-already", format!("{other} lies there already")),
        Intersection::Overlap => ("camel-overlaps", format!("it would overlap {other}")),
        Intersection::Cross => ("camel-crosses", format!("it would cross {other}")),
    })
}

pub(super) fn check_paths(
    player: usize,
    camel: Camel,
    shut_in: [bool; 2],
    height: u32,
) -> Result<(), RuleBroken> {
    let last = height - 1;
    let (rule, reason) = match shut_in {
        [false, false] => return Ok(()),
        [true, false] => (
            "blocks-player-0",
            format!("player 0 would have no path left to row {last}"),
        ),
        [false, true] => (
            "blocks-player-1",
            "player 1 would have no path left to row 0".to_owned(),
        ),
        [true, true] => (
            "blocks-both-players",
            "neither player would have a path left to its goal row".to_owned(),
        ),
    };
    Err(placing(rule, player, camel, &reason))
}

pub(super) fn placing(rule: &'static str, player: usize, camel: Camel, reason: &str) -> RuleBroken {
    RuleBroken::new(
        rule,
        format!("player {player} cannot place {camel}: {reason}"),
    )
}
