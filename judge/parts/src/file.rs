//! The file of a part: a line that says what it is, a line with everything but the games, a line
//! for each game, the programs as zips, and the SHA-256 of all that.

use super::programs::{self, ProgramFolder, Programs, Shelf};
use error::JudgeError;
use journal::{Keys, part_games};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{read_regular, write_whole};
use words::artifact::Artifact;
use words::draw::Secret;
use words::fixture::{Conditions, Fixture};
use words::hash::{hash, hexadecimal};
use words::isolation::{Confinement, Tier};
use words::protocol;
use words::text::readable;

/// The version of the file.
const VERSION: u32 = 1;

/// What a part file begins with; its version follows.
const MAGIC: &str = "judge part ";

/// How well a machine must confine programs to play a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The least isolation tier.
    pub tier: Tier,
    /// Programs must have mounts, process ids, IPC and network of their own.
    pub namespaces: bool,
}

impl Asked {
    /// Asks for what a machine can do.
    pub const fn of(confinement: &Confinement) -> Self {
        Self {
            tier: confinement.tier,
            namespaces: confinement.namespaces,
        }
    }

    /// Checks that a machine can do it.
    ///
    /// # Errors
    /// When it cannot, with what would change that.
    pub fn admit(self, here: &Confinement) -> Result<(), JudgeError> {
        let reason = if !here.tier.reaches(self.tier) {
            format!(
                "it asks for {}, and this machine has {}",
                self.tier, here.tier
            )
        } else if self.namespaces && !here.namespaces {
            "it asks for namespaces, and programs can have none on this machine".to_owned()
        } else {
            return Ok(());
        };
        Err(JudgeError::input(format!(
            "this machine confines programs less well than the part asks for: {reason}; play it on another machine \
             (judge doctor says what one lacks), or split the run again for such machines: judge split --tier {:?}",
            here.tier
        )))
    }
}

/// A part of a run.
#[derive(Debug)]
pub struct Part {
    header: Header,
    /// The games, in the order of play.
    pub fixtures: Vec<Fixture>,
    /// The programs, a zip for each folder; empty where they are not in the file.
    packed: Vec<u8>,
}

/// Everything but the games and the programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// Which part it is: a hash of its content.
    id: String,
    /// What its journal is signed with; it follows from the run's key and `id`.
    key: Secret,
    content: Content,
}

/// What the id of a part is the hash of, with its games.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// The version of the program, and which build of it.
    judge: String,
    /// See `GameInfo::rules_version`.
    rules: u32,
    /// [`protocol::VERSION`]; not written while it is the first.
    #[serde(default = "first_protocol", skip_serializing_if = "is_first_protocol")]
    protocol: u32,
    /// [`Keys::fingerprint`] of the run.
    run: String,
    number: usize,
    of: usize,
    games: usize,
    conditions: Conditions,
    asked: Asked,
    /// See [`PartPlan::toolchains`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    toolchains: BTreeMap<String, String>,
    artifacts: Vec<Artifact>,
    folders: Vec<ProgramFolder>,
    programs: Programs,
}

/// What all parts of a run have in common.
#[derive(Clone, Debug)]
pub struct PartPlan<'a> {
    /// The version of the program that splits the run, and which build of it.
    pub build: &'a str,
    /// The run's folder, which keeps what games each part has.
    pub run: &'a Path,
    /// The keys of the run.
    pub keys: &'a Keys,
    /// The conditions of the run.
    pub conditions: &'a Conditions,
    /// What the entrants play with; each part takes those that it needs.
    pub artifacts: &'a [Artifact],
    /// How well programs must be confined.
    pub asked: Asked,
    /// The folders of interpreters that the competition names, each by its program.
    pub toolchains: &'a BTreeMap<String, String>,
    /// Where the parts find their programs.
    pub programs: Programs,
}

impl PartPlan<'_> {
    /// Begins to write parts.
    pub fn writer(&self) -> PartWriter<'_> {
        PartWriter {
            plan: self,
            shelf: Shelf::default(),
        }
    }

    /// Writes one part, see [`PartWriter::write`], which is faster where there are several.
    ///
    /// # Errors
    /// As there.
    pub fn write(
        &self,
        path: &Path,
        number: (usize, usize),
        fixtures: &[&Fixture],
    ) -> Result<String, JudgeError> {
        self.writer().write(path, number, fixtures)
    }
}

