//! Proofs that a mutant behaves as its original does, in every launch.
//!
//! Either both have the same normal form (see `normal_form`), or they differ only in barriers that order nothing: no variable is used
//! on both sides of such a barrier, or the static prover shows that no access of either takes part in a race in a launch whose
//! indices are in bounds, so that each has one result.

use super::compare::Modules;
use super::expressions::of_statement;
use super::normal_form::{KeptBarriers, Terms, normal_form, type_text};
use crate::ir::walk::FunctionId;
use crate::program::{ParsedModule, Program};
use crate::prove::{Facts, Proofs, prove};
use naga::{
    AtomicFunction, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Module,
    Statement,
};
use std::collections::BTreeMap;

/// Why a mutant behaves as its original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// Both have the same normal form.
    SameNormalForm,
    /// The barriers in which both differ order no accesses.
    BarriersOrderNothing,
}

/// Returns why `mutant` behaves as `original` does, if that is proved.
pub fn equivalence(original: &ParsedModule, mutant: &ParsedModule) -> Option<Equivalence> {
    let modules = Modules::of(&original.module, &mutant.module)?;
    // Other values of overrides could make a difference.
    if !original.module.overrides.is_empty() || !mutant.module.overrides.is_empty() {
        return None;
    }
    let mut differing = KeptBarriers::All;
    for (id, other) in FunctionId::all(&original.module).zip(FunctionId::all(&mutant.module)) {
        if id != other {
            return None;
        }
        modules.same_signature(id)?;
        same_bindings(&modules, id)?;
        // Equal terms of both functions are one term.
        let mut terms = Terms::default();
        let mut both = |lines| {
            let a = normal_form(&mut terms, &original.module, &original.info, id, lines)?;
            let b = normal_form(&mut terms, &mutant.module, &mutant.info, id, lines)?;
            Some(a == b)
        };
        if both(KeptBarriers::All)? {
            continue;
        }
        let more = [KeptBarriers::Ordering, KeptBarriers::None];
        differing = differing.max(more.into_iter().find(|lines| both(*lines) == Some(true))?);
    }
    match differing {
        KeptBarriers::All => Some(Equivalence::SameNormalForm),
        KeptBarriers::Ordering => Some(Equivalence::BarriersOrderNothing),
        KeptBarriers::None => {
            let is_ordered = |parsed| orders_all(parsed).unwrap_or(false);
            (is_ordered(original) && is_ordered(mutant))
                .then_some(Equivalence::BarriersOrderNothing)
        }
    }
}

/// Returns `Some` if the arguments and results have the same bindings, in types with the same text.
fn same_bindings(modules: &Modules<'_>, id: FunctionId) -> Option<()> {
    let (a, b) = (id.get(modules.module), id.get(modules.other));
    let of = |module: &Module, function: &Function| -> Vec<(Option<Binding>, String)> {
        let arguments = function.arguments.iter().map(|of| (of.binding.clone(), of.ty));
        let results = function.result.iter().map(|of| (of.binding.clone(), of.ty));
        let all = arguments.chain(results);
        all.map(|(binding, ty)| (binding, type_text(module, ty))).collect()
    };
    (of(modules.module, a) == of(modules.other, b)).then_some(())
}

/// Returns whether no access of any entry point takes part in a race within a workgroup, in any launch, and all invocations reach
/// the same barriers. The result then does not depend on the order of invocations.
fn orders_all(parsed: &ParsedModule) -> Option<bool> {
    let program = Program::new(parsed, &BTreeMap::new()).ok()?;
    if !is_independent_of_order(&program) {
        return Some(false);
    }
    let ordered = (0..program.module.entry_points.len()).map(|entry| {
        let workgroups = grid(&program.module.entry_points[entry].function)?;
        let functions = program.calls.reachable([FunctionId::Entry(entry)]);
        // An index out of bounds is an error of its own, so buffers may be as long as possible. Their length must not be read.
        let mut lengths = [None, Some(MAX_LENGTH)].into_iter();
        Some(lengths.any(|length| {
            if length.is_some() && functions.iter().any(|id| reads_length(&program.module, *id)) {
                return false;
            }
            let proofs: Proofs = prove(&program, entry, &LargestDispatch { workgroups, length });
            let mut accesses = program.sites.accesses();
            let all = accesses.all(|(id, site, _)| {
                !functions.contains(&site.function) || proofs.get(id).is_some()
            });
            all && proofs.is_uniform()
        }))
    });
    Some(ordered.collect::<Option<Vec<bool>>>()?.into_iter().all(|is_ordered| is_ordered))
}

fn reads_length(module: &Module, id: FunctionId) -> bool {
    let mut expressions = id.get(module).expressions.iter();
    expressions.any(|(_, expression)| matches!(expression, Expression::ArrayLength(_)))
}

