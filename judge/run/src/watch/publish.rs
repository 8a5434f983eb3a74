//! The views that others see while a run is watched, in folders that a web server may serve.

use crate::location::target_of;
use crate::{Scheduled, shown_draw};
use jiff::{SignedDuration, Timestamp};
use model::builtin::is_builtin;
use model::entrants_folder::EntrantsFolder;
use report::html::{FILE_NAME, Made};
use report::{
    Extent, HiddenNames, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, View, check_view_place,
    is_revealed, moment_entrants, public_fingerprint, write_view,
};
use rulebook::{IoContext, Result, refuse};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::Keys;
use store::manifest::EntrantLine;
use store::names::refuse_guessable;
use system::files::{if_there, make_folder, set_mode, write_whole};
use system::foreign::ForeignFolder;

/// The folders in which others see the results of a watched run.
#[derive(Clone, Debug, Default)]
pub struct Publisher {
    /// The folder of the public view.
    pub public: Option<PathBuf>,
    /// The folder of the students' own views, which must not be public.
    pub students: Option<PathBuf>,
}

#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: Timestamp,
    /// Whether nothing that has happened since the freeze may be shown.
    pub(super) frozen: bool,
}

/// A flag that is never set, because publishing takes only seconds.
static GOES_ON: AtomicBool = AtomicBool::new(false);

const LATEST_BYTES_MAX: u64 = 16 << 20;

/// The interval between two notes while games are missing.
const UNFINISHED_EVERY: SignedDuration = SignedDuration::from_hours(1);

impl Publisher {
    /// Before anything is made. `read` are the files and folders that the run is made from.
    pub(super) fn check(&self, run: &Path, read: &[PathBuf]) -> Result {
        let folders = self.views();
        let keys = Keys::find(run)?.map(|keys| public_fingerprint(&keys.fingerprint()));
        for (flag, view, folder) in &folders {
            let mut others = vec![("the run's folder", run)];
            // The name of a built-in competition is no file.
            let there = read.iter().filter(|one| one.exists());
            others.extend(there.map(|one| ("the run's input", &**one)));
            let rest = folders.iter().filter(|(other, ..)| other != flag);
            others.extend(rest.map(|(other, _, folder)| (*other, *folder)));
            for (what, other) in others {
                if are_nested(folder, other)? {
                    return refuse(format!(
                        "{flag} {} and {what} ({}) overlap; give {flag} a folder of its own",
                        folder.display(),
                        other.display()
                    ));
                }
            }
            check_view_place(*view, keys.as_deref(), folder, flag)?;
        }
        Ok(())
    }

    fn views(&self) -> Vec<(&'static str, View, &Path)> {
        let public = self.public.as_deref();
        let students = self.students.as_deref();
        [
            ("--publish", View::Public, public),
            ("--publish-students", View::Student, students),
        ]
        .into_iter()
        .filter_map(|(flag, view, folder)| Some((flag, view, folder?)))
        .collect()
    }

    /// The versions are not played yet. Returns why that is impossible, if it is due.
    pub(super) fn received(&self, scheduled: &Scheduled, moment: Moment) -> Result<Vec<String>> {
        let Some(folder) = &self.students else {
            return Ok(Vec::new());
        };
        let manifest = &scheduled.manifest;
        let title = &manifest.competition.title;
        let run = scheduled.as_played();
        let hidden_names = HiddenNames::new(&run, &run.public_names()?)?;
        let are_reported =
            write_submissions(folder, run.folder, &hidden_names, title, &manifest.entrants)?;
        if are_reported || !stands_still(scheduled, moment) {
            return Ok(Vec::new());
        }
        Ok(vec![format!(
            "{} has no view, and judge may make none before judge reveal, so students see nothing until then; if \
             there was a view, put it back",
            folder.display()
        )])
    }

    /// While the views are frozen, writes only the state of each newest version. Returns which
    /// kinds of names are shown, and which names are not, with the reasons.
    pub(super) fn show(
        &self,
        scheduled: &mut Scheduled,
        moment: Moment,
        freeze: Option<Timestamp>,
    ) -> Result<Vec<String>> {
        if stands_still(scheduled, moment) {
            return self.received(scheduled, moment);
        }
        let folders = self.views();
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        shown_draw::refuse_showing_at(&scheduled.manifest, Some(moment.now))?;
        let names = scheduled.as_played().public_names()?;
        refuse_guessable(&scheduled.manifest, &names)?;
        // The draw is marked as shown before anything is shown.
        scheduled.mark_shown()?;
        let run = scheduled.as_played();
        let extent = Extent {
            full: false,
            live: Some(Made {
                at: moment.now,
                freeze,
            }),
            stop: &GOES_ON,
        };
        // A failure to write one view does not stop the other.
        let written: Vec<_> = folders
            .into_iter()
            .map(|(flag, view, folder)| {
                write_view(&run, view, extent, (folder, flag), &[], &mut || Ok(()))
            })
            .collect();
        for one in written {
            one?;
        }
        let kinds: Vec<&str> = names.kinds().map(|(kind, _)| kind).collect();
        let published =
            (!kinds.is_empty()).then(|| format!("published names: {}", kinds.join(", ")));
        Ok(published.into_iter().chain(names.refused).collect())
    }
}

