//! Runs a fragment, instruction by instruction.
//!
//! One interpreter loop ([`step`]) serves two kinds of run. The type of the [`Context`] states how
//! [visible](VisibleOperations) operations are handled. A [`Direct`] context performs them immediately, on flat memory,
//! for whole subgroups. A [`RequestHandler`] context stops before them and leaves the answer to the driver
//! ([`super::machine`]).

pub mod claim;
mod count;
mod direct;
pub mod fragment;
pub mod image;
pub mod loop_registers;
pub mod memory;
mod request_handler;
pub mod step;
pub mod tally;
pub mod unused_reads;

use super::code::{Code, Length, Register};
use super::memory::{Buffer, Resource, Resources, Sampler, Texture};
use super::observer::MemoryId;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::sites::SiteId;
use crate::points::Counter;
pub use direct::DirectHandler;
use fragment::Fragment;
use loop_registers::LoopRegisters;
pub use request_handler::RequestHandler;
use std::sync::atomic::AtomicU32;
use tally::Tally;
use unused_reads::ReadFollower;

/// What all workgroups of a run share.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    pub code: &'a Code,
    pub buffers: Vec<BoundBuffer<'a>>,
    pub textures: Vec<&'a Texture>,
    pub samplers: Vec<&'a Sampler>,
    /// The values of [`Code::lengths`].
    pub lengths: Vec<u32>,
    /// Number of workgroups in x, y and z.
    pub workgroups: [u32; 3],
    pub subgroup_size: u32,
    /// Whether the watcher is shown the values that stores write.
    pub shows_values: bool,
    /// Follows the values of reads out of bounds, if that is requested.
    pub follower: Option<&'a ReadFollower>,
    /// Whether accesses out of bounds are dropped instead of clamped.
    pub drops: bool,
    /// The registers that decide what loops do.
    pub loop_registers: LoopRegisters,
}

/// A buffer as the engine uses it.
#[derive(Clone, Copy, Debug)]
pub struct BoundBuffer<'a> {
    pub words: &'a [AtomicU32],
    pub elastic: bool,
    /// Whether an address into the buffer can be invalid.
    pub may_miss: bool,
}

/// The invalid address: reads return 0, writes do nothing, and observers do not see the access.
pub const INVALID_ADDRESS: u32 = u32::MAX;

impl<'a> Setup<'a> {
    /// Looks up the resources that the code uses.
    pub fn new(
        code: &'a Code,
        resources: &'a Resources,
        workgroups: [u32; 3],
        subgroup_size: u32,
    ) -> Result<Self> {
        if !subgroup_size.is_power_of_two() || subgroup_size > 64 {
            let message =
                format!("a subgroup size of {subgroup_size} is not a power of two from 1 to 64");
            return Err(Diagnostic::new(message).into());
        }
        let resource = |id: MemoryId| resources.by_global.get(id.0 as usize)?.as_ref();
        let missing = |what, name| Diagnostic::new(format!("no {what} is bound to `{name}`"));
        let bound = code.buffers.iter().map(|used| match resource(used.memory) {
            Some(Resource::Buffer(buffer)) => Ok(buffer),
            _ => Err(missing("buffer", &used.name).into()),
        });
        let bound: Vec<&Buffer> = bound.collect::<Result<_>>()?;
        let textures = code.textures.iter().map(|used| match resource(used.memory) {
            Some(Resource::Texture(texture)) => Ok(texture),
            _ => Err(missing("texture", &used.name).into()),
        });
        let textures = textures.collect::<Result<_>>()?;
        let samplers = code.samplers.iter().map(|used| match resource(used.memory) {
            Some(Resource::Sampler(sampler)) => Ok(sampler),
            _ => Err(missing("sampler", &used.name).into()),
        });
        let samplers = samplers.collect::<Result<_>>()?;
        let lengths = code.lengths.iter().map(|length| match *length {
            Length::Fixed(length) => length,
            Length::Runtime { buffer, offset, stride } => {
                bound[buffer as usize].len().saturating_sub(offset) / stride.max(1)
            }
        });
        let lengths: Vec<u32> = lengths.collect();
        let is_empty = |index: u32| {
            code.lengths.iter().zip(&lengths).any(|(length, value)| {
                *value == 0 && matches!(length, Length::Runtime { buffer, .. } if *buffer == index)
            })
        };
        let buffers = bound.iter().zip(0..).map(|(buffer, index)| BoundBuffer {
            words: buffer.words(),
            elastic: buffer.elastic,
            may_miss: buffer.elastic || is_empty(index),
        });
        let buffers = buffers.collect();
        let shows_values = false;
        Ok(Self {
            code,
            buffers,
            textures,
            samplers,
            lengths,
            workgroups,
            subgroup_size,
            shows_values,
            follower: None,
            drops: false,
            loop_registers: LoopRegisters::default(),
        })
    }

