//! The help of the program: its verbs under headings.

use super::exit::{EXIT_INPUT, EXIT_JUDGE};
use super::out;
use crate::terminal::{Paint, joined, paint_of_stderr};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use rulebook::nearest::nearest;
use rulebook::{JudgeError, TABLE_KEYS, TOP_LEVEL_KEYS};
use run::commands::path_for_shell;
use run::{RESULTS, run_in};
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::exit;

type Group = (&'static str, &'static str, &'static [&'static str]);

/// The groups. Each visible verb is in one.
const GROUPS: [Group; 7] = [
    (
        "Make",
        "a bot or a game",
        &["new", "check", "play", "match", "referee", "game"],
    ),
    (
        "Compete",
        "in a tournament",
        &["run", "plan", "competition"],
    ),
    (
        "Results",
        "of a run",
        &["view", "explain", "repro", "verify"],
    ),
    ("Staff", "of a course", &["grades", "report", "regrade"]),
    ("Draw", "from a secret", &["commit", "reveal"]),
    ("Cluster", "of machines", &["split", "part", "merge"]),
    ("Tools", "", &["doctor", "completions"]),
];

const COLUMNS: usize = 80;

const NAME_COLUMNS: usize = 12;

const TEMPLATE: &str = "{about-with-newline}
{usage-heading} {usage}
{before-help}Options:
{options}{after-help}";

/// Lists the verbs under their headings in the program's help, and limits the width of all help.
pub(super) fn grouped(commands: Command) -> Command {
    let (brief, list) = (brief(&commands), list(&commands));
    commands
        .mut_subcommands(|verb| {
            verb.mut_args(|arg| {
                // The flag's own parser refuses a negative number, and names the range.
                let takes_values = arg.get_action().takes_values();
                arg.allow_negative_numbers(takes_values)
            })
        })
        .max_term_width(COLUMNS)
        .subcommand_value_name("VERB")
        .help_template(TEMPLATE)
        .before_help(brief)
        .before_long_help(list)
}

/// Without the verbs that this build lacks.
fn groups(commands: &Command) -> impl Iterator<Item = (&Group, Vec<&Command>)> {
    GROUPS.iter().map(|group| {
        let verbs = group.2.iter();
        let known = verbs.filter_map(|verb| commands.find_subcommand(verb));
        (group, known.collect())
    })
}

fn brief(commands: &Command) -> String {
    let header = commands.get_styles().get_header();
    let mut text = String::new();
    for ((heading, ..), verbs) in groups(commands) {
        let names = joined(verbs.iter().map(|verb| verb.get_name()), ", ");
        // The parser wraps lines that do not begin in a style as if they were one.
        write!(text, "{header}\n{heading:9}{header:#} {names}").expect("in memory");
    }
    text.push_str(
        "\n\njudge --help says what each verb does; judge VERB -h, how to use it. A bot that\n\
         judge new --protocol makes comes with a page about the protocol.",
    );
    text
}

fn list(commands: &Command) -> String {
    let styles = commands.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::new();
    for ((heading, purpose, _), verbs) in groups(commands) {
        let heading = format!("{heading} {purpose}");
        write!(text, "{header}\n{}:{header:#}", heading.trim_end()).expect("in memory");
        for verb in verbs {
            let name = verb.get_name();
            write!(text, "{literal}\n  {name:NAME_COLUMNS$}{literal:#}  ").expect("in memory");
            text.extend(verb.get_about().map(ToString::to_string));
        }
        text.push('\n');
    }
    text.push_str("\njudge VERB -h says how to use a verb; judge VERB --help says all about it.");
    text
}

