//! Formats numbers, names and results as text for people.

use super::document::{Correlated, EstimatedValue};
use crate::results::Software;
use crate::results::table::Side;
use crate::score::correlation::Undefined;
use crate::test::Mutator;

/// The text for a missing value.
pub(super) const NONE: &str = "–";

/// Returns an untrusted name with control characters and bidirectional formatting characters replaced.
pub(super) fn shown(name: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    name.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::SiteBaseline => "single instances, no stress",
        Side::Site => "single instances",
        Side::PteBaseline => "parallel, no stress",
        Side::Pte => "parallel",
        Side::Correlation => "bugs and their mutants",
        Side::Plain => "results",
    }
}

/// Formats an operating system or a browser.
pub(super) fn software(of: Option<&Software>) -> String {
    of.map_or_else(|| NONE.to_owned(), |software| shown(&software.to_string()))
}

pub(super) fn mutator(mutator: Mutator) -> &'static str {
    match mutator {
        Mutator::ReversingPoLoc => "reversing po-loc",
        Mutator::WeakeningPoLoc => "weakening po-loc",
        Mutator::WeakeningSw => "weakening sw",
    }
}

/// Formats a fraction as a percentage, such as `46.1 %`. Only exactly 0 and 1 become `0.0 %` and `100.0 %`.
pub(super) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    match percent {
        _ if part > 0.0 && percent < 0.05 => "< 0.1 %".to_owned(),
        _ if part < 1.0 && percent >= 99.95 => "> 99.9 %".to_owned(),
        _ => format!("{} %", tenths(percent)),
    }
}

/// Formats a number with one decimal, rounding half up.
fn tenths(number: f64) -> String {
    format!("{:.1}", (number * 10.0).round() / 10.0)
}

/// Formats a target probability with up to six decimals, such as `99.999 %`.
pub(super) fn target(target: f64) -> String {
    format!("{} %", (target * 1e8).round() / 1e6)
}

/// Formats an estimate with its interval, such as `83.6 % (76.2–89.0)`.
pub(super) fn between(of: EstimatedValue) -> String {
    format!("{} ({}–{})", percent(of.value), tenths(of.lower * 100.0), tenths(of.upper * 100.0))
}

/// Formats a rate per second: without decimals from 10, with one decimal from 0.05, and in scientific notation below.
pub(super) fn rate(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        rate if rate >= 10.0 => format!("{rate:.0}"),
        rate if rate >= 0.05 => format!("{rate:.1}"),
        rate => format!("{rate:.1e}"),
    }
}

pub(super) fn optional_text(value: Option<f64>, said: fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), said)
}

/// Formats a duration in hours, minutes or seconds, such as `9.27 h` or `41.0 s`.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 3600.0 => format!("{:.2} h", seconds / 3600.0),
        seconds if seconds >= 60.0 => format!("{:.1} min", seconds / 60.0),
        seconds => format!("{seconds:.1} s"),
    }
}

/// Formats a budget, such as `1/1024 s` or `64 s`.
pub(super) fn budget(seconds: f64) -> String {
    let parts = (1.0 / seconds).round();
    match seconds < 1.0 && (1.0 / parts - seconds).abs() < 1e-12 {
        true => format!("1/{parts} s"),
        false => format!("{seconds} s"),
    }
}

pub(super) fn coefficient(of: Correlated) -> String {
    match of {
        Correlated::Known { coefficient, .. } => format!("{coefficient:.3}"),
        Correlated::Undefined(Undefined::Few) => "too few environments".to_owned(),
        Correlated::Undefined(Undefined::Constant) => "never varies".to_owned(),
    }
}

pub(super) fn chance(of: Correlated) -> String {
    match of {
        Correlated::Known { chance: Some(0.0), .. } => "< 1e-300".to_owned(),
        Correlated::Known { chance: Some(chance), .. } => format!("{chance:.1e}"),
        _ => NONE.to_owned(),
    }
}
