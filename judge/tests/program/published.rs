//! Published pages that keep themselves up to date, in a real browser.

use crate::support::Has;
use crate::support::browser;
use crate::support::season::Season;
use crate::support::web::{SITE, Web};
use report::Latest;
use std::fs;
use std::path::{Path, PathBuf};
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
fn published_pages_in_a_browser_pass_their_checks() {
    // Another entrant changes the numbers of all games.
    let mut seasons = [4, 5, 6].map(|count| Season::play("reversi", &names(count), 2, 0));
    let pairs = seasons.iter_mut().zip(["one", "two", "three"]);
    let folders = pairs.map(|(season, digest)| publish(season, digest));
    let folders: Vec<TempDir> = folders.collect();
    let paths: Vec<&Path> = folders.iter().map(TempDir::path).collect();
    let web = Web::serve(&paths);

    let [long, hostile] = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let season = Season::play("reversi", &names(12), 1, 0).with_past(90);
    let past = season.write(long.path());
    let names = [
        "<script>document.title='owned'</script>",
        "\"><img src=x onerror=\"document.title='owned'\">",
        "\u{202e}gnp.egap </td></table></svg>",
    ];
    let season = Season::play("reversi", &names.map(str::to_owned), 1, 0).with_past(20);
    let of_hostile = season.write(hostile.path());
    let text = fs::read_to_string(&of_hostile).expect("it was written");
    // A mark would turn the text around.
    text.lacks(&["<script>document", "<img", "\u{202e}"]);
    text.has(&["<bdi>&lt;script&gt;document"]);
    let checks = [
        ("live", PathBuf::from(web.url("report.html"))),
        ("history", past),
        ("hostile", of_hostile),
        ("file", folders[0].path().join("report.html")),
    ];
    browser::check("live.mjs", &checks.map(|(check, page)| (check, vec![page])));
    let asked = web.asked();
    let own = ["report.html", "latest.json"].map(|name| format!("{SITE}{name}"));
    assert!(asked.iter().all(|path| own.contains(path)), "{asked:?}");
}
