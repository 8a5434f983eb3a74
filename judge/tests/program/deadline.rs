//! Late submissions: the version that plays, and the points taken off, by the roster's receipts and
//! extensions.

use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, Has, Run, Scene, cells_of, read_csv};
use std::fs;

/// Prizes of 20 points for ranks 1 to 4. Being late costs 5 points within 24 h, and 8 within 48 h.
const PRIZES: &str = "[scoring]\nties = [\"wins\"]\n[[scoring.prizes]]\nto_rank = 4\npoints = 20\n";

const LATE: &str = "late = [{ within_h = 24, penalty = 5 }, { within_h = 48, penalty = 8 }]\n";

fn rule(scene: &Scene, lines: &str) {
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-01-01T18:00:00+01:00\n{lines}[config]\nside = 5\n{PRIZES}"
    );
    scene.put("competition.toml", text);
}

fn compete(scene: &Scene, lines: &str, roster: &str) {
    rule(scene, lines);
    let roster = format!("submission,id,extension,received\n{roster}");
    scene.put("roster.csv", roster);
}

fn assert_reported_in_moodle(scene: &Scene, zoe: &str) {
    let worksheet = "Identifier,Full name,Grade,Maximum grade,Feedback comments\n\
        1,ann,,20,\n2,bob,,20,kept\n3,eve,,20,\n5,zoe,,20,\n";
    scene.write("worksheet.csv", worksheet);
    scene.judge("grades out --fill worksheet.csv");
    let rows = read_csv(&scene.text("worksheet-filled.csv"));
    let reported = |row: usize| rows[row].get("Feedback comments");
    assert_eq!((reported(0), reported(1), reported(3)), ("", "kept", zoe));
    assert!(reported(2).ends_with(": 8 points taken off"), "{rows:?}");
}

#[test]
fn receipt_record_and_extension_determine_late_penalty() {
    let scene = Scene::of(["ann", "bob", "eve", "joe", "zoe"]);
    let roster = "ann,1,,2020-01-01T17:00:00Z\n\
        bob,2,,2020-01-01T17:00:01Z\n\
        eve,3,2020-01-05T00:00:00Z,2020-01-06T12:00:00Z\n\
        joe,4,2020-01-05T00:00:00Z,2020-01-04T00:00:00Z\n\
        zoe,5,,2020-01-09T00:00:00Z\n";
    compete(&scene, LATE, roster);
    let mut session = Session::default();
    session.run(&mut scene.command_by_secret(""));
    let columns = "entrant,received_by,extended,timing,penalty";
    let reported = scene.cells("submissions.csv", columns);
    let expected = [
        "ann,platform,,in time,",
        "bob,platform,,late,5",
        "eve,platform,yes,late,8",
        "joe,platform,yes,in time,",
        "zoe,platform,,too late,",
    ];
    assert_eq!(reported, expected);
    for (entrant, prize) in [("ann", "20"), ("bob", "15"), ("eve", "12"), ("joe", "20")] {
        let row = scene.row("standings.csv", entrant);
        assert_eq!(row.get("prize"), prize, "{entrant}");
    }
    let late = "received 2020-01-09T00:00:00Z by the platform's record, 175.0 h after the deadline 2020-01-01T17:00:00Z";
    let zoe = scene.row("standings.csv", "zoe");
    assert_eq!(zoe.cells("rank,prize,too_late"), format!(",,{late}"));
    for entrant in ["eve", "zoe"] {
        session.run(&mut scene.verb("explain", &[entrant]));
    }
    session.compare("run__late");
    scene.does("grades", &["--format", "gradescope"]);
    let results = |name: &str| scene.read(&format!("staff/grades-gradescope/{name}/results.json"));
    results("eve").has(&["8 points taken off"]);
    results("zoe").has(&["too late: received 2020-01-09"]);
    assert_reported_in_moodle(&scene, late);
    scene.does("verify", "");
    scene.view("public", "www");
    let manifest = scene.text("www/run.json");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("valid");
    for line in manifest["entrants"].as_array().expect("a list") {
        let line = line.as_object().expect("an entrant");
        let name = line["name"].as_str().expect("a name");
        let known = |key: &String| ["name", "form", "artifact"].contains(&key.as_str());
        let more: Vec<&String> = line.keys().filter(|key| !known(key)).collect();
        let expected: &[&str] = match name {
            "bob" | "eve" => &["penalty"],
            "zoe" => &["unranked"],
            _ => &[],
        };
        assert_eq!(more, expected, "{name}");
    }
    scene.view("student", "students");
    let own = |file: &str| scene.text(&format!("students/{file}"));
    let rows = read_csv(&own("eve/submission.csv"));
    let reported = cells_of(&rows, "received,deadline,timing,penalty");
    let expected = "2020-01-06T12:00:00Z,2020-01-05T00:00:00Z,late,8";
    assert_eq!(reported, [expected]);
    let until = "You may submit until 2020-01-05 00:00 UTC.";
    own("eve/report.html").has(&["8 points taken off", until]);
    own("zoe/report.html").has(&["Too late: received 2020-01-09"]);
    own("ann/report.html").lacks(&["You may submit until"]);
    let table = read_csv(&scene.text("www/standings.csv"));
    assert!(cells_of(&table, "entrant,prize").contains(&"eve,12".to_owned()));
    scene.judge("verify www");
}

