//! The round that is due, whether it is played, and whether the views are frozen; and what a watch
//! remembers of that in the run's folder.

use crate::tournament::EndedBots;
use jiff::{SignedDuration, Timestamp};
use model::competition::{Competition, Every, FINAL, WatchSettings};
use model::lateness::Deadlines;
use rulebook::{IoContext, JudgeError, Result, refuse};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use system::files::{if_there, make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;

const PRACTICE: &str = "practice/";

/// From an edit that moves the end of submissions to the final round: a mistake can be corrected.
const EDIT_HOLDS: SignedDuration = SignedDuration::from_mins(10);

#[derive(Clone, Debug)]
pub(super) struct Calendar {
    settings: WatchSettings,
    /// The number of the first practice round; none: one round on a public draw, without an end.
    practice: Option<u32>,
    /// When practice ends and the final round begins, if there is one.
    closes: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// More rounds may come.
    Open,
    /// An edit has moved the end to a near or past time; the last round waits until this time.
    AwaitsEdit(Timestamp),
    /// This is the last round: nothing is received any more.
    Last,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) round: String,
    /// When it began. Entrants who submitted later are newcomers.
    pub(super) round_began: Timestamp,
    pub(super) stage: Stage,
    pub(super) plays: bool,
    pub(super) frozen: bool,
}

impl Due {
    pub(super) fn is_last(&self) -> bool {
        self.stage == Stage::Last
    }
}

impl Calendar {
    pub(super) fn of(
        settings: &WatchSettings,
        competition: &Competition,
        deadlines: &Deadlines,
    ) -> Result<Self> {
        let first = competition
            .round
            .strip_prefix(PRACTICE)
            .and_then(|number| number.parse().ok());
        let closes = deadlines.last_that_counts();
        let practice = first.or(closes.map(|_| 1));
        if practice.is_none() && competition.seed.is_none() {
            return refuse(
                "--watch plays the final round on its secret draw once, at the deadline, but the competition has \
                 no deadline: add deadline = 2026-12-24T18:00:00+01:00 and too_late = \"ungraded\" to its file, \
                 or round = \"practice/1\" to play practice rounds only (judge competition GAME prints such a \
                 file; pass it with --competition); or give --seed 1, for practice on a public draw",
            );
        }
        Ok(Self {
            settings: settings.clone(),
            practice,
            closes,
        })
    }

    pub(super) fn words(&self, due: &Due) -> String {
        let closes = self.closes;
        match due.stage {
            Stage::Last if closes.is_some_and(|closes| closes <= due.round_began) => {
                let closes = shown(closes);
                format!("submissions closed at {closes}, so the final round is played at once")
            }
            Stage::Last => format!(
                "the final round began at {}, so the later change of the deadline does not count; for a new contest \
                 give the same command another --out",
                shown(Some(due.round_began))
            ),
            Stage::AwaitsEdit(begins) => format!(
                "the deadline or an extension was edited: submissions now close at {} (late hours included), and the \
                 final round begins at {}; to prevent that, write a later deadline before then",
                shown(closes),
                shown(Some(begins))
            ),
            Stage::Open if closes.is_some() => {
                format!("practice until {}, then the final round", shown(closes))
            }
            Stage::Open => match self.practice {
                None => "games on a public seed, until you end it".to_owned(),
                Some(_) => "practice rounds, until you end it".to_owned(),
            },
        }
    }

    /// Notes in `memory` what cannot be undone. `is_revealed`: the draw is public by now.
    pub(super) fn due(&self, now: Timestamp, is_revealed: bool, memory: &mut Memory) -> Due {
        let freeze = self.settings.freeze;
        let is_time = freeze.is_some_and(|freeze| now >= freeze);
        if is_time {
            memory.frozen = freeze;
        }
        let is_remembered = freeze.is_some() && memory.frozen == freeze;
        let frozen = (is_time || is_remembered) && !is_revealed;
        let begins = self.last_round_begins(now, memory);
        let is_closed = begins.is_some_and(|begins| now >= begins);
        if is_closed && memory.last_round_began.is_none() {
            memory.last_round_began = Some(now);
        }
        if let Some(round_began) = memory.last_round_began {
            return Due {
                round: FINAL.to_owned(),
                round_began,
                stage: Stage::Last,
                plays: true,
                frozen,
            };
        }
        Due {
            round: self.round(now, memory),
            round_began: memory.round_began,
            stage: match begins {
                Some(begins) if Some(begins) > self.closes => Stage::AwaitsEdit(begins),
                Some(_) | None => Stage::Open,
            },
            plays: self.plays(now, memory),
            frozen,
        }
    }

