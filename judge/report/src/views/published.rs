//! The published form of a run: a manifest and games under public names, and files derived from
//! these alone. Everybody who has the view can therefore make the files again.

use super::folder::ViewFolder;
use super::latest::{Latest, PageDigest};
use super::played::{Extent, View};
use crate::csv::{Visit, ranked};
use crate::html::{FILE_NAME, GAMES_FOLDER, Live, Made, PageMachines, PageSource, Pages};
use crate::moments::{self, MOMENTS, MomentFacts};
use crate::outputs::{OutputSource, Scored};
use crate::sheet::Reader;
use crate::tables::Tables;
use model::competition::Disqualify;
use model::draw::Draw;
use model::fixture::{Participant, Terms};
use model::record::{MatchRecord, MatchResult};
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::{Conduct, Gathering, StandingsTable};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use store::manifest::Manifest;
use store::{LINE_BYTES_MAX, MachineLines, Moment, UnequalMachines};
use system::run_folder::{JOURNAL, MANIFEST};

/// Games under public names, by their public numbers, which begin with 1.
pub(super) trait PublicGames: Sync {
    /// Returns the number of games.
    fn count(&self) -> usize;
    /// Reads the result of a game; `None` if it was finished during the reading.
    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError>;
    /// Reads a game.
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError>;
}

/// A run as the public may see it.
pub(super) struct PublicRun<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) games: &'a dyn PublicGames,
    pub(super) moments: &'a [Moment],
}

impl<'a> PublicRun<'a> {
    /// Computes the table, by the same rules as the staff's table.
    pub(super) fn score(&self) -> Result<StandingsTable, JudgeError> {
        self.score_and_visit(&mut |_, _, _| Ok(()))
    }

    /// Computes the table, and calls `visit` for each game with its number and whether it counts.
    fn score_and_visit(&self, visit: &mut Visit<'_>) -> Result<StandingsTable, JudgeError> {
        let competition = &self.manifest.competition;
        let roles = schedule::roles(competition)?;
        let ranked = ranked(competition, &self.manifest.entrants);
        let mut conduct = Conduct::default();
        if competition.scoring.disqualify == Disqualify::Remove {
            for number in 1..=self.games.count() {
                if let Some(result) = self.games.result(number)? {
                    let seats = result.seats.iter().map(|seat| seat.entrant.as_str());
                    let is_graded = competition.scoring.is_unranked(seats);
                    conduct.add(number, &result, is_graded);
                }
            }
        }
        let seed = self.manifest.draw.resamples;
        let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct, seed);
        for number in 1..=self.games.count() {
            if let Some(result) = self.games.result(number)? {
                let counts = gathering.add(number, &result);
                visit(number, &result, counts)?;
            }
        }
        let mut table = gathering.table();
        table.removed.sort();
        Ok(table)
    }

    /// Returns the data behind a page.
    pub(super) fn source(&self, table: &'a StandingsTable) -> Result<PageSource<'a>, JudgeError> {
        Ok(PageSource {
            has_run: false,
            competition: &self.manifest.competition,
            entrants: &[],
            draw: &self.manifest.draw,
            scheduled: self.scheduled()?,
            numbers: self.games.count(),
            machines: PageMachines::Counted(&self.manifest.machines),
            table,
            moments: self.moments,
            live: None,
        })
    }

    fn scheduled(&self) -> Result<usize, JudgeError> {
        let line = self.manifest.entrants.iter();
        let playing: Vec<Participant> = line
            .filter_map(|line| {
                Some(Participant {
                    entrant: line.name.as_str().into(),
                    artifact: line.artifact.as_deref()?.into(),
                })
            })
            .collect();
        let competition = &self.manifest.competition;
        // The number of games does not depend on the draw.
        let draw = Draw::public(0, &competition.round);
        let filler = self.manifest.filler.as_ref();
        Ok(schedule::ids(competition, &draw, &playing, filler)?.len())
    }

    /// Reads a game in the page's form.
    pub(super) fn shown(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.record(number)
    }

    /// Writes all files of the public view.
    pub(super) fn write(
        &self,
        extent: Extent<'_>,
        folder: &mut ViewFolder<'_>,
    ) -> Result<(), JudgeError> {
        let manifest = self.manifest.text();
        folder.file(MANIFEST, &manifest)?;
        let mut digest = PageDigest::default();
        digest.add(&manifest);
        digest.add(&self.write_journal(&folder.place(JOURNAL)?)?);
        if !self.moments.is_empty() {
            let moments = moments::text(self.moments);
            digest.add(&moments);
            folder.file(MOMENTS, &moments)?;
        }
        let source = OutputSource::new(self.manifest)?;
        let mut place = |name: &str| folder.place(name);
        let mut tables = Tables::begin(source, Reader::Public, &mut place)?;
        let table =
            self.score_and_visit(&mut |number, result, counts| tables.add(number, result, counts))?;
        let lines = self.manifest.machines.iter().map(|one| &one.line);
        tables.save(&Scored {
            table: &table,
            machines: &MachineLines::new(),
            unequal: UnequalMachines::among(lines).as_ref(),
        })?;
        let read = |number: usize| self.shown(number);
        let digest = digest.text();
        let source = PageSource {
            live: extent.live.map(|made| Live {
                digest: &digest,
                made,
            }),
            ..self.source(&table)?
        };
        let pages = Pages::gather(source, &read)?;
        let page = pages.whole(&read, extent.full)?;
        folder.file(FILE_NAME, page.as_bytes())?;
        if extent.full {
            let games = folder.place(GAMES_FOLDER)?;
            pages.write_games(&games, None, &read, extent.stop)?;
        }
        if let Some(made) = extent.live {
            folder.tell_latest(PathBuf::new(), self.latest(made, digest.clone())?);
        }
        Ok(())
    }

    /// Returns the description of a page for `latest.json`.
    pub(super) fn latest(&self, made: Made, digest: String) -> Result<Latest, JudgeError> {
        Ok(Latest {
            made: made.at.to_string(),
            freeze: made.freeze,
            digest,
            round: self.manifest.competition.round.clone(),
            played: self.games.count(),
            of: self.scheduled()?,
            submission: None,
        })
    }

    /// Writes the journal; returns its SHA-256.
    fn write_journal(&self, path: &Path) -> Result<Vec<u8>, JudgeError> {
        let failed = |e| JudgeError::io("write", path, e);
        let mut out = BufWriter::new(File::create(path).map_err(failed)?);
        let mut sum = Sha256::new();
        for number in 1..=self.games.count() {
            if let Some(record) = self.games.record(number)? {
                let line = record_line(&record);
                sum.update(&line);
                out.write_all(&line).map_err(failed)?;
            }
        }
        let out = out.into_inner().map_err(|e| failed(e.into_error()))?;
        out.sync_all().map_err(failed)?;
        Ok(sum.finalize().to_vec())
    }
}

