//! The lists of people that learning platforms export, read as rosters.

use ::csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};
use model::platform::{Headings, ListForm, Platform, PlatformList, list_of};

/// Columns of the roster that come from the platform's own columns.
const HEADER: [&str; 4] = ["submission", "id", "name", "email"];
/// Columns of a roster that the list already has, or that staff have added to it.
const KEPT: [&str; 3] = ["section", "extension", "received"];
/// Column of the roster for the platform's own times of receipt.
pub(super) const SUBMITTED: &str = "Last modified (submission)";
/// Maximum number of lines above the headings.
const ABOVE_MAX: usize = 3;

/// A list that was recognised.
struct List {
    platform: &'static Platform,
    form: &'static ListForm,
    header: StringRecord,
    /// The column with a number at its end, if the list has one.
    numbered: Option<usize>,
}

/// Converts a platform's list into a roster, and keeps each row in its line. Any other text is none.
pub(super) fn as_roster(text: &[u8], delimiter: u8) -> Option<(Vec<u8>, PlatformList)> {
    let starts = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = [0].into_iter().chain(starts.map(|(at, _)| at + 1));
    let mut lists = starts
        .take(ABOVE_MAX)
        .enumerate()
        .filter_map(|(above, start)| {
            let mut reader = ReaderBuilder::new()
                .delimiter(delimiter)
                .trim(Trim::All)
                .flexible(true)
                .from_reader(&text[start..]);
            let header = reader.byte_headers().cloned().ok()?;
            let list = List::of(StringRecord::from_byte_record_lossy(header))?;
            Some((above, list, reader))
        });
    let (above, list, mut reader) = lists.next()?;
    let form = list.form;
    let header = &list.header;
    let is_kept = |name: &str| KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    let is_added = |name: &str| name.eq_ignore_ascii_case(HEADER[0]);
    let added = header.iter().position(is_added);
    let has_sections = header.iter().any(|name| KEPT[0].eq_ignore_ascii_case(name));
    let own_name = |name| match name {
        name if form.time.contains(&name) => Some(SUBMITTED),
        name if form.section.contains(&name) && !has_sections => Some(KEPT[0]),
        name => is_kept(name).then_some(name),
    };
    let (kept, names): (Vec<usize>, Vec<&str>) = header
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, own_name(name)?)))
        .unzip();
    let mut made = vec![b'\n'; above];
    made.extend(line_of(HEADER.into_iter().chain(names)));
    let mut line = 2;
    for row in reader.byte_records() {
        // Reading the roster reports the error.
        let Ok(row) = row else { break };
        let from = row.position().map_or(line, ::csv::Position::line);
        while line < from {
            made.push(b'\n');
            line += 1;
        }
        let row = StringRecord::from_byte_record_lossy(row);
        if let Some(mut cells) = list.person(&row) {
            let submission = added.and_then(|place| row.get(place)).unwrap_or_default();
            if !submission.is_empty() {
                submission.clone_into(&mut cells[0]);
            }
            let kept = kept.iter().map(|&place| row.get(place).unwrap_or_default());
            made.extend(line_of(cells.iter().map(String::as_str).chain(kept)));
            line += 1;
        }
    }
    Some((made, (list.platform, form)))
}

