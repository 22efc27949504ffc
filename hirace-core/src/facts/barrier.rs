//! Barriers, and the memory that each class of them orders.

use super::place::Place;
use crate::ir::sites::SiteId;

/// The class of a barrier: the memory, or the invocations, that it orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BarrierClass {
    /// The workgroup memory of a workgroup.
    Workgroup,
    /// Storage memory, within a workgroup.
    Storage,
    /// Textures, within a workgroup.
    Texture,
    /// The invocations of a subgroup.
    Subgroup,
}

impl BarrierClass {
    /// Returns naga's flag for this class.
    #[doc(hidden)]
    pub fn flag(self) -> naga::Barrier {
        match self {
            Self::Workgroup => naga::Barrier::WORK_GROUP,
            Self::Storage => naga::Barrier::STORAGE,
            Self::Texture => naga::Barrier::TEXTURE,
            Self::Subgroup => naga::Barrier::SUB_GROUP,
        }
    }

    /// Returns the call of the barrier in WGSL.
    pub(crate) fn wgsl(self) -> &'static str {
        match self {
            Self::Workgroup => "workgroupBarrier()",
            Self::Storage => "storageBarrier()",
            Self::Texture => "textureBarrier()",
            Self::Subgroup => "subgroupBarrier()",
        }
    }
}

/// A barrier of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Barrier {
    /// The site of the barrier.
    #[doc(hidden)]
    pub site: SiteId,
    /// The source location of the barrier.
    pub place: Place,
    /// The first class of memory that the barrier orders; `None` if the site is not a barrier by itself.
    pub class: Option<BarrierClass>,
}
