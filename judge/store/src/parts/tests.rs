//! Parts are read unchanged, and any other file is refused.

use super::*;
use crate::tests::refused;
use model::competition::{Competition, FINAL, Schedule};
use model::draw::Draw;
use model::fixture::Participant;
use model::game_id::GameId;
use rulebook::schedule;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

struct Run {
    folder: tempfile::TempDir,
    competition: Competition,
    keys: Keys,
    toolchains: BTreeMap<String, String>,
    artifacts: Vec<Artifact>,
    fixtures: Vec<Fixture>,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let competition = Competition {
            states: 3,
            ..rulebook::standard(&*rules)
        };
        let keys = Keys::make(folder.path(), false).expect("valid");
        let artifact = |name: &str| {
            let place = folder.path().join("artifacts").join(name);
            fs::create_dir_all(place.join("below")).expect("writable");
            fs::write(place.join("bot"), format!("#!/bin/sh\n# {name}\n")).expect("writable");
            fs::write(place.join("below/data"), [0, 159, 146, 150]).expect("writable");
            for name in ["a\\b", "c:x", "..\\", "Foo::Bar.3pm"] {
                fs::write(place.join(name), name).expect("writable");
                fs::create_dir(place.join("below").join(name)).expect("writable");
            }
            for (name, mode) in [("bot", 0o755), ("below/data", 0o444), ("below", 0o555)] {
                let mode = Permissions::from_mode(mode);
                fs::set_permissions(place.join(name), mode).expect("writable");
            }
            let artifact = serde_json::json!({
                "hash": name, "directory": place, "program": place.join("bot"), "args": ["x"],
                "without_paths": false, "forks": false, "toolchains": [], "versions": [],
            });
            serde_json::from_value(artifact).expect("an artifact")
        };
        let artifacts: Vec<Artifact> = vec![artifact("one"), artifact("other")];
        let participants = ["ann", "bob"].map(|name| Participant {
            entrant: name.into(),
            artifact: "one".into(),
        });
        let draw = keys.draw(&competition);
        let fixtures = schedule::fixtures(&competition, &draw, &participants, None);
        Self {
            fixtures: fixtures.expect("allowed"),
            folder,
            competition,
            keys,
            toolchains: [("python3".into(), "/srv/venv/bin".into())].into(),
            artifacts,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.part")
    }

    fn write(&self, programs: Programs) -> String {
        let plan = PartPlan {
            run: self.folder.path(),
            keys: &self.keys,
            conditions: &self.competition.conditions,
            artifacts: &self.artifacts,
            build: "1 (1a2b)",
            toolchains: &self.toolchains,
            programs,
        };
        let fixtures: Vec<&Fixture> = self.fixtures.iter().collect();
        let mut cache = ProgramCache::default();
        plan.write_part(&self.path(), (2, 7), &fixtures, &mut cache)
            .expect("writable")
    }

    /// Writes the part after a change of its content, as another build does.
    fn rewrite(&self, build: &str, change: &dyn Fn(&mut Content)) {
        self.write(Programs::Packed);
        let file = fs::read(self.path()).expect("readable");
        let part = of_bytes(&file).expect("readable");
        let games = part.fixtures.iter();
        let games = games.map(|game| serde_json::to_string(game).expect("plain data") + "\n");
        let games: String = games.collect();
        let mut header = part.header;
        change(&mut header.content);
        header.id = id(&header.content, games.as_bytes());
        let head = serde_json::to_string(&header).expect("plain data");
        let mut made = format!("{MAGIC}{FORMAT} {build}\n{head}\n{games}").into_bytes();
        made.extend(part.packed);
        let sum = hexadecimal(&Sha256::digest(&made));
        made.extend(sum.as_bytes());
        fs::write(self.path(), made).expect("writable");
    }

    #[track_caller]
    fn refuses(&self, words: &str) {
        refused(Part::read(&self.path()), words);
    }
}

