//! The uncertainty of a ranking: a seeded bootstrap that draws whole initial states with
//! replacement, because the games of one state are alike (Efron 1979; for the blocks, Cameron,
//! Gelbach and Miller 2008).

use super::{Estimate, Ranked, numbers_of, tally};
use model::competition::Scoring;
use model::points::Points;
use model::record::MatchResult;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// Minimum number of blocks for intervals.
///
/// An interval should contain the truth in 95 of 100 runs. In simulations with normal results, the
/// interval of a lead does so in 50 with 2 blocks, in 81 with 4, in 88 with 8 and in 93 with 16. A
/// few blocks vary too little when they are drawn again.
const BLOCKS_MIN: usize = 8;

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Number of tournaments drawn.
pub const RESAMPLES: usize = 2000;

/// The games of a run in blocks that are drawn together. A block is all games of an initial state;
/// in games for more than two, it is all rotations of a group on that state.
#[derive(Clone, Debug)]
pub struct Blocks {
    scoring: Scoring,
    index: HashMap<String, usize>,
    by_key: BTreeMap<BlockKey, BTreeMap<usize, Share>>,
    /// The groups of each state, numbered by their first games, which keeps the draw independent of names.
    groups: HashMap<(u32, Vec<String>), usize>,
    /// The number and the transcript of the first game of each seating; the key is the names in seat order, one
    /// per line.
    seatings: HashMap<String, (u64, u64)>,
    vary: bool,
    games: usize,
    /// Distinguishes games and their seatings, in 8 bytes a game. Sorted and different up to the last count.
    played: Vec<u64>,
}

/// The state, and the number of the group on it, which is 0 in games for two.
type BlockKey = (u32, usize);

#[derive(Clone, Copy, Debug, Default)]
struct Share {
    points: Points,
    games: u32,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.points += other.points;
        self.games += other.games;
    }

    fn mean(self) -> f64 {
        self.points.as_f64() / f64::from(self.games.max(1))
    }
}

/// The uncertainty of one row of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    /// The best rank, inclusive, of the 95 % interval: 95 of 100 drawn tournaments have the rank in it.
    pub rank_best: usize,
    /// The worst rank of the 95 % interval, inclusive.
    pub rank_worst: usize,
    /// The share of drawn tournaments with each rank, from the first rank on. Entrants who share a
    /// rank get equal parts of that rank and of the skipped ranks after it.
    pub placing: Vec<f64>,
}

/// The drawn tournaments, for every entrant in the order of [`Blocks::new`].
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Mean points per game, by drawn tournament, then by entrant.
    means: Vec<Vec<f64>>,
    observed: Vec<f64>,
}

impl Blocks {
    /// Creates blocks without games.
    pub fn new(scoring: &Scoring, entrants: &[Ranked]) -> Self {
        Self {
            scoring: scoring.clone(),
            index: numbers_of(entrants),
            by_key: BTreeMap::new(),
            groups: HashMap::new(),
            seatings: HashMap::new(),
            vary: false,
            games: 0,
            played: Vec::new(),
        }
    }

    /// Adds a game.
    pub fn add(&mut self, game: &MatchResult) {
        let group = if game.seats.len() > 2 {
            let mut names: Vec<String> =
                game.seats.iter().map(|seat| seat.entrant.clone()).collect();
            names.sort_unstable();
            let next = self.groups.len();
            *self.groups.entry((game.state, names)).or_insert(next)
        } else {
            0
        };
        let block = self.by_key.entry((game.state, group)).or_default();
        let mut names = String::new();
        for (seat, participant) in game.seats.iter().enumerate() {
            names.push_str(&participant.entrant);
            names.push('\n');
            let Some(&entrant) = self.index.get(&participant.entrant) else {
                continue;
            };
            block.entry(entrant).or_default().add(Share {
                points: tally(&self.scoring, game, seat).counted_by(self.scoring.ranking[0]),
                games: 1,
            });
        }
        let next = (self.seatings.len() as u64, game.transcript);
        let (number, first) = *self.seatings.entry(names).or_insert(next);
        self.vary |= first != game.transcript;
        self.games += 1;
        // Any fixed number for each seating keeps equal games of different seatings apart.
        self.played.push(game.transcript ^ number.wrapping_mul(ODD));
    }

    /// Counts the different games among all games: (different, all).
    pub fn distinct(&mut self) -> (usize, usize) {
        self.played.sort_unstable();
        self.played.dedup();
        (self.played.len(), self.games)
    }

