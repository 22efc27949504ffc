//! The flat code that the engine runs: what [`super::lower`] makes of an entry point.
//!
//! **Registers.** A subgroup has a file of registers, each a word for every lane. Every value, every
//! function and private variable and every constant has registers of its own, numbered when the code
//! is made: WGSL has no recursion, so nothing needs a stack but control flow. How a value lies in
//! registers stands in [`super::ops`].
//!
//! **Masks.** Most instructions compute all lanes, active or not: what an inactive lane holds in a
//! temporary is dead. Only what outlives a statement heeds the mask of active lanes: stores,
//! atomics, and results of functions.
//!
//! **Control flow** stays structured. `If`, `Loop`, `Switch` and `Call` push a frame with the
//! lanes that wait there and the instruction that takes them up again, and whatever empties the mask
//! jumps to the innermost frame's instruction. So that instruction is always one of `Else`, `EndIf`,
//! `Continuing`, `Back`, `Case`, `EndSwitch` and `FunctionEnd`.

use super::observer::Pairing;
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
    /// The first.
    pub start: Register,
    /// How many.
    pub count: u32,
}

impl Range {
    /// No registers.
    pub const NONE: Self = Self { start: 0, count: 0 };

    /// As a range of indices.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// One step of a subgroup.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// Copies registers, in all lanes.
    Copy { to: Range, from: Register },
    /// Copies registers, in the active lanes.
    Assign { to: Range, from: Register },
    /// Sets registers to zero, in all lanes.
    Clear { to: Range },
    /// An operator of two operands, by component.
    Binary { op: BinaryOperator, scalar: Scalar, out: Range, left: Range, right: Range },
    /// An operator of one operand, by component.
    Unary { op: UnaryOperator, scalar: Scalar, out: Range, operand: Register },
    /// A computation, by index into [`Code::computations`].
    Compute { index: u32 },
    /// An operation among the active lanes, by index into [`Code::subgroup_steps`].
    Subgroup { index: u32 },
    /// An operation on a texture, by index into [`Code::image_steps`].
    Image { index: u32 },
    /// The length of a runtime-sized array, by index into [`Code::lengths`].
    Length { to: Register, length: u32 },

    /// `to = offset + index · stride`, the index checked.
    Address { to: Register, index: Register, stride: u32, offset: u32, check: u32 },
    /// The same, from a base computed before.
    AddressFrom { to: Register, base: Register, index: Register, stride: u32, check: u32 },
    /// `to = base + offset`.
    Offset { to: Register, base: Register, offset: u32 },
    /// Copies out of the registers whose numbers stand in `address`, in all lanes.
    Gather { to: Range, address: Register },
    /// Copies into the registers whose numbers stand in `address`, in the active lanes.
    Scatter { address: Register, from: Range },

    /// Reads memory.
    Load { to: Register, address: Register, access: u32 },
    /// Writes memory.
    Store { address: Register, from: Register, access: u32 },
    /// An atomic read-modify-write.
    Atomic { to: Option<Register>, address: Register, operation: u32 },

    /// Splits the lanes by a condition; the rest waits for `Else`.
    If { condition: Register, otherwise: Pc },
    /// The first part of an `if` is done: the rest runs.
    Else { end: Pc },
    /// All lanes of an `if` come together.
    EndIf,
    /// Enters a loop.
    Loop { continuing: Pc, site: SiteId },
    /// The body is done: those that continued join.
    Continuing { back: Pc },
    /// Lanes whose condition is `holds` leave the loop.
    BreakIf { condition: Register, holds: bool },
    /// Runs another round of the loop if a lane is left in it, else leaves it with all that broke out.
    Back { start: Pc },
    /// Takes so many steps, of what is known to take no more and to do nothing. Only of slices.
    Pass { steps: u32 },
    /// Enters a `switch`: the case of each lane, by index, is put in `chosen`.
    Switch { selector: Register, chosen: Register, table: u32, first: Pc },
    /// The case of this index begins, with the lanes that chose it and those that fall through.
    Case { chosen: Register, index: u32, falls: bool, next: Pc },
    /// All lanes of a `switch` come together.
    EndSwitch,
    /// Active lanes leave the innermost loop or switch.
    Break,
    /// Active lanes go to the continuing block of the innermost loop.
    Continue,
    /// Calls a helper function: its arguments are in place.
    Call { function: Pc, end: Pc },
    /// Active lanes return.
    Return { site: SiteId },
    /// All lanes of a call come together, at its caller. Of the entry point: they are done.
    FunctionEnd,
    /// A control barrier, by index into [`Code::barriers`].
    Barrier { index: u32 },
    /// Looks whether a claim of the source holds, by index into [`Code::claims`]. Takes no time.
    Claim { index: u32 },
    /// Counts what runs, by index into [`Code::counting`]. Only of code that is lowered to count.
    Count { index: u32 },
    /// Orders memory and waits for nobody, by index into [`Code::fences`]. Takes no time.
    Fence { index: u32 },
}

