//! The winners of a competition, as they are announced.

use model::competition::Scoring;
use model::numbers::counted;
use rulebook::scoring::{Standing, StandingsTable};

/// The last place on the podium.
pub(crate) const PODIUM_PLACES: usize = 3;
/// Maximum number of winners if most entrants are among them.
const LISTED_MAX: usize = 10;

/// An entrant with a place on the podium or a prize.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Winner<'a> {
    /// The entrant's name.
    pub(crate) entrant: &'a str,
    /// The place, which several can share.
    pub(crate) place: usize,
    /// The prize, in prize points.
    pub(crate) prize: Option<u32>,
    /// Whether the place is on the podium.
    pub(crate) is_on_podium: bool,
}

impl Winner<'_> {
    /// Returns the prize in words.
    pub(crate) fn prize_words(&self) -> Option<String> {
        self.prize.map(|prize| counted(prize.into(), "prize point"))
    }
}

/// Lists the entrants that get something, by place. Without prizes and rules for a podium, nobody
/// does. If many and most do, only the podium or the highest prize counts.
pub(crate) fn winners<'a>(scoring: &Scoring, table: &'a StandingsTable) -> Vec<Winner<'a>> {
    let fit: Vec<&Standing> = table
        .rows
        .iter()
        .map(|row| &row.standing)
        .filter(|one| one.disqualified.is_none() && table.standings.meets_prize_needs(&one.entrant))
        .collect();
    let mut winners: Vec<Winner<'a>> = fit.iter().filter_map(|one| winner(scoring, one)).collect();
    if winners.len() > LISTED_MAX && winners.len() * 2 > fit.len() {
        let most = winners.iter().filter_map(|one| one.prize).max();
        winners.retain(|one| match scoring.podium.as_slice() {
            [] => one.prize == most,
            _ => one.is_on_podium,
        });
        if winners.len() == fit.len() {
            winners.clear();
        }
    }
    winners
}

fn winner<'a>(scoring: &Scoring, standing: &'a Standing) -> Option<Winner<'a>> {
    let is_placed = !scoring.podium.is_empty() && standing.place <= PODIUM_PLACES;
    let prize = standing.prize.filter(|prize| *prize > 0);
    let gets_something = prize.is_some() || is_placed;
    (standing.total.games > 0 && gets_something).then(|| Winner {
        entrant: &standing.entrant,
        place: standing.place,
        prize,
        is_on_podium: is_placed,
    })
}

/// The winners in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcement {
    /// A line for each winner, by place.
    pub list: Vec<String>,
    /// The podium in one line, if somebody is on it.
    pub podium: Option<String>,
}

impl Announcement {
    /// Returns whether there is somebody to announce, so that public names are needed.
    pub fn is_due(scoring: &Scoring, table: &StandingsTable) -> bool {
        !winners(scoring, table).is_empty()
    }

    /// Announces the winners of a table; `public` returns the name to announce.
    pub fn new(scoring: &Scoring, table: &StandingsTable, public: &dyn Fn(&str) -> String) -> Self {
        let (mut list, mut podium) = (Vec::new(), Vec::new());
        for winner in winners(scoring, table) {
            let placed = format!("{}. {}", winner.place, public(winner.entrant));
            let prize = winner.prize_words();
            let prize = prize.map(|prize| format!(", {prize}")).unwrap_or_default();
            list.push(format!("{placed}{prize}"));
            podium.extend(winner.is_on_podium.then_some(placed));
        }
        let podium = (!podium.is_empty()).then(|| format!("podium: {}", podium.join(", ")));
        Self { list, podium }
    }
}
