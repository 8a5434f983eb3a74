//! Initial states, and the end of a game as its setup shows it.

use judge_engines::crazy_camel::{
    Config, CrazyCamel, Direction, Move, OPENING_LEAD_MAX, OPENING_PLIES_MAX, Setup, Tile,
};
use judge_engines::{Game, Seat};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

fn start(setup: &Setup) -> CrazyCamel {
    CrazyCamel::start(setup).expect("a valid setup")
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
                    let moves = game.legal_moves(seat).into_iter();
                    for step in moves.filter(|mv| matches!(mv, Move::Step(_))) {
                        let mut next = game.clone();
                        next.apply_unchecked(seat, step);
                        assert_eq!(next.outcome(), None, "{setup:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn setup_after_step_to_goal_row_has_won() {
    let mut setup = Setup::fixed(&Config::default());
    setup.players[0].position = Tile(3, 5);
    setup.players[1].position = Tile(0, 5);
    let mut game = start(&setup);
    game.apply_unchecked(SEATS[0], Move::Step(Direction::Down));
    assert!(game.setup().has_won());
}