fn stands_still(scheduled: &Scheduled, now: Moment) -> bool {
    !is_revealed(&scheduled.manifest.draw) && now.frozen
}

/// The run's own tables show it too, and are written after this.
pub(super) fn note(scheduled: &mut Scheduled, now: Moment) -> Result {
    let run = scheduled.as_played();
    let played = run.ids.iter().filter(|id| run.games.contains(**id));
    let stands = store::Moment {
        at: now.now,
        round: run.manifest.competition.round.clone(),
        played: played.count() as u64,
        of: run.ids.len() as u64,
        frozen: stands_still(scheduled, now),
        entrants: moment_entrants(run.manifest, &run.table()?),
    };
    if is_worth_noting(run.games.moments().next_back(), &stands) {
        scheduled.journal.append_moment(&stands)?;
        scheduled.journal.note_end()?;
        scheduled.journal.sync()?;
    }
    Ok(())
}

/// Ranks after a part of the games mean little, so they are noted rarely.
fn is_worth_noting(last: Option<&store::Moment>, new: &store::Moment) -> bool {
    // A freeze that was set by mistake also ends.
    let begins = new.frozen != last.is_some_and(|last| last.frozen);
    if begins || last.is_some_and(|last| last.is_as(new)) {
        return begins;
    }
    let is_long_ago = |last: &store::Moment| new.at.duration_since(last.at) >= UNFINISHED_EVERY;
    new.played > 0 && (new.played == new.of || last.is_none_or(is_long_ago))
}

fn is_view(folder: &Path) -> Result<bool> {
    if_there(fs::symlink_metadata(folder.join(MARK_NAME)))
        .map(|mark| mark.is_some())
        .or_io("write the students' view into", folder)
}

/// Returns whether there is a view to show it in.
fn write_submissions(
    folder: &Path,
    run: &Path,
    hidden_names: &HiddenNames,
    title: &str,
    entrants: &[EntrantLine],
) -> Result<bool> {
    if !is_view(folder)? {
        return Ok(false);
    }
    for line in entrants.iter().filter(|line| !is_builtin(&line.name)) {
        let name = EntrantsFolder::Views.folder_of(&line.name);
        let own = folder.join(&name);
        let path = own.join(LATEST_NAME);
        let before = ForeignFolder::open(folder)
            .and_then(|views| {
                views
                    .folder(name.as_ref())?
                    .read(LATEST_NAME.as_ref(), LATEST_BYTES_MAX)
            })
            .unwrap_or_default();
        let submission = LatestSubmission::of(run, hidden_names, line)?;
        let page = submission.page(title);
        let latest = Latest {
            submission: Some(submission),
            ..Latest::read(&before).unwrap_or_default()
        };
        let text = latest.text();
        if text == before {
            continue;
        }
        make_folder(&own)?;
        readable(&own, 0o755)?;
        if latest.digest.is_empty() {
            let place = own.join(FILE_NAME);
            write_whole(&place, page.as_bytes())?;
            readable(&place, 0o644)?;
        }
        write_whole(&path, &text)?;
        readable(&path, 0o644)?;
    }
    Ok(true)
}

fn readable(place: &Path, mode: u32) -> Result {
    set_mode(place, mode).or_io("open", place)
}

