//! The public names of entrants; the run's own files use the entrants' names and are for staff.

mod pseudonyms;

pub use pseudonyms::{FILE_NAME as PSEUDONYMS_NAME, Pseudonyms, guess_warning, refuse_guessable};

use model::builtin::is_builtin;
use model::competition::NameRule;
use model::text::{listed, plain_words, readable, skeleton};
use rulebook::Result;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Maximum length of a nickname, in ASCII characters; a course's rule.
pub const NICKNAME_CHARS_MAX: usize = 20;

/// An entrant's wishes and facts that determine its public name.
#[derive(Clone, Copy, Debug)]
pub struct NamePreference<'a> {
    /// The entrant's name.
    pub entrant: &'a str,
    /// Whether a file `anonymous` was submitted.
    pub anonymous: bool,
    /// Whether a learning platform gave the entrant its name.
    pub platform_named: bool,
    /// The nickname that it asks for.
    pub nickname: Option<&'a str>,
    /// The people behind it, by the roster; empty if unknown.
    pub people: &'a str,
    /// Their ids and addresses.
    pub known: &'a [String],
}

/// The public names of all entrants in a run. No two are the same.
#[derive(Clone, Debug, Default)]
pub struct PublicNames {
    by_entrant: HashMap<String, String>,
    nicknames: HashMap<String, String>,
    hidden: HashSet<String>,
    kinds: BTreeMap<NameKind, usize>,
    /// Messages for staff: names that are not shown with the reason, and names that others know.
    pub refused: Vec<String>,
}

