//! `judge new`: makes a folder with a first bot, which builds at once.

#![expect(
    clippy::disallowed_methods,
    reason = "only whether a folder is empty is read"
)]

use super::exit::Done;
use super::out::say_each;
use crate::terminal::joined;
use clap::Args;
use engines::{Kit, Seat};
use intake::{TOOLCHAINS_ELSEWHERE, Toolchains, lacks_for_kit, lacks_program};
use model::language::{LANGUAGES, Language, Template};
use rulebook::nearest::did_you_mean;
use rulebook::rules::{Rules, RulesError};
use rulebook::{IoContext, JudgeError, Result, refuse};
use run::commands::{path_for_shell, program};
use run::{is_found_by, named_game};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use system::cleanup::TemporaryFolder;
use system::files::{make_folder, parent_of, set_mode};

#[derive(Args)]
pub(super) struct NewArgs {
    #[arg(help = format!("The game: {}; or the file or folder of a game of your own", games()))]
    game: String,
    #[arg(long, value_name = "LANGUAGE", help = format!("The language [default: the course's, else python]: {}", known_languages()))]
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
    let slugs = rulebook::rules::built_in().map(|rules| rules.info().slug);
    joined(slugs, ", ")
}

impl NewArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let rules = named_game(&self.game).map_err(|error| self.swapped().unwrap_or(error))?;
        let mut starter = find(&*rules, self.lang.as_deref(), self.protocol)?;
        if self.solved {
            starter = starter.solved()?;
        }
        let files = starter.files(&*rules)?;
        write_new(&self.folder, &files)?;
        let folder = self.folder.display();
        let kind = match starter {
            Starter::Course(_, false) => "with the course's files, its exercises left open",
            Starter::Course(_, true) => {
                "with the course's files, its exercises solved: for staff only"
            }
            Starter::Protocol(..) => "that speaks the protocol",
        };
        say!("made {folder}: a bot for {} {kind}", rules.info().title);
        say_each("  ", files.iter().map(|(path, _)| path));
        say!("");
        let path = std::env::var_os("PATH");
        let tools = Toolchains::new(path.as_deref(), &BTreeMap::new(), &[])?;
        let lacks = match starter {
            Starter::Course(kit, _) => lacks_for_kit(&tools, kit)?,
            Starter::Protocol(language, _) => language
                .main_program()
                .and_then(|program| lacks_program(&tools, program.name)),
        };
        if let Some(lacks) = lacks {
            say!("this machine cannot build or run it: {lacks}");
            say!("({TOOLCHAINS_ELSEWHERE})");
            say!("");
        }
        if let Starter::Course(_, false) = starter {
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
        is_built_in(game).then(|| {
            let (wrong, program) = (&self.game, program());
            let folder = path_for_shell(Path::new(wrong));
            JudgeError::input(format!(
                "unknown game {wrong:?}; are the two swapped? The game comes first: {program} new {game} {folder}"
            ))
        })
    }
}

pub(super) fn is_built_in(game: &str) -> bool {
    rulebook::rules::built_in().any(|rules| rules.info().slug == game)
}

/// Writes the files whole or not at all into a folder that must be new or empty.
pub(super) fn write_new(folder: &Path, files: &[StarterFile]) -> Result {
    let taken = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => fs::symlink_metadata(folder).is_ok(),
    };
    if taken {
        return refuse(format!(
            "{} already exists; choose a new folder",
            folder.display()
        ));
    }
    let parent = parent_of(folder);
    make_folder(parent)?;
    let made = TemporaryFolder::new_in(parent, ".new-", 0o755).or_io("make a folder in", parent)?;
    for (path, text) in files {
        let path = made.path().join(path);
        make_folder(path.parent().expect("it lies below the folder"))?;
        fs::write(&path, text.as_bytes()).or_io("write", &path)?;
        if text.starts_with("#!") {
            set_mode(&path, 0o755).or_io("write", &path)?;
        }
    }
    fs::rename(made.path(), folder).or_io("make the folder", folder)?;
    made.keep();
    Ok(())
}

