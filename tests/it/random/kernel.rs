//! The description of a random kernel before it is printed: small enough to be judged by hand-written rules ([`super::model`]),
//! rich enough that its text uses every kind of access.

/// A kernel and the launch it is run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub grid: Grid,
    pub body: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub workgroups: u32,
    pub workgroup_size: u32,
    pub subgroup_size: u32,
}

impl Grid {
    pub fn invocations(self) -> u32 {
        self.workgroups * self.workgroup_size
    }
}

/// A statement that all invocations of a workgroup execute, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Touch(Touch),
    Barrier(Class),
    /// `workgroupUniformLoad` of this element of the workgroup's scalars.
    UniformLoad(u32),
    /// `if` around touches, without a barrier inside, so it may be divergent.
    Guard(Guard, Vec<Touch>),
    /// `if (group == n)`: uniform in each workgroup, so barriers are allowed inside.
    InGroup(u32, Vec<Step>),
    /// `for` with a constant bound.
    Repeat(u32, Vec<Step>),
    /// Touches in a separate function.
    Helper(Vec<Touch>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Workgroup,
    Storage,
    Texture,
    Subgroup,
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Workgroup, Self::Storage, Self::Texture, Self::Subgroup];
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    EvenLane,
    LaneIs(u32),
    LaneBelow(u32),
    OddGroup,
    /// Depends on memory that may race: the path depends on the schedule.
    Data(Space),
}

/// One access (or, for [`AccessMode::Update`], a read and a write) to one element of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub memory: Memory,
    pub index: Index,
    pub part: Part,
    pub how: AccessMode,
    /// Through `let p = &…;`, where the language allows that.
    pub through_pointer: bool,
}

/// A variable: one for each space and shape, declared if it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory {
    pub space: Space,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Storage,
    Workgroup,
    Texture,
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// `u32`
    Scalar,
    /// `vec4<u32>`
    Vector,
    /// `vec3<u32>`: three words and one of padding
    PaddedVector,
    /// `mat2x3<f32>`: padded columns
    Matrix,
    /// A struct with a scalar, a vector and an array, and padding between them
    Record,
    /// `array<u32, 3>`
    Nested,
    /// `atomic<u32>`
    AtomicU,
    /// `atomic<i32>`
    AtomicI,
    /// A texel of a `r32uint` texture
    Texel,
    /// A texel of an atomic one
    AtomicTexel,
}

/// The part of the element that is touched. Numbers are taken modulo the number of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    /// A component, column, member or item, selected by a constant.
    Fixed(u32),
    /// A component of a part: `m[c][r]`, `s.pos.x`, `s.tail[i]`.
    Inner(u32, u32),
    /// A component or item selected by the invocation's own index.
    ByLane,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// A plain read. Of an atomic: in the form to which languages lower it that allow plain accesses to atomics, in which the
    /// text has an atomic load and the source map marks it as plain.
    Read,
    /// A plain write; see [`AccessMode::Read`] for atomics.
    Write,
    /// `x += …`
    Update,
    Atomic(Atomic),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atomic {
    Load,
    Store,
    Add,
    /// `atomicAdd` whose result is not used.
    Count,
    Max,
    Exchange,
    CompareExchange,
}

impl Atomic {
    pub const ALL: [Self; 7] = [
        Self::Load,
        Self::Store,
        Self::Add,
        Self::Count,
        Self::Max,
        Self::Exchange,
        Self::CompareExchange,
    ];
}

/// The index of the element, relative to the invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    Constant(u32),
    Lane,
    Global,
    /// The lane at this distance, modulo the workgroup size.
    Neighbor(u32),
    /// The invocation at this distance, modulo the size of the dispatch.
    GlobalNeighbor(u32),
    /// Several lanes share one: `lane >> n`.
    Shared(u32),
    Mirror,
    Group,
    Subgroup,
    /// The iteration of the enclosing loop; 0 outside of any.
    Iteration,
    LanePlusIteration,
    /// Read from memory that may race.
    Data(Space),
}

/// The number of elements of every variable: more than there are invocations, so that no index is out of bounds.
pub const ELEMENTS: u32 = 64;

/// Width of the textures, whose texels are the elements in rows.
pub const TEXTURE_WIDTH: u32 = 8;

