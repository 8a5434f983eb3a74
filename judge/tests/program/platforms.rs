//! Downloads of learning platforms beyond Moodle, Canvas and Artemis, from their files to people,
//! versions and times.

use crate::support::{FIRST_LEGAL, Scene, root};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;

/// A download, and what the judge makes of it. `platforms.toml` has one of each platform.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Download {
    platform: String,
    /// Files below the submissions, each with a bot's own last line.
    files: Vec<(String, String)>,
    roster: Option<String>,
    /// Rows of the identities: entrant, id, version, received.
    identities: Vec<String>,
    /// A list that takes grades back: the lines above those of people, and each person's line. The
    /// totals are in place of `?`.
    #[serde(default)]
    above: String,
    #[serde(default)]
    fill: Vec<String>,
}

#[test]
fn downloads_of_platforms_become_people_versions_and_times() {
    let text = fs::read_to_string(root().join("judge/tests/platforms.toml")).expect("it is there");
    let mut all: BTreeMap<String, Vec<Download>> = toml::from_str(&text).expect("TOML");
    for download in all.remove("download").expect("a list") {
        let scene = Scene::new();
        for (path, text) in &download.files {
            let text = if path.contains("bot.sh") {
                format!("{FIRST_LEGAL}\n# {text}\n")
            } else {
                text.clone()
            };
            let folder = scene.submissions().join(path);
            fs::create_dir_all(folder.parent().expect("below")).expect("new");
            scene.file(path, &text, 0o644);
        }
        let text = "title = \"Catch the Cat\"\ngame = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-01-01T18:00:00+01:00\n\
            too_late = \"ungraded\"\n[config]\nside = 5\n";
        fs::write(scene.submissions().join("competition.toml"), text).expect("writable");
        if let Some(roster) = download.roster {
            fs::write(scene.submissions().join("roster.csv"), roster).expect("writable");
        }
        scene.run_as_is().well();
        let rows = scene.rows("staff/identities.csv");
        let columns = ["submission", "id", "version", "received"];
        let shown = rows
            .iter()
            .map(|row| columns.map(|it| row.get(it)).join(","));
        let shown: Vec<String> = shown.collect();
        assert_eq!(shown, download.identities, "{}", download.platform);
        let (above, lines) = (&download.above, &download.fill);
        if !lines.is_empty() {
            let list = scene.folder().join("list.csv");
            let empty: String = lines
                .iter()
                .map(|line| line.replace('?', "") + "\n")
                .collect();
            fs::write(&list, format!("{above}{empty}")).expect("writable");
            let list = list.to_str().expect("UTF-8");
            scene.does("grades", &["--fill", list, "--value", "total"]);
            let filled = scene.folder().join("list-filled.csv");
            let filled = fs::read_to_string(filled).expect("written");
            let filled = filled.strip_prefix(&**above).expect("the headings stay");
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
