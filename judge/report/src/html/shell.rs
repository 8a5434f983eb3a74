//! The frame of a page: the colours of its game, and a content policy that allows only its own style and script.

use super::encode::six_bits;
use crate::words::joined;
use engines::{Palette, Rgb, Shape, Tone};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use model::competition::Competition;
use rulebook::Result;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("page/board.js"),
    include_str!("page/data.js"),
    include_str!("page/heat.js"),
    include_str!("page/moves.js"),
    include_str!("page/tables.js"),
    include_str!("page/filters.js"),
    include_str!("page/settings.js"),
    include_str!("page/lead.js"),
    include_str!("page/words.js"),
    include_str!("page/notes.js"),
    include_str!("page/viewer.js"),
    include_str!("page/scrub.js"),
    include_str!("page/wrote.js"),
    include_str!("page/featured.js"),
    include_str!("page/views.js"),
    include_str!("page/live.js"),
    "})();\n"
);
/// Approximate size of a page without content, in bytes.
pub(super) const BYTES: usize = STYLE.len() + SCRIPT.len() + 4_000;

/// A page that `asks` may fetch files from its own origin, and nothing else.
pub(super) fn page(
    competition: &Competition,
    what: &str,
    body: &str,
    data_of_script: &Value,
    asks: bool,
) -> Result<String> {
    let rules = rulebook::rules::of(&competition.conditions)?;
    let title = format!("{}: {what}", competition.title);
    let style = STYLE.to_owned() + &style(rules.palette());
    let asking = if asks { "connect-src 'self'; " } else { "" };
    let policy = format!(
        "default-src 'none'; {asking}script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(&style)
    );
    let body = html! {
        (PreEscaped(body))
        script type="application/json" id="data" { (PreEscaped(data(data_of_script))) }
        script { (PreEscaped(SCRIPT)) }
    };
    Ok(frame(&title, &policy, &style, &body))
}

fn frame(title: &str, policy: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                @if !style.is_empty() { style { (PreEscaped(style)) } }
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// Returns the page for the author of a submission whose results must not be shown yet.
pub(crate) fn waiting(title: &str, reported: &str, wrote: &str) -> String {
    let body = html! {
        main {
            h1 { (title) }
            p { (reported) }
            @if !wrote.is_empty() { pre { (wrote) } }
            p { "Games appear here once the results of the final round are published. Until then, reload this page to see what was received last." }
        }
    };
    frame(title, "default-src 'none'", "", &body)
}

const DATA: &str = "<script type=\"application/json\" id=\"data\">";

pub(crate) fn data_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(DATA)?;
    rest.split_once("</script>").map(|(data, _)| data)
}

/// Serializes data such that nothing in it can end the element around it.
pub(super) fn data(value: &Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

fn hash(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let digits = joined(bytes.iter().map(|byte| format!("{byte:08b}")), "");
    let mut text = six_bits(&digits);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

const INKS: [Rgb; 2] = [Rgb(0x00ff_ffff), Rgb(0x0010_131a)];

fn style(palette: &Palette) -> String {
    let light = colours(palette, |tone| tone.light);
    let dark = colours(palette, |tone| tone.dark);
    format!("{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

fn colours(palette: &Palette, of: fn(Tone) -> Rgb) -> String {
    let (cell, line) = (of(palette.cell), of(palette.line));
    let mut style = format!(":root {{ --cell: {cell}; --rule: {line};");
    if let Some(hole) = palette.hole {
        write!(style, " --hole: {};", of(hole)).expect("memory");
    }
    style.push_str(" }\n");
    for (seat, piece) in palette.seats.iter().enumerate() {
        let fill = of(piece.fill);
        write!(style, ".s{seat} {{ --c: {fill}; --on: {};", ink(fill)).expect("memory");
        if let Some(rim) = piece.rim {
            write!(style, " --edge: {}; --solid: 0.85;", of(rim)).expect("memory");
        }
        style.push_str(" }\n");
    }
    style
}

pub(super) fn look(palette: &Palette) -> Value {
    let shapes = palette.seats.iter().map(|piece| match piece.shape {
        Shape::Disc => "disc",
        Shape::Cat => "cat",
    });
    json!({ "shapes": shapes.collect::<Vec<_>>(), "holes": palette.hole.is_some() })
}

/// Returns the colour of text on a ground: the one with more contrast (WCAG 2.2, "contrast ratio").
fn ink(ground: Rgb) -> Rgb {
    let [light, dark] = INKS.map(|ink| luminance(ink) + 0.05);
    let is_dark = (luminance(ground) + 0.05).powi(2) <= light * dark;
    INKS[usize::from(!is_dark)]
}

/// Returns how light a colour is, from 0 to 1 (WCAG 2.2, "relative luminance").
fn luminance(Rgb(colour): Rgb) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from(colour >> shift & 0xff) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how much two colours differ in lightness, from 1 to 21 (WCAG 2.2, "contrast ratio").
    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn hashes_are_written_as_the_policy_wants_them() {
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"Ma"), "TWE=");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn data_is_found_in_its_page() {
        let data = serde_json::json!({"names": ["</script>"]});
        let rules = rulebook::rules::built_in().next().expect("a game");
        let competition = rulebook::standard(&*rules);
        let made = page(&competition, "t", "", &data, false).expect("built-in rules");
        assert_eq!(data_of(&made), Some(&*super::data(&data)));
        assert_eq!(data_of("<html>"), None);
    }

    #[test]
    fn data_cannot_close_its_html_element() {
        let hostile = serde_json::json!(["</script><script>alert(1)</script>", "<!--", "&lt;"]);
        let text = data(&hostile);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(hostile));
    }

    /// The grounds of the page in `page.css`, light and dark.
    const GROUNDS: Tone = Tone::new(0x00fc_fcfb, 0x0014_171b);

    #[test]
    fn pieces_contrast_with_grounds_in_light_and_dark() {
        for rules in rulebook::rules::built_in() {
            let (palette, slug) = (&rules.palette(), rules.info().slug);
            assert!(palette.seats.len() >= rules.info().roles.len());
            let board = palette.hole.unwrap_or(palette.cell);
            for of in [|tone: Tone| tone.light, |tone: Tone| tone.dark] {
                for (seat, piece) in palette.seats.iter().enumerate() {
                    let colours = [Some(piece.fill), piece.rim];
                    let colours: Vec<Rgb> = colours.into_iter().flatten().map(of).collect();
                    for ground in [GROUNDS, board].map(of) {
                        let contrasts = colours.iter().map(|one| contrast(*one, ground));
                        let most = contrasts.fold(0.0, f64::max);
                        // WCAG 2.2, 1.4.11: graphics need 3 to 1 or more.
                        assert!(
                            most >= 3.0,
                            "{slug}, seat {seat}: {most:.2} to 1 on {ground}"
                        );
                    }
                    let fill = of(piece.fill);
                    assert!(contrast(ink(fill), fill) >= 4.5, "{fill} and its letters");
                }
            }
        }
    }
}
