use super::*;

fn files(names: &[&str]) -> Vec<Item> {
    let item = |name: &&str| Item {
        name: name.trim_end_matches('/').to_owned(),
        is_folder: name.ends_with('/'),
    };
    names.iter().map(item).collect()
}

/// Returns each delivery, what is no platform's, and the number of ignored items.
fn reported(names: &[&str], around: &str) -> (Vec<String>, Vec<String>, usize) {
    let items = files(names);
    let sorted = sorted(&items, around);
    let reported = |one: &Delivery| {
        let Delivery {
            entrant,
            parts,
            mark,
        } = one;
        let late = mark
            .late
            .map_or("", |late| if late { " late" } else { " in time" });
        let received = mark.received.map(|at| format!(" {at}")).unwrap_or_default();
        let files: Vec<&str> = parts.iter().map(|part| part.file.as_str()).collect();
        format!("{entrant}: {}{late}{received}", files.join(","))
            .trim_end()
            .to_owned()
    };
    (
        sorted.deliveries.iter().map(reported).collect(),
        sorted
            .own
            .iter()
            .map(|&own| items[own].name.clone())
            .collect(),
        sorted.ignored.len(),
    )
}

/// Downloads of three lines: names in a folder, deliveries, and the rest. The rest is the number
/// of ignored items with what is no platform's.
const DOWNLOADS: &str = "\
leeann_LATE_12_345_Cat.h | leeann_LATE_12_346_a_1.h | leebob_13_400_hw.zip | eve/
leeann_12: Cat.h,a_1.h late | leebob_13: hw.zip in time
0 eve
Ann Lee_17_assignsubmission_file_/ | Ann Lee_17_assignsubmission_onlinetext_/ | eve/
Ann Lee_17: ,text
0 eve
# By the author's own name, and by that of the file.
Ann Lee_17_assignsubmission_file_bot.py | Ann Lee_17_assignsubmission_file_x_23_assignsubmission_file_bot.py | Eve_23_assignsubmission_file_Ann Lee_17_assignsubmission_file_bot.py
Ann Lee_17: bot.py
2
# Attempts of a day are no repositories, also next to a file of staff.
P 1_ann_attempt_2026-03-27-18-05-00_bot.py | P 1_ann_attempt_2026-03-27-18-05-00.txt | notes.txt
ann: bot.py,text 2026-03-27T18:05:00
0 notes.txt
# An author on Canvas has chosen the end of a name.
leeann_LATE_3_44_x_bob_attempt_2026-03-01-00-00-00_bot.py | roebob_4_45_notes.txt
leeann_3: x_bob_attempt_2026-03-01-00-00-00_bot.py late | roebob_4: notes.txt in time
0
1-2 - Jörg - Al Müller - Mar 26, 2026 1005 AM/ | 1-3 - Ann - Mar 26, 2026 605 PM - bot.py | index.html
Ann_1: bot.py 2026-03-26T18:05:00 | Jörg - Al Müller_1:  2026-03-26T10:05:00
0 index.html
c-Camel-1-ann/ | c-Camel-2-bob.zip | practice-c-Camel-3-bob/
ann: | bob:
1
c-Sheet-3-Camel-41-ann/ | c-Sheet-3-Camel-42-student-submission.git/
ann: | participation 42:
0
Lee, Ann(alee)/ | von der Roe, Bob(b.roe)/ | grades.csv
alee: | b.roe:
0 grades.csv
Lee, Ann(alee)_Submission attachment(s)_bot.py
alee: bot.py
0
Lee_Ann_alee_4711/ | von der Roe_Bob_broe_4712/
alee: | broe:
0
Ann Lee_17_assignsubmission_file_/ | Bob Roe_18_assignsubmission_file_/ | roebob_4_45_bot.py
Ann Lee_17: | Bob Roe_18: | roebob_4: bot.py in time
0
Lee, Ann(alee)/ | Roe, Bob(broe)/ | staff/
alee: | broe:
0 staff";

#[test]
fn downloads_are_sorted_by_people() {
    let lines = DOWNLOADS.lines().filter(|line| !line.starts_with('#'));
    for download in lines.collect::<Vec<_>>().chunks(3) {
        let names: Vec<&str> = download[0].split(" | ").collect();
        let (deliveries, own, ignored) = reported(&names, "");
        assert_eq!(deliveries.join(" | "), download[1]);
        let rest = format!("{ignored} {}", own.join(" | "));
        assert_eq!(rest.trim_end(), download[2], "{names:?}");
    }
    let (deliveries, own, ignored) = reported(&["Ann Lee/"], "Submitted files");
    assert_eq!(deliveries, ["Ann Lee:"]);
    assert_eq!((own.len(), ignored), (0, 0));
}

