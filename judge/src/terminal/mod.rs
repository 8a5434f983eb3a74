//! What people see in a terminal: a position with its players beside it, coloured or plain,
//! and the screen and the keys that it takes. Nothing here knows a game, a process or a run.

mod keys;
mod paint;
mod scene;
mod screen;

pub(crate) use keys::{Key, Keys, Pressed};
pub(crate) use paint::{Line, Paint, Span, Style, cut, span, wrapped};
pub(crate) use scene::{Happened, Scene, Sitting};
pub(crate) use screen::{Screen, read_line, restore};

use std::io::IsTerminal;

/// How wide a picture is where nobody says how wide it may be.
pub(crate) const COLUMNS: usize = 80;

/// Returns whether standard output is a terminal that a picture can be drawn over again on.
pub(crate) fn is_screen() -> bool {
    can_redraw(&std::io::stdout())
}

/// Returns whether a picture can be drawn over again there.
pub(crate) fn can_redraw(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns whether there is also somebody who presses keys.
pub(crate) fn is_screen_with_keys() -> bool {
    is_screen() && std::io::stdin().is_terminal()
}

/// Returns how lines are painted on standard output: with colours on a terminal, unless
/// `NO_COLOR` says otherwise (<https://no-color.org>).
pub(crate) fn paint() -> Paint {
    painted(is_screen())
}

/// Returns how lines are painted on standard error.
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
