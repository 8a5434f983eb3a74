//! The table `[toolchains]`: the folders of compilers and interpreters on this machine.

use super::wrong::Wrong;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use toml::Spanned;
use words::fault::quote;

/// The table as written: the name of each program, and its folder.
pub(super) type ToolchainsTable = BTreeMap<Spanned<String>, Spanned<String>>;

/// Returns the folder of each named program. Checks only the path's form, not whether it exists.
pub(super) fn toolchains(table: ToolchainsTable) -> Result<BTreeMap<String, String>, Wrong> {
    let checked = |(program, folder): (Spanned<String>, Spanned<String>)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
        let name = program.get_ref();
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            let shown = quote(name.as_bytes());
            let reason =
                format!("{shown}: must be the name of a program, for example ghc or python3");
            return Err((program.span(), reason));
        }
        let path = Path::new(folder.get_ref());
        let leads_up = path.components().any(|part| part == Component::ParentDir);
        if !path.is_absolute() || leads_up || folder.get_ref().contains([':', '\0']) {
            let reason = format!(
                "{name}: must be the absolute path of the program's folder, for example \"/opt/ghc/bin\""
            );
            return Err((folder.span(), reason));
        }
        Ok((program.into_inner(), folder.into_inner()))
    };
    table.into_iter().map(checked).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_program_is_named_with_its_folder() {
        let read = |lines: &str| {
            let text = format!("game = \"reversi\"\n[toolchains]\n{lines}\n");
            let read = super::super::read("c.toml", &text);
            read.map(|loaded| loaded.toolchains)
                .map_err(|error| error.to_string())
        };
        let found = read("ghc = \"/opt/ghc/bin\"\n\"g++\" = \"/opt/gcc/bin\"").expect("allowed");
        assert_eq!(found["ghc"], "/opt/ghc/bin");
        assert_eq!(found["g++"], "/opt/gcc/bin");
        for (line, words) in [
            (
                "ghc = \"bin\"",
                "c.toml, line 3: ghc: must be the absolute path",
            ),
            (
                "ghc = \"/a/../b\"",
                "c.toml, line 3: ghc: must be the absolute path",
            ),
            (
                "ghc = \"/a:/b\"",
                "c.toml, line 3: ghc: must be the absolute path",
            ),
            (
                "\"a/b\" = \"/a\"",
                "c.toml, line 3: a/b: must be the name of a program",
            ),
            ("ghc = 1", "c.toml, line 3: ghc: "),
        ] {
            let error = read(line).expect_err(line);
            assert!(error.starts_with(words), "{error:?} for {line}");
        }
    }
}
