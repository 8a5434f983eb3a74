//! A run's published form: manifest and games under public names, and files derived from these.

use super::folder::ViewFolder;
use super::latest::{LATEST_NAME, Latest};
use super::{Extent, View};
use crate::html::{FILE_NAME, GAMES_FOLDER, Live, Made, Pages};
use crate::moments::{self, MOMENTS};
use crate::run_data::{GameSource, RunData};
use model::fixture::Terms;
use model::record::{MatchRecord, MatchResult};
use rulebook::JudgeError;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use store::manifest::Manifest;
use store::{LINE_BYTES_MAX, Moment};
use system::run_folder::{JOURNAL, MANIFEST};

impl RunData<'_> {
    pub(super) fn write_view(
        &self,
        extent: Extent<'_>,
        folder: &mut ViewFolder<'_>,
    ) -> Result<(), JudgeError> {
        let top = Path::new("");
        self.write_sources(top, folder)?;
        let (table, _) = self.write_tables(None, &mut |name| folder.place(name))?;
        let table = table.expect("a view has all games");
        let digest = folder.digest(top, &[])?;
        let live = extent.live.map(|made| Live {
            digest: &digest,
            made,
        });
        let pages = Pages::gather(self, &table)?;
        let page = pages.whole(live, extent.full)?;
        put_page(&page, &pages, top, self.games, extent, folder)?;
        if let Some(made) = extent.live {
            folder.file(LATEST_NAME, &self.latest(made, digest).text())?;
        }
        Ok(())
    }

    /// Writes the sources that the rest of a view can be derived from, below `stem`.
    pub(super) fn write_sources(
        &self,
        stem: &Path,
        folder: &mut ViewFolder<'_>,
    ) -> Result<(), JudgeError> {
        folder.file(stem.join(MANIFEST), &self.manifest.text())?;
        if !self.moments.is_empty() {
            folder.file(stem.join(MOMENTS), &moments::text(&self.moments))?;
        }
        let path = folder.place(stem.join(JOURNAL))?;
        let failed = |e| JudgeError::io("write", &path, e);
        let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
        for place in 0..self.games.count() {
            if let Some(record) = self.games.record(self.games.number(place))? {
                // Such lines are not signed.
                serde_json::to_writer(&mut out, &record).map_err(|e| failed(e.into()))?;
                out.write_all(b"\n").map_err(failed)?;
            }
        }
        out.into_inner()
            .map_err(|e| failed(e.into_error()))?
            .sync_all()
            .map_err(failed)
    }

    pub(super) fn latest(&self, made: Made, digest: String) -> Latest {
        Latest {
            made: made.at.to_string(),
            freeze: made.freeze,
            digest,
            round: self.manifest.competition.round.clone(),
            played: self.games.count(),
            of: self.scheduled,
            submission: None,
        }
    }
}

/// Writes a page below `stem`, and if the extent says so, pages of games.
pub(super) fn put_page(
    page: &str,
    pages: &Pages<'_>,
    stem: &Path,
    games: &dyn GameSource,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    folder.file(stem.join(FILE_NAME), page.as_bytes())?;
    if extent.full {
        let place = folder.place(stem.join(GAMES_FOLDER))?;
        pages.write_games(&place, games, extent.stop)?;
    }
    Ok(())
}

#[derive(Debug)]
pub(crate) struct PublishedGames {
    path: PathBuf,
    file: File,
    terms: Terms,
    /// The start of each line, and the end of the last one, in bytes.
    starts: Vec<u64>,
    numbers: Option<Vec<usize>>,
}

impl PublishedGames {
    /// Reads the open journal of a view, which may come from anybody; `path` is for messages.
    pub(crate) fn read_from(
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
            numbers: None,
        })
    }

    pub(crate) fn number_by(&mut self, numbers: Vec<usize>) {
        self.numbers = Some(numbers);
    }

    /// Reads the game of a line, counted from 1.
    pub(crate) fn read(&self, line: usize) -> Result<MatchRecord, JudgeError> {
        self.parse(line, MatchRecord::read)
    }

    fn line(&self, number: usize) -> usize {
        self.numbers
            .as_ref()
            .map_or(number, |all| 1 + all.partition_point(|one| *one < number))
    }

    fn parse<T>(
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

impl GameSource for PublishedGames {
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn number(&self, place: usize) -> usize {
        let numbers = self.numbers.as_ref();
        numbers.map_or(place + 1, |numbers| numbers[place])
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        self.parse(self.line(number), MatchResult::read).map(Some)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.read(self.line(number)).map(Some)
    }
}

/// Makes a public view again from its manifest, its games and its moments alone.
pub(crate) fn rewrite_public_view(
    manifest: &Manifest,
    games: &PublishedGames,
    moments: &[Moment],
    extent: Extent<'_>,
    out: &Path,
) -> Result<Vec<PathBuf>, JudgeError> {
    let mut folder =
        ViewFolder::begin((View::Public, &manifest.keys), (out, "--out"), extent.stop)?;
    RunData::of_view(manifest, games, moments)?.write_view(extent, &mut folder)?;
    folder.publish()
}

/// Makes those tables of a student again that need no games of others.
pub(crate) fn rewrite_own_tables(
    manifest: &Manifest,
    games: &PublishedGames,
    name: &str,
    out: &Path,
) -> Result<(), JudgeError> {
    RunData::of_view(manifest, games, &[])?
        .write_tables(Some((name, None)), &mut |name| Ok(out.join(name)))?;
    Ok(())
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
        let keys = Keys::make(run.path(), false).expect("valid");
        let competition =
            rulebook::standard(&*rulebook::rules::find("catch-the-cat").expect("registered"));
        let confinement =
            r#"{"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
        let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
        let machine = Machine::detect(false, confinement);
        Manifest::new("1", competition, &keys, &[], machine)
    }

    #[test]
    fn journal_with_endless_or_excess_lines_is_refused() {
        let read = |length: u64, games_max| {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(b"{}\n{}\n").expect("writable");
            file.set_len(length).expect("it has no content");
            file.rewind().expect("valid");
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