#[test]
fn late_version_does_not_replace_working_timely_one() {
    let scene = Scene::of(["ann", "bob"]);
    let roster = |received: &str| {
        let early = "2020-01-01T00:00:00Z";
        format!("ann,1,,{received}\nbob,2,,{early}\nzoe,3,,{early}\n")
    };
    let row = |scene: &Scene| {
        let row = scene.row("submissions.csv", "ann");
        row.cells("plays,version,timing,penalty")
    };
    // The version in time does not work; the one after it is late.
    scene.script("ann", "no program");
    compete(&scene, LATE, &roster("2020-01-01T00:00:00Z"));
    scene.first_legal("zoe");
    scene.run_as_is().well();
    assert_eq!(row(&scene), "no,1,in time,");
    scene.first_legal("ann");
    compete(&scene, LATE, &roster("2020-01-02T00:00:00Z"));
    scene.run_as_is().well();
    assert_eq!(row(&scene), "yes,2,late,5");
    // A later one plays where no better one exists, unless it costs more.
    let more = format!("{FIRST_LEGAL}# more\n");
    scene.script("ann", &more);
    compete(&scene, LATE, &roster("2020-01-03T00:00:00Z"));
    let mut session = Session::default();
    session.run(&mut scene.command_by_secret(""));
    assert_eq!(row(&scene), "yes,2,late,5");
    scene.does("verify", "");
    // Even without a penalty, no late version replaces one in time.
    scene.script("bob", &more);
    let roster = "ann,1,,2020-01-01T00:00:00Z\nbob,2,,2020-01-01T17:00:06Z\n";
    compete(&scene, "too_late = \"graded\"\n", roster);
    session.run(&mut scene.command_by_secret(""));
    session.compare("run__late_versions");
}

#[test]
fn judges_own_record_counts_without_platform_record() {
    let scene = Scene::of(["ann", "bob", "zoe"]);
    let roster = "ann,1,,2020-01-01T00:00:00Z\nbob,2,,2020-01-01T00:00:00Z\nzoe,3,,\n";
    let row = |scene: &Scene| {
        let row = scene.row("submissions.csv", "zoe");
        row.cells("plays,received_by,timing")
    };
    let counts = "received = \"judge\"\n";
    compete(&scene, &format!("too_late = \"graded\"\n{counts}"), roster);
    let mut session = Session::default();
    session.run(&mut scene.command_by_secret(""));
    assert_eq!(row(&scene), "yes,judge,late");
    session.run(&mut scene.verb("grades", &["--format", "csv"]));
    let not_played = format!("too_late = \"not-played\"\n{counts}");
    compete(&scene, &not_played, roster);
    session.run(&mut scene.command_by_secret(""));
    assert_eq!(row(&scene), "no,judge,too late");
    session.run(&mut scene.verb("explain", &["zoe"]));
    let zoe = scene.row("standings.csv", "zoe");
    assert!(zoe.get("too_late").starts_with("received "));
    let needs = format!("{PRIZES}[scoring.prize_needs]\nahead_of = [\"zoe\"]\n");
    let text = scene.text("submissions/competition.toml");
    let ahead = text
        .replace("not-played", "ungraded")
        .replace(PRIZES, &needs);
    scene.put("competition.toml", ahead);
    session.run(&mut scene.command_by_secret(""));
    session.compare("run__late_by_the_judges_clock");
}