pub(super) fn refuse(commands: &Command, refused: clap::Error) -> ! {
    if !refused.use_stderr() {
        if let Some(error) = refused
            .print()
            .and_then(|()| io::stdout().flush())
            .err()
            .filter(|e| e.kind() != io::ErrorKind::BrokenPipe)
        {
            let error = JudgeError::io("write to", "standard output", error);
            out::aside(format_args!("judge error: {error}"));
            exit(EXIT_JUDGE.into());
        }
        exit(0);
    }
    let words: Vec<String> = env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let rendered = with_one_tip(commands, refused, &words).render();
    let text = match paint_of_stderr() {
        Paint::Colours => rendered.ansi().to_string(),
        Paint::Plain => rendered.to_string(),
    };
    // This program's own word.
    let own = text.replacen("error:", "judge:", 1);
    out::aside(format_args!("{}", own.trim_end()));
    exit(EXIT_INPUT.into())
}

/// Words of the parser's tip to pass an unknown flag as a value, which no verb takes.
const AS_A_VALUE: &str = " as a value, use ";

/// Keeps only the verb that is most like a misspelt one, or finds one.
/// Adds a tip for each missing value, and for a flag that is a key of competition files.
fn with_one_tip(commands: &Command, mut refused: clap::Error, words: &[String]) -> clap::Error {
    let kind = ContextKind::SuggestedSubcommand;
    let similar = match refused.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(wrong)) => {
            if let Some((_, tip)) = OTHER_WORDS.iter().find(|(word, _)| word == wrong) {
                refused.remove(kind);
                let tip = ContextValue::StyledStrs(vec![(*tip).into()]);
                refused.insert(ContextKind::Suggested, tip);
                return refused;
            }
            let parent = verb_before(commands, wrong, words);
            let verbs = || parent.get_subcommands().filter(|verb| !verb.is_hide_set());
            match refused.get(kind) {
                Some(ContextValue::Strings(similar)) => {
                    let is_shown = |one: &&String| {
                        let known = parent.find_subcommand(one);
                        !known.is_some_and(Command::is_hide_set)
                    };
                    similar.iter().rfind(is_shown).cloned()
                }
                _ => nearest(wrong, verbs().map(Command::get_name)).map(str::to_owned),
            }
        }
        _ => None,
    };
    match similar {
        Some(verb) => refused.insert(kind, ContextValue::Strings(vec![verb])),
        None => refused.remove(kind),
    };
    let kind = ContextKind::Suggested;
    if let Some(ContextValue::StyledStrs(mut tips)) = refused.remove(kind) {
        tips.retain(|tip| !tip.to_string().contains(AS_A_VALUE));
        if !tips.is_empty() {
            refused.insert(kind, ContextValue::StyledStrs(tips));
        }
    }
    let missing = missing_tips(commands, &refused, words);
    if !missing.is_empty() {
        refused.insert(kind, ContextValue::StyledStrs(missing));
    }
    if let Some(tip) = competition_key_tip(commands, &refused, words) {
        // The parser's own tip and usage are about a flag that nobody meant.
        refused.remove(ContextKind::SuggestedArg);
        refused.remove(ContextKind::Usage);
        refused.insert(kind, ContextValue::StyledStrs(vec![tip.into()]));
    }
    refused
}

/// Returns the words of the help for each missing argument or value, with a run in `results`.
fn missing_tips(commands: &Command, refused: &clap::Error, words: &[String]) -> Vec<StyledStr> {
    // Only built arguments can be written.
    let mut commands = commands.clone();
    commands.build();
    let verb = verb_before(&commands, "", words);
    let named = refused.get(ContextKind::InvalidArg);
    let value = refused.get(ContextKind::InvalidValue);
    let is_missing = |argument: &Arg| match (refused.kind(), named, value) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing)), _) => {
            missing.contains(&argument.to_string())
        }
        (
            ErrorKind::InvalidValue,
            Some(ContextValue::String(flag)),
            Some(ContextValue::String(value)),
        ) => value.is_empty() && *flag == argument.to_string(),
        _ => false,
    };
    let tip = |argument: &Arg| {
        let help = argument.get_help()?.to_string();
        let (first, rest) = help.split_at_checked(1)?;
        // The run of a commitment does not exist yet.
        let is_past = argument.get_id() == "run" && verb.get_name() != "commit";
        let run = is_past.then(|| run_in(Path::new(RESULTS))).flatten();
        let such_as = |run: PathBuf| format!(", such as {}", path_for_shell(&run));
        let example = run.map(such_as).unwrap_or_default();
        Some(format!("{argument}: {}{rest}{example}", first.to_lowercase()).into())
    };
    verb.get_arguments()
        .filter(|argument| is_missing(argument))
        .filter_map(tip)
        .collect()
}

