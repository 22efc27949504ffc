//! Names of invocations and workgroups, as reports write them.

use crate::launch::Launch;
use crate::program::Program;
use crate::vm::run::Invocation;

/// The shape of one dispatch: turns linear indices into ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// Invocations of a workgroup in x, y, z.
    pub workgroup_size: [u32; 3],
}

impl Grid {
    /// The shape of the dispatch with this index. (An index that does not exist has none.)
    pub fn of(program: &Program, launch: &Launch, dispatch: usize) -> Self {
        let Some(dispatch) = launch.dispatches.get(dispatch) else {
            return Self { workgroups: [0; 3], workgroup_size: [1; 3] };
        };
        let entry = program.module.entry_points.get(dispatch.entry);
        Self {
            workgroups: dispatch.workgroups,
            workgroup_size: entry.map_or([1; 3], |entry| entry.workgroup_size),
        }
    }

    /// Invocations of a workgroup.
    pub fn invocations_a_workgroup(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// How many workgroups.
    pub fn workgroup_count(&self) -> u64 {
        self.workgroups.iter().map(|&n| u64::from(n)).product()
    }

    /// The `workgroup_id` of a linear index.
    pub fn workgroup_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroups)
    }

    /// The `local_invocation_id` of a `local_invocation_index`.
    pub fn local_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroup_size)
    }

    /// `3`, or `(0, 2, 0)` in a grid of more than one dimension.
    pub fn workgroup(&self, linear: u32) -> String {
        id(self.workgroup_id(linear), self.workgroups)
    }

    /// `invocation 16 of workgroup 0`.
    pub fn invocation(&self, who: Invocation) -> String {
        let local = id(self.local_id(who.local), self.workgroup_size);
        format!("invocation {local} of workgroup {}", self.workgroup(who.workgroup))
    }
}

fn coordinates(linear: u32, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(|n| n.max(1));
    [linear % x, linear / x % y, linear / x / y]
}

fn id(id: [u32; 3], size: [u32; 3]) -> String {
    let [x, y, z] = id;
    if size[1] <= 1 && size[2] <= 1 { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// `invocation 3`, `invocations 0 to 31`, `invocations 1, 3, 5 and 13 more`: by local invocation
/// index, which must ascend.
pub(crate) fn invocations(locals: &[u32]) -> String {
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

/// `1 word`, `2 words`.
pub(crate) fn count(n: u64, one: &str, several: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {several}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_scalars_in_one_dimension() {
        let line = Grid { workgroups: [4, 1, 1], workgroup_size: [64, 1, 1] };
        let who = Invocation { workgroup: 3, local: 16 };
        assert_eq!(line.invocation(who), "invocation 16 of workgroup 3");
        let plane = Grid { workgroups: [4, 2, 1], workgroup_size: [8, 8, 1] };
        let who = Invocation { workgroup: 5, local: 17 };
        assert_eq!(plane.invocation(who), "invocation (1, 2, 0) of workgroup (1, 1, 0)");
    }

    #[test]
    fn runs_of_invocations_are_shortened() {
        assert_eq!(invocations(&[7]), "invocation 7");
        assert_eq!(invocations(&[0, 1, 2, 3]), "invocations 0 to 3");
        assert_eq!(invocations(&[0, 2, 4]), "invocations 0, 2 and 4");
        assert_eq!(invocations(&[0, 2, 4, 6, 8]), "invocations 0, 2, 4 and 2 more");
    }
}
