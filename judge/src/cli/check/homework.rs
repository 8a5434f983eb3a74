//! A course's own test, as the game's kit defines it: questions about functions, and games.

use super::probe::{Conversation, Prober, own_fault};
use super::sample::SampleGame;
use super::{CheckReport, Verdict};
use engines::quote::safe_sentence;
use engines::{
    Duel, Frame, Function, GameInfo, GameResult, Homework, Kit, Notation, Question, Seat, piece,
};
use intake::Submission;
use model::draw::hash;
use model::fault::Phase;
use model::numbers::counted;
use model::protocol::{self, KitAnswer};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use referee::table::player::Player;
use rulebook::Result;
use std::time::Duration;

const QUESTIONS: u32 = 2_000;
/// Limit on the CPU time of all answers about one function, in microseconds.
const FUNCTION_CPU_US_MAX: u64 = 20_000_000;
const ANSWER_CPU_US_MAX: u64 = 5_000_000;
const ANSWER_WALL: Duration = Duration::from_secs(10);
/// Time for a function after the start-up. Longer than `ANSWER_WALL`, so that each is asked at least once.
pub(super) const FUNCTION_WALL: Duration = Duration::from_secs(60);

const BUSY: &str = "the machine was overloaded; check again when it has less to do";

/// Asks about a function, and adds a check for it. Each function has its own time and process, because
/// another one may hang or crash. Returns whether the program can be asked about more.
pub(super) fn function(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    (function, homework): (&Function, Homework),
    roles: &[&str],
) -> Result<bool> {
    let Some(fixture) = prober.fixtures.first() else {
        return Ok(false);
    };
    prober.talk(fixture, Seat::new(0), |conversation| {
        match conversation.greet(prober.startup())? {
            Ok(()) => ask_all(
                report,
                conversation,
                prober.rules.notation(),
                function,
                roles,
            )?,
            Err(Some(why)) => {
                let message = format!("cannot be asked, because the program is not ready: {why}");
                // The parts that follow would wait for the same program.
                for name in homework.names().skip_while(|name| *name != function.name) {
                    report.mark(name, Verdict::Wrong, &*message, Vec::new(), 0.0);
                }
                return Ok(false);
            }
            Err(None) => report.not_reached(function.name, BUSY),
        }
        Ok(true)
    })
}

fn ask_all(
    report: &mut CheckReport,
    conversation: &mut Conversation<'_, '_>,
    notation: &Notation,
    function: &Function,
    roles: &[&str],
) -> Result {
    let name = function.name;
    let mut rng = ChaCha8Rng::seed_from_u64(report.seed);
    let (mut right, mut spent_us) = (0, 0);
    while right < QUESTIONS && spent_us <= FUNCTION_CPU_US_MAX {
        let question = (function.draw)(&mut rng);
        let mut message = Vec::new();
        protocol::write_ask(&mut message, name, &question.arguments);
        let allowance = conversation.allowance(Some(ANSWER_CPU_US_MAX), ANSWER_WALL);
        let spent = conversation.player.ask(Phase::Turn, &message, allowance)?;
        let verdict = match &spent.result {
            Ok(()) => judged(conversation.player.line(), &question),
            Err(_) if conversation.prober.is_over() => break,
            Err(offence) => {
                let Some(why) = own_fault(offence, &spent.cost) else {
                    report.not_reached(name, BUSY);
                    return Ok(());
                };
                Err(format!("it does not answer: {why}"))
            }
        };
        if let Err(words) = verdict {
            let mut detail = vec![format!("the call: {}", question.words)];
            let picture = engines::picture(&question.frame, notation);
            detail.extend(picture.lines().map(|line| format!("  {line}")));
            detail.push(legend(&question.frame, roles));
            detail.push(format!("the arguments: {}", question.arguments));
            let message = format!("{words} (position {} of {QUESTIONS})", right + 1);
            report.mark(name, Verdict::Wrong, message, detail, 0.0);
            return Ok(());
        }
        right += 1;
        spent_us += spent.cost.cpu_us;
    }
    let (verdict, message) = if right == QUESTIONS {
        let message = format!("right in {QUESTIONS} of {QUESTIONS} positions");
        (Verdict::Ok, message)
    } else {
        let message = format!("right in {right} positions, but too slow to answer all {QUESTIONS}");
        (Verdict::Warning, message)
    };
    report.mark(name, verdict, message, Vec::new(), 1.0);
    Ok(())
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

/// Adds the results of the course's own games; `why` says why a seat's has not ended.
pub(super) fn duel(
    report: &mut CheckReport,
    duel: &Duel,
    samples: &[SampleGame],
    seats: usize,
    why: &str,
) {
    let opponent = opponent(duel);
    let games: Vec<&SampleGame> = samples
        .iter()
        .filter(|sample| sample.opponent == opponent)
        .collect();
    let is_played = |seat| games.iter().any(|sample| sample.seat.index() == seat);
    if !(0..seats).all(is_played) {
        report.not_reached(duel.name, why);
        return;
    }
    let won = games.iter().filter(|sample| sample.is_won()).count();
    let (verdict, detail) = if !duel.to_be_won || won == games.len() {
        (Verdict::Ok, Vec::new())
    } else if 2 * won > games.len() {
        let expected = "the course's test expects it to win";
        (Verdict::Warning, vec![expected.to_owned()])
    } else {
        let expected = "the course's test expects it to win against a player of random moves";
        let mut faulty = games.iter().filter(|sample| !sample.is_faultless());
        let number = counted(faulty.clone().count(), "game");
        let ended = faulty.next().map(|first| {
            let reason = &first.record.outcome.reason;
            format!("{number} ended by its own fault: {reason}")
        });
        let detail = [expected.to_owned()].into_iter().chain(ended);
        (Verdict::Wrong, detail.collect())
    };
    let all = counted(games.len(), "game");
    let message = format!("won {won} of {all} against {opponent}");
    #[expect(clippy::cast_precision_loss, reason = "games are few")]
    let mark = won as f64 / games.len() as f64;
    report.mark(duel.name, verdict, message, detail, mark);
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
