//! The lists of people that learning platforms export, read as rosters. They are Moodle's grading
//! worksheet, Canvas's gradebook, and Artemis's scores or members.

use ::csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};
use std::borrow::Cow;

/// Columns of the roster that come from the platform's own columns.
const HEADER: [&str; 4] = ["submission", "id", "name", "email"];
/// Columns of a roster that the list already has, or that staff have added to it.
const KEPT: [&str; 3] = ["section", "extension", "received"];
/// Column of the roster for the platform's own times of receipt, without a zone.
pub(super) const SUBMITTED: &str = "Last modified (submission)";

/// Headings of people's names in Moodle's larger languages.
const MOODLE_NAMES: [&str; 7] = [
    "Full name",
    "Vollständiger Name",
    "Nom complet",
    "Nombre completo",
    "Nome completo",
    "Volledige naam",
    "Fullständigt namn",
];
/// Headings of the university's own numbers in some of them.
const MOODLE_IDS: [&str; 4] = ["ID number", "ID-Nummer", "Número de ID", "ID-nummer"];

/// Headings of the times of the last change of a submission, in Moodle's larger languages.
const MOODLE_SUBMITTED: [&str; 8] = [
    SUBMITTED,
    "Zuletzt geändert (Abgabe)",
    "Dernière modification (travail remis)",
    "Última modificación (entrega)",
    "Ultima modifica (consegna)",
    "Laatst gewijzigd (inzending)",
    "Senast modifierat (inlämning)",
    "Senast ändrad (inlämning)",
];

/// Entries in Canvas's column of students that are no students.
const CANVAS_NOBODY: [&str; 3] = ["", "Points Possible", "Student, Test"];

/// The kind of a list, with the positions of its columns.
enum List {
    Moodle {
        /// The first of Moodle's columns, with the participant's number at its end.
        participant: usize,
        name: Option<usize>,
        email: Option<usize>,
        id: Option<usize>,
    },
    Canvas {
        student: usize,
        id: usize,
        sis_id: Option<usize>,
        login: Option<usize>,
    },
    Artemis {
        name: usize,
        login: usize,
        email: Option<usize>,
        students: Option<usize>,
    },
}

/// Converts a platform's list into a roster, and keeps each row in its line. Any other text stays
/// unchanged.
pub(super) fn as_roster(text: &[u8], delimiter: u8) -> Cow<'_, [u8]> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(Trim::All)
        .flexible(true)
        .from_reader(text);
    let header = reader.byte_headers().cloned().unwrap_or_default();
    let header = StringRecord::from_byte_record_lossy(header);
    let Some(list) = List::of(&header) else {
        return Cow::Borrowed(text);
    };
    let is_kept = |name: &str| KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    let is_added = |name: &str| name.eq_ignore_ascii_case(HEADER[0]);
    let added = header.iter().position(is_added);
    let own_name = |name| match name {
        name if MOODLE_SUBMITTED.contains(&name) => Some(SUBMITTED),
        name => is_kept(name).then_some(name),
    };
    let (kept, names): (Vec<usize>, Vec<&str>) = header
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, own_name(name)?)))
        .unzip();
    let mut made = line_of(HEADER.into_iter().chain(names));
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
    Cow::Owned(made)
}

fn line_of<'a>(cells: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(cells).expect("rows in memory");
    writer.into_inner().expect("rows in memory")
}

impl List {
    /// Recognises a list by its headings.
    fn of(header: &StringRecord) -> Option<Self> {
        let find = |known: &[&str]| header.iter().position(|name| known.contains(&name));
        let has = |column: &str| header.iter().any(|name| column.eq_ignore_ascii_case(name));
        // Staff may have added the column `submission` to a platform's list, or made a roster.
        let is_added_to = has(HEADER[0]);
        if is_added_to && find(&[HEADER[1]]).is_some() {
            return None;
        }
        if let (Some(student), Some(id)) = (find(&["Student"]), find(&["ID"])) {
            return Some(Self::Canvas {
                student,
                id,
                sis_id: find(&["SIS User ID"]),
                login: find(&["SIS Login ID"]),
            });
        }
        let name = find(&MOODLE_NAMES);
        let is_moodles = |name: &str| !HEADER[0].eq_ignore_ascii_case(name);
        let participant = header.iter().position(is_moodles).unwrap_or_default();
        let first = header.get(participant).unwrap_or_default();
        if first == "Identifier" || name.is_some_and(|name| name > participant) {
            let is_address = |name: &str| {
                let lower = name.to_lowercase();
                ["mail", "courriel", "correo"]
                    .iter()
                    .any(|word| lower.contains(word))
            };
            return Some(Self::Moodle {
                participant,
                name,
                email: header.iter().position(is_address),
                id: find(&MOODLE_IDS),
            });
        }
        if is_added_to && has(HEADER[1]) {
            return None;
        }
        let name = find(&["Name", "Team Name"])?;
        let login = find(&["Username", "Login", "Team Short Name"])?;
        Some(Self::Artemis {
            name,
            login,
            email: find(&["Email", "E-Mail"]),
            students: find(&["Students"]),
        })
    }

    /// Reads a row. Returns `None` if it is no person's.
    fn person(&self, row: &StringRecord) -> Option<[String; 4]> {
        let cell = |place: usize| row.get(place).unwrap_or_default().to_owned();
        let or_empty = |place: Option<usize>| place.map(cell).unwrap_or_default();
        Some(match *self {
            Self::Moodle {
                participant,
                name,
                email,
                id,
            } => {
                let participant = cell(participant);
                let name_of = participant.trim_end_matches(|c: char| c.is_ascii_digit());
                let number = participant[name_of.len()..].to_owned();
                let own = Some(or_empty(id)).filter(|own| !own.is_empty());
                [
                    number,
                    own.unwrap_or(participant.clone()),
                    or_empty(name),
                    or_empty(email),
                ]
            }
            Self::Canvas {
                student,
                id,
                sis_id,
                login,
            } => {
                let name = cell(student);
                if CANVAS_NOBODY.contains(&name.as_str()) {
                    return None;
                }
                let own = Some(or_empty(sis_id)).filter(|own| !own.is_empty());
                [
                    cell(id),
                    own.unwrap_or_else(|| cell(id)),
                    name,
                    or_empty(login),
                ]
            }
            Self::Artemis {
                name,
                login,
                email,
                students,
            } => {
                let students = or_empty(students);
                let name = match students.as_str() {
                    "" => cell(name),
                    students => format!("{} ({students})", cell(name)),
                };
                [cell(login), cell(login), name, or_empty(email)]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        let made = as_roster(text.as_bytes(), b',').into_owned();
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
        let teams = "Team Name,Team Short Name,Score,Students\nA,a1,0,\"Ann Lee, Bob\"\n";
        assert_eq!(
            made(teams),
            "submission,id,name,email\na1,a1,\"A (Ann Lee, Bob)\",\n"
        );
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
