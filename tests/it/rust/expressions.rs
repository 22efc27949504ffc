//! What trials of random expressions have in common: how many there are, what came of them, and comparisons.

use hirace_testing::harness::Trial;
use hirace_testing::seeds;

/// How many functions the quick tier tries, and the full one.
const FUNCTIONS: u64 = 100;
const ALL_FUNCTIONS: u64 = 4_000;

/// Operators that compare.
pub const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// What one of them says.
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

/// A trial of functions by their seeds, each of which gives at most `each` of what has to be `wanted`: of all, half.
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
        // Of those that fail, the shortest says most.
        match failed.into_iter().min_by_key(String::len) {
            Some(failed) => Err(failed.into()),
            None if found < count * each / 2 => Err(format!("only {found} {wanted}").into()),
            None => Ok(()),
        }
    })
}
