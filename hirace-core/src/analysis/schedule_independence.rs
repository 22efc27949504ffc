//! Finds launches whose results do not depend on the schedule.
//!
//! Without data races, invocations of one dispatch see of each other only what barriers order, which is the same in all
//! schedules, and so are their actions. Atomics are the exception. If the result of no atomic operation is used, and
//! all atomic operations of the program are of one kind that commutes, their order does not matter.
//!
//! An index out of bounds does not change this: it is clamped before the access, and the monitor watches the clamped
//! address, so it is out of bounds in all schedules or in none. The same holds for an assertion, which has no effect:
//! it fails in all schedules or in none.
//!
//! The analysis is conservative: a launch that these rules do not cover is not reported as steady, even if it is.

use super::atomics::used;
use crate::facts::{Kind, LaunchFacts};
use crate::ir::walk::{FunctionId, root_global, statements};
use crate::program::Program;
use naga::{AtomicFunction, Expression, Handle, Scalar, ScalarKind, Statement, TypeInner};
use std::mem::{Discriminant, discriminant};

/// Returns whether a launch of `program` with these facts behaves the same under every schedule, on an executor whose
/// subgroups always have one size.
pub fn is_schedule_independent(program: &Program, launch: &LaunchFacts) -> bool {
    let LaunchFacts { findings, suppressed: allowed, unwatched, stats, warnings, .. } = launch;
    let mut all = findings.iter().chain(allowed.iter().map(|allowed| &allowed.finding));
    let is_known = all.all(|found| matches!(found.kind(), Kind::OutOfBounds | Kind::Assertion))
        && unwatched.is_empty();
    if !is_known || stats.cut_short || stats.racy_words > 0 || !warnings.is_empty() {
        return false;
    }
    let entries = program.module.entry_points.iter().enumerate();
    let launched = entries.filter(|(_, entry)| launch.entries.contains(&entry.name));
    let launched = launched.map(|(index, _)| FunctionId::Entry(index));
    let mut kind = None;
    let reached = program.calls.reachable(launched);
    reached.into_iter().all(|function| commutes(program, function, &mut kind))
}

/// Returns whether the order in which invocations run a function does not affect the values and results of atomics.
/// `kind` is the kind of atomic operation that occurred so far.
fn commutes(
    program: &Program,
    id: FunctionId,
    kind: &mut Option<Discriminant<AtomicFunction>>,
) -> bool {
    let function = id.get(&program.module);
    let used = used(function);
    let mut holds = true;
    statements(&function.body, &mut |_, statement, _| {
        holds &= match statement {
            Statement::Atomic { pointer, fun, result, .. } => {
                // Sums and differences commute with each other.
                let own = match fun {
                    AtomicFunction::Subtract => AtomicFunction::Add,
                    other => *other,
                };
                let is_alone = *kind.get_or_insert(discriminant(&own)) == discriminant(&own);
                is_alone
                    && !matches!(own, AtomicFunction::Exchange { .. })
                    && is_whole(program, id, *pointer)
                    && result.is_none_or(|result| !used.contains(&result))
            }
            Statement::Store { pointer, .. } => !is_atomic(program, id, *pointer),
            Statement::ImageAtomic { .. }
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::RayQuery { .. } => false,
            _ => true,
        };
    });
    let reads_atomics = function.expressions.iter().any(|(_, expression)| match expression {
        Expression::Load { pointer } => is_atomic(program, id, *pointer),
        _ => false,
    });
    holds && !reads_atomics
}

fn pointed(program: &Program, id: FunctionId, pointer: Handle<Expression>) -> Option<Scalar> {
    let info = program.info_of(id);
    match *info[pointer].ty.inner_with(&program.module.types) {
        TypeInner::Pointer { base, .. } => match program.module.types[base].inner {
            TypeInner::Atomic(scalar) => Some(scalar),
            _ => None,
        },
        _ => None,
    }
}

fn is_atomic(program: &Program, id: FunctionId, pointer: Handle<Expression>) -> bool {
    pointed(program, id, pointer).is_some()
        && root_global(id.get(&program.module), pointer).is_some()
}

/// Returns whether an atomic is an integer. Sums of floating-point numbers are rounded and depend on the order.
fn is_whole(program: &Program, id: FunctionId, pointer: Handle<Expression>) -> bool {
    let scalar = pointed(program, id, pointer);
    scalar.is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint))
}

#[cfg(test)]
mod tests {
    use crate::analysis::schedule_independence::is_schedule_independent;
    use crate::check::source::check_launches;
    use crate::check::{Options, Session};
    use crate::exec::embedded::Embedded;
    use crate::front::wgsl;
    use crate::launch::spec::LaunchSpec;

    /// Returns whether a launch of two workgroups of a kernel with this body is steady.
    fn steady(body: &str) -> bool {
        let text = format!(
            "struct Sums {{ n: atomic<u32>, parts: array<atomic<i32>> }}
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read_write> sums: Sums;
            var<workgroup> tile: array<u32, 8>;
            fn add(i: u32) {{ atomicAdd(&sums.parts[i % 4u], 1i); }}
            @compute @workgroup_size(8)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {{
                {body}
            }}"
        );
        let parsed = wgsl::parse("k.wgsl", &text).unwrap();
        let spec = LaunchSpec { workgroups: Some([2, 1, 1]), ..LaunchSpec::default() };
        let options = Options { launches: vec![spec], ..Options::default() };
        let checked = check_launches(&parsed, &options, &mut Session::new(&Embedded)).unwrap();
        let [launch] = &checked.launches[..] else { panic!("one launch") };
        is_schedule_independent(&checked.memories[0].program, launch)
    }

    #[test]
    fn launches_with_invisible_order_are_schedule_independent() {
        assert!(steady("out[id.x] = l;"));
        assert!(steady("tile[l] = l; workgroupBarrier(); out[id.x] = tile[7u - l];"));
        assert!(steady("atomicAdd(&sums.n, l); add(l); out[id.x] = l;"));
        assert!(steady("atomicSub(&sums.n, l); atomicAdd(&sums.n, 3u);"));
        assert!(steady("atomicMax(&sums.n, l);"));
        // Only the last invocation is out of bounds, and its clamped access is to an element of its own.
        assert!(steady("tile[l + l / 7u] = l;"));
    }

    #[test]
    fn launches_with_visible_order_are_not() {
        // The last invocation is out of bounds, and its clamped access is to another invocation's element.
        assert!(!steady("tile[l + 1u] = l;"));
        // A race.
        assert!(!steady("out[0] = l;"));
        assert!(!steady("tile[l] = l; out[id.x] = tile[7u - l];"));
        // The order of atomic operations.
        assert!(!steady("out[id.x] = atomicAdd(&sums.n, 1u);"));
        assert!(!steady("let i = atomicAdd(&sums.n, 1u); if (i == 0u) { out[id.x] = 1u; }"));
        assert!(!steady("atomicExchange(&sums.n, l);"));
        assert!(!steady("atomicStore(&sums.n, l);"));
        assert!(!steady("atomicAdd(&sums.n, l); out[id.x] = atomicLoad(&sums.n);"));
        // Operations that do not commute.
        assert!(!steady("atomicAdd(&sums.n, l); atomicMax(&sums.n, l);"));
        assert!(!steady("add(l); atomicXor(&sums.n, l);"));
        assert!(!steady("out[id.x] = subgroupAdd(l);"));
    }
}
