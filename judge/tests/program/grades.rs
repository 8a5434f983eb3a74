//! `judge grades` from end to end: one file in, one file out. Every other byte is unchanged.

use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, Has, Run, Scene, cells_of, read_csv};
use std::fs;

const ROSTER: &str = "submission,id,name,email,section\n\
    ann,s1,Ann Lee,ann@uni.example,A\n\
    bob,s2,=Bob,bob@uni.example,B\n\
    none,s3,Nora Absent,nora@uni.example,B\n";

/// A bot whose fault has characters that XML does not have.
const CRASHER: &str = include_str!("../bots/mumbler_escape.sh");

const CONTEST: &str = "title = \"Cat Contest\"\ngame = \"catch-the-cat\"\n\
    [config]\nside = 5\n\
    [scoring]\npoints = \"win\"\n\
    [[scoring.prizes]]\nto_rank = 1\npoints = 20\n\
    [[scoring.prizes]]\nto_rank = 2\npoints = 15\n";

/// Plays a run. ann wins all her games against bob, who has one fault in each.
fn played() -> Scene {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", CRASHER);
    scene.sources("ida", &[("judge.toml", "run = \"./bot\"\n")]);
    scene.put("roster.csv", ROSTER);
    scene.put("competition.toml", CONTEST);
    scene.run("").well();
    scene
}

#[test]
fn platforms_get_their_files_with_grades() {
    let scene = played();
    canvas_gradebook_is_created_and_exported_one_filled(&scene);
    moodle_worksheet_is_filled_in_its_own_language(&scene);
    other_platforms_get_what_they_read(&scene);
    wrong_input_is_reported(&scene);
}

fn canvas_gradebook_is_created_and_exported_one_filled(scene: &Scene) {
    let mut session = Session::default();
    session.run(&mut scene.verb("grades", "--format canvas"));
    let expected = "Student,ID,SIS User ID,SIS Login ID,Section,Cat Contest\n\
        \u{20}   Points Possible,,,,,20\n\
        Ann Lee,,s1,ann@uni.example,A,20\n\
        '=Bob,,s2,bob@uni.example,B,15\n\
        Nora Absent,,s3,nora@uni.example,B,0\n\
        ida,,,,,0\n";
    assert_eq!(scene.read("staff/grades-canvas.csv"), expected);

    session.run(&mut scene.verb("grades", "--format canvas --value total"));

    let exported = "\u{feff}Student,ID,SIS User ID,SIS Login ID,Section,Homework (7),Cat Contest (81),Final Score\r\n\
        \"    Points Possible\",,,,,10,20,(read only)\r\n\
        \"Lee, Ann\",901,s1,ann,A,9,,100\r\n\
        \"Nobody, Known\",902,,,B,8,\"3\",50\r\n\
        Bob,903,x2,bob@uni.example,B,\"7,5\",\"\",\r\n";
    let fill = scene.write("export.csv", exported);
    let flags = format!("--format canvas --fill {fill}");
    session.run(&mut scene.verb("grades", &flags));
    let filled = scene.text("export-filled.csv");
    let expected = exported
        .replace("A,9,,100", "A,9,20,100")
        .replace("\"7,5\",\"\",", "\"7,5\",\"15\",");
    assert_eq!(filled, expected);
    assert_eq!(scene.text("export.csv"), exported, "the file itself stays");
    let again = format!("{flags} --out export-filled.csv");
    session.run(scene.verb("grades", &again).current_dir(scene.folder()));
    scene.does("grades", &flags);
    session.compare("grades__canvas");
    scene.does("grades", &format!("--fill {fill} --in-place"));
    assert_eq!(scene.text("export.csv"), expected);

    // The only column that Canvas does not compute, if that is empty.
    let only = exported.replace("Homework (7),Cat Contest (81)", "Final Score,Project (81)");
    let only = only
        .replace(",10,20,", ",(read only),20,")
        .replace("\"3\"", "");
    scene.write("only.csv", &only);
    scene.judge("grades out --fill only.csv");
    let filled = scene.text("only-filled.csv");
    filled.has(&["A,9,20,100"]);
    // Another course's people take nothing from the last file.
    let heading: String = only.split_inclusive('\n').take(2).collect();
    let other = "\"Else, Somebody\",904,o1,else,A,9,,100\r\n";
    scene.write("only.csv", heading + other);
    let refused = scene.here("grades out --fill only.csv").ended();
    refused.refused(&["only.csv gets no value, so nothing is written"]);
    assert_eq!(scene.text("only-filled.csv"), filled);
    scene.write("only.csv", &only);
    let in_place = "grades out --fill only.csv --in-place";
    scene.judge(in_place);
    assert_eq!(scene.text("only.csv"), filled);
    let refused = scene.here(in_place).ended();
    refused.refused(&["has values already; to replace them: --column"]);
    assert_eq!(scene.text("only.csv"), filled);
}

