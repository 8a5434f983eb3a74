//! Times of the turns, compared with their limits.

use super::report::{CheckReport, Topic, TurnTimes, Verdict};
use super::sparring::SampleGame;
use model::fixture::Conditions;
use model::numbers::{counted, time};
use std::time::Duration;

/// The author gets a warning from this share on. Another machine may be slower.
const WARNING_PERCENT: u64 = 50;

pub(super) fn figures(conditions: &Conditions, samples: &[SampleGame]) -> TurnTimes {
    let (control, mode) = (conditions.time, conditions.mode);
    let mut turns: Vec<u64> = samples
        .iter()
        .flat_map(SampleGame::turns)
        .map(|turn| turn.counted_us(mode))
        .collect();
    turns.sort_unstable();
    TurnTimes {
        counts: mode,
        turns: turns.len(),
        median_us: turns.get(turns.len() / 2).copied().unwrap_or(0),
        worst_us: turns.last().copied().unwrap_or(0),
        turn_limit_us: control.turn_us,
        bank_us: control.bank_us,
    }
}

pub(super) fn add_finding(
    report: &mut CheckReport,
    conditions: &Conditions,
    samples: &[SampleGame],
) {
    let (control, times) = (conditions.time, report.times);
    let limit = match (control.turn_us, control.bank_us) {
        (Some(turn), _) => format!("limit {}", time(turn)),
        (None, Some(bank)) => format!("{} for a game", time(bank)),
        (None, None) => "no limit".to_owned(),
    };
    let percent = samples
        .iter()
        .map(|sample| percent_used(conditions, sample))
        .max()
        .unwrap_or(0);
    let message = format!(
        "{} a turn: {} median, {} worst of {} ({limit}); at most {percent} % of the clock",
        times.counts.called(),
        time(times.median_us),
        time(times.worst_us),
        counted(times.turns as u64, "turn"),
    );
    if percent >= WARNING_PERCENT {
        let detail = vec![
            "it is in time here; a slower machine or a harder position may leave less time"
                .to_owned(),
        ];
        report.add(Topic::Time, Verdict::Warning, message, detail);
    } else {
        report.fine(Topic::Time, message);
    }
}

pub(super) fn no_game_ended(limit: Duration) -> String {
    let seconds = limit.as_secs();
    format!(
        "not all sample games ended within {seconds} s, because the machine is busy or turns take long; give more time, as --seconds {}",
        4 * seconds
    )
}

pub(super) fn add_unended(report: &mut CheckReport, roles: &[&str], limit: Duration) {
    let seconds = limit.as_secs();
    let message = format!(
        "its first game as {} did not end within {seconds} s",
        roles.join(" and as ")
    );
    let detail = vec![format!(
        "judge check plays for {seconds} s; if the game needs longer, give --seconds"
    )];
    report.add(Topic::Time, Verdict::Warning, message, detail);
}

/// Adds to a fault of time that the limit was the check's own, if it was.
pub(super) fn add_own_limit(report: &mut CheckReport, own: &Conditions, sample: &Conditions) {
    let (Some(limit), false) = (sample.time.turn_us, own.time.turn_us == sample.time.turn_us)
    else {
        return;
    };
    let clock = match own.time.turn_us.or(own.time.bank_us) {
        Some(us) => format!("the competition's clock would allow {}", time(us)),
        None => "the competition's clock sets no limit".to_owned(),
    };
    let mut checks = report.checks.iter_mut();
    if let Some(check) = checks.find(|check| check.topic == Topic::Time) {
        check.detail.push(format!(
            "judge check stops a turn after {}, and {clock}; to allow longer turns, raise --seconds",
            time(limit)
        ));
    }
}

/// Returns the largest share in percent, of a turn's limit or of all that the bank had held.
fn percent_used(conditions: &Conditions, sample: &SampleGame) -> u64 {
    let (control, mode) = (conditions.time, conditions.mode);
    let turns = || sample.turns().map(|turn| turn.counted_us(mode));
    let in_turns: u64 = turns().sum();
    let part = |used: u64, of: u64| used.saturating_mul(100).div_ceil(of.max(1));
    let mut worst = 0;
    // The answer to `start` comes first.
    let mut used = sample.own().counted_us(mode).saturating_sub(in_turns);
    let mut held = control.bank_us;
    for turn in turns() {
        used += turn;
        held = held.map(|held| held + control.increment_us);
        worst = worst.max(control.turn_us.map_or(0, |limit| part(turn, limit)));
        worst = worst.max(held.map_or(0, |held| part(used, held)));
    }
    worst
}
