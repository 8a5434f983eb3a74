//! Findings that no game shows: work between turns, held-back answers, memory, and repetition.

use super::hints::Author;
use super::probe::{IDLE_BUSY_US_MAX, IdleBehaviour, Prober};
use super::report::{Check, CheckReport, Topic, Verdict};
use super::situation::{Situation, first_turn};
use super::sparring::SampleGame;
use engines::{Lifetime, Seat};
use intake::{BuildContext, Sanitized, Submission, run_with_sanitizers};
use model::fault::{Cause, Phase};
use model::fixture::{Conditions, Fixture};
use model::numbers::time;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::path::Path;
use std::time::Duration;

/// Share of the memory limit from which on the author gets a warning, in percent.
const MEMORY_WARNING_PERCENT: u64 = 50;

/// Probes the bot in every seat where its games were faultless, and adds the findings.
pub(super) fn add_finding(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    author: Author,
    fixtures: &[Fixture],
    samples: &[SampleGame],
    conditions: &Conditions,
) -> Result<(), JudgeError> {
    let (rules, lifetime) = (prober.rules, author.lifetime);
    let mut seats: Vec<Seat> = samples.iter().map(|sample| sample.seat).collect();
    seats.sort_unstable();
    seats.dedup();
    let (seats, mut unasked): (Vec<Seat>, Vec<Seat>) = seats.into_iter().partition(|&seat| {
        samples
            .iter()
            .filter(|sample| sample.seat == seat)
            .all(SampleGame::is_faultless)
    });
    let topics = [Topic::IdleReport, Topic::End, Topic::Memory, Topic::Repeat];
    let mut all = Vec::new();
    let mut answers = Vec::new();
    for seat in seats {
        let Some((fixture, at)) = first_turn(rules, fixtures, seat)? else {
            continue;
        };
        let role = rules.info().roles[seat.index()];
        if let Some(idle) = prober.idle_behaviour(fixture, &at)? {
            let repeated = twice(prober, rules, fixture, &at, lifetime)?;
            if prober.is_over() {
                report.cut_short();
                unasked.push(seat);
                continue;
            }
            all.push((role, idle));
            answers.push((role, repeated));
        }
    }
    if all.is_empty() {
        for topic in topics {
            if prober.is_over() {
                report.out_of_time(topic);
            } else {
                report.not_looked_at(topic, "its sample games had faults");
            }
        }
        return Ok(());
    }
    let unasked: Vec<&str> = unasked
        .iter()
        .map(|seat| rules.info().roles[seat.index()])
        .collect();
    let findings = [
        quiet(&all, samples, lifetime),
        end(&all, author),
        memory(&all, conditions.memory_mib),
        repeat(&answers, author),
    ];
    for (topic, (verdict, mut message, detail)) in topics.into_iter().zip(findings) {
        if verdict == Verdict::Ok && !unasked.is_empty() {
            message = format!("{message}; not checked as {}", unasked.join(" and as "));
        }
        report.add(topic, verdict, message, detail);
    }
    Ok(())
}

type Finding = (Verdict, String, Vec<String>);

fn fine(message: &str) -> Finding {
    (Verdict::Ok, message.to_owned(), Vec::new())
}

fn warning(message: impl Into<String>, detail: Vec<String>) -> Finding {
    (Verdict::Warning, message.into(), detail)
}

fn quiet(all: &[(&str, IdleBehaviour)], samples: &[SampleGame], lifetime: Lifetime) -> Finding {
    let late = all
        .iter()
        .find_map(|(role, m)| Some((role, m.after.output.as_ref()?)));
    if let Some((role, line)) = late {
        let detail = vec![
            format!("as {role}, after its answer: {line}"),
            "one line answers one question; anything after it counts as a fault".to_owned(),
        ];
        let message = "prints something after its answer";
        return (Verdict::Wrong, message.to_owned(), detail);
    }
    let burned = all.iter().max_by_key(|(_, m)| m.after.busy_us());
    if let Some((role, idle)) = burned.filter(|(_, m)| m.after.busy_us() > IDLE_BUSY_US_MAX) {
        let used = time(idle.after.busy_us());
        let message = format!("keeps computing after its answer: busy for {used} of 0.3 s");
        let burned = match lifetime {
            Lifetime::Turn => {
                "in this game every turn has a new process: work after the answer is lost"
            }
            Lifetime::Game | Lifetime::Match => {
                "CPU time that it uses while others think is charged to its next turn"
            }
        };
        let detail = vec![format!("seen as {role}; {burned}")];
        return warning(message, detail);
    }
    let mut restless: Vec<u64> = samples
        .iter()
        .map(SampleGame::own)
        .filter(|seat| seat.suspended)
        .map(|seat| seat.off_turn_us)
        .collect();
    restless.sort_unstable();
    if let Some(&most) = restless.last() {
        let message = format!("computes while others think: {} in one game", time(most));
        let detail = vec![
            "that time is charged, and from then on the judge pauses the bot between its turns"
                .to_owned(),
        ];
        return warning(message, detail);
    }
    fine("silent and idle after its answer")
}

