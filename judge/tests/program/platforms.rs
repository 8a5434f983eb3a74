//! Downloads of learning platforms beyond Moodle, Canvas and Artemis, from their files to people,
//! versions and times.

use crate::support::{FIRST_LEGAL, Scene};
use std::fs;

/// A download, and what the judge makes of it.
struct Download {
    platform: &'static str,
    /// Files below the submissions, each with a bot's own last line.
    files: &'static [(&'static str, &'static str)],
    roster: Option<&'static str>,
    /// Rows of the identities: entrant, id, version, received.
    identities: &'static [&'static str],
}

/// The deadline is 2020-01-01T18:00:00+01:00.
const DOWNLOADS: [Download; 5] = [
    Download {
        platform: "Blackboard",
        files: &[
            ("P 1_ann_attempt_2019-12-30-10-00-00_bot.sh", "1"),
            ("P 1_ann_attempt_2019-12-30-10-00-00.txt", ""),
            ("P 1_ann_attempt_2019-12-31-10-00-00_bot.sh", "2"),
            ("P 1_bob_attempt_2020-01-01-17-59-00_bot.sh", "3"),
        ],
        roster: Some("Last Name,First Name,Username,Student ID\nLee,Ann,ann,17\nRoe,Bob,bob,18\n"),
        identities: &[
            "ann,17,2,2019-12-31T09:00:00Z",
            "bob,18,1,2020-01-01T16:59:00Z",
        ],
    },
    Download {
        platform: "Brightspace",
        files: &[
            ("17-71 - Ann Lee - Dec 31, 2019 905 AM/bot.sh", "1"),
            ("17-72 - Ann Lee - Dec 31, 2019 1005 PM/bot.sh", "2"),
            ("18-73 - Bob Roe - Jan 1, 2020 559 PM/bot.sh", "3"),
        ],
        roster: Some(
            "OrgDefinedId,Username,Last Name,First Name,Email\n#s17,#al,Lee,Ann,\n#s18,#br,Roe,Bob,\n",
        ),
        identities: &[
            "Ann Lee_17,s17,2,2019-12-31T21:05:00Z",
            "Bob Roe_18,s18,1,2020-01-01T16:59:00Z",
        ],
    },
    Download {
        platform: "Gradescope",
        files: &[
            ("submission_31/bot.sh", "1"),
            ("submission_32/bot.sh", "2"),
            (
                "submission_metadata.yml",
                "---\nsubmission_31:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '017'\n    :email: a@b\n  \
                 - :name: Bob Roe\n    :sid: '018'\n    :email: b@b\n  :created_at: 2020-01-01 16:05:12 Z\n\
                 submission_32:\n  :submitters:\n  - :name: Cem Kaya\n    :sid: '019'\n    :email: c@b\n  \
                 :created_at: 2019-12-31 16:05:12 Z\n",
            ),
        ],
        roster: None,
        identities: &[
            "submission_31,017,1,2020-01-01T16:05:12Z",
            "submission_31,018,1,2020-01-01T16:05:12Z",
            "submission_32,019,1,2019-12-31T16:05:12Z",
        ],
    },
    Download {
        platform: "GitHub Classroom",
        files: &[("hw-octo-ann/bot.sh", "1"), ("hw-bob-99/bot.sh", "2")],
        roster: Some(
            "identifier,github_username,github_id,name,received\n\
             a@b,octo-ann,1,Ann,2019-12-31T10:00:00Z\nb@b,bob-99,2,Bob,2019-12-31T11:00:00Z\n",
        ),
        identities: &[
            "hw-bob-99,b@b,1,2019-12-31T11:00:00Z",
            "hw-octo-ann,a@b,1,2019-12-31T10:00:00Z",
        ],
    },
    Download {
        platform: "teams of Moodle",
        files: &[
            ("Red-Ann_17_assignsubmission_file_/bot.sh", "1"),
            ("Red-Bob_18_assignsubmission_file_/bot.sh", "1"),
            ("Blue-Cem_19_assignsubmission_file_/bot.sh", "2"),
        ],
        roster: Some(
            "Identifier,Full name,Group,Last modified (submission)\n\
             Participant 17,Ann,Red,\"Tuesday, 31 December 2019, 10:00 AM\"\n\
             Participant 18,Bob,Red,\"Tuesday, 31 December 2019, 10:00 AM\"\n\
             Participant 19,Cem,Blue,\"Tuesday, 31 December 2019, 10:01 AM\"\n",
        ),
        identities: &[
            "Blue,Participant 19,1,2019-12-31T09:01:00Z",
            "Red,Participant 17,1,2019-12-31T09:00:00Z",
            "Red,Participant 18,1,2019-12-31T09:00:00Z",
        ],
    },
];

#[test]
fn downloads_of_platforms_become_people_versions_and_times() {
    for download in DOWNLOADS {
        let scene = Scene::new();
        for (path, text) in download.files {
            let text = if path.contains("bot.sh") {
                format!("{FIRST_LEGAL}\n# {text}\n")
            } else {
                (*text).to_owned()
            };
            let folder = scene.submissions().join(path);
            fs::create_dir_all(folder.parent().expect("below")).expect("new");
            scene.file(path, &text, 0o644);
        }
        let text = "game = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-01-01T18:00:00+01:00\n\
            too_late = \"ungraded\"\n[config]\nside = 5\n";
        fs::write(scene.submissions().join("competition.toml"), text).expect("ours");
        if let Some(roster) = download.roster {
            fs::write(scene.submissions().join("roster.csv"), roster).expect("ours");
        }
        scene.run_as_is().well();
        let rows = scene.rows("staff/identities.csv");
        let columns = ["submission", "id", "version", "received"];
        let shown = rows
            .iter()
            .map(|row| columns.map(|it| row.get(it)).join(","));
        let shown: Vec<String> = shown.collect();
        assert_eq!(shown, download.identities, "{}", download.platform);
    }
}
