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
    let assigned = assign_items(&items, around);
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
        assigned.deliveries.iter().map(reported).collect(),
        assigned
            .unassigned
            .iter()
            .map(|&own| items[own].name.clone())
            .collect(),
        assigned.ignored.len(),
    )
}

/// Reads downloads of three lines: names in a folder, deliveries, and the rest. The rest is the number
/// of ignored items with what is no platform's.
#[test]
fn downloads_are_sorted_by_people() {
    let lines = include_str!("downloads.txt").lines();
    let lines: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
    for download in lines.chunks(3) {
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
    for names in include_str!("chosen_names.txt").lines() {
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

/// Makes uploads of rows of number, name and text. A `!` says that one is late.
fn attempted(all: &str) -> Vec<String> {
    let cells = |row: &str| {
        let (number, rest) = row.split_once(' ')?;
        let (path, text) = rest.split_once(' ')?;
        Some(Upload {
            number: number.trim_end_matches('!').parse().expect("a number"),
            keeps_attempts_apart: false,
            late: number.ends_with('!'),
            received: None,
            file: SourceFile::new(path, text),
            read: Submission::of(Vec::new()),
        })
    };
    let reported = |attempt: Vec<Upload>| {
        let texts = attempt.iter().map(|Upload { file, .. }| {
            let text = String::from_utf8_lossy(&file.bytes);
            format!("{}={text}", file.path)
        });
        texts.collect::<Vec<_>>().join(" ")
    };
    let attempts = attempts(all.split('|').map(|row| cells(row).expect(row)).collect()).into_iter();
    attempts.map(reported).collect()
}

#[test]
fn attempts_follow_repetition_lateness_and_unreferenced_numbers() {
    let again = "200 Cat-1.h 2|100 Cat.h 1|101 Catcher.h 1|199 util.h 2|201 Catcher-1.h 2";
    let expected = ["Cat.h=1 Catcher.h=1", "util.h=2 Cat.h=2 Catcher.h=2"];
    assert_eq!(attempted(again), expected);
    assert_eq!(attempted("300 hw-2.zip 3"), ["hw.zip=3"]);
    let late = "100 Cat.h 1|90! Catcher.h 2|200! Cat-1.h 2";
    assert_eq!(attempted(late), ["Cat.h=1", "Catcher.h=2 Cat.h=2"]);
    let text = "#include \"part-1.h\"\n#include \"part-2.h\"";
    let all = format!("1 Cat.h {text}|2 part-1.h |3 part-2.h |4 week-0.md ");
    let expected = format!("Cat.h={text} part-1.h= part-2.h= week-0.md=");
    assert_eq!(attempted(&all), [expected]);
}
