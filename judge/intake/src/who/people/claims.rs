//! The person behind each entrant, also where the roster does not name the submission.

use super::written;
use crate::read::names::{self, base_name};
use crate::who::platform;
use model::entrant::{Person, Roster};
use model::fault::quote;
use model::platform::PlatformList;
use model::text::{listed, plain_letters, readable};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use unicode_normalization::UnicodeNormalization;

/// The entrants without a person on the roster, and the doubtful cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Entrants with nobody on the list behind them.
    pub unclaimed: BTreeSet<String>,
    /// Doubts, each in words.
    pub doubts: Vec<String>,
}

impl Claims {
    /// Returns a message that lists entrants missing on the roster, or `None` if there are none.
    pub fn not_on_roster<'a>(names: impl Iterator<Item = &'a String>) -> Option<String> {
        let names: Vec<&str> = names.map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("not on the roster: {}", listed(&names)))
    }
}

/// Gives each person the name of the entrant that this person is behind. The first that fits
/// decides:
///
/// 1. the submission in the roster (a name, a file, a path, or the platform's number);
/// 2. an id or an e-mail address that is the entrant's name;
/// 3. the person's name.
///
/// A match other than the first is a doubt too. An entrant that the roster names goes to others
/// only if it is not the namer's own. `list` is the platform's list that was the roster, if any.
pub fn claim<'a>(
    roster: &mut Roster,
    entrants: impl Iterator<Item = &'a str>,
    list: Option<PlatformList>,
) -> Claims {
    let entrants: Vec<Candidate<'a>> = entrants.map(Candidate::of).collect();
    let all: HashSet<&str> = entrants.iter().map(|one| one.entrant).collect();
    let is_of_teams = list.is_some_and(|(_, form)| form.is_of_teams);
    let begin = list
        .filter(|(_, form)| form.has_named)
        .and_then(|_| beginning(&entrants, &roster.people));
    let mut claimed: HashSet<&str> = HashSet::new();
    let mut open = Vec::new();
    let mut found_doubts = Vec::new();
    for (place, person) in roster.people.iter_mut().enumerate() {
        // The platform's names begin with the assignment.
        let repository = begin.map(|begin| format!("{begin}{}", person.submission));
        // Members of a team that was joined.
        let team = is_of_teams.then(|| person.section.clone());
        let mut others = [repository, team].into_iter().flatten();
        let find = |name: String| entrants.iter().find(|one| one.entrant == name);
        match named(person, &entrants).or_else(|| others.find_map(find)) {
            Some(one) => {
                claimed.insert(one.entrant);
                one.entrant.clone_into(&mut person.submission);
            }
            None => open.push(place),
        }
    }
    let (mut shared, mut entrants): (Vec<Candidate<'_>>, Vec<Candidate<'_>>) = entrants
        .into_iter()
        .partition(|one| claimed.contains(one.entrant));
    for likeness in LIKENESSES {
        for (place, entrant) in pairs(likeness, &roster.people, &open, &entrants) {
            open.retain(|other| *other != place);
            entrants.retain(|other| other.entrant != entrant);
            let person = &mut roster.people[place];
            found_doubts.extend(in_place_of_named(person, entrant));
            entrant.clone_into(&mut person.submission);
        }
    }
    // A partner's line takes a submission from nobody whose cell is empty. It does where it names
    // its own person's.
    shared.retain(|one| {
        let mut partners = roster.people.iter();
        let is_own = |who: &Person| LIKENESSES.iter().any(|holds| holds(who, one));
        !partners.any(|who| who.submission == one.entrant && is_own(who))
    });
    let mut unnamed = open.clone();
    unnamed.retain(|&place| roster.people[place].submission.is_empty());
    for likeness in LIKENESSES {
        for (place, entrant) in pairs(likeness, &roster.people, &unnamed, &shared) {
            open.retain(|other| *other != place);
            unnamed.retain(|other| *other != place);
            let id = quote(&roster.people[place].id);
            found_doubts.push(format!(
                "id {id}: shares {entrant} with those whose lines name it"
            ));
            entrant.clone_into(&mut roster.people[place].submission);
        }
    }
    found_doubts.extend(doubts(&roster.people, &open, &entrants));
    for who in roster.people.iter().filter(|who| is_rewritten(&who.id)) {
        found_doubts.push(format!(
            "id {}: a spreadsheet has rewritten it; format the column as text, and correct it",
            quote(&who.id)
        ));
    }
    if is_of_teams {
        share(roster, &all);
    }
    Claims {
        unclaimed: entrants.iter().map(|one| one.entrant.to_owned()).collect(),
        doubts: found_doubts,
    }
}

