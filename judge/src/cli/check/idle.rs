//! Findings that no game shows: work between turns, held-back answers, memory, and repetition.

use super::probe::{IDLE_BUSY_US_MAX, IdleBehaviour, Prober, Situation};
use super::sample::{Author, SampleGame};
use super::{CheckReport, OUT_OF_TIME, Topic, Verdict};
use crate::terminal::joined;
use engines::{Lifetime, Seat};
use intake::{BuildContext, Submission, run_with_sanitizers};
use model::fault::{Cause, Phase};
use model::fixture::Fixture;
use model::numbers::time;
use rulebook::Result;
use std::collections::BTreeSet;
use std::time::Duration;

/// Share of the memory limit from which on the author gets a warning, in percent.
const MEMORY_WARNING_PERCENT: u64 = 50;

/// Probes the bot in every seat where its games were faultless, and adds the findings.
pub(super) fn add_finding(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    author: Author,
    samples: &[SampleGame],
    memory_mib: u64,
) -> Result {
    let roles = prober.rules.info().roles;
    let seats: BTreeSet<Seat> = samples.iter().map(|sample| sample.seat).collect();
    let (seats, mut unasked): (Vec<Seat>, Vec<Seat>) = seats.into_iter().partition(|&seat| {
        samples
            .iter()
            .filter(|sample| sample.seat == seat)
            .all(SampleGame::is_faultless)
    });
    let mut all = Vec::new();
    for seat in seats {
        let Some((fixture, at)) = prober.first_turn(seat)? else {
            continue;
        };
        if let Some(idle) = prober.idle_behaviour(fixture, &at)? {
            let repeated = repeated(prober, fixture, &at, author.lifetime)?;
            if prober.is_over() {
                report.cut_short(OUT_OF_TIME);
                unasked.push(seat);
                continue;
            }
            all.push(Probed {
                role: roles[seat.index()],
                idle,
                repeated,
            });
        }
    }
    let topics = [Topic::Quiet, Topic::End, Topic::Memory, Topic::Repeat];
    if all.is_empty() {
        let why = if prober.is_over() {
            report.cut_short(OUT_OF_TIME);
            OUT_OF_TIME
        } else {
            "its sample games had faults"
        };
        for topic in topics {
            report.not_looked_at(topic, why);
        }
        return Ok(());
    }
    let findings = [
        quiet(&all, samples, author.lifetime),
        end(&all, author),
        memory(&all, memory_mib),
        repeat(&all, author),
    ];
    for (topic, (verdict, mut message, detail)) in topics.into_iter().zip(findings) {
        if verdict == Verdict::Ok && !unasked.is_empty() {
            let unasked = unasked.iter().map(|seat| roles[seat.index()]);
            message = format!("{message}; not checked as {}", joined(unasked, " and as "));
        }
        report.add(topic, verdict, message, detail);
    }
    Ok(())
}

struct Probed {
    role: &'static str,
    idle: IdleBehaviour,
    /// Two answers to the same question, if they differ. The first is that of a new process; so is
    /// the second, or it is that of a process that had answered before.
    repeated: Option<(Asked, [String; 2])>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Afresh,
    Later,
}

type Finding = (Verdict, String, Vec<String>);

fn fine(message: impl Into<String>) -> Finding {
    (Verdict::Ok, message.into(), Vec::new())
}

fn warning(message: impl Into<String>, detail: Vec<String>) -> Finding {
    (Verdict::Warning, message.into(), detail)
}

