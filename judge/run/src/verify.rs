//! Inspection of a run's folder, the staff's own.

use crate::commands::shown;
use crate::game::open_kept;
use crate::past_run::{PastRun, did_you_mean_run};
use crate::tournament::Startups;
use intake::find_kept_program;
use model::builtin::is_builtin;
use model::numbers::counted;
use referee::verify::WordsKnown;
use report::verify::{
    DrawnStates, Expected, Inspection, Records, check_manifest, files, players, refused,
};
use report::{PlayedRun, html, write_results};
use rulebook::{IoContext, JudgeError, Result};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use store::manifest::{DrawLine, Manifest};
use store::{Findings, Games, Inspector, Keys, is_being_played};
use system::foreign::ForeignFolder;
use system::kept_folder;
use system::run_folder::{ARTIFACTS, JOURNAL, LOCK, MANIFEST};

/// Checks the whole folder of a run, and changes nothing in it.
pub fn verify(opened: &ForeignFolder, stop: &AtomicBool, inspection: &mut Inspection) -> Result {
    let place = shown(opened.path());
    for name in [MANIFEST, JOURNAL] {
        if !files::is_there(opened, name) {
            let meant = did_you_mean_run(Path::new(&place));
            return Err(refused(
                &place,
                &format!("it has no {name}{meant}; give a run folder or a view of a run"),
            ));
        }
    }
    let folder = opened.path().to_owned();
    let text = files::text(opened, MANIFEST)?;
    let manifest = Manifest::of_text(text.as_bytes(), &folder.join(MANIFEST))?;
    open_kept(&folder, &manifest.competition)?;
    files::open(opened, JOURNAL)?;
    let keys = Keys::of_run(&folder)?;
    let past = PastRun {
        folder,
        manifest,
        keys,
    };
    inspect_manifest(&text, &past, inspection)?;
    let (seats, draw) = (check_manifest(&past.manifest)?, past.draw());
    let competition = &past.manifest.competition;
    let drawn = DrawnStates::of(competition, seats, &draw)?;
    let goes_on = is_being_played(&past.folder);
    let expected = Expected::new(&competition.conditions, WordsKnown::All, drawn)?;
    let mut records = Records::default();
    let mut not_started = BTreeSet::new();
    let counted_in = (&mut records, &mut not_started);
    let (games, played) = inspect_journal(&past, &expected, counted_in, inspection)?;
    inspect_startups(&not_started, &past, &games, inspection)?;
    let can_be_added = records.summarize(inspection);
    inspect_programs(&past.folder, &past.manifest, inspection)?;
    let all = games.listed().len();
    if played < all {
        let why = if goes_on {
            "the run is still in progress"
        } else {
            "the run was interrupted, or they are damaged; rerun the same judge run command to play them"
        };
        inspection.note(format!(
            "{} of {} are not in the journal: {why}",
            all - played,
            counted(all, "game")
        ));
    }
    let mut checked = vec![MANIFEST.to_owned(), JOURNAL.to_owned()];
    if goes_on {
        inspection.note(
            "another judge is working on this folder and writes tables and page when it ends, so they were not compared",
        );
    } else if can_be_added {
        match compare_files(opened, &past.as_played(&games), stop, inspection) {
            Ok(names) => checked.extend(names),
            Err(error) => files::failed(error, inspection)?,
        }
    } else {
        inspection.note("tables and page are not made again from such numbers");
    }
    note_unchecked(opened, &checked, inspection)
}

fn inspect_manifest(text: &str, past: &PastRun, inspection: &mut Inspection) -> Result {
    let PastRun { manifest, keys, .. } = past;
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    let draw = DrawLine::new(&manifest.competition, keys);
    let (now, version) = (&manifest.draw, rules.info().rules_version);
    let facts = [
        ("rules", json!(version), json!(manifest.rules)),
        ("keys", json!(keys.fingerprint()), json!(manifest.keys)),
        (
            "mac",
            json!(manifest.expected_mac(keys)),
            json!(manifest.mac),
        ),
        ("draw.source", json!(draw.source), json!(now.source)),
        (
            "draw.resamples",
            json!(draw.resamples),
            json!(now.resamples),
        ),
        ("draw.states", json!(draw.states), json!(now.states)),
    ];
    let mut differ = 0;
    for (field, expected, found) in &facts {
        if expected != found {
            differ += 1;
            inspection.differs(format!(
                "{MANIFEST}, {field}: expected {expected}, found {found}"
            ));
        }
    }
    if text.as_bytes() != manifest.text() {
        differ += 1;
        inspection.differs(format!(
            "{MANIFEST}: it is not formatted as judge writes it"
        ));
    }
    inspection.row("keys and draw", facts.len() + 1, "fact", differ);
    Ok(())
}

