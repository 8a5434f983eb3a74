//! Games that the tests of several modules play.

use model::competition::FINAL;
use model::draw::Draw;
use model::fixture::{Fixture, Participant, Terms};
use model::record::MatchRecord;
use serde_json::value::RawValue;

/// Returns a game of these two in which the first one's bot was ended by `SIGKILL`.
pub(super) fn game(number: u32, seats: [&str; 2]) -> (Fixture, MatchRecord) {
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    let conditions = rulebook::standard(&*rules).conditions;
    let seats = seats.map(|name| Participant {
        entrant: name.into(),
        artifact: name.into(),
    });
    let setup = RawValue::from_string("{}".to_owned()).expect("JSON");
    let luck = Draw::public(1, FINAL).state(number).luck(2);
    let terms = Terms::new(rules.info().rules_version, &conditions);
    let fixture = Fixture::new(&terms, number, seats.into(), setup.into(), luck.into());
    let record = r#"{"v":5,"fixture":"00000000000000000000000000000000","game":"g","state":0,"setup":{},"draw":"","seats":[],"turns":[],
        "faults":[{"seat":0,"ply":0,"phase":"turn","cause":"crash","detail":"ended",
        "exit":{"signal":9},"cpu_us":1,"wall_us":1}],
        "end":"rules","outcome":{"seats":[],"reason":""}}"#;
    (fixture, serde_json::from_str(record).expect("a record"))
}
