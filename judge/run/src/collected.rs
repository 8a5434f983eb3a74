//! The submissions of a run and its competition, before anything is built.

use crate::commands::{path_for_shell, program, shown};
use crate::event::{Sink, stage};
use crate::location::RESULTS;
use crate::permissions::Staff;
use crate::spec::RunSpec;
use crate::{location, permissions};
use intake::people::{self, ListRules};
use intake::{Class, Expected, Ignored, KeptSubmissions, Opening, PolledRepositories, Submission};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use model::builtin::PREFIX;
use model::competition::Schedule;
use model::entrant::Roster;
use model::fault::quote;
use model::lateness::Deadlines;
use model::text::{listed, listed_sentences};
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, Result, refuse, schedule};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use system::run_folder;

/// The submissions of a run, and its competition. A watch, a match or a correction chooses them.
#[derive(Debug)]
pub struct Collected {
    pub(crate) spec: RunSpec,
    pub(crate) loaded: Loaded,
    pub(crate) class: Class,
    pub(crate) roster: Option<Roster>,
    pub(crate) sources: ReceiptSources,
    /// When they were received, where no other source says so.
    pub(crate) received: SystemTime,
}

impl RunSpec {
    /// Reads the submissions, the roster and the competition.
    #[expect(
        clippy::disallowed_methods,
        reason = "the time at which files are taken"
    )]
    pub fn collect(self, sink: &dyn Sink, stop: &AtomicBool) -> Result<Collected> {
        let received = SystemTime::now();
        sink.notes(permissions::note(&self.all_places()));
        let loaded = self.read_competition()?;
        // Before the fetch of all submissions, if the game is known without them.
        if let Ok(changed) = self.change(loaded.clone(), &[]) {
            location::refuse_beside(&self.chosen(&*changed.rules))?;
        }
        let mut class = stage(sink, "reading the submissions", || {
            self.read_places(loaded.as_ref(), None, stop)
        })?;
        let pool = self.read_pool(loaded.as_ref(), &mut class, sink, stop)?;
        let mut loaded = self.change(loaded, &class.submissions)?;
        if !pool.is_empty() {
            set_gauntlet(&mut loaded, pool)?;
        }
        sink.notes(self.competition.note_on_rules(&loaded));
        let rules = list_rules(&loaded, received)?;
        let mut sources = ReceiptSources::of(&loaded);
        sources.roster = self.roster_path(&class).map(Path::to_owned);
        let mut roster = None;
        if let Some(path) = &sources.roster {
            let mut read = people::read(path, &rules, &class.submissions)?;
            intake::apply_list(&mut class, &mut read);
            sources.times_at = read.times_at;
            roster = Some(read.roster);
        }
        if let Some(zone) = &rules.zone
            && intake::date_receipts(&mut class.submissions, zone, rules.now)
        {
            let zone = zone_words(zone);
            sink.note(&format!(
                "the times in the names of the download are read in the {zone}"
            ));
        }
        let mut marks = class.submissions.iter().filter_map(|one| one.mark);
        if rules.zone.is_none() && marks.any(|mark| mark.received.is_some()) {
            let note = "the times in the names of the download are not used, because the competition has no deadline";
            sink.note(note);
        }
        Ok(Collected {
            spec: self,
            loaded,
            class,
            roster,
            sources,
            received,
        })
    }

    /// `loaded` is the competition's file; `polled` is as in [`intake::Opening`].
    pub(crate) fn read_places(
        &self,
        loaded: Option<&Loaded>,
        polled: Option<&Arc<PolledRepositories>>,
        stop: &AtomicBool,
    ) -> Result<Class> {
        let staff = self.staff();
        self.admit_places()?;
        named_once(&self.all_places())?;
        let opening = Opening {
            results: self.out.as_deref().or(Some(Path::new(RESULTS))),
            polled,
            ..Opening::new(Expected::Class, self.game(loaded), stop)
        };
        let (mut class, rosters) = collect_places(&self.places, opening, Some(&staff))?;
        if self.roster.is_none() {
            class.roster = only_roster(rosters)?;
        }
        let course: Vec<&str> = loaded
            .iter()
            .flat_map(|loaded| &loaded.competition.kit.files)
            .map(|file| file.name.as_str())
            .chain(loaded.and_then(|loaded| loaded.keys.get("states")?.as_str()))
            .collect();
        let is_courses = |ignored: &Ignored| course.iter().any(|name| ignored.is(name));
        class.ignored.retain(|ignored| !is_courses(ignored));
        if self.roster_path(&class).is_none() {
            class
                .ignored
                .extend(self.places.iter().find_map(|place| roster_around(place)));
        }
        if let Some(roster) = self.roster_path(&class) {
            staff.admit(roster)?;
        }
        Ok(class)
    }

    /// A bot of the class that is in the pool too stays in the class alone.
    fn read_pool(
        &self,
        loaded: Option<&Loaded>,
        class: &mut Class,
        sink: &dyn Sink,
        stop: &AtomicBool,
    ) -> Result<Vec<String>> {
        let mut names = self.pool_builtins.clone();
        let places = &self.pool_places;
        if places.is_empty() {
            return Ok(names);
        }
        if let Some(name) = places.iter().find_map(|place| bot_without_prefix(place)) {
            return refuse(format!(
                "--against {name}: there is no such folder; the built-in bot is {PREFIX}{name}"
            ));
        }
        let opening = Opening::new(Expected::Class, self.game(loaded), stop);
        let (pool, _) = collect_places(places, opening, Some(&self.staff()))?;
        class.ignored.extend(pool.ignored);
        for one in pool.submissions {
            let name = &one.name;
            if class.submissions.iter().any(|own| own.name == *name) {
                sink.note(&format!(
                    "{name} plays against the pool, so the {name} in it is left out"
                ));
            } else {
                names.push(name.clone());
                class.submissions.push(one);
            }
        }
        if names.is_empty() {
            return refuse(
                "--against names only bots that play against the pool; name a folder with others, or a built-in bot, \
                 such as builtin:random",
            );
        }
        class.submissions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(names)
    }

    fn game<'a>(&'a self, loaded: Option<&'a Loaded>) -> Option<&'a Arc<dyn Rules>> {
        let own = loaded.map(|loaded| &loaded.rules);
        own.or(self.competition.game.as_ref())
    }

    pub(crate) fn roster_path<'a>(&'a self, class: &'a Class) -> Option<&'a Path> {
        self.roster
            .as_ref()
            .or(class.roster.as_ref())
            .map(PathBuf::as_path)
    }
}

