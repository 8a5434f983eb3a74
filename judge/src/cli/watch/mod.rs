//! `judge run --watch`: a run that goes on. It looks at what lies there, builds and plays what is
//! new, writes the tables and shows them, and looks again. What it has to remember lies in the
//! run's folder: the same command goes on wherever another one was ended.

mod arrivals;
mod checks;
mod clock;
mod disk;
mod finding;
mod last_roster;
mod listing;
mod log;
mod look;
mod pause;
mod playing;
pub(in crate::cli) mod publish;
#[cfg(feature = "test-clock")]
mod test_time;
mod time;
pub(in crate::cli) mod watch_sink;

use self::arrivals::Arrivals;
use self::checks::Checks;
use self::clock::{Clock, Noted};
use self::disk::Disk;
use self::listing::Listing;
use self::log::WatchLog;
use self::look::{Found, Looker, Terms};
use self::publish::{Moment, Publisher};
use self::time::{MachineTime, Time};
use super::exit::Done;
use super::run_tell::not_on_roster;
use error::JudgeError;
use intake::{Closing, KeptSubmissions, PolledRepositories, RepositoryNews};
use jiff::{SignedDuration, Timestamp};
use journal::Keys;
use journal::manifest::Manifest;
use run::watch::Memory;
use run::watch::{Calendar, Due};
use run::{RunSpec, Scheduled, Sink, watch_lock};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use system::run_folder::MANIFEST;
use words::entrant::Entrant;
use words::numbers::about;
use words::text::for_shell;

/// How often is looked whether something has changed.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// The same while something is perhaps being copied.
const COPYING_INTERVAL: Duration = Duration::from_secs(2);
/// After a failure that may go away, it is tried again so much later.
const AGAIN: SignedDuration = SignedDuration::from_secs(60);
/// So long new versions are checked at a time, until games go on.
const CHECKING_MAX: Duration = Duration::from_secs(30);

/// What a line-up depends on: as long as it is the same, there is nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    found: String,
    due: Due,
    is_revealed: bool,
    /// There is no room to build or to play.
    is_full: bool,
}

/// A run that goes on.
pub(super) struct Watch<'a> {
    spec: &'a RunSpec,
    sink: &'a dyn Sink,
    publisher: Publisher,
    stop: &'a Arc<AtomicBool>,
    run: PathBuf,
    clock: Clock,
    log: WatchLog<'a>,
    memory: Memory,
    looker: Looker<'a>,
    rules: Terms,
    /// The rules that could be prepared last.
    good: Terms,
    /// The digest of those that could not be prepared, and are not tried again.
    refused: Option<String>,
    /// What was found last, by its digest, and the calendar of it.
    calendar: Calendar,
    checks: Checks,
    disk: Disk,
    /// What lay there, by the listing before the last look.
    listed: u64,
    /// Everything has been played and shown of it.
    settled: Option<State>,
    /// When what failed is tried again.
    again: Option<Timestamp>,
    published: Published,
    /// Who has been told not to be on the roster.
    unclaimed: BTreeSet<String>,
    /// How long it takes to prepare.
    preparing: Duration,
    /// An earlier watch of this run had begun, so what goes wrong now may go away.
    has_begun: bool,
    /// The last round cannot be played.
    is_hopeless: bool,
    /// The watch of this run begins after the deadline, and has taken nothing yet: all that there
    /// is may have come in time.
    begins_late: bool,
}

/// What others see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Published {
    /// All that they are to see.
    Whole,
    /// What has been played could not be shown.
    Behind,
    /// It stands still, and students could not be told of their newest versions.
    Untold,
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

/// Returns the source of time of this process.
pub(super) fn time_source() -> Arc<dyn Time> {
    #[cfg(feature = "test-clock")]
    if let Some(file) = test_time::TestTime::named() {
        return Arc::new(file);
    }
    Arc::new(MachineTime)
}