#[test]
fn names_that_people_have_chosen_stay() {
    for names in "\
group-3-alice/ | group-4-bob/
c-Camel-41-ann/
c-Camel-41-ann/ | d-Camel-42-bob/
hw-bob-1-x/ | hw-bob-2-x/ | hw-ann/ | hw-cem/ | hw-dee/
my_big_bot_2/ | alice/
bot (2)/
bot (2)/ | alice/
bot (2)/ | alice (3)/
smith_ann_bot_1/ | lee_bob_bot_2/
alice_123_assignment.ml | Alice_1_2_bot.py | _1_2_bot.py | 1_2_3 | my_text.html
my_attempt_2.py | a_b_attempt_2026-13-27-18-05-00_bot.py
12-13 - Ann/ | a-b - Ann - Mar 27, 2026 605 PM/ | 1-2 - Ann - yesterday/"
        .lines()
    {
        let names: Vec<&str> = names.split(" | ").collect();
        let (deliveries, own, _) = reported(&names, "Ann Lee");
        assert!(deliveries.is_empty(), "{deliveries:?}");
        assert_eq!(own.len(), names.len());
    }
}

#[test]
fn only_authors_folder_of_platform_is_read() {
    let form = |platform: &str, of: Named| {
        let mut all = PLATFORMS.iter();
        let record = all.find(|one| one.name == platform).expect("a platform");
        let mut forms = record.names.iter();
        forms.find(|form| form.of == of).expect("there")
    };
    let inside = |platform, paths: &[&str]| {
        let files = paths.iter().map(|path| SourceFile::new(path, ""));
        let contents = Submission::of(files.collect());
        let part = Part::new(0, form(platform, Named::Folder), &Parts::default());
        let uploads = part.inside("origin", &contents)?;
        let reported = uploads
            .iter()
            .map(|one| format!("{} {}", one.number, one.file.path));
        Ok::<_, String>(reported.collect::<Vec<_>>())
    };
    let sakai = ["Submission attachment(s)/bot.py", "timestamp.txt"];
    assert_eq!(inside("Sakai", &sakai), Ok(vec!["0 bot.py".to_owned()]));
    let teams = ["Contest/Version 1/bot.py", "Contest/Version 2/src/bot.py"];
    let expected = vec!["1 bot.py".to_owned(), "2 src/bot.py".to_owned()];
    assert_eq!(inside("Microsoft Teams", &teams), Ok(expected));
    let several =
        inside("Microsoft Teams", &["One/bot.py", "Two/bot.py"]).expect_err("two assignments");
    assert!(several.contains("(One, Two)"), "{several}");
}

/// Makes uploads of number, name and text. A `!` says that one is late.
fn attempted(all: &[(&str, &str, &str)]) -> Vec<String> {
    let upload = |(number, path, text): &(&str, &str, &str)| Upload {
        number: number.trim_end_matches('!').parse().expect("a number"),
        is_apart: false,
        late: number.ends_with('!'),
        received: None,
        file: SourceFile::new(path, *text),
        read: Submission::of(Vec::new()),
    };
    let reported = |attempt: Vec<Upload>| {
        let texts = attempt.iter().map(|Upload { file, .. }| {
            let text = String::from_utf8_lossy(&file.bytes);
            format!("{}={text}", file.path)
        });
        texts.collect::<Vec<_>>().join(" ")
    };
    let attempts = attempts(all.iter().map(upload).collect()).into_iter();
    attempts.map(reported).collect()
}

#[test]
fn files_that_came_again_are_the_next_attempt() {
    let all = [
        ("200", "Cat-1.h", "2"),
        ("100", "Cat.h", "1"),
        ("101", "Catcher.h", "1"),
        ("199", "util.h", "2"),
        ("201", "Catcher-1.h", "2"),
    ];
    let expected = ["Cat.h=1 Catcher.h=1", "util.h=2 Cat.h=2 Catcher.h=2"];
    assert_eq!(attempted(&all), expected);
    assert_eq!(attempted(&[("300", "hw-2.zip", "3")]), ["hw.zip=3"]);
}

#[test]
fn what_is_late_is_another_attempt() {
    let all = [
        ("100", "Cat.h", "1"),
        ("90!", "Catcher.h", "2"),
        ("200!", "Cat-1.h", "2"),
    ];
    assert_eq!(attempted(&all), ["Cat.h=1", "Catcher.h=2 Cat.h=2"]);
}

#[test]
fn referenced_file_number_is_no_attempt_number() {
    let text = "#include \"part-1.h\"\n#include \"part-2.h\"";
    let all = [
        ("1", "Cat.h", text),
        ("2", "part-1.h", ""),
        ("3", "part-2.h", ""),
        ("4", "week-0.md", ""),
    ];
    let expected = format!("Cat.h={text} part-1.h= part-2.h= week-0.md=");
    assert_eq!(attempted(&all), [expected]);
}