fn end(all: &[(&str, IdleBehaviour)], author: Author) -> Finding {
    let stays = all.iter().find(|(_, m)| !m.at_end.exited);
    if let Some((role, idle)) = stays {
        let busy = idle.at_end.busy_us() > IDLE_BUSY_US_MAX;
        let how = if busy { ", and keeps computing" } else { "" };
        let message = format!("does not exit when its input ends{how}");
        let detail = vec![
            format!(
                "seen as {role}, for 3 s; in games the judge kills it after a tenth of a second"
            ),
            match author.kit {
                Some(_) => {
                    "something that it started still runs: a thread, a process or an exit handler"
                }
                None => "leave the loop when there is no next line (an empty read, end of file)",
            }
            .to_owned(),
        ];
        return warning(message, detail);
    }
    fine("exits when its input ends")
}

fn memory(all: &[(&str, IdleBehaviour)], memory_mib: u64) -> Finding {
    let most = all.iter().map(|(_, m)| m.memory_bytes).max().unwrap_or(0);
    let limit = memory_mib << 20;
    let (used, of) = (most.div_ceil(1 << 20), limit >> 20);
    let message = format!("{used} MiB after one turn, of {of} MiB");
    if most.saturating_mul(100) / limit >= MEMORY_WARNING_PERCENT {
        let detail = vec!["beyond the limit, allocations fail".to_owned()];
        warning(message, detail)
    } else {
        fine(&message)
    }
}

enum Repeated {
    Same,
    Differs(String, String),
    /// A process that had answered before gave another answer than a new one.
    Remembers(String, String),
}

fn twice(
    prober: &Prober<'_>,
    rules: &dyn Rules,
    fixture: &Fixture,
    at: &Situation,
    lifetime: Lifetime,
) -> Result<Repeated, JudgeError> {
    let Some(alone) = prober.afresh(fixture, at)? else {
        return Ok(Repeated::Same);
    };
    for _ in 1..FRESH_ASKS {
        if let Some(again) = prober.afresh(fixture, at)?.filter(|again| *again != alone) {
            return Ok(Repeated::Differs(alone, again));
        }
    }
    if lifetime != Lifetime::Turn {
        return Ok(Repeated::Same);
    }
    let mut asked = vec![(at, Some(alone))];
    let later = Situation::of(rules, fixture, at.seat, LATER_TURNS)?;
    if let Some(later) = &later {
        asked.push((later, prober.afresh(fixture, later)?));
    }
    asked.insert(0, asked[0].clone());
    let situations: Vec<&Situation> = asked.iter().map(|(at, _)| *at).collect();
    let together = prober.in_one_process(fixture, &situations)?;
    Ok(asked
        .into_iter()
        .zip(together)
        .filter_map(|((_, alone), after)| Some((alone?, after?)))
        .find(|(alone, after)| alone != after)
        .map_or(Repeated::Same, |(a, b)| Repeated::Remembers(a, b)))
}

const FRESH_ASKS: usize = 3;
/// Number of the bot's own turns before the position in which memory would show.
const LATER_TURNS: u32 = 2;

const SEED: &str =
    "if it uses random numbers: seed them with `seed` from `hello`, so that games can be repeated";

