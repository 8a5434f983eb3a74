//! Published pages that keep themselves up to date, in a real browser.

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
fn browser_page_follows_updates_and_keeps_scroll_position() {
    // Another entrant changes the numbers of all games.
    let mut seasons = [4, 5, 6].map(|count| Season::play("reversi", &names(count), 2, 0));
    let pairs = seasons.iter_mut().zip(["one", "two", "three"]);
    let folders = pairs.map(|(season, digest)| publish(season, digest));
    let folders: Vec<TempDir> = folders.collect();
    let paths: Vec<&Path> = folders.iter().map(TempDir::path).collect();
    let web = Web::serve(&paths);
    let url = web.url("report.html");
    browser::check("live.mjs", "live", &[OsStr::new(&url)]);
    let asked = web.asked();
    let own = ["report.html", "latest.json"].map(|name| format!("{SITE}{name}"));
    assert!(asked.iter().all(|path| own.contains(path)), "{asked:?}");
}

#[test]
fn browser_shows_run_history_as_fitting_chart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let season = Season::play("reversi", &names(12), 1, 0).with_past(90);
    let page = season.write(folder.path());
    browser::check("live.mjs", "history", &[page.as_os_str()]);
}

#[test]
fn browser_keeps_hostile_names_as_text_in_history() {
    let names = [
        "<script>document.title='owned'</script>",
        "\"><img src=x onerror=\"document.title='owned'\">",
        "\u{202e}gnp.egap </td></table></svg>",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let season = Season::play("reversi", &names.map(str::to_owned), 1, 0).with_past(20);
    let page = season.write(folder.path());
    let text = fs::read_to_string(&page).expect("it was written");
    assert!(text.contains("<bdi>&lt;script&gt;document"), "it is text");
    assert!(!text.contains("<script>document") && !text.contains("<img"));
    assert!(!text.contains('\u{202e}'), "a mark turns the text around");
    browser::check("live.mjs", "hostile", &[page.as_os_str()]);
}

#[test]
fn browser_page_opened_as_file_requests_nothing() {
    let folder = publish(&mut Season::play("reversi", &names(3), 1, 0), "one");
    let page = folder.path().join("report.html");
    browser::check("live.mjs", "file", &[page.as_os_str()]);
}
