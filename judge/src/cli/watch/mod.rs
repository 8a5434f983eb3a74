//! `judge run --watch`: a run that goes on. It looks at what lies there, builds and plays what is
//! new, writes the tables and shows them, and looks again. What it has to remember lies in the
//! run's folder: the same command goes on wherever another one was ended.

mod calendar;
mod clock;
mod desk;
mod diary;
mod listing;
mod lock;
mod look;
mod memory;
mod order;
mod pause;
pub(in crate::cli) mod publish;
mod slice;

use self::calendar::{Calendar, Due, Stage};
use self::clock::Clock;
use self::diary::Diary;
use self::look::{Found, Looker, Rules};
use self::memory::Memory;
use self::pause::Pause;
use self::publish::{Moment, Publisher};
use self::slice::Playing;
use super::exit::Done;
use super::out;
use super::places;
use super::prepare::{Entering, Prepared, Purpose};
use error::JudgeError;
use jiff::Timestamp;
use journal::Keys;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use words::numbers::{about, counted};

/// How often is looked whether something has changed.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// After a failure that may go away, it is tried again so much later.
const AGAIN: Duration = Duration::from_secs(60);
/// So long is played at least until the tables are written.
const SLICE_MIN: Duration = Duration::from_secs(120);
/// So much longer than writing takes is played between, and than preparing takes before something
/// new is prepared.
const SLICE_REST: u32 = 20;
const PREPARE_REST: u32 = 10;
/// So long is waited at most for what is still being copied at the deadline.
const COPYING_MAX: Duration = Duration::from_secs(60);

/// What a line-up depends on: as long as it is the same, there is nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    found: String,
    due: Due,
    is_revealed: bool,
}

/// A run that goes on.
pub(super) struct Watch<'a> {
    entering: &'a Entering,
    publisher: Publisher,
    stop: &'a Arc<AtomicBool>,
    run: PathBuf,
    clock: Clock,
    diary: Diary,
    memory: Memory,
    looker: Looker<'a>,
    rules: Rules,
    /// The rules that could be prepared last.
    good: Rules,
    /// What was found last, by its digest, and the calendar of it.
    calendar: Calendar,
    /// Everything has been played and shown of it.
    settled: Option<State>,
    /// How long it takes to prepare.
    preparing: Duration,
    /// The last round cannot be played.
    is_hopeless: bool,
}

/// How a slice or a line-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// Everything has been played and shown.
    Played,
    /// Something has changed, or may have.
    Changed,
    Interrupted,
}

/// Goes on with a run until nothing can change any more, or it is interrupted.
///
/// # Errors
/// When it cannot begin, or its folder cannot be used any more. What goes wrong later with a
/// submission, a source or an edit is said and stops nothing.
pub(super) fn go_on(
    entering: &Entering,
    publisher: Publisher,
    stop: &Arc<AtomicBool>,
) -> Result<Done, JudgeError> {
    out::hush();
    let mut clock = Clock::new();
    let mut diary = Diary::default();
    let Some(rules) = first_rules(entering, &mut clock, &mut diary, stop)? else {
        return Ok(Done::Interrupted);
    };
    let run = entering.place().folder(rules.entry)?;
    publisher.check(&run, &entering.submissions)?;
    let _alone = lock::lock(&run)?;
    let (now, _) = clock.look()?;
    let memory = Memory::find(&run)?;
    let memory = memory.unwrap_or_else(|| Memory::begin(now, &rules.settings));
    let calendar = Calendar::of(
        &rules.settings,
        &rules.competition,
        rules.competition.deadline,
    )?;
    let watch = Watch {
        entering,
        looker: Looker::new(entering, &run, publisher.folders()),
        publisher,
        stop,
        run,
        clock,
        diary,
        memory,
        good: rules.clone(),
        rules,
        calendar,
        settled: None,
        preparing: Duration::ZERO,
        is_hopeless: false,
    };
    watch.go_on()
}

