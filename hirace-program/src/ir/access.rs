//! Accesses to memory that invocations share.

use naga::{Expression, GlobalVariable, Handle};

/// What an access does to the memory it touches. The set is closed: an access reads, writes, or is atomic for all invocations or
/// for those of its workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic operation of any kind, `atomicLoad` and `atomicStore` included. Its scope follows from the memory: the workgroup
    /// for workgroup memory, the device for storage buffers and textures.
    Atomic,
    /// An atomic operation with workgroup scope, whatever the memory. WGSL has no such operation on storage buffers.
    AtomicInWorkgroup,
}

impl Action {
    /// Returns whether the action is an atomic operation.
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::AtomicInWorkgroup)
    }
}

/// A contiguous range of bytes that an access touches, relative to the address of the observed pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Offset of the first byte.
    pub offset: u32,
    /// Number of bytes.
    pub bytes: u32,
}

/// How the memory of an access is addressed.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Through a pointer into a buffer or workgroup variable.
    Pointer {
        /// The pointer that is loaded from or stored to.
        pointer: Handle<Expression>,
        /// The pointer to everything that counts as touched: `pointer` itself, or the vector that `pointer` is a component of.
        observed: Handle<Expression>,
        /// The touched bytes, relative to `observed`. Adjacent ranges are merged.
        extent: Vec<Extent>,
    },
    /// One texel of a storage texture.
    Texel {
        /// Integer coordinates.
        coordinate: Handle<Expression>,
        /// Layer, for arrayed textures.
        array_index: Option<Handle<Expression>>,
    },
}

/// One access site: an expression or statement that touches shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The effect on the memory.
    pub action: Action,
    /// The variable whose memory it touches.
    pub global: Handle<GlobalVariable>,
    /// The location in that variable.
    pub target: Target,
}
