//! Full-screen use of the terminal, its keys, and its restoration.

use super::{Line, Paint, cut};
use console::{Term, truncate_str};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::time::Duration;

/// Settings of the terminal before this program took it. A signal may end the program at any time,
/// which is why every thread can reach them.
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
pub(crate) struct Screen {
    paint: Paint,
    term: Term,
}

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
        set(before, quiet);
        let term = Term::stdout();
        Self { paint, term }
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        let (lines, columns) = self.term.size_checked().unwrap_or((24, 80));
        (columns.into(), lines.into())
    }

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
        if let Some(before) = &*BEFORE.lock().expect("nobody panics here") {
            set(before.settings.clone(), |_| ());
        }
        let line = read_line();
        set(settings(), quiet);
        write(CURSOR_OFF);
        line
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

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

pub(crate) fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// Changes the terminal. Ctrl+Z is off: it would stop the program on its own screen.
fn set(settings: Option<Termios>, change: impl FnOnce(&mut Termios)) {
    if let Some(mut settings) = settings {
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = 0;
        change(&mut settings);
        let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &settings);
    }
}

/// Passes on single keys, without echo.
fn quiet(settings: &mut Termios) {
    let flags = LocalFlags::ICANON | LocalFlags::ECHO;
    settings.local_flags.remove(flags);
    settings.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
    settings.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
}

/// Writes on standard output; a missing reader stops nothing.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Key {
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    Char(char),
}

#[derive(Default)]
pub(crate) struct Keys {
    waiting: VecDeque<Key>,
}

/// The key that is read when standard input has ended.
const QUIT: Key = Key::Char('q');

impl Keys {
    /// Returns the next key, if one is pressed within this time; `q` when no key will follow.
    pub(crate) fn next(&mut self, wait: Duration) -> Option<Key> {
        if let Some(key) = self.waiting.pop_front() {
            return Some(key);
        }
        let input = io::stdin();
        let mut polled = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        let wait = PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, wait) {
            Ok(0) | Err(Errno::EINTR) => return None,
            Ok(_) => {}
            Err(_) => return Some(QUIT),
        }
        let mut bytes = [0; 64];
        match nix::unistd::read(input.as_fd(), &mut bytes) {
            Ok(0) | Err(_) => Some(QUIT),
            Ok(count) => {
                self.waiting.extend(read(&bytes[..count]));
                self.waiting.pop_front()
            }
        }
    }
}

/// Parses characters and the escape sequences of the keys in use; skips all other sequences.
fn read(bytes: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(bytes);
    let mut letters = text.chars().peekable();
    let mut keys = Vec::new();
    while let Some(letter) = letters.next() {
        if letter != '\x1b' {
            keys.push(Key::Char(letter));
            continue;
        }
        if letters.next_if(|c| matches!(c, '[' | 'O')).is_none() {
            continue;
        }
        let mut number = String::new();
        while let Some(part) = letters.next_if(|c| c.is_ascii_digit() || *c == ';') {
            number.push(part);
        }
        keys.extend(match (letters.next(), number.as_str()) {
            (Some('D'), _) => Some(Key::Left),
            (Some('C'), _) => Some(Key::Right),
            (Some('A'), _) => Some(Key::Up),
            (Some('B'), _) => Some(Key::Down),
            (Some('H'), _) | (Some('~'), "1" | "7") => Some(Key::Home),
            (Some('F'), _) | (Some('~'), "4" | "8") => Some(Key::End),
            (Some('~'), "5") => Some(Key::PageUp),
            (Some('~'), "6") => Some(Key::PageDown),
            _ => None,
        });
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_reported_from_what_terminals_send() {
        // (bytes, keys)
        let rows: &[(&[u8], &[Key])] = &[
            (b"\x1b[D\x1b[C", &[Key::Left, Key::Right]),
            (b"\x1bOA\x1bOB", &[Key::Up, Key::Down]),
            (b"\x1b[H\x1b[1~\x1b[7~\x1bOH", &[Key::Home; 4]),
            (b"\x1b[F\x1b[4~\x1b[8~", &[Key::End; 3]),
            (b"\x1b[5~\x1b[6~", &[Key::PageUp, Key::PageDown]),
            (b"\x1b[1;5C", &[Key::Right]),
            (
                b"q \xc3\xa9",
                &[Key::Char('q'), Key::Char(' '), Key::Char('\u{e9}')],
            ),
            (b"\x1b", &[]),
            (b"\x1b[", &[]),
            (b"\x1b[2~x", &[Key::Char('x')]),
        ];
        for (bytes, keys) in rows {
            assert_eq!(read(bytes), *keys, "{bytes:?}");
        }
    }
}