fn bot_without_prefix(place: &Path) -> Option<&str> {
    let name = place.to_str().filter(|_| !place.exists())?;
    let is_bot = |(bot, _): (&str, &str)| bot == name;
    let mut games = rulebook::rules::built_in();
    games
        .any(|rules| rules.baselines().into_iter().any(is_bot))
        .then_some(name)
}

fn set_gauntlet(loaded: &mut Loaded, against: Vec<String>) -> Result {
    let competition = &mut loaded.competition;
    let seats = schedule::roles(competition)?.len();
    if seats > 2 {
        let title = loaded.rules.info().title;
        return refuse(format!(
            "--against is for games for two, and {title} is for {seats}; enter all bots in one run, or compare two \
             with judge match --opponents"
        ));
    }
    competition.drop_course_rules();
    competition.schedule = Schedule::Gauntlet { against };
    Ok(())
}

fn roster_around(place: &Path) -> Option<Ignored> {
    let path = place.canonicalize().ok()?.parent()?.join(people::FILE_NAME);
    let shown = path.is_file().then(|| path_for_shell(&path))?;
    let reason = format!(
        "not used: it is not in the submissions' folder; if it is theirs: --roster {shown}"
    );
    Some(Ignored::entry(shown, reason))
}

pub(crate) fn list_rules(loaded: &Loaded, now: SystemTime) -> Result<ListRules> {
    Ok(ListRules {
        deadline: loaded.competition.deadline,
        leaves_out_earlier: false,
        zone: zone(loaded)?,
        now: Timestamp::try_from(now).unwrap_or(Timestamp::MAX),
    })
}

