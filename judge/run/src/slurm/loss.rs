//! Evaluates tasks that have ended: finds those with unplayed games, and describes them for the
//! user.

use crate::slurm::array::{Array, End, Stand};
use crate::slurm::listing::{Listed, Phase};
use model::game_id::GameId;
use model::numbers::counted;
use rulebook::JudgeError;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// A task that has ended with games missing.
pub(crate) struct Loss {
    pub(crate) end: End,
    /// The fixtures that it has not played.
    pub(crate) left: Vec<GameId>,
    pub(crate) has_played: bool,
    /// See [`Task::is_watched`](crate::slurm::array::Task::is_watched).
    pub(crate) is_watched: bool,
    /// The message for the user.
    pub(crate) words: String,
}

/// Closes the tasks of an array that have ended. Returns those with unplayed games, unless one of
/// our judges has cancelled the array. Missing games may still come for `settle` after the end of
/// their task.
pub(crate) fn losses(
    array: &mut Array,
    missing: &HashSet<GameId>,
    settle: Duration,
) -> Result<Vec<Loss>, JudgeError> {
    let mut ended = Vec::new();
    for (task, number) in array.tasks.iter_mut().zip(1..) {
        let Stand::Ended(end) = &task.stand else {
            continue;
        };
        if task.refused.is_none() && end.since.elapsed() < settle {
            continue;
        }
        let mut end = end.clone();
        if let Some(reason) = &task.refused {
            end.words.clone_from(reason);
            end.how = Phase::Lost;
        }
        task.stand = Stand::Over;
        ended.push((number, end));
    }
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    array.write_closed()?;
    if array.is_cancelled() {
        return Ok(Vec::new());
    }
    Ok(ended
        .into_iter()
        .filter_map(|(number, end)| Loss::of(array, number, end, missing))
        .collect())
}

impl Loss {
    /// Describes the end of a task; none if it has played everything.
    fn of(array: &Array, number: usize, end: End, missing: &HashSet<GameId>) -> Option<Self> {
        let task = &array.tasks[number - 1];
        let left: Vec<GameId> = task.missing(missing).collect();
        if left.is_empty() {
            return None;
        }
        let job = array.job().unwrap_or_default();
        let (line, log) = array.log(number);
        let line = line.map_or_else(String::new, |line| format!(", which ends with: {line}"));
        let words = format!(
            "task {number} of Slurm array {job} has ended ({}) without {} of its {}; its log is {}{line}",
            end.words,
            left.len(),
            counted(task.games.len() as u64, "game"),
            log.display(),
        );
        Some(Self {
            has_played: task.taken > 0,
            is_watched: task.is_watched,
            end,
            left,
            words,
        })
    }
}

/// Returns how a task has ended, if it has. A task that is no longer listed ended some minutes ago.
pub(crate) fn end_of(listed: Option<&Listed>) -> Option<End> {
    let how = listed
        .filter(|one| !one.was_not_launched())
        .map_or(Phase::Lost, Listed::phase);
    let has_ended = !matches!(how, Phase::Waiting | Phase::Running);
    has_ended.then(|| End {
        how,
        words: listed.map_or_else(|| "Slurm no longer lists it".to_owned(), Listed::end),
        nodes: listed.map_or_else(String::new, |one| one.nodes.clone()),
        since: Instant::now(),
    })
}
