//! Names with the time of receipt, of platforms that keep every attempt. Blackboard's download has
//! the files of all in one folder, `TITLE_USER_attempt_2026-03-27-18-05-00_FILE`, and a text about
//! each attempt. Brightspace's has a folder `USER-SUBMISSION - NAME - Mar 27, 2026 605 PM` for each.
//! From descriptions, not from downloads that were seen.

use super::{Content, Item, Named, canvas, moodle};
use crate::people::platform_time;
use jiff::civil::DateTime;

/// Text between the user and the time in Blackboard's names.
const ATTEMPT: &str = "_attempt_";
/// Text between the parts of Brightspace's names.
const DASH: &str = " - ";

/// Returns whether the files of a class are Blackboard's, next to others of staff. In the folder of
/// another platform, an author's own name for a file could look like one.
pub(super) fn is_blackboards(items: &[Item]) -> bool {
    let is_others = |item: &Item| canvas::named(item).is_some() || moodle::named(item).is_some();
    let files = items.iter().filter(|item| !item.is_folder);
    let (own, rest): (Vec<&Item>, Vec<&Item>) =
        files.partition(|item| of_blackboard(&item.name).is_some());
    let is_about_attempt = |item: &&Item| {
        let named = of_blackboard(&item.name);
        named.is_some_and(|named| matches!(named.content, Content::Typed(_)))
    };
    let is_theirs = own.iter().any(is_about_attempt) || !own.iter().any(|item| is_others(item));
    is_theirs && !rest.iter().any(|item| is_others(item))
}

/// Returns the person and the content of a file or folder, or `None` if neither has named it.
pub(super) fn named(item: &Item) -> Option<Named> {
    if item.is_folder {
        of_brightspace(&item.name)
    } else {
        of_blackboard(&item.name)
    }
}

fn of_blackboard(name: &str) -> Option<Named> {
    // The title is staff's, the file's name the author's. A `_` in the title would show in all users.
    let (before, rest) = name.split_once(ATTEMPT)?;
    let (_, user) = before.split_once('_')?;
    let (time, after) = rest.split_at_checked("2026-03-27-18-05-00".len())?;
    let received = DateTime::strptime("%Y-%m-%d-%H-%M-%S", time).ok()?;
    let content = match after.strip_prefix('_') {
        Some(file) if !file.is_empty() => Content::File(file.to_owned()),
        _ if after == ".txt" => Content::Typed("text"),
        _ => return None,
    };
    (!user.is_empty()).then(|| at(user.to_owned(), content, received))
}

fn of_brightspace(name: &str) -> Option<Named> {
    let (numbers, rest) = name.split_once(DASH)?;
    let (person, time) = rest.rsplit_once(DASH)?;
    let (user, submission) = numbers.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    if !is_number(user) || !is_number(submission) || person.is_empty() {
        return None;
    }
    // Its time has lost the colon: `605 PM`.
    let (date, clock) = time.rsplit_once(", ")?;
    let mut words = clock.split(' ');
    let (year, clock, half) = (words.next()?, words.next()?, words.next()?);
    let (hour, minute) = clock.split_at_checked(clock.len().checked_sub(2)?)?;
    let received = platform_time(&format!("{date} {year}, {hour}:{minute} {half}"))?;
    Some(at(format!("{person}_{user}"), Content::Whole, received))
}

fn at(entrant: String, content: Content, received: DateTime) -> Named {
    let digits = received.strftime("%Y%m%d%H%M%S").to_string();
    Named {
        entrant,
        content,
        late: None,
        upload: digits.parse().unwrap_or_default(),
        received: Some(received),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_times_are_read() {
        for (name, is_folder, entrant, content, time) in [
            (
                "Project 1_a_lee_attempt_2026-03-27-18-05-00_my_bot.py",
                false,
                "a_lee",
                Content::File("my_bot.py".to_owned()),
                "2026-03-27T18:05:00",
            ),
            (
                "Project 1_alee_attempt_2026-03-27-18-05-00.txt",
                false,
                "alee",
                Content::Typed("text"),
                "2026-03-27T18:05:00",
            ),
            (
                "12345-678901 - Ann Lee - Mar 27, 2026 605 PM",
                true,
                "Ann Lee_12345",
                Content::Whole,
                "2026-03-27T18:05:00",
            ),
            (
                "12346-678902 - Jörg - Al Müller - Mar 26, 2026 1005 AM",
                true,
                "Jörg - Al Müller_12346",
                Content::Whole,
                "2026-03-26T10:05:00",
            ),
        ] {
            let item = Item {
                name: name.to_owned(),
                is_folder,
            };
            let found = named(&item).expect(name);
            let received = found.received.expect(name).to_string();
            assert_eq!(
                (found.entrant.as_str(), found.content, received.as_str()),
                (entrant, content, time)
            );
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for (name, is_folder) in [
            ("my_attempt_2.py", false),
            ("a_b_attempt_2026-03-27-18-05-00.py", false),
            ("a_b_attempt_2026-13-27-18-05-00_bot.py", false),
            ("12-13 - Ann", true),
            ("a-b - Ann - Mar 27, 2026 605 PM", true),
            ("1-2 - Ann - yesterday", true),
        ] {
            let item = Item {
                name: name.to_owned(),
                is_folder,
            };
            assert_eq!(named(&item), None, "{name}");
        }
    }
}
