//! The section "History": ranks over time, entrants that rose and fell, and new versions.

#![expect(clippy::cast_precision_loss, reason = "a picture")]

use super::phrases::{bdi, counted, cut, entrant, name, number, sortable, table, time_words};
use super::{Page, Summary};
use crate::words::practice_number;
use jiff::Timestamp;
use maud::{Markup, html};
use model::competition::FINAL;
use std::collections::HashMap;
use store::{Moment, MomentEntrant};

/// Maximum number of entrants with a line, besides the reader's own.
const LINES_MAX: usize = 10;
/// Maximum number of lines for rounds; more would hide the ranks.
const ROUNDS_MAX: usize = 40;
const WIDTH: f64 = 760.0;
const STEP: f64 = 22.0;
/// Room above the first rank for the names of rounds, and below the last one for dates.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 24.0;
const SIDE: f64 = 34.0;

struct Line<'a> {
    name: &'a str,
    entrant: usize,
    is_own: bool,
}

impl Line<'_> {
    fn rank(&self, moment: &Moment) -> Option<usize> {
        moment.entrant(self.name)?.rank
    }

    fn class(&self) -> String {
        let own = if self.is_own { " own-line" } else { "" };
        format!("line l{}{own}", self.entrant % LINES_MAX)
    }
}

pub(super) fn history(page: &Page<'_>) -> Option<Markup> {
    let timeline = Timeline::of(&page.run.moments)?;
    let lines: Vec<Line<'_>> = (0..page.table.rows.len())
        .map(|entrant| Line {
            name: &page.summary.names[entrant],
            entrant,
            is_own: page.reader.own == Some(entrant),
        })
        .filter(|line| line.entrant < LINES_MAX || line.is_own)
        .collect();
    if lines.is_empty() {
        return None;
    }
    let (first, last) = (timeline.first(), timeline.last());
    Some(html! {
        p.note { "Ranks from " (time(first)) " to " (time(last)) "." }
        div.over-time {
            div.wide tabindex="0" role="region" aria-label="Ranks over time" {
                (chart(timeline, &lines))
            }
            (risers(timeline, &lines))
        }
        (versions(timeline, page.summary))
    })
}

fn time(moment: &Moment) -> Markup {
    let words = time_words(moment.at);
    // If somebody is hidden, moments give only the day.
    html! { time datetime=(moment.at) { (words.strip_suffix(" 00:00 UTC").unwrap_or(&words)) } }
}

fn round_name(round: &str) -> String {
    practice_number(round).map_or(round.to_owned(), |number| format!("practice {number}"))
}

fn chart(timeline: Timeline<'_>, shown: &[Line<'_>]) -> Markup {
    let marks = timeline.marks();
    let worst = shown
        .iter()
        .flat_map(|line| marks.iter().filter_map(|moment| line.rank(moment)))
        .max()
        .unwrap_or(1);
    let x = |share: f64| SIDE + (WIDTH - 2.0 * SIDE) * share;
    let y = |rank: usize| TOP + STEP * (rank as f64 - 0.5);
    let height = TOP + STEP * worst as f64 + BOTTOM;
    let bottom = height - BOTTOM;
    let line = |line: &Line<'_>| {
        let mut path = Vec::new();
        let mut before = None;
        for moment in &marks {
            let (rank, at) = (line.rank(moment), x(timeline.share(moment)));
            // Ranks change at a moment, not between moments.
            path.push(match (before, rank) {
                (None, None) => String::new(),
                (None, Some(rank)) => format!("M{at:.1} {:.1}", y(rank)),
                (Some(old), Some(rank)) if old != rank => format!("H{at:.1}V{:.1}", y(rank)),
                (Some(_), _) => format!("H{at:.1}"),
            });
            before = rank;
        }
        (line.class(), path.concat(), before)
    };
    let label = format!(
        "Ranks over time of {}; the table below has the numbers",
        counted(shown.len(), "entrant")
    );
    html! {
        svg.timeline viewBox=(format!("0 0 {WIDTH} {height:.0}")) width=(WIDTH) height=(format!("{height:.0}")) role="img" aria-label=(label) {
            @for rank in 1..=worst {
                @if rank == 1 || rank % 5 == 0 || rank == worst {
                    path.rail d=(format!("M{SIDE} {:.1}H{:.1}", y(rank), WIDTH - SIDE)) {}
                    text.rank x=(SIDE - 10.0) y=(format!("{:.1}", y(rank) + 4.0)) { (rank) }
                }
            }
            @for moment in timeline.rounds().take(ROUNDS_MAX) {
                @let at = format!("{:.1}", x(timeline.share(moment)));
                path.round d=(format!("M{at} {:.1}V{bottom:.1}", TOP - 8.0)) {}
                text.round-name x=(at) y=(TOP - 13.0) { (cut(&name(&round_name(&moment.round)), 14)) }
            }
            @for (share, when) in timeline.dates() {
                text.when x=(format!("{:.1}", x(share))) y=(format!("{:.1}", height - 5.0)) { (when) }
            }
            @for (class, path, last) in shown.iter().map(line) {
                path class=(class) d=(path) {}
                @if let Some(rank) = last {
                    circle class=(class) cx=(format!("{:.1}", WIDTH - SIDE)) cy=(format!("{:.1}", y(rank))) r="3.5" {}
                    text.end x=(format!("{:.1}", WIDTH - SIDE + 9.0)) y=(format!("{:.1}", y(rank) + 4.0)) { (rank) }
                }
            }
        }
    }
}

