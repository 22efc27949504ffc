//! Names of invocations and workgroups.

use crate::facts::Grid;
use crate::vm::run::Invocation;

/// Returns the name of a workgroup: `3`, or `(0, 2, 0)` in a grid of more than one dimension.
pub fn workgroup(grid: &Grid, linear: u32) -> String {
    id(grid.workgroup_id(linear), grid.workgroups)
}

/// Returns the name of an invocation: `invocation 16 of workgroup 0`.
pub fn invocation(grid: &Grid, who: Invocation) -> String {
    let local = id(grid.local_id(who.local), grid.workgroup_size);
    format!("invocation {local} of workgroup {}", workgroup(grid, who.workgroup))
}

fn id(id: [u32; 3], size: [u32; 3]) -> String {
    let [x, y, z] = id;
    if size[1] <= 1 && size[2] <= 1 { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// Returns the names of invocations by ascending local invocation index: `invocation 3`, `invocations 0 to 31`,
/// `invocations 1, 3, 5 and 13 more`.
pub fn invocations(locals: &[u32]) -> String {
    match *locals {
        [] => "no invocation".to_owned(),
        [one] => format!("invocation {one}"),
        [first, second] => format!("invocations {first} and {second}"),
        [first, .., last] if (last - first) as usize + 1 == locals.len() => {
            format!("invocations {first} to {last}")
        }
        [a, b, c] => format!("invocations {a}, {b} and {c}"),
        [a, b, c, ..] => format!("invocations {a}, {b}, {c} and {} more", locals.len() - 3),
    }
}

/// Returns a number with its noun: `1 word`, `2 words`.
pub fn count(n: u64, one: &str, several: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {several}") }
}

/// Joins parts of a sentence with commas, and the last one with "and".
pub fn join_in_sentence(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_scalars_in_one_dimension() {
        let line = Grid { workgroups: [4, 1, 1], workgroup_size: [64, 1, 1] };
        let who = Invocation { workgroup: 3, local: 16 };
        assert_eq!(invocation(&line, who), "invocation 16 of workgroup 3");
        let plane = Grid { workgroups: [4, 2, 1], workgroup_size: [8, 8, 1] };
        let who = Invocation { workgroup: 5, local: 17 };
        assert_eq!(invocation(&plane, who), "invocation (1, 2, 0) of workgroup (1, 1, 0)");
    }

    #[test]
    fn runs_of_invocations_are_shortened() {
        assert_eq!(invocations(&[7]), "invocation 7");
        assert_eq!(invocations(&[0, 1, 2, 3]), "invocations 0 to 3");
        assert_eq!(invocations(&[0, 2, 4]), "invocations 0, 2 and 4");
        assert_eq!(invocations(&[0, 2, 4, 6, 8]), "invocations 0, 2, 4 and 2 more");
    }
}
