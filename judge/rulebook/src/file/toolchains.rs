//! The table `[toolchains]`: the folders of compilers and interpreters on this machine.

use super::wrong::Wrong;
use model::fault::quote;
use model::toolchain::READ;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use toml::{Spanned, Value};

/// The table as written: the name of each program and its folder, and [`READ`] with a list.
pub(super) type ToolchainsTable = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Returns the folder of each named program, and under [`READ`] further paths that programs may
/// read, in the form of PATH. Checks only the paths' form, not whether they exist.
pub(super) fn toolchains(table: ToolchainsTable) -> Result<BTreeMap<String, String>, Wrong> {
    let checked = |(program, value): (Spanned<String>, Spanned<Value>)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
        let name = program.get_ref();
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            let shown = quote(name.as_bytes());
            let reason =
                format!("{shown}: must be the name of a program, for example ghc or python3");
            return Err((program.span(), reason));
        }
        let (paths, what) = match value.get_ref() {
            Value::Array(paths) if name == READ => (paths.iter().map(fit_path).collect(), PATHS),
            _ if name == READ => (None, PATHS),
            folder => (fit_path(folder).map(|folder| vec![folder]), FOLDER),
        };
        let paths: Option<Vec<&str>> = paths;
        let Some(paths) = paths else {
            return Err((value.span(), format!("{name}: must be {what}")));
        };
        let paths = paths.join(":");
        Ok((program.into_inner(), paths))
    };
    table.into_iter().map(checked).collect()
}

const FOLDER: &str = "the absolute path of the program's folder, for example \"/opt/ghc/bin\"";
const PATHS: &str = "a list of absolute paths, for example [\"/etc/tool\"]";

/// Returns a path that is absolute, leads nowhere up, and can be in PATH.
fn fit_path(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let path = Path::new(text);
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    (path.is_absolute() && !leads_up && !text.contains([':', '\0'])).then_some(text)
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
        let found = read("read = [\"/etc/a\", \"/srv/b\"]").expect("allowed");
        assert_eq!(found["read"], "/etc/a:/srv/b");
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
            ("ghc = 1", "c.toml, line 3: ghc: must be the absolute path"),
            (
                "read = \"/etc/a\"",
                "c.toml, line 3: read: must be a list of absolute paths",
            ),
            (
                "read = [\"/etc/a\", \"b\"]",
                "c.toml, line 3: read: must be a list of absolute paths",
            ),
        ] {
            let error = read(line).expect_err(line);
            assert!(error.starts_with(words), "{error:?} for {line}");
        }
    }
}
