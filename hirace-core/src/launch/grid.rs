//! Which grids may be dispatched, and which are tried when none was given.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::walk;
use naga::{
    Binding, BuiltIn, EntryPoint, Expression, Module, Statement, SwizzleComponent, TypeInner,
};

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
pub fn ladder(module: &Module, entry: &EntryPoint) -> Vec<[u32; 3]> {
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

/// The dimensions in which the kernel reads ids of workgroups, or global ids.
fn dimensions(module: &Module, entry: &EntryPoint) -> [bool; 3] {
    let function = &entry.function;
    let is_id = |expression: &Expression| {
        let (argument, member) = match *expression {
            Expression::FunctionArgument(argument) => (argument, None),
            Expression::AccessIndex { base, index } => match function.expressions[base] {
                Expression::FunctionArgument(argument) => (argument, Some(index)),
                _ => return false,
            },
            _ => return false,
        };
        let Some(argument) = function.arguments.get(argument as usize) else { return false };
        let binding = match (member, &module.types[argument.ty].inner) {
            (Some(member), TypeInner::Struct { members, .. }) => {
                members.get(member as usize).and_then(|member| member.binding.as_ref())
            }
            (None, _) => argument.binding.as_ref(),
            _ => None,
        };
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::GlobalInvocationId | BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups
            ))
        )
    };
    // The whole vector, passed on or in arithmetic: at least the plane.
    let whole = [true, true, entry.workgroup_size[2] > 1];
    let mut used = [false; 3];
    let mut read = |dimensions: [bool; 3]| {
        for (used, read) in used.iter_mut().zip(dimensions) {
            *used |= read;
        }
    };
    for (_, expression) in function.expressions.iter() {
        match *expression {
            Expression::AccessIndex { base, index } if is_id(&function.expressions[base]) => {
                read([0, 1, 2].map(|dimension| dimension == index));
            }
            Expression::Swizzle { size, vector, pattern }
                if is_id(&function.expressions[vector]) =>
            {
                let pattern = &pattern[..size as usize];
                let has = |dimension| pattern.iter().any(|&c| component_index(c) == dimension);
                read([0, 1, 2].map(has));
            }
            _ => walk::operands(expression, &mut |operand| {
                let member = matches!(expression, Expression::AccessIndex { .. });
                if !member && is_id(&function.expressions[operand]) {
                    read(whole);
                }
            }),
        }
    }
    walk::statements(&function.body, &mut |_, statement, _| {
        let passed_on: &[_] = match statement {
            Statement::Call { arguments, .. } => arguments,
            Statement::Store { value, .. } => std::slice::from_ref(value),
            _ => &[],
        };
        if passed_on.iter().any(|&value| is_id(&function.expressions[value])) {
            read(whole);
        }
    });
    used
}

fn component_index(component: SwizzleComponent) -> u32 {
    match component {
        SwizzleComponent::X => 0,
        SwizzleComponent::Y => 1,
        SwizzleComponent::Z => 2,
        SwizzleComponent::W => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second grid to try.
    fn second(size: &str, body: &str) -> [u32; 3] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             fn put(id: vec3u) {{ out[id.x] = id.y; }}
             @compute @workgroup_size({size})
             fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        ladder(&module, &module.entry_points[0])[1]
    }

    #[test]
    fn grids_extend_in_the_dimensions_that_the_kernel_reads() {
        assert_eq!(second("64", "out[id.x] = l.y;"), [2, 1, 1]);
        assert_eq!(second("8, 8", "out[id.x] = l.y;"), [2, 1, 1]);
        assert_eq!(second("64", "out[id.x + id.y * 64u] = 1u;"), [2, 2, 1]);
        assert_eq!(second("64", "let p = id.xy; out[p.x] = p.y;"), [2, 2, 1]);
        assert_eq!(second("64", "out[id.z] = 1u;"), [1, 1, 2]);
        assert_eq!(second("64", "out[id.x + id.y * id.z] = 1u;"), [2, 2, 2]);
        assert_eq!(second("64", "out[l.x] = 1u;"), [2, 1, 1]);
    }

    #[test]
    fn a_whole_id_in_arithmetic_or_passed_on_counts_as_the_plane() {
        assert_eq!(second("64", "let p = id * 2u; out[p.x] = 1u;"), [2, 2, 1]);
        assert_eq!(second("4, 4, 4", "let p = id * 2u; out[p.x] = 1u;"), [2, 2, 2]);
        assert_eq!(second("64", "put(id);"), [2, 2, 1]);
        assert_eq!(second("64", "var p = id; out[p.x] = 1u;"), [2, 2, 1]);
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
