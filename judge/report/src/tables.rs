//! The outputs of a run for one reader, while they are being made.

use crate::outputs::{ByGame, Gathered, Made, OUTPUTS, OutputSource, Scored};
use crate::sheet::{Lines, Reader, SheetFile};
use model::record::MatchResult;
use rulebook::JudgeError;
use std::path::PathBuf;
use system::files::write_whole;

/// All outputs that a reader may see, with their files.
pub(super) struct Tables<'c> {
    pub(super) gathered: GatheredTables<'c>,
    pub(super) makers: RowMakers<'c>,
    pub(super) rows: RowFiles,
}

/// Outputs that are made once all games have been added.
pub(super) struct GatheredTables<'c> {
    source: OutputSource<'c>,
    tables: Vec<(PathBuf, AtEnd)>,
}

enum AtEnd {
    Scored(fn(&OutputSource<'_>, &Scored<'_>) -> Vec<u8>),
    Gathered(Box<dyn Gathered>),
}

/// Row makers of the outputs that have rows for each game.
pub(super) struct RowMakers<'c>(Vec<Box<dyn ByGame + 'c>>);

/// The files of the outputs that have rows for each game.
pub(super) struct RowFiles(Vec<SheetFile>);

impl<'c> Tables<'c> {
    /// Begins the outputs; `place` returns the path for a file's name.
    ///
    /// # Errors
    /// Those of `place`, and when a file cannot be written.
    pub(super) fn begin(
        source: OutputSource<'c>,
        reader: Reader,
        place: &mut dyn FnMut(&str) -> Result<PathBuf, JudgeError>,
    ) -> Result<Self, JudgeError> {
        let (mut tables, mut makers, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for output in OUTPUTS.iter().filter(|output| output.reader <= reader) {
            let Some(name) = (output.name)(&source) else {
                continue;
            };
            let path = place(&name)?;
            match &output.made {
                Made::AtEnd { csv, .. } => tables.push((path, AtEnd::Scored(*csv))),
                Made::Gathered(begin) => tables.push((path, AtEnd::Gathered(begin(&source)))),
                Made::ByGame { rows, .. } => {
                    let maker = rows(&source, reader);
                    let mut lines = Lines::new();
                    maker.head(&mut lines);
                    let mut file = SheetFile::begin(path)?;
                    file.add(&lines.finish())?;
                    makers.push(maker);
                    files.push(file);
                }
            }
        }
        Ok(Self {
            gathered: GatheredTables { source, tables },
            makers: RowMakers(makers),
            rows: RowFiles(files),
        })
    }

    /// Adds a game; `counts` says whether the table counts it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn add(
        &mut self,
        number: usize,
        result: &MatchResult,
        counts: bool,
    ) -> Result<(), JudgeError> {
        self.gathered.add(result, counts);
        let rows = self.makers.rows(&[(number, result)]);
        self.rows.add(&rows)
    }

    /// Writes all files.
    ///
    /// # Errors
    /// When one cannot be written.
    pub(super) fn save(self, scored: &Scored<'_>) -> Result<(), JudgeError> {
        let source = &self.gathered.source;
        for (path, table) in &self.gathered.tables {
            let content = match table {
                AtEnd::Scored(csv) => csv(source, scored),
                AtEnd::Gathered(gathered) => gathered.csv(source, scored),
            };
            write_whole(path, &content)?;
        }
        self.rows.0.into_iter().try_for_each(SheetFile::save)
    }
}

impl GatheredTables<'_> {
    /// Adds a game; `counts` says whether the table counts it.
    pub(super) fn add(&mut self, game: &MatchResult, counts: bool) {
        for (_, table) in &mut self.tables {
            if let AtEnd::Gathered(gathered) = table {
                gathered.add(&self.source, game, counts);
            }
        }
    }
}

impl RowMakers<'_> {
    /// Returns the rows of some games, given with their numbers, for each output.
    pub(super) fn rows(&self, games: &[(usize, &MatchResult)]) -> Vec<Vec<u8>> {
        self.0
            .iter()
            .map(|maker| {
                let mut lines = Lines::new();
                for (number, result) in games {
                    maker.rows(*number, result, None, &mut lines);
                }
                lines.finish()
            })
            .collect()
    }
}

impl RowFiles {
    /// Adds rows for each output.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn add(&mut self, rows: &[Vec<u8>]) -> Result<(), JudgeError> {
        self.0
            .iter_mut()
            .zip(rows)
            .try_for_each(|(file, rows)| file.add(rows))
    }
}