/// An entry point, lowered.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// For each instruction, the innermost site it belongs to.
    pub(super) places: Vec<SiteId>,
    pub(super) start: Pc,
    pub(super) registers: u32,
    /// Registers that never change, and what they hold.
    pub(super) constants: Vec<(Register, u32)>,
    /// Registers set once when a subgroup starts.
    pub(super) builtins: Vec<(naga::BuiltIn, Register)>,
    pub(super) accesses: Vec<MemoryAccess>,
    pub(super) atomics: Vec<AtomicOperation>,
    pub(super) checks: Vec<Check>,
    pub(super) claims: Vec<Claimed>,
    pub(super) lengths: Vec<Length>,
    pub(super) switches: Vec<SwitchTable>,
    pub(super) barriers: Vec<Barrier>,
    pub(super) fences: Vec<Fence>,
    pub(super) counting: Vec<Counting>,
    pub(super) computations: Vec<Computation>,
    pub(super) subgroup_steps: Vec<SubgroupStep>,
    pub(super) image_steps: Vec<ImageStep>,
    /// Global variables bound to buffers, in the order that accesses name them by.
    pub(super) buffers: Vec<BufferUse>,
    /// Global variables bound to textures, in the order that image steps name them by.
    pub(super) textures: Vec<TextureUse>,
    /// Global variables bound to samplers, likewise.
    pub(super) samplers: Vec<SamplerUse>,
    /// Workgroup variables, in the order that accesses name them by, with their sizes in bytes.
    pub(super) workgroup_variables: Vec<(MemoryId, u32)>,
    pub(super) workgroup_size: [u32; 3],
    /// How many sites the program has.
    pub(super) sites: usize,
}

impl Code {
    /// Invocations of a workgroup.
    pub fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// The workgroup size.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// Whether invocations of a subgroup pass values to each other.
    pub fn uses_subgroups(&self) -> bool {
        !self.subgroup_steps.is_empty()
    }

    /// Whether invocations can tell themselves from others.
    pub fn reads_ids(&self) -> bool {
        !self.builtins.is_empty()
    }

    /// The names of storage textures that it may write.
    pub fn written_textures(&self) -> impl Iterator<Item = &str> {
        self.textures.iter().filter(|used| used.writable).map(|used| used.name.as_str())
    }

    /// Whether some atomic operation is on 64 bits.
    pub fn has_wide_atomics(&self) -> bool {
        self.atomics.iter().any(|atomic| atomic.scalar.width == 8)
    }

    /// The sites of accesses to memory that somebody may write.
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

    /// The same with each access looked at by itself: none that comes with another.
    #[must_use]
    pub fn unpaired(mut self) -> Self {
        for event in self.accesses.iter_mut().filter_map(|access| access.event.as_mut()) {
            event.pairing = Pairing::Alone;
        }
        self
    }

    /// What the source claims at the claim of this number, and where.
    pub fn claim(&self, number: u32) -> Option<(Claim, Span)> {
        self.claims.get(number as usize).map(|claimed| (claimed.claim, claimed.span))
    }
}

/// A buffer that the code uses.
#[derive(Clone, Debug)]
pub struct BufferUse {
    /// Which.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
    /// Whether the code may write it.
    pub writable: bool,
}

/// A texture that the code uses.
#[derive(Clone, Debug)]
pub struct TextureUse {
    /// Which.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
    /// The dimension declared.
    pub dim: ImageDimension,
    /// Of a storage texture: its format.
    pub format: Option<StorageFormat>,
    /// Whether the code may write it.
    pub writable: bool,
}

/// A sampler that the code uses.
#[derive(Clone, Debug)]
pub struct SamplerUse {
    /// Which.
    pub memory: MemoryId,
    /// Its name in the program.
    pub name: String,
}