impl PublicNames {
    /// Names all entrants as [`PublicNames::new`] does. The staff's folder keeps drawn pseudonyms.
    pub fn of_run(
        staff: &Path,
        rule: Option<NameRule>,
        preferences: &[NamePreference<'_>],
    ) -> Result<Self> {
        let entrants = preferences.iter().map(|one| one.entrant);
        let pseudonyms = Pseudonyms::of_run(staff, entrants)?;
        Ok(Self::new(rule, preferences, &pseudonyms))
    }

    /// Names all entrants. If two ask for the same name, the earlier one in the list gets it.
    /// Without a rule, a name that a learning platform gave is not shown.
    pub fn new(
        rule: Option<NameRule>,
        preferences: &[NamePreference<'_>],
        pseudonyms: &Pseudonyms,
    ) -> Self {
        let mut names = Self::default();
        let mut taken: HashSet<String> = HashSet::new();
        for one in preferences {
            let usual = if one.platform_named {
                NameRule::Nickname
            } else {
                NameRule::Real
            };
            let rule = rule.unwrap_or(usual);
            let (kind, name) = names.name(rule, one, preferences, pseudonyms);
            if !is_builtin(one.entrant) {
                *names.kinds.entry(kind).or_default() += 1;
            }
            let is_known = name == one.entrant || name == readable(one.people);
            if !is_known {
                names.hidden.insert(one.entrant.to_owned());
            }
            names.give(one.entrant, &name, &mut taken);
            if let Some(nickname) = one.nickname {
                let (entrant, nickname) = (one.entrant.to_owned(), nickname.to_owned());
                names.nicknames.insert(entrant, nickname);
            }
        }
        if rule == Some(NameRule::Roster) {
            names.refused.extend(unnamed(preferences));
        }
        names
    }

    fn give(&mut self, entrant: &str, first: &str, taken: &mut HashSet<String>) {
        let mut name = first.to_owned();
        for number in 2.. {
            if taken.insert(lower_look(&name)) {
                break;
            }
            name = format!("{first} ({number})");
        }
        self.by_entrant.insert(entrant.to_owned(), name);
    }

    fn name(
        &mut self,
        rule: NameRule,
        one: &NamePreference<'_>,
        all: &[NamePreference<'_>],
        pseudonyms: &Pseudonyms,
    ) -> (NameKind, String) {
        let own = if one.platform_named {
            NameKind::Platforms
        } else {
            NameKind::Own
        };
        if is_builtin(one.entrant) {
            return (own, one.entrant.to_owned());
        }
        let pseudonym = || {
            let pseudonym = pseudonyms.of(one.entrant).to_owned();
            (NameKind::Pseudonym, pseudonym)
        };
        match (rule, one.nickname) {
            _ if one.anonymous => pseudonym(),
            (NameRule::Real, _) => (own, one.entrant.to_owned()),
            (NameRule::Nickname, None) => pseudonym(),
            (NameRule::Roster, _) if is_nobodys(one.people, pseudonyms) => pseudonym(),
            (NameRule::Roster, _) => (NameKind::Roster, readable(one.people)),
            (NameRule::Nickname, Some(nickname)) => match refusal(nickname, one, all, pseudonyms) {
                Ok(()) => (NameKind::Nickname, nickname.trim().to_owned()),
                Err(reason) => {
                    let (kind, pseudonym) = pseudonym();
                    let note = format!("{}: {reason}; shown as {pseudonym}", one.entrant);
                    self.refused.push(note);
                    (kind, pseudonym)
                }
            },
        }
    }

    /// Lists the kinds of shown names, with the number of each.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.kinds
            .iter()
            .map(|(kind, count)| (kind.words(), *count))
    }

    /// Returns whether any entrant is shown neither by its own name nor by those of its people.
    pub fn has_hidden(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Returns whether this entrant is hidden in that way.
    pub fn is_hidden(&self, entrant: &str) -> bool {
        self.hidden.contains(entrant)
    }

    /// Returns the nickname that an entrant asks for, which may be unfit to show.
    pub fn nickname(&self, entrant: &str) -> Option<&str> {
        self.nicknames.get(entrant).map(String::as_str)
    }

    /// Returns an entrant's public name. Panics if an entrant is unknown and no built-in bot: no name
    /// must become public by accident.
    pub fn of<'a>(&'a self, entrant: &'a str) -> &'a str {
        match self.by_entrant.get(entrant) {
            Some(name) => name,
            None if is_builtin(entrant) => entrant,
            None => panic!("an entrant of the run has no public name"),
        }
    }
}

/// The warning where names come from the roster, and nobody is on one.
pub const NOBODY_NAMED: &str = "nobody's name can be shown: the competition's file has names.public = \"roster\", and no roster names anybody; rerun judge run with a --roster that does";

fn unnamed(all: &[NamePreference<'_>]) -> Option<String> {
    let mut submissions = all.iter().filter(|one| !is_builtin(one.entrant));
    if submissions.clone().all(|one| one.people.is_empty()) {
        return submissions.next().map(|_| NOBODY_NAMED.to_owned());
    }
    let unnamed: Vec<&str> = submissions
        .filter(|one| one.people.is_empty() && !one.anonymous)
        .map(|one| one.entrant)
        .collect();
    (!unnamed.is_empty()).then(|| {
        format!(
            "without a name on the roster, so shown under a pseudonym: {}; rerun judge run with a --roster that names them",
            listed(&unnamed)
        )
    })
}

/// Returns whether a roster's name cannot be shown: empty, a built-in bot's, or a pseudonym.
fn is_nobodys(people: &str, pseudonyms: &Pseudonyms) -> bool {
    people.is_empty() || is_builtin(&people.to_lowercase()) || pseudonyms.has(people)
}

fn refusal(
    nickname: &str,
    one: &NamePreference<'_>,
    all: &[NamePreference<'_>],
    pseudonyms: &Pseudonyms,
) -> Result<(), String> {
    check_nickname(nickname)?;
    let bare = nickname.trim();
    let own_skeleton = words_of(bare).concat();
    let is_alike = |name: &str| {
        let words = words_of(name);
        let skeleton = words.concat();
        let mut turned = (0..words.len()).map(|first| {
            let (before, after) = words.split_at(first);
            [after, before].concat().concat()
        });
        let has = |skeleton: String| own_skeleton.contains(&skeleton);
        !skeleton.is_empty() && (skeleton == own_skeleton || is_distinct(name) && turned.any(has))
    };
    let mut others = all.iter().filter(|other| other.entrant != one.entrant);
    let whose = if pseudonyms.has(bare) {
        "it is somebody's pseudonym"
    } else if others
        .clone()
        .any(|other| is_alike(other.entrant) || is_alike(without_number(other.entrant)))
    {
        "it is the name of another submission"
    } else if others.any(|other| {
        let known = other.known.iter().map(String::as_str);
        other.people.split(" & ").chain(known).any(is_alike)
    }) {
        "it is the name of somebody on the roster"
    } else {
        return Ok(());
    };
    Err(format!("the nickname {nickname:?} is not shown: {whose}"))
}

/// Returns whether a name is one wherever it is found: an address, or words of at least two letters.
pub fn is_distinct(name: &str) -> bool {
    let words = name.split_whitespace();
    name.contains('@') || words.filter(|word| word.chars().nth(1).is_some()).count() > 1
}

/// Returns the looks of a name's words in lower case; `ü`, `ue` and `u` are equal.
fn words_of(name: &str) -> Vec<String> {
    plain_words(name)
        .iter()
        .map(|word| lower_look(word))
        .collect()
}

fn lower_look(name: &str) -> String {
    skeleton(&name.to_lowercase())
}

/// Returns a name without the number that a learning platform adds: `Ann Lee` of `Ann Lee_17`.
pub fn without_number(entrant: &str) -> &str {
    entrant
        .rsplit_once('_')
        .filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()))
        .map_or(entrant, |(name, _)| name)
}

fn check_nickname(nickname: &str) -> Result<(), String> {
    let printable = nickname.bytes().all(|b| b == b' ' || b.is_ascii_graphic());
    let fits = nickname.len() <= NICKNAME_CHARS_MAX && !nickname.trim().is_empty();
    let lower = nickname.trim().to_ascii_lowercase();
    if is_builtin(&lower) || is_builtin(&lower.replace(' ', "")) {
        return Err(format!(
            "the nickname {nickname:?} is not shown: such names are reserved for built-in bots"
        ));
    }
    if printable && fits {
        return Ok(());
    }
    let shown = model::fault::quote(nickname);
    Err(format!(
        "the nickname {shown:?} is not shown: a nickname has 1 to {NICKNAME_CHARS_MAX} printable ASCII characters"
    ))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Own,
    /// The name of the submission, given by a learning platform: a person's name or login.
    Platforms,
    Roster,
    Nickname,
    Pseudonym,
}

impl NameKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Own => "the submissions' own",
            Self::Platforms => "REAL NAMES that a learning platform gave",
            Self::Roster => "REAL NAMES on the roster",
            Self::Nickname => "nicknames",
            Self::Pseudonym => "pseudonyms",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names the entrants of rows, and checks what is shown. A row has the entrant, with `!` if it is
    /// anonymous, its nickname, its people, and its public name. `*` is its pseudonym, and `@ann` is
    /// Ann's in capitals.
    fn check(rule: Option<NameRule>, rows: &'static str) -> PublicNames {
        let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('|').collect()).collect();
        let entrant = |row: &Vec<&'static str>| row[0].trim_end_matches('!');
        let mut known = Pseudonyms::default();
        known.complete(rows.iter().map(entrant), [7; 32]);
        let meant = |cell: &str| match cell.strip_prefix('@') {
            Some(other) => known.of(other).to_uppercase(),
            None => cell.to_owned(),
        };
        let cells: Vec<[String; 2]> = rows.iter().map(|row| [row[1], row[2]].map(meant)).collect();
        let of_b1 = ["4711", "b.ray@uni.example"].map(str::to_owned);
        let all = rows.iter().zip(&cells);
        let all = all.map(|(row, [nickname, people])| NamePreference {
            entrant: entrant(row),
            anonymous: row[0].ends_with('!'),
            platform_named: row[0].contains('_'),
            nickname: Some(nickname.as_str()).filter(|nickname| !nickname.is_empty()),
            people,
            known: if row[0] == "b1" { &of_b1 } else { &[] },
        });
        let names = PublicNames::new(rule, &all.collect::<Vec<_>>(), &known);
        for row in &rows {
            let pseudonym = known.of(entrant(row));
            let shown = if row[3] == "*" { pseudonym } else { row[3] };
            assert_eq!(names.of(entrant(row)), shown, "{row:?}");
        }
        names
    }

    fn kinds(names: &PublicNames) -> String {
        let kinds = names.kinds().map(|(kind, count)| format!("{kind} {count}"));
        kinds.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn submissions_show_real_names_unless_anonymous() {
        let rows = "ann|Deep Thought||ann\nbob!|Bob himself||*\nbuiltin:random|||builtin:random";
        let names = check(Some(NameRule::Real), rows);
        let filler = "filler (builtin:hunter)";
        assert_eq!(names.of(filler), filler);
    }

    #[test]
    fn platform_names_are_shown_only_by_competition_setting() {
        let rows = "Ann Lee_17|Deep Thought||Deep Thought\nBob_18|||*\ncid|El Cid||cid";
        let expected = "the submissions' own 1, nicknames 1, pseudonyms 1";
        assert_eq!(kinds(&check(None, rows)), expected);
        let rows = "Ann Lee_17|Deep Thought||Ann Lee_17\nBob_18|||Bob_18\ncid|El Cid||cid";
        let expected = "the submissions' own 1, REAL NAMES that a learning platform gave 2";
        assert_eq!(kinds(&check(Some(NameRule::Real), rows)), expected);
    }

    #[test]
    fn roster_names_are_shown_for_non_anonymous_entrants() {
        let rows = "a1!|Zero|Ann Lee|*\nb2|Zero|Bob Ray|Bob Ray\nc3|Zero||*\n\
                    d4|Zero|bob ray|bob ray (2)\ne5|Zero|@a1|*";
        let names = check(Some(NameRule::Roster), rows);
        assert_eq!(kinds(&names), "REAL NAMES on the roster 2, pseudonyms 3");
        assert!(names.refused[0].contains("shown under a pseudonym: c3; rerun"));
    }

    #[test]
    fn without_a_roster_nobodys_name_can_be_shown() {
        let refused = |rule, rows| check(Some(rule), rows).refused;
        let rows = "a1|||*\nb2!|||*";
        assert_eq!(refused(NameRule::Roster, rows), [NOBODY_NAMED]);
        assert!(refused(NameRule::Nickname, rows).is_empty());
        let bots = "builtin:random|||builtin:random";
        assert!(refused(NameRule::Roster, bots).is_empty());
    }

    #[test]
    fn no_nickname_equals_builtin_or_other_name() {
        let rows = "ann!|||*\nbob|builtin:random||*\ncid|@ann||*\ndan| Bob ||*\neve| Eve||Eve";
        let names = check(Some(NameRule::Nickname), rows);
        assert!(names.refused[0].contains("reserved for built-in bots"));
        assert!(names.refused[1].contains("it is somebody's pseudonym"));
        assert!(names.refused[2].contains("the name of another submission"));
    }

    #[test]
    fn nickname_resembling_anothers_name_is_hidden() {
        let rows = include_str!("nicknames.txt");
        check(Some(NameRule::Nickname), rows);
    }

    #[test]
    fn nicknames_are_checked_distinguished_and_hide_own_names() {
        let rows = "ann|Zero||Zero\nbob|zero||zero (2)\ncid|||*\n\
                    dan|a nickname far too long||*\neve|Zoë||*";
        let names = check(Some(NameRule::Nickname), rows);
        assert_eq!(names.refused.len(), 2);
        assert_eq!(names.nickname("eve"), Some("Zoë"));
        assert_eq!(names.nickname("cid"), None);
        let words = "the nickname \"a nickname far too long\" is not shown: a nickname has 1 to 20";
        assert!(names.refused[0].contains(words), "{:?}", names.refused);
    }
}