fn zone(loaded: &Loaded) -> Result<Option<TimeZone>> {
    let (Some(offset), Some(deadline)) = (loaded.zone, loaded.competition.deadline) else {
        return Ok(None);
    };
    let Some(name) = &loaded.timezone else {
        return Ok(Some(TimeZone::fixed(offset)));
    };
    let shown = quote(name.as_bytes());
    let zone = TimeZone::get(name).map_err(|_| {
        JudgeError::input(format!(
            "timezone: {shown} is not in this machine's database of time zones; write a name such as \
             \"Europe/Stockholm\", and install the package tzdata if it is missing"
        ))
    })?;
    let there = zone.to_offset(deadline);
    if there == offset {
        return Ok(Some(zone));
    }
    let [there, own] = [there, offset].map(written);
    refuse(format!(
        "timezone: at the deadline, the time in {shown} is {there}, but the deadline is written at {own}; correct \
         one of the two"
    ))
}

/// Reads the submissions of all places, and lists the rosters next to them. `staff` check the folder
/// that holds a class.
pub(crate) fn collect_places(
    places: &[PathBuf],
    opening: Opening<'_>,
    staff: Option<&Staff>,
) -> Result<(Class, Vec<PathBuf>)> {
    named_once(places)?;
    let mut all = Class::default();
    let mut rosters = Vec::new();
    let mut homes: HashMap<String, &Path> = HashMap::new();
    let mut twice = Vec::new();
    for place in places {
        refuse_run(place)?;
        let class = intake::open(place, opening)?.into_class();
        if let Some(staff) = staff {
            staff.admit_place(&class.place)?;
        }
        for one in class.submissions {
            if let Some(home) = homes.insert(one.name.clone(), place) {
                let (name, home, place) = (&one.name, home.display(), place.display());
                twice.push(format!("{name} is in {home} and in {place}"));
            }
            all.submissions.push(one);
        }
        all.ignored.extend(class.ignored);
        rosters.extend(class.roster);
    }
    if twice.is_empty() {
        all.submissions.sort_by(|a, b| a.name.cmp(&b.name));
        return Ok((all, rosters));
    }
    refuse(format!(
        "{}; names of entrants must differ, so rename one of the two",
        listed_sentences(&twice)
    ))
}

fn refuse_run(place: &Path) -> Result {
    let is_run = [run_folder::MANIFEST, run_folder::JOURNAL]
        .iter()
        .all(|name| place.join(name).is_file());
    if !is_run {
        return Ok(());
    }
    refuse(format!(
        "{} is a run, and not its submissions; to see its results: {} explain {}",
        place.display(),
        program(),
        path_for_shell(place)
    ))
}

fn named_once(places: &[PathBuf]) -> Result {
    let real = |place: &PathBuf| place.canonicalize().unwrap_or_else(|_| place.clone());
    for (at, place) in places.iter().enumerate() {
        if places[..at].iter().any(|other| real(other) == real(place)) {
            return refuse(format!("{} appears twice; remove one", place.display()));
        }
    }
    Ok(())
}

fn only_roster(rosters: Vec<PathBuf>) -> Result<Option<PathBuf>> {
    if let [one, other, ..] = rosters.as_slice()
        && one != other
    {
        return refuse(format!(
            "found two rosters, {} and {}; merge them into one file and name it with --roster",
            one.display(),
            other.display()
        ));
    }
    Ok(rosters.into_iter().next())
}

#[derive(Debug, Default)]
pub(crate) struct ReceiptSources {
    pub(crate) roster: Option<PathBuf>,
    /// Zone in which a platform's times in the roster were read; `None` if it has none.
    pub(crate) times_at: Option<TimeZone>,
    /// Offset from UTC with which the deadline is written.
    pub(crate) zone: Option<Offset>,
    /// Whether the competition's file accepts the judge's clock.
    pub(crate) judges_clock_counts: bool,
}

impl ReceiptSources {
    pub(crate) fn of(loaded: &Loaded) -> Self {
        Self {
            zone: loaded.zone,
            judges_clock_counts: loaded.judges_clock_counts,
            ..Self::default()
        }
    }

    pub(crate) fn note(&self) -> Option<String> {
        let (roster, zone) = (self.roster.as_ref()?, self.times_at.as_ref()?);
        Some(format!(
            "times of receipt in {} are read in the {}; they are exact to the minute",
            shown(roster),
            zone_words(zone)
        ))
    }

