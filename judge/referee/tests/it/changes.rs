//! Every change in a record gives a difference, except where the record alone cannot show it. This
//! file lists the exceptions.

use crate::games::{GAMES, Scene, refereed, rules_of};
use crate::players::{Crime, Misdeed, Seating};
use engines::{Lifetime, Seat};
use model::clock::ClockMode;
use model::competition::FINAL;
use model::draw::Draw;
use model::fault::Phase;
use model::fixture::{Conditions, Fixture, Participant};
use model::record::{MatchRecord, TurnRecord};
use referee::table::{RecordedPart, Seated};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::Range;

/// Why a change can go unnoticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Excuse {
    /// The fixture is compared elsewhere.
    Fixture,
    /// The result is another possible game, and the record is consistent to the end.
    AnotherGame,
    /// The bot's own name.
    Says,
    /// The bot's output or the way it ended, where the rules and the clock do not determine it.
    Evidence,
    /// Another cause that the rules treat alike and that leaves the same evidence.
    CauseAlike,
    /// Whether a bot that is gone failed to greet or to get ready for the game.
    PhaseAlike,
    /// A measurement that is part of no recorded sum.
    Measured,
    /// The part of the charge that was used off turn.
    OffTurn,
    /// The machine's state: whether it was overloaded, whether the bot was stopped.
    Machine,
    /// The initialisation is charged, and only the sum includes it.
    Initialisation,
}

/// All changes that go unnoticed, besides other games: the record alone cannot show them.
const UNNOTICED: [&str; 9] = [
    "Fixture: draw, seats artifact, seats entrant, seats seed, state",
    "Says: seats says",
    "Evidence: faults detail, faults exit code, faults exit left out, faults exit signal, \
     faults line, faults raised left out",
    "CauseAlike: faults cause",
    "PhaseAlike: faults phase",
    "Measured: faults cpu_us, faults wall_us, seats startup_wall_us, seats uncharged_us",
    "OffTurn: seats off_turn_us",
    "Machine: overloaded, seats suspended",
    "Initialisation: seats cpu_us, seats wall_us, turns",
];

/// A record with one change.
struct Change {
    /// The place of the change, or its description.
    path: String,
    text: String,
}

/// Lists the values without parts in a part of a JSON text: the keys and indices that lead to
/// each, such as `turns.3.0`, and its byte range in the text.
fn leaves(text: &str, part: &str, path: String, found: &mut Vec<(String, Range<usize>)>) {
    let below = |key: &dyn Display| match &*path {
        "" => key.to_string(),
        _ => format!("{path}.{key}"),
    };
    if part.starts_with('{') {
        let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(part).expect("an object");
        for (key, field) in fields {
            leaves(text, field.get(), below(&key), found);
        }
    } else if part.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(part).expect("a list");
        for (index, item) in items.into_iter().enumerate() {
            leaves(text, item.get(), below(&index), found);
        }
    } else {
        let start = part.as_ptr().addr() - text.as_ptr().addr();
        found.push((path, start..start + part.len()));
    }
}

const NAMES: [&str; 4] = [
    "hello start turn",
    "won drawn lost",
    "black white",
    "illegal-move malformed time silence crash memory exit closed flood unasked threads",
];

/// Lists the replacements of a leaf.
fn others(leaf: &str) -> Vec<String> {
    if let Ok(number) = leaf.parse::<i128>() {
        let others = [number + 1, number - 1, number + 1_000_000_000, 0, -number];
        let others = BTreeSet::from(others).into_iter();
        return others
            .filter(|&n| n != number)
            .map(|n| n.to_string())
            .collect();
    }
    match leaf {
        "true" => return vec!["false".to_owned()],
        "false" => return vec!["true".to_owned()],
        "null" => return vec!["0".to_owned(), "[0,1]".to_owned()],
        _ => {}
    }
    let inner = leaf.trim_matches('"');
    let mut others = vec![format!("\"{inner}x\""), "\"\"".to_owned()];
    for names in NAMES.map(|names| names.split(' ')) {
        if names.clone().any(|name| name == inner) {
            let names = names.filter(|&name| name != inner);
            others.extend(names.map(|name| format!("\"{name}\"")));
        }
    }
    // Boards: one cell is replaced by another.
    let is_board = inner.len() > 4 && inner.bytes().all(|byte| b"01.BWRYFO ".contains(&byte));
    for (at, cell) in inner.char_indices().filter(|_| is_board) {
        for other in ['0', '1', '.', 'B', 'W', 'R', 'Y', 'F', 'O'] {
            if cell != other {
                let mut changed = inner.to_owned();
                changed.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
                others.push(format!("\"{changed}\""));
            }
        }
    }
    others.retain(|other| other != leaf);
    others
}