/// Writes the parts of a run.
#[derive(Debug)]
pub struct PartWriter<'a> {
    plan: &'a PartPlan<'a>,
    shelf: Shelf,
}

impl PartWriter<'_> {
    /// Writes a part, the `number`th of so many, from 1; returns its id.
    ///
    /// # Errors
    /// When a program cannot be read, or the file cannot be written.
    pub fn write(
        &mut self,
        path: &Path,
        (number, of): (usize, usize),
        fixtures: &[&Fixture],
    ) -> Result<String, JudgeError> {
        let plan = self.plan;
        let seats = fixtures.iter().flat_map(|fixture| &fixture.seats);
        let needed: HashSet<&str> = seats.map(|seat| &*seat.artifact).collect();
        let own = plan.artifacts.iter();
        let own: Vec<&Artifact> = own.filter(|one| needed.contains(&*one.hash)).collect();
        let detached = self.shelf.detached(&own, &plan.programs)?;
        let content = Content {
            judge: plan.build.to_owned(),
            protocol: protocol::VERSION,
            rules: plan.conditions.entry()?.info.rules_version,
            run: plan.keys.fingerprint(),
            number,
            of,
            games: fixtures.len(),
            conditions: plan.conditions.clone(),
            asked: plan.asked,
            toolchains: plan.toolchains.clone(),
            artifacts: detached.artifacts,
            folders: detached.folders,
            programs: plan.programs.clone(),
        };
        let mut games = Vec::new();
        for fixture in fixtures {
            serde_json::to_writer(&mut games, fixture).expect("in memory");
            games.push(b'\n');
        }
        let id = id(&content, &games);
        let ids = fixtures.iter().map(|fixture| fixture.id.as_str());
        part_games::note(plan.run, plan.keys, &id, ids)?;
        let header = Header {
            key: plan.keys.part_key(&id),
            id: id.clone(),
            content,
        };
        let mut file = format!("{MAGIC}{VERSION}\n").into_bytes();
        serde_json::to_writer(&mut file, &header).expect("in memory");
        file.push(b'\n');
        file.extend(games);
        file.extend(detached.zips);
        let sum = hexadecimal(&Sha256::digest(&file));
        file.extend(sum.as_bytes());
        write_whole(path, &file)?;
        Ok(id)
    }
}

fn id(content: &Content, games: &[u8]) -> String {
    let content = serde_json::to_vec(content).expect("plain data");
    hash(&[b"part", &content, games])
}

impl Part {
    /// Reads a part.
    ///
    /// # Errors
    /// When the file cannot be read, is no part, has been changed by as much as a byte, was made by
    /// a judge with other rules or another protocol, or its programs do not lie in folders of its own.
    pub fn read(path: &Path) -> Result<Self, JudgeError> {
        let file = read_regular(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => JudgeError::input(format!(
                "there is no file {}; give a part that judge split wrote",
                path.display()
            )),
            _ => JudgeError::io("read", path, e),
        })?;
        let part = read(&file).map_err(|reason| {
            JudgeError::input(format!("{} cannot be played: {reason}", path.display()))
        })?;
        let content = &part.header.content;
        let entry = content.conditions.entry()?;
        let own = entry.info.rules_version;
        for (what, made, own) in [
            ("rules of", content.rules, own),
            ("the protocol in", content.protocol, protocol::VERSION),
        ] {
            if made != own {
                return Err(JudgeError::input(format!(
                    "{} cannot be played: it was made by judge {} with {what} version {made}, and this judge has \
                     version {own}; play it with the judge that split the run",
                    path.display(),
                    readable(&content.judge)
                )));
            }
        }
        Ok(part)
    }

    /// Returns the id, by which the run knows its journal.
    pub fn id(&self) -> &str {
        &self.header.id
    }

    /// Returns which part it is, from 1, and of how many.
    pub const fn number(&self) -> (usize, usize) {
        (self.header.content.number, self.header.content.of)
    }

    /// Returns the conditions of its games.
    pub const fn conditions(&self) -> &Conditions {
        &self.header.content.conditions
    }

    /// Returns how well programs must be confined.
    pub const fn asked(&self) -> Asked {
        self.header.content.asked
    }

    /// Returns the folders of interpreters where the run was begun, each by its program.
    pub const fn toolchains(&self) -> &BTreeMap<String, String> {
        &self.header.content.toolchains
    }

    /// Returns what its journal is signed with.
    pub const fn key(&self) -> &Secret {
        &self.header.key
    }

    /// Returns the folder of the run where the programs are taken from there.
    pub fn shared_run(&self) -> Option<&PathBuf> {
        match &self.header.content.programs {
            Programs::Shared(run) => Some(run),
            Programs::Packed => None,
        }
    }

    /// Puts the programs below a folder, and checks that they are what was built; returns what the
    /// entrants play with there.
    ///
    /// # Errors
    /// When they are not what was built, or the folder cannot be written.
    pub fn lay_out(&self, folder: &Path) -> Result<Vec<Artifact>, JudgeError> {
        let Content {
            artifacts,
            folders,
            programs,
            ..
        } = &self.header.content;
        programs::lay_out(programs, &self.packed, folders, folder)?;
        let attached = artifacts.iter();
        attached
            .map(|one| programs::attached(one, folder))
            .collect()
    }
}