/// Returns whether operations that race with themselves by design have results that do not depend on the order: atomics of one
/// kind whose old values are not used, and no operations of subgroups.
fn is_independent_of_order(program: &Program) -> bool {
    let module = &program.module;
    let mut kinds = Vec::new();
    let is_known = FunctionId::all(module).all(|id| {
        let mut is_known = true;
        crate::ir::walk::statements(&id.get(module).body, &mut |_, statement, _| {
            is_known &= match statement {
                Statement::Atomic { fun, result, .. } => {
                    kinds.push(std::mem::discriminant(fun));
                    result.is_none_or(|result| !is_operand(id.get(module), result)) && commutes(fun)
                }
                Statement::ImageAtomic { .. }
                | Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. } => false,
                _ => true,
            };
        });
        is_known
    });
    // The rest of the atomic accesses are loads and stores.
    let atomics = program.sites.accesses().filter(|(.., access)| access.action.is_atomic());
    let is_updated_only = atomics.count() == kinds.len();
    kinds.dedup();
    is_known && is_updated_only && kinds.len() <= 1
}

/// Returns whether the result of a statement is an operand of anything else.
fn is_operand(function: &Function, result: Handle<Expression>) -> bool {
    let mut uses = 0;
    for (_, expression) in function.expressions.iter() {
        crate::ir::walk::operands(expression, &mut |operand| {
            uses += usize::from(operand == result)
        });
    }
    crate::ir::walk::statements(&function.body, &mut |_, statement, _| {
        uses += of_statement(statement).iter().filter(|operand| **operand == result).count();
    });
    // The statement itself defines it.
    uses > 1
}

fn commutes(fun: &AtomicFunction) -> bool {
    matches!(
        fun,
        AtomicFunction::Add
            | AtomicFunction::And
            | AtomicFunction::ExclusiveOr
            | AtomicFunction::InclusiveOr
            | AtomicFunction::Min
            | AtomicFunction::Max
    )
}

/// A number of bytes that is more than any index reaches.
const MAX_LENGTH: u32 = 0xffff_fff0;

/// The number of workgroups that WebGPU guarantees in a dimension.
const MAX_WORKGROUPS: u32 = 65_535;

/// Returns a grid that stands for every grid: as large as possible in the dimensions whose ids an entry point reads. In the
/// others, each workgroup does what the first one does. Returns `None` if the entry point reads the size of the grid.
fn grid(function: &Function) -> Option<[u32; 3]> {
    let mut workgroups = [1; 3];
    for (at, argument) in function.arguments.iter().enumerate() {
        match argument.binding {
            Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => return None,
            Some(Binding::BuiltIn(BuiltIn::WorkGroupId | BuiltIn::GlobalInvocationId)) => {}
            Some(_) => continue,
            // A structure of built-in values.
            None => return None,
        }
        for (handle, expression) in function.expressions.iter() {
            if !matches!(expression, Expression::FunctionArgument(own) if *own as usize == at) {
                continue;
            }
            for dimension in dimensions(function, handle) {
                workgroups[dimension] = MAX_WORKGROUPS;
            }
        }
    }
    Some(workgroups)
}

/// Returns the components of a vector that a function reads.
fn dimensions(function: &Function, vector: Handle<Expression>) -> Vec<usize> {
    let mut read = Vec::new();
    for (_, expression) in function.expressions.iter() {
        match expression {
            Expression::AccessIndex { base, index } if *base == vector => {
                read.push(*index as usize);
            }
            other => crate::ir::walk::operands(other, &mut |operand| {
                if operand == vector {
                    read.extend([0, 1, 2]);
                }
            }),
        }
    }
    crate::ir::walk::statements(&function.body, &mut |_, statement, _| {
        if of_statement(statement).contains(&vector) {
            read.extend([0, 1, 2]);
        }
    });
    read.retain(|dimension| *dimension < 3);
    read
}

/// The dispatch with the largest grid, of which possibly the length of buffers is known.
struct LargestDispatch {
    workgroups: [u32; 3],
    length: Option<u32>,
}

impl Facts for LargestDispatch {
    fn workgroups(&self) -> Option<[u32; 3]> {
        Some(self.workgroups)
    }

