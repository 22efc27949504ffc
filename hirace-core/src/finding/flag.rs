//! Recognizes flags and locks: atomics that a kernel reads before it touches other memory, as if that ordered the
//! accesses. In WGSL it does not, which surprises programmers who know acquire and release.

use super::element;
use super::structure::Structure;
use crate::facts::{Place, Remark};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId, StatementId};
use crate::observe::trace::Pair;
use crate::program::Program;
use naga::{Expression, Function, GlobalVariable, Handle, LocalVariable, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns a remark if an atomic seems meant to order the accesses of `pair`: one of them comes after a decision on an
/// atomic that the other access's function touches too.
pub(crate) fn remark(program: &Program, pair: &Pair) -> Option<Remark> {
    let function = |site: SiteId| program.sites.get(site).map(|site| site.function);
    let sides = [(pair.later.site, pair.earlier.site), (pair.earlier.site, pair.later.site)];
    sides.into_iter().find_map(|(guarded, other)| {
        let (site, global) = Decisions::new(program, function(guarded)?).before(guarded)?;
        if program.sites.ordering(site).is_some_and(|ordering| !ordering.acquires().is_empty()) {
            return None;
        }
        let elsewhere = program.sites.accesses().any(|(id, at, access)| {
            id != site && access.global == global && Some(at.function) == function(other)
        });
        elsewhere.then(|| Remark::Flag {
            variable: element::name(&program.module.global_variables[global]),
            place: Place::of(program, site),
        })
    })
}

/// The decisions of the control flow of a function.
struct Decisions<'a> {
    program: &'a Program,
    function: FunctionId,
    /// The conditions of `if`, `switch` and loops, with the ordinals of their statements.
    conditions: Vec<(StatementId, Handle<Expression>)>,
    /// The sites of atomic operations, by result expression.
    results: FxHashMap<Handle<Expression>, SiteId>,
    /// The values that are stored to each local variable.
    stores: FxHashMap<Handle<LocalVariable>, Vec<Handle<Expression>>>,
}

impl<'a> Decisions<'a> {
    fn new(program: &'a Program, function: FunctionId) -> Self {
        let (conditions, results, stores) = Default::default();
        let mut decisions = Self { program, function, conditions, results, stores };
        let naga = function.get(&program.module);
        walk::statements(&naga.body, &mut |ordinal, statement, _| match *statement {
            Statement::If { condition: by, .. } | Statement::Switch { selector: by, .. } => {
                decisions.conditions.push((ordinal, by));
            }
            Statement::Loop { break_if: Some(by), .. } => decisions.conditions.push((ordinal, by)),
            Statement::Atomic { result: Some(result), .. } => {
                let site = program.sites.statement(function, ordinal);
                decisions.results.extend(site.map(|site| (result, site)));
            }
            Statement::Store { pointer, value } => {
                if let Some(local) = root_local(naga, pointer) {
                    decisions.stores.entry(local).or_default().push(value);
                }
            }
            _ => {}
        });
        decisions
    }

    /// Returns the atomic that the last decision before or enclosing `site` depends on.
    fn before(&self, site: SiteId) -> Option<(SiteId, Handle<GlobalVariable>)> {
        let end = Structure::new(self.program, self.function).ordinal(site)?;
        let earlier = self.conditions.iter().rev().filter(|(ordinal, _)| *ordinal < end);
        let atomic = earlier.filter_map(|(_, condition)| self.atomic_in(*condition)).next()?;
        Some((atomic, self.program.sites.access(atomic)?.global))
    }

    /// Returns an atomic operation that the value of an expression depends on, if there is one.
    fn atomic_in(&self, expression: Handle<Expression>) -> Option<SiteId> {
        let function = self.function.get(&self.program.module);
        let (mut left, mut seen) = (vec![expression], FxHashSet::default());
        while let Some(expression) = left.pop() {
            if !seen.insert(expression) {
                continue;
            }
            if let Some(site) = self.atomic(expression) {
                return Some(site);
            }
            walk::operands(&function.expressions[expression], &mut |operand| left.push(operand));
            if let Expression::Load { pointer } = function.expressions[expression]
                && let Some(local) = root_local(function, pointer)
            {
                left.extend(self.stores.get(&local).into_iter().flatten());
            }
        }
        None
    }

