//! How often there was what, as bars. They are logarithmic: what is looked for is rare.

use super::notation::location;
use crate::results::{Classes, Held, Observed, Run};
use crate::test::Class;

/// How long the longest bar is.
const WIDTH: usize = 32;

/// The outcomes of a run, the most frequent first, with their classes.
pub fn histogram(run: &Run) -> String {
    let mut outcomes: Vec<&Observed> = run.outcomes.iter().collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.count));
    let rows = outcomes.into_iter().map(|outcome| {
        let mark = if outcome.found { "  <- looked for" } else { "" };
        (held(&outcome.held), outcome.count, format!("{}{mark}", name(outcome.class)))
    });
    let other =
        (run.other > 0).then(|| ("other".to_owned(), run.other, name(Class::Other).to_owned()));
    lines(rows.chain(other).collect())
}

/// Instances by class.
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

/// What a class is called.
pub fn name(class: Class) -> &'static str {
    match class {
        Class::Sequential => "sequential",
        Class::Interleaved => "interleaved",
        Class::Weak => "weak",
        Class::Forbidden => "forbidden",
        Class::Other => "other",
    }
}

/// What is left at the end, in a line.
pub fn held(held: &Held) -> String {
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

/// How long a bar is: nothing has none, and whatever there is has one.
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