fn moved(by: Option<i64>) -> Markup {
    html! {
        @match by {
            None => { td.n data-v="" { span.zero title="was not ranked then" { "new" } } }
            Some(0) => { td.n.zero data-v="0" { "=" } }
            Some(by) if by > 0 => { td.n.well data-v=(by) { span aria-hidden="true" { "▲ " } span.sr { "rose by " } (by) } }
            Some(by) => { td.n.bad data-v=(by) { span aria-hidden="true" { "▼ " } span.sr { "fell by " } (-by) } }
        }
    }
}

fn risers(timeline: Timeline<'_>, lines: &[Line<'_>]) -> Markup {
    let heads = html! {
        (sortable("Entrant")) (number("Rank")) (number("Lately"))
        (number("Best rank")) (number("Version"))
    };
    let rows = lines.iter().map(|line| {
        let now = timeline.last().entrant(line.name);
        html! {
            tr.own[line.is_own] {
                th scope="row" {
                    svg.key viewBox="0 0 22 8" width="22" height="8" aria-hidden="true" { path class=(line.class()) d="M1 4H21" {} }
                    (entrant(line.entrant, line.name))
                }
                (cell(now.and_then(|now| now.rank)))
                (moved(timeline.risen(line.name)))
                (cell(timeline.best(line.name)))
                (cell(now.and_then(|now| now.version)))
            }
        }
    });
    table("Who rose and fell", &heads, rows)
}

fn cell(number: Option<usize>) -> Markup {
    html! { td.n { @if let Some(number) = number { (number) } } }
}

fn versions(timeline: Timeline<'_>, summary: &Summary) -> Markup {
    let (versions, all) = timeline.versions();
    let shown = versions.len();
    let heads = html! {
        (sortable("First seen playing")) (sortable("Entrant")) (number("Version")) (number("Rank before")) (number("Rank then"))
    };
    let rows = versions.into_iter().map(|one| {
        let name = &one.entrant.entrant;
        html! {
            tr {
                td { (time(one.moment)) }
                th scope="row" {
                    @if let Some(number) = summary.index.get(name) { (entrant(*number, name)) } @else { (bdi(name)) }
                }
                (cell(one.entrant.version)) (cell(one.before)) (cell(one.entrant.rank))
            }
        }
    });
    html! {
        @if all > 0 {
            details {
                summary { "New versions (" (all) ")" }
                @if shown < all { p.note { "The last " (shown) " of them:" } }
                (table("New versions", &heads, rows))
            }
        }
    }
}

const MARKS_MAX: u32 = 48;
const DATES: i64 = 4;
const DAY_S: i64 = 86_400;
const VERSIONS_MAX: usize = 30;

/// The moments of a run in order: at least two.
#[derive(Clone, Copy, Debug)]
struct Timeline<'a>(&'a [Moment]);

#[derive(Clone, Copy, Debug)]
struct NewVersion<'a> {
    moment: &'a Moment,
    entrant: &'a MomentEntrant,
    before: Option<usize>,
}

impl<'a> Timeline<'a> {
    fn of(moments: &'a [Moment]) -> Option<Self> {
        (moments.len() >= 2).then_some(Self(moments))
    }

