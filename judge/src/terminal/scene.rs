//! A position with its players, their times and the last moves next to it.

use super::{Line, Style, cut, line, span, width, wrapped};
use engines::{Ansi, Frame, Glyph, Ink, Notation, Palette, TimeControl, drawing, piece};
use model::fault::quote;
use model::numbers::time;

#[derive(Clone)]
pub(crate) struct PlayerInfo {
    pub(crate) name: String,
    pub(crate) role: &'static str,
    /// Whether the clock counts this player's time.
    pub(crate) is_program: bool,
    pub(crate) time: TimeControl,
}

/// A turn, or a fault outside of the turns.
#[derive(Clone)]
pub(crate) struct HistoryEntry {
    pub(crate) ply: u32,
    pub(crate) seat: usize,
    /// The move in the notation that people type, or the fault in words.
    pub(crate) text: String,
    pub(crate) is_fault: bool,
    /// CPU time, in microseconds.
    pub(crate) cpu_us: u64,
    /// Time left in the seat's bank, in microseconds, if there is a bank.
    pub(crate) bank_us: Option<u64>,
}

pub(crate) struct Scene<'a> {
    pub(crate) title: &'a str,
    pub(crate) notation: &'a Notation,
    pub(crate) palette: &'a Palette,
    pub(crate) frame: &'a Frame,
    pub(crate) before: Option<&'a Frame>,
    pub(crate) player_infos: &'a [PlayerInfo],
    /// The turns and faults that led to this position, the earliest first.
    pub(crate) history: &'a [HistoryEntry],
    pub(crate) to_move: Option<usize>,
}

/// Least and greatest width of the panel next to the board, in columns.
const PANEL_MIN: usize = 18;
const PANEL_MAX: usize = 44;
const GAP: usize = 2;
/// From this width on the panel shows roles next to the times, in columns.
const PANEL_WIDE: usize = 26;
const HISTORY_PLAIN: usize = 6;

impl Scene<'_> {
    pub(crate) fn lines(&self, columns: usize, lines: Option<usize>) -> Vec<Line> {
        let mut board: Vec<Line> = drawing(self.frame, self.before, self.notation)
            .iter()
            .map(|glyphs| self.styled(glyphs))
            .collect();
        let wide = board.iter().map(width).max().unwrap_or(0);
        let room = columns.saturating_sub(wide + GAP);
        if room >= PANEL_MIN {
            let panel = room.min(PANEL_MAX);
            let mut beside = self.head(panel);
            let free = |tall: usize| tall.saturating_sub(beside.len() + 1);
            let left = lines.map_or_else(|| free(board.len()).max(HISTORY_PLAIN), free);
            beside.extend(self.tail(left, panel));
            for line in &mut beside {
                cut(line, panel);
            }
            join_right(&mut board, wide, beside);
        } else {
            board.extend(self.head(columns));
            let free = |lines: usize| lines.saturating_sub(board.len() + 1);
            board.extend(self.tail(lines.map_or(HISTORY_PLAIN, free), columns));
        }
        for line in &mut board {
            cut(line, columns);
        }
        if let Some(lines) = lines.filter(|&lines| lines < board.len()) {
            board.truncate(lines.saturating_sub(1));
            board.push(line("… the window is too small for the rest", Style::Dim));
        }
        board
    }

    fn head(&self, columns: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = wrapped(self.title, columns)
            .into_iter()
            .map(|text| line(text, Style::Bold))
            .collect();
        for seat in 0..self.player_infos.len() {
            lines.extend(self.player(seat, columns));
        }
        lines.extend(
            self.frame
                .notes
                .iter()
                .flat_map(|note| wrapped(note, columns))
                .map(|text| line(text, Style::Dim)),
        );
        lines
    }

    fn player(&self, seat: usize, columns: usize) -> [Line; 2] {
        let PlayerInfo {
            name,
            role,
            is_program,
            time: control,
        } = &self.player_infos[seat];
        let mark = if self.to_move == Some(seat) {
            '▸'
        } else {
            ' '
        };
        let name = quote(name.as_bytes());
        let first = vec![
            span(mark, Style::Bold),
            span(
                format!("{} {name}", self.sign(seat)),
                Style::Seat(self.colour(seat)),
            ),
        ];
        let mut facts = Vec::new();
        if columns >= PANEL_WIDE {
            facts.push((*role).to_owned());
        }
        if *is_program {
            let mut own = self.history.iter().filter(|one| one.seat == seat);
            let cpu_us = own.clone().map(|one| one.cpu_us).sum();
            let bank_us = own.next_back().map_or(control.bank_us, |one| one.bank_us);
            facts.push(format!("CPU {}", time(cpu_us)));
            facts.extend(bank_us.map(|left| format!("{} left", time(left))));
        }
        [first, line(format!("   {}", facts.join(", ")), Style::Dim)]
    }

    fn tail(&self, lines: usize, columns: usize) -> Vec<Line> {
        let shown = &self.history[self.history.len().saturating_sub(lines)..];
        (!shown.is_empty())
            .then(Line::new)
            .into_iter()
            .chain(shown.iter().map(|one| self.happened(one, columns)))
            .collect()
    }

    fn happened(&self, one: &HistoryEntry, columns: usize) -> Line {
        let style = if one.is_fault {
            Style::Bad
        } else {
            Style::Plain
        };
        let mut line = vec![
            span(format!("{:>3} ", one.ply), Style::Dim),
            span(
                format!("{} ", self.sign(one.seat)),
                Style::Seat(self.colour(one.seat)),
            ),
            span(&one.text, style),
        ];
        if self.player_infos[one.seat].is_program {
            let cpu = time(one.cpu_us);
            let apart = columns.saturating_sub(width(&line) + cpu.chars().count());
            if apart > 0 {
                line.push(span(" ".repeat(apart), Style::Plain));
                line.push(span(cpu, Style::Dim));
            }
        }
        line
    }

    fn sign(&self, seat: usize) -> String {
        let lettered = self.frame.discs.iter().any(|disc| disc.letter.is_some());
        if lettered || !self.frame.visible.is_empty() {
            seat.to_string()
        } else {
            piece(seat).to_string()
        }
    }

    fn colour(&self, seat: usize) -> Ansi {
        self.palette.seats[seat].ansi
    }

    /// Joins neighbouring characters of one style into spans.
    fn styled(&self, glyphs: &[Glyph]) -> Line {
        let mut line = Line::new();
        for glyph in glyphs {
            let style = self.style(*glyph);
            match line.last_mut() {
                Some(last) if last.style == style => last.text.push(glyph.symbol),
                _ => line.push(span(glyph.symbol, style)),
            }
        }
        line
    }

    fn style(&self, glyph: Glyph) -> Style {
        match (glyph.ink, glyph.fresh) {
            (Ink::Blank, _) => Style::Plain,
            (Ink::Label | Ink::Floor, _) => Style::Dim,
            (Ink::Goal(None) | Ink::High, _) => Style::Goal,
            (Ink::Blocked | Ink::Wall, true) => Style::WallFresh,
            (Ink::Blocked | Ink::Wall, false) => Style::Wall,
            (Ink::Seat(seat), true) => Style::SeatFresh(self.colour(seat)),
            (Ink::Seat(seat), false) | (Ink::Goal(Some(seat)), _) => Style::Seat(self.colour(seat)),
        }
    }
}

