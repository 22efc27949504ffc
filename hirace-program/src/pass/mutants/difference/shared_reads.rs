//! Reads of shared memory in both programs.

use super::FunctionComparison;
use crate::ir::walk;
use naga::{AddressSpace, Expression, Handle};
use rustc_hash::FxHashSet;

impl FunctionComparison<'_, '_> {
    /// Matches the reads on the common path: both programs must perform them, whether their values are used or not.
    pub(super) fn match_reads(&mut self) -> Option<()> {
        let used: FxHashSet<_> = self.difference.known.values().copied().collect();
        let excused: FxHashSet<_> = self.copied_reads.iter().copied().collect();
        let mut left: Vec<Handle<Expression>> = self.others.clone();
        left.retain(|y| !self.difference.known.contains_key(y) && !excused.contains(y));
        for x in std::mem::take(&mut self.reads) {
            if used.contains(&x) {
                continue;
            }
            // Neither program uses the value.
            let found = left.iter().position(|y| {
                let mark = self.mark();
                let alike = self.expression(x, *y).is_some();
                if !alike {
                    self.back_to(&mark);
                }
                alike
            });
            match found {
                Some(at) => drop(left.remove(at)),
                None if self.reads_own(x) => {}
                None => return None,
            }
        }
        left.iter().all(|y| self.is_private(*y)).then_some(())
    }

    /// Returns whether the expression reads memory of the invocation, or uniform memory.
    fn reads_own(&self, x: Handle<Expression>) -> bool {
        let Expression::Load { pointer } = self.a(x) else { return false };
        match walk::root(self.original.function, *pointer) {
            Expression::LocalVariable(_) => true,
            Expression::GlobalVariable(global) => matches!(
                self.modules.module.global_variables[*global].space,
                AddressSpace::Uniform | AddressSpace::Private
            ),
            _ => false,
        }
    }
}