fn quiet(all: &[Probed], samples: &[SampleGame], lifetime: Lifetime) -> Finding {
    let late = all
        .iter()
        .find_map(|one| Some((one.role, one.idle.after.output.as_ref()?)));
    if let Some((role, line)) = late {
        let detail = vec![
            format!("as {role}, after its answer: {line}"),
            "one line answers one question; anything after it counts as a fault".to_owned(),
        ];
        let message = "prints something after its answer";
        return (Verdict::Wrong, message.to_owned(), detail);
    }
    let busiest = all.iter().max_by_key(|one| one.idle.after.busy_us());
    if let Some(one) = busiest.filter(|one| one.idle.after.busy_us() > IDLE_BUSY_US_MAX) {
        let used = time(one.idle.after.busy_us());
        let burned = match lifetime {
            Lifetime::Turn => {
                "in this game every turn has a new process: work after the answer is lost"
            }
            Lifetime::Game | Lifetime::Match => {
                "CPU time that it uses while others think is charged to its next turn"
            }
        };
        return warning(
            format!("keeps computing after its answer: busy for {used} of 0.3 s"),
            vec![format!("seen as {}; {burned}", one.role)],
        );
    }
    let restless = samples
        .iter()
        .map(SampleGame::own)
        .filter(|seat| seat.suspended)
        .map(|seat| seat.off_turn_us)
        .max();
    if let Some(most) = restless {
        let advice =
            "that time is charged, and from then on the judge pauses the bot between its turns";
        return warning(
            format!("computes while others think: {} in one game", time(most)),
            vec![advice.to_owned()],
        );
    }
    fine("silent and idle after its answer")
}

fn end(all: &[Probed], author: Author) -> Finding {
    let Some(Probed { role, idle, .. }) = all.iter().find(|one| !one.idle.at_end.exited) else {
        return fine("exits when its input ends");
    };
    let busy = idle.at_end.busy_us() > IDLE_BUSY_US_MAX;
    let how = if busy { ", and keeps computing" } else { "" };
    let advice = match author.kit {
        Some(_) => "something that it started still runs: a thread, a process or an exit handler",
        None => "leave the loop when there is no next line (an empty read, end of file)",
    };
    warning(
        format!("does not exit when its input ends{how}"),
        vec![
            format!(
                "seen as {role}, for 3 s; in games the judge kills it after a tenth of a second"
            ),
            advice.to_owned(),
        ],
    )
}

fn memory(all: &[Probed], memory_mib: u64) -> Finding {
    let most = all
        .iter()
        .map(|one| one.idle.memory_bytes)
        .max()
        .unwrap_or(0);
    let used = most.div_ceil(1 << 20);
    let message = format!("{used} MiB after one turn, of {memory_mib} MiB");
    if most.saturating_mul(100) / (memory_mib << 20) >= MEMORY_WARNING_PERCENT {
        warning(
            message,
            vec!["beyond the limit, allocations fail".to_owned()],
        )
    } else {
        fine(message)
    }
}

const FRESH_ASKS: usize = 3;
/// Number of the bot's own turns before the position in which memory would show.
const LATER_TURNS: u32 = 2;

fn repeated(
    prober: &Prober<'_>,
    fixture: &Fixture,
    at: &Situation,
    lifetime: Lifetime,
) -> Result<Option<(Asked, [String; 2])>> {
    let Some(alone) = prober.afresh(fixture, at)? else {
        return Ok(None);
    };
    for _ in 1..FRESH_ASKS {
        if let Some(again) = prober.afresh(fixture, at)?.filter(|again| *again != alone) {
            return Ok(Some((Asked::Afresh, [alone, again])));
        }
    }
    if lifetime != Lifetime::Turn {
        return Ok(None);
    }
    let first = (at, Some(alone));
    let mut asked = vec![first.clone(), first];
    let later = Situation::of(prober.rules, fixture, at.seat, LATER_TURNS)?;
    if let Some(later) = &later {
        asked.push((later, prober.afresh(fixture, later)?));
    }
    let situations: Vec<&Situation> = asked.iter().map(|(at, _)| *at).collect();
    let together = prober.in_one_process(fixture, &situations)?;
    Ok(asked
        .into_iter()
        .zip(together)
        .filter_map(|((_, alone), after)| Some([alone?, after?]))
        .find(|[alone, after]| alone != after)
        .map(|answers| (Asked::Later, answers)))
}

const SEED: &str =
    "if it uses random numbers: seed them with `seed` from `hello`, so that games can be repeated";

