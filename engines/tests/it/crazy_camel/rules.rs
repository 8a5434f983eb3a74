//! Examples of the rules: the refusals and their words, the ends of games, and initial states.

use judge_engines::crazy_camel::{
    Camel, Config, CrazyCamel, Direction, Move, OPENING_LEAD_MAX, OPENING_PLIES_MAX, Setup, Tile,
};
use judge_engines::{Forfeit, Game, GameResult, Seat};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// A 7×7 position with player 0 to move and two camels in each hand.
fn setup(a: (i8, i8), b: (i8, i8), camels: &[Camel]) -> Setup {
    let mut setup = Setup::fixed(&Config {
        camels: 2,
        ..Config::default()
    });
    setup.players[0].position = Tile(a.0, a.1);
    setup.players[1].position = Tile(b.0, b.1);
    setup.camels = camels.to_vec();
    setup
}

fn start(setup: &Setup) -> CrazyCamel {
    CrazyCamel::start(setup).expect("a valid setup")
}

fn steps(game: &CrazyCamel, seat: Seat) -> Vec<Direction> {
    let step = |mv| match mv {
        Move::Step(direction) => Some(direction),
        Move::Camel(_) => None,
    };
    game.legal_moves(seat)
        .into_iter()
        .filter_map(step)
        .collect()
}

fn play(game: &mut CrazyCamel, moves: &[Move]) {
    for &mv in moves {
        let seat = game.to_move().first().expect("not over");
        game.check(seat, &mv).expect("legal");
        game.apply_unchecked(seat, mv);
    }
}

#[test]
fn course_starts_with_72_camels_and_3_steps() {
    let game = start(&Setup::fixed(&Config::default()));
    assert_eq!(game.legal_moves(SEATS[0]).len(), 75);
    assert_eq!(
        steps(&game, SEATS[0]),
        [Direction::Down, Direction::Left, Direction::Right]
    );
    assert_eq!(game.path_lengths(), [6, 6]);
}

#[test]
fn masters_start_mid_opposite_edges_with_8_camels() {
    let setup = Setup::fixed(&Config::default());
    let players = setup.players.map(|player| (player.position, player.camels));
    assert_eq!(players, [(Tile(3, 0), 8), (Tile(3, 6), 8)]);
    assert_eq!((setup.width, setup.height, setup.to_move), (7, 7, 0));
}

#[test]
fn adjacent_masters_follow_three_pictures_of_course() {
    use Direction::{Down, Left, Right, Up, UpLeft, UpRight};
    let alone = start(&setup((3, 3), (5, 5), &[]));
    assert_eq!(steps(&alone, SEATS[0]), [Up, Down, Left, Right]);
    let mut facing = start(&setup((3, 3), (3, 2), &[]));
    assert_eq!(steps(&facing, SEATS[0]), [Up, Down, Left, Right]);
    play(&mut facing, &[Move::Step(Up)]);
    assert_eq!(facing.view(SEATS[1]).players[0].position, Tile(3, 1));
    let mut blocked = start(&setup((3, 3), (3, 2), &[Camel::H(Tile(3, 1))]));
    assert_eq!(
        steps(&blocked, SEATS[0]),
        [Down, Left, Right, UpLeft, UpRight]
    );
    play(&mut blocked, &[Move::Step(UpRight)]);
    assert_eq!(blocked.view(SEATS[1]).players[0].position, Tile(4, 2));
}

#[test]
fn edge_behind_master_opens_diagonals_like_camel() {
    use Direction::{Down, DownLeft, Right, Up, UpLeft};
    // The other master is to the left of the mover, at the edge of the board.
    let game = start(&setup((1, 3), (0, 3), &[]));
    assert_eq!(steps(&game, SEATS[0]), [Up, Down, Right, UpLeft, DownLeft]);
}

#[test]
fn win_scores_one_point_and_every_forfeit_loses() {
    let mut game = start(&setup((3, 5), (0, 5), &[]));
    play(&mut game, &[Move::Step(Direction::Down)]);
    let outcome = game.outcome().expect("over");
    assert_eq!(outcome.reason, "player 0 reached the bottom row");
    assert_eq!((outcome.seats[0].points, outcome.seats[1].points), (1, 0));
    assert!(game.setup().has_won());
    game.forfeit(SEATS[0], Forfeit::Gone);
    assert_eq!(game.outcome(), Some(outcome), "it stays over");
    for why in Forfeit::ALL {
        for (loser, winner) in [(0, 1), (1, 0)] {
            let mut game = start(&setup((3, 3), (3, 4), &[]));
            game.forfeit(SEATS[loser], why);
            let outcome = game.outcome().expect("over");
            assert_eq!(outcome.seats[winner].result, GameResult::Won);
            assert_eq!(outcome.seats[loser].points, 0);
            assert!(outcome.reason.contains(&format!("player {loser}")));
            assert!(game.to_move().is_empty());
            assert_eq!(game.perft(3), 1);
        }
    }
}

#[test]
fn ply_cap_draws_unless_last_ply_wins() {
    let mut last = setup((3, 5), (0, 5), &[]);
    last.plies_max = 1;
    let mut won = start(&last);
    assert_eq!(won.perft(3), won.perft(1), "nothing comes after the cap");
    play(&mut won, &[Move::Step(Direction::Down)]);
    let outcome = won.outcome().expect("over");
    assert_eq!(outcome.seats[0].result, GameResult::Won);
    let mut drawn = start(&last);
    play(&mut drawn, &[Move::Step(Direction::Up)]);
    let outcome = drawn.outcome().expect("over");
    assert_eq!(outcome.reason, "nobody arrived by ply 1");
    for seat in outcome.seats {
        assert_eq!((seat.result, seat.points), (GameResult::Drawn, 0));
    }
}

#[test]
fn random_openings_are_even_without_immediate_win() {
    for opening_plies in [1, 2, 6, 13, OPENING_PLIES_MAX] {
        for (width, height) in [(7, 7), (5, 6), (3, 3), (11, 11)] {
            let config = Config {
                width,
                height,
                opening_plies,
                ..Config::default()
            };
            for seed in 0..40 {
                let setup = CrazyCamel::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed));
                let setup = setup.expect("an opening is found");
                let game = start(&setup);
                let [a, b] = game.path_lengths();
                assert!(a.abs_diff(b) <= OPENING_LEAD_MAX, "{setup:?}");
                assert_eq!(setup.to_move, opening_plies % 2);
                assert_eq!(setup.plies_max, 128);
                let placed = 16 - setup.players[0].camels - setup.players[1].camels;
                assert_eq!(setup.camels.len(), placed as usize);
                for to_move in [0, 1] {
                    let game = start(&Setup {
                        to_move,
                        ..setup.clone()
                    });
                    let seat = SEATS[to_move as usize];
                    for step in steps(&game, seat) {
                        let mut next = game.clone();
                        next.apply_unchecked(seat, Move::Step(step));
                        assert_eq!(next.outcome(), None, "{setup:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn zero_random_plies_draw_course_start_every_time() {
    for seed in 0..5 {
        let setup = CrazyCamel::draw(&Config::default(), &mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(setup, Ok(Setup::fixed(&Config::default())));
    }
}