#[test]
fn part_roundtrips_and_its_programs_match_build() {
    let run = Run::new();
    for programs in [
        Programs::Packed,
        Programs::Shared(run.folder.path().to_owned()),
    ] {
        let id = run.write(programs);
        let part = Part::read(&run.path()).expect("readable");
        assert_eq!((part.id(), part.number()), (id.as_str(), (2, 7)));
        assert_eq!(part.key(), &run.keys.part_key(&id));
        assert_eq!(part.toolchains(), &run.toolchains);
        let json = |fixtures: &[Fixture]| serde_json::to_string(fixtures).expect("plain data");
        assert_eq!(json(&part.fixtures), json(&run.fixtures));
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let artifacts = part.lay_out(elsewhere.path()).expect("as it was built");
        assert_eq!(artifacts.len(), 1, "nobody plays with the other");
        let artifact = &artifacts[0];
        assert!(artifact.program.starts_with(&artifact.directory));
        assert!(Path::new(&artifact.directory).starts_with(elsewhere.path()));
        let here = Path::new(&artifact.directory);
        assert!(system::kept_folder::is_intact(here).expect("readable"));
    }
}

#[test]
fn part_has_seeds_of_its_games_without_secrets() {
    let run = Run::new();
    run.write(Programs::Packed);
    let file = fs::read(run.path()).expect("readable");
    let text = String::from_utf8_lossy(&file);
    for fixture in &run.fixtures {
        assert!(text.contains(&fixture.luck.seeds[0].text()));
    }
    let keys = fs::read_to_string(run.folder.path().join("staff/keys.json")).expect("readable");
    let keys: serde_json::Value = serde_json::from_str(&keys).expect("JSON");
    for name in ["draw", "journal", "names"] {
        let secret = keys[name].as_str().expect("a secret");
        assert!(!text.contains(secret), "{name}");
    }
    let meta = fs::metadata(run.path()).expect("there");
    assert_eq!(meta.permissions().mode() & 0o777, 0o600);
}

#[test]
fn changed_truncated_or_foreign_part_file_is_refused() {
    let run = Run::new();
    run.write(Programs::Packed);
    let whole = fs::read(run.path()).expect("readable");
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(of_bytes(&changed).is_err(), "byte {place}");
    }
    for length in (0..whole.len()).step_by(7) {
        assert!(of_bytes(&whole[..length]).is_err(), "{length} bytes");
    }
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(run.path(), changed).expect("writable");
    run.refuses("it was changed after judge split wrote it, or is incomplete");
    fs::write(run.path(), "name,points\n").expect("writable");
    run.refuses("it is not a part file");
    let own = format!("{MAGIC}{FORMAT}").len();
    let other = [b"judge part 99", &whole[own..]].concat();
    fs::write(run.path(), other).expect("writable");
    run.refuses("it was written by judge 1 (1a2b) in format 99, and this judge has format");
    let file = fs::File::create(run.path()).expect("writable");
    file.set_len(1 << 42).expect("it has no content");
    let reported = Part::read(&run.path()).expect_err("refused").to_string();
    let words = "it is longer than 8589934592 bytes; give a part that judge split wrote";
    assert!(reported.ends_with(words), "{reported}");
}

#[test]
fn part_leading_outside_its_folder_is_refused() {
    let run = Run::new();
    let to = |[name, directory, program]: [&str; 3]| {
        run.rewrite("1", &|content| {
            content.folders[0].name = name.to_owned();
            content.artifacts[0].directory = directory.to_owned();
            content.artifacts[0].program = program.to_owned();
        });
        Part::read(&run.path())
    };
    assert!(to(["one", "one", "bot"]).is_ok());
    assert!(to(["one", "one", "/usr/bin/python3"]).is_ok());
    let outside = "is not where a part keeps programs";
    for places in [
        ["one", "/home/ta", "bot"],
        ["one", "other", "bot"],
        ["one", "one", "../other/bot"],
        ["one", "one", "/usr/../home/ta/bot"],
        ["one", "one", ""],
        ["../../x", "../../x", "bot"],
        ["/home/ta", "/home/ta", "bot"],
        ["one/", "one/", "bot"],
    ] {
        refused(to(places), outside);
    }
    run.rewrite("1", &|content| content.folders.clear());
    run.refuses(outside);
    run.rewrite("1", &|content| {
        content.programs = Programs::Shared("../elsewhere".into());
    });
    run.refuses(outside);
    // A zip whose content differs from its description.
    let part = to(["two", "two", "bot"]);
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let laid_out = part.expect("plain").lay_out(elsewhere.path());
    refused(laid_out, "leads outside");
}

