//! Which grids may be dispatched, and which are tried when none was given.

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::walk;
use naga::{Binding, BuiltIn, EntryPoint, Expression, Module, SwizzleComponent, TypeInner};

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
/// power of two and not square.
pub fn ladder(module: &Module, entry: &EntryPoint) -> Vec<[u32; 3]> {
    match dimensions(module, entry) {
        1 => vec![[1, 1, 1], [2, 1, 1], [5, 1, 1]],
        2 => vec![[1, 1, 1], [2, 2, 1], [5, 3, 1]],
        _ => vec![[1, 1, 1], [2, 2, 2], [3, 2, 1]],
    }
}

/// How many dimensions the kernel looks like: those that its workgroups extend in, and those of its
/// ids that it reads.
fn dimensions(module: &Module, entry: &EntryPoint) -> u32 {
    let from_size = match entry.workgroup_size {
        [_, 0 | 1, 0 | 1] => 1,
        [_, _, 0 | 1] => 2,
        _ => 3,
    };
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
    let mut used = 1;
    for (_, expression) in function.expressions.iter() {
        match *expression {
            Expression::AccessIndex { base, index } if is_id(&function.expressions[base]) => {
                used = used.max(index + 1);
            }
            Expression::Swizzle { size, vector, pattern }
                if is_id(&function.expressions[vector]) =>
            {
                let read = &pattern[..size as usize];
                let last = read.iter().map(|component| component_index(*component)).max();
                used = used.max(last.unwrap_or(0) + 1);
            }
            // The whole vector in arithmetic: at least the plane.
            _ => walk::operands(expression, &mut |operand| {
                let whole = !matches!(expression, Expression::AccessIndex { .. });
                if whole && is_id(&function.expressions[operand]) {
                    used = used.max(2);
                }
            }),
        }
    }
    from_size.max(used).min(3)
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

    fn seen(size: &str, body: &str) -> u32 {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size({size})
             fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) l: vec3u) {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        dimensions(&module, &module.entry_points[0])
    }

    #[test]
    fn the_dimensions_are_those_the_kernel_reads_or_extends_in() {
        assert_eq!(seen("64", "out[id.x] = l.y;"), 1);
        assert_eq!(seen("8, 8", "out[id.x] = 1u;"), 2);
        assert_eq!(seen("64", "out[id.x + id.y * 64u] = 1u;"), 2);
        assert_eq!(seen("64", "let p = id.xy; out[p.x] = p.y;"), 2);
        assert_eq!(seen("64", "out[id.z] = 1u;"), 3);
        assert_eq!(seen("4, 4, 4", ""), 3);
        assert_eq!(seen("64", "let p = id * 2u; out[p.x] = 1u;"), 2);
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
