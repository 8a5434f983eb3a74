use super::action::{Action, Orders};
use super::field::{Direction, Location};
use super::position::MonkeyMetalMan;
use super::view::{Enemy, Route, View, routes};
use super::{ASSASIN_STEPS_MAX, Kind, SPOTTER_STEPS_MAX};
use crate::game::random;
use crate::prelude::*;
use crate::{Baseline, Seat};
use alloc::collections::VecDeque;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<MonkeyMetalMan>] = &[
    Baseline {
        summary: "plays a uniformly random one of the listed moves",
        ..Baseline::RANDOM
    },
    Baseline {
        name: "hunter",
        summary: "captures whom it sees and reaches, keeps out of reach of the others, moves \
                  inwards before the map collapses, and else looks around near the centre",
        choose: hunter,
    },
];

fn hunter(seat: Seat, view: &View, legal: &[Action], rng: &mut ChaCha8Rng) -> Action {
    let side = view.board.side();
    let on_board = |Location(row, column)| usize::from(row.max(column)) < side;
    if !on_board(view.spotter_location) || !on_board(view.assasin_location) {
        // No game makes such a view.
        return random::<MonkeyMetalMan>(seat, view, legal, rng);
    }
    let mut chooser = DirectionChooser::over(view, rng);
    let spotter: Route<SPOTTER_STEPS_MAX> =
        chooser.best_route(Kind::Spotter, view.other_piece(Kind::Spotter), rng);
    chooser.enemies.retain(|(at, _)| *at != spotter.to);
    let spotter_now = view.spotter_alive.then_some(spotter.to);
    let assasin: Route<ASSASIN_STEPS_MAX> = chooser.best_route(Kind::Assasin, spotter_now, rng);
    chooser.enemies.retain(|(at, _)| *at != assasin.to);
    Action {
        spotter: Orders {
            direction: chooser.watch_from(spotter.to, rng).into(),
            moves: spotter.moves,
        },
        assasin: Orders {
            direction: chooser.watch_from(assasin.to, rng).into(),
            moves: assasin.moves,
        },
    }
}

struct DirectionChooser<'a> {
    view: &'a View,
    /// Those in sight whom it has not yet decided to capture.
    enemies: Vec<(Location, Enemy)>,
    /// The tiles supposed to be free, row by row.
    open: Vec<bool>,
    /// The steps from each tile, row by row, to one that outlasts the next collapse.
    steps_to_safety: Vec<i32>,
}

const CAPTURE: i32 = 1000;
const EXPOSED: i32 = -200;
const STEP_FROM_SAFETY: i32 = -40;
const LAST_MOMENT: i32 = -400;
const STEP_FROM_CENTRE: i32 = -3;
const HIDDEN_TILE: i32 = -10;
const WHIM_MAX: i32 = 12;
const NO_WAY: i32 = 200;

impl<'a> DirectionChooser<'a> {
    /// Reads a view. One hidden tile in four counts as a wall, drawn anew: the bot has no memory.
    fn over(view: &'a View, rng: &mut ChaCha8Rng) -> Self {
        let open: Vec<bool> = view
            .board
            .tiles()
            .map(|at| {
                let guess = view.board.terrain(at).is_some() || !rng.random_ratio(1, 4);
                guess && view.may_be_free(at)
            })
            .collect();
        Self {
            view,
            enemies: view.board.enemies().collect(),
            steps_to_safety: steps_to_safety(view, &open),
            open,
        }
    }

    fn best_route<const STEPS_MAX: usize>(
        &self,
        kind: Kind,
        in_the_way: Option<Location>,
        rng: &mut ChaCha8Rng,
    ) -> Route<STEPS_MAX> {
        let side = self.view.board.side();
        let is_open = |at| Some(at) != in_the_way && self.open[at.index(side)];
        let piece = self.view.piece(kind);
        let mut routes = routes(side, piece.at, is_open);
        if !piece.alive {
            routes.truncate(1);
        }
        routes
            .into_iter()
            .max_by_key(|route| self.score(route.to) + rng.random_range(0..=WHIM_MAX))
            .expect("a piece can always stay")
    }

