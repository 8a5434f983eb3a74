//! Moments of a run: noted from its table, shown under public names, and thinned out to what a page can carry.

use jiff::Timestamp;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use store::manifest::{DrawLine, DrawSource, EntrantLine, Manifest};
use store::names::PublicNames;
use store::{Games, Moment, MomentEntrant};

/// Lists the entrants of a run with their places in this table, in the order of the manifest.
pub fn moment_entrants(manifest: &Manifest, table: &StandingsTable) -> Vec<MomentEntrant> {
    let entrant = |line: &EntrantLine| {
        let row = table.row(&line.name);
        let mut unranked = table.unranked.iter();
        let unranked = || Some(unranked.find(|row| row.entrant == line.name)?.total.points);
        Some(MomentEntrant {
            artifact: line.artifact.clone()?,
            version: line.version,
            received: line.timing.map(|timing| timing.received),
            rank: row.map(|row| row.rank),
            points: row
                .map(|row| row.total.points)
                .or_else(unranked)
                .unwrap_or_default(),
            entrant: line.name.clone(),
        })
    };
    manifest.entrants.iter().filter_map(entrant).collect()
}

/// Returns whether publications are frozen: the last moment says so, and the secret is not revealed.
pub fn is_frozen(draw: &DrawLine, games: &Games) -> bool {
    let last = games.moments().next_back();
    last.is_some_and(|moment| moment.frozen) && !is_revealed(draw)
}

/// Returns whether the secret of a draw has been published.
pub fn is_revealed(draw: &DrawLine) -> bool {
    match &draw.source {
        DrawSource::Seed(_) => false,
        DrawSource::Secret { revealed, .. } => revealed.is_some(),
    }
}

/// Lists the moments that the public may see, [`thinned`]: until the secret is revealed, those before the
/// freeze. They never say when a version was received. If somebody is hidden behind a pseudonym, all give only
/// the day, and hidden entrants have no version number: friends know how often and when somebody has submitted.
pub(crate) fn public_moments(
    games: &Games,
    manifest: &Manifest,
    names: &PublicNames,
    program: &dyn Fn(&str, &str) -> String,
) -> Vec<Moment> {
    let is_there = |name: &str| manifest.entrants.iter().any(|line| line.name == name);
    let revealed = is_revealed(&manifest.draw);
    let shown = games.moments().filter(|moment| revealed || !moment.frozen);
    let thinned = thinned(shown, names.has_hidden()).into_iter();
    thinned
        .map(|moment| masked(moment.clone(), names, program, is_there))
        .collect()
}

fn masked(
    mut moment: Moment,
    names: &PublicNames,
    program: &dyn Fn(&str, &str) -> String,
    is_there: impl Fn(&str) -> bool,
) -> Moment {
    moment.entrants.retain(|one| is_there(&one.entrant));
    for one in &mut moment.entrants {
        one.artifact = program(&one.entrant, &one.artifact);
        one.received = None;
        one.version = one.version.filter(|_| !names.is_hidden(&one.entrant));
        one.entrant = names.of(&one.entrant).to_owned();
    }
    moment.entrants.sort_by(|a, b| a.entrant.cmp(&b.entrant));
    if names.has_hidden() {
        moment.at = Timestamp::from_second(day(&moment) * DAY_S).unwrap_or(moment.at);
    }
    moment
}

pub(crate) fn text(moments: &[Moment]) -> Vec<u8> {
    let mut text = Vec::new();
    for moment in moments {
        serde_json::to_writer(&mut text, moment).expect("memory");
        text.push(b'\n');
    }
    text
}

pub(crate) fn read_moments(text: &str) -> Result<Vec<Moment>, JudgeError> {
    text.lines()
        .zip(1..)
        .map(|(line, number)| {
            serde_json::from_str(line).map_err(|error| {
                JudgeError::input(format!(
                    "line {number} of {MOMENTS} is not a moment: {error}"
                ))
            })
        })
        .collect()
}

pub(crate) const MOMENTS: &str = "moments.jsonl";

const DAY_S: i64 = 86_400;
/// Number of newest moments that are kept, however close together they are.
const RECENT: usize = 24;
/// Numbers of recent days with one moment an hour, and with one a day. Before them it is one a week.
const HOURLY_DAYS: i64 = 2;
const DAILY_DAYS: i64 = 30;

