//! The head of a page: who wins and how surely, the podium, and a match.

use super::Page;
use super::phrases::{self, bdi, count, counted, entrant, exact_time};
use super::standings::{record, shared};
use crate::moments::is_revealed;
use crate::words::{PODIUM_PLACES, is_fit, practice_round, prize_words};
use maud::{Markup, html};
use model::lateness::ReceivedBy;
use model::numbers::{of_points, so_many_points};
use model::tally::RankKey;
use rulebook::Result;
use rulebook::scoring::{Estimate, Paired, Standing, Unit};

type Candidate<'a> = (usize, &'a Standing);

const NAMED_MAX: usize = 4;

pub(super) fn verdict(page: &Page<'_>) -> Markup {
    let rows: Vec<Candidate<'_>> = page
        .table
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.disqualified.is_none())
        .collect();
    if rows.is_empty() || page.summary.games.is_empty() {
        return Markup::default();
    }
    let duel = duel(page);
    let so_far = so_far(page);
    html! {
        p.verdict {
            (sentence(page, &rows, so_far.is_some(), duel.as_ref())) "."
            @if let Some(so_far) = so_far { " " span.tag { (so_far) } }
        }
        @match duel {
            Some(duel) => { (duel.shown(page)) }
            None => { (podium(page, &rows)) }
        }
    }
}

fn so_far(page: &Page<'_>) -> Option<String> {
    let last = page.run.moments.last();
    if last.is_some_and(|moment| moment.frozen) && !is_revealed(&page.run.manifest.draw) {
        return Some("frozen".to_owned());
    }
    if let Some(round) = practice_round(page.competition) {
        return Some(format!("provisional: {round}"));
    }
    (page.summary.games.len() < page.run.scheduled).then(|| "provisional".to_owned())
}

fn sentence(page: &Page<'_>, rows: &[Candidate<'_>], is_open: bool, duel: Option<&Duel>) -> Markup {
    let name = |(number, row): Candidate<'_>| entrant(number, &row.entrant);
    let first = rows[0];
    let Some(&next) = rows.get(1) else {
        let total = &first.1.total;
        return html! {
            (name(first)) " has " (so_many_points(total.points)) " and won " (count(total.wins)) " of "
            (counted(total.games, "game"))
        };
    };
    let best = first.1.place;
    let leaders = rows.iter().filter(|(_, row)| row.place == best).count();
    if leaders > 1 {
        return html! {
            @if leaders > NAMED_MAX { (leaders) " entrants" }
            @else {
                @for (index, &leader) in rows[..leaders].iter().enumerate() {
                    @if index > 0 { (if index + 1 == leaders { " and " } else { ", " }) }
                    (name(leader))
                }
            }
            (if is_open { " share the lead" } else { " share the first place" })
        };
    }
    let is_sure = match duel {
        Some(duel) => duel.estimate.map(|estimate| estimate.low > 0.0),
        None => is_apart(first.1, next.1),
    };
    html! {
        (name(first)) (if is_open { " leads" } else { " wins" }) ", "
        (lead(page, first.1, next.1))
        (name(next))
        @match is_sure {
            Some(true) => { "; certain to 95 %" }
            Some(false) => { "; their order may be luck" }
            None => {}
        }
    }
}

/// Says how one entrant is ahead of the next: by the first key in which they differ, or by a rule.
fn lead(page: &Page<'_>, one: &Standing, next: &Standing) -> String {
    let (own, other) = (&one.total, &next.total);
    let mut ranking = page.competition.scoring.ranking.iter();
    let by = match ranking.find(|key| own.compare_by(other, &[**key]).is_ne()) {
        Some(RankKey::Points) => {
            let points = phrases::points(own.points - other.points, page.decimals);
            Some(of_points(&points))
        }
        Some(RankKey::Wins) => Some(counted(own.wins.abs_diff(other.wins), "win")),
        Some(key) => Some(format!("by {}", key.name())),
        None => one.decided_by.map(|tie| format!("by {}", tie.name())),
    };
    by.map_or("ahead of ".to_owned(), |by| format!("{by} ahead of "))
}

fn is_apart(first: &Standing, next: &Standing) -> Option<bool> {
    let (first, next) = (first.uncertainty.as_ref()?, next.uncertainty.as_ref()?);
    Some(first.rank_worst < next.rank_best)
}

/// Shows the places of those that meet the needs of prizes. None if too many share one, or all without prizes.
fn podium(page: &Page<'_>, rows: &[Candidate<'_>]) -> Markup {
    let on_it: Vec<&Candidate<'_>> = rows
        .iter()
        .filter(|(_, row)| is_fit(page.table, row))
        .take_while(|(_, row)| row.place <= PODIUM_PLACES)
        .collect();
    let places = || on_it.iter().map(|(_, row)| row.place);
    let shared = shared(places());
    let are_apart = places().min() < places().max();
    let has_prizes = on_it.iter().any(|(_, row)| row.prize.is_some());
    let is_over = page.summary.games.len() == page.run.scheduled;
    html! {
        @if (are_apart || has_prizes) && on_it.len() <= PODIUM_PLACES + 1 {
            ol.podium {
                @for (number, standing) in &on_it {
                    li.top[standing.place == 1] {
                        span.place { @if shared.contains(&standing.place) { "=" } (standing.place) }
                        (entrant(*number, &standing.entrant))
                        span { (page.points(&standing.total)) " points" }
                        @if let Some(prize) = standing.prize.filter(|prize| is_over && *prize > 0) {
                            span.prize { (prize_words(prize)) }
                        }
                    }
                }
            }
        }
    }
}