/// Waits until something tells which game is played; none where it is interrupted.
fn first_rules(
    entering: &Entering,
    clock: &mut Clock,
    diary: &mut Diary,
    stop: &AtomicBool,
) -> Result<Option<Rules>, JudgeError> {
    loop {
        diary.at(clock.look()?.0);
        let loaded = entering.loaded()?;
        let is_told = loaded.is_some() || entering.names_game();
        if is_told {
            return Rules::read(entering, &[]).map(Some);
        }
        let collected = entering.collect(None, stop);
        match collected.and_then(|found| Rules::read(entering, &found.submissions)) {
            Ok(rules) => return Ok(Some(rules)),
            Err(JudgeError::Interrupted) => return Ok(None),
            Err(error @ JudgeError::Input(_)) if places::are_there(&entering.submissions) => {
                diary.say_of("first", &format!("waiting: {error}"));
            }
            Err(error) => return Err(error),
        }
        clock.wait(LOOK_INTERVAL, stop);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
}

impl Watch<'_> {
    fn go_on(mut self) -> Result<Done, JudgeError> {
        let (now, _) = self.clock.look()?;
        self.diary.at(now);
        self.diary.say(&format!(
            "watching for {}: {}",
            self.rules.competition.title,
            self.calendar.words(now)
        ));
        let mut listed = None;
        let mut is_first = true;
        let mut last_look = None;
        loop {
            let (now, jump) = self.clock.look()?;
            self.diary.at(now);
            if let Some(jump) = jump {
                let by = about(jump.as_secs_f64().abs());
                let way = if jump.is_negative() {
                    "back"
                } else {
                    "forward"
                };
                self.diary.say(&format!(
                    "the clock was set {way} by {by}; the final round waits until it has gone on for ten minutes"
                ));
            }
            let digest = self.looker.listing.digest();
            let is_due = self.is_due(now, &mut last_look)?;
            let is_same = listed == Some(digest) && !self.looker.desk.is_waiting(now);
            let ended = if is_same && !is_due {
                Ok(Ended::Played)
            } else {
                listed = Some(digest);
                self.round(now)
            };
            let is_changed = matches!(ended, Ok(Ended::Changed));
            match ended {
                Ok(Ended::Interrupted) | Err(JudgeError::Interrupted) => {
                    return Ok(self.interrupted());
                }
                Ok(Ended::Changed) => listed = None,
                Ok(Ended::Played) => {
                    self.diary.say_over("failure", "it goes on");
                    if self.is_over() {
                        self.diary.say("everything has been played");
                        return Ok(Done::Success);
                    }
                }
                // It never began, or will never be otherwise.
                Err(error) if is_first || self.is_hopeless => return Err(error),
                Err(error) => {
                    listed = None;
                    let again = about(AGAIN.as_secs_f64());
                    let told = format!("{error}; it is tried again in {again}");
                    self.diary.say_of("failure", &told);
                    self.clock.wait(AGAIN, self.stop);
                }
            }
            is_first = false;
            if !is_changed {
                self.clock.wait(LOOK_INTERVAL, self.stop);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(self.interrupted());
            }
        }
    }

    fn interrupted(&self) -> Done {
        self.diary
            .say("interrupted; the same command goes on from here");
        Done::Interrupted
    }

    /// Returns whether something else is due than at the last look.
    fn is_due(
        &mut self,
        now: Timestamp,
        last: &mut Option<(Due, bool)>,
    ) -> Result<bool, JudgeError> {
        let is_revealed = self.is_revealed()?;
        let due = self.due(now, is_revealed)?;
        let this = Some((due, is_revealed));
        let is_due = *last != this;
        *last = this;
        Ok(is_due)
    }

    fn is_revealed(&self) -> Result<bool, JudgeError> {
        Ok(Keys::find(&self.run)?.is_some_and(|keys| keys.revealed))
    }

    /// Says what is due, and remembers what follows.
    fn due(&mut self, now: Timestamp, is_revealed: bool) -> Result<Due, JudgeError> {
        let mut memory = self.memory.clone();
        let is_steady = self.clock.is_steady();
        let due = self.calendar.due(now, is_steady, is_revealed, &mut memory);
        if memory != self.memory {
            memory.write(&self.run)?;
            self.memory = memory;
        }
        Ok(due)
    }

    /// Returns whether nothing can change any more.
    fn is_over(&self) -> bool {
        let settled = self.settled.as_ref();
        settled.is_some_and(|state| state.due.is_last() && !state.due.frozen)
    }

    /// Looks, and does what follows.
    fn round(&mut self, now: Timestamp) -> Result<Ended, JudgeError> {
        let Some((found, due)) = self.find(now)? else {
            return Ok(Ended::Played);
        };
        let is_revealed = self.is_revealed()?;
        let state = State {
            found: found.digest.clone(),
            due: due.clone(),
            is_revealed,
        };
        if self.settled.as_ref() == Some(&state) {
            return Ok(Ended::Played);
        }
        self.tell_due(&due);
        let prepared = self.prepare(found, &due, now)?;
        if due.is_last() && !self.memory.last_taken {
            self.memory.last_taken = true;
            self.memory.write(&self.run)?;
        }
        self.diary.entrants(&prepared.entrants, &self.run);
        if let Some(lacks) = &prepared.lacks {
            self.diary.say_of("lacks", &format!("waiting: {lacks}"));
            if due.is_last() {
                self.is_hopeless = true;
                return Err(JudgeError::input(lacks.to_string()));
            }
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        self.diary.say_over("lacks", "there are enough now");
        if !due.plays {
            self.publisher.received(&prepared, now)?;
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        let ended = self.play(prepared, &due)?;
        if ended == Ended::Played {
            let mut memory = self.memory.clone();
            self.calendar.has_played(now, &mut memory);
            if memory != self.memory {
                memory.write(&self.run)?;
                self.memory = memory;
            }
            // By now it may be another time of play, which the next look tells.
            self.settled = Some(State {
                due: self.due(now, is_revealed)?,
                ..state
            });
        }
        Ok(ended)
    }

    /// Reads what lies there and says what is due; none where it cannot be read just now.
    fn find(&mut self, now: Timestamp) -> Result<Option<(Found, Due)>, JudgeError> {
        let is_revealed = self.is_revealed()?;
        let due = self.due(now, is_revealed)?;
        let mut wrong = Vec::new();
        match Rules::read_again(self.entering) {
            Ok(rules) => self.rules = rules.unwrap_or_else(|| self.rules.clone()),
            Err(error @ JudgeError::Input(_)) => wrong.push(error),
            Err(error) => return Err(error),
        }
        // What is there when the last round begins is taken; then nothing is any more.
        let is_closed = self.memory.last_taken;
        let found = self.look(now, (due.is_last(), is_closed), &mut wrong);
        for error in wrong {
            let told = format!("{error}; what was read before stays in use");
            self.diary.say_of("edit", &told);
        }
        match found {
            Ok(found) => {
                self.diary
                    .say_over("sources", "the submissions can be read again");
                self.calendar = found.calendar.clone();
                let due = self.due(now, is_revealed)?;
                Ok(Some((found, due)))
            }
            Err(error @ JudgeError::Input(_)) => {
                self.diary.say_of("sources", &format!("waiting: {error}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Looks, and at the deadline looks again until nothing is being copied any more.
    fn look(
        &mut self,
        now: Timestamp,
        (is_last, is_closed): (bool, bool),
        wrong: &mut Vec<JudgeError>,
    ) -> Result<Found, JudgeError> {
        let began = Instant::now();
        let mut now = now;
        loop {
            let found = self
                .looker
                .look(&self.rules, now, (is_last, is_closed), wrong, self.stop);
            let is_whole = !is_last || !self.looker.desk.is_copying();
            if found.is_err() || is_whole || began.elapsed() > COPYING_MAX {
                return found;
            }
            self.clock.wait(Duration::from_secs(1), self.stop);
            if self.stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            now = self.clock.look()?.0;
        }
    }

    fn tell_due(&mut self, due: &Due) {
        let round = &due.round;
        self.diary.say_of("round", &format!("round {round}"));
        if due.frozen {
            self.diary.say_of(
                "frozen",
                "what is published stands still from now on, until judge reveal",
            );
        } else {
            self.diary
                .say_over("frozen", "what is published follows again");
        }
        if due.stage == Stage::AwaitsClock {
            self.diary.say_of(
                "clock",
                "the deadline is over by a clock that was set; the final round waits until the clock has gone on for ten minutes",
            );
        }
    }

    /// Builds what is there; where it is an edit of the competition that cannot be, what was before
    /// stays in use.
    fn prepare(&mut self, found: Found, due: &Due, now: Timestamp) -> Result<Prepared, JudgeError> {
        let began = Instant::now();
        let given = found.given(&self.rules, &due.round, now);
        let prepared = self
            .entering
            .prepare_given(given, Purpose::Watch, self.stop);
        self.preparing = began.elapsed();
        match prepared {
            Ok(prepared) => {
                self.good = self.rules.clone();
                Ok(prepared)
            }
            Err(error @ JudgeError::Input(_)) if self.good.digest() != self.rules.digest() => {
                let told = format!("{error}; what was read before stays in use");
                self.diary.say_of("edit", &told);
                self.rules = self.good.clone();
                let found = self.look(now, (due.is_last(), false), &mut Vec::new())?;
                let given = found.given(&self.rules, &due.round, now);
                self.entering
                    .prepare_given(given, Purpose::Watch, self.stop)
            }
            Err(error) => Err(error),
        }
    }

    /// Plays what is prepared, and shows it, slice by slice.
    fn play(&mut self, prepared: Prepared, due: &Due) -> Result<Ended, JudgeError> {
        let mut playing = Playing::begin(self.entering, prepared, due.round_began)?;
        let (mut played, games) = playing.counts();
        if played < games {
            let games = counted((games - played) as u64, "game");
            self.diary.say(&format!("{games} to play"));
        }
        let mut writing = Duration::ZERO;
        loop {
            let rest = SLICE_MIN.max((self.preparing + writing) * SLICE_REST);
            let changed = if played < games {
                self.slice(&mut playing, due, rest)
            } else {
                Ok(false)
            };
            let began = Instant::now();
            let written = playing.write();
            let changed = changed?;
            written?;
            let moment = Moment {
                now: self.clock.look()?.0,
                frozen: due.frozen,
            };
            self.publisher.show(&mut playing.prepared, moment)?;
            writing = began.elapsed();
            let before = played;
            played = playing.counts().0;
            if played > before {
                self.diary.at(moment.now);
                let games = counted(games as u64, "game");
                self.diary.say(&format!("{played} of {games} played"));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Ended::Interrupted);
            }
            if played == games {
                return Ok(Ended::Played);
            }
            if changed {
                return Ok(Ended::Changed);
            }
        }
    }

    /// Plays for so long; returns whether it was ended because something has changed.
    fn slice(
        &mut self,
        playing: &mut Playing<'_>,
        due: &Due,
        rest: Duration,
    ) -> Result<bool, JudgeError> {
        let drain = Arc::new(AtomicBool::new(false));
        let is_over = AtomicBool::new(false);
        let pause = Pause {
            listing: &self.looker.listing,
            listed: self.looker.listing.digest(),
            calendar: &self.calendar,
            memory: &self.memory,
            due,
            stop: self.stop,
            new_after: self.preparing * PREPARE_REST,
            rest,
            is_revealed: self.is_revealed()?,
        };
        let clock = &mut self.clock;
        thread::scope(|scope| {
            let (drain_too, is_over_too) = (Arc::clone(&drain), &is_over);
            let pausing = thread::Builder::new().spawn_scoped(scope, move || {
                let changed = pause.wait(clock, is_over_too);
                drain_too.store(true, Ordering::Relaxed);
                changed
            });
            let pausing = pausing.map_err(|e| JudgeError::io("start", "a thread", e))?;
            let played = playing.play(&drain);
            is_over.store(true, Ordering::Relaxed);
            let changed = pausing.join().expect("it does not panic");
            played.map(|()| changed)
        })
    }
}