#[test]
fn canvass_own_numbers_are_in_its_own_column() {
    let scene = Scene::new();
    for name in ["kayacem_905_70051", "leeann_904_70041"] {
        scene.put(&format!("{name}_bot.sh"), FIRST_LEGAL);
    }
    scene.put("competition.toml", CONTEST);
    let made = |cem: &str, bob: &str| {
        let gradebook = format!(
            "Student,ID,SIS User ID,SIS Login ID,Section,submission\n\
             \"Kaya, Cem\",905,{cem},,A,\n\"Lee, Ann\",904,,,A,\n\"Roe, Bob\",906,{bob},,A,leeann_904\n"
        );
        scene.put("roster.csv", gradebook);
        scene.run("--states 1").well();
        scene.does("grades", "--format canvas --value total");
        let ids = scene.cells("staff/grades-canvas.csv", "ID,SIS User ID");
        let mut ids = ids[1..].to_vec();
        ids.sort();
        ids
    };
    assert_eq!(made("", ""), ["904,", "905,", "906,"]);
    let mixed = [",1002", ",s905", "904,"];
    assert_eq!(made("s905", "1002"), mixed);
}

fn moodle_worksheet_is_filled_in_its_own_language(scene: &Scene) {
    let worksheet = "\u{feff}ID,\"Vollständiger Name\",E-Mail-Adresse,Status,Bewertung,Bestwertung,\"Zuletzt geändert (Bewertung)\",\"Bewertung kann geändert werden\"\n\
        Teilnehmer/in11,\"Ann Lee\",ann@uni.example,Abgegeben,,\"12,00\",-,Ja\n\
        Teilnehmer/in12,\"Bob B.\",BOB@uni.example,Abgegeben,,\"12,00\",-,Nein\n";
    let fill = scene.write("Bewertungen.csv", worksheet);
    let out = scene.folder().join("new.csv");
    let flags = format!("--format moodle --fill {fill} --out {}", out.display());
    let mut session = Session::default();
    session.run(&mut scene.verb("grades", &flags));
    assert!(!out.exists(), "values above the maximum are lost in Moodle");
    let raised = format!("{flags} --points-possible 20");
    session.run(&mut scene.verb("grades", &raised));
    let filled = scene.text("new.csv");
    let expected = worksheet
        .replacen("Abgegeben,,", "Abgegeben,20,", 1)
        .replacen("Abgegeben,,", "Abgegeben,15,", 1);
    assert_eq!(filled, expected);
    let finnish = worksheet.replace("Bewertung,Bestwertung", "Arvosana,\"Korkein arvosana\"");
    let finnish = scene.write("arvosanat.csv", &finnish);
    let flags = format!("--fill {finnish} --points-possible 20");
    session.run(&mut scene.verb("grades", &flags));
    scene.does("grades", &format!("{flags} --column Arvosana"));
    let filled = scene.text("arvosanat-filled.csv");
    filled.has(&["ann@uni.example,Abgegeben,20,"]);

    session.run(&mut scene.verb("grades", "--format moodle"));
    let flags = format!("--format moodle --fill {fill} --column Punkte");
    session.run(&mut scene.verb("grades", &flags));
    session.compare("grades__moodle");
}