fn join_right(board: &mut Vec<Line>, wide: usize, panel: Vec<Line>) {
    for (index, part) in panel.into_iter().enumerate() {
        if index == board.len() {
            board.push(Line::new());
        }
        let line = &mut board[index];
        line.push(span(" ".repeat(wide + GAP - width(line)), Style::Plain));
        line.extend(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Paint;
    use rulebook::rules::Rules;

    /// Draws the first position of a game after this history.
    fn drawn(
        rules: &dyn Rules,
        config: &str,
        history: &[HistoryEntry],
        columns: usize,
        paint: Paint,
    ) -> (Vec<String>, Vec<String>) {
        let config = rules.configure(config).expect("allowed");
        let setup = rules.draw(&config, 1).expect("a setup");
        let frame = rules.start(&setup).expect("allowed").frame();
        let frame = frame.expect("built in");
        let player_info = |role: &&'static str| PlayerInfo {
            name: "bot".to_owned(),
            role,
            is_program: true,
            time: rules.info().time,
        };
        let player_infos: Vec<PlayerInfo> = rules.info().roles.iter().map(player_info).collect();
        let scene = Scene {
            title: rules.info().title,
            notation: rules.notation(),
            palette: rules.palette(),
            frame: &frame,
            before: None,
            player_infos: &player_infos,
            history,
            to_move: None,
        };
        let lines = scene.lines(columns, None);
        let lines = lines.iter().map(|line| paint.line(line)).collect();
        let signs = (0..player_infos.len())
            .map(|seat| scene.sign(seat))
            .collect();
        (lines, signs)
    }

    #[test]
    fn every_seat_has_colour_of_its_palette() {
        for rules in rulebook::rules::built_in() {
            let (lines, signs) = drawn(&*rules, "{}", &[], 120, Paint::Colours);
            let text = lines.concat();
            for (sign, seat) in signs.iter().zip(rules.palette().seats.iter()) {
                let player = format!("\x1b[1;{}m{sign} bot\x1b[0m", seat.ansi.code());
                assert!(text.contains(&player), "{}: {text:?}", rules.info().slug);
            }
        }
    }

    #[test]
    fn move_times_are_right_aligned_in_one_column() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let moves = [(7, "w"), (1_234, "-2,2"), (56_789, "e"), (1_500_000, "0,1")];
        let happened = (0..).zip(moves).map(|(ply, (cpu_us, text))| HistoryEntry {
            ply,
            seat: ply as usize % 2,
            text: text.to_owned(),
            is_fault: false,
            cpu_us,
            bank_us: None,
        });
        let history: Vec<HistoryEntry> = happened.collect();
        let (lines, _) = drawn(&*rules, "{\"side\":5}", &history, 80, Paint::Plain);
        let last = &lines[lines.len() - moves.len()..];
        for (line, (cpu_us, _)) in last.iter().zip(moves) {
            assert!(line.ends_with(&format!("  {}", time(cpu_us))), "{lines:#?}");
        }
        let mut widths = last.iter().map(|line| line.chars().count());
        let first = widths.next();
        assert!(widths.all(|width| Some(width) == first), "{lines:#?}");
    }
}