    /// Returns the site of the atomic operation whose result the expression is, if it is one.
    fn atomic(&self, expression: Handle<Expression>) -> Option<SiteId> {
        let sites = &self.program.sites;
        let result = self.results.get(&expression).copied();
        let site = result.or_else(|| sites.load(self.function, expression))?;
        sites.access(site)?.action.is_atomic().then_some(site)
    }
}

/// Returns the local variable that a pointer points into, if there is one.
fn root_local(function: &Function, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    match *walk::root(function, pointer) {
        Expression::LocalVariable(local) => Some(local),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::Remark;
    use crate::ir::access::Action::{Read, Write};
    use crate::ir::order::{MemoryOrder, MemorySemantics, Scope};
    use crate::tests::fixture::{Fixture, by};

    const HEAD: &str = "\
@group(0) @binding(0) var<storage, read_write> data: u32;
@group(0) @binding(1) var<storage, read_write> ready: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
";

    /// Returns the flags of the remarks on a race between the write and the read of `data`, with their lines. The write
    /// and the read each have a line of `body` of their own.
    fn flags(body: &[&str]) -> Vec<(String, u32)> {
        flags_ordered(body, MemoryOrder::Relaxed)
    }

    /// Returns the same flags if all atomics have this order.
    fn flags_ordered(body: &[&str], order: MemoryOrder) -> Vec<(String, u32)> {
        let mut fixture = Fixture::new(&format!("{HEAD}{}\n}}\n", body.join("\n")), [4, 1, 1]);
        let line = |of: &str| body.iter().position(|line| line.contains(of)).unwrap() as u32 + 6;
        let write = fixture.access(Write, line("data = "), 0);
        let read = fixture.access(Read, line("= data"), 0);
        fixture.race([0], by(0, 0, write), by(1, 0, read));
        let sites = &mut fixture.program.sites;
        let atomics = sites.accesses().filter(|(.., access)| access.action.is_atomic());
        for site in atomics.map(|(site, ..)| site).collect::<Vec<_>>() {
            sites.set_ordering(site, MemorySemantics::new(order, Scope::Device));
        }
        let finding = fixture.launch_of_given().findings.remove(0);
        let remarks = finding.race().unwrap().other.as_ref().unwrap().remarks.clone().into_iter();
        let flag = |remark| match remark {
            Remark::Flag { variable, place } => Some((variable, place.at.line)),
            _ => None,
        };
        remarks.filter_map(flag).collect()
    }

    const GUARDED: [&str; 6] = [
        "if group.x == 0u {",
        "data = 1u;",
        "atomicStore(&ready, 1u);",
        "} else if atomicLoad(&ready) == 1u {",
        "results[group.x] = data;",
        "}",
    ];

    #[test]
    fn a_flag_that_guards_a_read_orders_nothing() {
        assert_eq!(flags(&GUARDED), [("ready".to_owned(), 9)]);
    }

    #[test]
    fn an_acquiring_flag_may_order() {
        assert_eq!(flags_ordered(&GUARDED, MemoryOrder::AcquireRelease), []);
    }

    #[test]
    fn a_flag_in_a_spin_loop_orders_nothing() {
        let flags = flags(&[
            "if group.x == 0u {",
            "data = 1u;",
            "atomicStore(&ready, 1u);",
            "}",
            "var seen = 0u;",
            "while seen == 0u {",
            "let now = atomicAdd(&ready, 0u);",
            "seen = now & 1u;",
            "}",
            "results[group.x] = data;",
        ]);
        assert_eq!(flags, [("ready".to_owned(), 12)]);
    }

    #[test]
    fn an_atomic_that_decides_nothing_is_no_flag() {
        let flags = flags(&[
            "let count = atomicAdd(&ready, 1u);",
            "if group.x == 0u {",
            "data = count;",
            "}",
            "results[group.x] = data;",
        ]);
        assert_eq!(flags, []);
    }
}
