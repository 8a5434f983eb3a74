//! Tests of documents outside the games' folders: those that repeat the contents of these folders,
//! and those that quote their files.
//!
//! `UPDATE_DOCS=1 cargo test -p judge-engines --test it documents` rewrites the lists of games and
//! competitions in `protocol.md`, `README.md` and `COMPETITIONS.md`.

use judge_engines::{CourseText, Entry, GAMES};
use std::fs;
use std::path::PathBuf;

fn root(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

fn text(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Checks that a document contains a part between two marks. Writes it there first if the
/// environment asks for it.
fn holds(path: &str, from: &str, to: &str, part: &str) {
    let document = text(path);
    let begin = document.find(from).expect(from) + from.len();
    let end = if to.is_empty() {
        document.len()
    } else {
        begin + document[begin..].find(to).expect(to)
    };
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let fresh = [&document[..begin], part, &document[end..]].concat();
        fs::write(root(path), fresh).expect("a document can be written");
        return;
    }
    let there = &document[begin..end];
    let differs = there.lines().zip(part.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "a line of {path}");
    assert!(there == part, "the part of {path} is longer or shorter");
}

#[test]
fn protocol_links_section_of_every_game() {
    let book = text("docs/games.md");
    let link = |game: &Entry| {
        let folder = game.info.slug.replace('-', "_");
        let path = format!("engines/src/{folder}/protocol.md");
        assert!(book.contains(&format!("../{path}")), "{path}");
        format!("- [{}]({path})\n", game.info.title)
    };
    let links: String = GAMES.iter().map(link).collect();
    let links = format!("\n{links}");
    holds("protocol.md", "<!-- games -->", "<!-- /games -->", &links);
}

#[test]
fn game_and_competition_lists_match_registry() {
    let row = |game: &Entry| {
        let bots = game.baselines().into_iter();
        let bots: Vec<String> = bots.map(|(name, _)| format!("`{name}`")).collect();
        let (info, bots) = (game.info, bots.join(", "));
        format!(
            "| `{}` | {} | {} | {bots} |\n",
            info.slug, info.title, info.summary
        )
    };
    let rows: String = GAMES.iter().map(row).collect();
    let table = format!(
        "\n| slug | game | what it is | built-in bots |\n| --- | --- | --- | --- |\n{rows}"
    );
    holds("README.md", "<!-- games -->", "<!-- /games -->", &table);

    let mut slugs: Vec<String> = GAMES.iter().map(|g| format!("`{}`", g.info.slug)).collect();
    slugs.sort_unstable();
    holds("COMPETITIONS.md", "| `game` | ", " |", &slugs.join(", "));

    let courses = GAMES.iter().flat_map(|game| game.info.courses);
    let row = |course: &CourseText| {
        // The first lines of a file, which are comments, describe it.
        let comment = course
            .text
            .lines()
            .map_while(|line| line.strip_prefix("# "));
        let comment: Vec<&str> = comment.collect();
        assert!(!comment.is_empty(), "{} says what it is", course.name);
        format!("| `{}` | {} |\n", course.name, comment.join(" "))
    };
    let rows: String = courses.map(row).collect();
    let table = format!("\n| competition | what it is |\n| --- | --- |\n{rows}");
    let (from, to) = ("<!-- competitions -->", "<!-- /competitions -->");
    holds("COMPETITIONS.md", from, to, &table);
}

/// Checks the quotations in a page about adding something, and that the page names every file of a
/// folder.
fn walks_through(page: &str, folder: &str, quotes_min: usize) {
    let page = text(page);
    let mut quoted = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (head, excerpt) = block.split_once('\n').expect("a block has lines");
        let (_, path) = head.split_once(' ').expect("a block names its file");
        assert!(text(path).contains(excerpt), "not in {path}:\n{excerpt}");
        quoted += 1;
    }
    assert!(quoted >= quotes_min, "the page quotes files");
    for file in fs::read_dir(root(folder)).expect("the folder") {
        let name = file.expect("a file").file_name();
        let name = name.to_str().expect("plain text");
        let named = page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}/`"));
        assert!(named, "the page does not name {name}");
    }
}

#[test]
fn quotes_of_adding_pages_match_files() {
    walks_through("docs/adding-a-game.md", "engines/src/connect_four", 11);
    let folder = "judge/model/src/language/java";
    walks_through("docs/adding-a-language.md", folder, 8);
}
