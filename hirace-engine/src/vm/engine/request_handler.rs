//! Visible operations that are left to the driver, when single invocations are stepped.

use super::fragment::Fragment;
use super::{Atomic, Context, Load, Pause, Store, VisibleOperations, image};
use crate::points::Counter;
use crate::vm::code::ImageOperation;
use crate::vm::ops::image::Image;

/// Stops before each [`VisibleOperations`] operation. [`crate::vm::machine`] makes the request and accepts the answer.
#[derive(Clone, Copy, Debug)]
pub struct RequestHandler;

impl VisibleOperations<1> for Context<'_, '_, RequestHandler> {
    fn load(&mut self, _: &mut Fragment<1>, _: Load) -> Option<Pause> {
        Some(Pause::VisibleOperation)
    }

    fn store(&mut self, _: &mut Fragment<1>, _: Store) -> Option<Pause> {
        Some(Pause::VisibleOperation)
    }

    fn atomic(&mut self, _: &mut Fragment<1>, _: Atomic) -> Option<Pause> {
        Some(Pause::VisibleOperation)
    }

    /// Only storage textures can change.
    fn image(&mut self, f: &mut Fragment<1>, index: u32) -> Option<Pause> {
        let code = self.setup.code;
        let step = &code.image_steps[index as usize];
        let used = &code.textures[step.texture as usize];
        match step.operation {
            ImageOperation::Store | ImageOperation::Atomic { .. } => {
                return Some(Pause::VisibleOperation);
            }
            ImageOperation::Load { .. } if used.format.is_some() => {
                return Some(Pause::VisibleOperation);
            }
            _ => {}
        }
        let texture = self.setup.textures[step.texture as usize];
        image::compute(self.setup, f, step, Image { texture, dim: used.dim });
        None
    }

    fn subgroup(&mut self, f: &mut Fragment<1>, _: u32) -> Option<Pause> {
        f.pc -= 1;
        Some(Pause::SubgroupOperation)
    }

    fn fence(&mut self, _: &mut Fragment<1>, _: u32) -> Option<Pause> {
        Some(Pause::VisibleOperation)
    }

    // A driver that steps single invocations sees their positions.
    fn count(&mut self, _: Counter, _: u64) {}

    fn visit(&mut self, _: &Fragment<1>, _: u32) {}
}
