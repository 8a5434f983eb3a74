//! Key presses of a terminal.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The keys pressed on standard input, a terminal that does not wait for whole lines.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    waiting: VecDeque<Key>,
}

/// Result of waiting for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    Key(Key),
    Nothing,
    /// Standard input has ended; no key will follow.
    Gone,
}

impl Keys {
    /// Waits at most `wait` for a key.
    pub(crate) fn next(&mut self, wait: Duration) -> Pressed {
        if let Some(key) = self.waiting.pop_front() {
            return Pressed::Key(key);
        }
        let input = io::stdin();
        let mut polled = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        let wait = PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, wait) {
            Ok(0) | Err(Errno::EINTR) => return Pressed::Nothing,
            Ok(_) => {}
            Err(_) => return Pressed::Gone,
        }
        let mut bytes = [0; 64];
        match nix::unistd::read(input.as_fd(), &mut bytes) {
            Ok(0) | Err(_) => Pressed::Gone,
            Ok(count) => {
                self.waiting.extend(read(&bytes[..count]));
                self.waiting
                    .pop_front()
                    .map_or(Pressed::Nothing, Pressed::Key)
            }
        }
    }
}

/// Parses the bytes of a terminal: characters, and the escape sequences of the keys in use. Skips
/// all other sequences.
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
    fn keys_are_told_from_what_terminals_send() {
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