    /// Rates a tile to end on. Captures count most, then safety from the next collapse, more so the
    /// nearer the collapse is. The enemies' reach is next, and the centre last.
    fn score(&self, to: Location) -> i32 {
        let side = self.view.board.side();
        let timer = i32::from(self.view.timer);
        let steps = self.steps_to_safety[to.index(side)];
        let mut score = steps * STEP_FROM_SAFETY * (6 - timer);
        if steps > 0 && timer == 1 {
            score += LAST_MOMENT;
        }
        for &(at, enemy) in &self.enemies {
            if at == to {
                score += CAPTURE;
            } else if at.distance(to) <= reach(enemy.kind) {
                score += EXPOSED;
            }
        }
        if self.view.board.terrain(to).is_none() {
            score += HIDDEN_TILE;
        }
        let middle = u8::try_from(side / 2).expect("a side is at most 31");
        let from_centre = to.distance(Location(middle, middle));
        score + STEP_FROM_CENTRE * i32::try_from(from_centre).expect("at most 30")
    }

    /// Looks at the nearest enemy, else along the way to safety, else where no wall is in front.
    fn watch_from(&self, at: Location, rng: &mut ChaCha8Rng) -> Direction {
        let nearest = self.enemies.iter().min_by_key(|(it, _)| it.distance(at));
        if let Some(&(enemy, _)) = nearest {
            return towards(at, enemy);
        }
        let side = self.view.board.side();
        let steps_from = |direction: Direction| {
            let next = at.step(direction, side)?;
            self.open[next.index(side)].then(|| self.steps_to_safety[next.index(side)])
        };
        let open: Vec<Direction> = (Direction::ALL.into_iter())
            .filter(|&direction| steps_from(direction).is_some())
            .collect();
        if self.steps_to_safety[at.index(side)] > 0 {
            return open
                .into_iter()
                .min_by_key(|&direction| steps_from(direction))
                .unwrap_or(Direction::Up);
        }
        *open.choose(rng).unwrap_or(&Direction::Up)
    }
}

fn steps_to_safety(view: &View, open: &[bool]) -> Vec<i32> {
    let side = view.board.side();
    let next_ring = usize::from(view.circles_collapsed);
    let is_safe = |at: &Location| at.ring(side) > next_ring && open[at.index(side)];
    let mut queue: VecDeque<Location> = view.board.tiles().filter(is_safe).collect();
    let mut steps = vec![NO_WAY; side * side];
    for &goal in &queue {
        steps[goal.index(side)] = 0;
    }
    while let Some(here) = queue.pop_front() {
        for direction in Direction::ALL {
            let Some(next) = here.step(direction, side) else {
                continue;
            };
            let place = next.index(side);
            if steps[place] == NO_WAY && open[place] {
                steps[place] = steps[here.index(side)] + 1;
                queue.push_back(next);
            }
        }
    }
    steps
}

fn reach(kind: Kind) -> u32 {
    let steps = [SPOTTER_STEPS_MAX, ASSASIN_STEPS_MAX][kind as usize];
    u32::try_from(steps).expect("four")
}

fn towards(from: Location, to: Location) -> Direction {
    let rows = i32::from(to.0) - i32::from(from.0);
    let columns = i32::from(to.1) - i32::from(from.1);
    match (rows.abs() >= columns.abs(), rows > 0, columns > 0) {
        (true, true, _) => Direction::Down,
        (true, false, _) => Direction::Up,
        (false, _, true) => Direction::Right,
        (false, _, false) => Direction::Left,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::GameResult;
    use crate::tests::play;

    /// Counts the games that one hunter among random players wins alone.
    fn wins(config: &Config, games: u64) -> usize {
        let wins_alone = |&seed: &u64| {
            let hunter = usize::try_from(seed).expect("few") % config.players;
            let mut bots = vec![0; config.players];
            bots[hunter] = 1;
            let seats = play::<MonkeyMetalMan>(config, &bots, seed);
            let won = seats.iter().filter(|s| s.result == GameResult::Won);
            won.count() == 1 && seats[hunter].result == GameResult::Won
        };
        (0..games).filter(wins_alone).count()
    }

    #[test]
    fn hunter_beats_random_players_in_80_percent() {
        for config in [
            r#"{"map":"classic"}"#,
            r#"{"map":"symmetric","side":15}"#,
            r#"{"players":2}"#,
        ] {
            let won = wins(&serde_json::from_str(config).expect(config), 100);
            assert!(won >= 80, "{config}: {won} of 100");
        }
    }
}
