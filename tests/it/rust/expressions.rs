//! Support for trials of random expressions: their number, their outcomes, and comparisons.

use hirace_testing::harness::Trial;
use hirace_testing::seeds;

/// The number of functions that the quick tier tries, and the full one.
const FUNCTIONS: u64 = 100;
const ALL_FUNCTIONS: u64 = 4_000;

/// The comparison operators.
pub const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// Evaluates a comparison.
pub fn holds<T: PartialOrd>(comparison: &str, x: T, y: T) -> bool {
    match comparison {
        "<" => x < y,
        "<=" => x <= y,
        ">" => x > y,
        ">=" => x >= y,
        "==" => x == y,
        _ => x != y,
    }
}

/// Returns a trial of functions by their seeds, each of which yields at most `each` of the `wanted` results: at least half must
/// occur.
pub fn trial(
    name: &'static str,
    each: u64,
    wanted: &'static str,
    compare: fn(u64) -> Result<u64, String>,
) -> Trial {
    Trial::test(name, move || {
        let seeds = seeds(FUNCTIONS, ALL_FUNCTIONS);
        let count = seeds.end - seeds.start;
        let mut found = 0;
        let mut failed: Vec<String> = Vec::new();
        for seed in seeds {
            match compare(seed) {
                Ok(more) => found += more,
                Err(error) => failed.push(error),
            }
        }
        // The shortest failing function is reported.
        match failed.into_iter().min_by_key(String::len) {
            Some(failed) => Err(failed.into()),
            None if found < count * each / 2 => Err(format!("only {found} {wanted}").into()),
            None => Ok(()),
        }
    })
}
