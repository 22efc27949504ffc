//! Inserts and moves barriers, so that a suggested change of a kernel can be run before it is suggested.

use crate::diagnostic::Result;
use crate::ir::operands;
use crate::ir::walk::{FunctionId, StatementId};
use crate::program::{DerivedModule, Program};
use naga::{Barrier, Block, Span, Statement};

/// A point next to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertionPoint {
    /// The function that contains the statement.
    pub function: FunctionId,
    /// The statement.
    pub statement: StatementId,
    /// The side of the statement.
    pub side: Side,
}

/// A side of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Directly before the statement.
    Before,
    /// Directly after the statement. If control never continues after it, as after a `return`, directly before it.
    After,
}

/// Inserts a barrier that orders `memory` at each of `points`.
///
/// # Errors
/// Returns an error if the resulting module does not validate.
pub fn insert_barriers(
    program: &Program,
    points: &[InsertionPoint],
    memory: Barrier,
) -> Result<DerivedModule> {
    edit(program, points, memory, None)
}

/// Moves the barrier that is the statement `from` of the function of `to`. It orders `memory`.
///
/// # Errors
/// Returns an error if the resulting module does not validate.
pub fn move_barrier(
    program: &Program,
    from: StatementId,
    to: InsertionPoint,
    memory: Barrier,
) -> Result<DerivedModule> {
    edit(program, &[to], memory, Some(from))
}

/// Inserts barriers, and removes the statement `removed` of each function that contains one of the points.
fn edit(
    program: &Program,
    points: &[InsertionPoint],
    memory: Barrier,
    removed: Option<StatementId>,
) -> Result<DerivedModule> {
    let _span = tracing::debug_span!("insert_barriers").entered();
    program.derive(|original| {
        let mut module = original.clone();
        for id in FunctionId::all(original) {
            let points = points.iter().filter(|point| point.function == id).collect();
            let mut insertion = Insertion { points, memory, removed, next: 0 };
            if insertion.points.is_empty() {
                continue;
            }
            insertion.insert(match id {
                FunctionId::Helper(handle) => &mut module.functions[handle].body,
                FunctionId::Entry(index) => &mut module.entry_points[index].function.body,
            });
        }
        Ok(module)
    })
}

/// The insertion of barriers in one function.
struct Insertion<'a> {
    points: Vec<&'a InsertionPoint>,
    memory: Barrier,
    /// The statement that is removed.
    removed: Option<StatementId>,
    /// The number of the next statement.
    next: u32,
}

impl Insertion<'_> {
    fn insert(&mut self, block: &mut Block) {
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            let id = StatementId(self.next);
            self.next += 1;
            for inner in operands::children(&mut statement) {
                self.insert(inner);
            }
            let is_last = matches!(
                statement,
                Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill
            );
            let has = |side| self.points.iter().any(|at| at.statement == id && at.side == side);
            let (before, after) = (has(Side::Before), has(Side::After));
            let barrier = || Some((Statement::ControlBarrier(self.memory), Span::UNDEFINED));
            if before || (after && is_last) {
                block.extend(barrier());
            }
            if self.removed != Some(id) {
                block.push(statement, span);
            }
            if after && !is_last {
                block.extend(barrier());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::ir::body::StatementKind;
    use std::collections::BTreeMap;

    #[test]
    fn a_barrier_is_moved_out_of_a_branch() {
        let text = "@compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) lane: u32) {
                if lane > 5u { workgroupBarrier(); }
            }";
        let parsed = wgsl::parse("k.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let function = FunctionId::Entry(0);
        let body = program.body(function);
        let of_kind = |kind| body.of_kind(|of| of == kind).next().unwrap();
        let (from, statement) = (of_kind(StatementKind::Barrier), of_kind(StatementKind::If));
        let to = InsertionPoint { function, statement, side: Side::After };
        let moved = move_barrier(&program, from, to, Barrier::WORK_GROUP).unwrap();
        let wgsl = moved.wgsl().unwrap();
        let lines: Vec<&str> = wgsl.lines().map(str::trim).collect();
        assert_eq!(wgsl.matches("workgroupBarrier();").count(), 1, "{wgsl}");
        let barrier = lines.iter().position(|line| *line == "workgroupBarrier();").unwrap();
        assert_eq!(lines[barrier - 1], "}", "{wgsl}");
    }

    #[test]
    fn barriers_are_inserted_next_to_statements_of_any_depth() {
        let text = "var<workgroup> tile: array<u32, 64>;
            @compute @workgroup_size(64)
            fn main(@builtin(local_invocation_index) lane: u32) {
                for (var i = 0u; i < 3u; i++) {
                    tile[lane] = i;
                }
                if lane > 5u { return; }
                tile[lane] = 7u;
            }";
        let parsed = wgsl::parse("k.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let function = FunctionId::Entry(0);
        let body = program.body(function);
        let stores = program.sites.accesses().filter_map(|(site, ..)| body.ordinal(site));
        let points = stores.zip([Side::After, Side::Before]);
        let points = points.map(|(statement, side)| InsertionPoint { function, statement, side });
        let points: Vec<_> = points.collect();
        assert_eq!(points.len(), 2);
        let inserted = insert_barriers(&program, &points, Barrier::WORK_GROUP).unwrap();
        let wgsl = inserted.wgsl().unwrap();
        let lines: Vec<&str> = wgsl.lines().map(str::trim).collect();
        let barriers: Vec<usize> =
            (0..lines.len()).filter(|&at| lines[at] == "workgroupBarrier();").collect();
        assert_eq!(barriers.len(), 2, "{wgsl}");
        assert!(lines[barriers[0] - 1].starts_with("tile["), "{wgsl}");
        assert_eq!(lines[barriers[1] + 1], "tile[lane] = 7u;", "{wgsl}");
        let derived = inserted.program(&BTreeMap::new()).unwrap();
        let origins: Vec<_> =
            derived.sites.accesses().map(|(site, ..)| derived.origin_of(site)).collect();
        let sites: Vec<_> = program.sites.accesses().map(|(site, ..)| site).collect();
        assert_eq!(origins, sites);
    }
}
