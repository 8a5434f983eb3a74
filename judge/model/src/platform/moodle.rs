//! Moodle. Its zip has folders `NAME_NUMBER_assignsubmission_file_`, or files whose names begin so. The
//! number is the participant's, or a team's (mod/assign, `download_submissions`). Headings are in the
//! language of the person who downloads. Grades beyond the maximum, right of them, are ignored.

use super::{Content, GradeForm, ListForm, MaximumIn, NameForm, Named, Platform};

/// A worksheet has one of these headings at least. Where names are hidden, it has only the first.
const SIGN: &[&str] = &[
    "Identifier",
    "Full name",
    "Vollständiger Name",
    "Nom complet",
    "Nombre completo",
    "Nome completo",
    "Volledige naam",
    "Fullständigt namn",
];

pub(super) const MOODLE: Platform = Platform {
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
    list_file: None,
    lists: &[ListForm {
        sign: &[SIGN],
        is_numbered: true,
        id: &["ID number", "ID-Nummer", "Número de ID", "ID-nummer"],
        name: &[SIGN.split_at(1).1],
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
};
