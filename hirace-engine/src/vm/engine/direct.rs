//! Visible operations that are performed immediately on flat memory, when whole subgroups run.

use super::fragment::Fragment;
use super::{Atomic, Context, Load, Pause, Store, VisibleOperations, WorkgroupVariable};
use crate::points::Counter;
use crate::vm::alu;
use crate::vm::observer::Watcher;

/// What [`VisibleOperations`] operations need in addition to buffers to be performed immediately.
pub struct DirectHandler<'m, W: ?Sized> {
    /// The watcher of the workgroup.
    pub watcher: &'m mut W,
    /// The workgroup variables.
    pub shared: &'m mut [WorkgroupVariable],
}

// Only a subgroup operation ever stops a fragment here, which the compiler can see.
impl<W: Watcher + ?Sized, const N: usize> VisibleOperations<N>
    for Context<'_, '_, DirectHandler<'_, W>>
{
    #[inline(always)]
    fn load(&mut self, f: &mut Fragment<N>, load: Load) -> Option<Pause> {
        self.load_now(f, load);
        None
    }

    #[inline(always)]
    fn store(&mut self, f: &mut Fragment<N>, store: Store) -> Option<Pause> {
        self.store_now(f, store);
        None
    }

    #[inline(always)]
    fn atomic(&mut self, f: &mut Fragment<N>, atomic: Atomic) -> Option<Pause> {
        self.atomic_now(f, atomic);
        None
    }

    #[inline(always)]
    fn image(&mut self, f: &mut Fragment<N>, index: u32) -> Option<Pause> {
        self.image_now(f, index);
        None
    }

    #[inline(always)]
    fn subgroup(&mut self, f: &mut Fragment<N>, index: u32) -> Option<Pause> {
        if !self.alone && !f.has_waited_for_subgroup {
            f.pc -= 1;
            return Some(Pause::SubgroupOperation);
        }
        f.has_waited_for_subgroup = false;
        let step = &self.setup.code.subgroup_steps[index as usize];
        alu::subgroup(&mut f.registers, step, f.mask);
        None
    }

    // Only orders memory, and this memory is always coherent.
    #[inline(always)]
    fn fence(&mut self, _: &mut Fragment<N>, _: u32) -> Option<Pause> {
        None
    }

    #[inline(always)]
    fn count(&mut self, counter: Counter, lanes: u64) {
        self.handler.watcher.count(counter, lanes);
    }

    fn visit(&mut self, f: &Fragment<N>, barrier: u32) {
        self.handler.watcher.visit(barrier, f.first, f.mask);
    }
}
