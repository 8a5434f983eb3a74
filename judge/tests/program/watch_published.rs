//! Publishing during a watch: views follow the run, freeze, and thaw. Open pages keep themselves up
//! to date, in a real browser.

use crate::support::browser;
use crate::support::season::Season;
use crate::support::web::{SITE, Web};
use crate::support::{Ended, Has, Run, Scene, all_below, eventually, judge_at};
use crate::watch::{Watching, set_clock};
use report::{Latest, LatestSubmission};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

const COMPETITION: &str = r#"
game = "catch-the-cat"
states = 1
deadline = 2020-12-18T18:00:00Z
too_late = "graded"
[config]
side = 5
[watch]
freeze = 2020-12-18T17:00:00Z
again_after = "0s"
"#;

/// A bot that plays the last legal move, and writes about itself.
const LAST: &str = include_str!("../bots/last_and_tells.sh");

/// A watch that publishes, on a clock that the test sets.
struct Watched {
    scene: Scene,
    watch: Watching,
}

impl Watched {
    fn begin() -> Self {
        let scene = Scene::of(["ann", "zoe"]);
        scene.put("competition.toml", COMPETITION);
        set(&scene, "2020-12-01T00:00:00Z");
        let folder = scene.folder().display();
        let flags = format!("--publish {folder}/www --publish-students {folder}/students");
        let watch = Watching::begin(&scene, &flags);
        Self { scene, watch }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scene.folder().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn latest(&self, name: &str) -> Option<Latest> {
        Latest::read(&fs::read(self.path(name).join("latest.json")).ok()?)
    }

    fn submission(&self, name: &str) -> LatestSubmission {
        let latest = self.latest(&format!("students/{name}"));
        let submission = latest.and_then(|latest| latest.submission);
        submission.unwrap_or_default()
    }

    fn eventually(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        eventually(&format!("{what}: see the log"), || {
            if let Ok(Some(status)) = self.watch.child.try_wait() {
                assert!(status.success(), "{what}: {}", self.watch.read());
            }
            holds(self)
        });
    }

    fn judge(&self, verb: &str, folder: &str) -> Ended {
        judge_at(verb, &[&self.path(folder)], "").ended()
    }
}

fn set(scene: &Scene, time: &str) {
    set_clock(&scene.folder().join("clock"), time);
}

fn looked_at(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime, u64)> {
    let look = |path: PathBuf| {
        let metadata = fs::metadata(&path).expect("there");
        let changed = metadata.modified().expect("there");
        let content = fs::read(&path).unwrap_or_default();
        (path, (content, changed, metadata.ino()))
    };
    all_below(folder).into_iter().map(look).collect()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Publishes pages of a class that changes, for a browser that has one of them open.
fn published_pages() -> [TempDir; 3] {
    // Another entrant changes the numbers of all games.
    [(4, "one"), (5, "two"), (6, "three")].map(|(count, digest)| {
        let mut season = class(count, 2);
        season.live = Some(digest.to_owned());
        let folder = folder();
        season.write(folder.path());
        let latest = Latest {
            digest: digest.to_owned(),
            ..Latest::default()
        };
        fs::write(folder.path().join("latest.json"), latest.text()).expect("new");
        folder
    })
}

fn class(count: usize, states: u32) -> Season {
    let names: Vec<String> = (0..count).map(|n| format!("entrant-{n:02}")).collect();
    Season::play("reversi", &names, states, 0)
}

fn page_of_hostile_names(folder: &Path) -> PathBuf {
    let names = [
        "<script>document.title='owned'</script>",
        "\"><img src=x onerror=\"document.title='owned'\">",
        "\u{202e}gnp.egap </td></table></svg>",
    ];
    let season = Season::play("reversi", &names.map(str::to_owned), 1, 0).with_past(20);
    let page = season.write(folder);
    let text = fs::read_to_string(&page).expect("it was written");
    // A mark would turn the text around.
    text.lacks(&["<script>document", "<img", "\u{202e}"]);
    text.has(&["<bdi>&lt;script&gt;document"]);
    page
}

#[test]
fn broken_version_is_reported_and_pages_pass_checks() {
    let mut watched = Watched::begin();
    let is_shown = |it: &Watched, words: &str| it.read("students/zoe/report.html").contains(words);
    watched.eventually("the first games are shown", |it| {
        is_shown(it, "Received last: version 1")
    });
    watched.scene.script("zoe", LAST).first_legal("<img src=x>");
    set(&watched.scene, "2020-12-02T00:00:00Z");
    watched.eventually("the second version is shown", |it| {
        is_shown(it, "Your versions") && is_shown(it, "&lt;img src=x&gt;")
    });
    // A compiler's output about an earlier version says nothing about this one.
    let log = watched.scene.out().join("logs/build/zoe.txt");
    fs::write(&log, "error: of an earlier version").expect("the folder is there");
    watched.scene.script("zoe", "no program");
    set(&watched.scene, "2020-12-03T00:00:00Z");
    let broken = "Received last: version 3, 2020-12-0";
    watched.eventually("the broken version is reported", |it| {
        it.submission("zoe").words.starts_with(broken)
            && is_shown(it, broken)
            && is_shown(it, "What judge check found")
    });
    let reported = watched.submission("zoe");
    let words = &reported.words;
    assert!(words.ends_with("Version 2 keeps playing."), "{reported:?}");
    assert!(reported.wrote.is_empty() && !log.exists(), "{reported:?}");
    words.has(&["It does not play: "]);
    assert_eq!((reported.version, reported.playing), (Some(3), Some(2)));
    assert!(!reported.plays);
    let page = watched.read("www/report.html");
    page.has(&[
        "Practice round 1, on other boards than the final round. Deadline: 2020-12-18 18:00 UTC. ",
        "It does not change between 2020-12-18 17:00 UTC and",
    ]);
    page.lacks(&["Received last"]);
    let page = watched.path("students/zoe/report.html");

    // The open page shows the next message.
    let (own, next) = (watched.path("students/zoe"), watched.path("next"));
    fs::create_dir(&next).expect("new");
    fs::copy(&page, next.join("report.html")).expect("new");
    let mut latest = watched.latest("students/zoe").expect("shown");
    latest.submission = Some(LatestSubmission {
        words: "Received last: version 4.".to_owned(),
        wrote: "error: <img src=y>".to_owned(),
        ..LatestSubmission::default()
    });
    fs::write(next.join("latest.json"), latest.text()).expect("new");
    let students = Web::serve(&[&own, &next]);
    let pages = published_pages();
    let public = Web::serve(&pages.each_ref().map(TempDir::path));
    let [history, hostile] = [folder(), folder()];
    let checks = [
        ("student", page),
        ("told", students.url("report.html").into()),
        ("live", public.url("report.html").into()),
        ("history", class(12, 1).with_past(90).write(history.path())),
        ("hostile", page_of_hostile_names(hostile.path())),
        ("file", pages[0].path().join("report.html")),
    ];
    browser::check("live.mjs", &checks.map(|(check, page)| (check, vec![page])));
    let asked = public.asked();
    let own = ["report.html", "latest.json"].map(|name| format!("{SITE}{name}"));
    assert!(asked.iter().all(|path| own.contains(path)), "{asked:?}");

    // Too large a submission cannot be kept at all.
    let huge = File::create(watched.scene.submissions().join("zoe/huge"));
    let huge = huge.and_then(|file| file.set_len(257 << 20));
    huge.expect("sparse");
    watched.eventually("what could not be received is reported", |it| {
        it.watch.read().contains("256 MiB")
            && it.submission("zoe").words.contains("could not be received")
    });
    let words = watched.submission("zoe").words;
    assert!(words.ends_with("Version 2 keeps playing."), "{words}");
}

#[test]
fn publish_failure_delays_nobody_and_is_retried() {
    let mut watched = Watched::begin();
    watched.eventually("the first games are shown", |it| {
        it.submission("zoe").version == Some(1) && it.latest("www").is_some()
    });
    let away = |it: &Watched, name: &str| {
        fs::rename(it.path(name), it.path("away")).expect("writable");
        fs::write(it.path(name), "not mounted").expect("writable");
    };
    let back = |it: &Watched, name: &str| {
        fs::remove_file(it.path(name)).expect("writable");
        fs::rename(it.path("away"), it.path(name)).expect("writable");
    };
    let says = |it: &mut Watched, words: &str| {
        it.eventually(words, |it| it.watch.read().contains(words));
    };
    // The clock does not advance, and failed publishing is not repeated yet.
    for (folder, version) in [("www", 2), ("students", 3)] {
        let played = watched.watch.read().matches("games played").count();
        away(&watched, folder);
        watched.scene.script("zoe", &LAST.replace("my own", folder));
        says(&mut watched, &format!("zoe: plays version {version}"));
        watched.eventually("its games are played", |it| {
            it.watch.read().matches("games played").count() > played
        });
        let words = "everything else continues, and judge retries in 60 s";
        says(&mut watched, words);
        if folder == "www" {
            watched.eventually("the other folder follows", |it| {
                it.read("students/zoe/moments.jsonl").lines().count() >= version
            });
        }
        back(&watched, folder);
        set(&watched.scene, &format!("2020-12-0{version}T00:00:00Z"));
        watched.eventually("it is shown", |it| {
            let reported = "the published results can be written again";
            it.submission("zoe").version == Some(version)
                && it.watch.read().matches(reported).count() >= version - 1
        });
    }
    watched.watch.read().has(&["with --publish;"]);
    set(&watched.scene, "2020-12-18T17:30:00Z");
    says(&mut watched, "the published results are frozen");
    away(&watched, "students");
    let frozen = LAST.replace("my own", "frozen");
    watched.scene.script("zoe", &frozen);
    says(&mut watched, "cannot write the students' view");
    back(&watched, "students");
    set(&watched.scene, "2020-12-18T17:32:00Z");
    watched.eventually("its author is told", |it| {
        it.submission("zoe").version == Some(4)
    });
}

#[test]
fn published_view_follows_games_freezes_and_is_revealed() {
    let mut watched = Watched::begin();
    let is_whole = |latest: &Latest| latest.played > 0 && latest.played == latest.of;
    watched.eventually("the first games are shown", |it| {
        it.latest("students/zoe").is_some_and(|one| is_whole(&one))
    });
    watched.judge("verify", "www").well();
    watched.judge("verify", "students/zoe").well();
    let first = watched.latest("www").expect("shown");
    watched.read("www/report.html").has(&["connect-src 'self'"]);

    // Another version changes the page, the history and the message to its author.
    watched.scene.script("zoe", LAST);
    set(&watched.scene, "2020-12-02T00:00:00Z");
    // The public's folder is written first.
    watched.eventually("the second version is shown", |it| {
        let moments = it.read("students/zoe/moments.jsonl");
        it.submission("zoe").version == Some(2) && moments.lines().count() >= 2
    });
    assert_ne!(watched.latest("www").expect("shown").digest, first.digest);
    watched.judge("verify", "www").well();
    watched.judge("verify", "students/zoe").well();
    let public = watched.read("www/report.html");
    public.has(&["id=\"history\""]);
    public.lacks(&["I am on my own"]);
    let own = watched.read("students/zoe/report.html");
    own.has(&[
        "What your last version has changed",
        "Version 2",
        "Your versions",
        "I am on my own &lt;/pre&gt;&lt;script&gt;",
    ]);
    let anns = watched.read("students/ann/report.html");
    anns.lacks(&["I am on my own"]);

    // From the freeze on nothing changes, except messages to authors about their own version.
    let frozen = looked_at(&watched.path("www"));
    let ann = looked_at(&watched.path("students/ann"));
    set(&watched.scene, "2020-12-18T17:30:00Z");
    watched.scene.first_legal("zoe").first_legal("walter");
    watched.eventually("the third version is received", |it| {
        it.submission("zoe").version == Some(3) && it.submission("walter").plays
    });
    watched.eventually("its games are played", |it| {
        it.scene.read("journal.jsonl").contains("\"frozen\":true")
    });
    assert!(looked_at(&watched.path("www")) == frozen, "it stands still");
    let walters = watched.read("students/walter/report.html");
    walters.has(&["Received last: version 1"]);
    assert!(!walters.contains("<script"), "it shows no games");
    let report = |view: &str| {
        let words = format!("report out --view {view} --out by-hand");
        watched.scene.here(&words).ended()
    };
    // The watch has the run's lock only while it plays.
    report("public").refused(&["frozen", "judge reveal"]);
    report("student").refused(&["frozen", "judge reveal"]);

    // The freeze lasts through the final round, until the secret is published.
    set(&watched.scene, "2020-12-18T18:30:00Z");
    watched.eventually("the final round is played", |it| {
        let journal = it.scene.read("journal.jsonl");
        let mut moments = journal.lines().filter(|line| line.contains("\"moment\":"));
        moments
            .next_back()
            .is_some_and(|line| line.contains("\"round\":\"final\""))
    });
    assert!(looked_at(&watched.path("www")) == frozen, "it stands still");
    assert!(looked_at(&watched.path("students/ann")) == ann);
    watched.eventually("the secret is published", |it| {
        it.judge("reveal", "out").code == Some(0)
    });
    watched.eventually("the final round is shown", |it| {
        it.latest("www")
            .is_some_and(|latest| latest.round == "final" && is_whole(&latest))
    });
    watched.watch.ends_well();
    watched.judge("verify", "www").well();
    watched.judge("verify", "students/walter").well();
    watched.judge("verify", "out").well();
    let moments = watched.read("www/moments.jsonl");
    moments.has(&["\"frozen\":true"]);

    // A rank that was forged is reported.
    let last = moments.trim_end().rfind('\n').expect("there are several") + 1;
    let other = moments[last..].replacen("\"rank\":1", "\"rank\":3", 1);
    let forged = moments[..last].to_owned() + &other;
    fs::write(watched.path("www/moments.jsonl"), forged).expect("writable");
    let ended = watched.judge("verify", "www");
    assert_ne!(ended.code, Some(0));
    ended.says(&["differs: moments.jsonl"]);
}