/// Returns a line of a published journal; such lines are not signed.
pub(super) fn record_line(record: &MatchRecord) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("plain data");
    line.push(b'\n');
    line
}

/// The games of a published view, read back.
#[derive(Debug)]
pub struct PublishedGames {
    path: PathBuf,
    file: File,
    terms: Terms,
    /// The start of each line, and the end of the last one, in bytes.
    starts: Vec<u64>,
}

impl PublishedGames {
    /// Reads the open journal of a view, which may come from anybody; `path` is its path, for
    /// messages.
    ///
    /// # Errors
    /// When a line is longer than any journal's, there are more lines than `games_max`, or the file
    /// cannot be read.
    pub fn read_from(
        file: File,
        path: PathBuf,
        manifest: &Manifest,
        games_max: usize,
    ) -> Result<Self, JudgeError> {
        let failed = |e| JudgeError::io("read", &path, e);
        let refused = |reason: String| {
            JudgeError::input(format!(
                "{} is not the journal of a view: {reason}; publish the view again (judge report)",
                path.display()
            ))
        };
        let mut starts = vec![0];
        let mut reader = BufReader::new(&file);
        loop {
            let mut line = (&mut reader).take(LINE_BYTES_MAX + 1);
            let length = line.skip_until(b'\n').map_err(failed)? as u64;
            if length == 0 {
                break;
            }
            let number = starts.len();
            if length > LINE_BYTES_MAX {
                let bound = LINE_BYTES_MAX >> 20;
                return Err(refused(format!("line {number} is longer than {bound} MiB")));
            }
            if number > games_max {
                return Err(refused(format!("it has more than {games_max} lines")));
            }
            let start = starts.last().copied().unwrap_or_default();
            starts.push(start + length);
        }
        let conditions = &manifest.competition.conditions;
        Ok(Self {
            terms: rulebook::rules::terms_of(conditions)?,
            file,
            path,
            starts,
        })
    }