/// The digits of the sum at the end.
const SUM_DIGITS: usize = 64;

const NO_PART: &str = "it is no part file of judge split";
const CHANGED: &str =
    "it is not as judge split wrote it: it was changed, or is not whole; copy it again";

fn read(file: &[u8]) -> Result<Part, String> {
    let rest = file.strip_prefix(MAGIC.as_bytes()).ok_or(NO_PART)?;
    let (version, rest) = line(rest).ok_or(NO_PART)?;
    let version = str::from_utf8(version).map_err(|_| NO_PART)?;
    if version != VERSION.to_string() {
        let version = readable(version);
        return Err(format!(
            "it is of version {version}, and this judge reads version {VERSION}; play it with the judge that split the run"
        ));
    }
    let at = file.len().checked_sub(SUM_DIGITS).ok_or(CHANGED)?;
    let (whole, sum) = file.split_at(at);
    if hexadecimal(&Sha256::digest(whole)).as_bytes() != sum {
        return Err(CHANGED.to_owned());
    }
    let strange = |error: serde_json::Error| format!("its content is not understood ({error})");
    let rest = &rest[..rest.len() - SUM_DIGITS];
    let (head, rest) = line(rest).ok_or(CHANGED)?;
    let header: Header = serde_json::from_slice(head).map_err(|error| {
        let maker = serde_json::from_slice::<Versioned>(head);
        let maker = maker.map(|made| readable(&made.content.judge));
        match maker {
            Ok(maker) => format!(
                "it was made by judge {maker}, and this judge does not understand it ({error}); play it with the judge \
                 that split the run"
            ),
            Err(_) => strange(error),
        }
    })?;
    let (mut fixtures, mut packed) = (Vec::new(), rest);
    for _ in 0..header.content.games {
        let (fixture, after) = line(packed).ok_or(CHANGED)?;
        fixtures.push(serde_json::from_slice(fixture).map_err(strange)?);
        packed = after;
    }
    let games = &rest[..rest.len() - packed.len()];
    if id(&header.content, games) != header.id {
        return Err(CHANGED.to_owned());
    }
    let content = &header.content;
    programs::check(&content.artifacts, &content.folders, &content.programs)?;
    Ok(Part {
        fixtures,
        packed: packed.to_vec(),
        header,
    })
}

const fn first_protocol() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_first_protocol(version: &u32) -> bool {
    *version == first_protocol()
}

/// What the header of every version has.
#[derive(Deserialize)]
struct Versioned {
    content: VersionedContent,
}

#[derive(Deserialize)]
struct VersionedContent {
    judge: String,
}

/// Cuts the first line off, without its newline.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read what they have made")]
mod tests {
    use super::*;
    use competition::schedule;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use words::competition::Competition;
    use words::fixture::Participant;