/// Lists every change of one leaf.
fn leaf_changes(text: &str) -> Vec<Change> {
    let (mut all, mut changes) = (Vec::new(), Vec::new());
    leaves(text, text, String::new(), &mut all);
    for (path, range) in all {
        for other in others(&text[range.clone()]) {
            let mut new = text.to_owned();
            new.replace_range(range.clone(), &other);
            let path = path.clone();
            changes.push(Change { path, text: new });
        }
    }
    changes
}

/// Lists every change of a list: an item left out, repeated or swapped; the list cut off or
/// emptied.
fn list_changes(text: &str, conditions: &Conditions) -> Vec<Change> {
    let record: MatchRecord = serde_json::from_str(text).expect("a record");
    let mut changes = Vec::new();
    let mut change = |at: &str, what: &str, change: &dyn Fn(&mut MatchRecord)| {
        let mut other = record.clone();
        change(&mut other);
        changes.push(Change {
            path: format!("{at}{what}"),
            text: serde_json::to_string(&other).expect("plain data"),
        });
    };
    for (index, turn) in record.turns.iter().enumerate() {
        let at = format!("turns.{index}");
        change(&at, " left out", &|r| drop(r.turns.remove(index)));
        change(&at, " twice", &|r| r.turns.insert(index, turn.clone()));
        change(&at, " cut off", &|r| r.turns.truncate(index));
        if index > 0 {
            change(&at, " swapped", &|r| r.turns.swap(index - 1, index));
        }
        if turn.mv.is_some() {
            change(&at, " without its move", &|r| r.turns[index].mv = None);
        }
    }
    for (index, fault) in record.faults.iter().enumerate() {
        let at = format!("faults.{index}");
        change(&at, " left out", &|r| drop(r.faults.remove(index)));
        change(&at, " twice", &|r| r.faults.insert(index, fault.clone()));
        change(&at, " exit left out", &|r| r.faults[index].exit = None);
        change(&at, " line left out", &|r| r.faults[index].line = None);
        change(&at, " went_short", &|r| r.faults[index].went_short ^= true);
        change(&at, " raised left out", &|r| r.faults[index].raised = None);
    }
    for (index, seat) in record.seats.iter().enumerate() {
        let at = format!("seats.{index}");
        change(&at, " left out", &|r| drop(r.seats.remove(index)));
        change(&at, " twice", &|r| r.seats.insert(index, seat.clone()));
        change(&at, ".says", &|r| r.seats[index].bot_name = None);
        change(&at, ".suspended", &|r| r.seats[index].suspended ^= true);
        change(&at, " without an outcome", &|r| {
            r.outcome.seats.remove(index);
        });
        if index > 0 {
            let swap = |r: &mut MatchRecord| r.outcome.seats.swap(index - 1, index);
            change(&at, " swapped in the outcome", &swap);
        }
    }
    change("overloaded", "", &|r| r.overloaded ^= true);
    // Every other legal move, and one illegal move, in place of each.
    let entry = engines::game(&conditions.game).expect("registered");
    let mut game = entry.start(&record.setup).expect("a setup");
    for (index, turn) in record.turns.iter().enumerate() {
        let Some(mv) = &turn.mv else { break };
        let legal = game.legal_moves(turn.seat).into_iter().take(12);
        let mut games = GAMES.iter();
        let (.., illegal) = games.find(|game| game.0 == record.game).expect("one");
        for other in legal.chain([(*illegal).to_owned(), format!(" {mv}")]) {
            if other == mv.get() {
                continue;
            }
            let text = serde_json::to_string(turn).expect("plain data");
            let text = text.replacen(mv.get(), &other, 1);
            let other: TurnRecord = serde_json::from_str(&text).expect("a turn");
            let at = format!("turns.{index}");
            change(&at, " another move", &|r| r.turns[index] = other.clone());
        }
        if game.play(turn.seat, mv.get()).is_err() {
            break;
        }
    }
    changes
}

