//! Measures how fast this machine computes: the CPU time that a thread needs for the judge's own
//! fixed workload.
//!
//! The workload is 400 000 steps of a number generator: a multiplication, a rotation and an
//! exclusive or, each on the previous result. Each step reads and changes one of 32 768 numbers
//! (256 KiB), at the index that it has computed. The workload thus uses what most bots use:
//! arithmetic, well-predicted branches, and a second-level cache. Results of different versions or
//! builds of the judge are not comparable.

use nix::time::{ClockId, clock_gettime};
use rulebook::JudgeError;
use std::hint::black_box;
use std::time::Duration;

const STEPS: u32 = 400_000;
/// Number of numbers; a power of two.
const NUMBERS: usize = 1 << 15;
/// Minimum number of repetitions, and minimum CPU time spent on them: a processor that was idle
/// needs some time to become fast. The least time counts, because other work on the machine makes a
/// repetition longer. A debug build, which tests start very often, measures nothing important and
/// spends as little time as possible.
const REPEATS_MIN: usize = 3;
const SPENT_MIN: Duration = Duration::from_millis(if cfg!(debug_assertions) { 0 } else { 60 });

/// Returns the CPU time of the workload on this machine, in microseconds. This takes about a tenth
/// of a second.
///
/// # Errors
/// When the clock cannot be read.
pub fn calibrate() -> Result<u64, JudgeError> {
    let mut numbers = vec![0; NUMBERS];
    let (mut least, mut repeats) = (Duration::MAX, 0);
    let begun = cpu_time()?;
    let mut now = begun;
    while repeats < REPEATS_MIN || now.saturating_sub(begun) < SPENT_MIN {
        let before = now;
        black_box(work(&mut numbers));
        now = cpu_time()?;
        least = least.min(now.saturating_sub(before));
        repeats += 1;
    }
    Ok(u64::try_from(least.as_micros()).unwrap_or(u64::MAX).max(1))
}

fn cpu_time() -> Result<Duration, JudgeError> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(Duration::from)
        .map_err(|e| JudgeError::os("read the CPU clock", e))
}

/// Runs the workload once, with the same steps each time; returns its final state.
fn work(numbers: &mut [u64]) -> u64 {
    numbers.fill(0);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mask = numbers.len() as u64 - 1;
    for _ in 0..STEPS {
        state = state.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23);
        #[expect(clippy::cast_possible_truncation, reason = "masked to a few bits")]
        let number = &mut numbers[(state & mask) as usize];
        *number ^= state;
        state ^= *number >> 7;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_the_same_each_time() {
        let mut numbers = vec![0; NUMBERS];
        let first = work(&mut numbers);
        assert_eq!(work(&mut numbers), first);
        assert!(calibrate().expect("there is a clock") > 0);
    }
}
