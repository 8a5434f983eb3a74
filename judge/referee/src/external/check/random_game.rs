use super::probe::{self, SeatToMove};
use super::{Answer, Checked, Promise, Stop};
use crate::external::{check, picture};
use engines::{Forfeit, Grid, Seat, Seats};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::rules::{Position, Rules, RulesError};
use serde_json::value::RawValue;
use std::ops::RangeInclusive;

/// Views and picture are compared at one of so many rounds.
const LOOKED_EVERY: u32 = 4;

/// One of so many games has a forfeit.
const FORFEIT_EVERY: u64 = 5;

const FORFEIT_PLY: u64 = 12;

/// Equal seeds make equal choices.
pub(super) struct RandomGame<'a> {
    checked: Checked<'a>,
    pub(super) seed: u64,
    setup: Option<Box<RawValue>>,
    position: Option<Box<dyn Position>>,
    points: RangeInclusive<i64>,
    pub(super) ply: u32,
    round: u32,
    gone: Seats,
    /// Those of each seat when it was last to move.
    listed: Vec<Vec<String>>,
    board: Option<(Grid, usize, usize)>,
    pub(super) log: Vec<Answer>,
}

impl<'a> RandomGame<'a> {
    pub(super) fn new(checked: Checked<'a>, seed: u64) -> Self {
        Self {
            checked,
            seed,
            setup: None,
            position: None,
            points: 0..=0,
            ply: 0,
            round: 0,
            gone: Seats::NONE,
            listed: Vec::new(),
            board: None,
            log: Vec::new(),
        }
    }

    pub(super) fn again(checked: Checked<'a>, first: &Self) -> Self {
        Self {
            setup: first.setup.clone(),
            ..Self::new(checked, first.seed)
        }
    }

    pub(super) fn draw(&mut self) -> Result<(), Stop> {
        let rules = self.checked.probed;
        let setup = drawn(rules, self.checked.config, self.seed)?;
        let spelled = rules.spell_setup(&setup).map_err(setup_refused)?;
        if spelled.get() != setup.get() {
            let words = format!("it draws the setup {setup}, and spells it as {spelled}");
            return Err(Stop::Broken(Promise::Setup, words));
        }
        self.setup = Some(setup);
        self.open(rules)
    }

    pub(super) fn opened(&mut self) -> Result<(), Stop> {
        if self.position.is_some() {
            return Ok(());
        }
        let rules = self.checked.plain;
        let again = drawn(rules, self.checked.config, self.seed)?;
        let setup = self.setup.as_ref().expect("the first game has drawn it");
        if again.get() != setup.get() {
            let words = format!("it draws the setup {setup}, and the second time {again}");
            return Err(Stop::Broken(Promise::Repeats, words));
        }
        self.open(rules)
    }

    fn open(&mut self, rules: &dyn Rules) -> Result<(), Stop> {
        let setup = self.setup.as_ref().expect("a setup");
        let position = rules.start(setup).map_err(setup_refused)?;
        self.points = position.points_range()?;
        self.listed = vec![Vec::new(); position.seats()?];
        self.position = Some(position);
        Ok(())
    }

    fn say(&mut self, name: impl Into<String>, text: String) {
        self.log.push((self.ply, name.into(), text));
    }

