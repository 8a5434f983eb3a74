//! The page of a run, for different readers.

use super::data::{base, put_games, ranges};
use super::gather::{GameSummary, Summary, Why};
use super::source::{Audience, OwnPage, PageSource, ReadGame};
use super::{bot_stderr, caption, choose, encode, overview, shell};
use crate::replay::replay;
use rulebook::JudgeError;
use serde_json::{Value, json};
use std::ops::Range;
use store::manifest::EntrantLine;
use system::cores;

/// Number of games that a core reads at a time.
const BATCH: usize = 64;

/// Maximum size of the page, in bytes: it must open on a phone and fit into a mail.
const PAGE_BYTES_MAX: usize = 4_800_000;
/// Size of the page, in bytes, up to which it includes games that nobody would ask for first.
const PAGE_BYTES_OTHERS: usize = 1_500_000;

/// A run that has been read and can be shown to several readers.
#[derive(Debug)]
pub struct Pages<'a> {
    pub(super) source: PageSource<'a>,
    pub(super) summary: Summary,
}

impl<'a> Pages<'a> {
    /// Reads all games of a run.
    ///
    /// # Errors
    /// When a game cannot be read.
    pub fn gather(source: PageSource<'a>, read: ReadGame<'_>) -> Result<Self, JudgeError> {
        let ranked = source
            .table
            .rows
            .iter()
            .map(|row| row.standing.entrant.clone());
        let beside = source.table.beside.iter().map(|one| one.entrant.clone());
        let removed = source.table.removed.iter().map(|one| one.entrant.clone());
        let mut summary = Summary::new(ranked.chain(beside).chain(removed));
        let end = source.numbers + 1;
        let batches = (1..end)
            .step_by(BATCH)
            .map(|first| first..end.min(first + BATCH));
        let read = |numbers: Range<usize>| {
            numbers
                .map(|number| Ok((number, read.record(number)?)))
                .collect::<Result<Vec<_>, JudgeError>>()
        };
        cores::in_order(batches, read, |games| {
            for (number, record) in games {
                if let Some(record) = record {
                    summary.add(source.competition, *number, record);
                }
            }
            Ok(())
        })?;
        Ok(Self { source, summary })
    }

    /// Returns the page of the run; with `full`, it links all games as pages of their own.
    ///
    /// # Errors
    /// When a game cannot be read.
    pub fn whole(&self, read: ReadGame<'_>, full: bool) -> Result<String, JudgeError> {
        let reader = Audience {
            full,
            ..Audience::default()
        };
        self.page(&self.source, reader, read)
    }

    /// Returns the page for the author of one entrant. It has only that entrant's games, with its
    /// faults as `read` returns them. `line` is the public line about its submission, `given` the
    /// rest.
    ///
    /// # Errors
    /// When a game cannot be read.
    pub(crate) fn own(
        &mut self,
        line: &EntrantLine,
        given: &OwnPage<'_>,
        read: ReadGame<'_>,
        full: bool,
    ) -> Result<String, JudgeError> {
        let own = self.summary.index.get(&line.name).copied();
        let entrants = std::slice::from_ref(line);
        let source = PageSource {
            entrants,
            live: given.live,
            ..self.source
        };
        let reader = Audience {
            own,
            personal: true,
            given: Some(given),
            full,
        };
        let Some(entrant) = own else {
            return self.page(&source, reader, read);
        };
        let told = self.summary.tell_faults(entrant, read)?;
        let masked = std::mem::replace(&mut self.summary.conduct[entrant].faults, told);
        let page = self.page(&source, reader, read);
        self.summary.conduct[entrant].faults = masked;
        page
    }

    /// Lists the numbers of the played games, or of one entrant's played games.
    pub(super) fn played(&self, own: Option<usize>) -> Vec<usize> {
        self.summary
            .games
            .iter()
            .filter(|game| own.is_none_or(|own| game.seats().contains(&own)))
            .map(GameSummary::number)
            .collect()
    }

