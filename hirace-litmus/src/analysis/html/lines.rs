//! Line charts: the remaining score by budget, and the elbow of groups.

use super::{WIDTH, anchor, figure};
use crate::analysis::document::{SideAnalysis, Similarity};
use crate::analysis::words;
use hirace_core::report::escape::escape;
use std::fmt::Write as _;

const HEIGHT: usize = 220;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;

/// A line over equidistant points.
struct Curve {
    name: String,
    color: usize,
    dashed: bool,
    /// From 0 (bottom) to 1 (top).
    points: Vec<f64>,
}

/// Writes the remaining score by budget, for each side and target.
pub(super) fn reproducible(page: &mut String, sides: &[&SideAnalysis]) {
    let mut curves = Vec::new();
    let mut budgets: Vec<f64> = Vec::new();
    for (color, side) in sides.iter().enumerate() {
        let mut targets: Vec<f64> = side.reproducible.iter().map(|of| of.target).collect();
        targets.dedup();
        for (nth, target) in targets.into_iter().enumerate() {
            let of_target = || side.reproducible.iter().filter(|of| of.target == target);
            budgets = of_target().map(|of| of.budget).collect();
            let name = format!("{}, {}", words::side(side.side), words::target(target));
            let points = of_target().map(|of| of.killed as f64 / of.total.max(1) as f64);
            curves.push(Curve { name, color, dashed: nth > 0, points: points.collect() });
        }
    }
    let below: Vec<String> = budgets.iter().map(|budget| words::budget(*budget)).collect();
    let left = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| (part, format!("{:.0} %", part * 100.0)));
    let name = "Mutants killed again, by time budget per test";
    plot(page, "reproducible-plot", name, &curves, &below, &left);
    page.push_str("<ul class=\"legend\">\n");
    for curve in &curves {
        let dashed = if curve.dashed { " dashed" } else { "" };
        let name = escape(&curve.name);
        let _ = writeln!(page, "<li class=\"c{}{dashed}\"><span>{name}</span></li>", curve.color);
    }
    page.push_str("</ul></figure>\n");
}

/// Writes the squared distances of devices to the centers of their groups, by the number of groups.
pub(super) fn elbow(page: &mut String, side: &SideAnalysis, alike: &Similarity) {
    let most = alike.elbow.first().copied().unwrap_or_default();
    let points = alike.elbow.iter().map(|inertia| if most > 0.0 { inertia / most } else { 0.0 });
    let points: Vec<f64> = points.collect();
    let below: Vec<String> = (1..=points.len()).map(|groups| groups.to_string()).collect();
    let left = [(0.0, "0".to_owned()), (1.0, format!("{most:.2}"))];
    let curve = Curve { name: "squared distances".to_owned(), color: 0, dashed: false, points };
    let id = format!("{}-elbow", anchor(side));
    let bend = alike.bend.map(|groups| format!(", bend at {groups}")).unwrap_or_default();
    let name = format!("Squared distances to group centers, by number of groups{bend}");
    plot(page, &id, &name, &[curve], &below, &left);
    page.push_str("</figure>\n");
}

fn plot(
    page: &mut String,
    id: &str,
    name: &str,
    curves: &[Curve],
    below: &[String],
    left: &[(f64, String)],
) {
    let steps = below.len().saturating_sub(1).max(1) as f64;
    let x = |at: usize| LEFT + at as f64 / steps * (WIDTH as f64 - LEFT - RIGHT);
    let y = |part: f64| TOP + (1.0 - part) * (HEIGHT as f64 - TOP - BOTTOM);
    let mut drawing = String::new();
    for (part, label) in left {
        let (at, end) = (y(*part), WIDTH as f64 - RIGHT);
        let _ = writeln!(
            drawing,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{end}\"/><text class=\"dim end\" x=\"{}\" y=\"{:.1}\">{label}</text>",
            LEFT - 5.0,
            at + 4.0
        );
    }
    // About five labels fit.
    let each = below.len().div_ceil(5).max(1);
    for (at, label) in below.iter().enumerate().step_by(each) {
        let (place, from) = match at {
            0 => ("", LEFT - 20.0),
            at if at + 1 == below.len() => (" end", WIDTH as f64),
            at => (" mid", x(at)),
        };
        let baseline = HEIGHT - 12;
        let _ = writeln!(
            drawing,
            "<text class=\"dim{place}\" x=\"{from:.1}\" y=\"{baseline}\">{label}</text>"
        );
    }
    for curve in curves {
        let points: Vec<String> = curve
            .points
            .iter()
            .enumerate()
            .map(|(at, part)| format!("{:.1},{:.1}", x(at), y(*part)))
            .collect();
        let dashed = if curve.dashed { " dashed" } else { "" };
        let _ = writeln!(
            drawing,
            "<g class=\"c{}\"><title>{}</title><polyline class=\"curve{dashed}\" points=\"{}\"/></g>",
            curve.color,
            escape(&curve.name),
            points.join(" ")
        );
    }
    let said: Vec<String> = curves
        .iter()
        .map(|curve| {
            let points = below.iter().zip(&curve.points);
            let points: Vec<String> =
                points.map(|(at, part)| format!("{at} {}", words::percent(*part))).collect();
            format!("{}: {}", curve.name, points.join(", "))
        })
        .collect();
    figure(page, id, name, &said.join(". "), HEIGHT, &drawing);
}
