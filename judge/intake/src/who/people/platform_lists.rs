//! The lists of people that learning platforms export, read as rosters.

use model::platform::{Headings, PlatformList, list_of};

/// The order is that of [`Person`](model::entrant::Person)'s fields, with the platform's times.
pub(super) const COLUMNS: [&str; 8] = [
    "submission",
    "id",
    "name",
    "email",
    "section",
    "extension",
    "received",
    SUBMITTED,
];
pub(super) type Row = [String; COLUMNS.len()];
pub(super) const SUBMITTED: &str = "Last modified (submission)";
pub(super) struct List<'a> {
    pub(super) of: PlatformList,
    header: Vec<&'a str>,
    numbered: Option<usize>,
}

/// Reads Gradescope's export of submissions, which is in YAML, with a row for each submitter.
pub(super) fn of_metadata(text: &str) -> Option<Vec<Row>> {
    let is_metadata = text.starts_with("---") && text.contains("\n  :submitters:");
    is_metadata.then_some(())?;
    let mut made = Vec::new();
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
                made.extend(people.drain(..).map(|[sid, name, email]| {
                    let id = if sid.is_empty() { email.clone() } else { sid };
                    let mut row = Row::default();
                    (row[0], row[1], row[2], row[3]) = (submission.to_owned(), id, name, email);
                    value.trim().clone_into(&mut row[7]);
                    row
                }));
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
    Some(made)
}

impl<'a> List<'a> {
    pub(super) fn of(header: Vec<&'a str>) -> Option<Self> {
        let has = |column: &str| header.iter().any(|name| column.eq_ignore_ascii_case(name));
        // Staff may have added the column `submission` to a platform's list, or made a roster.
        let is_added_to = has(COLUMNS[0]);
        if is_added_to && header.contains(&COLUMNS[1]) {
            return None;
        }
        let (platform, form) = list_of(&header)?;
        // With `submission` and `id` of any case it is a roster, unless the platform has `ID`.
        let has_own = form.is_numbered || form.sign.contains(&&["ID"][..]);
        if is_added_to && has(COLUMNS[1]) && !has_own {
            return None;
        }
        let is_platforms = |name: &&str| !COLUMNS[0].eq_ignore_ascii_case(name);
        let first = header.iter().position(is_platforms).unwrap_or_default();
        if form.is_numbered && form.name[0].contains(header.get(first)?) {
            return None;
        }
        Some(Self {
            of: (platform, form),
            numbered: form.is_numbered.then_some(first),
            header,
        })
    }