/// Gives the members of a group without a submission that of the others, if these have only one.
fn share(roster: &mut Roster, entrants: &HashSet<&str>) {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for who in roster.people.iter().filter(|who| !who.section.is_empty()) {
        let group = groups.entry(who.section.clone()).or_default();
        if entrants.contains(&*who.submission) {
            group.insert(who.submission.clone());
        }
    }
    for who in &mut roster.people {
        if let Some(group) = groups.get(&who.section)
            && let (1, Some(only)) = (group.len(), group.first())
            && !entrants.contains(&*who.submission)
        {
            who.submission.clone_from(only);
        }
    }
}

/// Returns whether an id looks like a spreadsheet's number: `101.0`, or `1.02E+02`.
fn is_rewritten(id: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let (number, exponent) = id.split_once("E+").unwrap_or((id, "0"));
    let (whole, rest) = number.split_once(['.', ',']).unwrap_or((number, ""));
    let is_float = rest == "0" || id.contains("E+") && (rest.is_empty() || is_digits(rest));
    is_digits(whole) && is_digits(exponent) && is_float
}

fn in_place_of_named(person: &Person, entrant: &str) -> Option<String> {
    let [id, named] = [&person.id, &person.submission].map(quote);
    let is_name = person.submission.bytes().any(|byte| !byte.is_ascii_digit());
    is_name.then(|| format!("id {id}: no submission {named} was found; using {entrant} instead"))
}

#[derive(Clone, Copy)]
struct Candidate<'a> {
    entrant: &'a str,
    name: &'a str,
    number: Option<&'a str>,
}

impl<'a> Candidate<'a> {
    fn of(entrant: &'a str) -> Self {
        let numbered = entrant.rsplit_once('_').filter(|(name, number)| {
            !name.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
        Self {
            entrant,
            name: numbered.map_or(entrant, |(name, _)| name),
            number: numbered.map(|(_, number)| number),
        }
    }
}

type Likeness = fn(&Person, &Candidate<'_>) -> bool;

/// An earlier one decides.
const LIKENESSES: [Likeness; 4] = [has_id, has_name, has_spelling, has_number];

fn has_id(person: &Person, one: &Candidate<'_>) -> bool {
    let is_address = !person.email.is_empty() && same(&person.email, one.entrant);
    is_address || is_login(person, one.entrant)
}

/// In any order.
fn has_name(person: &Person, one: &Candidate<'_>) -> bool {
    !orders(&person.name, letters).is_disjoint(&orders(one.name, letters))
}

/// The same, with any spelling of umlauts and accents.
fn has_spelling(person: &Person, one: &Candidate<'_>) -> bool {
    !orders(&person.name, plain_letters).is_disjoint(&orders(one.name, plain_letters))
}

/// The platform's number, if the roster has no name.
fn has_number(person: &Person, one: &Candidate<'_>) -> bool {
    person.name.is_empty() && is_number(person, one)
}

fn is_login(person: &Person, text: &str) -> bool {
    let mut own = [&person.id, login(person)].into_iter();
    own.any(|own| !own.is_empty() && same(own, text))
}

fn login(person: &Person) -> &str {
    person.email.split('@').next().unwrap_or_default()
}

fn named<'a, 'b>(person: &Person, entrants: &'a [Candidate<'b>]) -> Option<&'a Candidate<'b>> {
    if person.submission.is_empty() {
        return None;
    }
    let submission = written(&person.submission);
    let file = base_name(submission.trim_end_matches('/'));
    let platform = platform::entrant_of(file);
    // A zip's entrant has the name of the zip without its ending.
    let zipped = model::advice::archive_stem(file);
    let names = [
        zipped,
        Some(submission.as_str()),
        Some(file),
        Some(names::without_ending(file)),
        platform.as_deref(),
    ];
    let find = |name: &str| entrants.iter().find(|one| one.entrant == name);
    names.into_iter().flatten().find_map(find).or_else(|| {
        let mut numbered = entrants
            .iter()
            .filter(|one| one.number == Some(&submission));
        numbered.next().filter(|_| numbered.next().is_none())
    })
}

/// Returns what the names of at least half of the entrants, and of at least two, begin with, up to a
/// `-`. Logins may begin alike too: it is the beginning after which most people's submissions follow.
fn beginning<'a>(entrants: &[Candidate<'a>], people: &[Person]) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in entrants {
        for (at, _) in one.entrant.match_indices('-') {
            *counts.entry(&one.entrant[..=at]).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count > 1 && 2 * *count >= entrants.len());
    let logins: HashSet<&str> = people.iter().map(|who| who.submission.as_str()).collect();
    let own = |begin: &str| {
        let rests = entrants
            .iter()
            .filter_map(|one| one.entrant.strip_prefix(begin));
        rests.filter(|rest| logins.contains(rest)).count()
    };
    counts.into_keys().max_by_key(|begin| own(begin))
}