    fn first(self) -> &'a Moment {
        &self.0[0]
    }

    fn last(self) -> &'a Moment {
        &self.0[self.0.len() - 1]
    }

    fn marks(self) -> Vec<&'a Moment> {
        let all = self.0;
        let part =
            |moment: &Moment| self.seconds(moment) * i64::from(MARKS_MAX - 1) / self.length();
        let is_mark = |at: &usize| {
            all.len() <= MARKS_MAX as usize
                || *at == 0
                || all
                    .get(at + 1)
                    .is_none_or(|next| part(next) != part(&all[*at]))
        };
        (0..all.len()).filter(is_mark).map(|at| &all[at]).collect()
    }

    /// Returns the position of a moment in time: 0 for the first one, 1 for the last.
    fn share(self, moment: &Moment) -> f64 {
        (self.seconds(moment) as f64 / self.length() as f64).clamp(0.0, 1.0)
    }

    fn seconds(self, moment: &Moment) -> i64 {
        moment.at.as_second() - self.first().at.as_second()
    }

    fn length(self) -> i64 {
        self.seconds(self.last()).max(1)
    }

    /// Returns by how many ranks an entrant has risen since the previous moment; negative if it has
    /// fallen. In the final round, it compares with the last moment of the round before.
    fn risen(self, entrant: &str) -> Option<i64> {
        let [earlier @ .., last] = self.0 else {
            return None;
        };
        let in_round = |moment: &&Moment| last.round == FINAL && moment.round != FINAL;
        let before = earlier.iter().rfind(in_round).or(earlier.last())?;
        let rank = |moment: &Moment| i64::try_from(moment.entrant(entrant)?.rank?).ok();
        Some(rank(before)? - rank(last)?)
    }

    fn best(self, entrant: &str) -> Option<usize> {
        self.0
            .iter()
            .filter_map(|moment| moment.entrant(entrant)?.rank)
            .min()
    }

    /// Lists dates with their positions from 0 to 1; in a short run they are times of day.
    fn dates(self) -> Vec<(f64, String)> {
        let length = self.length();
        let form = if length < 2 * DAY_S {
            "%H:%M"
        } else {
            "%b %-d"
        };
        let mut dates: Vec<(f64, String)> = Vec::new();
        for part in 0..=DATES {
            let second = self.first().at.as_second() + length * part / DATES;
            let Ok(at) = Timestamp::from_second(second) else {
                continue;
            };
            let date = at.strftime(form).to_string();
            if dates.last().is_none_or(|(_, last)| *last != date) {
                dates.push((part as f64 / DATES as f64, date));
            }
        }
        dates
    }

    /// Lists the first moment of each round, except for the first round.
    fn rounds(self) -> impl Iterator<Item = &'a Moment> {
        let changes = self.0.windows(2).filter(|two| two[0].round != two[1].round);
        changes.map(|two| &two[1])
    }

    /// Lists the latest versions, newest first, and returns how many there are in all.
    fn versions(self) -> (Vec<NewVersion<'a>>, usize) {
        let mut known: HashMap<&str, &MomentEntrant> = HashMap::new();
        let mut found = Vec::new();
        for moment in self.0 {
            for entrant in &moment.entrants {
                let before = known.insert(&entrant.entrant, entrant);
                let is_new = before.is_none_or(|before| before.artifact != entrant.artifact);
                // Built-in bots have no version.
                if is_new && entrant.version.is_some() {
                    found.push(NewVersion {
                        moment,
                        entrant,
                        before: before.and_then(|before| before.rank),
                    });
                }
            }
        }
        let all = found.len();
        found.reverse();
        found.truncate(VERSIONS_MAX);
        (found, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(all: &[&[(&str, usize)]]) -> Vec<Moment> {
        let moment = |(at, entrants): (i64, &&[(&str, usize)])| Moment {
            at: Timestamp::from_second(1_700_000_000 + at * 3600).expect("near"),
            round: format!("practice/{}", 1 + at / 30),
            played: 10,
            of: 10,
            frozen: false,
            entrants: entrants
                .iter()
                .zip(1..)
                .map(|((name, version), rank)| MomentEntrant {
                    entrant: (*name).to_owned(),
                    version: Some(*version),
                    received: None,
                    artifact: format!("{name} {version}"),
                    rank: Some(rank),
                    points: model::points::Points::default(),
                })
                .collect(),
        };
        (0..).zip(all).map(moment).collect()
    }

    #[test]
    fn a_practice_round_has_a_short_name() {
        assert_eq!(round_name("practice/3"), "practice 3");
    }

    #[test]
    fn chart_line_steps_between_moments_with_gaps() {
        let moments = moments(&[
            &[("ann", 1), ("bob", 1), ("cid", 1)],
            &[("bob", 2)],
            &[("bob", 2), ("ann", 1)],
        ]);
        let timeline = Timeline::of(&moments).expect("enough");
        let line = |name, entrant| Line {
            name,
            entrant,
            is_own: entrant == 0,
        };
        let shown = [line("ann", 0), line("bob", 1), line("cid", 2)];
        let drawn = chart(timeline, &shown).into_string();
        for part in [
            "d=\"M34.0 41.0H380.0M726.0 63.0\"",
            "d=\"M34.0 63.0H380.0V41.0H726.0\"",
            "line l0 own-line",
            "line l2\" d=\"M34.0 85.0H380.0\"",
        ] {
            assert!(drawn.contains(part), "{drawn}");
        }
    }

    #[test]
    fn who_rose_and_fell_since_the_last_moment() {
        let mut all: Vec<&[(&str, usize)]> = vec![&[("ann", 1), ("bob", 1)]];
        all.push(&[("bob", 2), ("ann", 1), ("cid", 1)]);
        all.push(&[("bob", 2), ("cid", 1), ("ann", 1)]);
        let moments = moments(&all);
        let timeline = Timeline::of(&moments).expect("enough");
        let risen = ["ann", "bob", "cid", "zoe"].map(|name| timeline.risen(name));
        assert_eq!(risen, [Some(-1), Some(0), Some(1), None]);
        assert_eq!(timeline.best("ann"), Some(1));
        assert!(Timeline::of(&moments[..1]).is_none());
    }

    #[test]
    fn final_round_is_compared_with_previous_round() {
        let then: &[(&str, usize)] = &[("ann", 1), ("bob", 1)];
        let now: &[(&str, usize)] = &[("bob", 1), ("ann", 1)];
        let mut moments = moments(&[then, now, now]);
        let risen = |moments: &[Moment]| Timeline::of(moments).expect("enough").risen("bob");
        assert_eq!(risen(&moments), Some(0));
        for moment in &mut moments[1..] {
            FINAL.clone_into(&mut moment.round);
        }
        assert_eq!(risen(&moments), Some(1));
        assert_eq!(risen(&moments[1..]), Some(0), "there is no other round");
    }

    #[test]
    fn new_versions_list_ranks_before_and_after() {
        let moments = moments(&[
            &[("ann", 1), ("bob", 1)],
            &[("ann", 1), ("bob", 1)],
            &[("bob", 2), ("ann", 1)],
        ]);
        let timeline = Timeline::of(&moments).expect("enough");
        let (versions, all) = timeline.versions();
        let reported: Vec<_> = versions
            .iter()
            .map(|one| (&*one.entrant.entrant, one.before, one.entrant.rank))
            .collect();
        assert_eq!(
            reported,
            [
                ("bob", Some(2), Some(1)),
                ("bob", None, Some(2)),
                ("ann", None, Some(1))
            ]
        );
        assert_eq!(all, 3);
    }

    #[test]
    fn a_time_has_dates() {
        let moments = moments(&[
            &[("ann", 1), ("bob", 1), ("cid", 1)],
            &[("ann", 1), ("bob", 1)],
            &[("bob", 2)],
        ]);
        let timeline = Timeline::of(&moments).expect("enough");
        let reported = |timeline: Timeline<'_>| {
            let dates = timeline.dates().into_iter();
            let dates = dates.map(|(at, date)| format!("{at} {date}"));
            dates.collect::<Vec<_>>().join(", ")
        };
        let hours = "0 22:13, 0.25 22:43, 0.5 23:13, 0.75 23:43, 1 00:13";
        assert_eq!(reported(timeline), hours);
        let long = self::moments(&vec![&[("ann", 1)][..]; 97]);
        let days = "0 Nov 14, 0.25 Nov 15, 0.5 Nov 16, 0.75 Nov 17, 1 Nov 18";
        assert_eq!(reported(Timeline::of(&long).expect("enough")), days);
    }

    #[test]
    fn long_timeline_is_thinned_and_keeps_both_ends() {
        let moments = moments(&vec![&[("ann", 1)][..]; 1000]);
        let timeline = Timeline::of(&moments).expect("enough");
        let marks = timeline.marks();
        assert!((30..=49).contains(&marks.len()), "{}", marks.len());
        let ends = (marks[0].at, marks[marks.len() - 1].at);
        assert_eq!(ends, (moments[0].at, moments[999].at));
        assert!(marks.windows(2).all(|two| two[0].at < two[1].at));
        assert_eq!(timeline.rounds().count(), 33);
        assert!((timeline.share(&moments[999]) - 1.0).abs() < 1e-9);
    }
}