/// A path in the new folder, and a text; one that begins with `#!` can be executed.
pub(super) type StarterFile = (&'static str, Cow<'static, str>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Starter {
    /// A program that speaks the protocol itself, for any game.
    Protocol(&'static Language, Template),
    /// A course's files from the kit of one language, and whether the exercises are solved.
    Course(&'static Kit, bool),
}

const PROTOCOL: &str = include_str!("../../../protocol.md");
/// Mark at the end of the part of the protocol that concerns every game.
const END: &str = "<!-- `judge new` copies what stands above, and the section of its game -->\n";

/// Language of a starter where neither its author nor a course has chosen one.
const USUAL: &str = "python";

/// Finds the starter of a language, or the game's usual one; `protocol` asks for one without a kit.
pub(super) fn find(rules: &dyn Rules, language: Option<&str>, protocol: bool) -> Result<Starter> {
    let course = rules.kits().first().filter(|_| !protocol);
    let language = language.unwrap_or_else(|| course.map_or(USUAL, |kit| kit.language));
    let kit = rules.kits().iter().find(|kit| kit.language == language);
    if let Some(kit) = kit.filter(|_| !protocol) {
        return Ok(Starter::Course(kit, false));
    }
    Language::named(language)
        .and_then(|one| Some(Starter::Protocol(one, one.template?)))
        .ok_or_else(|| JudgeError::input(languages(rules, language, protocol)))
}

fn languages_for_every_game() -> impl Iterator<Item = &'static str> {
    let with_template = |one: &&Language| one.template.is_some();
    LANGUAGES.iter().filter(with_template).map(|one| one.name)
}

fn known_languages() -> String {
    let kits = rulebook::rules::built_in().flat_map(|rules| {
        let (kits, slug) = (rules.kits().iter(), rules.info().slug);
        kits.map(move |kit| format!("{} for {slug}", kit.language))
    });
    format!(
        "{} for every game; with a course's interface: {}",
        joined(languages_for_every_game(), ", "),
        joined(kits, ", ")
    )
}

pub(super) fn languages_of_all() -> BTreeSet<&'static str> {
    let kits = rulebook::rules::built_in().flat_map(|rules| rules.kits());
    with_kits(kits)
}

/// Lists the languages for every game and of these kits.
fn with_kits(kits: impl Iterator<Item = &'static Kit>) -> BTreeSet<&'static str> {
    let kits = kits.map(|kit| kit.language);
    languages_for_every_game().chain(kits).collect()
}

fn languages(rules: &dyn Rules, language: &str, protocol: bool) -> String {
    let names = with_kits(rules.kits().iter().filter(|_| !protocol));
    let mut kits = rules.kits().iter().map(|kit| kit.language);
    let meant = did_you_mean(language, names.iter().copied());
    let hint = if protocol && kits.any(|name| name == language) {
        "; without --protocol, this language has the course's interface"
    } else if meant.is_empty() {
        "; a bot in another language follows the PROTOCOL.md of any of them"
    } else {
        ""
    };
    format!(
        "no starter for {} in {language}{meant}; choose one of {}{hint}",
        rules.info().title,
        joined(names, ", ")
    )
}

impl Starter {
    fn solved(self) -> Result<Self> {
        match self {
            Self::Protocol(language, _) => refuse(format!(
                "--solved is for a course's exercises, but the bot in {} has none; omit --solved",
                language.name
            )),
            Self::Course(kit, _) if kit.solved.is_empty() => refuse(
                "--solved is for staff, and this judge was built without the solved exercises; omit --solved",
            ),
            Self::Course(kit, _) => Ok(Self::Course(kit, true)),
        }
    }

    pub(super) fn files(self, rules: &dyn Rules) -> Result<Vec<StarterFile>> {
        let mut files: Vec<StarterFile> = match self {
            Self::Protocol(_, template) => {
                let text = template.text.replace("@TITLE@", rules.info().title);
                vec![(template.file, text.into())]
            }
            Self::Course(kit, is_solved) => {
                let own = if is_solved { kit.solved } else { kit.starter };
                own.iter()
                    .chain(kit.project)
                    .map(|&(path, text)| (path, text.into()))
                    .collect()
            }
        };
        files.push(("judge.toml", self.manifest(rules).into()));
        files.push(("PROTOCOL.md", protocol_of(rules)?.into()));
        Ok(files)
    }

    fn manifest(self, rules: &dyn Rules) -> String {
        let made = match self {
            Self::Protocol(language, template) if !template.text.starts_with("#!") => {
                language.manifest_of(template.file).unwrap_or_default()
            }
            Self::Protocol(..) | Self::Course(..) => String::new(),
        };
        format!("game = \"{}\"\n{made}", rules.info().slug)
    }
}

/// Returns the general part and the game's section; a game of one's own is shown by its first turn.
fn protocol_of(rules: &dyn Rules) -> Result<String> {
    let (general, _) = PROTOCOL.split_once(END).expect("the page has the mark");
    Ok(match rules.program() {
        Some(_) => general.to_owned() + &first_turn(rules)?,
        None => general.to_owned() + rules.protocol(),
    })
}

const SEED: u64 = 1;
const MOVES_MAX: usize = 10;

const SHOWN_BYTES_MAX: usize = 4000;

/// Returns JSON as a block of Markdown, unless it is too long to be read.
fn block(json: &str) -> String {
    if json.len() > SHOWN_BYTES_MAX {
        return format!("({} bytes, too many to show)", json.len());
    }
    format!("```json\n{json}\n```")
}

fn first_turn(rules: &dyn Rules) -> Result<String> {
    let ours = |error: RulesError| error.of("their own defaults");
    let config = rules.configure("{}").map_err(ours)?;
    let setup = rules.draw(&config, SEED).map_err(ours)?;
    let position = rules.start(&setup).map_err(ours)?;
    let info = rules.info();
    let seats = info.roles.iter().enumerate();
    let mut text = format!(
        "## {}\n\nSlug `{}`; seats: {}. In short: {}.\n\n\
         Configuration: these are the defaults; a tournament may choose others, which `hello` has.\n\n{}\n",
        info.title,
        info.slug,
        joined(seats.map(|(seat, role)| format!("{seat} `{role}`")), ", "),
        info.summary,
        block(config.get()),
    );
    let movers = position.to_move()?;
    let Some(seat) = movers.first() else {
        return Ok(text);
    };
    let name = |seat: Seat| format!("`{}`", info.roles[seat.index()]);
    let mut view = Vec::new();
    position.write_view(seat, &mut view)?;
    let legal = position.legal_moves(seat)?;
    let shown = &legal[..legal.len().min(MOVES_MAX)];
    let which = if shown.len() < legal.len() {
        format!("{} of its {} legal moves", shown.len(), legal.len())
    } else {
        "Its legal moves".to_owned()
    };
    write!(
        text,
        "\nTo move first: {}. The `view` of {} in that turn is all that it knows of the position:\n\n{}\n\n\
         {which} in that turn; the `move` of an answer is one of them:\n\n{}\n",
        joined(movers.iter().map(name), " and "),
        name(seat),
        block(&String::from_utf8_lossy(&view)),
        block(&format!("[{}]", shown.join(","))),
    )
    .expect("in memory");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_only_its_own_protocol_section() {
        for game in rulebook::rules::built_in() {
            let text = protocol_of(&*game).expect("built in");
            assert!(text.starts_with("# "), "{}", game.info().slug);
            assert!(text.ends_with(game.protocol()), "{}", game.info().slug);
            for other in rulebook::rules::built_in() {
                let heading = format!("\n## {}\n", other.info().title);
                let own = other.info().slug == game.info().slug;
                assert_eq!(text.contains(&heading), own, "{}", other.info().slug);
            }
            assert!(!text.contains("judge referee"), "{}", game.info().slug);
        }
    }

    #[test]
    fn omitted_language_defaults_to_course_or_python() {
        let language = |game: &str, protocol| {
            let rules = rulebook::rules::find(game).expect("registered");
            match find(&*rules, None, protocol).expect("there is one") {
                Starter::Protocol(language, _) => language.name,
                Starter::Course(kit, _) => kit.language,
            }
        };
        assert_eq!(language("reversi", false), "haskell");
        assert_eq!(language("reversi", true), "python");
        assert_eq!(language("connect-four", false), "python");
    }

    #[test]
    fn unknown_language_is_answered_with_known_ones() {
        let cat = rulebook::rules::find("catch-the-cat").expect("registered");
        let error = find(&*cat, Some("cobol"), false)
            .expect_err("no such starter")
            .to_string();
        assert!(error.contains("in cobol; choose one of cpp, "), "{error}");
        for language in languages_for_every_game() {
            assert!(error.contains(language), "{error}");
        }
        let error = find(&*cat, Some("pyton"), false)
            .expect_err("no such starter")
            .to_string();
        assert!(error.contains("in pyton (did you mean python?); choose"));
    }
}
