//! The heat map of the similarity of devices.

use super::{WIDTH, anchor, figure, short};
use crate::analysis::document::{SideAnalysis, Similarity};
use crate::analysis::words;
use hirace_core::report::escape::escape;
use std::fmt::Write as _;

/// The maximum number of characters of a device's name at a row.
const MAX_NAME_LENGTH: usize = 9;
/// The x-coordinate of the first cell.
const MAP_LEFT: f64 = 72.0;
/// The minimum width of a cell that shows its cosine.
const MIN_LABELED_WIDTH: f64 = 34.0;

/// Writes the heat map of the similarity of all pairs of devices. Names of devices are at the left of rows and below
/// columns, where there is space.
pub(super) fn map(page: &mut String, side: &SideAnalysis, similarity: &Similarity) {
    let devices = side.devices.len();
    let cell = (WIDTH as f64 - MAP_LEFT) / devices.max(1) as f64;
    let high = cell.min(44.0);
    let mut drawing = String::new();
    for (row, cosines) in similarity.cosines.iter().enumerate() {
        let name = side.devices.get(row).map(|device| &device.device[..]).unwrap_or_default();
        let top = row as f64 * high;
        let middle = top + high / 2.0 + 4.0;
        if high >= 11.0 {
            let _ = writeln!(
                drawing,
                "<text x=\"0\" y=\"{middle:.1}\">{}</text>",
                escape(&short(name, MAX_NAME_LENGTH))
            );
        }
        for (column, cosine) in cosines.iter().enumerate() {
            let left = MAP_LEFT + column as f64 * cell;
            let other =
                side.devices.get(column).map(|device| &device.device[..]).unwrap_or_default();
            let title = format!("{} and {}: {cosine:.3}", words::shown(name), words::shown(other));
            // Shades stay light enough to read the text of the cell.
            let _ = write!(
                drawing,
                "<g><title>{}</title><rect class=\"heat\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{cell:.1}\" height=\"{high:.1}\" fill-opacity=\"{:.3}\"/>",
                escape(&title),
                cosine.clamp(0.0, 1.0) * 0.5
            );
            if cell >= MIN_LABELED_WIDTH {
                let center = left + cell / 2.0;
                let _ = write!(
                    drawing,
                    "<text class=\"mid\" x=\"{center:.1}\" y=\"{middle:.1}\">{cosine:.2}</text>"
                );
            }
            drawing.push_str("</g>\n");
        }
    }
    let map_height = high * devices as f64;
    if cell >= MIN_LABELED_WIDTH {
        for (column, device) in side.devices.iter().enumerate() {
            let center = MAP_LEFT + (column as f64 + 0.5) * cell;
            let length = (cell / 7.5) as usize;
            let _ = writeln!(
                drawing,
                "<text class=\"dim mid\" x=\"{center:.1}\" y=\"{:.1}\">{}</text>",
                map_height + 15.0,
                escape(&short(&device.device, length))
            );
        }
    }
    let rows = side.devices.iter().zip(&similarity.cosines).map(|(device, cosines)| {
        let cosines: Vec<String> = cosines.iter().map(|cosine| format!("{cosine:.3}")).collect();
        format!("{}: {}", words::shown(&device.device), cosines.join(" "))
    });
    let description = rows.collect::<Vec<_>>().join(". ");
    let id = format!("{}-alike", anchor(side));
    figure(
        page,
        &id,
        "Similarity of devices (cosine)",
        &description,
        map_height as usize + 22,
        &drawing,
    );
    page.push_str("</figure>\n");
}