/// Returns whether the real table, given the moves and times of a record, writes the same turns,
/// faults, end and outcome.
fn is_what_the_table_writes(conditions: &Conditions, record: &MatchRecord) -> bool {
    let seats = record.seats.iter().enumerate();
    let parts = seats.map(|(index, _)| RecordedPart::of(record, Seat::new(index), "a seat"));
    let participant = Participant {
        entrant: "x".into(),
        artifact: "x".into(),
    };
    let fixture = Fixture {
        id: record.fixture,
        state: record.state,
        seats: vec![participant; record.seats.len()].into(),
        setup: record.setup.clone().into(),
        luck: Draw::public(1, FINAL)
            .state(0)
            .luck(record.seats.len())
            .into(),
        number: 0,
        later: engines::Seats::NONE,
        unready: None,
    };
    let parts: Vec<RecordedPart> = parts.collect();
    let mut players = Seating(|seat: Seat| Seated {
        player: Box::new(parts[seat.index()].player()),
        ready: None,
        startup_free_ms: None,
    });
    let Ok(played) =
        referee::table::play(&*rules_of(conditions), &fixture, conditions, &mut players)
    else {
        return false;
    };
    let json = |record: &MatchRecord| {
        let mut faults = record.faults.clone();
        // Ghosts take no time to start.
        for fault in faults.iter_mut().filter(|fault| fault.phase != Phase::Turn) {
            (fault.cpu_us, fault.wall_us) = (0, 0);
        }
        let MatchRecord {
            turns,
            end,
            outcome,
            ..
        } = record;
        serde_json::to_string(&(turns, faults, end, outcome)).expect("plain data")
    };
    json(&played.record) == json(record)
}

/// Returns why a change may go unnoticed, if it may.
fn excuse(
    scene: &Scene,
    change: &Change,
    before: &MatchRecord,
    after: &MatchRecord,
) -> Option<Excuse> {
    let path = change.path.as_str();
    let last = path.rsplit('.').next().unwrap_or(path);
    let top = path.split('.').next().unwrap_or(path);
    let (is_turn, is_fault) = (top == "turns", top == "faults");
    let is_time = is_turn && (last == "2" || last == "3");
    let is_charge = is_time || (top == "seats" && matches!(last, "cpu_us" | "wall_us"));
    let is_possible = || is_what_the_table_writes(&scene.conditions(), after);
    let because = |is_so: bool, excuse| is_so.then_some(excuse);
    match last {
        "state" | "entrant" | "artifact" | "draw" | "seed" => Some(Excuse::Fixture),
        "says" => Some(Excuse::Says),
        "uncharged_us" | "startup_wall_us" => Some(Excuse::Measured),
        "off_turn_us" => Some(Excuse::OffTurn),
        "suspended" | "overloaded" => Some(Excuse::Machine),
        "detail" | "line" | "raised" | "code" | "signal" => Some(Excuse::Evidence),
        "cause" => because(is_fault && is_possible(), Excuse::CauseAlike),
        "phase" => because(is_possible(), Excuse::PhaseAlike),
        "cpu_us" | "wall_us" if is_fault => {
            because(before.faults[0].phase != Phase::Turn, Excuse::Measured)
        }
        _ if is_fault && after.faults.len() == before.faults.len() && last.contains(' ') => {
            Some(Excuse::Evidence)
        }
        _ if is_charge => because(scene.charge_start, Excuse::Initialisation),
        _ if is_turn || is_fault || top == "setup" => because(is_possible(), Excuse::AnotherGame),
        _ => None,
    }
}

