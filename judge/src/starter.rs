//! Starter folders for new authors; each builds at once. This module only makes texts.

use model::language::{LANGUAGES, Language, Template};
use rulebook::JudgeError;
use rulebook::nearest::did_you_mean;
use rulebook::rules::{Rules, RulesError};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StarterFile {
    pub(crate) path: PathBuf,
    pub(crate) text: Cow<'static, str>,
    pub(crate) executable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starter {
    /// A program that speaks the protocol itself, for any game.
    Protocol(&'static Language, Template),
    /// A course's files from the kit of one language, with the exercises open.
    Course(&'static engines::Kit),
    /// A course's files with the exercises solved.
    Solved(&'static engines::Kit),
}

const PROTOCOL: &str = include_str!("../../protocol.md");
/// Mark at the end of the part of the protocol that concerns every game.
const END: &str = "<!-- `judge new` copies what stands above, and the section of its game -->\n";

/// Language of a starter where neither its author nor a course has chosen one.
const USUAL: &str = "python";

/// Finds the starter of a language, or the game's usual one; `protocol` asks for one without a kit.
pub(crate) fn find(
    rules: &dyn Rules,
    language: Option<&str>,
    protocol: bool,
) -> Result<Starter, String> {
    let course = rules.kits().first().filter(|_| !protocol);
    let language = language.unwrap_or_else(|| course.map_or(USUAL, |kit| kit.language));
    let kit = rules.kits().iter().find(|kit| kit.language == language);
    if let Some(kit) = kit.filter(|_| !protocol) {
        return Ok(Starter::Course(kit));
    }
    Language::named(language)
        .and_then(|one| Some(Starter::Protocol(one, one.template?)))
        .ok_or_else(|| languages(rules, language, protocol))
}

pub(crate) fn languages_for_every_game() -> impl Iterator<Item = &'static str> {
    LANGUAGES
        .iter()
        .filter(|language| language.template.is_some())
        .map(|language| language.name)
}

pub(crate) fn known_languages() -> String {
    let all: Vec<&str> = languages_for_every_game().collect();
    let kits = rulebook::rules::built_in().flat_map(|rules| {
        let (kits, slug) = (rules.kits().iter(), rules.info().slug);
        kits.map(move |kit| format!("{} for {slug}", kit.language))
    });
    format!(
        "{} for every game; with a course's interface: {}",
        all.join(", "),
        kits.collect::<Vec<String>>().join(", ")
    )
}

pub(crate) fn languages_of_all() -> Vec<&'static str> {
    let kits = rulebook::rules::built_in().flat_map(|rules| rules.kits());
    with_kits(kits)
}

/// Lists the languages for every game and of these kits, sorted and each once.
fn with_kits(kits: impl Iterator<Item = &'static engines::Kit>) -> Vec<&'static str> {
    let kits = kits.map(|kit| kit.language);
    let mut all: Vec<&str> = languages_for_every_game().chain(kits).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn languages(rules: &dyn Rules, language: &str, protocol: bool) -> String {
    let names = with_kits(rules.kits().iter().filter(|_| !protocol));
    let mut kits = rules.kits().iter().map(|kit| kit.language);
    let hint = if protocol && kits.any(|name| name == language) {
        "; without --protocol, this language has the course's interface"
    } else {
        ""
    };
    let meant = did_you_mean(language, names.iter().copied());
    let other = if meant.is_empty() && hint.is_empty() {
        "; a bot in another language follows the PROTOCOL.md of any of them"
    } else {
        ""
    };
    format!(
        "no starter for {} in {language}{meant}; choose one of {}{hint}{other}",
        rules.info().title,
        names.join(", ")
    )
}

impl Starter {
    pub(crate) fn solved(self) -> Result<Self, String> {
        match self {
            Self::Protocol(language, _) => Err(format!(
                "--solved is for a course's exercises, but the bot in {} has none; omit --solved",
                language.name
            )),
            Self::Course(kit) | Self::Solved(kit) if kit.solved.is_empty() => Err(
                "--solved is for staff, and this judge was built without the solved exercises; omit --solved".to_owned(),
            ),
            Self::Course(kit) | Self::Solved(kit) => Ok(Self::Solved(kit)),
        }
    }

    pub(crate) fn files(self, rules: &dyn Rules) -> Result<Vec<StarterFile>, JudgeError> {
        let mut files = match self {
            Self::Protocol(_, template) => vec![bot(&template, rules)],
            Self::Course(kit) => course(kit, kit.starter),
            Self::Solved(kit) => course(kit, kit.solved),
        };
        files.push(plain("judge.toml", self.manifest(rules)));
        files.push(plain("PROTOCOL.md", protocol_of(rules)?));
        Ok(files)
    }

    fn manifest(self, rules: &dyn Rules) -> String {
        let made = match self {
            Self::Protocol(language, template) if !template.text.starts_with("#!") => {
                language.manifest_of(template.file).unwrap_or_default()
            }
            Self::Protocol(..) | Self::Course(_) | Self::Solved(_) => String::new(),
        };
        format!("game = \"{}\"\n{made}", rules.info().slug)
    }
}

fn bot(template: &Template, rules: &dyn Rules) -> StarterFile {
    let text = template.text.replace("@TITLE@", rules.info().title);
    StarterFile {
        executable: text.starts_with("#!"),
        ..plain(template.file, text)
    }
}

fn course(kit: &engines::Kit, own: &'static [(&'static str, &'static str)]) -> Vec<StarterFile> {
    own.iter()
        .chain(kit.project)
        .map(|&(path, text)| plain(path, text))
        .collect()
}

pub(crate) fn plain(path: &str, text: impl Into<Cow<'static, str>>) -> StarterFile {
    StarterFile {
        path: path.into(),
        text: text.into(),
        executable: false,
    }
}

/// Returns the general part and the game's section; a game of one's own is shown by its first turn.
fn protocol_of(rules: &dyn Rules) -> Result<String, JudgeError> {
    let (general, _) = PROTOCOL.split_once(END).expect("the page has the mark");
    let section = match rules.program() {
        Some(_) => Cow::Owned(first_turn(rules)?),
        None => Cow::Borrowed(rules.protocol()),
    };
    Ok(format!("{general}{section}"))
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

fn first_turn(rules: &dyn Rules) -> Result<String, JudgeError> {
    let ours = |error: RulesError| error.of("their own defaults");
    let config = rules.configure("{}").map_err(ours)?;
    let setup = rules.draw(&config, SEED).map_err(ours)?;
    let position = rules.start(&setup).map_err(ours)?;
    let info = rules.info();
    let seats: Vec<String> = info
        .roles
        .iter()
        .enumerate()
        .map(|(seat, role)| format!("{seat} `{role}`"))
        .collect();
    let mut text = format!(
        "## {}\n\nSlug `{}`; seats: {}. In short: {}.\n\n\
         Configuration: these are the defaults; a tournament may choose others, which `hello` has.\n\n{}\n",
        info.title,
        info.slug,
        seats.join(", "),
        info.summary,
        block(config.get()),
    );
    let movers = position.to_move()?;
    let Some(seat) = movers.first() else {
        return Ok(text);
    };
    let names: Vec<String> = movers
        .iter()
        .map(|seat| format!("`{}`", info.roles[seat.index()]))
        .collect();
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
        names.join(" and "),
        names[0],
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
                Starter::Course(kit) | Starter::Solved(kit) => kit.language,
            }
        };
        assert_eq!(language("reversi", false), "haskell");
        assert_eq!(language("reversi", true), "python");
        assert_eq!(language("connect-four", false), "python");
    }

    #[test]
    fn unknown_language_is_answered_with_known_ones() {
        let cat = rulebook::rules::find("catch-the-cat").expect("registered");
        let error = find(&*cat, Some("cobol"), false).expect_err("no such starter");
        assert!(error.contains("in cobol; choose one of cpp, "), "{error}");
        for language in languages_for_every_game() {
            assert!(error.contains(language), "{error}");
        }
        let error = find(&*cat, Some("pyton"), false).expect_err("no such starter");
        assert!(error.contains("in pyton (did you mean python?); choose"));
    }
}
