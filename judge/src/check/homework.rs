//! A course's own test, as the game's kit defines it: questions about functions, and games.

use super::probe::{Conversation, NoAnswer, Prober};
use super::report::{CheckReport, Verdict};
use super::sparring::SampleGame;
use engines::quote::safe_sentence;
use engines::{
    Duel, Frame, Function, GameInfo, GameResult, Homework, Kit, Notation, Question, Seat, piece,
};
use intake::Submission;
use model::draw::hash;
use model::fault::Phase;
use model::fixture::{Conditions, Fixture};
use model::numbers::counted;
use model::protocol::{self, KitAnswer};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use referee::table::player::Player;
use rulebook::JudgeError;
use std::time::Duration;

const QUESTIONS: u32 = 2_000;
/// Limit on the CPU time of all answers about one function, in microseconds.
const FUNCTION_CPU_US_MAX: u64 = 20_000_000;
const ANSWER_CPU_US_MAX: u64 = 5_000_000;
const ANSWER_WALL: Duration = Duration::from_secs(10);
/// Longer than `ANSWER_WALL`, so that each function is asked at least once.
const FUNCTION_WALL: Duration = Duration::from_secs(60);

const BUSY: &str = "the machine was overloaded; check again when it has less to do";

enum QuestionsOutcome {
    Right(u32),
    /// The first wrong answer: its number from 1, the question, and the mistake.
    Wrong(u32, Box<Question>, String),
    /// The machine was overloaded.
    NotReached,
}

/// Asks about a function, and adds a check for it. Each function has its own time and process, because
/// another one may hang or crash. Returns whether the program can be asked about more.
pub(super) fn function(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    (function, homework): (&Function, Homework),
    roles: &[&str],
    fixture: &Fixture,
) -> Result<bool, JudgeError> {
    let found = match prober.ready(fixture, Seat::new(0))? {
        Ok(mut conversation) => {
            let found = ask_all(&mut conversation, function, report.seed);
            conversation.close()?;
            found?
        }
        Err(NoAnswer::Fault(why)) => {
            let message = format!("cannot be asked, because the program is not ready: {why}");
            // The parts that follow would wait for the same program.
            let names = homework.names().skip_while(|name| *name != function.name);
            for name in names {
                report.mark(name, Verdict::Wrong, message.clone(), Vec::new(), 0.0);
            }
            return Ok(false);
        }
        Err(NoAnswer::Machine) => QuestionsOutcome::NotReached,
    };
    add_finding(report, prober.notation(), roles, function, found);
    Ok(true)
}

pub(super) fn function_time(conditions: &Conditions) -> Duration {
    Duration::from_millis(conditions.startup_ms) + FUNCTION_WALL
}

fn ask_all(
    conversation: &mut Conversation,
    function: &Function,
    seed: u64,
) -> Result<QuestionsOutcome, JudgeError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spent_us = 0;
    for number in 1..=QUESTIONS {
        let question = (function.draw)(&mut rng);
        let mut message = Vec::new();
        protocol::write_ask(&mut message, function.name, &question.arguments);
        let allowance = conversation.allowance(Some(ANSWER_CPU_US_MAX), ANSWER_WALL);
        let spent = conversation.player.ask(Phase::Turn, &message, allowance)?;
        let verdict = match &spent.result {
            Ok(()) => judged(conversation.player.line(), &question),
            Err(_) if conversation.is_over() => return Ok(QuestionsOutcome::Right(number - 1)),
            Err(offence) => match NoAnswer::of(offence, &spent.cost) {
                NoAnswer::Machine => return Ok(QuestionsOutcome::NotReached),
                NoAnswer::Fault(why) => Err(format!("it does not answer: {why}")),
            },
        };
        if let Err(words) = verdict {
            return Ok(QuestionsOutcome::Wrong(number, Box::new(question), words));
        }
        spent_us += spent.cost.cpu_us;
        if spent_us > FUNCTION_CPU_US_MAX {
            return Ok(QuestionsOutcome::Right(number));
        }
    }
    Ok(QuestionsOutcome::Right(QUESTIONS))
}

fn judged(line: &[u8], question: &Question) -> Result<(), String> {
    match serde_json::from_slice(line) {
        Ok(KitAnswer::Answer(answer)) => (question.verdict)(&answer),
        Ok(KitAnswer::Raised(exception)) => Err(format!("it raises {}", safe_sentence(&exception))),
        Err(error) => Err(safe_sentence(&format!("its answer is unreadable: {error}"))),
    }
}

fn legend(frame: &Frame, roles: &[&str]) -> String {
    let mut signs: Vec<String> = roles
        .iter()
        .enumerate()
        .map(|(seat, role)| format!("{} is {role}", piece(seat)))
        .collect();
    if !frame.walls.is_empty() {
        signs.push("lines between cells block the way".to_owned());
    }
    if frame.cells.contains(|c: char| c.is_ascii_digit()) {
        signs.push("small digits are goals of that seat".to_owned());
    }
    signs.join(", ")
}

