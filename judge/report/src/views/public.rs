//! The public view: the table, the pairs, the games and the faults, under public names.

use super::folder::ViewFolder;
use super::masked::Masked;
use super::played::{Extent, PlayedRun};
use super::published::PublicRun;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use store::names::PublicNames;

pub(super) fn write(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let masked = Masked::new(run, names)?;
    masked.public().write(extent, folder)?;
    masked.gate.check(folder.unpublished(), "")?;
    masked.list_numbers()
}

impl Masked<'_> {
    /// Returns the public form of the run.
    pub(super) fn public(&self) -> PublicRun<'_> {
        PublicRun {
            manifest: &self.manifest,
            games: self,
            moments: &self.moments,
        }
    }
}

impl PlayedRun<'_> {
    /// Computes the table of the public: with public names, and with the public numbers of games.
    ///
    /// # Errors
    /// When the run cannot be read.
    pub fn public_table(&self, names: &PublicNames) -> Result<StandingsTable, JudgeError> {
        Masked::new(self, names)?.public().score()
    }
}
