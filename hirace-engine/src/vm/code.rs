//! The flat code that the engine runs: [`super::lower`] makes it from an entry point.
//!
//! **Registers.** A subgroup has a register file. A register is one word for every lane. Every value,
//! function variable, private variable and constant has its own registers, numbered when the code is made:
//! WGSL has no recursion, so only control flow needs a stack. [`super::ops`] describes how values are stored
//! in registers.
//!
//! **Masks.** Most instructions compute all lanes, active or not: the value of an inactive lane in a
//! temporary is dead. Only instructions whose effects outlive a statement respect the mask of active lanes:
//! stores, atomics, and function results.
//!
//! **Control flow** stays structured. `If`, `Loop`, `Switch` and `Call` push a frame with the lanes that wait
//! and the instruction at which they resume. Whatever empties the mask jumps to the resume instruction of the
//! innermost frame. This instruction is always one of `Else`, `EndIf`, `Continuing`, `Back`, `Case`,
//! `EndSwitch` and `FunctionEnd`.

use super::ops::matrix;
use crate::ir::access::{Action, Extent};
use crate::ir::barrier;
use crate::ir::claims::Claim;
use crate::ir::memory::{MemoryId, Space};
use crate::ir::sites::SiteId;
use crate::points::Counter;
use crate::source_map::Span;
use half::f16;
use naga::{
    AtomicFunction, BinaryOperator, CollectiveOperation, GatherMode, ImageDimension, MathFunction,
    RelationalFunction, Scalar, ScalarKind, StorageFormat, UnaryOperator,
};

/// The number of a register.
pub type Register = u32;

/// The index of an instruction.
pub type Pc = u32;

/// Consecutive registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first register.
    pub start: Register,
    /// Number of registers.
    pub count: u32,
}

impl Range {
    /// No registers.
    pub const NONE: Self = Self { start: 0, count: 0 };

    /// Returns the range as a range of indices.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// One instruction of a subgroup.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// Copies registers, in all lanes.
    Copy { to: Range, from: Register },
    /// Copies registers, in the active lanes.
    Assign { to: Range, from: Register },
    /// Sets registers to zero, in all lanes.
    Clear { to: Range },
    /// Applies a binary operator by component.
    Binary { op: BinaryOperator, scalar: Scalar, out: Range, left: Range, right: Range },
    /// Applies a unary operator by component.
    Unary { op: UnaryOperator, scalar: Scalar, out: Range, operand: Register },
    /// Performs a computation, given by its index into [`Code::computations`].
    Compute { index: u32 },
    /// Performs an operation among the active lanes, given by its index into [`Code::subgroup_steps`].
    Subgroup { index: u32 },
    /// Performs an operation on a texture, given by its index into [`Code::image_steps`].
    Image { index: u32 },
    /// Reads the length of a runtime-sized array, given by its index into [`Code::lengths`].
    Length { to: Register, length: u32 },

    /// Computes `to = offset + index · stride` and checks the index.
    Address { to: Register, index: Register, stride: u32, offset: u32, check: u32 },
    /// Computes `to = base + index · stride` and checks the index.
    AddressFrom { to: Register, base: Register, index: Register, stride: u32, check: u32 },
    /// Computes `to = base + offset`.
    Offset { to: Register, base: Register, offset: u32 },
    /// Copies from the registers whose numbers are in `address`, in all lanes.
    Gather { to: Range, address: Register },
    /// Copies to the registers whose numbers are in `address`, in the active lanes.
    Scatter { address: Register, from: Range },

    /// Reads memory.
    Load { to: Register, address: Register, access: u32 },
    /// Writes memory.
    Store { address: Register, from: Register, access: u32 },
    /// Performs an atomic read-modify-write.
    Atomic { to: Option<Register>, address: Register, operation: u32 },

