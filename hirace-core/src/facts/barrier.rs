//! Barriers, and the memory that each class of them orders.

use super::place::Place;
use crate::ir::sites::SiteId;

/// What a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Workgroup memory, of a workgroup.
    Workgroup,
    /// Storage memory, of a workgroup.
    Storage,
    /// Textures, of a workgroup.
    Texture,
    /// The invocations of a subgroup.
    Subgroup,
}

impl Class {
    /// naga's flag for it.
    pub fn flag(self) -> naga::Barrier {
        match self {
            Self::Workgroup => naga::Barrier::WORK_GROUP,
            Self::Storage => naga::Barrier::STORAGE,
            Self::Texture => naga::Barrier::TEXTURE,
            Self::Subgroup => naga::Barrier::SUB_GROUP,
        }
    }
}

/// A barrier of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Its site.
    pub site: SiteId,
    /// Where it stands.
    pub place: Place,
    /// What it orders first of all; `None` if what stands there is no barrier of its own.
    pub class: Option<Class>,
}
