//! Grids: which may be dispatched, and which are tried if none was given.

use super::measures::Measures;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use naga::{AddressSpace, EntryPoint, Statement};

/// WebGPU's default for `maxComputeWorkgroupsPerDimension`.
const MAX_WORKGROUPS: u32 = 65_535;

/// A 32-bit id cannot distinguish more invocations than this.
const MAX_INVOCATIONS: u64 = 1 << 32;

/// Returns an error if the grid is empty, or larger than any device allows.
pub fn check(workgroups: [u32; 3], entry: &EntryPoint) -> Result<()> {
    let shown = show(workgroups);
    if workgroups.contains(&0) {
        let error = Diagnostic::new(format!("a grid of {shown} workgroups runs nothing"));
        return Err(Box::new(error.help("every dimension must be at least 1")));
    }
    if let Some(n) = workgroups.iter().find(|&&n| n > MAX_WORKGROUPS) {
        let error = Diagnostic::new(format!("{n} workgroups in one dimension are too many"));
        return Err(Box::new(error.help(format!(
            "WebGPU dispatches at most {MAX_WORKGROUPS} in each of the three dimensions"
        ))));
    }
    let invocations = workgroups
        .iter()
        .chain(&entry.workgroup_size)
        .try_fold(1u64, |product, &n| product.checked_mul(n.into()));
    match invocations {
        Some(n) if n <= MAX_INVOCATIONS => Ok(()),
        _ => Err(Box::new(
            Diagnostic::new(format!(
                "{shown} workgroups of `{}` are more than 2^32 invocations",
                entry.name
            ))
            .help("races show on small grids: try a few workgroups"),
        )),
    }
}