impl Memory {
    /// Returns the variable's name.
    pub fn name(self) -> &'static str {
        match (self.space, self.shape) {
            (Space::Storage, Shape::Scalar) => "storage_scalars",
            (Space::Storage, Shape::Vector) => "storage_vectors",
            (Space::Storage, Shape::PaddedVector) => "storage_padded",
            (Space::Storage, Shape::Matrix) => "storage_matrices",
            (Space::Storage, Shape::Record) => "storage_records",
            (Space::Storage, Shape::Nested) => "storage_nested",
            (Space::Storage, Shape::AtomicU) => "storage_counters",
            (Space::Storage, _) => "storage_signed_counters",
            (Space::Workgroup, Shape::Scalar) => "tile_scalars",
            (Space::Workgroup, Shape::Vector) => "tile_vectors",
            (Space::Workgroup, Shape::PaddedVector) => "tile_padded",
            (Space::Workgroup, Shape::Matrix) => "tile_matrices",
            (Space::Workgroup, Shape::Record) => "tile_records",
            (Space::Workgroup, Shape::Nested) => "tile_nested",
            (Space::Workgroup, Shape::AtomicU) => "tile_counters",
            (Space::Workgroup, _) => "tile_signed_counters",
            (Space::Texture, Shape::AtomicTexel) => "atomic_image",
            (Space::Texture, _) => "image",
        }
    }

    /// Returns every variable.
    pub fn all() -> Vec<Self> {
        use Shape::{AtomicI, AtomicU, Matrix, Nested, PaddedVector, Record, Scalar, Vector};
        let shapes = [Scalar, Vector, PaddedVector, Matrix, Record, Nested, AtomicU, AtomicI];
        let buffers = [Space::Storage, Space::Workgroup]
            .into_iter()
            .flat_map(|space| shapes.map(|shape| Self { space, shape }));
        let textures =
            [Shape::Texel, Shape::AtomicTexel].map(|shape| Self { space: Space::Texture, shape });
        buffers.chain(textures).collect()
    }

    pub const fn scalars(space: Space) -> Self {
        Self { space, shape: Shape::Scalar }
    }
}

impl Shape {
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicU | Self::AtomicI | Self::AtomicTexel)
    }

    /// Returns the number of words from one element to the next.
    pub fn stride(self) -> u32 {
        match self {
            Self::Scalar | Self::AtomicU | Self::AtomicI | Self::Texel | Self::AtomicTexel => 1,
            Self::Vector | Self::PaddedVector => 4,
            Self::Nested => 3,
            Self::Matrix | Self::Record => 8,
        }
    }

    /// Returns the words of an element that hold a value.
    pub fn words(self) -> &'static [u32] {
        match self {
            Self::Scalar | Self::AtomicU | Self::AtomicI | Self::Texel | Self::AtomicTexel => &[0],
            Self::Vector => &[0, 1, 2, 3],
            Self::PaddedVector | Self::Nested => &[0, 1, 2],
            Self::Matrix => &[0, 1, 2, 4, 5, 6],
            Self::Record => &[0, 2, 3, 4, 5, 6],
        }
    }
}

impl Touch {
    /// Returns whether the touch is plain, though its text is an atomic operation.
    pub fn is_plain_access_of_atomic(self) -> bool {
        self.memory.shape.is_atomic() && !matches!(self.how, AccessMode::Atomic(_))
    }

    /// Returns whether the touched element depends on memory that may race.
    pub fn depends_on_data(self) -> bool {
        matches!(self.index, Index::Data(_))
    }
}

impl Kernel {
    /// Returns every touch of the kernel, in the order of its text.
    pub fn touches(&self) -> Vec<Touch> {
        self.numbered().into_iter().flatten().collect()
    }

    /// Returns what the model and the printer number, in their order: touches, and `None` for a uniform load.
    pub fn numbered(&self) -> Vec<Option<Touch>> {
        fn go(steps: &[Step], found: &mut Vec<Option<Touch>>) {
            for step in steps {
                match step {
                    Step::Touch(touch) => found.push(Some(*touch)),
                    Step::UniformLoad(_) => found.push(None),
                    Step::Guard(_, touches) | Step::Helper(touches) => {
                        found.extend(touches.iter().copied().map(Some));
                    }
                    Step::InGroup(_, steps) | Step::Repeat(_, steps) => go(steps, found),
                    Step::Barrier(_) => {}
                }
            }
        }
        let mut found = Vec::new();
        go(&self.body, &mut found);
        found
    }

    /// Returns every step, outer ones first.
    pub fn steps(&self) -> Vec<&Step> {
        fn go<'a>(steps: &'a [Step], found: &mut Vec<&'a Step>) {
            for step in steps {
                found.push(step);
                if let Step::InGroup(_, inner) | Step::Repeat(_, inner) = step {
                    go(inner, found);
                }
            }
        }
        let mut found = Vec::new();
        go(&self.body, &mut found);
        found
    }

    /// Returns whether control flow or addresses depend on memory that may race, so that only a trace can be judged.
    pub fn depends_on_data(&self) -> bool {
        self.touches().iter().any(|touch| touch.depends_on_data())
            || self.steps().iter().any(|step| matches!(step, Step::Guard(Guard::Data(_), _)))
    }
}
