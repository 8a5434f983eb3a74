//! One record for each learning platform: all that the judge knows about it.

use super::{
    Content, GradeForm, Headings, ListForm, MaximumIn, NameForm, NameSign, Named, Platform,
};

/// A worksheet has one of these headings at least. Where names are hidden, it has only the first.
const WORKSHEET: Headings = &[
    "Identifier",
    "Full name",
    "Vollständiger Name",
    "Nom complet",
    "Nombre completo",
    "Nome completo",
    "Volledige naam",
    "Fullständigt namn",
];

const TEAM_NAME: Headings = &["Name", "Team Name"];
const TEAM_LOGIN: Headings = &["Username", "Login", "Team Short Name"];

const LOGIN: Headings = &["Login", "Username", "Benutzername", "Anmeldename"];
const LAST: Headings = &["Last name", "Lastname", "Nachname"];
const FIRST: Headings = &["First name", "Firstname", "Vorname"];

/// A download is of the platform that has named the most of it, and else of the first.
pub const PLATFORMS: &[Platform] = &[
    // Moodle. Its zip has folders `NAME_NUMBER_assignsubmission_file_`, or files whose names begin so. The
    // number is the participant's, or a team's (mod/assign, `download_submissions`). Headings are in the
    // language of the person who downloads. Grades beyond the maximum, right of them, are ignored.
    Platform {
        name: "Moodle",
        names: &[
            NameForm {
                pattern: "{entrant}_assignsubmission_onlinetext{rest}",
                of: Named::Any,
                content: Content::Typed("text"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{entrant}_assignsubmission_file_",
                of: Named::Any,
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{entrant}_assignsubmission_file",
                of: Named::Any,
                ..NameForm::BARE
            },
            // Somebody has packed the folder again.
            NameForm {
                pattern: "{entrant}_assignsubmission_file_.{ending}",
                content: Content::File("{entrant}.{ending}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{entrant}_assignsubmission_file_{file}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
        ],
        once: Some("_assignsubmission_"),
        lists: &[ListForm {
            sign: &[WORKSHEET],
            is_numbered: true,
            id: &["ID number", "ID-Nummer", "Número de ID", "ID-nummer"],
            name: &[WORKSHEET.split_at(1).1],
            email: &["mail", "courriel", "correo"],
            section: &["Group", "Gruppe"],
            is_of_teams: true,
            time: &[
                "Last modified (submission)",
                "Zuletzt geändert (Abgabe)",
                "Dernière modification (travail remis)",
                "Última modificación (entrega)",
                "Ultima modifica (consegna)",
                "Laatst gewijzigd (inzending)",
                "Senast modifierat (inlämning)",
                "Senast ändrad (inlämning)",
            ],
            ..ListForm::BARE
        }],
        grades: Some(GradeForm {
            headings: &[
                "Grade",
                "Bewertung",
                "Note",
                "Calificación",
                "Valutazione",
                "Nota",
                "Avaliação",
                "Beoordeling",
                "Cijfer",
                "Ocena",
                "Оценка",
                "Betyg",
                "Karakter",
                "評点",
            ],
            maximum: MaximumIn::Right,
            feedback: &["Feedback comments", "Feedback als Kommentar"],
            can_change: &[
                ("Grade can be changed", "No"),
                ("Bewertung kann geändert werden", "Nein"),
            ],
        }),
        ..Platform::BARE
    },
    // Canvas. Its zip has `NAME[_LATE]_USER_UPLOAD_FILE`, where NAME is the sortable name in lower case
    // without blanks and punctuation; or `[LATE_]anon_CODE_UPLOAD_FILE`. A typed submission is
    // `…_USER_text.html` or `…_USER_link.html` (canvas-lms, `lib/content_zipper.rb`).
    Platform {
        name: "Canvas",
        names: &[
            NameForm {
                pattern: "{letters}_[LATE_]{user}_{upload}_{file}",
                entrant: "{letters}_{user}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "[LATE_]anon_{word}_{upload}_{file}",
                entrant: "anon_{word}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{letters}_[LATE_]{user}_{typed}.html",
                entrant: "{letters}_{user}",
                content: Content::Typed("{typed}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "[LATE_]anon_{word}_{typed}.html",
                entrant: "anon_{word}",
                content: Content::Typed("{typed}"),
                ..NameForm::BARE
            },
        ],
        lists: &[
            ListForm {
                sign: &[&["Student"], &["ID"]],
                submission: &["ID"],
                id: &["SIS User ID", "ID", "Integration ID"],
                name: &[&["Student"]],
                email: &["SIS Login ID"],
                nobody: &["", "Points Possible", "Student, Test"],
                ..ListForm::BARE
            },
            // The groups of a set. One member has uploaded, and has the number.
            ListForm {
                sign: &[&["canvas_user_id"], &["group_name"]],
                submission: &["canvas_user_id"],
                id: &["user_id"],
                name: &[&["name"]],
                email: &["login_id"],
                section: &["group_name"],
                is_of_teams: true,
                ..ListForm::BARE
            },
        ],
        grades: Some(GradeForm {
            maximum: MaximumIn::Row("Points Possible"),
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // Brightspace (D2L). Its zip has a folder or a file `USER-SUBMISSION - NAME - Mar 27, 2026 605 PM`
    // for each submission. From descriptions, not from downloads that were seen.
    Platform {
        name: "Brightspace",
        names: &[
            NameForm {
                pattern: "{user}-{number} - {person} - {time}",
                entrant: "{person}_{user}",
                of: Named::Folder,
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{user}-{number} - {person} - {time} - {file}",
                entrant: "{person}_{user}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
        ],
        lists: &[ListForm {
            sign: &[&["OrgDefinedId"]],
            submission: &["Username"],
            id: &["OrgDefinedId"],
            name: &[&["First Name"], &["Last Name"]],
            email: &["Email"],
            ..ListForm::BARE
        }],
        grades: Some(GradeForm {
            headings: &[
                "{title} Points Grade <Numeric MaxPoints:{maximum}>",
                "{title} Points Grade <Numeric MaxPoints:{maximum} {rest}",
                "{title} Points Grade",
            ],
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // Blackboard. Its download has all files in one folder, as `TITLE_USER_attempt_2026-03-27-18-05-00_FILE`.
    // From descriptions, not from downloads that were seen.
    Platform {
        name: "Blackboard",
        names: &[
            NameForm {
                pattern: "{word}_{entrant}_attempt_{time}_{file}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{word}_{entrant}_attempt_{time}.txt",
                content: Content::Typed("text"),
                ..NameForm::BARE
            },
        ],
        lists: &[ListForm {
            sign: &[&["Last Name"], &["First Name"], &["Username"]],
            submission: &["Username"],
            id: &["Student ID"],
            name: &[&["First Name"], &["Last Name"]],
            email: &["Email"],
            ..ListForm::BARE
        }],
        grades: Some(GradeForm {
            headings: &["{title} {bracket}Total Pts: {maximum} {rest}"],
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // Artemis. Its export has for each participation `COURSE-EXERCISE-NUMBER-LOGIN`, with names hidden
    // `…-NUMBER-student-submission.git`. Practice repositories begin with `practice-` (ls1intum/Artemis,
    // `getStudentRepositoryName`). Only the equal text before the number tells such names from others.
    Platform {
        name: "Artemis",
        names: &[
            NameForm {
                pattern: "practice-{same}-{number}-{login}",
                of: Named::Packed,
                content: Content::Nothing("a practice repository"),
                sign: NameSign::Same,
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{same}-{number}-student-submission{rest}",
                entrant: "participation {number}",
                of: Named::Packed,
                sign: NameSign::Same,
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{same}-{number}-{login}",
                entrant: "{login}",
                of: Named::Packed,
                sign: NameSign::Same,
                ..NameForm::BARE
            },
        ],
        lists: &[ListForm {
            sign: &[TEAM_NAME, TEAM_LOGIN],
            submission: TEAM_LOGIN,
            name: &[TEAM_NAME],
            members: &["Students"],
            email: &["Email", "E-Mail"],
            ..ListForm::BARE
        }],
        ..Platform::BARE
    },
    // Gradescope. Its export has a folder `submission_NUMBER` for each submission, and next to them
    // `submission_metadata.yml` with all submitters. From descriptions, not from exports that were seen.
    Platform {
        name: "Gradescope",
        // A number names nobody, so its folders are like any others.
        list_file: Some("submission_metadata.yml"),
        lists: &[ListForm {
            sign: &[&["SID"], &["Submission ID"]],
            submission: &["Submission ID"],
            prefix: "submission_",
            id: &["SID", "Email"],
            name: &[&["First Name", "Name"], &["Last Name"]],
            email: &["Email"],
            section: &["Sections"],
            time: &["Submission Time"],
            ..ListForm::BARE
        }],
        grades: Some(GradeForm {
            headings: &["Total Score"],
            maximum: MaximumIn::Column("Max Points"),
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // GitHub Classroom. `gh classroom clone student-repos` makes folders `ASSIGNMENT-LOGIN` or
    // `ASSIGNMENT-TEAM`. From descriptions, not from exports that were seen.
    Platform {
        name: "GitHub Classroom",
        // Only a list tells the login from the assignment.
        lists: &[
            ListForm {
                sign: &[&["identifier"], &["github_username"]],
                submission: &["github_username"],
                id: &["identifier"],
                name: &[&["name"]],
                has_named: true,
                ..ListForm::BARE
            },
            ListForm {
                sign: &[&["roster_identifier"], &["student_repository_name"]],
                submission: &["student_repository_name"],
                id: &["roster_identifier", "github_username"],
                section: &["group_name"],
                time: &["submission_timestamp"],
                has_named: true,
                ..ListForm::BARE
            },
        ],
        grades: Some(GradeForm {
            headings: &["points_awarded"],
            maximum: MaximumIn::Column("points_available"),
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // Sakai. Its zip has folders `LAST, FIRST(LOGIN)`, or files whose names begin so; `grades.csv` has two
    // lines above its headings. From programs of others that read it.
    Platform {
        name: "Sakai",
        names: &[
            NameForm {
                pattern: "{person}({login})_Submission attachment(s)_{file}",
                entrant: "{login}",
                content: Content::File("{file}"),
                ..NameForm::BARE
            },
            NameForm {
                pattern: "{person}, {first}({login})",
                entrant: "{login}",
                of: Named::Folder,
                sign: NameSign::All,
                inside: &["Submission attachment(s)/{file}"],
                ..NameForm::BARE
            },
        ],
        lists: &[ListForm {
            sign: &[&["Display ID"], &["ID"], &["Last Name"]],
            submission: &["ID"],
            id: &["Display ID"],
            name: &[&["First Name"], &["Last Name"]],
            ..ListForm::BARE
        }],
        grades: Some(GradeForm {
            headings: &["grade", "Grade"],
            ..GradeForm::BARE
        }),
        ..Platform::BARE
    },
    // ILIAS. Its zip has folders `LAST_FIRST_LOGIN_NUMBER`, and `Team NUMBER` (Modules/Exercise,
    // `ilExSubmission`). Its grades are an Excel file; this list is of the members. No download was seen.
    Platform {
        name: "ILIAS",
        names: &[NameForm {
            pattern: "{last}_{first}_{word}_{number}",
            entrant: "{word}",
            of: Named::Folder,
            sign: NameSign::All,
            ..NameForm::BARE
        }],
        lists: &[ListForm {
            sign: &[LOGIN, LAST, FIRST],
            submission: LOGIN,
            id: &["Matriculation number", "Matrikelnummer"],
            name: &[FIRST, LAST],
            email: &["Email", "E-Mail"],
            ..ListForm::BARE
        }],
        ..Platform::BARE
    },
    // Microsoft Teams: `Submitted files/PERSON/ASSIGNMENT/Version NUMBER`. Its grades cannot be put back.
    // From programs of others that read it.
    Platform {
        name: "Microsoft Teams",
        names: &[NameForm {
            pattern: "{person}",
            entrant: "{person}",
            of: Named::Folder,
            sign: NameSign::Around("Submitted files"),
            inside: &["{folder}/Version {upload}/{file}", "{folder}/{file}"],
            ..NameForm::BARE
        }],
        lists: &[ListForm {
            sign: &[&["First Name"], &["Last Name"], &["Email Address"]],
            id: &["Email Address"],
            name: &[&["First Name"], &["Last Name"]],
            email: &["Email Address"],
            ..ListForm::BARE
        }],
        ..Platform::BARE
    },
];