    /// Returns why the uncertainty of the ranking is unknown, if it is.
    pub fn silent(&mut self) -> Option<String> {
        if self.games == 0 {
            return Some("no game was played".to_owned());
        }
        let blocks = self.by_key.len();
        if blocks < BLOCKS_MIN {
            let have = if blocks == 1 { "has" } else { "have" };
            return Some(format!(
                "they need {BLOCKS_MIN} initial states, or groups, or repetitions, but only {blocks} {have} been played"
            ));
        }
        (!self.differ()).then(|| {
            let (distinct, games) = self.distinct();
            format!("the {games} games only repeat {distinct} different ones")
        })
    }

    /// Returns whether the games differ, rather than repeat the same few.
    pub fn differ(&mut self) -> bool {
        self.vary || self.games > 0 && self.distinct().0 == self.games
    }

    /// Draws tournaments. The same seed draws the same ones.
    pub fn draw(&self, resamples: usize, seed: u64) -> Drawn {
        let shares =
            |block: &BTreeMap<usize, Share>| block.iter().map(|(&n, &share)| (n, share)).collect();
        let blocks: Vec<Vec<(usize, Share)>> = self.by_key.values().map(shares).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = self.index.len();
        let all: Vec<usize> = (0..blocks.len()).collect();
        let resamples = if blocks.is_empty() { 0 } else { resamples };
        let drawn = (0..resamples).map(|_| {
            let pick = |_: &usize| rng.random_range(0..blocks.len());
            let picks: Vec<usize> = all.iter().map(pick).collect();
            means(&blocks, &picks, count)
        });
        Drawn {
            means: drawn.collect(),
            observed: means(&blocks, &all, count),
        }
    }
}

/// Returns each entrant's mean points per game over some blocks; 0 without games.
fn means(blocks: &[Vec<(usize, Share)>], picks: &[usize], count: usize) -> Vec<f64> {
    let mut sums = vec![Share::default(); count];
    for &pick in picks {
        for &(entrant, share) in &blocks[pick] {
            sums[entrant].add(share);
        }
    }
    sums.into_iter().map(Share::mean).collect()
}

impl Drawn {
    /// Returns the uncertainty of each entrant's rank, by entrant. Drawn ranks compare points. Tie rules are
    /// not drawn: between equal points the ranks in `shown` decide. An interval always contains the rank in `shown`.
    pub fn ranks(&self, shown: &[usize]) -> Vec<Uncertainty> {
        let count = self.observed.len();
        // By entrant and rank, the tournaments; and the same with shared ranks split into equal parts.
        let mut hits = vec![(vec![0; count], vec![0.0; count]); count];
        for means in &self.means {
            for (((ranks, shares), mean), rank) in hits.iter_mut().zip(means).zip(shown) {
                let (mut better, mut equal) = (0, 0_u32);
                for (other, above) in means.iter().zip(shown) {
                    match other.total_cmp(mean).then(rank.cmp(above)) {
                        Ordering::Greater => better += 1,
                        Ordering::Equal => equal += 1,
                        Ordering::Less => {}
                    }
                }
                ranks[better] += 1;
                for share in &mut shares[better..better + equal as usize] {
                    *share += 1.0 / f64::from(equal);
                }
            }
        }
        let all = u32::try_from(self.means.len()).expect("thousands").max(1);
        let (first, last) = middle(all as usize);
        let uncertainty = |((ranks, shares), &rank): (&(Vec<usize>, Vec<f64>), &usize)| {
            let rank_at = |position: usize| {
                let mut below = 0;
                ranks
                    .iter()
                    .position(|count| {
                        below += count;
                        below > position
                    })
                    .map_or(1, |at| at + 1)
            };
            Uncertainty {
                rank_best: rank_at(first).min(rank),
                rank_worst: rank_at(last).max(rank),
                placing: shares.iter().map(|share| share / f64::from(all)).collect(),
            }
        };
        hits.iter().zip(shown).map(uncertainty).collect()
    }

    /// Returns the difference between two entrants, whose results are drawn from the same states.
    pub fn difference(&self, one: usize, other: usize) -> Estimate {
        let mut sorted: Vec<f64> = self
            .means
            .iter()
            .map(|means| means[one] - means[other])
            .collect();
        sorted.sort_by(f64::total_cmp);
        let value = self.observed[one] - self.observed[other];
        let (first, last) = middle(sorted.len());
        Estimate {
            value,
            low: sorted.get(first).copied().unwrap_or(value),
            high: sorted.get(last).copied().unwrap_or(value),
        }
    }
}