fn day(moment: &Moment) -> i64 {
    moment.at.as_second().div_euclid(DAY_S)
}

/// Selects what a page can carry: the last moment of each hour, day or week (the older, the coarser), and the
/// newest ones, unless moments give only the day (`is_daily`).
pub(crate) fn thinned<'a>(
    moments: impl DoubleEndedIterator<Item = &'a Moment>,
    is_daily: bool,
) -> Vec<&'a Moment> {
    let mut back = moments.rev().peekable();
    let newest = back.peek().map_or(0, |moment| day(moment));
    let mut kept: Vec<&Moment> = Vec::new();
    let mut before = None;
    for moment in back {
        let length = match newest - day(moment) {
            ..HOURLY_DAYS if !is_daily => DAY_S / 24,
            ..DAILY_DAYS => DAY_S,
            _ => 7 * DAY_S,
        };
        let part = Some((length, moment.at.as_second().div_euclid(length)));
        if part != before || (!is_daily && kept.len() < RECENT) {
            kept.push(moment);
        }
        before = part;
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::names::{NamePreference, Pseudonyms};

    #[test]
    fn hidden_entrants_have_no_version_and_daily_moments() {
        let staff = tempfile::tempdir().expect("a temporary folder");
        let entrants = ["ann", "zoe"];
        let pseudonyms = Pseudonyms::of_run(staff.path(), entrants.into_iter()).expect("readable");
        let preference = |entrant, anonymous| NamePreference {
            entrant,
            anonymous,
            platform_named: false,
            nickname: None,
            people: "",
            known: &[],
        };
        let known = [preference("ann", false), preference("zoe", false)];
        let hidden = [preference("ann", false), preference("zoe", true)];
        let [known, hidden] = [known, hidden].map(|all| PublicNames::new(None, &all, &pseudonyms));
        assert!(!known.has_hidden() && hidden.has_hidden());
        let moment = Moment {
            at: "2026-12-02T10:20:30Z".parse().expect("a time"),
            round: String::new(),
            played: 1,
            of: 1,
            frozen: false,
            entrants: entrants
                .map(|name| MomentEntrant {
                    entrant: name.to_owned(),
                    version: Some(3),
                    received: Some(Timestamp::UNIX_EPOCH),
                    ..MomentEntrant::default()
                })
                .to_vec(),
        };
        let reported = masked(moment, &hidden, &|_, artifact| artifact.to_owned(), |_| {
            true
        });
        let version = |name: &str| reported.entrant(name).expect("it is there").version;
        assert_eq!(version("ann"), Some(3));
        assert_eq!(version(hidden.of("zoe")), None);
        assert!(reported.entrants.iter().all(|one| one.received.is_none()));
        assert!(reported.entrant("zoe").is_none());
        assert_eq!(reported.at.to_string(), "2026-12-02T00:00:00Z");
    }

    use model::competition::FINAL;

    #[test]
    fn older_moments_are_coarser_and_bounded_in_number() {
        let moment = |minutes: i64| Moment {
            at: Timestamp::from_second(1_790_000_000 + minutes * 60).expect("near"),
            round: FINAL.to_owned(),
            played: 1,
            of: 1,
            frozen: false,
            entrants: Vec::new(),
        };
        // A year with a moment every ten minutes.
        let all: Vec<Moment> = (0..365 * 144).map(|at| moment(at * 10)).collect();
        for (is_daily, most) in [(false, 150), (true, 90)] {
            let kept = thinned(all.iter(), is_daily);
            assert!((most - 25..most).contains(&kept.len()), "{}", kept.len());
            assert_eq!(kept.last(), Some(&&all[all.len() - 1]));
            assert!(kept.windows(2).all(|two| two[0].at < two[1].at));
            let days: std::collections::HashSet<_> = kept.iter().map(|one| day(one)).collect();
            assert_eq!(days.len() == kept.len(), is_daily);
        }
        let few = [moment(0), moment(1), moment(90)];
        assert_eq!(thinned(few.iter(), false).len(), 3);
        assert!(thinned([].iter(), false).is_empty());
    }
}