/// Converts the list in Gradescope's export of submissions, which is in YAML, into a roster with a
/// line for each submitter. Any other text is none.
pub(super) fn of_metadata(text: &str) -> Option<String> {
    let is_metadata = text.starts_with("---") && text.contains("\n  :submitters:");
    is_metadata.then_some(())?;
    let mut made = line_of(HEADER.into_iter().chain([SUBMITTED]));
    let (mut submission, mut people): (&str, Vec<[String; 3]>) = ("", Vec::new());
    let (mut key, mut is_dated) = ("", false);
    for line in text.lines().skip(1) {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            (submission, people, is_dated) = (name, Vec::new(), false);
        } else if let Some(entry) = line.strip_prefix("  :") {
            let (name, value) = entry.split_once(':').unwrap_or((entry, ""));
            key = name;
            if key == "created_at" && !is_dated {
                is_dated = true;
                for [sid, name, email] in people.drain(..) {
                    let id = if sid.is_empty() { &email } else { &sid };
                    made.extend(line_of(
                        [submission, id, &name, &email, value.trim()].into_iter(),
                    ));
                }
            }
        } else if key == "submitters" {
            // Deeper lines are of other keys, and may have an author's text.
            if line.starts_with("  - :") {
                people.push(Default::default());
            }
            let entry = line
                .strip_prefix("  - :")
                .or_else(|| line.strip_prefix("    :"));
            let Some((name, value)) = entry.and_then(|entry| entry.split_once(": ")) else {
                continue;
            };
            let column = ["sid", "name", "email"]
                .iter()
                .position(|known| *known == name);
            if let (Some(column), Some(last)) = (column, people.last_mut()) {
                value
                    .trim()
                    .trim_matches(['\'', '"'])
                    .clone_into(&mut last[column]);
            }
        }
    }
    String::from_utf8(made).ok()
}

fn line_of<'a>(cells: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(cells).expect("rows in memory");
    writer.into_inner().expect("rows in memory")
}

impl List {
    /// Recognises a list by its headings.
    fn of(header: StringRecord) -> Option<Self> {
        let names: Vec<&str> = header.iter().collect();
        let has = |column: &str| names.iter().any(|name| column.eq_ignore_ascii_case(name));
        // Staff may have added the column `submission` to a platform's list, or made a roster.
        let is_added_to = has(HEADER[0]);
        if is_added_to && names.contains(&HEADER[1]) {
            return None;
        }
        let (platform, form) = list_of(&names)?;
        // With `submission` and `id` of any case it is a roster, unless the platform has `ID`.
        let has_own = form.is_numbered || form.sign.contains(&&["ID"][..]);
        if is_added_to && has(HEADER[1]) && !has_own {
            return None;
        }
        let is_platforms = |name: &&str| !HEADER[0].eq_ignore_ascii_case(name);
        let first = names.iter().position(is_platforms).unwrap_or_default();
        if form.is_numbered && form.name[0].contains(names.get(first)?) {
            return None;
        }
        Some(Self {
            platform,
            form,
            numbered: form.is_numbered.then_some(first),
            header,
        })
    }

    /// Reads a row. Returns `None` if it is no person's.
    fn person(&self, row: &StringRecord) -> Option<[String; 4]> {
        let form = self.form;
        let columns = || self.header.iter().zip(row);
        // Spreadsheets and Brightspace put these before what is no number.
        let plain = |cell: &str| cell.trim_start_matches('#').to_owned();
        let cell = |headings: Headings| {
            let mut cells = headings.iter().filter_map(|heading| {
                let (_, cell) =
                    columns().find(|(name, cell)| name == heading && !cell.is_empty())?;
                Some(plain(cell))
            });
            cells.next().unwrap_or_default()
        };
        let names = form.name.iter().map(|part| cell(part));
        let names: Vec<String> = names.filter(|part| !part.is_empty()).collect();
        let mut name = names.join(" ");
        if form.nobody.contains(&name.as_str()) {
            return None;
        }
        let members = cell(form.members);
        if !members.is_empty() {
            name = format!("{name} ({members})");
        }
        let Some(numbered) = self.numbered else {
            let submission = match cell(form.submission) {
                none if none.is_empty() => none,
                own => format!("{}{own}", form.prefix),
            };
            return Some([submission, cell(form.id), name, cell(form.email)]);
        };
        let numbered = row.get(numbered).unwrap_or_default();
        let name_of = numbered.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = numbered[name_of.len()..].to_owned();
        let own = Some(cell(form.id)).filter(|own| !own.is_empty());
        let is_address = |name: &str| {
            let lower = name.to_lowercase();
            form.email.iter().any(|word| lower.contains(word))
        };
        let email = columns().find(|(name, _)| is_address(name));
        let email = email.map(|(_, cell)| cell.to_owned()).unwrap_or_default();
        Some([number, own.unwrap_or(numbered.to_owned()), name, email])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        let made = as_roster(text.as_bytes(), b',');
        let made = made.map_or_else(|| text.into(), |(made, _)| made);
        String::from_utf8(made).expect("UTF-8")
    }

