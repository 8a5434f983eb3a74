//! Downloads of learning platforms beyond Moodle, Canvas and Artemis, from their files to people,
//! versions and times.

use crate::support::{FIRST_LEGAL, Scene, source};
use serde::Deserialize;
use std::collections::BTreeMap;

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
    let text = source("judge/tests/platforms.toml");
    let mut all: BTreeMap<String, Vec<Download>> = toml::from_str(&text).expect("TOML");
    for download in all.remove("download").expect("a list") {
        let scene = Scene::new();
        for (path, text) in &download.files {
            let bot = format!("{FIRST_LEGAL}\n# {text}\n");
            let is_bot = path.contains("bot.sh");
            scene.put(path, if is_bot { &bot } else { text });
        }
        let text = "title = \"Catch the Cat\"\ngame = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-01-01T18:00:00+01:00\n\
            too_late = \"ungraded\"\n[config]\nside = 5\n[bots]\nlifetime = \"game\"\n";
        scene.put("competition.toml", text);
        if let Some(roster) = download.roster {
            scene.put("roster.csv", roster);
        }
        scene.run_as_is().well();
        let columns = "submission,id,version,received";
        let shown = scene.cells("staff/identities.csv", columns);
        assert_eq!(shown, download.identities, "{}", download.platform);
        let (above, lines) = (&download.above, &download.fill);
        if !lines.is_empty() {
            let empty = lines.iter().map(|line| line.replace('?', "") + "\n");
            let empty: String = empty.collect();
            let list = scene.write("list.csv", format!("{above}{empty}"));
            scene.does("grades", &["--fill", &list, "--value", "total"]);
            let filled = scene.text("list-filled.csv");
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