    fn page(
        &self,
        source: &PageSource<'_>,
        reader: Audience<'_>,
        read: ReadGame<'_>,
    ) -> Result<String, JudgeError> {
        let body = overview::body(source, &self.summary, reader)?;
        let mut data = self.data(reader)?;
        if let Some(live) = source.live {
            data["live"] = json!(live.digest);
        }
        let used = body.len() + shell::data(&data).len() + shell::BYTES;
        let room = PAGE_BYTES_MAX.saturating_sub(used);
        self.add_games(&mut data, reader, read, room)?;
        let title = format!("{}: results", source.competition.title);
        let rules = rulebook::rules::of(&source.competition.conditions)?;
        Ok(shell::page(
            &title,
            rules.palette(),
            &body,
            &data,
            source.live.is_some(),
        ))
    }

    fn data(&self, reader: Audience<'_>) -> Result<Value, JudgeError> {
        let summary = &self.summary;
        let mut data = base(self.source.has_run, self.source.competition, summary)?;
        let shown = summary.names.len().min(overview::PAIRED_MAX);
        let pairs = summary
            .pairs
            .iter()
            .filter(|((one, other, _), _)| *one < shown && *other < shown)
            .map(|((one, other, role), pair)| {
                json!([
                    one,
                    other,
                    role,
                    pair.ahead,
                    pair.level,
                    pair.behind,
                    pair.game
                ])
            });
        data["pairs"] = pairs.collect();
        data["paired"] = json!(shown);
        let rows = self.source.table.rows.iter();
        data["ranks"] = rows.map(|row| row.standing.rank).collect();
        data["numbers"] = json!(self.source.numbers);
        data["played"] = json!(self.played(reader.own).len());
        if let Some(own) = reader.own {
            data["own"] = json!(own);
        }
        if reader.full {
            data["full"] = json!(ranges(&self.played(reader.own)));
        }
        Ok(data)
    }

    /// Encodes the chosen games in fixture order, as many as fit.
    fn add_games(
        &self,
        data: &mut Value,
        reader: Audience<'_>,
        read: ReadGame<'_>,
        room: usize,
    ) -> Result<(), JudgeError> {
        let ranked = self.source.table.rows.len();
        let ranks: Vec<usize> = self
            .source
            .table
            .rows
            .iter()
            .map(|row| row.standing.rank)
            .collect();
        // Only of games that this reader may see.
        let games = self
            .summary
            .games
            .iter()
            .filter(|game| reader.own.is_none_or(|own| game.seats().contains(&own)));
        let largest = games.filter_map(|game| game.margin).max();
        let mut bytes = 0;
        let mut games = Vec::new();
        let mut featured = Vec::new();
        let mut writer = encode::Writer::default();
        let conditions = &self.source.competition.conditions;
        let rules = rulebook::rules::of(conditions)?;
        for (index, why) in choose::choose(&self.summary, ranked, reader.own) {
            let line = &self.summary.games[index];
            let Some(record) = read.record(line.number())? else {
                continue;
            };
            let pictures = replay(&*rules, conditions, &record)?;
            let number = line.number.to_string();
            let wrote = read.wrote(line.number(), &record)?;
            let beside =
                bot_stderr::beside(&record, &pictures, &wrote, bot_stderr::Room::AMONG_OTHERS);
            let game = writer.game(number, line.seats().to_vec(), why, &record, &pictures);
            let game = game.with(beside);
            let game = serde_json::to_value(game).expect("plain data");
            let size = shell::data(&game).len() + 1;
            let room = match why {
                Why::Other => room.saturating_sub(PAGE_BYTES_MAX - PAGE_BYTES_OTHERS),
                Why::Featured(_) | Why::Fault | Why::Upset | Why::Sample => room,
            };
            if bytes + size > room {
                // Nobody misses one of the others; of the rest, a shorter one may fit.
                if why == Why::Other {
                    break;
                }
                continue;
            }
            bytes += size;
            if let Why::Featured(feature) = why {
                let better = rules.measure().map(|measure| measure.better);
                let is_close = line.margin < largest;
                let course = (&pictures, better);
                let why = caption::caption(feature, line, &ranks, is_close, course);
                featured.push(json!([line.number.to_string(), feature.words(), why]));
            }
            games.push((line.number, game));
        }
        games.sort_by_key(|(number, _)| *number);
        let games = games.into_iter().map(|(_, game)| game).collect();
        data["featured"] = Value::Array(featured);
        put_games(data, games, &writer);
        Ok(())
    }
}