    /// Splits the lanes by a condition; the others wait for `Else`.
    If { condition: Register, otherwise: Pc },
    /// Ends the first arm of an `if`: the waiting lanes run.
    Else { end: Pc },
    /// Joins all lanes of an `if`.
    EndIf,
    /// Enters a loop.
    Loop { continuing: Pc, site: SiteId },
    /// Ends the loop body: lanes that executed `Continue` join.
    Continuing { back: Pc },
    /// Makes lanes whose condition equals `holds` leave the loop.
    BreakIf { condition: Register, holds: bool },
    /// Starts another iteration if a lane remains in the loop; otherwise leaves the loop with all lanes that
    /// broke out.
    Back { start: Pc },
    /// Takes this many steps in place of code that is known to take no more and to have no effect. Only in
    /// slices.
    Pass { steps: u32 },
    /// Enters a `switch`: writes the index of each lane's case to `chosen`.
    Switch { selector: Register, chosen: Register, table: u32, first: Pc },
    /// Starts the case of this index, with the lanes that chose it and those that fall through.
    Case { chosen: Register, index: u32, falls: bool, next: Pc },
    /// Joins all lanes of a `switch`.
    EndSwitch,
    /// Makes the active lanes leave the innermost loop or switch.
    Break,
    /// Moves the active lanes to the continuing block of the innermost loop.
    Continue,
    /// Calls a helper function, whose arguments are already in place.
    Call { function: Pc, end: Pc },
    /// Makes the active lanes return.
    Return { site: SiteId },
    /// Joins all lanes of a call at its caller. At the end of the entry point, the lanes are done.
    FunctionEnd,
    /// A control barrier, by index into [`Code::barriers`].
    Barrier { index: u32 },
    /// Checks a claim of the source, given by its index into [`Code::claims`]. Takes no step.
    Claim { index: u32 },
    /// Counts executions, by index into [`Code::counting`]. Only in code that is lowered for counting.
    Count { index: u32 },
    /// A memory barrier, by index into [`Code::fences`]. Takes no step.
    Fence { index: u32 },
}

/// A lowered entry point.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// For each instruction, the innermost site that it belongs to.
    pub(super) places: Vec<SiteId>,
    pub(super) start: Pc,
    pub(super) registers: u32,
    /// Registers that never change, and their values.
    pub(super) constants: Vec<(Register, u32)>,
    /// Registers that are set once when a subgroup starts.
    pub(super) builtins: Vec<(naga::BuiltIn, Register)>,
    pub(super) accesses: Vec<MemoryAccess>,
    pub(super) atomics: Vec<AtomicOperation>,
    pub(super) checks: Vec<Check>,
    pub(super) claims: Vec<ResultClaim>,
    pub(super) lengths: Vec<Length>,
    pub(super) switches: Vec<SwitchTable>,
    pub(super) barriers: Vec<Barrier>,
    pub(super) fences: Vec<Fence>,
    pub(super) counting: Vec<CountingEvent>,
    pub(super) computations: Vec<Computation>,
    pub(super) subgroup_steps: Vec<SubgroupStep>,
    pub(super) image_steps: Vec<ImageStep>,
    /// Global variables bound to buffers, in the order by which accesses refer to them.
    pub(super) buffers: Vec<BufferUse>,
    /// Global variables bound to textures, in the order by which image steps refer to them.
    pub(super) textures: Vec<TextureUse>,
    /// Global variables bound to samplers, in the order by which image steps refer to them.
    pub(super) samplers: Vec<SamplerUse>,
    /// Workgroup variables, in the order by which accesses refer to them, with their sizes in bytes.
    pub(super) workgroup_variables: Vec<(MemoryId, u32)>,
    pub(super) workgroup_size: [u32; 3],
    /// Number of sites of the program.
    pub(super) sites: usize,
}

impl Code {
    /// Returns the number of invocations of a workgroup.
    pub fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// Returns the workgroup size.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// Returns whether invocations of a subgroup exchange values.
    pub fn uses_subgroups(&self) -> bool {
        !self.subgroup_steps.is_empty()
    }

    /// Returns whether invocations can distinguish themselves from others.
    pub fn reads_ids(&self) -> bool {
        !self.builtins.is_empty()
    }

    /// Returns the names of the storage textures that the code may write.
    pub fn written_textures(&self) -> impl Iterator<Item = &str> {
        self.textures.iter().filter(|used| used.writable).map(|used| used.name.as_str())
    }

    /// Returns whether the code has a 64-bit atomic operation.
    pub fn has_wide_atomics(&self) -> bool {
        self.atomics.iter().any(|atomic| atomic.scalar.width == 8)
    }

    /// Returns the sites of accesses to memory that the code may write.
    pub fn shared_sites(&self) -> impl Iterator<Item = SiteId> {
        let is_shared = |access: &&MemoryAccess| match access.memory {
            MemoryRef::Buffer(buffer) => self.buffers[buffer as usize].writable,
            MemoryRef::Workgroup(_) => true,
        };
        self.accesses
            .iter()
            .filter(is_shared)
            .filter_map(|access| Some(access.event.as_ref()?.site))
    }

    /// Returns the same code without pairs of accesses: each access is shown by itself.
    #[must_use]
    pub fn without_pairs(mut self) -> Self {
        for event in self.accesses.iter_mut().filter_map(|access| access.event.as_mut()) {
            event.pairing = Pairing::Alone;
        }
        self
    }