fn inspect_journal(
    past: &PastRun,
    expected: &Expected<'_>,
    (records, not_started): (&mut Records, &mut BTreeSet<String>),
    inspection: &mut Inspection,
) -> Result<(Games, usize)> {
    let (mut played, mut others) = (0, 0);
    let inspector = Inspector {
        // Every scheduled game has the draw of its state, because its id depends on it.
        inspect: &|record| {
            let is_drawn = expected.drawn.has(record.state, &record.draw);
            expected.check(record, is_drawn)
        },
        take: &mut |line, game, checked| {
            let checked = checked?;
            let number = game.map_or_else(String::new, |game| format!(", game {game}"));
            records.add(&format!("line {line}{number}"), &checked, inspection);
            match game {
                Some(_) => {
                    played += 1;
                    not_started.extend(checked.not_started);
                }
                None => others += 1,
            }
            Ok(())
        },
    };
    let games = Games::inspect(&past.folder, expected.conditions, past.ids()?, inspector)?;
    let Findings {
        damaged,
        missing_before,
        is_cut_off,
    } = &games.findings;
    for line in damaged {
        inspection.differs(format!("line {}: {}", line.number, line.reason));
    }
    for number in missing_before {
        inspection.differs(format!("line {number}: lines before it are missing"));
    }
    if *is_cut_off {
        inspection.differs(format!("{JOURNAL}: it is shorter than when the run ended"));
    }
    let differ = damaged.len() + missing_before.len() + usize::from(*is_cut_off);
    inspection.row("journal", games.len() + damaged.len(), "line", differ);
    if others > 0 {
        inspection.note(format!(
            "{} of the journal belong to earlier submissions or rounds, and are in no table",
            counted(others, "line")
        ));
    }
    Ok((games, played))
}

fn inspect_startups(
    not_started: &BTreeSet<String>,
    past: &PastRun,
    games: &Games,
    inspection: &mut Inspection,
) -> Result {
    if not_started.is_empty() {
        return Ok(());
    }
    let fixtures = past.fixtures()?;
    let startups = Startups::of(&fixtures, games)?;
    // In a watch, arrivals change which games are a bot's first ones.
    let wrong = not_started.iter();
    for name in wrong.filter(|name| startups.became_ready(name)) {
        inspection.differs(format!(
            "{JOURNAL}: {name} was not started in some games, and became ready in another"
        ));
    }
    Ok(())
}

fn compare_files(
    opened: &ForeignFolder,
    run: &PlayedRun<'_>,
    stop: &AtomicBool,
    inspection: &mut Inspection,
) -> Result<Vec<String>> {
    let fresh = files::temporary_folder()?;
    let is_full = run.folder.join(html::GAMES_FOLDER).is_dir();
    write_results(run, fresh.path(), is_full.then_some(stop))?;
    let made = files::open_made(fresh.path())?;
    let names = report::names(&made)?;
    let found = (opened, &*run.manifest.judge);
    files::compare(found, &made, &names, inspection)?;
    Ok(names)
}

fn note_unchecked(
    folder: &ForeignFolder,
    checked: &[String],
    inspection: &mut Inspection,
) -> Result {
    let is_checked = |name: &str| {
        checked
            .iter()
            .any(|path: &String| path.split('/').next() == Some(name))
    };
    let mut names = Vec::new();
    let all = folder.sorted_names(report::ENTRIES_MAX);
    for name in all.or_io("read", folder.path())? {
        let name = name.to_string_lossy().into_owned();
        if !is_checked(&name) && ![ARTIFACTS, LOCK].contains(&name.as_str()) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        inspection.note(format!("not checked: {}", names.join(", ")));
    }
    Ok(())
}

fn inspect_programs(folder: &Path, manifest: &Manifest, inspection: &mut Inspection) -> Result {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    let players = players(manifest);
    let (mut differ, mut closed) = (0, 0);
    for player in &players {
        let (name, hash) = (&*player.entrant, &*player.artifact);
        let kept = if is_builtin(name) {
            crate::builtin::find_kept(&*rules, name, hash, folder)
        } else if is_hash(hash) {
            find_kept_program(hash, folder)
        } else {
            Ok(None)
        };
        let reason = match kept {
            Ok(Some(_)) => continue,
            Ok(None) if has_its_content(name, hash, folder)? => {
                closed += 1;
                continue;
            }
            Ok(None) => "it is missing, or has changed since the build".to_owned(),
            Err(JudgeError::Input(reason)) => reason,
            Err(error) => return Err(error),
        };
        differ += 1;
        inspection.differs(format!("artifacts, the program of {name}: {reason}"));
    }
    inspection.row("programs", players.len(), "program", differ);
    if closed > 0 {
        inspection.note(format!(
            "the files of {} have other permissions than those of the build, as after a copy; their content is unchanged, \
             and judge run builds them again",
            counted(closed, "program")
        ));
    }
    Ok(())
}

/// Returns whether only the permissions of a program have changed.
fn has_its_content(name: &str, hash: &str, run: &Path) -> Result<bool> {
    if is_builtin(name) {
        return crate::builtin::has_kept_content(name, hash, run);
    }
    let place = run.join(ARTIFACTS).join(hash);
    Ok(is_hash(hash) && kept_folder::has_noted_content(&place).unwrap_or(false))
}

/// Other names could lead out of the folder.
fn is_hash(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