/// Formats a grid as users write it: `4`, `8,8`, `2,2,2`.
pub fn show([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => format!("{x}"),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

/// Returns the number of invocations in each dimension.
pub fn extent(workgroups: [u32; 3], entry: &EntryPoint) -> [u32; 3] {
    let size = entry.workgroup_size;
    [0, 1, 2].map(|i| workgroups[i].saturating_mul(size[i].max(1)).max(1))
}

/// A grid to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InferredGrid {
    /// The number of workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Whether the kernel's own text implies that a launch may have this grid, so that a finding on it does not depend on a
    /// guess. That holds for one workgroup, and for two in each dimension by which the kernel distinguishes workgroups. No text
    /// implies that a host dispatches a particular larger number.
    pub is_implied: bool,
}

/// Returns the grids to try on an entry point, smallest first: one workgroup, two in each dimension, then a size that is neither
/// a power of two nor square. They extend only in dimensions by which the kernel distinguishes workgroups: in any other
/// dimension, workgroups would repeat one another's work. A kernel that does not distinguish them at all is intended for one
/// workgroup, unless it has atomics in storage, by which workgroups may share out the work.
pub fn infer_grids(program: &Program, entry: usize, measures: &Measures) -> Vec<InferredGrid> {
    let used = measures.reads;
    let one = InferredGrid { workgroups: [1; 3], is_implied: true };
    let sizes: [&[u32]; 2] = match used.iter().filter(|&&used| used).count() {
        0 if has_storage_atomics(program, entry) => {
            return vec![one, InferredGrid { workgroups: [2, 1, 1], is_implied: false }];
        }
        0 => return vec![one],
        1 => [&[2], &[5]],
        2 => [&[2, 2], &[5, 3]],
        _ => [&[2, 2, 2], &[3, 2, 2]],
    };
    let mut grids = vec![one];
    for (nth, sizes) in sizes.into_iter().enumerate() {
        let mut sizes = sizes.iter();
        let mut workgroups = [1; 3];
        for (to, used) in workgroups.iter_mut().zip(used) {
            if used {
                *to = *sizes.next().unwrap_or(&1);
            }
        }
        let implied = nth == 0 && fits_rows(program, entry, measures, workgroups);
        grids.push(InferredGrid { workgroups, is_implied: implied });
    }
    grids
}

/// Returns whether no row of the grid is longer than a constant that the kernel uses as the length of its rows.
fn fits_rows(program: &Program, entry: usize, measures: &Measures, workgroups: [u32; 3]) -> bool {
    let Some(entry) = program.module.entry_points.get(entry) else { return true };
    let extent = extent(workgroups, entry);
    measures.rows.iter().all(|&(ids, length)| {
        let first = ids.dimensions().iter().position(|&varies| varies);
        let Some((first, below)) = first.and_then(|first| Some((first, first.checked_sub(1)?)))
        else {
            return true;
        };
        let is_one_workgroup = extent[below] <= entry.workgroup_size[below];
        !ids.is_across(first) || is_one_workgroup || extent[below] <= length
    })
}

/// Returns whether the entry point modifies storage memory by atomics.
fn has_storage_atomics(program: &Program, entry: usize) -> bool {
    let module = &program.module;
    program.calls.reachable([FunctionId::Entry(entry)]).into_iter().any(|id| {
        let function = id.get(module);
        let mut any = false;
        walk::statements(&function.body, &mut |_, statement, _| {
            if let Statement::Atomic { pointer, .. } = *statement {
                any |= match walk::root_global(function, pointer) {
                    Some(global) => matches!(
                        module.global_variables[global].space,
                        AddressSpace::Storage { .. }
                    ),
                    // A pointer that is a parameter may point into storage.
                    None => true,
                };
            }
        });
        any
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the grids for a kernel with this body.
    fn of(body: &str) -> Vec<([u32; 3], bool)> {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
             @compute @workgroup_size(8, 8) fn main(
                 @builtin(global_invocation_id) id: vec3u,
                 @builtin(local_invocation_id) l: vec3u) {{ {body} }}"
        );
        let parsed = crate::front::wgsl::parse("test.wgsl", text.as_str()).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let all = infer_grids(&program, 0, &Measures::of(&program, 0));
        all.into_iter().map(|guess| (guess.workgroups, guess.is_implied)).collect()
    }

    #[test]
    fn grids_extend_in_the_dimensions_that_the_kernel_reads() {
        let second = |index: &str| of(&format!("out[{index}] = 1u;"))[1];
        assert_eq!(second("id.x"), ([2, 1, 1], true));
        assert_eq!(second("id.x + id.y * 64u"), ([2, 2, 1], true));
        assert_eq!(second("id.z"), ([1, 1, 2], true));
        assert_eq!(second("id.x + id.y * id.z"), ([2, 2, 2], true));
    }

    #[test]
    fn no_text_implies_five_workgroups_or_more_than_its_own_rows_hold() {
        assert_eq!(of("out[id.x] = 1u;")[2], ([5, 1, 1], false));
        assert_eq!(of("out[id.x + id.y * 8u] = 1u;")[1], ([2, 2, 1], false));
        assert_eq!(of("out[id.x + l.y * 8u] = 1u;")[1], ([2, 1, 1], true));
    }

    #[test]
    fn a_kernel_that_does_not_tell_workgroups_apart_is_meant_for_one() {
        assert_eq!(of("out[l.x] = 1u;"), [([1; 3], true)]);
        let ticket = of("out[atomicAdd(&next, 1u)] = 1u;");
        assert_eq!(ticket, [([1; 3], true), ([2, 1, 1], false)]);
    }

    #[test]
    fn grids_that_no_device_runs_are_refused() {
        let text = "@compute @workgroup_size(64) fn main() {}";
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let entry = &module.entry_points[0];
        assert!(check([4, 1, 1], entry).is_ok());
        assert!(check([65_535, 1024, 1], entry).is_ok());
        assert!(check([0, 1, 1], entry).unwrap_err().message.contains("runs nothing"));
        assert!(check([65_536, 1, 1], entry).unwrap_err().help.unwrap().contains("65535"));
        assert!(check([65_535, 65_535, 65_535], entry).unwrap_err().message.contains("2^32"));
    }
}
