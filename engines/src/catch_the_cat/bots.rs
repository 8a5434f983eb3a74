use super::{CAT, CatchTheCat, Point, Setup, View};
use crate::game::random;
use crate::prelude::*;
use crate::{Baseline, Game, Seat};
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<CatchTheCat>] = &[
    Baseline::RANDOM,
    Baseline {
        name: "shortest-path",
        summary: "as cat takes the shortest way out, as catcher blocks the way's end, \
                  and closes in on a cat that is shut in",
        choose: shortest_path,
    },
];

/// Blocks the way's end as catcher, because that pushes the cat into the existing walls.
fn shortest_path(seat: Seat, view: &View, legal: &[Point], rng: &mut ChaCha8Rng) -> Point {
    let setup = Setup {
        side: view.side,
        world: view.world.clone(),
        cat: view.cat,
        to_move: seat,
    };
    let Ok(game) = CatchTheCat::start(&setup) else {
        return random::<CatchTheCat>(seat, view, legal, rng);
    };
    let way = game.way_to_border().unwrap_or_default();
    let choice = if seat == CAT { way.first() } else { way.last() };
    if let Some(&choice) = choice {
        return choice;
    }
    let beside: Vec<Point> = legal
        .iter()
        .filter(|p| p.touches(view.cat))
        .copied()
        .collect();
    let among = if beside.is_empty() { legal } else { &beside };
    random::<CatchTheCat>(seat, view, among, rng)
}

#[cfg(test)]
mod tests {
    use super::super::{CATCHER, Config};
    use super::*;
    use crate::GameResult;
    use crate::tests::play;
    use rand_chacha::rand_core::SeedableRng;

    const RANDOM: usize = 0;
    const SHORTEST_PATH: usize = 1;

    const GAMES: u64 = 60;

    /// Returns the number of the cat's wins, and the points of cat and catcher per game.
    fn series(cat: usize, catcher: usize) -> (usize, [i64; 2]) {
        let play = |seed| play::<CatchTheCat>(&Config::default(), &[cat, catcher], seed);
        let games: Vec<_> = (0..GAMES).map(play).collect();
        let won = games
            .iter()
            .filter(|seats| seats[0].result == GameResult::Won);
        let points = [0, 1].map(|i| games.iter().map(|seats| seats[i].points).sum::<i64>());
        (won.count(), points.map(|sum| sum / GAMES.cast_signed()))
    }

    #[test]
    fn shortest_path_beats_and_outscores_random_either_seat() {
        let (wins_against_random, against_random) = series(SHORTEST_PATH, RANDOM);
        assert!(wins_against_random >= 57, "as cat {wins_against_random}");
        let points = against_random;
        assert!(points[0] >= 180 && points[1] <= 40, "{points:?} points");
        let (wins_of_random, points) = series(RANDOM, SHORTEST_PATH);
        assert!(wins_of_random <= 3, "as catcher all but {wins_of_random}");
        assert!(points[1] >= points[0] + 20, "{points:?} points");
        let (wins, points) = series(SHORTEST_PATH, SHORTEST_PATH);
        assert!(wins >= wins_of_random + 6, "as cat {wins} won");
        assert!(
            wins + 20 <= wins_against_random,
            "as catcher all but {wins}"
        );
        assert!(points[1] >= against_random[1] + 50, "{points:?} points");
    }

    #[test]
    fn enclosed_cat_loses_its_free_neighbours() {
        let view = View {
            side: 5,
            cat: Point(0, 0),
            world: [".####", ".##.#", ".#..#", ".##.#", ".####"]
                .concat()
                .replace('#', "1")
                .replace('.', "0"),
        };
        let legal = [Point(-2, 0), Point(1, 0), Point(1, 1), Point(-2, 2)];
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mv = shortest_path(CATCHER, &view, &legal, &mut rng);
            assert_eq!(mv, Point(1, 0), "the only free neighbour");
        }
    }

    #[test]
    fn shortest_path_survives_malformed_view() {
        let legal = [Point(7, 7)];
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for (side, cat) in [
            (5, Point(0, 3)),
            (i32::MAX, Point(i32::MIN, 0)),
            (-5, Point(0, 0)),
        ] {
            let world = "0".repeat(25);
            let view = View { side, cat, world };
            for seat in [CAT, CATCHER] {
                assert_eq!(shortest_path(seat, &view, &legal, &mut rng), legal[0]);
            }
        }
    }
}
