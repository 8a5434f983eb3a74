use super::position::{CrazyCamel, End, SEATS, other};
use super::setup::{self, Config, PLIES_MAX, Setup};
use super::{INFO, Move, View, bots, frame, kit, notation};
use crate::{
    Baseline, Better, CourseText, Frame, Game, GameInfo, GameResult, Kit, Measure, Notation,
    Outcome, Refused, RuleBroken, Seat, SeatOutcome, Seats, Turn,
};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

impl Game for CrazyCamel {
    const INFO: GameInfo = INFO;
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;
    const KITS: &'static [Kit] = kit::KITS;
    const NOTATION: Notation = notation::NOTATION;
    const MEASURE: Option<Measure> = Some(Measure {
        counts: "steps to the goal",
        better: Better::Less,
        ahead: 3,
    });
    const PROTOCOL: &'static str = include_str!("protocol.md");
    const COURSES: &'static [CourseText] = &[CourseText {
        name: "crazy-camel",
        text: include_str!("courses/tournament.toml"),
    }];
    const VARIANTS: &'static [&'static str] = &[
        r#"{"width":3,"height":3,"camels":1,"plies_max":5}"#,
        r#"{"width":11,"height":9,"camels":10,"plies_max":60,"opening_plies":9}"#,
        r#"{"opening_plies":16}"#,
    ];

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        Self::new(setup)
    }

    fn to_move(&self) -> Seats {
        self.mover().map_or(Seats::NONE, Seats::one)
    }

    fn view(&self, seat: Seat) -> View {
        View {
            you: seat,
            width: self.width,
            height: self.height,
            players: self.players(),
            camels: self.camels.clone(),
            ply: self.ply,
            plies_max: self.plies_max,
        }
    }

    fn legal_moves(&self, seat: Seat) -> Vec<Move> {
        self.moves(seat)
    }

    fn check(&self, seat: Seat, mv: &Move) -> Result<(), RuleBroken> {
        self.check_move(seat.index(), *mv)
    }

    fn apply_unchecked(&mut self, seat: Seat, turn: Turn<Move>) {
        match turn {
            Turn::Played(mv) => self.advance(seat, mv),
            Turn::Forfeit(why) => {
                self.end.get_or_insert(End::Forfeit { loser: seat, why });
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, reason) = match self.end? {
            End::Arrived { winner } if winner == SEATS[0] => {
                (Some(winner), "player 0 reached the bottom row".into())
            }
            End::Arrived { winner } => (Some(winner), "player 1 reached the top row".into()),
            End::PlyCap => {
                let reason = format!("nobody arrived by ply {}", self.plies_max);
                (None, Cow::Owned(reason))
            }
            End::Forfeit { loser, why } => {
                let who = format!("player {}", loser.index());
                (Some(other(loser)), why.of(who).into())
            }
        };
        let seats = SEATS.map(|seat| {
            let result = GameResult::of(seat, winner);
            SeatOutcome::of_two(result, i64::from(result == GameResult::Won))
        });
        Some(Outcome {
            seats: seats.to_vec(),
            reason,
        })
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        0..=1
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        self.path_lengths().map(Some).into()
    }

    fn spell(&self, _seat: Seat, mv: &Move) -> String {
        notation::spell(*mv)
    }

    fn read(&self, _seat: Seat, text: &str) -> Result<Move, Refused> {
        notation::read(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        self.leaves(depth)
    }
}

/// The maximum difference between the lengths of the two paths after a random opening, in steps.
pub const OPENING_LEAD_MAX: u32 = 2;

/// More draws refuse the configuration.
const OPENINGS_MAX: u32 = 1_000;

pub(super) fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
    setup::check_config(config)?;
    let fixed = Setup::fixed(config);
    if config.opening_plies == 0 {
        return Ok(fixed);
    }
    let long = Setup {
        plies_max: PLIES_MAX,
        ..fixed
    };
    for _ in 0..OPENINGS_MAX {
        let drawn = opening(CrazyCamel::new(&long)?, config.opening_plies, rng);
        if let Some(game) = drawn.filter(is_open) {
            return Ok(Setup {
                plies_max: config.plies_max,
                ..game.setup()
            });
        }
    }
    Err(Refused(format!(
        "no even opening of {} plies found on {}×{}: choose fewer opening_plies",
        config.opening_plies, config.width, config.height
    )))
}

/// Plays random legal plies that do not win. Returns none if every ply wins.
fn opening(mut game: CrazyCamel, plies: u32, rng: &mut ChaCha8Rng) -> Option<CrazyCamel> {
    for _ in 0..plies {
        let seat = game.mover().expect("nobody has won");
        let mut legal = game.moves(seat);
        loop {
            if legal.is_empty() {
                return None;
            }
            let mut next = game.clone();
            let mv = legal.swap_remove(rng.random_range(..legal.len()));
            next.advance(seat, mv);
            if next.mover().is_some() {
                game = next;
                break;
            }
        }
    }
    Some(game)
}

/// Returns whether the paths are about equally long and nobody could win at once.
fn is_open(game: &CrazyCamel) -> bool {
    let [a, b] = game.path_lengths();
    let setup = game.setup();
    let turned = Setup {
        to_move: 1 - setup.to_move,
        ..setup
    };
    let turned = CrazyCamel::new(&turned).expect("the same position");
    a.abs_diff(b) <= OPENING_LEAD_MAX && !wins_at_once(game) && !wins_at_once(&turned)
}

fn wins_at_once(game: &CrazyCamel) -> bool {
    let seat = game.mover().expect("nobody has won");
    game.moves(seat).into_iter().any(|mv| {
        let mut next = game.clone();
        next.advance(seat, mv);
        matches!(mv, Move::Step(_)) && next.mover().is_none()
    })
}
