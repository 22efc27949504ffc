//! Values that the host gives to a dispatch.

use naga::{GlobalVariable, Handle};

/// A value that the host gives to a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostValue {
    /// The number of workgroups in this dimension.
    Workgroups(usize),
    /// The number of elements of the runtime-sized array in this buffer.
    Length(Handle<GlobalVariable>),
    /// The 32-bit integer at this byte offset of a buffer that is not written while the dispatch runs.
    Word {
        /// The buffer.
        global: Handle<GlobalVariable>,
        /// The offset in bytes.
        offset: u32,
        /// Whether the integer is an `i32`.
        signed: bool,
    },
}

/// Limits on what a host can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// The maximum number of workgroups in each dimension.
    pub max_workgroups: u32,
    /// The minimum number of elements of a runtime-sized array.
    pub min_length: u32,
}

impl HostLimits {
    /// Limits that hold for every API.
    pub const ANY: Self = Self { max_workgroups: u32::MAX, min_length: 0 };
    /// WebGPU's default limits.
    pub const WEBGPU: Self = Self { max_workgroups: 65_535, min_length: 1 };
}
