use super::Run;
use crate::{Games, Moment, MomentEntrant};
use jiff::Timestamp;
use model::points::Points;
use std::fs;

fn moment(second: i64, played: u64) -> Moment {
    let ann = MomentEntrant {
        entrant: "ann".to_owned(),
        version: Some(2),
        artifact: "a".to_owned(),
        rank: Some(1),
        points: Points::whole(3),
        ..MomentEntrant::default()
    };
    Moment {
        at: Timestamp::from_second(second).expect("near"),
        round: "practice/1".to_owned(),
        played,
        of: 2,
        frozen: played > 1,
        entrants: vec![ann],
    }
}

fn run() -> Run {
    let run = Run::new(0);
    let mut journal = run.open().expect("readable");
    let records = Run::new(3).records;
    journal.append(&records[0]).expect("writable");
    journal.append_moment(&moment(10, 1)).expect("writable");
    journal.append(&records[1]).expect("writable");
    journal.append(&records[2]).expect("writable");
    journal.append_moment(&moment(20, 2)).expect("writable");
    journal.note_end().expect("writable");
    drop(journal);
    Run { records, ..run }
}

#[test]
fn moments_are_read_as_noted_with_preceding_games() {
    let run = run();
    let check = |games: &Games| {
        let read: Vec<&Moment> = games.moments().collect();
        assert_eq!(read, [&moment(10, 1), &moment(20, 2)]);
        let before = |number: usize| {
            let ids = run.records.iter().map(|record| record.fixture);
            ids.filter(|id| games.was_finished(*id, number)).count()
        };
        assert_eq!([before(0), before(1), before(2)], [1, 3, 0]);
    };
    check(&run.games());
    let mut journal = run.open().expect("readable");
    check(journal.games());
    journal.append_moment(&moment(30, 2)).expect("writable");
    assert_eq!(journal.games().moments().len(), 3);
    assert!(journal.games().was_finished(run.records[2].fixture, 2));
    assert!(moment(30, 2).is_as(&moment(20, 2)) && !moment(30, 1).is_as(&moment(20, 2)));
}

#[test]
fn repair_keeps_moments_and_sets_changed_aside() {
    let run = run();
    let text = fs::read_to_string(run.path()).expect("there");
    let damaged = text.replacen("\"state\":0", "\"state\":9", 1);
    fs::write(run.path(), damaged).expect("writable");
    assert_eq!(run.play().damaged.len(), 1);
    run.check();
    let games = run.games();
    let ids = run.records.iter().map(|record| record.fixture);
    let before: Vec<bool> = ids.map(|id| games.was_finished(id, 1)).collect();
    // The first one was played again, after both moments.
    assert_eq!(before, [false, true, true]);

    let text = fs::read_to_string(run.path()).expect("there");
    fs::write(run.path(), text.replacen("practice/1", "practice/2", 1)).expect("writable");
    assert_eq!(run.play().damaged.len(), 1);
    run.check();
    assert!(run.games().moments().eq([&moment(20, 2)]));
}
