//! A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
//! It reads the messages as text; for more than this, use the crate serde_json.

use std::io::{self, BufRead, Write};

/// Returns the move to play, as JSON. Begin here: after "view": in the message is what you see.
fn choose<'a>(_message: &str, legal: &[&'a str], random: u64) -> &'a str {
    legal[(random % legal.len() as u64) as usize]
}

/// Returns the number after a key, or 0.
fn number(message: &str, key: &str) -> u64 {
    let key = format!("\"{key}\":");
    let text = message.split_once(&key).map_or("", |(_, rest)| rest);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

/// Returns the elements of the list after a key, each as the text that it is.
fn list<'a>(message: &'a str, key: &str) -> Vec<&'a str> {
    let key = format!("\"{key}\":[");
    let text = message.rsplit_once(&key).map_or("]", |(_, rest)| rest);
    let (mut elements, mut from, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ',' | ']' if depth == 0 => {
                elements.push(&text[from..at]);
                from = at + 1;
                if c == ']' {
                    break;
                }
            }
            ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    elements
}

/// Mixes a number well (the finaliser of SplitMix64).
fn mix(number: u64) -> u64 {
    let a = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ (b >> 31)
}

fn main() -> io::Result<()> {
    // Standard output is the judge's: for anything else use eprintln!.
    let mut output = io::stdout();
    let mut seed = 0;
    for message in io::stdin().lock().lines() {
        let message = message?;
        if message.starts_with("{\"turn\"") {
            // Seeded anew for each turn, so that the same position gives the same move.
            let random = mix(seed + 7919 * number(&message, "ply"));
            let mv = choose(&message, &list(&message, "legal"), random);
            // A line for you, in the replay: add ,"note":"..." behind the move.
            writeln!(output, "{{\"move\":{mv}}}")?;
        } else if !message.starts_with("{\"end\"") {
            seed = number(&message, "seed");
            writeln!(output, "{{\"ready\":{{\"legal_moves\":true}}}}")?;
        }
        output.flush()?;
    }
    Ok(())
}
