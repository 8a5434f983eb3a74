//! The terminal as a screen that is drawn over again, and how it is given back.

use super::{Line, Paint, cut};
use console::{Term, truncate_str};
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

/// How the terminal was before, as long as it is ours; a signal may end the program at any
/// time, so it is kept where every thread finds it.
static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

struct Before {
    /// None where standard input is no terminal.
    settings: Option<Termios>,
}

/// Another screen, no cursor; both are undone by [`LEAVE`].
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
const CURSOR_ON: &str = "\x1b[?25h";
const CURSOR_OFF: &str = "\x1b[?25l";
/// From the upper left, with nothing left of what was there.
const HOME: &str = "\x1b[H";
const REST_OF_LINE: &str = "\x1b[K";
const REST_OF_SCREEN: &str = "\x1b[J";

/// A screen of its own on the user's terminal. It is given back when this is dropped, or by
/// [`restore`].
#[derive(Debug)]
pub(crate) struct Screen {
    paint: Paint,
    term: Term,
}

/// Returns how standard input is set, if it is a terminal.
fn settings() -> Option<Termios> {
    let input = io::stdin();
    input
        .is_terminal()
        .then(|| tcgetattr(&input).ok())
        .flatten()
}

impl Screen {
    /// Takes the terminal: what is typed is neither shown nor kept back until a line is whole.
    pub(crate) fn open(paint: Paint) -> Self {
        let before = settings();
        *BEFORE.lock().expect("nobody panics here") = Some(Before {
            settings: before.clone(),
        });
        write(ENTER);
        quiet(before);
        let term = Term::stdout();
        Self { paint, term }
    }

    /// Returns columns and lines.
    pub(crate) fn size(&self) -> (usize, usize) {
        let (lines, columns) = self.term.size_checked().unwrap_or((24, 80));
        (columns.into(), lines.into())
    }

    /// Shows lines from the upper left on; what there is no room for is left out.
    pub(crate) fn show(&self, lines: &[Line]) {
        let mut text = HOME.to_owned();
        let (columns, rows) = self.size();
        for (index, line) in lines.iter().take(rows).enumerate() {
            if index > 0 {
                text.push_str("\r\n");
            }
            let mut line = line.clone();
            cut(&mut line, columns);
            text.push_str(&self.paint.line(&line));
            text.push_str(REST_OF_LINE);
        }
        text.push_str(REST_OF_SCREEN);
        // After an interrupt it is not ours any more.
        let before = BEFORE.lock().expect("nobody panics here");
        if before.is_some() {
            write(&text);
        }
    }

    /// Asks for a line below what is shown; none when nobody will type any more.
    pub(crate) fn ask(&self, prompt: &str) -> Option<String> {
        let prompt = truncate_str(prompt, self.size().0, "");
        write(&format!("\r\n{prompt}{REST_OF_LINE}{CURSOR_ON}"));
        typing();
        let line = read_line();
        quiet(settings());
        write(CURSOR_OFF);
        line
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal as it was, if it was taken.
pub(crate) fn restore() {
    let Ok(mut before) = BEFORE.lock() else {
        return;
    };
    if let Some(before) = before.take() {
        write(LEAVE);
        if let Some(settings) = before.settings {
            // There is nobody to tell.
            let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
        }
    }
}

/// Reads a line of standard input; none at its end.
pub(crate) fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// Takes keys one by one, unseen, and does not let the program be stopped on its screen.
fn quiet(settings: Option<Termios>) {
    if let Some(mut settings) = settings {
        let flags = LocalFlags::ICANON | LocalFlags::ECHO;
        settings.local_flags.remove(flags);
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = 0;
        settings.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
        settings.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
    }
}

/// Lets a line be typed as everywhere.
fn typing() {
    let before = BEFORE.lock().expect("nobody panics here");
    let settings = before.as_ref().and_then(|before| before.settings.clone());
    if let Some(mut settings) = settings {
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = 0;
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
    }
}

/// Writes on standard output; that nobody reads it stops nothing.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
