//! Histograms of outcomes and classes. Bars are logarithmic, because the outcomes of interest are rare.

use super::notation::location;
use crate::results::{Classes, FinalState, ObservedOutcome, Run};
use crate::test::Class;

/// The length of the longest bar.
const WIDTH: usize = 32;

/// Returns the outcomes of a run with their classes, the most frequent first.
pub fn histogram(run: &Run) -> String {
    let mut outcomes: Vec<&ObservedOutcome> = run.outcomes.iter().collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.count));
    let rows = outcomes.into_iter().map(|outcome| {
        let mark = if outcome.found { "  <- meets the condition" } else { "" };
        (held(&outcome.held), outcome.count, format!("{}{mark}", name(outcome.class)))
    });
    let other =
        (run.other > 0).then(|| ("other".to_owned(), run.other, name(Class::Other).to_owned()));
    lines(rows.chain(other).collect())
}

/// Returns the number of instances of each class.
pub fn bars(classes: &Classes) -> String {
    let Classes { sequential, interleaved, weak, forbidden, other } = *classes;
    let rows = [
        (Class::Sequential, sequential),
        (Class::Interleaved, interleaved),
        (Class::Weak, weak),
        (Class::Forbidden, forbidden),
        (Class::Other, other),
    ];
    lines(rows.map(|(class, count)| (name(class).to_owned(), count, String::new())).to_vec())
}

/// Returns the name of a class.
pub fn name(class: Class) -> &'static str {
    match class {
        Class::Sequential => "sequential",
        Class::Interleaved => "interleaved",
        Class::Weak => "weak",
        Class::Forbidden => "forbidden",
        Class::Other => "other",
    }
}

/// Returns the final values of an outcome in one line.
pub fn held(held: &FinalState) -> String {
    let registers = held.registers.iter().enumerate().map(|(at, value)| format!("r{at}={value}"));
    let memory = held.memory.iter().zip(0..).map(|(value, at)| format!("{}={value}", location(at)));
    registers.chain(memory).collect::<Vec<_>>().join(" ")
}

fn lines(rows: Vec<(String, u64, String)>) -> String {
    let label = rows.iter().map(|(label, ..)| label.chars().count()).max().unwrap_or(0);
    let most = rows.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
    let count = most.to_string().len();
    let line = |(name, number, after): &(String, u64, String)| {
        let bar = "#".repeat(length(*number, most));
        let line = format!("  {name:label$}  {number:>count$}  {bar:WIDTH$}  {after}");
        line.trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns the length of a bar: 0 for a count of 0, and at least 1 for any other.
fn length(count: u64, most: u64) -> usize {
    let magnitude = |count: u64| (count as f64 + 1.0).ln();
    let share = magnitude(count) / magnitude(most.max(1));
    (share * WIDTH as f64).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_logarithm() {
        assert_eq!(length(0, 1_000_000), 0);
        assert!(length(1, 1_000_000) >= 1);
        assert_eq!(length(1_000_000, 1_000_000), WIDTH);
        assert_eq!(length(1_000, 1_000_000), WIDTH / 2 + 1);
        assert_eq!(length(0, 0), 0);
    }
}