/// Returns the indices at the ends of the middle 95 % of `count` sorted values.
fn middle(count: usize) -> (usize, usize) {
    let outside = count / 40;
    (outside, count.saturating_sub(outside + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve uniform numbers make one that is nearly normal, with mean 0 and variance 1.
    fn normal(rng: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }

    /// Games of two entrants: on each state one of them has an advantage, the same in all games of the state.
    fn simulate(rng: &mut ChaCha8Rng, advantage: f64) -> Vec<f64> {
        let states = (0..STATES).map(|_| {
            let of_state = advantage + normal(rng);
            (0..GAMES)
                .map(|_| of_state + normal(rng))
                .collect::<Vec<f64>>()
        });
        states.flatten().collect()
    }

    const STATES: usize = 50;
    const GAMES: usize = 8;

    #[expect(clippy::cast_possible_truncation, reason = "a few points")]
    fn points_of(points: f64) -> Points {
        Points::from((points * 1e6).round() as i64)
    }

    fn blocks(games: &[f64], per_block: usize) -> Blocks {
        let names = ["a", "b"].map(Ranked::of);
        let mut blocks = Blocks::new(&Scoring::plain(), &names);
        for (state, games) in games.chunks(per_block).enumerate() {
            let count = f64::from(u32::try_from(games.len()).expect("few"));
            let share = |sign: f64| Share {
                points: points_of(sign * games.iter().sum::<f64>() / 2.0 / count),
                games: 1,
            };
            let state = u32::try_from(state).expect("few");
            let block = [(0, share(1.0)), (1, share(-1.0))];
            blocks.by_key.insert((state, 0), block.into());
        }
        blocks
    }

    #[test]
    fn state_intervals_cover_truth_unlike_game_intervals() {
        let advantage = 0.3;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        // By game the intervals fail soon, and they take longer.
        let (tournaments, few, resamples) = (600, 60, 300);
        let (mut by_state, mut by_game) = (0, 0);
        for seed in 0..tournaments {
            let games = simulate(&mut rng, advantage);
            let holds = |per_block: usize| {
                let drawn = blocks(&games, per_block).draw(resamples, seed);
                let difference = drawn.difference(0, 1);
                difference.low <= advantage && advantage <= difference.high
            };
            by_state += u32::from(holds(GAMES));
            by_game += u32::from(seed < few && holds(1));
        }
        let share =
            |held: u32, of: u64| f64::from(held) / f64::from(u32::try_from(of).expect("few"));
        assert!(
            (0.93..=0.97).contains(&share(by_state, tournaments)),
            "{by_state}"
        );
        assert!(share(by_game, few) < 0.75, "{by_game}");
    }

    #[test]
    fn placings_add_up_and_equal_entrants_share_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let even = blocks(&simulate(&mut rng, 0.0), GAMES)
            .draw(RESAMPLES, 1)
            .ranks(&[1, 2]);
        let clear = blocks(&simulate(&mut rng, 3.0), GAMES)
            .draw(RESAMPLES, 1)
            .ranks(&[1, 2]);
        for rank in even.iter().chain(&clear) {
            assert!((rank.placing.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert_eq!((clear[0].rank_best, clear[0].rank_worst), (1, 1));
        assert_eq!((clear[1].rank_best, clear[1].rank_worst), (2, 2));
        assert_eq!((even[0].rank_best, even[0].rank_worst), (1, 2));
    }

    #[test]
    fn shown_ranks_break_equal_points_within_intervals() {
        let level = blocks(&[0.0; STATES * GAMES], GAMES).draw(RESAMPLES, 1);
        let ranks = |shown: [usize; 2]| {
            let ranks = level.ranks(&shown).into_iter();
            let ranks = ranks.map(|one| (one.rank_best, one.rank_worst, one.placing[0]));
            ranks.collect::<Vec<_>>()
        };
        assert_eq!(ranks([1, 2]), [(1, 1, 1.0), (2, 2, 0.0)]);
        assert_eq!(ranks([2, 1]), [(2, 2, 0.0), (1, 1, 1.0)]);
        assert_eq!(ranks([1, 1]), [(1, 1, 0.5), (1, 1, 0.5)]);

        // The points contradict the ranks that are shown.
        let clear = blocks(&[3.0; STATES * GAMES], GAMES).draw(RESAMPLES, 1);
        let ranks = clear.ranks(&[2, 1]);
        assert_eq!((ranks[0].rank_best, ranks[0].rank_worst), (1, 2));
        assert_eq!((ranks[1].rank_best, ranks[1].rank_worst), (1, 2));
    }
}
