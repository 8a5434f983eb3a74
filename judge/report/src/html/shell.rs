//! The frame of a page, with a content policy that allows only the page's own style and script.

use super::encode::SIX_BITS;
use super::palette;
use engines::Palette;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

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

/// Returns a page in the colours of a game; `body` is its content, `data_of_script` the data for
/// its script. A page that `asks` may fetch files from its own origin, and nothing else.
pub(super) fn page(
    title: &str,
    palette: &Palette,
    body: &str,
    data_of_script: &Value,
    asks: bool,
) -> String {
    let style = STYLE.to_owned() + &palette::style(palette);
    let asking = if asks { "connect-src 'self'; " } else { "" };
    let policy = format!(
        "default-src 'none'; {asking}script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(&style)
    );
    let page: Markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(&style)) }
            }
            body {
                (PreEscaped(body))
                script type="application/json" id="data" { (PreEscaped(data(data_of_script))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Returns the page for the author of a submission whose results must not be shown yet. It has the
/// submission's status and the compiler's output.
pub(crate) fn waiting(title: &str, told: &str, wrote: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
            }
            body {
                main {
                    h1 { (title) }
                    p { (told) }
                    @if !wrote.is_empty() { pre { (wrote) } }
                    p { "Games appear here once the results of the final round are published. Until then, reload this page to see what was received last." }
                }
            }
        }
    };
    page.into_string()
}

/// Start of the element with the data for a page's script.
const DATA: &str = "<script type=\"application/json\" id=\"data\">";

/// Returns the data in a page; `None` if it has none.
pub fn data_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(DATA)?;
    rest.split_once("</script>").map(|(data, _)| data)
}

/// Serializes data such that nothing in it can end the element around it.
pub(super) fn data(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            _ => text.push(c),
        }
    }
    text
}

/// Returns the SHA-256 of a text in the policy's encoding.
fn hash(text: &str) -> String {
    base64(&Sha256::digest(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| usize::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = SIX_BITS[bits >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let made = page("t", &Palette::PLAIN, "", &data, false);
        assert_eq!(data_of(&made), Some(&*super::data(&data)));
        assert_eq!(data_of("<html>"), None);
    }

    #[test]
    fn data_cannot_end_the_element_that_it_stands_in() {
        let hostile = serde_json::json!(["</script><script>alert(1)</script>", "<!--", "&lt;"]);
        let text = data(&hostile);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(hostile));
    }
}