    #[test]
    fn lists_of_platforms_become_rosters_line_by_line() {
        let moodle = "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Feedback comments\"\n\
            Participant 17,Ann Lee,a@b,No submission,,\"two\nlines\"\n\
            Participant 18,\"Lee, Bob\",,,,\n";
        assert_eq!(
            made(moodle),
            "submission,id,name,email\n\
             17,Participant 17,Ann Lee,a@b\n\
             \n\
             18,Participant 18,\"Lee, Bob\",\n"
        );
        let german = "ID,Vollständiger Name,ID-Nummer,E-Mail-Adresse,Bewertung,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung)\n\
            Teilnehmer/in7,Zoë Müller,03712345,z@b,,\"Montag, 21. Dezember 2026, 18:05\",-\n";
        assert_eq!(
            made(german),
            "submission,id,name,email,Last modified (submission)\n\
             7,03712345,Zoë Müller,z@b,\"Montag, 21. Dezember 2026, 18:05\"\n"
        );
        let canvas = "Student,ID,SIS User ID,SIS Login ID,Section,Cat (7)\n\
            ,,,,,Manual Posting\n\
            \"    Points Possible\",,,,,10\n\
            \"Lee, Ann\",901,s1,ann@b,A,\n\
            \"Lee, Bob\",902,,bob@b,B,\n\
            \"Student, Test\",903,,,A,\n";
        assert_eq!(
            made(canvas),
            "submission,id,name,email,Section\n\
             \n\
             \n\
             901,s1,\"Lee, Ann\",ann@b,A\n\
             902,902,\"Lee, Bob\",bob@b,B\n"
        );
        let artemis = "Name,Username,Score,Points,Repo Link\n\"Ann Lee\",ge12abc,0,0,https://x\n";
        assert_eq!(
            made(artemis),
            "submission,id,name,email\nge12abc,ge12abc,Ann Lee,\n"
        );
        let gradescope = "First Name,Last Name,SID,Email,Sections,Submission ID,Submission Time\n\
            Ann,Lee,00101,ann@b,A,31,2026-03-27 18:05:12 +0100\nDee,Poe,,dee@b,B,,\n";
        assert_eq!(
            made(gradescope),
            "submission,id,name,email,section,Last modified (submission)\n\
             submission_31,00101,Ann Lee,ann@b,A,2026-03-27 18:05:12 +0100\n\
             ,dee@b,Dee Poe,dee@b,B,\n"
        );
        let classroom = "identifier,github_username,github_id,name\nann@b,octo-ann,101,Ann Lee\n";
        assert_eq!(
            made(classroom),
            "submission,id,name,email\nocto-ann,ann@b,Ann Lee,\n"
        );
        let brightspace =
            "OrgDefinedId,Username,Last Name,First Name,Email\n#17,#alee,Lee,Ann,a@b\n";
        assert_eq!(
            made(brightspace),
            "submission,id,name,email\nalee,17,Ann Lee,a@b\n"
        );
        let blackboard = "Last Name,First Name,Username,Student ID\nLee,Ann,alee,17\n";
        assert_eq!(
            made(blackboard),
            "submission,id,name,email\nalee,17,Ann Lee,\n"
        );
        let sakai =
            "Contest,Points\n,\nDisplay ID,ID,Last Name,First Name,grade\n17,alee,Lee,Ann,\n";
        assert_eq!(
            made(sakai),
            "\n\nsubmission,id,name,email\nalee,17,Ann Lee,\n"
        );
        let ilias = "Nachname,Vorname,Benutzername,Matrikelnummer\nLee,Ann,alee,017\n";
        assert_eq!(made(ilias), "submission,id,name,email\nalee,017,Ann Lee,\n");
        let groups = "name,canvas_user_id,user_id,login_id,group_name\nAnn Lee,901,s1,a@b,Red\n";
        assert_eq!(
            made(groups),
            "submission,id,name,email,section\n901,s1,Ann Lee,a@b,Red\n"
        );
        let grades = "github_username,roster_identifier,student_repository_name,submission_timestamp,group_name\n\
            octo,ann@b,hw-red,2026-03-27 17:05:12 UTC,red\n";
        assert_eq!(
            made(grades),
            "submission,id,name,email,Last modified (submission),section\n\
             hw-red,ann@b,,,2026-03-27 17:05:12 UTC,red\n"
        );
        let teams = "Team Name,Team Short Name,Score,Students\nA,a1,0,\"Ann Lee, Bob\"\n";
        assert_eq!(
            made(teams),
            "submission,id,name,email\na1,a1,\"A (Ann Lee, Bob)\",\n"
        );
    }

