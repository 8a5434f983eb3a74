//! The pragmas of a Haskell source that could run code at compile time, or admit unsafe functions
//! where the compiler's own Safe Haskell does not look.
//!
//! Every `{-#` of the text counts, in comments and strings too. The check does not depend on how
//! GHC distinguishes them.

use model::fault::quote;

/// Beginning and end of a pragma.
const BEGIN: &str = "{-#";
const END: &str = "#-}";

/// Extensions that include text or code from outside in the source. Extensions that GHC itself
/// refuses in Safe Haskell are not listed.
const FORBIDDEN: &[&str] = &[
    "CPP",
    "TemplateHaskell",
    "QuasiQuotes",
    "ForeignFunctionInterface",
    "CApiFFI",
    "InterruptibleFFI",
    "JavaScriptFFI",
    "GHCForeignImportPrim",
    "UnliftedFFITypes",
];

/// Refuses a source with a pragma that the course does not need.
///
/// # Errors
/// When there is one; the message names it.
pub(super) fn check(text: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(text);
    let mut rest: &str = &text;
    while let Some(at) = rest.find(BEGIN) {
        rest = &rest[at + BEGIN.len()..];
        check_one(rest.split(END).next().unwrap_or(rest))?;
    }
    Ok(())
}

/// Refuses a pragma with forbidden content.
fn check_one(pragma: &str) -> Result<(), String> {
    let pragma = pragma.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (name, words) = pragma.split_at(pragma.find(|c| !is_part(c)).unwrap_or(pragma.len()));
    if !name.is_ascii() {
        // GHC takes some of these letters for others: `İ` for `i`.
        return Err(format!(
            "the pragma {} has non-ASCII letters; write it in ASCII",
            quote(name.as_bytes())
        ));
    }
    match name.to_ascii_uppercase().as_str() {
        "OPTIONS_HADDOCK" => Ok(()),
        "LANGUAGE" => check_language(words),
        "INCLUDE" => Err("it has an INCLUDE pragma, which is not allowed; remove it".to_owned()),
        options if options.starts_with("OPTIONS") => {
            match words.split_whitespace().find(|flag| !is_harmless(flag)) {
                Some(flag) => Err(format!(
                    "it sets the compiler option {}, but only warnings (-W...) and optimisation (-O, -O1, -O2) are allowed; remove it",
                    quote(flag.as_bytes())
                )),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn check_language(words: &str) -> Result<(), String> {
    if words.contains("{-") || words.contains("--") {
        return Err("it has a comment inside a LANGUAGE pragma; remove the comment".to_owned());
    }
    let mut names = words.split(|c: char| !c.is_alphanumeric());
    match names.find(|name| FORBIDDEN.contains(name)) {
        Some(name) => Err(format!(
            "it uses the extension {name}, which is forbidden because it runs code from outside; remove it"
        )),
        None => Ok(()),
    }
}

/// Returns whether a flag only chooses warnings or the level of optimisation.
fn is_harmless(flag: &str) -> bool {
    let is_plain = |name: &str| {
        name.bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'='))
    };
    let warns = ["-W", "-fwarn-", "-fno-warn-"];
    let mut names = warns.iter().filter_map(|start| flag.strip_prefix(start));
    matches!(flag, "-w" | "-O" | "-O0" | "-O1" | "-O2") || names.any(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_that_run_programs_are_refused_however_they_are_written() {
        for text in [
            "{-# OPTIONS_GHC -F -pgmF /bin/sh #-}",
            "{-#options_ghc -F#-}",
            "{-#\n\n  Options_Ghc\n -Wall\n\t-pgmF\n/bin/sh\n#-}",
            "{-# OPTIONS -cpp #-}",
            "{-# OPTIONS_GHC -fplugin=Evil #-}",
            "{-# OPTIONS_GHC -Wall,-F #-}",
            "{-# OPTIONS_GHC -O2/x #-}",
            "{-# OPT\u{130}ONS_GHC -F #-}",
            "{-# OPTIONS_GHC -XCPP #-}",
            "{-# OPTIONS_GHC -package ghc #-}",
            "{-# OPTIONS_GHC -F",
            "{-# LANGUAGE BangPatterns, CPP #-}",
            "{-# Language\n  CApiFFI\n #-}",
            "{-# LANGUAGE {- #-} -} CPP #-}",
            "{-# LANGUAGE -- #-}\n CPP #-}",
            "{-# LANGUAGE TemplateHaskell #-}",
            "{-# INCLUDE \"x.h\" #-}",
            "{-# LANGUAGE BangPatterns #-} {- {-# OPTIONS_GHC -F #-} -}",
        ] {
            assert!(check(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn pragmas_of_honest_sources_are_taken() {
        for text in [
            "",
            "module A where",
            "{-# LANGUAGE BangPatterns, TupleSections #-}\n{-# OPTIONS_GHC -Wall -O2 #-}",
            "{-# OPTIONS_GHC -Wno-unused-imports -fno-warn-orphans -Werror=missing-fields #-}",
            "{-# OPTIONS_HADDOCK hide #-}",
            "f {-# INLINE f #-} {-# UNPACK #-} -- I know C and CPP",
            "{- LANGUAGE CPP -}",
        ] {
            assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
        }
    }
}