#[test]
fn late_judge_makes_nobody_late_unless_staff_decide() {
    let scene = Scene::of(["ann"]);
    scene.first_legal("lee, \"bob\"").first_legal("zoe");
    let ungraded = "too_late = \"ungraded\"\n";
    rule(&scene, ungraded);
    let refused = scene.run_as_is().refused(&[
        "cannot tell whether 3 submissions were in time: the judge first sees them now, after the deadline \
         2020-01-01T18:00:00+01:00: ann, lee, \"bob\", zoe\n",
        "Moodle's grading worksheet has these times: give it with --roster.\n",
        "with one line for each as\nsubmission,id,received\nann,ann,2020-01-01T18:00:00+01:00\n",
        "above its first table:\nreceived = \"judge\"\n",
    ]);
    assert!(!scene.out().exists(), "nothing stays of it");
    // A roster that matches nobody is named as the cause.
    let roster = "submission,id,received\nnobody,17,2020-01-01T17:00:00+01:00\nzoe,18,\n";
    scene.put("roster.csv", roster);
    scene.run_as_is().refused(&[
        "first write these names into the column submission of ",
        "because no line matches them: ann, lee, \"bob\"\nWhere a line matches and has no time, write the time",
    ]);
    // Each of the printed lines is enough, unchanged.
    let lines: Vec<&str> = refused.stderr.lines().collect();
    let mut all = lines.iter();
    let at = all.position(|line| line.starts_with("submission,"));
    let at = at.expect("there");
    let roster = [
        lines[at],
        lines[at + 1],
        "\"lee, \"\"bob\"\"\",2,2020-01-01T18:00:00+01:00",
        "zoe,3,2020-01-01T18:00:01+01:00",
        "",
    ];
    scene.put("roster.csv", roster.join("\n"));
    scene.run_as_is().well();
    let reported = scene.cells("submissions.csv", "entrant,received_by,timing");
    assert_eq!(reported[0], "ann,platform,in time");
    assert_eq!(reported[1], "lee, \"bob\",platform,in time");
    assert_eq!(reported[2..], ["zoe,platform,too late"]);
    // A newer version without a time counts as late, too, and displaces none that was in time.
    scene.script("ann", &format!("{FIRST_LEGAL}# more\n"));
    let timeless = roster
        .join("\n")
        .replacen("2020-01-01T18:00:00+01:00", "", 1);
    scene.put("roster.csv", timeless);
    scene.run_as_is().refused(&[
        "cannot tell whether 1 submission was in time",
        ": ann\nIf the platform received it in time, write the time into the column received of ",
        "roster.csv (add it if it is missing), as 2020-01-01T18:00:00+01:00\n",
    ]);
    let word = lines.last().expect("there");
    rule(&scene, &format!("{word}\n{ungraded}"));
    scene.run_as_is().well();
    let ann = scene.row("submissions.csv", "ann");
    assert_eq!(ann.cells("version,timing"), "1,in time");
}

#[test]
fn moodle_times_follow_summer_time_of_named_timezone() {
    let scene = Scene::of(["Ann Lee_17", "Bo Kay_18"]);
    // The rule of central Europe, in the form of the system's files (RFC 9636), as a zone of its
    // own.
    let block = [&b"TZif2"[..], &[0; 31], &[0, 0, 0, 1, 0, 0, 0, 4]].concat();
    let block = [&block[..], &3600_i32.to_be_bytes(), &[0, 0], b"CET\0"].concat();
    let rule = b"\nCET-1CEST,M3.5.0,M10.5.0/3\n";
    let zones = scene.folder().join("zones");
    scene.write("zones/Europe/Here", [&block[..], &block, rule].concat());
    let list = "Identifier,Full name,Last modified (submission),extension\n\
        Participant 17,Ann Lee,\"Monday, 30 March 2020, 5:30 PM\",2020-03-30T18:00:00+02:00\n\
        Participant 18,Bo Kay,\"Friday, 27 March 2020, 5:30 PM\",\n";
    scene.put("roster.csv", list);
    let run = |line: &str| {
        let text = format!(
            "game = \"catch-the-cat\"\nstates = 1\nseed = 1\ndeadline = 2020-03-27T18:00:00+01:00\n{line}\
             too_late = \"ungraded\"\n[config]\nside = 5\n"
        );
        scene.put("competition.toml", text);
        scene.command_by_secret("").env("TZDIR", &zones).ended()
    };
    let timings = || scene.cells("submissions.csv", "timing");
    run("timezone = \"Europe/Nowhere\"\n")
        .refused(&["timezone: Europe/Nowhere is not in this machine's database of time zones"]);
    run("timezone = \"UTC\"\n").refused(&[
        "timezone: at the deadline, the time in UTC is UTC, but the deadline is written at UTC+01:00",
    ]);
    assert!(!scene.out().exists(), "nothing stays of it");
    run("").well();
    assert_eq!(timings(), ["too late", "in time"]);
    let ids = || scene.timeless("games.csv");
    let before = ids();
    fs::remove_dir_all(scene.out().join("versions")).expect("there");
    let ended = run("timezone = \"Europe/Here\"\n").well();
    ended.says(&["roster.csv are read in the zone Europe/Here; they are exact to the minute"]);
    assert_eq!(timings(), ["in time", "in time"]);
    assert_eq!(ids(), before);
}