    /// Returns the claim with this number and its span.
    pub fn claim(&self, number: u32) -> Option<(Claim, Span)> {
        self.claims.get(number as usize).map(|claimed| (claimed.claim, claimed.span))
    }
}

/// A buffer that the code uses.
#[derive(Clone, Debug)]
pub struct BufferUse {
    /// The memory.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
    /// Whether the code may write it.
    pub writable: bool,
}

/// A texture that the code uses.
#[derive(Clone, Debug)]
pub struct TextureUse {
    /// The memory.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
    /// The declared dimension.
    pub dim: ImageDimension,
    /// The format of a storage texture.
    pub format: Option<StorageFormat>,
    /// Whether the code may write it.
    pub writable: bool,
}

/// A sampler that the code uses.
#[derive(Clone, Debug)]
pub struct SamplerUse {
    /// The memory.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
}

/// The representation of one scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// This many whole words, each in a register of its own.
    Words(u32),
    /// Two bytes, sign-extended.
    I16,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, an `f16` that a register holds as `f32`.
    F16,
    /// One byte, 0 or 1.
    Bool,
}

impl Leaf {
    /// Returns the number of bytes of the scalar, or of each word of a run.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Words(_) => 4,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::Bool => 1,
        }
    }

    /// Returns the mask of the scalar's bits, at the low end.
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }

    /// Returns the number of registers.
    pub const fn registers(self) -> u32 {
        match self {
            Self::Words(count) => count,
            Self::I16 | Self::U16 | Self::F16 | Self::Bool => 1,
        }
    }

    /// Returns the bits in memory of a scalar that a register holds.
    #[inline(always)]
    pub fn encode(self, value: u32) -> u32 {
        match self {
            Self::F16 => f16::from_f32(f32::from_bits(value)).to_bits().into(),
            Self::I16 | Self::U16 | Self::Bool | Self::Words(_) => value & self.mask(),
        }
    }
}

/// A scalar or a run of words that an access loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Byte offset from the address.
    pub offset: u32,
    /// The register, relative to the first one of the value.
    pub register: u32,
    /// The representation.
    pub leaf: Leaf,
}

/// The memory that an access refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryRef {
    /// A buffer, by index into [`Code::buffers`].
    Buffer(u32),
    /// A workgroup variable, by index into [`Code::workgroup_variables`].
    Workgroup(u32),
}

/// A load, store or atomic operation on memory that invocations share.
#[derive(Clone, Debug)]
pub struct MemoryAccess {
    /// The memory.
    pub memory: MemoryRef,
    /// The parts that are loaded or stored.
    pub parts: Box<[Part]>,
    /// The event that observers see; `None` for uniforms and accesses without a site.
    pub event: Option<AccessEvent>,
}

/// A read and a write of the same granules by the same lanes, with no barrier and no other control flow path
/// between them. Both are shown to the watcher. A watcher that only detects races may handle both when it
/// sees the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// No paired instruction is known.
    #[default]
    Alone,
    /// These are reads, and the writes follow at this site.
    BeforeWrite(SiteId),
    /// These are writes, and the reads were shown at this site.
    AfterRead(SiteId),
}

/// An access as an observer sees it.
#[derive(Clone, Debug)]
pub struct AccessEvent {
    pub site: SiteId,
    pub action: Action,
    pub space: Space,
    pub commutes: bool,
    /// The register with the address of the observed bytes.
    pub address: Register,
    /// The observed bytes, relative to the address.
    pub extent: Box<[Extent]>,
    /// Whether another access is paired with this one. Can be ignored when single invocations are run.
    pub pairing: Pairing,
}

/// An atomic read-modify-write.
#[derive(Clone, Debug)]
pub struct AtomicOperation {
    /// Index into [`Code::accesses`].
    pub access: u32,
    pub function: AtomicFunction,
    pub scalar: Scalar,
    pub value: Register,
    pub compare: Option<Register>,
}

/// A bounds check of an index: the limit, and what to report if the index exceeds it.
#[derive(Clone, Debug)]
pub struct Check {
    /// Index into [`Code::lengths`].
    pub length: u32,
    /// Whether the index is an `i32`.
    pub signed: bool,
    /// The site of the access that the index belongs to.
    pub site: SiteId,
    pub span: Span,
    /// The memory; `None` for registers.
    pub memory: Option<MemoryId>,
    /// Index into [`Code::buffers`], for buffers.
    pub buffer: Option<u32>,
}