/// How one scalar lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Whole words, as many as given, each in a register of its own.
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
    /// Bytes of the scalar, or of each word of a run.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Words(_) => 4,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::Bool => 1,
        }
    }

    /// The bits that those take, at the low end.
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }

    /// Registers that it takes.
    pub const fn registers(self) -> u32 {
        match self {
            Self::Words(count) => count,
            Self::I16 | Self::U16 | Self::F16 | Self::Bool => 1,
        }
    }

    /// The bits in memory of a scalar that a register holds.
    #[inline(always)]
    pub fn encoded(self, value: u32) -> u32 {
        match self {
            Self::F16 => f16::from_f32(f32::from_bits(value)).to_bits().into(),
            Self::I16 | Self::U16 | Self::Bool | Self::Words(_) => value & self.mask(),
        }
    }
}

/// A scalar, or a run of words, of what an access loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Byte offset from the address.
    pub offset: u32,
    /// Register, from the first one.
    pub register: u32,
    /// What it is.
    pub leaf: Leaf,
}

/// Which memory an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryRef {
    /// A buffer, by index into [`Code::buffers`].
    Buffer(u32),
    /// A workgroup variable, by index into [`Code::workgroup_variables`].
    Workgroup(u32),
}

/// A load, store or atomic on memory that invocations share.
#[derive(Clone, Debug)]
pub struct MemoryAccess {
    /// Where it is.
    pub memory: MemoryRef,
    /// What is loaded or stored.
    pub parts: Box<[Part]>,
    /// What observers see of it; `None` for uniforms and what has no site.
    pub event: Option<AccessEvent>,
}

/// What an observer sees of an access.
#[derive(Clone, Debug)]
pub struct AccessEvent {
    pub site: SiteId,
    pub action: Action,
    pub space: Space,
    pub commutes: bool,
    /// Holds the address of what is observed.
    pub address: Register,
    /// Relative to that.
    pub extent: Box<[Extent]>,
    /// Whether another access comes with it. Whoever runs single invocations need not care.
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

/// An index to be checked: what it must be less than, and what to say if it is not.
#[derive(Clone, Debug)]
pub struct Check {
    /// Index into [`Code::lengths`].
    pub length: u32,
    /// Whether the index is an `i32`.
    pub signed: bool,
    /// The access it is part of.
    pub site: SiteId,
    pub span: Span,
    /// The memory; `None` for registers.
    pub memory: Option<MemoryId>,
    /// Index into [`Code::buffers`], for those.
    pub buffer: Option<u32>,
}

/// What the source claims of an operator's result.
#[derive(Clone, Copy, Debug)]
pub struct Claimed {
    pub claim: Claim,
    pub op: BinaryOperator,
    /// Of the operands.
    pub scalar: Scalar,
    pub left: Range,
    pub right: Range,
    pub result: Range,
    /// Where it is claimed.
    pub span: Span,
}

/// A number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Known to the program.
    Fixed(u32),
    /// Of a runtime-sized array that starts at `offset` in a buffer.
    Runtime { buffer: u32, offset: u32, stride: u32 },
}

/// Which case a selector chooses.
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

/// A memory barrier: orders the accesses of one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The classes of memory it names.
    pub memory: naga::Barrier,
    /// Where in the program; [`SiteId::NONE`] if that is no site.
    pub site: SiteId,
}

/// What is counted of the active lanes.
#[derive(Clone, Copy, Debug)]
pub enum Counting {
    /// That they are here.
    Here(Counter),
    /// Which way a condition leads them. A vector leads to `yes` by any of its components, and to `no` unless all hold.
    Either { condition: Range, yes: Option<Counter>, no: Option<Counter> },
    /// One more turn of a loop, in this register; two are as good as more.
    Turn { turns: Register },
    /// That the loop is left, in the first of three counters after no turn, in the second after one.
    Left { turns: Register, first: Counter },
    /// That they come to the barrier with this number.
    Visit { barrier: u32 },
}

/// A pure computation that is no operator.
#[derive(Clone, Copy, Debug)]
pub struct Computation {
    pub operation: Operation,
    pub out: Range,
    /// As many as the operation takes; the rest are empty.
    pub operands: [Range; 4],
}

/// See [`Computation`].
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// Condition, accept, reject.
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

/// See [`SubgroupStep`].
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
    /// The layer of an arrayed texture, and whether it is an `i32`.
    pub layer: Option<(Register, bool)>,
    pub operation: ImageOperation,
    /// The result, or for a store the value.
    pub value: Range,
    /// For accesses to storage textures: their site.
    pub site: Option<(SiteId, Action)>,
}

/// See [`ImageStep`].
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
    /// For a gather: of which component.
    pub gather: Option<u32>,
    pub offset: Range,
    pub level: Level,
    /// What to compare with.
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