/// Returns a tip for an unknown flag of a verb with competition files that is a key of these.
fn competition_key_tip(
    commands: &Command,
    refused: &clap::Error,
    words: &[String],
) -> Option<String> {
    let Some(ContextValue::String(flag)) = refused.get(ContextKind::InvalidArg) else {
        return None;
    };
    if refused.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let key = flag.strip_prefix("--")?.replace('-', "_");
    let mut flags = verb_before(commands, flag, words).get_arguments();
    flags.find(|argument| argument.get_long() == Some("competition"))?;
    let of_table = format!(".{key}");
    if let Some(dotted) = TABLE_KEYS.iter().find(|key| key.ends_with(&of_table)) {
        return Some(format!(
            "{key} is a key of competition files: --set {dotted}=VALUE"
        ));
    }
    TOP_LEVEL_KEYS.contains(&&*key).then(|| {
        format!(
            "{key} is a key of competition files, which judge competition GAME prints: set it above the first [table], and give the file with --competition"
        )
    })
}

/// Words that people try for verbs, and the commands that do it.
const OTHER_WORDS: [(&str, &str); 11] = [
    ("create", NEW),
    ("export", GRADES),
    ("fill", GRADES),
    ("init", NEW),
    (
        "protocol",
        "judge new GAME DIR writes a bot and PROTOCOL.md",
    ),
    (
        "replay",
        "judge view RUN GAME --terminal shows a game, and judge repro RUN GAME plays it again",
    ),
    (
        "show",
        "judge view RUN writes the page of a run, and judge view RUN GAME --terminal shows a game",
    ),
    ("start", RUN),
    ("test", "judge check BOT tests a bot"),
    ("tournament", RUN),
    (
        "watch",
        "judge play BOT BOT shows a game, and judge run PLACE --watch plays what arrives",
    ),
];

const NEW: &str = "judge new GAME DIR makes a bot, and judge game new DIR a game";
const GRADES: &str =
    "judge grades RUN writes the grades, and judge grades RUN --fill FILE fills a platform's file";
const RUN: &str = "judge run PLACE plays a tournament";

