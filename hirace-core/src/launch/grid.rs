//! Which grids may be dispatched, and which are tried when none was given.

use super::dimensions::dimensions;
use crate::diagnostic::{Diagnostic, Result};
use naga::{EntryPoint, Module};

/// WebGPU's default for `maxComputeWorkgroupsPerDimension`.
const MAX_WORKGROUPS: u32 = 65_535;

/// More invocations than this cannot be told apart by a 32-bit id.
const MAX_INVOCATIONS: u64 = 1 << 32;

/// Refuses a grid that dispatches nothing, or more than any device would.
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

/// A grid as a user writes it: `4`, `8,8`, `2,2,2`.
pub fn show([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => format!("{x}"),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

/// Invocations in each dimension.
pub fn extent(workgroups: [u32; 3], entry: &EntryPoint) -> [u32; 3] {
    let size = entry.workgroup_size;
    [0, 1, 2].map(|i| workgroups[i].saturating_mul(size[i].max(1)).max(1))
}

/// The grids to try on `entry`, smallest first: one workgroup, two each way, then a size that is no
/// power of two and not square. They extend only in dimensions by which the kernel tells workgroups
/// apart: in any other, workgroups would do one another's work again.
pub fn guesses(module: &Module, entry: &EntryPoint) -> Vec<[u32; 3]> {
    let used = dimensions(module, entry);
    let sizes: [&[u32]; 2] = match used.iter().filter(|&&used| used).count() {
        0 | 1 => [&[2], &[5]],
        2 => [&[2, 2], &[5, 3]],
        _ => [&[2, 2, 2], &[3, 2, 2]],
    };
    let mut grids = vec![[1; 3]];
    for sizes in sizes {
        let mut sizes = sizes.iter();
        let mut grid = [1; 3];
        for (to, used) in grid.iter_mut().zip(used) {
            if used {
                *to = *sizes.next().unwrap_or(&1);
            }
        }
        // A kernel that asks for no id still runs on several workgroups if it is dispatched so.
        if used == [false; 3] {
            grid[0] = *sizes.next().unwrap_or(&1);
        }
        grids.push(grid);
    }
    grids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_extend_in_the_dimensions_that_the_kernel_reads() {
        let second = |index: &str| {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
                 @compute @workgroup_size(8, 8) fn main(
                     @builtin(global_invocation_id) id: vec3u,
                     @builtin(local_invocation_id) l: vec3u) {{ out[{index}] = 1u; }}"
            );
            let module = naga::front::wgsl::parse_str(&text).unwrap();
            guesses(&module, &module.entry_points[0])[1]
        };
        assert_eq!(second("id.x"), [2, 1, 1]);
        assert_eq!(second("id.x + id.y * 64u"), [2, 2, 1]);
        assert_eq!(second("id.z"), [1, 1, 2]);
        assert_eq!(second("id.x + id.y * id.z"), [2, 2, 2]);
        assert_eq!(second("l.x"), [2, 1, 1]);
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