fn other_platforms_get_what_they_read(scene: &Scene) {
    scene.does("grades", "--format csv --value total");
    let rows = scene.cells("staff/grades.csv", "name,value");
    assert_eq!(rows, ["Ann Lee,2", "'=Bob,0", "Nora Absent,", ","]);

    scene.does("grades", "--format gradescope");
    let results = scene.json("staff/grades-gradescope/ann/results.json");
    assert_eq!(results["score"], 20.0);
    assert_eq!(results["leaderboard"][0]["order"], "asc");
    let results = scene.read("staff/grades-gradescope/ida/results.json");
    results.has(&["does not play: judge.toml: run names ./bot, which is not in"]);

    let results = scene.read("staff/grades-gradescope/s3/results.json");
    results.has(&["0\\ndoes not play: no submission\\n"]);

    scene.does("grades", "--format autolab --title Contest");
    let autolab = |name: &str| scene.read(&format!("staff/grades-autolab/{name}"));
    assert_eq!(autolab("s3.json"), "{\"scores\":{\"Contest\":0.0}}\n");
    let bob = "{\"scoreboard\":[15.0,0.0,0],\"scores\":{\"Contest\":15.0}}\n";
    assert_eq!(autolab("bob.json"), bob);
    let scores = "ann@uni.example,20\nbob@uni.example,15\nnora@uni.example,0\n";
    assert_eq!(autolab("scores.csv"), scores);

    scene.does("grades", "--format junit");
    let xml = scene.read("staff/grades-junit.xml");
    xml.has(&[
        "<testsuite name=\"ann\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"0\">",
        "<failure message=\"judge.toml: run names",
        " type=\"does-not-play\">",
        "<testsuite name=\"bob\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"2\">",
        "<testsuite name=\"Nora Absent\" tests=\"1\" skipped=\"0\" errors=\"0\" failures=\"1\">",
    ]);
    let standing = "<testcase name=\"standing\" classname=\"ann\">\n            \
        <system-out>rank 1, total 2, prize 20</system-out>";
    let prize = "<property name=\"prize\" value=\"15\"/>";
    xml.has(&[standing, prize, "&lt;\\u{1b}&amp;"]);
    xml.lacks(&["\u{1b}"]);
}

const CAMELS: &str = "title = \"Camels\"\ngame = \"crazy-camel\"\n\
    [scoring]\npoints = \"win\"\n\
    [[scoring.prizes]]\nto_rank = 1\npoints = 20\n\
    [[scoring.prizes]]\nto_rank = 2\npoints = 15\n";

const PAIR: &str = "submission,id,name,email,section\n\
    ann,s1,Ann Lee,ann@uni.example,A\n\
    ann,s2,Amy Lee,amy@uni.example,A\n\
    bob,s3,Bob,bob@uni.example,B\n\
    ida,s4,Ida,ida@uni.example,B\n\
    ,s5,Nora Absent,nora@uni.example,B\n";

const MARKS: &str = "entrant,findings,camels_intersect,is_valid_move,make_move\n\
    ann,,1,1,0.5\n\
    bob,\"warning (time): it, sleeps\",0.25,1,\n\
    ida,WRONG (build): no program,1,0,0\n\
    zoe,,1,1,1\n";

/// Plays a run and gives points for homework. ann's is of two people, ida's does not play.
fn with_homework() -> (Scene, Session) {
    let scene = Scene::new();
    let step = r#"echo '{"move":{"step":"down"}}'"#;
    let first = CRASHER.replace(r"printf '<\033&\n'", step);
    scene.script("ann", &first).script("bob", CRASHER);
    scene.sources("ida", &[("judge.toml", "run = \"./bot\"\n")]);
    scene
        .put("roster.csv", PAIR)
        .put("competition.toml", CAMELS);
    scene.run("").well();
    let mut session = Session::default();
    let marks = scene.write("class-check.csv", MARKS);
    let flags = format!("--format csv --marks {marks}");
    session.run(&mut scene.verb("grades", &flags));
    let weights = "[scoring.homework]\ncamels_intersect = 2\nmake_move = 3\n";
    scene.put("competition.toml", format!("{CAMELS}{weights}"));
    let ended = scene.run("").well();
    ended.says(&["2 games, 2 of them already played"]);
    session.run(&mut scene.verb("grades", "--format csv"));
    session.run(&mut scene.verb("grades", &flags));
    let roster = scene.submissions().join("roster.csv");
    let flags = format!("--format csv --marks {}", roster.display());
    session.run(&mut scene.verb("grades", &flags));
    (scene, session)
}