    /// `run` has the receipts noted before.
    pub(crate) fn refuse_late(
        &self,
        run: &Path,
        submissions: &[Submission],
        roster: Option<&Roster>,
        deadlines: &Deadlines,
        now: Timestamp,
    ) -> Result {
        let Some(deadline) = deadlines.of_all().filter(|_| !self.judges_clock_counts) else {
            return Ok(());
        };
        let late = KeptSubmissions::of_run(run).late_by_first_sight(submissions, deadlines, now)?;
        let [first, ..] = late.as_slice() else {
            return Ok(());
        };
        let (count, were, them) = match late.len() {
            1 => ("1 submission".to_owned(), "was", "it"),
            count => (format!("{count} submissions"), "were", "them"),
        };
        let zone = self.zone.unwrap_or(Offset::UTC);
        let example = format!("{}{}", zone.to_datetime(deadline), suffix(zone));
        let cells = [first, first, example.as_str()].map(cell).join(",");
        let record = match &self.roster {
            Some(file) => format!(
                "{}write the time into the column received of {} (add it if it is missing), as {example}",
                roster
                    .and_then(|roster| unmatched(roster, &late, file))
                    .unwrap_or_default(),
                shown(file)
            ),
            None => format!(
                "give a file with --roster, with one line for each as\nsubmission,id,received\n{cells}{}",
                if submissions
                    .iter()
                    .all(|one| one.mark.is_none_or(|mark| mark.platform == "Moodle"))
                {
                    "\nMoodle's grading worksheet has these times: give it with --roster."
                } else {
                    ""
                }
            ),
        };
        refuse(format!(
            "cannot tell whether {count} {were} in time: the judge first sees {them} now, after the deadline \
             {example}: {}\nIf the platform received {them} in time, {record}\nTo use the judge's clock instead, add \
             this line to the competition's file, above its first table:\nreceived = \"judge\"",
            listed(&late)
        ))
    }
}

fn zone_words(zone: &TimeZone) -> String {
    match zone.to_fixed_offset() {
        Ok(offset) => format!("deadline's zone, {}", written(offset)),
        Err(_) => format!("zone {}", zone.iana_name().unwrap_or_default()),
    }
}

/// A roster's times count only for submissions that it matches.
fn unmatched(roster: &Roster, late: &[String], file: &Path) -> Option<String> {
    let is_matched = |name: &str| roster.people.iter().any(|who| who.submission == name);
    let mut unmatched: Vec<&str> = late.iter().map(String::as_str).collect();
    unmatched.retain(|name| !is_matched(name));
    (!unmatched.is_empty()).then(|| {
        format!(
            "first write these names into the column submission of {} (add it if it is missing), each in its author's line, because no line matches them: {}\n\
             Where a line matches and has no time, ",
            shown(file),
            listed(&unmatched)
        )
    })
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn written(offset: Offset) -> String {
    match offset {
        Offset::UTC => "UTC".to_owned(),
        offset => format!("UTC{}", suffix(offset)),
    }
}

fn suffix(offset: Offset) -> String {
    let seconds = offset.seconds();
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::entrant::Person;

    #[test]
    fn submissions_that_no_line_matches_are_named() {
        let person = |submission: &str| Person {
            submission: submission.to_owned(),
            ..Person::default()
        };
        let roster = Roster {
            people: vec![person("ann"), person("")],
            ..Roster::default()
        };
        let late = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            unmatched(&roster, &names, Path::new("roster.csv"))
        };
        assert_eq!(late(&["ann"]), None);
        let reported = late(&["ann", "bob", "cid"]).expect("two are not matched");
        let holds = reported.contains("no line matches them: bob, cid\n");
        assert!(holds, "{reported}");
    }

    #[test]
    fn offsets_are_written_as_people_read_them() {
        for (seconds, expected) in [
            (0, "UTC"),
            (3600, "UTC+01:00"),
            (-12_600, "UTC-03:30"),
            (20_700, "UTC+05:45"),
        ] {
            let offset = Offset::from_seconds(seconds).expect("allowed");
            assert_eq!(written(offset), expected);
        }
    }
}
