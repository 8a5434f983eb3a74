//! The page of a run for different readers, and the data of its script.

use super::bot_stderr::TextLimits;
use super::choose::{Why, caption, choose};
use super::encode::Writer;
use super::phrases::name;
use super::{
    Audience, FaultEntry, GameSummary, Live, OwnPage, Page, Summary, add_fault, fault_entry,
    overview, shell,
};
use crate::moments::Record;
use crate::run_data::{GameSource, RunData, batches, numbered};
use crate::submission_result::table_rows;
use crate::words::{has_one_start, joined};
use engines::{Better, Palette};
use model::clock::ClockMode;
use model::competition::Competition;
use model::numbers::points as points_words;
use rulebook::Result;
use rulebook::scoring::{StandingsTable, points};
use serde_json::{Value, json};
use system::cores;

const BATCH: usize = 64;

/// Maximum size of the page, in bytes: it must open on a phone.
const PAGE_BYTES_MAX: usize = 4_800_000;
/// Size of the page, in bytes, up to which it includes further games.
const PAGE_BYTES_OTHERS: usize = 1_500_000;

/// A run that has been read and can be shown to several readers.
pub struct Pages<'a> {
    pub(super) run: &'a RunData<'a>,
    table: &'a StandingsTable,
    pub(super) summary: Summary,
}

impl<'a> Pages<'a> {
    /// Reads all games of a run.
    pub fn gather(run: &'a RunData<'a>, table: &'a StandingsTable) -> Result<Self> {
        let mut summary = Summary::default();
        for (name, _) in table_rows(table) {
            summary.number(name);
        }
        let read = |places| numbered(run.games, places, |number| run.games.record(number));
        cores::in_order(batches(run.games, BATCH), read, |games| {
            for (number, record) in games {
                summary.add(&run.manifest.competition, *number, record);
            }
            Ok(())
        })?;
        Ok(Self {
            run,
            table,
            summary,
        })
    }

    /// Returns the page of the run; with `full`, it links all games as pages of their own.
    pub fn whole(&self, live: Option<Live<'_>>, full: bool) -> Result<String> {
        let reader = Audience {
            full,
            live,
            ..Audience::default()
        };
        self.page(self.run, reader)
    }