#[test]
fn points_for_homework_are_in_every_format() {
    let (scene, session) = with_homework();
    session.compare("grades__homework");
    let columns = "id,prize,camels_intersect,make_move,homework,value";
    let expected = [
        "s1,20,2,1.5,3.5,23.5",
        "s2,20,2,1.5,3.5,23.5",
        "s3,15,0.5,,,",
        "s4,,2,0,2,2",
        "s5,,,,,0",
    ];
    assert_eq!(scene.cells("staff/grades.csv", columns), expected);

    let export = |flags: &str| {
        let mut export = scene.here(&format!("grades out {flags} --marks class-check.csv"));
        let missing = "1 value missing, because judge check did not get to all homework";
        export.ended().refused(&[missing]);
    };
    export("--format canvas");
    let gradebook = scene.read("staff/grades-canvas.csv");
    gradebook.has(&[
        "Points Possible,,,,,25\n",
        "amy@uni.example,A,23.5\n",
        "bob@uni.example,B,\n",
    ]);
    export("--format gradescope --value total");
    let results = scene.json("staff/grades-gradescope/ida/results.json");
    assert_eq!(results["score"], 2.0);
    let shown = ["name", "status", "output"].map(|key| results["tests"][1][key].clone());
    assert_eq!(shown, ["make_move", "failed", "0 of 3 points"]);
    export("--format autolab");
    let table = scene.read("staff/grades-autolab/scores.csv");
    table.has(&["ida@uni.example,2\n"]);
    table.lacks(&["bob@uni.example"]);
    for bob in ["gradescope/bob", "autolab/bob.json"] {
        let place = scene.out().join(format!("staff/grades-{bob}"));
        assert!(!place.exists(), "{bob}");
    }
    export("--format junit");
    let xml = scene.read("staff/grades-junit.xml");
    let half = "<testcase name=\"make_move\" classname=\"ann\">\n            \
        <system-out>warning: 1.5 of 3 points</system-out>";
    let sum = "<property name=\"homework\" value=\"3.5\"/>";
    let unreached = "<testcase name=\"make_move\" classname=\"bob\">\n            \
        <skipped message=\"not checked\"/>";
    xml.has(&[half, sum, unreached]);

    let worksheet = "Identifier,Full name,Email address,Grade,Maximum grade,Feedback comments\n\
        Participant 1,Ann Lee,ann@uni.example,,30,\nParticipant 3,Bob,bob@uni.example,,30,\n";
    scene.write("worksheet.csv", worksheet);
    export("--fill worksheet.csv");
    let filled = scene.text("worksheet-filled.csv");
    filled.has(&["ann@uni.example,23.5,30", "bob@uni.example,,30"]);
}

fn wrong_input_is_reported(scene: &Scene) {
    let other = &*scene.write("other.csv", "a,b\n1,2\n");
    let several = &*scene.write("several.csv", "Student,ID,Section,One,Two\n");
    let mut session = Session::default();
    for flags in [
        ["--format", "canvas", "--value", "grade"],
        ["--format", "csv", "--fill", "x"],
        ["--format", "canvas", "--fill", "no-such"],
        ["--format", "canvas", "--fill", other],
        ["--value", "total", "--fill", several],
        ["--format", "csv", "--roster", other],
        ["--format", "csv", "--marks", other],
    ] {
        session.run(&mut scene.verb("grades", &flags));
    }
    session.compare("grades__wrong_input");
}

const GRADED: &str = "title = \"Exam\"\ngame = \"catch-the-cat\"\n\
    [config]\nside = 5\n\
    [scoring]\npoints = \"win\"\ndisqualify = \"flag\"\n\
    [scoring.grades]\nsteps = [{ at_least = 2, grade = \"5\" }]\notherwise = \"4\"\n\
    disqualified = \"3\"\nnot_playing = \"2\"\nmissing = \"1\"\n";

const CLASS: &str = "submission,id,name,email,section\n\
    ann,s1,Ann Lee,ann@uni.example,A\n\
    bob,s2,Bob,bob@uni.example,B\n\
    ida,s3,Ida,ida@uni.example,B\n\
    walt,s4,Walt,walt@uni.example,A\n\
    ,s5,Nora Absent,nora@uni.example,B\n";

