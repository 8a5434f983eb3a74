//! A histogram of turn times that needs little memory, even for millions of turns.

/// Number of steps in each doubling of the time. A percentile is then at most 1/16 too high.
const STEPS: u64 = 16;
const STEPS_LOG2: u32 = STEPS.ilog2();

/// Counts of times in microseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    pub(super) count: u64,
    pub(super) max_us: u64,
}

impl Histogram {
    pub(super) fn add(&mut self, us: u64) {
        let step = step(us);
        if self.counts.len() <= step {
            self.counts.resize(step + 1, 0);
        }
        self.counts[step] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(us);
    }

    /// Returns a time that `percent` of 100 turns did not exceed.
    pub(super) fn percentile(&self, percent: u64) -> u64 {
        let enough = (self.count * percent).div_ceil(100).max(1);
        let mut below = 0;
        self.counts
            .iter()
            .position(|count| {
                below += count;
                below >= enough
            })
            .map_or(0, |step| last_us(step).min(self.max_us))
    }

    /// Returns the share of turns in each of `bins` equal parts of the logarithmic axis from 1 µs
    /// to `end_us`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture"
    )]
    pub(super) fn shape(&self, end_us: u64, bins: usize) -> Vec<f64> {
        let mut shape = vec![0.0; bins];
        for (step, &count) in self.counts.iter().enumerate() {
            let at = position(last_us(step), end_us) * bins as f64;
            shape[(at as usize).min(bins - 1)] += count as f64 / self.count.max(1) as f64;
        }
        shape
    }
}

/// Returns the place of a time on a logarithmic axis from 1 µs (0) to `end_us` (1).
#[expect(clippy::cast_precision_loss, reason = "a picture")]
pub(super) fn position(us: u64, end_us: u64) -> f64 {
    ((us.max(1) as f64).ln() / (end_us.max(2) as f64).ln()).min(1.0)
}

fn step(us: u64) -> usize {
    let step = match us.checked_ilog2() {
        Some(log2) if log2 >= STEPS_LOG2 => {
            let shift = log2 - STEPS_LOG2;
            u64::from(shift + 1) * STEPS + (us >> shift) - STEPS
        }
        _ => us,
    };
    usize::try_from(step).expect("a thousand steps")
}

/// Returns the longest time of a step.
fn last_us(step: usize) -> u64 {
    let step = step as u64;
    if step < STEPS {
        return step;
    }
    let shift = step / STEPS - 1;
    ((step % STEPS + STEPS + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_within_its_step_and_at_most_a_sixteenth_below_its_end() {
        for us in (0..5_000).chain([1_000_000, 123_456_789, 1 << 40]) {
            let last = last_us(step(us));
            assert!(us <= last && last - us <= us / STEPS, "{us} in {last}");
            assert!(step(us) == 0 || last_us(step(us) - 1) < us, "{us}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(50), 0);
        for us in 1..=10 {
            histogram.add(us);
        }
        assert_eq!(histogram.percentile(50), 5);
        assert_eq!(histogram.percentile(99), 10);
        assert_eq!(histogram.shape(10, 4).len(), 4);
    }
}