    /// Returns when the last round begins, and notes an edit that moves the end of submissions.
    fn last_round_begins(&self, now: Timestamp, memory: &mut Memory) -> Option<Timestamp> {
        let closes = self.closes;
        let edited = match memory.closing {
            None => None,
            Some(known) if known.closes == closes => {
                // A clock that was wrong then causes no further delay.
                known.edited.map(|edited| edited.min(now))
            }
            Some(_) => Some(now),
        };
        memory.closing = Some(KnownClosing { closes, edited });
        let closes = closes?;
        let corrected = edited.and_then(|edited| edited.checked_add(EDIT_HOLDS).ok());
        Some(corrected.map_or(closes, |corrected| corrected.max(closes)))
    }

    fn round(&self, now: Timestamp, memory: &mut Memory) -> String {
        let Some(first) = self.practice else {
            return FINAL.to_owned();
        };
        if let Some(length_s) = self.settings.round_s.map(i64::from) {
            let gone_s = now.as_second() - memory.round_began.as_second();
            let rounds = (gone_s / length_s).max(0);
            let began = memory.round_began.as_second() + rounds * length_s;
            memory.round_began = Timestamp::from_second(began).unwrap_or(now);
            memory.rounds_gone += u32::try_from(rounds).unwrap_or(0);
        }
        format!("{PRACTICE}{}", first.saturating_add(memory.rounds_gone))
    }

    fn plays(&self, now: Timestamp, memory: &Memory) -> bool {
        let every = self.settings.every;
        let since = every.since(now);
        every == Every::AtOnce || since.is_some_and(|since| since > memory.played_until)
    }

    pub(super) fn has_played(&self, now: Timestamp, memory: &mut Memory) {
        if let Some(since) = self.settings.every.since(now) {
            memory.played_until = memory.played_until.max(since);
        }
    }
}

fn shown(time: Option<Timestamp>) -> String {
    time.map_or_else(String::new, |time| {
        time.round(jiff::Unit::Second).unwrap_or(time).to_string()
    })
}

const FILE_NAME: &str = "watch.json";

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    pub(super) round_began: Timestamp,
    rounds_gone: u32,
    /// The last time of play whose games have all been played.
    played_until: Timestamp,
    pub(super) frozen: Option<Timestamp>,
    last_round_began: Option<Timestamp>,
    /// The end of submissions by the last reading; `None` if nothing has been read.
    closing: Option<KnownClosing>,
    /// Whether all submissions of the last round have been taken, so that nothing more is.
    pub(super) last_taken: bool,
    /// The ended bots of the last round that was played.
    ended: Option<EndedInRound>,
}

/// A new version does not begin again with 0.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndedInRound {
    round: String,
    bots: BTreeMap<String, u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownClosing {
    /// The time; `None` if there is no end.
    closes: Option<Timestamp>,
    /// When an edit that set it was first seen; `None` if it held from the beginning.
    edited: Option<Timestamp>,
}

impl Memory {
    /// Begins at a time: the first games wait for the next time of play.
    pub(super) fn begin(now: Timestamp, settings: &WatchSettings) -> Self {
        Self {
            round_began: now,
            played_until: settings.every.since(now).unwrap_or(now),
            ..Self::default()
        }
    }

    pub(super) fn ended_in(&self, round: &str) -> EndedBots {
        let ended = self.ended.as_ref().filter(|ended| ended.round == round);
        ended.map_or_else(EndedBots::default, |ended| EndedBots::new(&ended.bots))
    }

    pub(super) fn note_ended(&mut self, round: &str, ended: &EndedBots) {
        let (round, bots) = (round.to_owned(), ended.counts());
        self.ended = (!bots.is_empty()).then_some(EndedInRound { round, bots });
    }

    pub(super) fn find(run: &Path) -> Result<Option<Self>> {
        let path = run.join(STAFF).join(FILE_NAME);
        let text = if_there(read_regular(&path)).or_io("read", &path)?;
        let memory = text.map(|text| serde_json::from_slice(&text)).transpose();
        memory.map_err(|error| {
            JudgeError::input(format!(
                "{} is damaged ({error}). It says which rounds are over and what is frozen; restore it from a backup, \
                 or remove it to begin again with the first round",
                path.display()
            ))
        })
    }

    pub(super) fn forget(run: &Path) -> Result {
        let path = run.join(STAFF).join(FILE_NAME);
        let removed = if_there(fs::remove_file(&path));
        removed.map(drop).or_io("remove", path)
    }

