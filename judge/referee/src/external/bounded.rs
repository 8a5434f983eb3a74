//! JSON between bots and a program with rules: the parsers of both must be able to read it.

use serde_json::Number;

/// Maximum depth of lists and objects.
pub(crate) const DEPTH_MAX: usize = 64;

/// Checks JSON, well-formed or not: its depth, its numbers, and its escapes.
///
/// # Errors
/// When some parser could not read it, in words.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = after_string(text, at)?,
            b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(format!("lists nested more than {DEPTH_MAX} deep"));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[at..];
                let is_end =
                    |byte: &u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at + rest.iter().position(is_end).unwrap_or(rest.len());
                check_number(&text[at - 1..end])?;
                at = end;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Maximum length of whole numbers that are sure to have at most 64 bits.
const SMALL_DIGITS: usize = 18;

/// Checks a number: a whole one has at most 64 bits, and any other is finite.
fn check_number(text: &str) -> Result<(), String> {
    if text.len() <= SMALL_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let is_whole = !text.contains(['.', 'e', 'E']);
    let number: Option<Number> = serde_json::from_str(text).ok();
    match number {
        Some(number) if !is_whole || !number.is_f64() || text == "-0" => Ok(()),
        _ => Err(format!(
            "the number {}, which is too large",
            engines::quote::quote(text.as_bytes())
        )),
    }
}

/// Returns the place after the end of a string whose content begins at `at`.
fn after_string(text: &str, mut at: usize) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        at += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        match bytes.get(at) {
            None => return Err("a string without an end".to_owned()),
            Some(b'"') => return Ok(at + 1),
            Some(_) => match unit(at) {
                Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
                Some(0xd800..=0xdfff) => {
                    return Err("half a character (a lone surrogate)".to_owned());
                }
                Some(_) => at += 6,
                None => at += 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_parser_of_a_bot_may_choke_on_is_refused() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for right in [
            r#"{"a":[1,-0,1.5,1e3,18446744073709551615,-9223372036854775808]}"#,
            r#"["\ud83d\ude00","\\ud800","[[","\"]","é",true,null]"#,
            &deep(64),
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "1e999",
            "[18446744073709551616]",
            r#""\ud800""#,
            r#"["\ude00\ud83d"]"#,
            &deep(65),
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