fn verb_before<'a>(commands: &'a Command, wrong: &str, words: &[String]) -> &'a Command {
    words
        .iter()
        .skip(1)
        .take_while(|word| *word != wrong)
        .fold(commands, |parent, word| {
            parent.find_subcommand(word).unwrap_or(parent)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    /// Lines of a terminal.
    const LINES: usize = 24;

    fn help(arguments: &[&str]) -> String {
        let arguments = [&["judge"], arguments].concat();
        let shown = grouped(Cli::command()).try_get_matches_from(arguments);
        shown.expect_err("it shows help").to_string()
    }

    fn visible() -> Vec<String> {
        let commands = Cli::command();
        let verbs = commands
            .get_subcommands()
            .filter(|verb| !verb.is_hide_set());
        verbs.map(|verb| verb.get_name().to_owned()).collect()
    }

    #[test]
    fn each_visible_verb_is_under_one_heading() {
        for verb in visible() {
            let headings = GROUPS.iter().filter(|group| group.2.contains(&&*verb));
            assert_eq!(headings.count(), 1, "{verb}");
        }
        let commands = Cli::command();
        for verb in GROUPS.iter().flat_map(|group| group.2) {
            let hidden = commands
                .find_subcommand(verb)
                .filter(|verb| verb.is_hide_set());
            assert!(hidden.is_none(), "{verb} is hidden");
        }
    }

    #[test]
    fn short_help_fits_a_small_terminal() {
        let mut too_large = Vec::new();
        for verb in [None].into_iter().chain(visible().into_iter().map(Some)) {
            let arguments: Vec<&str> = verb.as_deref().into_iter().chain(["-h"]).collect();
            let text = help(&arguments);
            let columns = text.lines().map(|line| line.chars().count()).max();
            let lines = text.lines().count();
            // The prompt takes a line.
            if lines >= LINES || columns > Some(COLUMNS) {
                too_large.push(format!(
                    "{arguments:?}: {lines} lines, {columns:?} columns\n{text}"
                ));
            }
        }
        assert!(too_large.is_empty(), "{}", too_large.join("\n"));
    }

    #[test]
    fn wrong_number_is_refused_in_plain_words() {
        let commands = Cli::command();
        for verb in commands.get_subcommands() {
            let flags = verb.get_arguments().filter_map(|argument| {
                Some((argument.get_long()?, argument.get_action().takes_values()))
            });
            for (flag, takes_values) in flags {
                for wrong in ["x", "-1"] {
                    let flag = format!("--{flag}");
                    let words = ["judge", verb.get_name(), &flag, wrong, "a", "b"];
                    let refused = grouped(Cli::command()).try_get_matches_from(words);
                    let text = refused.err().map(|refused| refused.to_string());
                    let text = text.unwrap_or_default();
                    let of_the_parser = ["digit", "literal", "integer", "is not in"];
                    let mut of_the_parser = of_the_parser.iter();
                    assert!(!of_the_parser.any(|words| text.contains(words)), "{text}");
                    assert!(!(takes_values && text.contains("argument '-1'")), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_misspelt_verb_is_corrected_to_visible_ones() {
        for verb in visible() {
            let mut misspelt = verb.clone();
            misspelt.insert(1, misspelt.chars().next().expect("a name"));
            let text = refusal(&["judge", &misspelt]);
            let tip = format!("tip: a similar subcommand exists: '{verb}'");
            assert!(text.contains(&tip), "{text}");
        }
        let hidden = refusal(&["judge", "score"]);
        assert!(!hidden.contains("worker"), "{hidden}");
        for wrong in [&["judge", "nwe"][..], &["judge", "game", "nwe"]] {
            let text = refusal(wrong);
            let tip = "a similar subcommand exists: 'new'";
            assert!(text.contains(tip), "{text}");
        }
    }

    #[test]
    fn synonym_of_verb_is_answered_with_command() {
        for (word, tip) in OTHER_WORDS {
            let text = refusal(&["judge", word, "bots"]);
            assert!(text.contains(&format!("tip: {tip}")), "{text}");
            assert!(!text.contains("similar"), "{text}");
            let verb = tip.split(' ').nth(1).expect("a verb");
            assert!(visible().iter().any(|known| known == verb), "{verb}");
        }
    }

    #[test]
    fn flag_unknown_to_verb_is_not_value() {
        let text = refusal(&["judge", "verify", "run", "--seed", "1"]);
        assert!(text.contains("unexpected argument '--seed'"), "{text}");
        assert!(!text.contains("tip:"), "{text}");
        let text = refusal(&["judge", "run", "class", "--staets", "5"]);
        assert!(text.contains("'--states'"), "{text}");
    }

    #[test]
    fn a_key_of_competition_files_is_no_flag() {
        for flag in ["--too-late", "--title", "--deadline"] {
            let text = refusal(&["judge", "run", "class", flag, "x"]);
            let key = flag.trim_start_matches('-').replace('-', "_");
            let tip = format!("tip: {key} is a key of competition files, which");
            assert!(text.contains(&tip), "{text}");
            assert_eq!(text.matches("tip:").count(), 1, "{text}");
            assert!(!text.contains("Usage"), "{text}");
        }
        let text = refusal(&["judge", "grades", "run", "--too-late", "ungraded"]);
        assert!(!text.contains("competition files"), "{text}");
    }

    fn refusal(words: &[&str]) -> String {
        let commands = grouped(Cli::command());
        let refused = commands.clone().try_get_matches_from(words);
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        with_one_tip(&commands, refused.expect_err("no verb"), &words).to_string()
    }
}