    fn length(&self, _: Handle<GlobalVariable>) -> Option<u32> {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;

    fn kernel(body: &str) -> String {
        format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> other: array<u32>;
@group(0) @binding(2) var<storage, read_write> sum: atomic<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
    let x = data[id.x];
    let i = i32(x);
    let f = bitcast<f32>(x);
    {body}
}}"
        )
    }

    fn found(original: &str, mutant: &str) -> Option<Equivalence> {
        let parsed = |body: &str| wgsl::parse("k.wgsl", &kernel(body)).unwrap();
        equivalence(&parsed(original), &parsed(mutant))
    }

    #[test]
    fn what_has_the_same_normal_form_is_equivalent() {
        for (original, mutant) in [
            ("data[id.x] = x * 1u;", "data[id.x] = x / 1u;"),
            ("data[id.x] = x + 0u;", "data[id.x] = x - 0u;"),
            ("data[id.x] = x << 0u;", "data[id.x] = x >> 0u;"),
            ("data[id.x] = x + lid.y;", "data[id.x] = x - lid.y;"),
            ("data[id.x] = u32(f * 1.0);", "data[id.x] = u32(f / 1.0);"),
            ("if x > 0u { data[id.x] = 1u; }", "if x >= 1u { data[id.x] = 1u; }"),
            ("if x < 8u { data[id.x] = 1u; }", "if x <= 7u { data[id.x] = 1u; }"),
            ("if x <= 0u { data[id.x] = 1u; }", "if x == 0u { data[id.x] = 1u; }"),
            ("if 4u < x { data[id.x] = 1u; }", "if x > 4u { data[id.x] = 1u; }"),
            ("if lane < 64u { data[id.x] = 1u; }", "if lane <= 64u { data[id.x] = 1u; }"),
            ("if lid.x <= 63u { data[id.x] = 1u; }", "data[id.x] = 1u;"),
            ("if lid.y > 0u { data[id.x] = 1u; }", ""),
            ("data[id.x] = lane / 64u;", "data[id.x] = lane / 65u;"),
            ("data[id.x] = lane % 64u;", "data[id.x] = lane & 63u;"),
            ("var n = x + 1u; data[id.x] = 1u;", "var n = x - 1u; data[id.x] = 1u;"),
            ("data[id.x] = select(x, 7u, lid.z > 0u);", "data[id.x] = select(x, 9u, lid.z > 0u);"),
            (
                "for (var k = 0u; k < lid.y; k += 1u) { data[k] = 1u; }",
                "for (var k = 0u; k < lid.y; k += 2u) { data[k] = 1u; }",
            ),
            ("var n = x; n += 1u; data[id.x] = n;", "var n = x + 1u; data[id.x] = n;"),
            (
                "var n = x; if i > 0 { n = 7u; } else { n = 7u; } data[id.x] = n;",
                "var n = 7u; data[id.x] = n;",
            ),
        ] {
            let same = Some(Equivalence::SameNormalForm);
            assert_eq!(found(original, mutant), same, "{original} | {mutant}");
        }
    }

    #[test]
    fn an_iteration_that_does_nothing_makes_no_difference() {
        for (original, mutant) in [
            ("k < 7u", "k < 8u"),
            ("k < 7u", "k <= 7u"),
            ("k != 7u", "k != 9u"),
            ("k <= 6u", "k <= 7u"),
        ] {
            for body in [
                "if lane < (64u >> k) { data[k] += x; }",
                "workgroupBarrier(); if lane < (64u >> k) { tile[lane] += tile[lane + k]; }",
                "if (64u >> k) == 0u { continue; } data[k] = x;",
                "if (1u << k) > 64u { break; } data[k] = x;",
                "for (var j = 0u; j < 64u / (1u << k); j++) { data[j] = x; }",
            ] {
                let of = |bound: &str| {
                    format!("for (var k = 0u; {bound}; k++) {{ {body} }} workgroupBarrier();")
                };
                let same = Some(Equivalence::SameNormalForm);
                assert_eq!(found(&of(original), &of(mutant)), same, "{body} {original} {mutant}");
            }
            for body in [
                "if lane < (64u >> k) + 1u { data[k] += x; }",
                "data[id.x] = data[k];",
                "if k == x { continue; } data[lane] = k;",
                "if k == x { break; } data[lane] = k;",
                "switch k { case 3u: { data[1] = x; } default: { data[k] = x; } }",
                "if x == k { return; }",
                "if k > 6u { data[lane] = x; }",
                "tile[lane] += k; workgroupBarrier();",
            ] {
                let of = |bound: &str| {
                    format!("for (var k = 0u; {bound}; k++) {{ {body} }} other[lane] = x;")
                };
                assert_eq!(found(&of(original), &of(mutant)), None, "{body} {original} {mutant}");
            }
        }
    }

    #[test]
    fn what_may_differ_is_not_equivalent() {
        for (original, mutant) in [
            ("data[id.x] = x * 2u;", "data[id.x] = x / 2u;"),
            ("data[id.x] = u32(f + 0.0);", "data[id.x] = u32(f - 0.0);"),
            ("data[id.x] = u32(i * 1);", "data[id.x] = u32(i + 1);"),
            ("if i > 0 { data[id.x] = 1u; }", "if i != 0 { data[id.x] = 1u; }"),
            ("if x < 8u { data[id.x] = 1u; }", "if x <= 8u { data[id.x] = 1u; }"),
            ("if f < 1.0 { data[id.x] = 1u; }", "if !(f >= 1.0) { data[id.x] = 1u; }"),
            ("if lane < 63u { data[id.x] = 1u; }", "if lane <= 63u { data[id.x] = 1u; }"),
            ("data[id.x] = lane % 63u;", "data[id.x] = lane;"),
            ("data[id.x] = x & 5u;", "data[id.x] = x | 5u;"),
            ("data[id.x] = 1u;", "data[id.x] = 1u; data[0] = 1u;"),
            ("data[id.x] = 1u; other[id.x] = 2u;", "other[id.x] = 2u; data[id.x] = 1u;"),
            ("data[id.x] = lane - 64u;", "data[id.x] = lane - 65u;"),
            ("var n = 0u; if i > 0 { n = 1u; } data[id.x] = n;", "var n = 0u; data[id.x] = n;"),
            ("var n = 0u; while n < x { n += 1u; } data[id.x] = n;", "var n = 0u; data[id.x] = n;"),
            (
                "var n = 1u; switch x { case 3u: { n = 2u; } default: { } } data[id.x] = n;",
                "var n = 1u; data[id.x] = n;",
            ),
            ("var n = x; let m = n; n = 1u; data[id.x] = m;", "data[id.x] = 1u;"),
            // A read that is not used may still race.
            ("let y = other[0]; data[id.x] = 1u;", "data[id.x] = 1u;"),
            (
                "let y = data[lane]; data[id.x] = y;",
                "data[id.x] = 2u; let y = data[lane]; data[id.x] = y;",
            ),
        ] {
            assert_eq!(found(original, mutant), None, "{original} | {mutant}");
        }
    }

    #[test]
    fn a_barrier_that_orders_nothing_may_be_deleted() {
        let unneeded = Some(Equivalence::BarriersOrderNothing);
        let own = "tile[lane] = x; workgroupBarrier(); data[id.x] = tile[lane];";
        assert_eq!(found(own, &own.replace("workgroupBarrier();", "")), unneeded);
        assert_eq!(found(own, &own.replace("workgroupB", "storageB")), unneeded);
        let others = own.replace("tile[lane];", "tile[63u - lane];");
        assert_eq!(found(&others, &others.replace("workgroupBarrier();", "")), None);
        assert_eq!(found(&others, &others.replace("workgroupB", "storageB")), None);
        let branch = "if x == 0u { workgroupBarrier(); } data[id.x] = 1u;";
        assert_eq!(found(branch, &branch.replace("workgroupBarrier();", "")), None);
        let branch = branch.replace("x == 0u", "other[7] == 0u");
        assert_eq!(found(&branch, &branch.replace("workgroupBarrier();", "")), unneeded);
        let last = format!("{others} workgroupBarrier();");
        assert_eq!(found(&last, &others), unneeded);
    }

    #[test]
    fn a_barrier_between_uses_of_different_variables_may_be_deleted() {
        let text = "tile[lane] = x; workgroupBarrier(); let y = tile[x % 64u]; storageBarrier(); other[x] = y;";
        let deleted = |text: &str, barrier: &str| found(text, &text.replacen(barrier, "", 1));
        let unneeded = Some(Equivalence::BarriersOrderNothing);
        assert_eq!(deleted(text, "storageBarrier();"), unneeded);
        assert_eq!(deleted(text, "workgroupBarrier();"), None);
        assert_eq!(found(text, &text.replace("storageB", "workgroupB")), unneeded);
        for (from, to) in [
            ("other[x] = y", "other[x] = tile[y]"),
            ("other[x] = y", "if y == 0u { data[x] = y; }"),
            ("other[x] = y", "other[x] = atomicLoad(&sum)"),
            ("tile[lane] = x", "tile[lane] = other[x]"),
            ("storageBarrier();", "if x == 0u { storageBarrier(); }"),
            ("storageBarrier();", "for (var k = 0u; k < x; k++) { storageBarrier(); }"),
        ] {
            assert_eq!(deleted(&text.replace(from, to), "storageBarrier();"), None, "{to}");
        }
    }

    #[test]
    fn atomics_keep_a_barrier_unless_only_their_sum_counts() {
        let counted = "atomicAdd(&sum, x); workgroupBarrier(); data[id.x] = 1u;";
        let deleted = |text: &str| found(text, &text.replace("workgroupBarrier();", ""));
        assert_eq!(deleted(counted), Some(Equivalence::BarriersOrderNothing));
        assert_eq!(deleted("data[id.x] = atomicAdd(&sum, 1u); workgroupBarrier();"), None);
        assert_eq!(
            deleted("atomicAdd(&sum, x); workgroupBarrier(); data[id.x] = atomicLoad(&sum);"),
            None
        );
        assert_eq!(deleted("atomicAdd(&sum, x); workgroupBarrier(); atomicMax(&sum, x);"), None);
    }
}