/// Pairs people with entrants, where no other pair is possible. Of several people of one name, the
/// platform's number decides.
fn pairs<'a>(
    holds: Likeness,
    people: &[Person],
    open: &[usize],
    entrants: &[Candidate<'a>],
) -> Vec<(usize, &'a str)> {
    let fits = |place: usize, one: &Candidate<'_>| holds(&people[place], one);
    let mut pairs = Vec::new();
    for one in entrants {
        let mut fitting = open.to_vec();
        fitting.retain(|&place| fits(place, one));
        let mut by_number = fitting.clone();
        by_number.retain(|&place| is_number(&people[place], one));
        let mut others = entrants.iter().filter(|other| other.entrant != one.entrant);
        let (place, is_contested) = match (fitting.as_slice(), by_number.as_slice()) {
            (_, [place]) => (
                *place,
                others.any(|other| is_number(&people[*place], other)),
            ),
            ([place], []) => {
                // A spelling that is less exact does not make this one ambiguous.
                let own = spelling(&people[*place], one);
                let is_as_good = |other: &Candidate<'_>| {
                    fits(*place, other) && spelling(&people[*place], other) <= own
                };
                (*place, others.any(is_as_good))
            }
            _ => continue,
        };
        if !is_contested && pairs.iter().all(|(taken, _)| *taken != place) {
            pairs.push((place, one.entrant));
        }
    }
    pairs
}