    /// Returns the number of games.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Reads the game of a line, counted from 1.
    ///
    /// # Errors
    /// When the line is not a game of this view.
    pub fn read(&self, number: usize) -> Result<MatchRecord, JudgeError> {
        self.line(number, MatchRecord::read)
    }

    fn line<T>(
        &self,
        number: usize,
        parse: fn(&[u8], &Terms) -> Result<T, serde_json::Error>,
    ) -> Result<T, JudgeError> {
        let (start, end) = (self.starts[number - 1], self.starts[number]);
        let length = usize::try_from(end - start).expect("it was in memory");
        let mut line = vec![0; length];
        self.file
            .read_exact_at(&mut line, start)
            .map_err(|e| JudgeError::io("read", &self.path, e))?;
        parse(&line, &self.terms).map_err(|error| {
            JudgeError::input(format!(
                "line {number} of {} is not a game of this view: {error}",
                self.path.display()
            ))
        })
    }
}

impl PublicGames for PublishedGames {
    fn count(&self) -> usize {
        Self::count(self)
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        self.line(number, MatchResult::read).map(Some)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.read(number).map(Some)
    }
}

/// Recomputes the last moment of a public view; `None` if it covers other games than those of the
/// view.
///
/// # Errors
/// When the games cannot be read.
pub fn last_moment_again(
    manifest: &Manifest,
    games: &PublishedGames,
    moments: &[Moment],
) -> Result<Option<Moment>, JudgeError> {
    let Some(last) = moments.last() else {
        return Ok(None);
    };
    let facts = MomentFacts {
        at: last.at,
        played: games.count(),
        of: usize::try_from(last.of).unwrap_or(usize::MAX),
        frozen: last.frozen,
    };
    let run = PublicRun {
        manifest,
        games,
        moments,
    };
    let table = run.score()?;
    let mut again = moments::moment(manifest, &table, facts);
    let line_up = |moment: &Moment| -> Vec<(String, String)> {
        moment
            .entrants
            .iter()
            .map(|one| (one.entrant.clone(), one.artifact.clone()))
            .collect()
    };
    let is_this = again.round == last.round && again.played == last.played;
    if !is_this || line_up(&again) != line_up(last) {
        return Ok(None);
    }
    // The manifest of a public view has no versions.
    for (again, last) in again.entrants.iter_mut().zip(&last.entrants) {
        again.version = last.version;
    }
    Ok(Some(again))
}

/// Makes a public view again from its manifest, its games and its moments alone.
///
/// # Errors
/// When the games cannot be read, or `out` cannot be written.
pub fn rewrite_public_view(
    manifest: &Manifest,
    games: &PublishedGames,
    moments: &[Moment],
    extent: Extent<'_>,
    out: &Path,
) -> Result<Vec<PathBuf>, JudgeError> {
    let mut folder =
        ViewFolder::begin((View::Public, &manifest.keys), (out, "--out"), extent.stop)?;
    let run = PublicRun {
        manifest,
        games,
        moments,
    };
    run.write(extent, &mut folder)?;
    folder.publish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::isolation::Confinement;
    use std::io::Seek;
    use store::Keys;
    use store::manifest::Machine;

    fn manifest() -> Manifest {
        let run = tempfile::tempdir().expect("a temporary folder");
        let keys = Keys::make(run.path(), false).expect("ours");
        let competition =
            rulebook::standard(&*rulebook::rules::find("catch-the-cat").expect("registered"));
        let confinement =
            r#"{"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
        let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
        let machine = Machine::look(false, confinement);
        Manifest::new("1", competition, &keys, &[], machine)
    }

    #[test]
    fn a_journal_with_a_line_without_an_end_or_with_too_many_lines_is_refused() {
        let read = |length: u64, games_max| {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(b"{}\n{}\n").expect("ours");
            file.set_len(length).expect("it has no content");
            file.rewind().expect("ours");
            let games = PublishedGames::read_from(file, "j".into(), &manifest(), games_max);
            games.map(|games| games.count()).map_err(|e| e.to_string())
        };
        assert_eq!(read(6, 2), Ok(2));
        assert_eq!(read(7, 3), Ok(3));
        let again = "publish the view again (judge report)";
        let refused =
            |reason: &str| Err(format!("j is not the journal of a view: {reason}; {again}"));
        assert_eq!(read(6, 1), refused("it has more than 1 lines"));
        assert_eq!(read(1 << 42, 9), refused("line 3 is longer than 64 MiB"));
    }
}