/// A claim of the source about an operator's result.
#[derive(Clone, Copy, Debug)]
pub struct ResultClaim {
    pub claim: Claim,
    pub op: BinaryOperator,
    /// The scalar type of the operands.
    pub scalar: Scalar,
    pub left: Range,
    pub right: Range,
    pub result: Range,
    /// The span of the claim.
    pub span: Span,
}

/// A number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// A number known at compile time.
    Fixed(u32),
    /// The length of a runtime-sized array that starts at `offset` in a buffer.
    Runtime { buffer: u32, offset: u32, stride: u32 },
}

/// The cases that a selector chooses.
#[derive(Clone, Debug, Default)]
pub struct SwitchTable {
    /// Values of the selector, each with its case.
    pub values: Vec<(u32, u32)>,
    pub default: u32,
}

/// A control barrier.
#[derive(Clone, Copy, Debug)]
pub struct Barrier {
    pub does: barrier::Barrier,
    pub site: SiteId,
}

/// A memory barrier, which orders the accesses of one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The memory classes that it names.
    pub memory: naga::Barrier,
    /// The barrier's site; [`SiteId::NONE`] if it has none.
    pub site: SiteId,
}

/// What is counted for the active lanes.
#[derive(Clone, Copy, Debug)]
pub enum CountingEvent {
    /// That the lanes reach this point.
    Reached(Counter),
    /// The result of a condition. A vector counts for `yes` if any component is true, and for `no` unless all
    /// are true.
    Either { condition: Range, yes: Option<Counter>, no: Option<Counter> },
    /// One more iteration of a loop, in this register; the count stops at two.
    Iteration { iterations: Register },
    /// That a loop is left: the first of three counters after no iteration, the second after one, the third
    /// after more.
    LoopExit { iterations: Register, first: Counter },
    /// That the lanes reach the barrier with this number.
    Visit { barrier: u32 },
}

/// A pure computation other than an operator.
#[derive(Clone, Copy, Debug)]
pub struct Computation {
    pub operation: Operation,
    pub out: Range,
    /// The operands that the operation takes; the rest are empty.
    pub operands: [Range; 4],
}

/// The operation of a [`Computation`].
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// `select`. The operands are condition, accept and reject.
    Select(Scalar),
    Convert {
        from: Scalar,
        to: Scalar,
    },
    Bitcast {
        from: Scalar,
        to: ScalarKind,
    },
    Relational(RelationalFunction, Scalar),
    /// A product of matrices or of a matrix and a vector.
    Multiply(Scalar, matrix::Shape, matrix::Shape),
    Transpose(Scalar, matrix::Shape),
    /// Any other built-in function; the type is that of the first argument.
    Math(MathFunction, Scalar),
}

/// An operation among the lanes of a subgroup.
#[derive(Clone, Copy, Debug)]
pub struct SubgroupStep {
    pub operation: SubgroupOperation,
    pub out: Range,
    /// Empty for a ballot without a predicate.
    pub operand: Range,
}

/// The operation of a [`SubgroupStep`].
#[derive(Clone, Copy, Debug)]
pub enum SubgroupOperation {
    Ballot,
    Gather(GatherMode, Option<Register>),
    Collective(naga::SubgroupOperation, CollectiveOperation, Scalar),
}

/// An operation on a texture.
#[derive(Clone, Debug)]
pub struct ImageStep {
    /// Index into [`Code::textures`].
    pub texture: u32,
    /// Empty for queries.
    pub coordinate: Range,
    /// The layer of an arrayed texture, and whether its type is `i32`.
    pub layer: Option<(Register, bool)>,
    pub operation: ImageOperation,
    /// The result, or the value to store.
    pub value: Range,
    /// The site, for accesses to storage textures.
    pub site: Option<(SiteId, Action)>,
}

/// The operation of an [`ImageStep`].
#[derive(Clone, Copy, Debug)]
pub enum ImageOperation {
    Load { sample: Option<Register>, level: Option<Register> },
    Store,
    Atomic { function: AtomicFunction, scalar: Scalar },
    Sample(Sample),
    Size { level: Option<Register> },
    Levels,
    Layers,
    Samples,
}

/// A texture read through a sampler.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Index into [`Code::samplers`].
    pub sampler: u32,
    /// The component of a gather.
    pub gather: Option<u32>,
    pub offset: Range,
    pub level: Level,
    /// The reference value of a comparison.
    pub reference: Option<Register>,
    pub clamp_to_edge: bool,
}

/// The mip level of a sample.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    Zero,
    Float(Register),
    Integer(Register),
    Gradient(Range, Range),
}
