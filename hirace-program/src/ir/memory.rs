//! Memories that accesses touch, their kinds, and the shape of a dispatch.

/// The identifier of a memory: the index of its global variable (`Handle::index`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u32);

/// A kind of memory. It determines which barrier orders accesses to the memory and which invocations share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Storage buffers; shared by the dispatch; `storageBarrier()`.
    Storage,
    /// Workgroup variables; one instance per workgroup; `workgroupBarrier()`.
    Workgroup,
    /// Storage textures; shared by the dispatch; `textureBarrier()`.
    Texture,
}

/// The shape of a dispatch, as far as happens-before depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of workgroups.
    pub workgroups: u32,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// Invocations per subgroup.
    pub subgroup_size: u32,
}