/// ann has played, bob has crashed, ida's does not build, walt has withdrawn, Nora has none.
fn graded() -> (Scene, Session) {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", CRASHER);
    scene.script("walt", FIRST_LEGAL);
    scene.sources("ida", &[("judge.toml", "run = \"./bot\"\n")]);
    scene.put("roster.csv", CLASS);
    scene.put("competition.toml", GRADED);
    scene.run("").well();
    fs::remove_dir_all(scene.submissions().join("walt")).expect("it is there");
    let mut session = Session::default();
    session.run(&mut scene.command(""));
    (scene, session)
}

#[test]
fn everybody_on_roster_gets_grade_with_reason() {
    let (scene, mut session) = graded();
    let graded = scene.cells("standings.csv", "rank,entrant,grade");
    assert_eq!(graded, ["1,ann,5", "2,bob,3", ",ida,2", ",walt,2"]);
    let rows = scene.rows("standings.csv");
    assert!(rows[3].get("not_playing").starts_with("withdrawn: "));

    session.run(&mut scene.verb("grades", "--format canvas"));
    session.compare("run__grades");
    let expected = "Student,ID,SIS User ID,SIS Login ID,Section,Exam\n\
        \u{20}   Points Possible,,,,,5\n\
        Ann Lee,,s1,ann@uni.example,A,5\n\
        Bob,,s2,bob@uni.example,B,3\n\
        Ida,,s3,ida@uni.example,B,2\n\
        Walt,,s4,walt@uni.example,A,2\n\
        Nora Absent,,s5,nora@uni.example,B,1\n";
    assert_eq!(scene.read("staff/grades-canvas.csv"), expected);

    scene.does("grades", "--format csv");
    let reasons = scene.cells("staff/grades.csv", "value,not_playing");
    let ida = reasons[2].starts_with("2,judge.toml: run names");
    let walt = reasons[3].starts_with("2,withdrawn: version 1");
    assert!(ida && walt, "{reasons:?}");
    let rest = [0, 1, 4].map(|at| &*reasons[at]);
    assert_eq!(rest, ["5,", "3,", "1,no submission"]);

    scene.does("grades", "--format gradescope");
    let results = scene.read("staff/grades-gradescope/ida/results.json");
    results.has(&["\"score\": 2.0"]);
    scene.does("grades", "--format junit");
    let xml = scene.read("staff/grades-junit.xml");
    let failed = "<failure message=\"judge.toml";
    xml.has(&[failed, " type=\"does-not-play\">grade 2</failure>"]);
    grades_of_not_playing_entrants_are_reported(&scene);
}

fn grades_of_not_playing_entrants_are_reported(scene: &Scene) {
    let explained = scene.judge("explain out ida");
    explained.says(&["grade 2, as for submissions that do not play"]);
    scene.judge("verify out");
    scene.view("student", "own");
    let page = scene.text("own/ida/report.html");
    page.has(&["judge.toml: run names ./bot", "grade 2"]);
    let row = read_csv(&scene.text("own/ida/standing.csv"));
    assert_eq!(row[0].get("grade"), "2");

    scene.view("staff", "staff-view");
    let sections = read_csv(&scene.text("staff-view/sections.csv"));
    let ranks = cells_of(&sections, "section,section_rank,id");
    assert_eq!(ranks, ["A,1,s1", "A,,s4", "B,1,s2", "B,,s3", "B,,s5"]);
}

#[test]
fn faulty_or_outranked_entrant_gets_no_prize() {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", CRASHER);
    let needs = "[scoring.prize_needs]\nfaultless_games = 1\nahead_of = [\"builtin:random\"]\n";
    let file = format!("{CONTEST}{needs}");
    scene.put("competition.toml", &file);
    let mut session = Session::default();
    session.run(&mut scene.command(""));
    let bob = scene.row("standings.csv", "bob");
    assert_eq!(bob.cells("rank,prize"), "2,");
    assert!(bob.get("no_prize").contains("without a fault"));
    let random = scene.row("standings.csv", "builtin:random");
    assert_eq!(random.cells("entrant,rank,prize"), "builtin:random,,");
    // Against random, games count for nobody's total.
    let ann = scene.row("standings.csv", "ann");
    assert_eq!((ann.get("games"), random.get("games")), ("2", "4"));

    let wrong = file.replace("builtin:random", "zoe");
    scene.put("competition.toml", wrong);
    session.run(&mut scene.command(""));
    session.compare("run__prizes");
}