    /// Returns the number of workgroups.
    pub fn count(&self) -> Result<u32> {
        let count = self.workgroups.iter().try_fold(1u32, |n, size| n.checked_mul(*size));
        count.ok_or_else(|| {
            let [x, y, z] = self.workgroups;
            let message = format!("a dispatch of {x} x {y} x {z} workgroups is too large");
            Diagnostic::new(message).into()
        })
    }
}

/// One instance of a workgroup variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WorkgroupVariable {
    pub id: MemoryId,
    pub words: Vec<u32>,
}

/// What the running fragment can access. `V` determines how visible operations are handled.
pub struct Context<'m, 'a, V> {
    pub setup: &'m Setup<'a>,
    pub handler: V,
    pub tally: &'m mut Tally,
    /// The linear index of the workgroup.
    pub workgroup: u32,
    /// Whether the fragment has all remaining lanes of its subgroup.
    pub alone: bool,
    /// For each invocation, the site where it returned.
    pub returned_lanes: &'m mut [Option<SiteId>],
}

/// The operations of a fragment that are visible to others: accesses to shared memory, and values that its
/// lanes exchange. Each method performs the operation, or returns the reason why the fragment stops at it.
pub trait VisibleOperations<const N: usize> {
    fn load(&mut self, f: &mut Fragment<N>, load: Load) -> Option<Pause>;
    fn store(&mut self, f: &mut Fragment<N>, store: Store) -> Option<Pause>;
    fn atomic(&mut self, f: &mut Fragment<N>, atomic: Atomic) -> Option<Pause>;
    fn image(&mut self, f: &mut Fragment<N>, index: u32) -> Option<Pause>;
    fn subgroup(&mut self, f: &mut Fragment<N>, index: u32) -> Option<Pause>;
    fn fence(&mut self, f: &mut Fragment<N>, index: u32) -> Option<Pause>;
    /// Called when lanes reach the point that this counter counts.
    fn count(&mut self, counter: Counter, lanes: u64);
    /// Called when the active lanes reach the barrier with this number.
    fn visit(&mut self, f: &Fragment<N>, barrier: u32);
}

/// See [`super::code::Instruction::Load`].
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub to: Register,
    pub address: Register,
    pub access: u32,
}

/// See [`super::code::Instruction::Store`].
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub address: Register,
    pub from: Register,
    pub access: u32,
}

/// See [`super::code::Instruction::Atomic`].
#[derive(Clone, Copy, Debug)]
pub struct Atomic {
    pub to: Option<Register>,
    pub address: Register,
    pub operation: u32,
}

/// Why a fragment stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The fuel is used up.
    Fuel,
    /// The active lanes are at the barrier with this index; other lanes of the fragment may not be.
    Barrier(u32),
    /// A loop repeats while other lanes of the fragment wait.
    Starving,
    /// The next instruction is a subgroup operation, and the subgroup has other fragments.
    SubgroupOperation,
    /// A loop repeats that only a change of shared memory can end.
    Spinning,
    /// The instruction before `pc` is a visible operation that needs an answer.
    VisibleOperation,
    /// All lanes returned from the entry point.
    Done,
}
