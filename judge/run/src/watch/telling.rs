//! The reports of a watch on itself.

use super::calendar::Due;
use super::{AGAIN, Watch};
use crate::Scheduled;
use intake::people::Claims;
use intake::{KeptSubmissions, RemovedVersions, RepositoryNews};
use model::entrant::Entrant;
use model::numbers::{about, counted};
use model::text::for_shell;
use rulebook::JudgeError;

impl Watch<'_> {
    /// Reports that everything due has been played and published.
    pub(super) fn tell_played(&mut self) {
        self.log.say_over("failure", "the run continues");
        self.log
            .say_over("published", "the published results can be written again");
        if self.is_over() {
            self.log.say("all games have been played");
        } else if self.awaits_reveal() {
            let run = for_shell(&self.run.to_string_lossy());
            self.log.say_of("end", &format!(
                "the final round has been played; the published results stay frozen until you run: judge reveal {run}"
            ));
        }
    }

    /// Reports a failure that is tried again.
    pub(super) fn tell_failure(&mut self, error: &JudgeError) {
        let again = about(AGAIN.as_secs_f64());
        let told = format!("{error}; retrying in {again}");
        self.log.say_of("failure", &told);
    }

    /// Reports on all entrants, and on those missing on the roster. `absent` lists the people on it
    /// who have submitted nothing.
    pub(super) fn tell_people(&mut self, scheduled: &Scheduled, absent: Option<String>) {
        self.log.entrants(scheduled.entrants(), &self.run);
        let is_all_there = !self.looker.acceptance.is_copying()
            && self.looker.listing.repositories.were_all_asked();
        if let Some(absent) = absent.filter(|_| is_all_there) {
            self.log.say_first("absent", &absent);
        }
        let Claims { unclaimed, doubts } = &scheduled.claims;
        for doubt in doubts {
            let doubt = format!("roster: {doubt}");
            self.log.say_of(&doubt, &doubt);
        }
        let new = unclaimed.difference(&self.unclaimed);
        if let Some(told) = Claims::not_on_roster(new) {
            self.log.say_of("unclaimed", &told);
        } else if unclaimed.is_empty() {
            self.log
                .say_over("unclaimed", "everybody is on the roster now");
        }
        self.unclaimed.clone_from(unclaimed);
    }

    pub(super) fn tell_repositories(&self) -> Result<(), JudgeError> {
        let kept = KeptSubmissions::of_run(&self.run);
        for news in self.looker.listing.repositories.take_news() {
            let told = match news {
                RepositoryNews::Fails(name, reason) if kept.newest(&name)?.is_some() => {
                    format!(
                        "{name}: {reason}; its last version stays in use, and judge will ask again"
                    )
                }
                // The report on the entrant contains it.
                RepositoryNews::Fails(..) => continue,
                RepositoryNews::IsBack(name) => format!("{name}: its repository answers again"),
            };
            self.log.say(&told);
        }
        Ok(())
    }

    /// Reports the received files that were removed to make room.
    pub(super) fn tell_removed(&self, removed: &[RemovedVersions]) {
        for one in removed {
            let versions = counted(one.versions as u64, "version");
            let megabytes = one.bytes.div_ceil(1_000_000);
            let whose = match one.entrant.as_str() {
                "" => "that were replaced before they were built".to_owned(),
                entrant => format!("of {entrant} that do not play"),
            };
            self.log.say(&format!(
                "removed the files of {versions} {whose}, to make room ({megabytes} MB)"
            ));
        }
    }

    /// Reports why nothing can be played yet.
    ///
    /// # Errors
    /// When this is the last round: nothing will change any more.
    pub(super) fn tell_lacks(
        &mut self,
        lacks: &JudgeError,
        entrants: &[Entrant],
        due: &Due,
    ) -> Result<(), JudgeError> {
        let told = if entrants.iter().any(|one| one.artifact().is_some()) {
            format!("waiting: {lacks}")
        } else {
            "waiting for submissions: no entrant can play yet".to_owned()
        };
        self.log.say_of("lacks", &told);
        if due.is_last() {
            self.is_hopeless = true;
            return Err(JudgeError::input(lacks.to_string()));
        }
        Ok(())
    }

    /// Reports which round is due.
    pub(super) fn tell_due(&mut self, due: &Due) {
        let round = &due.round;
        self.log.say_of("round", &format!("round {round}"));
        if due.frozen {
            self.log.say_of(
                "frozen",
                "the published results are frozen from now on, until judge reveal",
            );
        } else {
            self.log
                .say_over("frozen", "the published results are no longer frozen");
        }
    }
}