    /// Plays a move of each seat that is to move. Returns whether the game continues.
    pub(super) fn round(&mut self, is_probed: bool) -> Result<bool, Stop> {
        let mut position = self.position.take().expect("it has been opened");
        let to_move = position.to_move()?;
        let outcome = position.outcome()?;
        if let Some(words) = position.complaint() {
            return Err(Stop::Broken(Promise::Outcome, words));
        }
        self.say("outcome", format!("{outcome:?}"));
        if self.round.is_multiple_of(LOOKED_EVERY) || outcome.is_some() {
            self.check_frames(&*position)?;
        }
        if let Some(outcome) = outcome {
            return match check::wrong_outcome(&outcome, self.listed.len(), &self.points) {
                Some(words) => Err(Stop::Broken(Promise::Outcome, words)),
                None => Ok(false),
            };
        }
        let mut seats_to_move = Vec::new();
        for seat in to_move.iter() {
            let legal = position.legal_moves(seat)?;
            self.say(format!("the legal moves of {seat}"), legal.join(","));
            seats_to_move.push(SeatToMove { seat, legal });
        }
        if is_probed {
            let rng = &mut self.rng(1);
            probe::moves(
                self.checked.probed,
                &mut *position,
                &seats_to_move,
                &self.listed,
                rng,
            )?;
            probe::order(&*position, &seats_to_move, rng)?;
        }
        self.play(&mut *position, &seats_to_move)?;
        for SeatToMove { seat, legal } in seats_to_move {
            self.listed[seat.index()] = legal;
        }
        self.round += 1;
        self.position = Some(position);
        Ok(true)
    }

    fn play(
        &mut self,
        position: &mut dyn Position,
        seats_to_move: &[SeatToMove],
    ) -> Result<(), Stop> {
        let mut rng = self.rng(0);
        if self.forfeits_now() {
            let seat = Seat::new(rng.random_range(..self.listed.len()));
            let why = Forfeit::ALL[rng.random_range(..Forfeit::ALL.len())];
            if why == Forfeit::Gone {
                self.gone = self.gone.with(seat);
            }
            position.forfeit(seat, why)?;
            self.say(format!("forfeit of {seat}"), format!("{why:?}"));
            self.ply += 1;
            return Ok(());
        }
        for SeatToMove { seat, legal } in seats_to_move {
            if !position.to_move()?.contains(*seat) {
                continue;
            }
            if self.gone.contains(*seat) {
                position.forfeit(*seat, Forfeit::Gone)?;
            } else {
                let mv = &legal[rng.random_range(..legal.len())];
                let spelled = position
                    .play(*seat, mv)?
                    .map_err(|refused| probe::refused(*seat, mv, &refused))?;
                self.say(format!("the move of {seat}"), spelled);
            }
            self.ply += 1;
        }
        Ok(())
    }

    fn forfeits_now(&self) -> bool {
        let ply = self.seed / FORFEIT_EVERY % FORFEIT_PLY;
        self.seed % FORFEIT_EVERY == FORFEIT_EVERY - 1
            && u64::from(self.round) == ply
            && self.gone.is_empty()
    }

    fn check_frames(&mut self, position: &dyn Position) -> Result<(), Stop> {
        for seat in (0..self.listed.len()).map(Seat::new) {
            let mut view = Vec::new();
            position.write_view(seat, &mut view)?;
            let view = String::from_utf8_lossy(&view).into_owned();
            self.say(format!("the view of {seat}"), view);
        }
        let frame = position.frame()?;
        if let Some(words) = picture::refusal(&frame, self.listed.len()) {
            return Err(Stop::Broken(Promise::Frame, words));
        }
        let board = (frame.grid, frame.width, frame.height);
        if *self.board.get_or_insert(board) != board {
            let words = "its frame has another grid, width or height than before".to_owned();
            return Err(Stop::Broken(Promise::Frame, words));
        }
        self.say(
            "the frame",
            serde_json::to_string(&frame).expect("plain data"),
        );
        self.say("the measure", format!("{:?}", position.measure()?));
        Ok(())
    }

    pub(super) fn draws(&self) -> bool {
        self.board.is_some_and(|(_, width, _)| width > 0)
    }

    /// Returns the luck of this round. Asking more does not change the choices.
    fn rng(&self, purpose: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(self.round) << 1 | purpose);
        rng
    }
}

fn drawn(rules: &dyn Rules, config: &RawValue, seed: u64) -> Result<Box<RawValue>, Stop> {
    let words = |why| format!("it draws no setup that it accepts ({why}), with {config}");
    let drawn = rules.draw(config, seed);
    drawn.map_err(|error| Stop::of(error, words))
}

fn setup_refused(error: RulesError) -> Stop {
    Stop::of(error, |why| {
        format!("it refuses a setup that it drew: {why}")
    })
}