fn repeat(all: &[Probed], author: Author) -> Finding {
    let differing = all
        .iter()
        .filter_map(|one| Some((one.role, one.repeated.as_ref()?)));
    // Random moves seem to remember, too, so a difference between new processes comes first.
    match differing.min_by_key(|(_, (asked, _))| *asked) {
        None if author.lifetime == Lifetime::Turn => fine(
            "gives the same answer to the same question, and does not depend on earlier turns",
        ),
        None => fine("gives the same answer to the same question"),
        Some((role, (Asked::Afresh, [a, b]))) => warning(
            "gives different answers to the same position in new processes",
            vec![
                format!("as {role}: first {a}, then {b}"),
                author
                    .advice()
                    .map_or(SEED, |advice| advice.chance)
                    .to_owned(),
                "if it does not: look for variables that are read before they are set".to_owned(),
            ],
        ),
        Some((role, (Asked::Later, [alone, after]))) => warning(
            "seems to remember earlier turns, which it cannot do in games",
            vec![
                format!("as {role}: {alone} in a new process, {after} in a process that had already answered"),
                "it keeps something from turn to turn (a static or global variable, a random generator)".to_owned(),
                "in this game every turn has a new process, so it loses what it remembers".to_owned(),
            ],
        ),
    }
}

/// Time until the input of a silent program is closed, in two conversations. A program that answers
/// promptly after both was waiting for the end of its input, and was not merely slow.
const WAITS: [Duration; 2] = [Duration::from_secs(3), Duration::from_millis(4500)];

/// Adds to a reported silence how the program behaves when its input is closed.
pub(super) fn add_silence(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    samples: &[SampleGame],
    author: Author,
) -> Result {
    let is_silent =
        |sample: &&SampleGame| sample.faults().any(|fault| fault.cause == Cause::Silence);
    let Some(sample) = samples.iter().find(is_silent) else {
        return Ok(());
    };
    let Some((fixture, at)) = prober.first_turn(sample.seat)? else {
        return Ok(());
    };
    let mut last = String::new();
    for wait in WAITS {
        if prober.left() < wait {
            return Ok(());
        }
        let Some(line) = prober.held_back(fixture, &at, wait)? else {
            return Ok(());
        };
        last = line;
    }
    if let Some(check) = report.wrong(&[Topic::Start, Topic::Silence]) {
        let line = last.split(LINE_BREAK).next().unwrap_or_default();
        let said = [
            format!(
                "it did answer, but kept the answer in its buffer until its input was closed: {line}"
            ),
            format!(
                "flush after each line{}",
                author.how(|language| language.flush)
            ),
        ];
        check.detail.splice(..0, said);
    }
    Ok(())
}

const LINE_BREAK: &str = r"\u{a}";

const CALLS_MAX: usize = 8;

/// Adds to a reported crash the line that a sanitizer finds in the same turns.
pub(super) fn add_memory_errors(
    report: &mut CheckReport,
    context: &BuildContext<'_>,
    sources: &Submission,
    prober: &Prober<'_>,
    sample: &SampleGame,
) -> Result {
    let fixture = prober
        .fixtures
        .iter()
        .find(|fixture| fixture.id == sample.record.fixture);
    let fault = sample.faults().find(|fault| fault.phase == Phase::Turn);
    let (Some(fixture), Some(fault)) = (fixture, fault) else {
        return Ok(());
    };
    let mut turns = Situation::along(prober.rules, &sample.record, fault)?;
    if context.conditions.lifetime == Lifetime::Turn {
        turns.drain(..turns.len().saturating_sub(1));
    }
    let said = run_with_sanitizers(
        &mut sources.clone(),
        context,
        &context.run.join("sanitizers"),
        &prober.conversation(fixture, sample.seat, &turns)?,
        prober.left(),
    )?;
    if let (Some(said), Some(check)) = (said, report.wrong(&[Topic::Crash])) {
        let mut lines = vec![format!(
            "built with -g -fsanitize=address,undefined and asked the same question: {}",
            said.headline
        )];
        if said.calls.len() > 1 {
            lines.push("called from:".to_owned());
            let calls = said.calls.iter().skip(1).take(CALLS_MAX);
            lines.extend(calls.map(|call| format!("  {call}")));
        }
        check.detail.splice(..0, lines);
    }
    Ok(())
}
