//! `judge new`: makes a folder with a first bot.

#![expect(
    clippy::disallowed_methods,
    reason = "only whether a folder is empty is read"
)]

use super::exit::Done;
use crate::starter::{self, Starter, StarterFile};
use clap::Args;
use intake::{TOOLCHAINS_ELSEWHERE, Toolchains, lacks_for_kit, lacks_program};
use rulebook::JudgeError;
use run::commands::{path_for_shell, program};
use run::{is_found_by, named_game};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use system::cleanup::TemporaryFolder;
use system::files::make_folder;

#[derive(Args)]
pub(super) struct NewArgs {
    #[arg(help = format!("The game: {}; or the file or folder of a game of your own", games()))]
    game: String,
    #[arg(long, value_name = "LANGUAGE", help = format!("The language [default: the course's, else python]: {}", starter::known_languages()))]
    lang: Option<String>,
    /// Make a bot that speaks the protocol itself, and add a page about the protocol, even if the
    /// course has an interface in this language
    #[arg(long)]
    protocol: bool,
    /// With the course's exercises solved, for staff
    #[arg(long, conflicts_with = "protocol")]
    solved: bool,
    /// The folder to make; its name becomes the entrant's name
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn games() -> String {
    let slugs: Vec<&str> = rulebook::rules::built_in()
        .map(|rules| rules.info().slug)
        .collect();
    slugs.join(", ")
}

impl NewArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let rules = named_game(&self.game).map_err(|error| self.swapped().unwrap_or(error))?;
        let found = starter::find(&*rules, self.lang.as_deref(), self.protocol);
        let starter = found
            .and_then(|found| {
                if self.solved {
                    found.solved()
                } else {
                    Ok(found)
                }
            })
            .map_err(JudgeError::Input)?;
        let files = starter.files(&*rules)?;
        write_new(&self.folder, &files)?;
        let folder = self.folder.display();
        let kind = match starter {
            Starter::Course(_) => "with the course's files, its exercises left open",
            Starter::Solved(_) => "with the course's files, its exercises solved: for staff only",
            Starter::Protocol(..) => "that speaks the protocol",
        };
        say!("made {folder}: a bot for {} {kind}", rules.info().title);
        for file in &files {
            say!("  {}", file.path.display());
        }
        say!("");
        let path = std::env::var_os("PATH");
        let tools = Toolchains::new(path.as_deref(), &BTreeMap::new(), &[])?;
        let lacks = match starter {
            Starter::Course(kit) | Starter::Solved(kit) => lacks_for_kit(&tools, kit)?,
            Starter::Protocol(language, _) => language
                .main_program()
                .and_then(|program| lacks_program(&tools, program.name)),
        };
        if let Some(lacks) = lacks {
            say!("this machine cannot build or run it: {lacks}");
            say!("({TOOLCHAINS_ELSEWHERE})");
            say!("");
        }
        if let Starter::Course(_) = starter {
            say!(
                "it may make illegal moves, which judge check calls WRONG, until the exercises are solved"
            );
        }
        let begin = if self.solved {
            ""
        } else {
            "look for \"Begin here\"; "
        };
        say!("{begin}to check the bot:");
        let folder = path_for_shell(&self.folder);
        let game = Path::new(&self.game);
        let places = std::slice::from_ref(&self.folder);
        let is_found = || is_found_by(rules.info().slug, game, places);
        let game = if rules.program().is_none() || is_found() {
            String::new()
        } else {
            format!(" --game {}", path_for_shell(game))
        };
        say!("  {} check {folder}{game}", program());
        Ok(Done::Success)
    }

    /// Refuses a game after its folder; `None` if the folder has no game's name.
    fn swapped(&self) -> Option<JudgeError> {
        let game = self.folder.to_str()?;
        if Path::new(&self.game).exists() {
            return None;
        }
        rulebook::rules::built_in().any(|rules| rules.info().slug == game).then(|| {
            let folder = path_for_shell(Path::new(&self.game));
            JudgeError::input(format!(
                "unknown game {:?}; are the two swapped? The game comes first: {} new {game} {folder}",
                self.game,
                program()
            ))
        })
    }
}

/// Writes the files whole or not at all into a folder that must be new or empty.
pub(super) fn write_new(folder: &Path, files: &[StarterFile]) -> Result<(), JudgeError> {
    let taken = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => fs::symlink_metadata(folder).is_ok(),
    };
    if taken {
        return Err(JudgeError::Input(format!(
            "{} already exists; choose a new folder",
            folder.display()
        )));
    }
    let parent = match folder.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    make_folder(parent)?;
    let runnable = || fs::Permissions::from_mode(0o755);
    let made = TemporaryFolder::new_in(parent, ".new-", runnable())
        .map_err(|e| JudgeError::io("make a folder in", parent, e))?;
    for file in files {
        let path = made.path().join(&file.path);
        make_folder(path.parent().expect("it lies below the folder"))?;
        let failed = |e| JudgeError::io("write", &path, e);
        fs::write(&path, file.text.as_bytes()).map_err(failed)?;
        if file.executable {
            fs::set_permissions(&path, runnable()).map_err(failed)?;
        }
    }
    fs::rename(made.path(), folder).map_err(|e| JudgeError::io("make the folder", folder, e))?;
    made.keep();
    Ok(())
}