#[test]
fn part_of_another_build_plays_if_rules_match() {
    let run = Run::new();
    for build in ["1 (1a2b)", "1 (3c4d and changes)", "0.9.0"] {
        run.rewrite(build, &|_| ());
        Part::read(&run.path()).expect("another build");
    }
    run.rewrite("1 (1a2b)", &|content| content.rules += 1);
    run.refuses("was made by judge 1 (1a2b) with rules of version 2, and");
}

#[test]
fn program_changed_before_copying_is_not_played() {
    let run = Run::new();
    run.write(Programs::Shared(run.folder.path().to_owned()));
    let part = Part::read(&run.path()).expect("readable");
    fs::write(run.folder.path().join("artifacts/one/bot"), "changed").expect("writable");
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let changed = part.lay_out(elsewhere.path());
    refused(changed, "changed after the build");
}

fn fixtures(game: &str, entrants: usize, schedule: Schedule) -> Vec<Fixture> {
    let rules = rulebook::rules::find(game).expect("registered");
    let competition = Competition {
        states: 5,
        schedule,
        ..rulebook::standard(&*rules)
    };
    let names = ["a", "b", "c", "d", "e", "f"];
    let participants = names[..entrants].iter().map(|name| Participant {
        entrant: (*name).into(),
        artifact: (*name).into(),
    });
    let participants: Vec<Participant> = participants.collect();
    let draw = Draw::public(1, FINAL);
    schedule::fixtures(&competition, &draw, &participants, None).expect("allowed")
}

fn keys<'a>(slice: &[&'a Fixture]) -> HashSet<(u32, Vec<&'a str>)> {
    slice.iter().map(|f| (f.state, f.match_key())).collect()
}

#[test]
fn every_game_shares_one_slice_with_its_group() {
    let pairs = Schedule::Pairs { self_play: true };
    let schedules = [
        ("catch-the-cat", 5, pairs),
        ("monkey-metal-man", 6, Schedule::Groups),
    ];
    for (game, entrants, schedule) in schedules {
        let fixtures = fixtures(game, entrants, schedule);
        for parts in 1..=7 {
            let slices = slices(groups(fixtures.iter(), Lifetime::Game), parts, &|_| 1.0);
            assert_eq!(slices.len(), parts);
            let ids: Vec<GameId> = slices.iter().flatten().map(|f| f.id).collect();
            let unique: HashSet<GameId> = ids.iter().copied().collect();
            assert_eq!((ids.len(), unique.len()), (fixtures.len(), fixtures.len()));
            for (index, slice) in slices.iter().enumerate() {
                let equal = fixtures.len() / parts;
                assert!(slice.len().abs_diff(equal) <= 4, "{} {equal}", slice.len());
                for other in &slices[index + 1..] {
                    assert!(keys(slice).is_disjoint(&keys(other)));
                }
            }
        }
    }
}

#[test]
fn no_slice_is_empty_for_few_or_unequal_games() {
    let fixtures = fixtures("catch-the-cat", 2, Schedule::Pairs { self_play: false });
    let cut = |lifetime| slices(groups(fixtures.iter(), lifetime), 7, &|_| 1.0).len();
    assert_eq!((cut(Lifetime::Game), cut(Lifetime::Match)), (5, 1));
    assert!(slices(groups([].into_iter(), Lifetime::Game), 3, &|_| 1.0).is_empty());
    for costs in [
        [100.0, 1.0, 1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 100.0],
        [0.0; 5],
        [0.0, 9.0, 0.0, 9.0, 0.0],
    ] {
        for parts in 1..6 {
            let groups = groups(fixtures.iter(), Lifetime::Game);
            let slices = slices(groups, parts, &|game| costs[game.state as usize]);
            assert!(slices.len() <= parts && slices.iter().all(|slice| !slice.is_empty()));
            let games = slices.iter().flatten().map(|game| game.id);
            assert!(games.eq(fixtures.iter().map(|game| game.id)), "{costs:?}");
        }
    }
    let dear = |game: &Fixture| if game.state == 0 { 4.0 } else { 1.0 };
    let halves = slices(groups(fixtures.iter(), Lifetime::Game), 2, &dear);
    assert_eq!([halves[0].len(), halves[1].len()], [2, 8]);
}
