//! What accesses touch and who shares it: memories, their kinds, and the shape of a dispatch.

/// Names a memory: the index of its global variable (`Handle::index`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u32);

/// What kind of memory is touched: which barrier class orders it, and who shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Storage buffers; shared by the dispatch; `storageBarrier()`.
    Storage,
    /// Workgroup variables; one instance a workgroup; `workgroupBarrier()`.
    Workgroup,
    /// Storage textures; shared by the dispatch; `textureBarrier()`.
    Texture,
}

/// Shape of the dispatch, as far as happens-before needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many workgroups.
    pub workgroups: u32,
    /// Invocations a workgroup.
    pub workgroup_size: u32,
    /// Lanes a subgroup.
    pub subgroup_size: u32,
}