    /// Returns an author's page: only its own games, with faults as `run` has them.
    pub(crate) fn own(
        &mut self,
        (name, run): (&str, &RunData<'_>),
        given: &OwnPage<'_>,
        full: bool,
    ) -> Result<String> {
        let own = self.summary.index.get(name).copied();
        let reader = Audience {
            own,
            given: Some(given),
            full,
            live: given.live,
        };
        let Some(entrant) = own else {
            return self.page(run, reader);
        };
        let reported = self.faults_reported(entrant, run)?;
        let masked = std::mem::replace(&mut self.summary.conduct[entrant].faults, reported);
        let page = self.page(run, reader);
        self.summary.conduct[entrant].faults = masked;
        page
    }

    fn faults_reported(&self, entrant: usize, run: &RunData<'_>) -> Result<Vec<FaultEntry>> {
        let mut all = Vec::new();
        for game in &self.summary.games {
            if game.faults.iter().all(|(whose, _)| *whose != entrant) {
                continue;
            }
            let record = run.games.record(game.number())?;
            for fault in record.iter().flat_map(|record| &record.faults) {
                if game.seats()[fault.seat.index()] == entrant {
                    add_fault(&mut all, fault_entry(game.number(), game.seats(), fault));
                }
            }
        }
        Ok(all)
    }

    fn games_of(&self, own: Option<usize>) -> impl Iterator<Item = &GameSummary> {
        self.summary
            .games
            .iter()
            .filter(move |game| game.is_of(own))
    }

    fn page(&self, run: &RunData<'_>, reader: Audience<'_>) -> Result<String> {
        let page = Page::new(run, self.table, &self.summary, reader)?;
        let body = overview::body(&page)?.into_string();
        let mut data = self.data(reader)?;
        if let Some(live) = reader.live {
            data["live"] = json!(live.digest);
        }
        let used = body.len() + shell::data(&data).len() + shell::BYTES;
        let room = PAGE_BYTES_MAX.saturating_sub(used);
        self.add_games(&mut data, reader, run.games, room)?;
        let asks = reader.live.is_some();
        shell::page(page.competition, "results", &body, &data, asks)
    }

    fn data(&self, reader: Audience<'_>) -> Result<Value> {
        let summary = &self.summary;
        let mut data = base(self.run.is_staff, &self.run.manifest.competition, summary)?;
        let shown = summary.names.len().min(overview::PAIRED_MAX);
        let pairs = summary
            .pairs
            .iter()
            .filter(|((one, other, _), _)| *one < shown && *other < shown)
            .map(
                |((one, other, role), (Record([ahead, level, behind]), game))| {
                    json!([one, other, role, ahead, level, behind, game])
                },
            );
        data["pairs"] = pairs.collect();
        data["paired"] = json!(shown);
        data["ranks"] = self.table.rows.iter().map(|row| row.rank).collect();
        data["numbers"] = json!(self.run.games.count());
        let played: Vec<usize> = self.games_of(reader.own).map(GameSummary::number).collect();
        data["played"] = json!(played.len());
        if let Some(own) = reader.own {
            data["own"] = json!(own);
        }
        if reader.full {
            data["full"] = json!(ranges(&played));
        }
        Ok(data)
    }

    fn add_games(
        &self,
        data: &mut Value,
        reader: Audience<'_>,
        read: &dyn GameSource,
        room: usize,
    ) -> Result {
        let ranks: Vec<usize> = self.table.rows.iter().map(|row| row.rank).collect();
        // Only of games that this reader may see.
        let largest = self
            .games_of(reader.own)
            .filter_map(|game| game.margin)
            .max();
        let mut bytes = 0;
        let mut games = Vec::new();
        let mut featured = Vec::new();
        let competition = &self.run.manifest.competition;
        let rule = competition.scoring.points;
        let mut writer = Writer::new(&competition.conditions, TextLimits::AMONG_OTHERS)?;
        for (index, why) in choose(&self.summary, ranks.len(), reader.own) {
            let line = &self.summary.games[index];
            let Some(record) = read.record(line.number())? else {
                continue;
            };
            let number = line.number.to_string();
            let wrote = read.wrote(line.number(), &record)?;
            let mut game = writer.game(&number, line.seats(), why.words(), &record, &wrote)?;
            let points = (0..line.seats().len())
                .map(|seat| points_words(points(rule, &record.outcome, seat)).replace("0.50", "½"));
            game["p"] = json!(joined(points, " : "));
            let size = shell::data(&game).len() + 1;
            let room = match why {
                Why::Other => room.saturating_sub(PAGE_BYTES_MAX - PAGE_BYTES_OTHERS),
                _ => room,
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
                let is_close = line.margin < largest;
                let why = caption(feature, line, &ranks, is_close);
                featured.push(json!([number, feature.words(), why]));
            }
            games.push((line.number, game));
        }
        games.sort_by_key(|(number, _)| *number);
        let games = games.into_iter().map(|(_, game)| game).collect();
        data["featured"] = Value::Array(featured);
        writer.put(data, games);
        Ok(())
    }
}

pub(super) fn base(has_run: bool, competition: &Competition, summary: &Summary) -> Result<Value> {
    let rules = rulebook::rules::of(&competition.conditions)?;
    let parts = rulebook::schedule::roles(competition)?;
    let names: Vec<String> = summary.names.iter().map(|own| name(own)).collect();
    Ok(json!({
        "has_run": has_run,
        "names": names,
        "roles": parts,
        "start": if has_one_start(competition) { "repetition" } else { "initial state" },
        "look": shell::look(rules.palette()),
        "measure": rules.measure().map(|measure| json!({
            "counts": measure.counts,
            "less": measure.better == Better::Less,
            "ahead": measure.ahead,
        })),
        "legend": legend(rules.notation().help, rules.palette(), parts),
        // The bars of a game show CPU time.
        "turn_us": competition.conditions.time.turn_us.filter(|_| competition.conditions.mode == ClockMode::Cpu),
    }))
}

fn legend(help: &[&str], palette: &Palette, roles: &[&str]) -> Vec<String> {
    let is_plain = palette
        .seats
        .iter()
        .zip(Palette::PLAIN.seats)
        .all(|(seat, plain)| seat.fill == plain.fill);
    let mut lines: Vec<String> = help.iter().map(ToString::to_string).collect();
    if is_plain && !roles.is_empty() {
        let colours = roles.iter().zip(Palette::PLAIN_NAMES);
        lines.push(joined(
            colours.map(|(role, colour)| format!("{role} is {colour}")),
            ", ",
        ));
    }
    lines
}

/// Returns ascending numbers as ranges `[first, last]`, both inclusive.
fn ranges(numbers: &[usize]) -> Vec<[usize; 2]> {
    numbers
        .chunk_by(|one, next| one + 1 == *next)
        .map(|range| [range[0], range[range.len() - 1]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), [[1, 3], [7, 7], [9, 10]]);
        assert!(ranges(&[]).is_empty());
    }
}