    pub(super) fn write(&self, run: &Path) -> Result {
        let staff = run.join(STAFF);
        make_private_folder(&staff)?;
        let mut text = serde_json::to_vec_pretty(self).expect("plain data");
        text.push(b'\n');
        write_whole(&staff.join(FILE_NAME), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::entrant::{Person, Roster};

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    /// Makes the calendar of a competition; its latest extension is `extension`.
    fn calendar(lines: &str, extension: Option<&str>) -> Result<Calendar> {
        let text = format!("game = \"reversi\"\n{lines}");
        let loaded = rulebook::read("mine.toml", &text).expect("allowed");
        let person = Person {
            extension: extension.map(at),
            ..Person::default()
        };
        let roster = Roster {
            people: vec![person],
            ..Roster::default()
        };
        let deadlines = Deadlines::new(&loaded.competition, Some(&roster));
        Calendar::of(&loaded.watch, &loaded.competition, &deadlines)
    }

    /// Reads blocks of lines: those of the competition, then `+` and the latest extension, then times
    /// with the round and its state: `-` where nothing is played, `frozen` or `last`.
    #[test]
    fn rounds_follow_the_calendar() {
        let blocks: Vec<&str> = include_str!("rounds.txt").split("\n\n").collect();
        assert_eq!(blocks.len(), 10);
        for block in blocks {
            let lines: Vec<&str> = block.lines().collect();
            for line in &lines {
                let marks = [" = ", " > "];
                let is_known = marks.iter().any(|mark| line.contains(mark));
                assert!(is_known || line.starts_with("+ "), "{line:?}");
            }
            let times: Vec<(&str, &str)> = lines
                .iter()
                .filter_map(|line| line.split_once(" > "))
                .collect();
            let extension = lines.iter().find_map(|line| line.strip_prefix("+ "));
            let keys: Vec<&str> = lines
                .into_iter()
                .filter(|line| line.contains(" = "))
                .collect();
            let calendar = calendar(&keys.join("\n"), extension).expect(block);
            let mut memory = Memory::begin(at(times[0].0), &calendar.settings);
            for (when, expected) in times {
                let (time, event) = when.split_once(' ').unwrap_or((when, ""));
                let due = calendar.due(at(time), event == "revealed", &mut memory);
                if event == "played" {
                    calendar.has_played(at(time), &mut memory);
                }
                let mut found = due.round.clone();
                for (is_so, word) in [
                    (!due.plays, " -"),
                    (due.frozen, " frozen"),
                    (due.is_last(), " last"),
                ] {
                    found += if is_so { word } else { "" };
                }
                assert_eq!(found, expected, "{when}");
            }
        }
    }

    #[test]
    fn edit_moving_end_near_is_undoable_ten_minutes() {
        let [right, gone, near] = [
            "2026-12-20T18:00:00Z",
            "2026-10-20T18:00:00Z",
            "2026-12-01T10:05:00Z",
        ]
        .map(|deadline| {
            let lines = format!("deadline = {deadline}\ntoo_late = \"ungraded\"\n");
            calendar(&lines, None).expect("it has one")
        });
        let on_the_day = |time: &str| at(&format!("2026-12-01T{time}Z"));
        let begins = |time| Stage::AwaitsEdit(on_the_day(time));
        let mut memory = Memory::begin(on_the_day("09:00:00"), &right.settings);
        for (calendar, now, stage) in [
            (&right, "09:00:00", Stage::Open),
            (&gone, "10:00:00", begins("10:10:00")),
            // Also after the process has ended: the memory is on the disk.
            (&gone, "10:09:59", begins("10:10:00")),
            (&right, "10:09:59", Stage::Open),
            (&near, "10:10:00", begins("10:20:00")),
            // The clock had been wrong when the edit was seen.
            (&near, "10:02:00", begins("10:12:00")),
            (&near, "10:12:00", Stage::Last),
            (&right, "10:13:00", Stage::Last),
        ] {
            let text = serde_json::to_string(&memory).expect("plain data");
            memory = serde_json::from_str(&text).expect("it was written");
            let due = calendar.due(on_the_day(now), false, &mut memory);
            assert_eq!(due.stage, stage, "{now}");
            let words = calendar.words(&due);
            let expected = match stage {
                Stage::AwaitsEdit(begins) => format!("final round begins at {begins}; to prevent"),
                Stage::Last if now == "10:13:00" => "does not count; for a new".to_owned(),
                Stage::Last => "submissions closed at 2026-12-01T10:05:00Z, so".to_owned(),
                Stage::Open => "practice until 2026-12-20T18:00:00Z, then".to_owned(),
            };
            assert!(words.contains(&expected), "{now}: {words}");
        }
    }

    #[test]
    fn watch_without_deadline_is_refused() {
        let error = calendar("", None).expect_err("no deadline").to_string();
        assert!(error.contains("add deadline = "), "{error}");
    }
}
