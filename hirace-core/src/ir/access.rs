//! The one enumerator of accesses: what in a function touches memory that invocations share.
//!
//! An *access* is a load, store or atomic on storage, workgroup or storage-texture memory. Loads
//! are expressions in naga (made at their `Emit`), everything else is a statement. Not accesses:
//! private and function memory, uniforms, samplers, read-only textures, `arrayLength`.
//!
//! A store to one component of a vector is observed as a write of the whole vector, as WGSL lets
//! an implementation do that. A load or store of an aggregate touches each of its scalars, and no
//! padding.

use naga::{Expression, GlobalVariable, Handle};

/// What an access does to the memory it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic operation of any kind, `atomicLoad` and `atomicStore` included. Its scope follows
    /// from the memory: the workgroup for workgroup memory, the device for storage and textures.
    Atomic,
}

/// A run of bytes that an access touches, relative to the address of what is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Offset of the first byte.
    pub offset: u32,
    /// How many bytes.
    pub bytes: u32,
}

/// How the memory of an access is addressed.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Through a pointer into a buffer or workgroup variable.
    Pointer {
        /// What is loaded or stored.
        pointer: Handle<Expression>,
        /// What counts as touched: `pointer` itself, or the vector it is a component of.
        observed: Handle<Expression>,
        /// The bytes touched, relative to `observed`. Adjoining runs are merged.
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

/// One place in the program that touches shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// What it does.
    pub action: Action,
    /// The variable whose memory it touches.
    pub global: Handle<GlobalVariable>,
    /// Where in that variable.
    pub target: Target,
}