/// Goes on with a run until nothing can change any more, or it is interrupted.
///
/// # Errors
/// When it cannot begin, or its folder cannot be used any more. What goes wrong later with a
/// submission, a source or an edit is said and stops nothing.
pub(super) fn go_on(
    spec: &RunSpec,
    publisher: Publisher,
    time: Arc<dyn Time>,
    sink: &dyn Sink,
    stop: &Arc<AtomicBool>,
) -> Result<Done, JudgeError> {
    let mut clock = Clock::new(time);
    let mut log = WatchLog::new(sink, clock.another());
    let Some(rules) = first_rules(spec, &mut clock, &mut log, stop)? else {
        return Ok(Done::Interrupted);
    };
    let run = spec.folder(&*rules.loaded.rules)?;
    publisher.check(&run, &spec.watched())?;
    let _alone = watch_lock::lock(&run)?;
    let before = Manifest::read(&run)?;
    if !rules.are_of_file() && before.is_some_and(|run| run.competition.deadline.is_some()) {
        return Err(JudgeError::input(format!(
            "{} began with a competition's file that had a deadline, and there is none now: put it back, or name it with --competition",
            run.display()
        )));
    }
    let now = clock.look()?;
    let memory = Memory::find(&run)?;
    let has_begun = run.join(MANIFEST).exists();
    let arrivals = Arc::new(Arrivals::of_run(&run)?);
    let noted = match &memory {
        None => Noted::NoWatch,
        Some(_) => arrivals.believed().map_or(Noted::Nothing, Noted::At),
    };
    clock.compare(noted);
    let deadline = rules.loaded.competition.deadline;
    let begins_late = memory.is_none() && deadline.is_some_and(|deadline| deadline <= now);
    let memory = if let Some(memory) = memory {
        memory
    } else {
        let memory = Memory::begin(now, &rules.loaded.watch);
        memory.write(&run)?;
        memory
    };
    let calendar = Calendar::of(
        &rules.loaded.watch,
        &rules.loaded.competition,
        rules.loaded.competition.deadline,
    )?;
    let repositories = Arc::<PolledRepositories>::default();
    repositories.go_on_from(arrivals.listed());
    let watch = Watch {
        spec,
        sink,
        looker: Looker::new(
            spec,
            &run,
            publisher.folders(),
            Arc::clone(&repositories),
            Arc::clone(&arrivals),
        ),
        publisher,
        stop,
        run,
        clock,
        log,
        memory,
        good: rules.clone(),
        refused: None,
        rules,
        calendar,
        checks: Checks::default(),
        disk: Disk::default(),
        listed: 0,
        settled: None,
        again: None,
        published: Published::Whole,
        unclaimed: BTreeSet::new(),
        preparing: Duration::ZERO,
        has_begun,
        is_hopeless: false,
        begins_late,
    };
    let listing = watch.looker.listing.clone();
    let beside_clock = watch.clock.another();
    if watch.clock.is_steady() {
        arrivals.believe(now);
    }
    arrivals.list(&listing, now)?;
    let listed = (&*arrivals, &listing, noted);
    beside(&beside_clock, &repositories, listed, || watch.go_on())
}

/// How long is waited between two looks at which repositories are due.
const ASKING_INTERVAL: Duration = Duration::from_secs(1);

/// Does something, and beside it lists what comes, and asks repositories what they hold.
fn beside<T>(
    clock: &Clock,
    repositories: &PolledRepositories,
    (arrivals, listing, noted): (&Arrivals, &Listing, Noted),
    work: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also where the work panics; the others would go on for ever.
        let _over = Over(&is_over);
        scope.spawn(|| {
            let mut clock = clock.another();
            if clock.look().is_ok() {
                clock.compare(noted);
            }
            while !is_over.load(Ordering::Relaxed) {
                // What fails is tried again at the next listing.
                if let Ok(now) = clock.look() {
                    if clock.is_steady() {
                        arrivals.believe(now);
                    }
                    let _ = arrivals.list(listing, now);
                }
                clock.wait(LOOK_INTERVAL, &is_over);
            }
        });
        let ask = || {
            while !is_over.load(Ordering::Relaxed) {
                // It fails only where it is interrupted.
                let _ = repositories.ask_due(&|| clock.now(), &is_over);
                clock.wait(ASKING_INTERVAL, &is_over);
            }
        };
        for _ in 0..PolledRepositories::AT_ONCE {
            scope.spawn(ask);
        }
        work()
    })
}