fn add_finding(
    report: &mut CheckReport,
    notation: &Notation,
    roles: &[&str],
    function: &Function,
    found: QuestionsOutcome,
) {
    match found {
        QuestionsOutcome::Right(QUESTIONS) => {
            let message = format!("right in {QUESTIONS} of {QUESTIONS} positions");
            report.mark(function.name, Verdict::Ok, message, Vec::new(), 1.0);
        }
        QuestionsOutcome::Right(asked) => {
            let message =
                format!("right in {asked} positions, but too slow to answer all {QUESTIONS}");
            report.mark(function.name, Verdict::Warning, message, Vec::new(), 1.0);
        }
        QuestionsOutcome::NotReached => report.not_reached(function.name, BUSY),
        QuestionsOutcome::Wrong(number, question, words) => {
            let mut detail = vec![format!("the call: {}", question.words)];
            let picture = engines::picture(&question.frame, notation);
            detail.extend(picture.lines().map(|line| format!("  {line}")));
            detail.push(legend(&question.frame, roles));
            detail.push(format!("the arguments: {}", question.arguments));
            let message = format!("{words} (position {number} of {QUESTIONS})");
            report.mark(function.name, Verdict::Wrong, message, detail, 0.0);
        }
    }
}

/// Adds the results of the course's own games; `why` says why a seat's has not ended.
pub(super) fn duel(
    report: &mut CheckReport,
    duel: &Duel,
    samples: &[SampleGame],
    seats: usize,
    why: &str,
) {
    let opponent = opponent(duel);
    let against = samples.iter().filter(|sample| sample.opponent == opponent);
    let games: Vec<&SampleGame> = against.collect();
    let won = games.iter().filter(|sample| sample.is_won()).count();
    let message = format!(
        "won {won} of {} against {opponent}",
        counted(games.len() as u64, "game")
    );
    let is_played = |seat| games.iter().any(|sample| sample.seat.index() == seat);
    if !(0..seats).all(is_played) {
        report.not_reached(duel.name, why);
        return;
    }
    let mark = part(won, games.len());
    if !duel.to_be_won || won == games.len() {
        report.mark(duel.name, Verdict::Ok, message, Vec::new(), mark);
    } else if 2 * won > games.len() {
        let detail = vec!["the course's test expects it to win".to_owned()];
        report.mark(duel.name, Verdict::Warning, message, detail, mark);
    } else {
        let mut detail =
            vec!["the course's test expects it to win against a player of random moves".to_owned()];
        let faulty: Vec<&&SampleGame> = games
            .iter()
            .filter(|sample| !sample.is_faultless())
            .collect();
        if let Some(first) = faulty.first() {
            let (number, reason) = (faulty.len(), &first.record.outcome.reason);
            detail.push(format!(
                "{} ended by its own fault: {reason}",
                counted(number as u64, "game")
            ));
        }
        report.mark(duel.name, Verdict::Wrong, message, detail, mark);
    }
}

/// Adds a mark of 0 for every part of the course's own test, for a program that it cannot ask.
pub(super) fn not_asked(report: &mut CheckReport, kits: &[Kit]) {
    for kit in kits {
        for name in kit.homework.names() {
            let (language, sign) = (kit.language, kit.sign);
            let message = format!(
                "the course's test was not run: it needs a submission in {language}, with {sign}"
            );
            report.mark(name, Verdict::Wrong, message, Vec::new(), 0.0);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "games are few")]
fn part(some: usize, all: usize) -> f64 {
    some as f64 / all as f64
}

pub(super) fn opponent(duel: &Duel) -> String {
    format!("{}{}", model::builtin::PREFIX, duel.opponent)
}

/// Returns a seed that is the same whenever the same files are checked.
pub(super) fn seed_of(submission: &Submission) -> u64 {
    let parts = submission
        .files
        .iter()
        .flat_map(|file| [file.path.as_bytes(), &file.bytes]);
    let hash = hash(&parts.collect::<Vec<&[u8]>>());
    u64::from_str_radix(&hash[..SEED_DIGITS], 16).expect("hexadecimal digits")
}

/// Number of hexadecimal digits of a hash that become a seed, which people type.
const SEED_DIGITS: usize = 8;

pub(super) fn drawn_seat(seed: u64, seats: usize) -> usize {
    ChaCha8Rng::seed_from_u64(seed).random_range(0..seats)
}

pub(super) fn one_game(
    report: &mut CheckReport,
    duel: &Duel,
    info: &GameInfo,
    sample: &SampleGame,
    seed: u64,
) {
    let outcome = sample.outcome();
    let result = match outcome.result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    };
    let message = format!(
        "the course's game (--seed {seed}), as {} against {}: {result} with {} {}",
        info.roles[sample.seat.index()],
        sample.opponent,
        outcome.points,
        info.points.of(outcome.points)
    );
    if !sample.is_faultless() || (duel.to_be_won && !sample.is_won()) {
        let detail = vec![format!("how it ended: {}", sample.record.outcome.reason)];
        report.mark(duel.name, Verdict::Wrong, message, detail, 0.0);
    } else {
        report.mark(duel.name, Verdict::Ok, message, Vec::new(), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seat_is_drawn_by_some_seed() {
        for seat in 0..4 {
            assert!((0..50).any(|seed| drawn_seat(seed, 4) == seat));
        }
        assert_eq!(drawn_seat(7, 2), drawn_seat(7, 2));
    }
}