fn repeat(answers: &[(&str, Repeated)], author: Author) -> Finding {
    // Random moves seem to remember, too, so a difference between new processes comes first.
    let differs = |(_, repeated): &&(_, Repeated)| matches!(repeated, Repeated::Differs(..));
    for (role, repeated) in answers.iter().filter(differs).chain(answers) {
        match repeated {
            Repeated::Same => {}
            Repeated::Differs(a, b) => {
                let detail = vec![
                    format!("as {role}: first {a}, then {b}"),
                    author
                        .advice()
                        .map_or(SEED, |advice| advice.chance)
                        .to_owned(),
                    "if it does not: look for variables that are read before they are set"
                        .to_owned(),
                ];
                let message = "gives different answers to the same position in new processes";
                return warning(message, detail);
            }
            Repeated::Remembers(alone, after) => {
                let detail = vec![
                    format!("as {role}: {alone} in a new process, {after} in a process that had already answered"),
                    "it keeps something from turn to turn (a static or global variable, a random generator)".to_owned(),
                    "in this game every turn has a new process, so it loses what it remembers".to_owned(),
                ];
                let message = "seems to remember earlier turns, which it cannot do in games";
                return warning(message, detail);
            }
        }
    }
    let kept = if author.lifetime == Lifetime::Turn {
        ", and does not depend on earlier turns"
    } else {
        ""
    };
    fine(&format!("gives the same answer to the same question{kept}"))
}

/// Time until the input of a silent program is closed, in two conversations. A program that answers
/// promptly after both was waiting for the end of its input, and was not merely slow.
const WAITS: [Duration; 2] = [Duration::from_secs(3), Duration::from_millis(4500)];

/// Adds to a reported silence how the program behaves when its input is closed.
pub(super) fn add_silence(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    fixtures: &[Fixture],
    samples: &[SampleGame],
    author: Author,
) -> Result<(), JudgeError> {
    let silent = |sample: &&SampleGame| sample.has(|fault| fault.cause == Cause::Silence);
    let Some(sample) = samples.iter().find(silent) else {
        return Ok(());
    };
    let Some((fixture, at)) = first_turn(prober.rules, fixtures, sample.seat)? else {
        return Ok(());
    };
    let mut held_back = None;
    for wait in WAITS {
        let left = prober.left() >= wait;
        held_back = left
            .then(|| prober.held_back(fixture, &at, wait))
            .transpose()?
            .flatten();
        if held_back.is_none() {
            return Ok(());
        }
    }
    let mut checks = report.checks.iter_mut();
    let is_it = |check: &&mut Check| {
        check.verdict == Verdict::Wrong && [Topic::Start, Topic::Silence].contains(&check.topic)
    };
    if let (Some(check), Some(line)) = (checks.find(is_it), held_back) {
        let line = line.split(LINE_BREAK).next().unwrap_or_default();
        let said = [
            format!(
                "it did answer, but kept the answer in its buffer until its input was closed: {line}"
            ),
            format!("flush after each line{}", author.flush()),
        ];
        check.detail.splice(..0, said);
    }
    Ok(())
}

const LINE_BREAK: &str = r"\u{a}";

const CALLS_MAX: usize = 8;

pub(super) fn find_memory_errors(
    context: &BuildContext<'_>,
    sources: &Submission,
    prober: &Prober<'_>,
    sample: &SampleGame,
    fixtures: &[Fixture],
    folder: &Path,
) -> Result<Option<Sanitized>, JudgeError> {
    let fixture = fixtures
        .iter()
        .find(|fixture| fixture.id == sample.record.fixture);
    let mine =
        |fault: &&model::fault::Fault| fault.seat == sample.seat && fault.phase == Phase::Turn;
    let fault = sample.record.faults.iter().find(mine);
    let (Some(fixture), Some(fault)) = (fixture, fault) else {
        return Ok(None);
    };
    let mut turns = Situation::along(prober.rules, &sample.record, fault)?;
    if context.conditions.lifetime == Lifetime::Turn {
        turns.drain(..turns.len().saturating_sub(1));
    }
    let conversation = prober.conversation(fixture, sample.seat, &turns)?;
    run_with_sanitizers(
        &mut sources.clone(),
        context,
        folder,
        &conversation,
        prober.left(),
    )
}

pub(super) fn add_memory_errors(report: &mut CheckReport, said: Option<Sanitized>) {
    let mut checks = report.checks.iter_mut();
    let is_crash =
        |check: &&mut Check| check.topic == Topic::Crash && check.verdict == Verdict::Wrong;
    let (Some(said), Some(check)) = (said, checks.find(is_crash)) else {
        return;
    };
    let mut lines = vec![format!(
        "built with -g -fsanitize=address,undefined and asked the same question: {}",
        said.headline
    )];
    if said.calls.len() > 1 {
        lines.push("called from:".to_owned());
        lines.extend(
            said.calls
                .iter()
                .skip(1)
                .take(CALLS_MAX)
                .map(|call| format!("  {call}")),
        );
    }
    check.detail.splice(..0, lines);
}
