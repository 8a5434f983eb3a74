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
    /// A list that takes grades back: the lines above those of people, and each person's line. The
    /// totals are in place of `?`.
    fill: Option<(&'static str, &'static [&'static str])>,
}

/// The deadline is 2020-01-01T18:00:00+01:00.
const DOWNLOADS: [Download; 8] = [
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
        fill: Some((
            "Last Name,First Name,Username,Catch the Cat [Total Pts: 900 Score] |17,More [Total Pts: 1 Score] |18\n",
            &["Lee,Ann,ann,?,", "Roe,Bob,bob,?,"],
        )),
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
        fill: Some((
            "OrgDefinedId,Username,Catch the Cat Points Grade <Numeric MaxPoints:900 Weight:10>,More Points Grade <Numeric MaxPoints:1>,End-of-Line Indicator\n",
            &["#s17,#al,?,,#", "#s18,#br,?,,#"],
        )),
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
        fill: Some((
            "First Name,Last Name,SID,Email,Total Score,Max Points,Submission ID\n",
            &[
                "Ann,Lee,017,a@b,?,900,31",
                "Bob,Roe,018,b@b,?,900,31",
                "Cem,Kaya,019,c@b,?,900,32",
            ],
        )),
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
        fill: Some((
            "github_username,roster_identifier,student_repository_name,points_awarded,points_available\n",
            &[
                "octo-ann,a@b,hw-octo-ann,?,900",
                "bob-99,b@b,hw-bob-99,?,900",
            ],
        )),
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
        fill: Some((
            "Identifier,Full name,Group,Grade,Maximum grade\n",
            &[
                "Participant 17,Ann,Red,?,900",
                "Participant 18,Bob,Red,?,900",
                "Participant 19,Cem,Blue,?,900",
            ],
        )),
    },
    Download {
        platform: "Sakai",
        files: &[
            ("Lee, Ann(alee)/Submission attachment(s)/bot.sh", "1"),
            ("Lee, Ann(alee)/timestamp.txt", "20191231100000000"),
            ("Roe, Bob(broe)/Submission attachment(s)/bot.sh", "2"),
        ],
        roster: Some(
            "Contest,Points\n,\nDisplay ID,ID,Last Name,First Name,grade,received\n\
             17,alee,Lee,Ann,,2019-12-31T10:00:00Z\n18,broe,Roe,Bob,,2019-12-31T11:00:00Z\n",
        ),
        identities: &[
            "alee,17,1,2019-12-31T10:00:00Z",
            "broe,18,1,2019-12-31T11:00:00Z",
        ],
        fill: Some((
            "Contest,Points,,,\n,,,,\nDisplay ID,ID,Last Name,First Name,grade\n",
            &["17,alee,Lee,Ann,?", "18,broe,Roe,Bob,?"],
        )),
    },
    Download {
        platform: "ILIAS",
        files: &[
            ("Lee_Ann_alee_4711/bot.sh", "1"),
            ("Roe_Bob_broe_4712/bot.sh", "2"),
        ],
        roster: Some(
            "Benutzername;Nachname;Vorname;received\nalee;Lee;Ann;2019-12-31T10:00:00Z\n\
             broe;Roe;Bob;2019-12-31T11:00:00Z\n",
        ),
        identities: &[
            "alee,alee,1,2019-12-31T10:00:00Z",
            "broe,broe,1,2019-12-31T11:00:00Z",
        ],
        fill: None,
    },
    Download {
        platform: "groups of Canvas",
        files: &[("red_17_100_bot.sh", "1"), ("blue_19_101_bot.sh", "2")],
        roster: Some(
            "name,canvas_user_id,user_id,login_id,group_name,received\nAnn,17,s17,a@b,Red,2019-12-31T10:00:00Z\nBob,18,s18,b@b,Red,2019-12-31T10:00:00Z\n\
             Cem,19,s19,c@b,Blue,2019-12-31T10:00:00Z\n",
        ),
        identities: &[
            "blue_19,s19,1,2019-12-31T10:00:00Z",
            "red_17,s17,1,2019-12-31T10:00:00Z",
            "red_17,s18,1,2019-12-31T10:00:00Z",
        ],
        fill: None,
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
        let text = "title = \"Catch the Cat\"\ngame = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-01-01T18:00:00+01:00\n\
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
        if let Some((above, lines)) = download.fill {
            let list = scene.folder().join("list.csv");
            let empty: String = lines
                .iter()
                .map(|line| line.replace('?', "") + "\n")
                .collect();
            fs::write(&list, format!("{above}{empty}")).expect("ours");
            let list = list.to_str().expect("UTF-8");
            scene.does("grades", &["--fill", list, "--value", "total"]);
            let filled = scene.folder().join("list-filled.csv");
            let filled = fs::read_to_string(filled).expect("written");
            let filled = filled.strip_prefix(above).expect("the headings stay");
            assert_eq!(filled.lines().count(), lines.len());
            for (line, filled) in lines.iter().zip(filled.lines()) {
                let (before, after) = line.split_once('?').expect("a place for the value");
                let rest = filled.strip_prefix(before).unwrap_or_default();
                let value = rest.strip_suffix(after).unwrap_or_default();
                let value: f64 = value.parse().unwrap_or_default();
                assert!(value > 0.0, "{}: {filled}", download.platform);
            }
        }
    }
}
