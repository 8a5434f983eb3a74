//! The colours of a game on a page, as a style sheet made from its palette. It knows no game.

use engines::{Palette, Rgb, Shape, Tone};
use serde_json::{Value, json};
use std::fmt::Write;

/// Colours of text on a piece; the one with more contrast is used.
const INKS: [Rgb; 2] = [Rgb(0x00ff_ffff), Rgb(0x0010_131a)];

/// Returns the style sheet of board and pieces, for light and dark pages.
pub(super) fn style(palette: &Palette) -> String {
    let light = colours(palette, |tone| tone.light);
    let dark = colours(palette, |tone| tone.dark);
    format!("{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
}

fn colours(palette: &Palette, of: fn(Tone) -> Rgb) -> String {
    let (cell, line) = (of(palette.cell), of(palette.line));
    let mut style = format!(":root {{ --cell: {cell}; --rule: {line};");
    if let Some(hole) = palette.hole {
        write!(style, " --hole: {};", of(hole)).expect("memory");
    }
    style.push_str(" }\n");
    for (seat, piece) in palette.seats.iter().enumerate() {
        let fill = of(piece.fill);
        write!(style, ".s{seat} {{ --c: {fill}; --on: {};", ink(fill)).expect("memory");
        if let Some(rim) = piece.rim {
            write!(style, " --edge: {}; --solid: 0.85;", of(rim)).expect("memory");
        }
        style.push_str(" }\n");
    }
    style
}

/// Returns the other data that the script needs: the shapes of the pieces, by seat, and whether
/// each cell has a hole.
pub(super) fn data(palette: &Palette) -> Value {
    let shapes = palette.seats.iter().map(|piece| match piece.shape {
        Shape::Disc => "disc",
        Shape::Cat => "cat",
    });
    json!({ "shapes": shapes.collect::<Vec<_>>(), "holes": palette.hole.is_some() })
}

/// Returns the colour of text on a ground.
fn ink(ground: Rgb) -> Rgb {
    let [light, dark] = INKS;
    if contrast(light, ground) >= contrast(dark, ground) {
        light
    } else {
        dark
    }
}

/// Returns how much two colours differ in lightness, from 1 to 21 (WCAG 2.2, "contrast ratio").
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns how light a colour is, from 0 to 1 (WCAG 2.2, "relative luminance").
fn luminance(Rgb(colour): Rgb) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from(colour >> shift & 0xff) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The grounds of the page in `page.css`, light and dark.
    const GROUNDS: Tone = Tone::new(0x00fc_fcfb, 0x0014_171b);

    #[test]
    fn contrast_is_as_in_the_standard() {
        let [white, black] = [Rgb(0x00ff_ffff), Rgb(0)];
        assert!((contrast(black, white) - 21.0).abs() < 1e-9);
        // The lightest grey that is allowed for text on white.
        assert!((contrast(Rgb(0x0076_7676), white) - 4.54).abs() < 0.01);
        assert_eq!(ink(Rgb(0x00f2_c230)), INKS[1]);
        assert_eq!(ink(Rgb(0x0023_272d)), INKS[0]);
    }

    #[test]
    fn the_pieces_of_every_game_stand_out_from_the_page_and_the_board_by_day_and_by_night() {
        for rules in rulebook::rules::built_in() {
            let palette = &rules.palette();
            assert!(palette.seats.len() >= rules.info().roles.len());
            let board = palette.hole.unwrap_or(palette.cell);
            for of in [|tone: Tone| tone.light, |tone: Tone| tone.dark] {
                for (seat, piece) in palette.seats.iter().enumerate() {
                    let colours = [Some(piece.fill), piece.rim];
                    let colours: Vec<Rgb> = colours.into_iter().flatten().map(of).collect();
                    for ground in [GROUNDS, board].map(of) {
                        let contrasts = colours.iter().map(|one| contrast(*one, ground));
                        let most = contrasts.fold(0.0, f64::max);
                        // WCAG 2.2, 1.4.11: graphics need 3 to 1 or more.
                        assert!(
                            most >= 3.0,
                            "{}, seat {seat}: {most:.2} to 1 on {ground}",
                            rules.info().slug
                        );
                    }
                    let fill = of(piece.fill);
                    assert!(contrast(ink(fill), fill) >= 4.5, "{fill} and its letters");
                }
            }
        }
    }

    #[test]
    fn a_style_sheet_has_the_colours_of_the_palette_and_a_hole_where_it_has_one() {
        for rules in rulebook::rules::built_in() {
            let palette = &rules.palette();
            let style = style(palette);
            let (light, dark) = style.split_once("@media").expect("both");
            for (seat, piece) in palette.seats.iter().enumerate() {
                let line = |fill: Rgb| format!(".s{seat} {{ --c: {fill};");
                assert!(light.contains(&line(piece.fill.light)), "{style}");
                assert!(dark.contains(&line(piece.fill.dark)), "{style}");
            }
            assert_eq!(style.contains("--hole: "), palette.hole.is_some());
            assert!(!style.contains('<'), "it ends no element");
        }
    }
}