/// The result of changing records.
#[derive(Debug, Default)]
struct Tally {
    changes: usize,
    unnoticed: BTreeMap<Excuse, BTreeSet<String>>,
}

fn change_everything(scene: &Scene, tally: &mut Tally) {
    let conditions = scene.conditions();
    let before = scene.play();
    let text = serde_json::to_string(&before).expect("plain data");
    let mut changes = leaf_changes(&text);
    changes.extend(list_changes(&text, &conditions));
    let plies = before.turns.len();
    let is_looked_at = |change: &Change| {
        let mut path = change.path.split(['.', ' ']);
        let top = path.next();
        let index = path.next().and_then(|index| index.parse().ok());
        let is_far = |ply: usize| ply > 2 && ply + 3 < plies;
        // Each long game is changed everywhere only once.
        scene.crimes.is_empty()
            || !(top == Some("setup") || (top == Some("turns") && index.is_some_and(is_far)))
    };
    changes.retain(|change| change.text != text && is_looked_at(change));
    for change in &changes {
        tally.changes += 1;
        let Ok(after) = serde_json::from_str::<MatchRecord>(&change.text) else {
            continue;
        };
        let differences = refereed(&conditions, &after);
        let is_move = change.path.starts_with("turns.") && change.path.ends_with(" another move");
        if is_move && scene.crimes.is_empty() {
            let is_possible = is_what_the_table_writes(&conditions, &after);
            let is_clean = differences.is_empty();
            assert_eq!(is_clean, is_possible, "{differences:?} in {}", change.text);
        }
        if !differences.is_empty() {
            continue;
        }
        let Change { path, text: new } = change;
        let excuse = excuse(scene, change, &before, &after);
        let excuse =
            excuse.unwrap_or_else(|| panic!("{path} goes unnoticed in {scene:?}\n{text}\n{new}"));
        let path = path.split(['.', ' ']);
        let path: Vec<&str> = path.filter(|part| part.parse::<u32>().is_err()).collect();
        let paths = tally.unnoticed.entry(excuse).or_default();
        paths.insert(path.join(" "));
    }
}

/// Lists the games to change: an honest one of each game, and one for each misdeed in each phase.
fn scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for (game, (slug, ..)) in GAMES.iter().enumerate() {
        let info = &engines::game(slug).expect("registered").info;
        let honest = Scene {
            charge_start: info.time.charge_start,
            ..Scene::of(game)
        };
        for misdeed in Misdeed::ALL {
            for (phase, number) in [(Phase::Hello, 0), (Phase::Start, 0), (Phase::Turn, 1)] {
                let mut scene = honest.clone();
                // Two special cases, once each: a bot that fails when it is started for its second
                // turn, and a clock that counts wall time and runs out.
                let is_second_start = game == 0 && phase == Phase::Hello;
                if is_second_start {
                    scene.lifetime = Lifetime::Turn;
                }
                if game == 1 && misdeed == Misdeed::Late {
                    scene.mode = ClockMode::Wall;
                }
                if scene.allows(phase, misdeed) {
                    scenes.push(scene.with(Crime {
                        seat: 1,
                        phase,
                        number: number + u32::from(is_second_start),
                        misdeed,
                    }));
                }
            }
        }
        scenes.push(honest);
    }
    scenes
}

#[test]
fn any_record_change_is_detected_or_excused() {
    let mut tally = Tally::default();
    for scene in scenes() {
        change_everything(&scene, &mut tally);
    }
    assert!(tally.changes > 50_000, "{}", tally.changes);
    // Other possible games may differ in any place.
    tally
        .unnoticed
        .remove(&Excuse::AnotherGame)
        .expect("some are");
    let line = |(excuse, paths): (Excuse, BTreeSet<String>)| {
        let paths: Vec<String> = paths.into_iter().collect();
        format!("{excuse:?}: {}", paths.join(", "))
    };
    let unnoticed: Vec<String> = tally.unnoticed.into_iter().map(line).collect();
    assert_eq!(unnoticed, UNNOTICED);
}
