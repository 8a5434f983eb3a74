//! Full-screen use of the terminal, and its restoration.

use super::{Line, Paint, cut};
use console::{Term, truncate_str};
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

/// Settings of the terminal before this program took it; `None` if it is not taken. A signal may
/// end the program at any time, which is why every thread can reach them.
static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

struct Before {
    /// `None` if standard input is no terminal.
    settings: Option<Termios>,
}

/// Switches to the alternate screen and hides the cursor; [`LEAVE`] undoes both.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
const CURSOR_ON: &str = "\x1b[?25h";
const CURSOR_OFF: &str = "\x1b[?25l";
/// Moves the cursor to the upper left.
const HOME: &str = "\x1b[H";
const REST_OF_LINE: &str = "\x1b[K";
const REST_OF_SCREEN: &str = "\x1b[J";

/// A full screen on the user's terminal. Dropping it, or [`restore`], gives the terminal back.
#[derive(Debug)]
pub(crate) struct Screen {
    paint: Paint,
    term: Term,
}

/// Returns the settings of standard input, if it is a terminal.
fn settings() -> Option<Termios> {
    let input = io::stdin();
    input
        .is_terminal()
        .then(|| tcgetattr(&input).ok())
        .flatten()
}

impl Screen {
    /// Takes the terminal: it echoes no input and passes keys on without waiting for a whole line.
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

    /// Returns the columns and the lines of the terminal.
    pub(crate) fn size(&self) -> (usize, usize) {
        let (lines, columns) = self.term.size_checked().unwrap_or((24, 80));
        (columns.into(), lines.into())
    }

    /// Shows lines from the upper left on, and leaves out those that do not fit.
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
        // After an interrupt the terminal is given back already.
        let before = BEFORE.lock().expect("nobody panics here");
        if before.is_some() {
            write(&text);
        }
    }

    /// Asks for a line below the picture. Returns `None` at the end of the input.
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

/// Restores the terminal, if it is taken.
pub(crate) fn restore() {
    let Ok(mut before) = BEFORE.lock() else {
        return;
    };
    if let Some(before) = before.take() {
        write(LEAVE);
        if let Some(settings) = before.settings {
            // Nobody is left to report a failure to.
            let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
        }
    }
}

/// Reads a line of standard input. Returns `None` at its end.
pub(crate) fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// Sets the terminal to pass on single keys, without echo. Ctrl+Z is off, because the program would
/// stop on its own screen.
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

/// Sets the terminal for typing a whole line.
fn typing() {
    let before = BEFORE.lock().expect("nobody panics here");
    let settings = before.as_ref().and_then(|before| before.settings.clone());
    if let Some(mut settings) = settings {
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = 0;
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
    }
}

/// Writes on standard output; a missing reader stops nothing.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
