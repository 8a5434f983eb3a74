//! Terminal output, screen and keys. This module knows no game, process or run.

mod paint;
mod scene;
mod screen;

pub(crate) use paint::{Line, Paint, Span, Style, cut, fitted, span, wrapped};
pub(crate) use scene::{HistoryEntry, PlayerInfo, Scene};
pub(crate) use screen::{Key, Keys, Pressed, Screen, read_line, restore};

use console::Term;
use std::io::IsTerminal;

/// Width of a picture when no width is given, in columns.
pub(crate) const COLUMNS: usize = 80;

/// Returns the width of a terminal, 80 where it does not know its own.
pub(crate) fn columns(output: &Term) -> Option<usize> {
    let columns = output
        .size_checked()
        .map_or(COLUMNS, |(_, columns)| usize::from(columns));
    output.is_term().then_some(columns)
}

/// Returns whether standard output is a terminal on which a picture can be redrawn.
pub(crate) fn is_screen() -> bool {
    can_redraw(&std::io::stdout())
}

pub(crate) fn can_redraw(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

pub(crate) fn is_screen_with_keys() -> bool {
    is_screen() && std::io::stdin().is_terminal()
}

/// Colours on a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
pub(crate) fn paint() -> Paint {
    painted(is_screen())
}

pub(crate) fn paint_of_stderr() -> Paint {
    painted(can_redraw(&std::io::stderr()))
}

fn painted(is_screen: bool) -> Paint {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if is_screen && wanted {
        Paint::Colours
    } else {
        Paint::Plain
    }
}
