//! What decides between entrants with equal points.

use super::Tally;
use std::cmp::Ordering;
use words::competition::Tie;

/// One of the tied, as far as ties are concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied<'a> {
    /// The number of the entrant.
    pub(super) entrant: usize,
    pub(super) total: &'a Tally,
    pub(super) tokens: Option<u64>,
}

/// Returns whether one entrant (by number) won every game against another.
pub(super) type Beat<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Entrants that stay tied, and the rule that set them apart from the others, if one did.
pub(super) type TiedPart<'a> = (Vec<Tied<'a>>, Option<Tie>);

/// Orders entrants that are tied, the best ones first.
///
/// Between any two of them the first rule that decides counts. Where that goes round in a
/// circle, as it may between three who each beat one of the others, that rule decides nothing
/// among them, and the next ones do.
pub(super) fn order<'a>(tied: &[Tied<'a>], rules: &[Tie], beat: Beat<'_>) -> Vec<TiedPart<'a>> {
    let Some((_, others)) = rules.split_first() else {
        return vec![(tied.to_vec(), None)];
    };
    let ahead = |a: &Tied<'_>, b: &Tied<'_>| verdict(a, b, rules, beat).0 == Ordering::Less;
    let classes = dominant(tied, ahead);
    if classes.len() == 1 {
        return order(tied, others, beat);
    }
    let mut parts = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        let neighbour = classes.get(index + 1).unwrap_or(&classes[index.max(1) - 1]);
        let (_, decided) = verdict(&class[0], &neighbour[0], rules, beat);
        let inner = if class.len() == 1 {
            vec![(class.clone(), None)]
        } else {
            order(class, rules, beat)
        };
        parts.extend(inner.into_iter().map(|(part, own)| (part, own.or(decided))));
    }
    parts
}

/// Says who of two stands ahead (`Less`: the first one) and by which rule.
fn verdict(a: &Tied<'_>, b: &Tied<'_>, rules: &[Tie], beat: Beat<'_>) -> (Ordering, Option<Tie>) {
    let compared = rules.iter().map(|&rule| (compare(rule, a, b, beat), rule));
    let mut decided = compared.filter(|(order, _)| *order != Ordering::Equal);
    decided
        .next()
        .map_or((Ordering::Equal, None), |(order, rule)| (order, Some(rule)))
}

fn compare(rule: Tie, a: &Tied<'_>, b: &Tied<'_>, beat: Beat<'_>) -> Ordering {
    match rule {
        Tie::Wins => b.total.wins.cmp(&a.total.wins),
        Tie::TieBreak => b.total.tie_break.cmp(&a.total.tie_break),
        Tie::Placement => better_place(a, b),
        Tie::HeadToHead => {
            let (a, b) = (a.entrant, b.entrant);
            beat(b, a).cmp(&beat(a, b))
        }
        Tie::Tokens => match (a.tokens, b.tokens) {
            (Some(a), Some(b)) => a.cmp(&b),
            // Whoever has no count shares the place.
            _ => Ordering::Equal,
        },
    }
}

/// Compares mean places without dividing: a/b < c/d as a·d < c·b.
fn better_place(a: &Tied<'_>, b: &Tied<'_>) -> Ordering {
    let cross = |one: &Tied<'_>, other: &Tied<'_>| {
        u128::from(one.total.places) * u128::from(other.total.games.max(1))
    };
    cross(a, b).cmp(&cross(b, a))
}

/// Cuts a class into the smallest parts such that everybody in a part stands ahead of everybody
/// in the parts after it. One part means no decision.
fn dominant<'a>(
    tied: &[Tied<'a>],
    ahead: impl Fn(&Tied<'a>, &Tied<'a>) -> bool,
) -> Vec<Vec<Tied<'a>>> {
    let mut sorted: Vec<(usize, Tied<'a>)> = tied
        .iter()
        .map(|one| (tied.iter().filter(|other| ahead(one, other)).count(), *one))
        .collect();
    // Whoever is in an earlier part is ahead of more.
    sorted.sort_by_key(|(beaten, _)| std::cmp::Reverse(*beaten));
    let sorted: Vec<Tied<'a>> = sorted.into_iter().map(|(_, one)| one).collect();
    // `reach[i]`: the last one that somebody up to `i` does not stand ahead of.
    let mut parts = Vec::new();
    let (mut start, mut reach) = (0, 0);
    for (index, one) in sorted.iter().enumerate() {
        let level = (index + 1..sorted.len())
            .rev()
            .find(|&j| !ahead(one, &sorted[j]));
        reach = reach.max(level.unwrap_or(index));
        if reach == index {
            parts.push(sorted[start..=index].to_vec());
            start = index + 1;
            reach = start;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders four who differ in nothing but tokens and who beat whom.
    fn places(beat: &[(usize, usize)], tokens: [Option<u64>; 4]) -> Vec<(Vec<usize>, Option<Tie>)> {
        let beat = |one: usize, other: usize| beat.contains(&(one, other));
        let total = Tally::default();
        let tied = [0, 1, 2, 3].map(|entrant| Tied {
            entrant,
            total: &total,
            tokens: tokens[entrant],
        });
        let parts = order(&tied, &[Tie::HeadToHead, Tie::Tokens], &beat);
        let numbers = |part: Vec<Tied<'_>>| part.iter().map(|one| one.entrant).collect();
        parts
            .into_iter()
            .map(|(part, rule)| (numbers(part), rule))
            .collect()
    }

    const H2H: Option<Tie> = Some(Tie::HeadToHead);
    const TOKENS: Option<Tie> = Some(Tie::Tokens);

    #[test]
    fn fewer_tokens_decide_where_nobody_won_both_games() {
        let order = places(&[], [Some(4), Some(3), Some(3), Some(1)]);
        let expected = [(vec![3], TOKENS), (vec![1, 2], TOKENS), (vec![0], TOKENS)];
        assert_eq!(order, expected);
    }

    #[test]
    fn who_won_both_games_stands_ahead_whatever_the_tokens_of_others() {
        // 0 beat 2; 1 drew with both; by tokens alone 2 would be the first.
        let order = places(
            &[(0, 2), (0, 3), (1, 3), (2, 3)],
            [Some(2), Some(3), Some(1), Some(9)],
        );
        // 2 before 0 by nothing: 0 won both. 2 before 1 and 0 before 1 by tokens.
        let expected = [
            (vec![0], H2H),
            (vec![2], TOKENS),
            (vec![1], H2H),
            (vec![3], H2H),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_circle_is_broken_by_the_next_rule() {
        let circle = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
        let order = places(&circle, [Some(3), Some(2), Some(1), Some(0)]);
        let expected = [
            (vec![2], TOKENS),
            (vec![1], TOKENS),
            (vec![0], TOKENS),
            (vec![3], H2H),
        ];
        assert_eq!(order, expected);
        let equal = places(&circle, [Some(5); 4]);
        assert_eq!(equal, [(vec![0, 1, 2], H2H), (vec![3], H2H)]);
    }

    #[test]
    fn without_a_count_of_tokens_a_place_is_shared() {
        let order = places(&[], [Some(1), None, Some(2), Some(3)]);
        assert_eq!(order, [(vec![0, 1, 2, 3], None)]);
    }
}