/// Says that what is done beside the work is over, when this is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until something tells which game is played; none where it is interrupted.
fn first_rules(
    spec: &RunSpec,
    clock: &mut Clock,
    log: &mut WatchLog<'_>,
    stop: &AtomicBool,
) -> Result<Option<Terms>, JudgeError> {
    loop {
        clock.look()?;
        let is_told = spec.read_competition()?.is_some() || spec.names_game();
        if is_told {
            return Terms::read(spec, &[]).map(Some);
        }
        let collected = spec.read_places(None, None, stop);
        match collected.and_then(|found| Terms::read(spec, &found.submissions)) {
            Ok(rules) => return Ok(Some(rules)),
            Err(JudgeError::Interrupted) => return Ok(None),
            Err(error @ JudgeError::Input(_)) if run::are_there(&spec.places) => {
                log.say_of("first", &format!("waiting: {error}"));
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
        let title = &self.rules.loaded.competition.title;
        self.log.say(&format!("watching for {title}"));
        let mut listed = None;
        let mut is_first = !self.has_begun;
        let mut last_look = None;
        loop {
            let now = self.clock.look()?;
            if let Some(jump) = self.clock.take_jump() {
                let by = about(jump.as_secs_f64().abs());
                let way = if jump.is_negative() {
                    "back"
                } else {
                    "forward"
                };
                self.log.say(&format!(
                    "the clock was set {way} by {by}; the final round waits until it has gone on for ten minutes"
                ));
            }
            self.tell_repositories()?;
            let looker = &mut self.looker;
            let digest = looker.contents.digest(&looker.listing);
            let is_due = self.is_due(now, &mut last_look)?;
            if !self.checks.is_empty() && !self.disk.is_full() {
                self.check(Duration::ZERO)?;
            }
            let is_same = listed == Some(digest) && !self.looker.acceptance.is_waiting(now);
            let ended = if is_same && !is_due && !self.is_tried_again(now) {
                Ok(Ended::Played)
            } else {
                listed = Some(digest);
                self.listed = digest;
                self.round(now)
            };
            let is_changed = matches!(ended, Ok(Ended::Changed));
            match ended {
                Ok(Ended::Interrupted) | Err(JudgeError::Interrupted) => {
                    return Ok(self.interrupted());
                }
                Ok(Ended::Changed) => listed = None,
                Ok(Ended::Played) if self.again.is_some() || self.published != Published::Whole => {
                }
                Ok(Ended::Played) => {
                    self.log.say_over("failure", "it goes on");
                    self.log
                        .say_over("published", "what is published can be written again");
                    if self.is_over() {
                        self.log.say("everything has been played");
                        return Ok(Done::Success);
                    }
                    if self.awaits_reveal() {
                        let run = for_shell(&self.run.to_string_lossy());
                        self.log.say_of("end", &format!(
                            "the final round has been played; what is published stands still until: judge reveal {run}"
                        ));
                    }
                }
                // It never began, or will never be otherwise.
                Err(error) if is_first || self.is_hopeless => return Err(error),
                Err(error) => {
                    self.try_again(now);
                    let again = about(AGAIN.as_secs_f64());
                    let told = format!("{error}; it is tried again in {again}");
                    self.log.say_of("failure", &told);
                }
            }
            is_first = false;
            if !is_changed || self.disk.is_full() {
                self.clock.wait(self.interval(), self.stop);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(self.interrupted());
            }
        }
    }

    /// Notes that something has failed, which is tried again after a while; what comes until then
    /// is taken as ever.
    fn try_again(&mut self, now: Timestamp) {
        self.again = now.checked_add(AGAIN).ok();
    }

    /// Returns whether it is time to try again what has failed.
    fn is_tried_again(&self, now: Timestamp) -> bool {
        let left = self.again.map(|again| again.duration_since(now));
        // A clock that was set back holds nothing up.
        left.is_some_and(|left| left.is_negative() || left.is_zero() || left > AGAIN)
    }

    /// Shows what has been played; that it cannot be shown stops nothing else.
    fn show(&mut self, scheduled: &mut Scheduled, moment: Moment) -> Result<(), JudgeError> {
        let freeze = self.rules.loaded.watch.freeze;
        let shown = self.publisher.show(scheduled, moment, freeze);
        let before = self.published;
        self.published = match (&shown, moment.frozen) {
            (Ok(_), false) => Published::Whole,
            (Ok(_), true) => {
                if before == Published::Behind {
                    self.log.say_over(
                        "published",
                        "what is published could not be written before it stands still: until judge reveal it is what was written last",
                    );
                }
                Published::Whole
            }
            (Err(_), true) if before != Published::Behind => Published::Untold,
            (Err(_), _) => Published::Behind,
        };
        self.tell_published(moment.now, shown)
    }

    /// Says what has become of publishing.
    fn tell_published(
        &mut self,
        now: Timestamp,
        published: Result<Vec<String>, JudgeError>,
    ) -> Result<(), JudgeError> {
        match published {
            Ok(notes) => notes.iter().for_each(|note| self.log.say_of(note, note)),
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => {
                self.try_again(now);
                let again = about(AGAIN.as_secs_f64());
                let told = format!("{error}; all else goes on, and it is tried again in {again}");
                self.log.say_of("published", &told);
            }
        }
        Ok(())
    }

    /// Says what became of everybody, and how that fits the roster; `absent` tells who on it has
    /// submitted nothing.
    fn tell_people(&mut self, scheduled: &Scheduled, absent: Option<String>) {
        self.log.entrants(scheduled.entrants(), &self.run);
        let is_all_there = !self.looker.acceptance.is_copying()
            && self.looker.listing.repositories.were_all_asked();
        if let Some(absent) = absent.filter(|_| is_all_there) {
            self.log.say_first("absent", &absent);
        }
        for doubt in &scheduled.unclaimed().doubts {
            self.log.say_of(doubt, doubt);
        }
        let names: BTreeSet<String> = scheduled.unclaimed().names.iter().cloned().collect();
        let new: Vec<&str> = names
            .difference(&self.unclaimed)
            .map(String::as_str)
            .collect();
        if let Some(told) = not_on_roster(&new) {
            self.log.say_of("unclaimed", &told);
        } else if names.is_empty() {
            self.log
                .say_over("unclaimed", "the roster knows everybody now");
        }
        self.unclaimed = names;
    }

    fn tell_repositories(&self) -> Result<(), JudgeError> {
        let kept = KeptSubmissions::of_run(&self.run);
        for news in self.looker.listing.repositories.take_news() {
            let told = match news {
                RepositoryNews::Fails(name, reason) if kept.newest(&name)?.is_some() => {
                    format!("{name}: {reason}; its last version stays, and it is asked again")
                }
                // It is told with the entrants.
                RepositoryNews::Fails(..) => continue,
                RepositoryNews::IsBack(name) => format!("{name}: its repository answers again"),
                RepositoryNews::Slow(name, took, end) => format!(
                    "{name}: its git server took {} s to answer, past {end}; the new commit counts as received when the answer was complete. If it was pushed earlier, write that time into the column received of the roster",
                    took.as_secs()
                ),
            };
            self.log.say(&told);
        }
        Ok(())
    }

    /// Returns how long is waited until the next look.
    fn interval(&self) -> Duration {
        if !self.checks.is_empty() && !self.disk.is_full() {
            Duration::ZERO
        } else if self.looker.acceptance.is_copying() {
            COPYING_INTERVAL
        } else {
            LOOK_INTERVAL
        }
    }

    fn interrupted(&self) -> Done {
        self.log
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
        let this = Some((self.expected(now, is_revealed), is_revealed));
        let is_due = *last != this;
        *last = this;
        Ok(is_due)
    }

    fn is_revealed(&self) -> Result<bool, JudgeError> {
        Ok(Keys::find(&self.run)?.is_some_and(|keys| keys.revealed))
    }

    /// Says what is due by what was read last; nothing follows before it has been read again.
    fn expected(&self, now: Timestamp, is_revealed: bool) -> Due {
        let mut memory = self.memory.clone();
        let is_steady = self.clock.is_steady();
        self.calendar.due(now, is_steady, is_revealed, &mut memory)
    }

    /// Says what is due by what has just been read, and remembers what follows.
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
        settled.is_some_and(|state| state.due.is_last() && !state.due.frozen && !state.is_full)
    }

    /// Returns whether nothing is played any more, and what is published still stands still.
    fn awaits_reveal(&self) -> bool {
        let settled = self.settled.as_ref();
        settled.is_some_and(|state| state.due.is_last() && state.due.frozen && !state.is_full)
    }

    /// Refuses to begin where somebody would be late only because the watch was not there before;
    /// nothing is remembered then, so that the same command begins again.
    ///
    /// # Errors
    /// When there is somebody.
    fn refuse_late(&mut self, found: &Found, now: Timestamp) -> Result<(), JudgeError> {
        if !self.begins_late {
            return Ok(());
        }
        let competition = &self.rules.loaded.competition;
        let closing = Closing::new(competition, found.roster.as_ref());
        let submissions = &found.collected.submissions;
        let sources = &found.sources;
        let refused = sources.refuse_late(&self.run, submissions, (competition, &closing), now);
        if refused.is_err() {
            self.is_hopeless = true;
            Memory::forget(&self.run)?;
        }
        refused
    }

    /// Says why nothing can be played yet.
    ///
    /// # Errors
    /// When this is the last round: nothing will change any more.
    fn tell_lacks(
        &mut self,
        lacks: &JudgeError,
        entrants: &[Entrant],
        due: &Due,
    ) -> Result<(), JudgeError> {
        let told = if entrants.iter().any(|one| one.artifact().is_some()) {
            format!("waiting: {lacks}")
        } else {
            "waiting for submissions: nobody can play yet".to_owned()
        };
        self.log.say_of("lacks", &told);
        if due.is_last() {
            self.is_hopeless = true;
            return Err(JudgeError::input(lacks.to_string()));
        }
        Ok(())
    }

    /// Looks, and does what follows.
    fn round(&mut self, now: Timestamp) -> Result<Ended, JudgeError> {
        let bytes_max = self.rules.loaded.watch.disk_bytes_max;
        if let Some(refusal) = self.disk.refusal(&self.run, bytes_max)? {
            self.log.say_of("disk", &refusal);
        } else {
            self.log.say_over("disk", "there is room again");
        }
        let is_full = self.disk.is_full();
        self.looker.is_full = is_full;
        let otherwise = if is_full {
            Ended::Changed
        } else {
            Ended::Played
        };
        let before = self.memory.clone();
        let Some((found, due)) = self.find(now)? else {
            return Ok(otherwise);
        };
        let is_revealed = self.is_revealed()?;
        let state = State {
            found: found.digest.clone(),
            due: due.clone(),
            is_revealed,
            is_full,
        };
        let is_again = self.is_tried_again(now);
        if self.settled.as_ref() == Some(&state) && !is_again {
            return Ok(otherwise);
        }
        self.tell_due(&due);
        if found.is_empty() && self.looker.acceptance.is_copying() {
            return Ok(otherwise);
        }
        if due.is_last() && !self.memory.last_taken {
            intake::forget_transient_failures(&self.run)?;
        }
        self.refuse_late(&found, now)?;
        let absent = found.absent();
        let Some(mut scheduled) = self.prepare(found, &due, now, before)? else {
            return Ok(Ended::Changed);
        };
        self.begins_late = false;
        self.again = self.again.filter(|_| !is_again);
        let moment = Moment {
            now,
            frozen: due.frozen,
        };
        if due.frozen {
            // Before any game that nobody may see yet.
            publish::note(&mut scheduled, moment)?;
        }
        let received = self.publisher.received(&scheduled, moment);
        self.tell_published(now, received)?;
        if due.is_last() && !self.memory.last_taken {
            self.memory.last_taken = true;
            self.memory.write(&self.run)?;
        }
        self.tell_people(&scheduled, absent);
        if is_full {
            self.settled = Some(state);
            return Ok(Ended::Changed);
        }
        self.checks.of(&scheduled);
        self.check(CHECKING_MAX)?;
        if let Some(lacks) = scheduled.lacks() {
            self.tell_lacks(lacks, scheduled.entrants(), &due)?;
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        self.log.say_over("lacks", "there are enough now");
        if !due.plays {
            if self.published != Published::Whole {
                let moment = self.moment(&due)?;
                self.show(&mut scheduled, moment)?;
            }
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        let ended = self.play(scheduled, &due)?;
        if ended == Ended::Played {
            let mut memory = self.memory.clone();
            self.calendar.has_played(now, &mut memory);
            if memory != self.memory {
                memory.write(&self.run)?;
                self.memory = memory;
            }
            // What else is due by now the next look tells.
            let plays = self.expected(now, is_revealed).plays;
            self.settled = Some(State {
                due: Due { plays, ..due },
                ..state
            });
        }
        Ok(ended)
    }
}