    /// Reads a row, with what staff have added to it. Returns `None` if it is no person's.
    pub(super) fn row(&self, row: &[&str]) -> Option<Row> {
        let form = self.of.1;
        let columns = || self.header.iter().zip(row);
        let added = |column: usize| {
            let mut columns = columns();
            let found = columns.find(|(name, _)| COLUMNS[column].eq_ignore_ascii_case(name));
            found.map(|(_, cell)| (*cell).to_owned())
        };
        let cell = |headings: Headings| {
            let filled = |heading: &&str| {
                let mut columns = columns();
                let found = columns.find(|(name, cell)| *name == heading && !cell.is_empty())?;
                // Spreadsheets and Brightspace put these before what is no number.
                Some(found.1.trim_start_matches('#').to_owned())
            };
            headings.iter().find_map(filled).unwrap_or_default()
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
        let (mut submission, mut id, mut email) =
            (cell(form.submission), cell(form.id), cell(form.email));
        if id.is_empty() {
            id.clone_from(&submission);
        }
        if !submission.is_empty() {
            submission.insert_str(0, form.prefix);
        }
        if let Some(numbered) = self.numbered {
            let numbered = *row.get(numbered).unwrap_or(&"");
            let name_of = numbered.trim_end_matches(|c: char| c.is_ascii_digit());
            numbered[name_of.len()..].clone_into(&mut submission);
            if id.is_empty() {
                numbered.clone_into(&mut id);
            }
            let is_address = |name: &str| {
                let lower = name.to_lowercase();
                form.email.iter().any(|word| lower.contains(word))
            };
            let found = columns().find(|(name, _)| is_address(name));
            email = found
                .map(|(_, cell)| (*cell).to_owned())
                .unwrap_or_default();
        }
        Some([
            added(0).filter(|own| !own.is_empty()).unwrap_or(submission),
            id,
            name,
            email,
            added(4).unwrap_or_else(|| cell(form.section)),
            added(5).unwrap_or_default(),
            added(6).unwrap_or_default(),
            cell(form.time),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::table::Table;

    /// Returns the cells of each person, without empty ones at the end; `None` for no platform's list.
    fn made(text: &str) -> Option<Vec<String>> {
        let table = Table::read(text.to_owned()).expect("a table");
        let lists = (0..table.len()).find_map(|row| Some((row, List::of(table.row(row))?)));
        let (head, list) = lists?;
        let rows = (head + 1..table.len()).filter_map(|row| list.row(&table.row(row)));
        Some(rows.map(|row| reported(&row)).collect())
    }

    fn reported(row: &Row) -> String {
        row.join("|").trim_end_matches('|').to_owned()
    }

    /// Compares lists, separated by empty lines, with their people, each after `= `.
    fn compare(cases: &str) {
        for case in cases.split("\n\n") {
            let (list, people) = case.split_once("\n= ").expect("people");
            let people: Vec<&str> = people.split("\n= ").collect();
            assert_eq!(made(list).expect(list), people);
        }
    }

    #[test]
    fn lists_of_platforms_become_rosters_line_by_line() {
        compare(
            r#"Identifier,"Full name","Email address",Status,Grade,"Feedback comments"
Participant 17,Ann Lee,a@b,No submission,,"two
lines"
Participant 18,"Lee, Bob",,,,
= 17|Participant 17|Ann Lee|a@b
= 18|Participant 18|Lee, Bob

ID,Vollständiger Name,ID-Nummer,E-Mail-Adresse,Bewertung,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung)
Teilnehmer/in7,Zoë Müller,03712345,z@b,,"Montag, 21. Dezember 2026, 18:05",-
= 7|03712345|Zoë Müller|z@b||||Montag, 21. Dezember 2026, 18:05

Student,ID,SIS User ID,SIS Login ID,Section,Cat (7)
,,,,,Manual Posting
"    Points Possible",,,,,10
"Lee, Ann",901,s1,ann@b,A,
"Lee, Bob",902,,bob@b,B,
"Student, Test",903,,,A,
= 901|s1|Lee, Ann|ann@b|A
= 902|902|Lee, Bob|bob@b|B

Name,Username,Score,Points,Repo Link
"Ann Lee",ge12abc,0,0,https://x
= ge12abc|ge12abc|Ann Lee

First Name,Last Name,SID,Email,Sections,Submission ID,Submission Time
Ann,Lee,00101,ann@b,A,31,2026-03-27 18:05:12 +0100
Dee,Poe,,dee@b,B,,
= submission_31|00101|Ann Lee|ann@b|A|||2026-03-27 18:05:12 +0100
= |dee@b|Dee Poe|dee@b|B

identifier,github_username,github_id,name
ann@b,octo-ann,101,Ann Lee
= octo-ann|ann@b|Ann Lee

OrgDefinedId,Username,Last Name,First Name,Email
#17,#alee,Lee,Ann,a@b
= alee|17|Ann Lee|a@b

Last Name,First Name,Username,Student ID
Lee,Ann,alee,17
= alee|17|Ann Lee

Contest,Points
,
Display ID,ID,Last Name,First Name,grade
17,alee,Lee,Ann,
= alee|17|Ann Lee

Nachname,Vorname,Benutzername,Matrikelnummer
Lee,Ann,alee,017
= alee|017|Ann Lee

name,canvas_user_id,user_id,login_id,group_name
Ann Lee,901,s1,a@b,Red
= 901|s1|Ann Lee|a@b|Red

github_username,roster_identifier,student_repository_name,submission_timestamp,group_name
octo,ann@b,hw-red,2026-03-27 17:05:12 UTC,red
= hw-red|ann@b|||red|||2026-03-27 17:05:12 UTC

Team Name,Team Short Name,Score,Students
A,a1,0,"Ann Lee, Bob"
= a1|a1|A (Ann Lee, Bob)"#,
        );
    }

    #[test]
    fn gradescope_list_has_one_row_per_submitter() {
        let text = "---\nsubmission_31:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '00101'\n    :email: ann@b\n  - :name: Bob\n    :email: bob@b\n  :created_at: 2026-03-27 17:05:12.1 Z\n  :score: 0.0\n";
        let made = of_metadata(text).expect("a list");
        let made: Vec<String> = made.iter().map(reported).collect();
        assert_eq!(
            made,
            [
                "submission_31|00101|Ann Lee|ann@b||||2026-03-27 17:05:12.1 Z",
                "submission_31|bob@b|Bob|bob@b||||2026-03-27 17:05:12.1 Z"
            ]
        );
        assert_eq!(of_metadata("submission,id\n"), None);
    }

    #[test]
    fn columns_added_by_staff_are_kept() {
        // The entrant that staff have written into it precedes the platform's number.
        compare(
            "Identifier,Full name,Received,Grade,extension
Participant 17,Ann,1,,2
= 17|Participant 17|Ann|||2|1

Student,ID,Section,received
Ann,901,A,1
Bob,902,B
= 901|901|Ann||A||1
= 902|902|Bob||B

Identifier,Full name,Grade,submission
Participant 17,Ann,,Bob Roe_18
Participant 18,Bob,,
= Bob Roe_18|Participant 17|Ann
= 18|Participant 18|Bob

Submission,ID,Vollständiger Name
ann,Teilnehmer/in7,Ann
,Teilnehmer/in8,Bob
= ann|Teilnehmer/in7|Ann
= 8|Teilnehmer/in8|Bob

Student,ID,Section,submission,extension
Ann,901,A,team,
Bob,902,B,,1
= team|901|Ann||A
= 902|902|Bob||B|1

Name,Username,Score,section
Ann Lee,ge12abc,0,A
= ge12abc|ge12abc|Ann Lee||A",
        );
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
            assert_eq!(made(text), None, "{text}");
        }
    }
}