    #[test]
    fn the_list_in_gradescopes_export_has_a_line_for_each_submitter() {
        let text = "---\nsubmission_31:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '00101'\n    :email: ann@b\n  - :name: Bob\n    :email: bob@b\n  :created_at: 2026-03-27 17:05:12.1 Z\n  :score: 0.0\n";
        let made = of_metadata(text).expect("a list");
        assert_eq!(
            made,
            "submission,id,name,email,Last modified (submission)\n\
             submission_31,00101,Ann Lee,ann@b,2026-03-27 17:05:12.1 Z\n\
             submission_31,bob@b,Bob,bob@b,2026-03-27 17:05:12.1 Z\n"
        );
        assert_eq!(of_metadata("submission,id\n"), None);
    }

    #[test]
    fn columns_that_staff_add_to_a_list_are_kept() {
        for (list, roster) in [
            (
                "Identifier,Full name,Received,Grade,extension\nParticipant 17,Ann,1,,2\n",
                "submission,id,name,email,Received,extension\n17,Participant 17,Ann,,1,2\n",
            ),
            (
                "Student,ID,Section,received\nAnn,901,A,1\nBob,902,B\n",
                "submission,id,name,email,Section,received\n901,901,Ann,,A,1\n902,902,Bob,,B,\n",
            ),
            // The entrant that staff have written into it precedes the platform's number.
            (
                "Identifier,Full name,Grade,submission\nParticipant 17,Ann,,Bob Roe_18\nParticipant 18,Bob,,\n",
                "submission,id,name,email\nBob Roe_18,Participant 17,Ann,\n18,Participant 18,Bob,\n",
            ),
            (
                "Submission,ID,Vollständiger Name\nann,Teilnehmer/in7,Ann\n,Teilnehmer/in8,Bob\n",
                "submission,id,name,email\nann,Teilnehmer/in7,Ann,\n8,Teilnehmer/in8,Bob,\n",
            ),
            (
                "Student,ID,Section,submission,extension\nAnn,901,A,team,\nBob,902,B,,1\n",
                "submission,id,name,email,Section,extension\nteam,901,Ann,,A,\n902,902,Bob,,B,1\n",
            ),
            (
                "Name,Username,Score,section\nAnn Lee,ge12abc,0,A\n",
                "submission,id,name,email,section\nge12abc,ge12abc,Ann Lee,,A\n",
            ),
        ] {
            assert_eq!(made(list), roster);
        }
    }

    #[test]
    fn a_roster_stays_as_it_is() {
        for text in [
            "submission,id,name\nann,1,Ann\n",
            "submission,id,Full name\nann,1,Ann\n",
            "Submission,ID,Name,Login\nann,1,Ann,al\n",
            "Name,Mail\nAnn,x\n",
            "",
        ] {
            assert_eq!(made(text), text);
        }
    }
}
