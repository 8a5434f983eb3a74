//! `judge game new`: makes a folder with a first game.

use crate::cli::exit::Done;
use crate::cli::new::write_new;
use crate::starter::StarterFile;
use clap::{Args, ValueEnum};
use model::text::{SLUG_CHARS_MAX, is_slug};
use rulebook::JudgeError;
use run::commands::{path_for_shell, program};
use run::is_found_by;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(in crate::cli) struct NewGameArgs {
    /// The folder to make; its name becomes the game's name
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// The language
    #[arg(long, value_enum, default_value = "python")]
    lang: GameLanguage,
}

/// A language with a helper.
#[derive(Clone, Copy, ValueEnum)]
enum GameLanguage {
    Python,
    Javascript,
    Cpp,
}

/// Texts of a first game.
struct FirstGame {
    file: &'static str,
    text: &'static str,
    manifest: &'static str,
}

impl GameLanguage {
    const fn first(self) -> FirstGame {
        match self {
            Self::Python => FirstGame {
                file: "game.py",
                text: include_str!("first/game.py"),
                manifest: "run = \"python3 game.py\"\n",
            },
            Self::Javascript => FirstGame {
                file: "game.js",
                text: include_str!("first/game.js"),
                manifest: "run = \"node game.js\"\n",
            },
            Self::Cpp => FirstGame {
                file: "game.cpp",
                text: include_str!("first/game.cpp"),
                manifest: "build = \"g++ -std=c++17 -O2 -o game game.cpp\"\nrun = \"./game\"\n",
            },
        }
    }
}

impl NewGameArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let slug = slug_of(&self.folder)?;
        let FirstGame {
            file,
            text,
            manifest,
        } = self.lang.first();
        let text = text.replace("@SLUG@", slug);
        let text = text.replace("@TITLE@", &title_of(slug));
        let plain = |path: &str, text: Cow<'static, str>| StarterFile {
            path: path.into(),
            text,
            executable: false,
        };
        let files = [
            plain(file, text.into()),
            plain("game.toml", manifest.into()),
        ];
        write_new(&self.folder, &files)?;
        let (judge, game) = (program(), path_for_shell(&self.folder));
        let flag = if is_found_by(slug, &self.folder, &[]) {
            String::new()
        } else {
            format!(" --game {game}")
        };
        say!("made {}: a game that plays", self.folder.display());
        say!("  {file}: the rules; begin here");
        say!("  game.toml: how they are run");
        say!("");
        say!("to check the rules, watch a game, make a bot, and play a tournament:");
        say!("  {judge} game check {game}");
        say!("  {judge} play builtin:random builtin:random --game {game}");
        say!("  {judge} new {game} bots/ann --lang python");
        say!("  {judge} run bots --with random{flag}");
        Ok(Done::Success)
    }
}

/// Returns the game's slug: the name of its folder.
fn slug_of(folder: &Path) -> Result<&str, JudgeError> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let slug = name.filter(|name| is_slug(name));
    let is_built_in =
        |slug: &str| rulebook::rules::built_in().any(|rules| rules.info().slug == slug);
    if let Some(slug) = slug.filter(|slug| is_built_in(slug)) {
        return Err(JudgeError::input(format!(
            "{slug} is the name of a built-in game; choose another name"
        )));
    }
    slug.ok_or_else(|| {
        JudgeError::input(format!(
            "{}: a game's name is 1 to {SLUG_CHARS_MAX} of a-z, 0-9 and \"-\"; choose another folder",
            folder.display()
        ))
    })
}

/// Returns the game's title for people: `tug-of-war` becomes `Tug of war`.
fn title_of(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let (first, rest) = words.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}
