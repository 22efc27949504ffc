//! What both programs read of memory that others write.

use super::Both;
use crate::ir::walk;
use naga::{AddressSpace, Expression, Handle};
use rustc_hash::FxHashSet;

impl Both<'_, '_> {
    /// What both read where they go the same way is read by both, whether anybody asks for it or not.
    pub(super) fn match_reads(&mut self) -> Option<()> {
        let used: FxHashSet<_> = self.made.known.values().copied().collect();
        let excused: FxHashSet<_> = self.brought.iter().copied().collect();
        let mut left: Vec<Handle<Expression>> = self.others.clone();
        left.retain(|y| !self.made.known.contains_key(y) && !excused.contains(y));
        for x in std::mem::take(&mut self.reads) {
            if used.contains(&x) {
                continue;
            }
            // Nobody asks for it in either.
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

    /// Whether only the invocation sees what it reads.
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
