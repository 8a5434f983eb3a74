//! `protocol.md` is the contract. Every JSON block in it is valid, and every bot in it plays.

use crate::support::Scene;
use crate::support::page::texts;
use model::draw::Secret;
use model::protocol::{self, FromBot};
use serde_json::Value;
use serde_json::value::RawValue;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.trim().to_owned()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn judge_messages_match_protocol_page() {
    let entry = engines::game("catch-the-cat").expect("registered");
    let config = entry.configure("{}").expect("allowed");
    let mut hello = Vec::new();
    let seed = Secret::new([0xd2; 32]);
    let about = protocol::Hello {
        protocol: protocol::VERSION,
        game: "catch-the-cat",
        seat: 0,
        role: "cat",
        seats: 2,
        config: &config,
        seed: 1_234_567_890,
        long_seed: &seed,
        time: entry.info.time,
        counts: model::clock::ClockMode::Cpu,
        lifetime: entry.info.lifetime,
        notes: true,
    };
    protocol::write(&mut hello, &protocol::ToBot::Hello(about));
    let mut start = Vec::new();
    let about = protocol::Start {
        seat: 0,
        role: "cat",
        seed: 1_234_567_890,
        long_seed: &seed,
    };
    protocol::write(&mut start, &protocol::ToBot::Start(about));

    let setup = raw(&texts("json catch-the-cat setup")[0]);
    let mut game = entry.start(&setup).expect("valid");
    game.play(engines::Seat::new(0), "[1,0]").expect("legal");
    let mut turn = Vec::new();
    let seat = engines::Seat::new(0);
    protocol::write_turn(
        &mut turn,
        protocol::TurnHead {
            ply: 2,
            left_us: Some(2_000_000),
            bank_us: None,
            moves: "[1,[2,2]]",
        },
        |out| {
            game.write_view(seat, out);
            Ok::<(), std::convert::Infallible>(())
        },
        Some(|out: &mut Vec<u8>| {
            game.write_legal_moves(seat, out);
            Ok(())
        }),
    )
    .expect("nothing fails");
    let mut end = Vec::new();
    let outcome = engines::SeatOutcome {
        result: engines::GameResult::Won,
        placement: 1,
        points: 10,
        tie_break: 0,
    };
    let reason = "the cat reached the border";
    let over = protocol::GameOver::of(outcome, reason);
    protocol::write(&mut end, &protocol::ToBot::End(over));

    let parse = |text: &[u8]| serde_json::from_slice::<Value>(text).expect("JSON");
    for (kind, written) in [
        ("hello", hello),
        ("start", start),
        ("turn", turn),
        ("end", end),
    ] {
        let shown = &texts(&format!("json {kind}"))[0];
        assert!(written.ends_with(b"\n"), "{kind} is a line");
        assert_eq!(parse(&written), parse(shown.as_bytes()), "{kind}");
    }
}

#[test]
fn the_answers_on_the_page_are_understood() {
    let answers = texts("json answer");
    let read = answers.iter().map(|text| protocol::read(text.as_bytes()));
    let read = read.map(|answer| answer.expect("it is understood"));
    let moves = read
        .filter(|answer| matches!(answer, FromBot::Move(_)))
        .count();
    assert_eq!((answers.len(), moves), (4, 2));
}

#[test]
fn every_game_has_section_with_valid_examples() {
    for entry in engines::GAMES {
        let slug = entry.info.slug;
        let of = |what: &str| {
            let found = texts(&format!("json {slug} {what}"));
            assert!(!found.is_empty(), "protocol.md shows no {what} of {slug}");
            found
        };
        for config in of("config") {
            let read = entry.configure(&config);
            read.unwrap_or_else(|e| panic!("{slug}: {config}: {e}"));
        }
        for setup in of("setup") {
            let read = entry.start(&raw(&setup));
            read.unwrap_or_else(|e| panic!("{slug}: {setup}: {e}"));
        }
        let typed = texts(&format!("text {slug} typed"));
        assert_eq!(
            typed,
            [entry.info.notation.help.join("\n") + "\n"],
            "{slug}"
        );
        let moves: Vec<String> = of("move").iter().map(|m| m.trim().to_owned()).collect();
        let moves = raw(&format!("[{}]", moves.join(",")));
        for view in of("view") {
            let seat = engines::Seat::new(0);
            let read = entry.choose("random", seat, &raw(&view), &moves, 0);
            read.unwrap_or_else(|e| panic!("{slug}: {view}: {e}"));
        }
    }
}

#[test]
fn documented_bots_are_short_and_play_without_fault() {
    let python = texts("python bot").remove(0);
    let shell = texts("sh bot").remove(0);
    let description = texts("toml judge.toml").remove(0);
    assert!(python.lines().count() <= 15 && shell.lines().count() <= 15);
    for (lifetime, states) in [("turn", 1), ("game", 1), ("match", 2)] {
        let scene = Scene::new();
        scene.script("python", &python).script("shell", &shell);
        let described = [("bot.py", &*python), ("judge.toml", &description)];
        scene.sources("described", &described);
        let flags = format!("--states {states} --set side=5 --lifetime {lifetime}");
        scene.run(&format!("--game catch-the-cat {flags}")).well();
        scene.all_end_by_rules();
    }
}
