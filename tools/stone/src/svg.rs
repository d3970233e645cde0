//! Plain SVG drawings: rectangles, lines, paths and text on white, without scripts or styles.

use std::fmt::{Display, Write};

/// Colour of ordinary text.
pub const INK: &str = "#222222";
/// Colour of text that explains.
pub const QUIET: &str = "#555555";
/// Colour of lines in the background.
pub const GRID: &str = "#dddddd";

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A drawing under way. Places are in pixels from the top left, printed to a tenth.
pub struct Drawing {
    out: String,
}

impl Drawing {
    /// An empty one. The title is for people who cannot see it, and for the tab.
    #[must_use]
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let title = escape(title);
        let mut drawing = Self { out: String::new() };
        drawing.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"monospace\" font-size=\"11\">\n\
             <title>{title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        ));
        drawing
    }

    fn put(&mut self, element: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{element}");
    }

    /// A filled rectangle; none without a width.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        if width > 0.0 {
            self.put(format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
            ));
        }
    }

    /// A line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: &str) {
        self.put(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"/>"
        ));
    }

    /// A path in SVG's own words.
    pub fn path(&mut self, path: &str, fill: &str, stroke: &str) {
        self.put(format_args!("<path d=\"{path}\" fill=\"{fill}\" stroke=\"{stroke}\"/>"));
    }

    /// Text on a line.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, fill: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    /// A headline at the left.
    pub fn heading(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        self.put(format_args!(
            "<text x=\"{x:.0}\" y=\"{y:.0}\" font-size=\"15\" fill=\"{INK}\">{text}</text>"
        ));
    }

    /// The file.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

fn escape(text: &str) -> String {
    // Bytes of a serial line may be anything; XML 1.0 has no way to write most control characters.
    let printable = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    printable.collect::<String>().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_nothing_else_is_drawn_without_a_width() {
        let mut drawing = Drawing::new(10.0, 20.0, "a & b");
        drawing.text((1.0, 2.0), Anchor::Middle, INK, "<\u{1b}>");
        drawing.rect((1.0, 1.0), (0.0, 5.0), INK);
        let file = drawing.finish();
        assert!(file.contains("<title>a &amp; b</title>"), "{file}");
        assert!(file.contains("text-anchor=\"middle\" fill=\"#222222\">&lt;\u{fffd}&gt;</text>"), "{file}");
        assert_eq!(file.matches("<rect").count(), 1, "{file}");
    }
}
