//! The mutation score as an SVG badge for the page of a project.

use super::words::{detected_part, percent};
use crate::audit::results::Audit;

const NAME: &str = "kernels tested";

const MARGIN: usize = 6;

/// Returns the badge as SVG.
pub fn report(audit: &Audit) -> String {
    let score = percent(detected_part(&audit.mutants.summary));
    let said = score.map_or_else(|| "unknown".to_owned(), |score| format!("{score} %"));
    // White text is readable on each of these colors.
    let color = match score {
        None => "#57606a",
        Some(90..) => "#1a7f37",
        Some(75..) => "#4d7c0f",
        Some(50..) => "#9a6700",
        Some(_) => "#b62324",
    };
    let [name_long, said_long] = [NAME, &said].map(|text| text.chars().map(width).sum::<usize>());
    let [left, right] = [name_long, said_long].map(|long| long + 2 * MARGIN);
    let (whole, said_at) = (left + right, left + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" viewBox=\"0 0 {whole} 20\" \
         role=\"img\" aria-label=\"{NAME}: {said}\">\n\
         <title>{NAME}: {said} of mutants of kernels are detected by tests</title>\n\
         <clipPath id=\"round\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath>\n\
         <g clip-path=\"url(#round)\">\n\
         <rect width=\"{left}\" height=\"20\" fill=\"#404750\"/>\n\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{color}\"/>\n</g>\n\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,Geneva,sans-serif\" font-size=\"11\">\n\
         <text x=\"{MARGIN}\" y=\"14\" textLength=\"{name_long}\">{NAME}</text>\n\
         <text x=\"{said_at}\" y=\"14\" textLength=\"{said_long}\">{said}</text>\n</g>\n</svg>\n"
    )
}

/// Returns the approximate width of a letter; the text is scaled to fit.
fn width(letter: char) -> usize {
    match letter {
        ' ' | 'l' | 'r' | 't' => 4,
        's' => 6,
        'w' => 9,
        '%' => 11,
        _ => 7,
    }
}