fn are_nested(one: &Path, other: &Path) -> Result<bool> {
    let real = |path: &Path| target_of(path).or_io("read", path);
    let (one, other) = (real(one)?, real(other)?);
    Ok(one.starts_with(&other) || other.starts_with(&one))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read what they have made")]
mod tests {
    use super::*;

    #[test]
    fn nested_or_occupied_publish_folders_are_refused() {
        let top = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| top.path().join(name);
        for name in ["run", "submissions", "full", "course", "other"] {
            fs::create_dir(at(name)).expect("new");
        }
        fs::write(at("full/mine.txt"), "mine").expect("new");
        fs::write(at("course/roster.csv"), "").expect("new");
        let mark = "the public view of a run, made by judge report\nrun 5f\n";
        fs::write(at("other").join(MARK_NAME), mark).expect("new");
        std::os::unix::fs::symlink(at("run"), at("link")).expect("new");
        let read = ["submissions", "course/roster.csv", "reversi"].map(at);
        let check = |publish: &str, students: &str| {
            let publisher = Publisher {
                public: Some(at(publish)),
                students: Some(at(students)),
            };
            publisher.check(&at("run"), &read)
        };
        check("www", "students").expect("both are new");
        check("course/www", "course/students").expect("they lie beside the roster");
        check("reversi", "students").expect("a game's name is no file");
        for (publish, students, reported) in [
            ("www", "www", "overlap"),
            ("www", "www/students", "--publish"),
            ("students/www", "students", "overlap"),
            ("run/www", "students", "the run's folder"),
            ("link/www", "students", "the run's folder"),
            (".", "students", "the run's folder"),
            ("submissions/new/www", "students", "the run's input"),
            ("www", "submissions", "the run's input"),
            ("course", "students", "the run's input"),
            ("full", "students", "it contains other files"),
            ("www", "full", "--publish-students"),
            ("other", "students", "the view of another run"),
            ("www", "other", "it contains other files"),
        ] {
            let refused = check(publish, students).expect_err(publish).to_string();
            let holds = refused.contains(reported);
            assert!(holds, "{publish} {students}: {refused}");
        }
        // It is the run's own view once the run has these keys.
        let keys = Keys::make(&at("run"), false).expect("valid");
        let mark = mark.replace("5f", &public_fingerprint(&keys.fingerprint()));
        fs::write(at("other").join(MARK_NAME), mark).expect("writable");
        check("other", "students").expect("it is of this run");
    }

    #[test]
    fn moment_is_noted_when_played_hourly_or_freezing() {
        let moment = |second: i64, played: u64, frozen: bool| store::Moment {
            at: Timestamp::from_second(second).expect("near"),
            round: "practice/1".to_owned(),
            played,
            of: 4,
            frozen,
            entrants: Vec::new(),
        };
        let first = moment(0, 4, false);
        let noted = |last: Option<&store::Moment>, second, played, frozen| {
            is_worth_noting(last, &moment(second, played, frozen))
        };
        assert!(!noted(None, 0, 0, false), "nothing has been played");
        assert!(noted(None, 0, 1, false) && noted(None, 0, 0, true));
        assert!(!noted(Some(&first), 9000, 4, false), "nothing is new");
        let holds = !noted(Some(&first), 3599, 2, false);
        assert!(holds, "they are being played");
        assert!(noted(Some(&first), 3600, 2, false));
        assert!(noted(Some(&moment(0, 2, false)), 1, 4, false));
        assert!(noted(Some(&first), 1, 0, true), "a freeze begins");
        let frozen = moment(1, 4, true);
        assert!(!noted(Some(&frozen), 9000, 4, true));
        assert!(noted(Some(&frozen), 2, 4, false), "it has thawed");
    }

    #[test]
    fn freeze_reports_only_own_version_to_each_student() {
        let top = tempfile::tempdir().expect("a temporary folder");
        let line = |version| EntrantLine {
            name: "ann".to_owned(),
            version: Some(version),
            broken: Some("it does not build".to_owned()),
            ..EntrantLine::default()
        };
        let write = |folder: &Path, title: &str, lines: &[EntrantLine]| {
            write_submissions(folder, folder, &HiddenNames::default(), title, lines)
        };
        write(top.path(), "Cats", &[line(1)]).expect("nothing to do");
        assert_eq!(fs::read_dir(top.path()).expect("readable").count(), 0);
        fs::write(top.path().join(MARK_NAME), "").expect("new");
        let path = top.path().join("ann").join(LATEST_NAME);
        let before = Latest {
            digest: "page".to_owned(),
            played: 7,
            ..Latest::default()
        };
        fs::create_dir(top.path().join("ann")).expect("new");
        fs::write(&path, before.text()).expect("new");
        let read = || Latest::read(&fs::read(&path).expect("there")).expect("readable");
        write(top.path(), "Cats", &[line(2)]).expect("writable");
        let reported = read();
        assert_eq!((reported.digest.as_str(), reported.played), ("page", 7));
        let own = reported.submission.expect("reported");
        assert_eq!((own.version, own.plays), (Some(2), false));
        let modified = || fs::metadata(&path).and_then(|it| it.modified());
        let made = modified().expect("there");
        write(top.path(), "Cats", &[line(2)]).expect("writable");
        let again = modified().expect("there");
        assert_eq!(made, again, "nothing is written that does not change");
        let holds = !top.path().join("ann").join(FILE_NAME).exists();
        assert!(holds, "it has a page");

        // A new student's page shows it.
        let new = EntrantLine {
            name: "<b>".to_owned(),
            ..line(1)
        };
        write(top.path(), "Cats & mice", &[new]).expect("writable");
        let page = top
            .path()
            .join(EntrantsFolder::Views.folder_of("<b>"))
            .join(FILE_NAME);
        let page = fs::read_to_string(page).expect("it is there");
        assert!(page.contains("<h1>Cats &amp; mice</h1>"), "{page}");
        assert!(page.contains("Received last: version 1. It does not play: it does not build."));
    }
}