struct Duel {
    pairs: u64,
    estimate: Option<Estimate>,
    is_direct: bool,
}

fn duel(page: &Page<'_>) -> Option<Duel> {
    let table = page.table;
    if table.rows.len() != 2 || !table.unranked.is_empty() || !table.removed.is_empty() {
        return None;
    }
    let is_direct = page.competition.schedule.opponents().is_empty();
    let games_each = page.run.scheduled / page.competition.states.max(1) as usize;
    let mut paired = Paired::default();
    let scores = |state| Some(page.summary.states.get(&state)?.scores);
    while paired.add_next(games_each, scores) {}
    let unit = if is_direct {
        Unit::Elo
    } else {
        Unit::EloAgainstOthers
    };
    let estimate = unit
        .estimate(&paired)
        .filter(|estimate| estimate.low.is_finite() && estimate.high.is_finite());
    Some(Duel {
        pairs: paired.count(),
        estimate: estimate.filter(|_| !paired.has_no_variance()),
        is_direct,
    })
}

/// The width of the bar, half of it for each side, and the least difference in Elo at its ends.
const BAR_WIDTH: f64 = 640.0;
const BAR_ELO_MIN: f64 = 100.0;

impl Duel {
    fn shown(&self, page: &Page<'_>) -> Markup {
        let [first, next] = [0, 1].map(|at| &page.table.rows[at]);
        html! {
            figure.elo {
                @if let Some(estimate) = self.estimate {
                    p.sides { span { "← " (bdi(&next.entrant)) } span { (bdi(&first.entrant)) " →" } }
                    (bar(estimate))
                }
                figcaption {
                    @match self.estimate {
                        Some(Estimate { value, low, high }) => {
                            strong { (format!("{value:+.0} Elo")) } (format!(" (95 %: {low:+.0} to {high:+.0})"))
                        }
                        None => { "No interval in Elo: the pairs are too few, or all ended alike" }
                    }
                    "; " (bdi(&first.entrant)) " " (record(&first.total))
                    @if !self.is_direct { ", " (bdi(&next.entrant)) " " (record(&next.total)) }
                    " (won–drawn–lost) "
                    @if self.is_direct { "in " (counted(self.pairs, "pair")) }
                    @else { "against the same opponents on " (counted(self.pairs, "initial state")) }
                }
            }
        }
    }
}

fn bar(Estimate { value, low, high }: Estimate) -> Markup {
    let end = low.abs().max(high.abs()).max(BAR_ELO_MIN) * 1.1;
    let x = |elo: f64| format!("{:.1}", BAR_WIDTH / 2.0 * (1.0 + elo / end));
    let middle = x(0.0);
    html! {
        svg.dist viewBox=(format!("0 0 {BAR_WIDTH} 24")) role="img" aria-label="Elo with its interval" {
            path.tick d=(format!("M0 12H{BAR_WIDTH}M{middle} 2V22")) {}
            path.interval d=(format!("M{} 12H{}", x(low), x(high))) {}
            circle cx=(x(value)) cy="12" r="6" {}
        }
    }
}

pub(super) fn played(page: &Page<'_>) -> Result<String> {
    let mut said = vec![
        rulebook::rules::of(&page.competition.conditions)?
            .info()
            .summary
            .to_owned(),
        clock(page),
    ];
    said.extend(day_played(page));
    Ok(said.join(" "))
}

fn clock(page: &Page<'_>) -> String {
    let time = page.competition.conditions.time;
    let of = |us: u64, per: &str| format!("{} {per}", exact_time(us));
    let parts: Vec<String> = [
        time.bank_us.map(|us| of(us, "a game")),
        Some(time.increment_us)
            .filter(|us| *us > 0 && time.bank_us.is_some())
            .map(|us| of(us, "more a turn")),
        time.turn_us.map(|us| of(us, "a turn")),
    ]
    .into_iter()
    .flatten()
    .collect();
    match &parts[..] {
        [] => "No time limit.".to_owned(),
        parts => format!("{}: {}.", page.times_called(), parts.join(", ")),
    }
}

fn day_played(page: &Page<'_>) -> Option<String> {
    let day = |at: jiff::Timestamp| at.strftime("%Y-%m-%d").to_string();
    if page.reader.live.is_some() {
        return None;
    }
    if let Some(last) = page.run.moments.last() {
        return Some(format!("Played until {}.", day(last.at)));
    }
    let last = page
        .run
        .people
        .iter()
        .filter(|_| page.run.is_staff)
        .filter_map(|line| line.timing)
        .max_by_key(|timing| timing.received)?;
    // The judge plays what it receives at once; a platform may have received it long before.
    let what = match last.by {
        ReceivedBy::Judge => "Played on",
        ReceivedBy::Platform | ReceivedBy::FileName | ReceivedBy::Staff => "Submissions until",
    };
    Some(format!("{what} {}.", day(last.received)))
}
