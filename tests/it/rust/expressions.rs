//! What trials of random expressions have in common: how many there are, what came of them, and comparisons.

use libtest_mimic::Trial;

/// How many functions are tried; `HIRACE_RANDOM_RUST` overrides it.
const FUNCTIONS: u64 = 400;

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
    let count = std::env::var("HIRACE_RANDOM_RUST").ok().and_then(|n| n.parse().ok());
    let count = count.unwrap_or(FUNCTIONS);
    Trial::test(name, move || {
        let mut found = 0;
        let mut failed: Vec<String> = Vec::new();
        for seed in 0..count {
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
