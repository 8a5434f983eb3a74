//! Positions kept between requests, in bounded number.

use super::position::CountedPosition;
use super::refusal::{Refusal, RefusalKind};
use std::collections::HashMap;

/// Maximum number of open sessions.
pub const SESSIONS_MAX: usize = 4096;

/// The open sessions by number.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: HashMap<u64, CountedPosition>,
    /// The last number given out. Numbers count from 1 and are never reused: a request for a closed
    /// session must not reach another one.
    last: u64,
}

impl Sessions {
    /// Opens a session; returns its number and the position.
    ///
    /// # Errors
    /// When [`SESSIONS_MAX`] are open.
    pub(super) fn open(
        &mut self,
        position: CountedPosition,
    ) -> Result<(u64, &CountedPosition), Refusal> {
        self.room()?;
        self.last += 1;
        let kept = self.open.entry(self.last).or_insert(position);
        Ok((self.last, kept))
    }

    /// Returns the position of a session.
    ///
    /// # Errors
    /// When the session is not open.
    pub(super) fn get(&mut self, number: u64) -> Result<&mut CountedPosition, Refusal> {
        self.open.get_mut(&number).ok_or_else(|| unknown(number))
    }

    /// Closes a session.
    ///
    /// # Errors
    /// When the session is not open.
    pub(super) fn close(&mut self, number: u64) -> Result<(), Refusal> {
        self.open
            .remove(&number)
            .map(drop)
            .ok_or_else(|| unknown(number))
    }

    fn room(&self) -> Result<(), Refusal> {
        if self.open.len() < SESSIONS_MAX {
            return Ok(());
        }
        let message = format!("{SESSIONS_MAX} sessions are open, which is the maximum; close one");
        Err(Refusal::new(RefusalKind::Session, message))
    }
}

fn unknown(number: u64) -> Refusal {
    Refusal::new(RefusalKind::Session, format!("no session {number} is open"))
}
