//! Pages that are published to be kept up to date, in a real browser.

use crate::support::browser;
use crate::support::season::Season;
use crate::support::web::{SITE, Web};
use report::Latest;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("entrant-{n:02}")).collect()
}

/// Publishes a season's page with what is beside it.
fn publish(season: &mut Season, digest: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    season.live = Some(digest.to_owned());
    season.write(folder.path());
    let latest = Latest {
        digest: digest.to_owned(),
        ..Latest::default()
    };
    fs::write(folder.path().join("latest.json"), latest.text()).expect("new");
    folder
}

#[test]
fn in_a_browser_an_open_page_follows_what_is_published_and_keeps_the_readers_place() {
    // Another entrant changes the numbers of all games.
    let mut seasons = [4, 5, 6].map(|count| Season::play("reversi", &names(count), 2, 0));
    let digests = ["one", "two", "three"];
    let folders: Vec<TempDir> = seasons
        .iter_mut()
        .zip(digests)
        .map(|(season, digest)| publish(season, digest))
        .collect();
    let paths: Vec<&Path> = folders.iter().map(TempDir::path).collect();
    let web = Web::serve(&paths);
    let url = web.url("report.html");
    browser::check("live.mjs", "live", &[OsStr::new(&url)]);
    let asked = web.asked();
    let own = ["report.html", "latest.json"].map(|name| format!("{SITE}{name}"));
    assert!(asked.iter().all(|path| own.contains(path)), "{asked:?}");
}

#[test]
fn in_a_browser_a_published_page_asks_nothing_when_it_is_opened_as_a_file() {
    let folder = publish(&mut Season::play("reversi", &names(3), 1, 0), "one");
    let page = folder.path().join("report.html");
    browser::check("live.mjs", "file", &[page.as_os_str()]);
}