fn doubts(people: &[Person], open: &[usize], entrants: &[Candidate<'_>]) -> Vec<String> {
    let doubt = |&place: &usize| {
        let person = &people[place];
        let fits = entrants.iter().filter(|one| has_spelling(person, one));
        let fits: Vec<&str> = fits.map(|one| one.entrant).collect();
        (!fits.is_empty()).then(|| {
            format!(
                "{} ({}) could belong to {}, and nothing shows which belongs to whom: write the entrant's name into \
                 the column submission",
                readable(&person.name),
                readable(&person.id),
                fits.join(" or ")
            )
        })
    };
    open.iter().filter_map(doubt).collect()
}

/// Returns how exactly an entrant's name is a person's; less is more exact.
fn spelling(person: &Person, one: &Candidate<'_>) -> usize {
    let own = [&person.id, login(person), &person.email, &person.name];
    let place = own.iter().position(|own| *own == one.entrant);
    place.unwrap_or(own.len())
}

fn is_number(person: &Person, one: &Candidate<'_>) -> bool {
    one.number
        .is_some_and(|number| person.id == number || person.submission == number)
}

fn same(a: &str, b: &str) -> bool {
    let folded = |text: &str| text.nfc().flat_map(char::to_lowercase).collect::<String>();
    folded(a) == folded(b)
}

/// Returns the letters of a name in every order of its parts, as in Canvas's `leeann`.
fn orders(name: &str, letters: fn(&str) -> String) -> BTreeSet<String> {
    let parts: Vec<String> = if name.contains(',') {
        name.split(',').map(letters).collect()
    } else {
        name.split_whitespace().map(letters).collect()
    };
    let turned = (0..parts.len()).map(|first| {
        let (before, after) = parts.split_at(first);
        [after, before].concat().concat()
    });
    turned.filter(|name| !name.is_empty()).collect()
}

fn letters(name: &str) -> String {
    name.nfkc()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::platform::list_of;

    /// Pairs people, each with the cells submission, id, name, e-mail and section, with entrants.
    /// Returns the entrant of each person.
    fn found(list: Option<PlatformList>, people: &str, entrants: &str) -> (Vec<String>, Claims) {
        let person = |cells: &str| {
            let mut cells = cells.split('|').map(str::to_owned);
            let mut cell = || cells.next().unwrap_or_default();
            Person {
                submission: cell(),
                id: cell(),
                name: cell(),
                email: cell(),
                section: cell(),
                ..Person::default()
            }
        };
        let mut roster = Roster {
            people: people.split(" + ").map(person).collect(),
            left_out: Vec::new(),
        };
        let claims = claim(&mut roster, entrants.split(" + "), list);
        let people = roster.people.into_iter();
        (people.map(|person| person.submission).collect(), claims)
    }

    /// Rows have people, entrants, each person's entrant, and all doubts if they matter.
    #[test]
    fn people_are_paired_with_entrants() {
        let text = include_str!("claims.txt")
            .replace(r"\u{308}", "\u{308}")
            .replace(r"\u{5c}", r"\");
        let rows = text
            .lines()
            .filter(|row| !row.starts_with('#') && !row.is_empty());
        assert_eq!(rows.clone().count(), 32);
        for row in rows {
            let mut cells = row.split(" => ");
            let mut cell = || cells.next().expect(row);
            let (own, claims) = found(None, cell(), cell());
            assert_eq!(own.join(" + "), cell(), "{row}");
            if let Some(doubts) = cells.next() {
                let doubts = doubts.split(" + ").filter(|doubt| *doubt != "none");
                let is_as_said = |(said, doubt): (&String, &str)| match doubt.strip_suffix('…') {
                    Some(begin) => said.starts_with(begin),
                    None => said == doubt,
                };
                assert_eq!(claims.doubts.len(), doubts.clone().count(), "{claims:?}");
                let mut pairs = claims.doubts.iter().zip(doubts);
                assert!(pairs.all(is_as_said), "{claims:?}");
            }
        }
        let people = "team7|2|Ann + 17|3|Bob + team9|4|Zoe";
        let (_, claims) = found(None, people, "ann + bob + eve");
        assert!(claims.unclaimed.iter().eq(["eve"]));
    }

    #[test]
    fn ids_of_spreadsheets_are_recognised() {
        for id in ["101.0", "1.02E+02", "1,02E+02", "1E+15"] {
            assert!(is_rewritten(id), "{id}");
        }
        for id in ["101", "1.5", "2.4.0", "E+02", "ann"] {
            assert!(!is_rewritten(id), "{id}");
        }
    }

    #[test]
    fn lists_of_classrooms_and_teams_pair_by_their_own_names() {
        let teams = list_of(&["Identifier", "Full name", "Group"]);
        assert_eq!(found(teams, "gone|1|||A", "A + B").0, ["A"]);
        let list = list_of(&["identifier", "github_username"]);
        let logins = "tum-ann|tum-ann + tum-bob|tum-bob + ann|ann";
        let names = ["hw-1-tum-ann", "hw-1-tum-bob", "hw-1-ann", "staff"];
        let own = |list, names: &[&str]| found(list, logins, &names.join(" + ")).0;
        assert_eq!(own(list, &names), names[..3]);
        assert_eq!(own(list, &names[..2]), [names[0], names[1], "ann"]);
        assert_eq!(own(None, &names), ["tum-ann", "tum-bob", "ann"]);
    }
}