    /// A run's folder with two programs, one of which nobody needs.
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
            let entry = engines::game("catch-the-cat").expect("registered");
            let competition = Competition {
                states: 3,
                ..competition::standard(entry)
            };
            let keys = Keys::make(folder.path(), false).expect("ours");
            let artifact = |name: &str| {
                let place = folder.path().join("artifacts").join(name);
                fs::create_dir_all(place.join("below")).expect("ours");
                fs::write(place.join("bot"), format!("#!/bin/sh\n# {name}\n")).expect("ours");
                fs::write(place.join("below/data"), [0, 159, 146, 150]).expect("ours");
                for (name, mode) in [("bot", 0o755), ("below/data", 0o444), ("below", 0o555)] {
                    let mode = Permissions::from_mode(mode);
                    fs::set_permissions(place.join(name), mode).expect("ours");
                }
                Artifact {
                    hash: name.to_owned(),
                    directory: place.display().to_string(),
                    program: place.join("bot").display().to_string(),
                    args: vec!["x".to_owned()],
                    tokens: None,
                    without_paths: false,
                    startup_free_ms: None,
                    forks: false,
                    toolchains: Vec::new(),
                    versions: Vec::new(),
                }
            };
            let artifacts = vec![artifact("one"), artifact("other")];
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
                asked: Asked {
                    tier: Tier::B,
                    namespaces: true,
                },
                toolchains: &self.toolchains,
                programs,
            };
            let fixtures: Vec<&Fixture> = self.fixtures.iter().collect();
            plan.writer()
                .write(&self.path(), (2, 7), &fixtures)
                .expect("ours")
        }

        fn refused(&self) -> String {
            Part::read(&self.path()).expect_err("refused").to_string()
        }
    }

    #[test]
    fn a_part_is_read_as_it_was_written_and_its_programs_are_what_was_built() {
        let run = Run::new();
        for programs in [
            Programs::Packed,
            Programs::Shared(run.folder.path().to_owned()),
        ] {
            let id = run.write(programs);
            let part = Part::read(&run.path()).expect("ours");
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
    fn a_part_has_the_seeds_of_its_games_and_no_secret_of_the_run() {
        let run = Run::new();
        run.write(Programs::Packed);
        let file = fs::read(run.path()).expect("ours");
        let text = String::from_utf8_lossy(&file);
        for fixture in &run.fixtures {
            assert!(text.contains(&fixture.luck.seeds[0].text()));
        }
        let keys = fs::read_to_string(run.folder.path().join("staff/keys.json")).expect("ours");
        let keys: serde_json::Value = serde_json::from_str(&keys).expect("JSON");
        for name in ["draw", "journal", "names"] {
            let secret = keys[name].as_str().expect("a secret");
            assert!(!text.contains(secret), "{name}");
        }
        let mode = fs::metadata(run.path())
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn one_changed_byte_is_refused_and_a_part_that_is_not_whole() {
        let run = Run::new();
        run.write(Programs::Packed);
        let whole = fs::read(run.path()).expect("ours");
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(read(&changed).is_err(), "byte {place}");
        }
        for length in (0..whole.len()).step_by(7) {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(run.path(), changed).expect("ours");
        assert!(
            run.refused().contains("it was changed, or is not whole"),
            "{}",
            run.refused()
        );
        fs::write(run.path(), "name,points\n").expect("ours");
        assert!(
            run.refused().contains("it is no part file"),
            "{}",
            run.refused()
        );
    }

    #[test]
    fn a_part_that_leads_out_of_its_folder_is_refused_however_well_it_is_made() {
        let run = Run::new();
        let to = |places: fn(&mut Content)| {
            run.write(Programs::Packed);
            let file = fs::read(run.path()).expect("ours");
            let part = read(&file[..]).expect("ours");
            let games = part.fixtures.iter().map(|fixture| {
                let text = serde_json::to_string(fixture).expect("plain data");
                text + "\n"
            });
            let games: String = games.collect();
            let mut header = part.header;
            places(&mut header.content);
            header.id = id(&header.content, games.as_bytes());
            let head = serde_json::to_string(&header).expect("plain data");
            let mut made = format!("{MAGIC}{VERSION}\n{head}\n{games}").into_bytes();
            made.extend(part.packed);
            let sum = hexadecimal(&Sha256::digest(&made));
            made.extend(sum.as_bytes());
            fs::write(run.path(), made).expect("ours");
            Part::read(&run.path())
        };
        assert!(to(|_| ()).is_ok());
        assert!(to(|content| content.artifacts[0].program = "/usr/bin/python3".into()).is_ok());
        let hostile: [fn(&mut Content); 10] = [
            |content| content.artifacts[0].directory = "/home/ta".into(),
            |content| content.artifacts[0].directory = "other".into(),
            |content| content.artifacts[0].program = "../other/bot".into(),
            |content| content.artifacts[0].program = "/usr/../home/ta/bot".into(),
            |content| content.artifacts[0].program = String::new(),
            |content| content.folders.clear(),
            |content| {
                content.folders[0].name = "../../x".into();
                content.artifacts[0].directory = "../../x".into();
            },
            |content| {
                content.folders[0].name = "/home/ta".into();
                content.artifacts[0].directory = "/home/ta".into();
            },
            |content| {
                content.folders[0].name = "one/".into();
                content.artifacts[0].directory = "one/".into();
            },
            |content| content.programs = Programs::Shared("../elsewhere".into()),
        ];
        for (places, row) in hostile.into_iter().zip(1..) {
            let told = to(places).expect_err("refused").to_string();
            assert!(told.contains("is not where the programs"), "{row}: {told}");
        }
        // A zip that has something else than it says.
        let part = to(|content| {
            content.folders[0].name = "two".into();
            content.artifacts[0].directory = "two".into();
        });
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let told = part.expect("plain").lay_out(elsewhere.path());
        let told = told.expect_err("another folder").to_string();
        assert!(told.contains("leads outside"), "{told}");
    }

    #[test]
    fn a_part_of_another_version_is_refused() {
        let run = Run::new();
        run.write(Programs::Packed);
        let whole = fs::read(run.path()).expect("ours");
        let later = [b"judge part 2\n", &whole[b"judge part 1\n".len()..]].concat();
        fs::write(run.path(), later).expect("ours");
        let told = run.refused();
        assert!(
            told.contains("it is of version 2, and this judge reads version 1"),
            "{told}"
        );
    }

    #[test]
    fn a_part_of_another_build_is_played_where_rules_and_protocol_are_the_same() {
        let run = Run::new();
        run.write(Programs::Packed);
        let whole = fs::read(run.path()).expect("ours");
        let part = Part::read(&run.path()).expect("ours");
        let write = |change: &dyn Fn(&mut Content)| {
            let mut header = part.header.clone();
            change(&mut header.content);
            let lines = whole.iter().enumerate();
            let ends = lines.filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
            let ends: Vec<usize> = ends.take(2 + part.fixtures.len()).collect();
            let games = &whole[ends[1] + 1..=ends[ends.len() - 1]];
            header.id = id(&header.content, games);
            let mut file = whole[..=ends[0]].to_vec();
            serde_json::to_writer(&mut file, &header).expect("in memory");
            file.extend(&whole[ends[1]..whole.len() - SUM_DIGITS]);
            let sum = hexadecimal(&Sha256::digest(&file));
            file.extend(sum.as_bytes());
            fs::write(run.path(), file).expect("ours");
        };
        for build in ["1 (1a2b)", "1 (3c4d and changes)", "0.9.0"] {
            write(&|content| content.judge = build.to_owned());
            let part = Part::read(&run.path()).expect("another build");
            assert_eq!(part.header.content.judge, build);
        }
        write(&|content| content.rules += 1);
        let told = run.refused();
        assert!(
            told.contains("was made by judge 1 (1a2b) with rules of version 2, and"),
            "{told}"
        );
        write(&|content| content.protocol += 1);
        let told = run.refused();
        assert!(
            told.contains("with the protocol in version 2, and this"),
            "{told}"
        );
        let header = String::from_utf8_lossy(&whole);
        assert!(
            !header.contains("protocol"),
            "it is not written while it is the first"
        );
    }

    #[test]
    fn a_program_that_was_changed_before_it_was_copied_is_not_played() {
        let run = Run::new();
        run.write(Programs::Shared(run.folder.path().to_owned()));
        let part = Part::read(&run.path()).expect("ours");
        fs::write(run.folder.path().join("artifacts/one/bot"), "changed").expect("ours");
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let told = part
            .lay_out(elsewhere.path())
            .expect_err("changed")
            .to_string();
        assert!(told.contains("is not what was built"), "{told}");
    }

    #[test]
    fn a_machine_that_confines_less_well_is_refused_with_what_would_change_that() {
        let machine = |tier: &str, namespaces: bool| {
            let text = format!(
                r#"{{"tier":"{tier}","landlock_version":1,"seccomp":true,"ids":null,"namespaces":{namespaces}}}"#
            );
            serde_json::from_str::<Confinement>(&text).expect("plain data")
        };
        let asked = Asked {
            tier: Tier::A,
            namespaces: true,
        };
        for better in ["S", "A"] {
            assert!(asked.admit(&machine(better, true)).is_ok());
        }
        let told = asked
            .admit(&machine("B", true))
            .expect_err("less")
            .to_string();
        assert!(told.contains("judge split --tier B"), "{told}");
        let told = asked
            .admit(&machine("S", false))
            .expect_err("less")
            .to_string();
        assert!(told.contains("it asks for namespaces"), "{told}");
    }
}
