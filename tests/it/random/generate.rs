//! Generates a random kernel from a seed. The same seed gives the same kernel in every run.

use super::kernel::{
    AccessMode, Atomic, Class, Grid, Guard, Index, Kernel, Memory, Part, Shape, Space, Step, Touch,
};
use hirace::raw::random;

/// Choices from a stream of random numbers. Failing kernels are identified by their seeds, so the reduction of a number to a
/// range (the remainder) must never change.
pub struct Random(random::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(random::Random::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        (self.bits() % u64::from(end)) as u32
    }

    /// Returns true in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u32) as usize]
    }
}

/// Returns the kernel of this seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let grid = grid(&mut random);
    let cast_size = 1 + random.below(3);
    let cast = (0..cast_size).map(|_| memory(&mut random)).collect();
    // Most accesses are to the invocation's own element. Otherwise all kernels would be racy.
    let strays = *random.pick(&[5, 20, 45, 60]);
    let wild = random.chance(8);
    let mut generator = Generator { random, grid, cast, strays, wild };
    let steps = 2 + generator.random.below(6);
    let body = generator.steps(steps, 0);
    Kernel { grid, body }
}

fn grid(random: &mut Random) -> Grid {
    let subgroup_size = 1 << random.below(4);
    let workgroup_size = *random.pick(&[4, 6, 8, 16]);
    Grid { workgroups: 1 + random.below(3), workgroup_size, subgroup_size }
}

fn memory(random: &mut Random) -> Memory {
    use Shape::{
        AtomicI, AtomicTexel, AtomicU, Matrix, Nested, PaddedVector, Record, Scalar, Texel, Vector,
    };
    let space = *random.pick(&[
        Space::Storage,
        Space::Storage,
        Space::Workgroup,
        Space::Workgroup,
        Space::Texture,
    ]);
    let shape = match space {
        Space::Texture => *random.pick(&[Texel, Texel, AtomicTexel]),
        _ => *random.pick(&[
            Scalar,
            Scalar,
            Vector,
            PaddedVector,
            Matrix,
            Record,
            Record,
            Nested,
            AtomicU,
            AtomicU,
            AtomicI,
        ]),
    };
    Memory { space, shape }
}

struct Generator {
    random: Random,
    grid: Grid,
    cast: Vec<Memory>,
    /// The percentage of accesses that may be to elements of other invocations.
    strays: u32,
    /// Whether control flow and addresses may depend on data.
    wild: bool,
}

impl Generator {
    fn steps(&mut self, count: u32, depth: u32) -> Vec<Step> {
        (0..count).map(|_| self.step(depth)).collect()
    }

    fn step(&mut self, depth: u32) -> Step {
        match self.random.below(100) {
            0..45 => Step::Touch(self.touch()),
            45..67 => Step::Barrier(self.class()),
            67..71 => Step::UniformLoad(self.random.below(4)),
            71..83 => {
                let guard = self.guard();
                Step::Guard(guard, self.touches())
            }
            83..88 => Step::Helper(self.touches()),
            88..94 if depth == 0 => {
                let group = self.random.below(self.grid.workgroups);
                let count = 1 + self.random.below(3);
                Step::InGroup(group, self.steps(count, 1))
            }
            94..100 if depth == 0 => {
                let count = 1 + self.random.below(3);
                // Sometimes more iterations than a narrow clock can count.
                let times = *self.random.pick(&[2, 2, 3, 3, 12]);
                Step::Repeat(times, self.steps(count, 1))
            }
            _ => Step::Touch(self.touch()),
        }
    }

    /// Returns a barrier class, preferably one that orders the memory of this kernel.
    fn class(&mut self) -> Class {
        match self.random.below(100) {
            0..25 => return *self.random.pick(&Class::ALL),
            25..40 if self.grid.subgroup_size > 1 => return Class::Subgroup,
            _ => {}
        }
        match self.random.pick(&self.cast).space {
            Space::Storage => Class::Storage,
            Space::Workgroup => Class::Workgroup,
            Space::Texture => Class::Texture,
        }
    }

    fn guard(&mut self) -> Guard {
        if self.wild && self.random.chance(50) {
            return Guard::Data(*self.random.pick(&[Space::Storage, Space::Workgroup]));
        }
        match self.random.below(4) {
            0 => Guard::EvenLane,
            1 => Guard::LaneIs(self.random.below(self.grid.workgroup_size)),
            2 => Guard::LaneBelow(1 + self.random.below(self.grid.workgroup_size)),
            _ => Guard::OddGroup,
        }
    }

    fn touches(&mut self) -> Vec<Touch> {
        let count = 1 + self.random.below(2);
        (0..count).map(|_| self.touch()).collect()
    }

    fn touch(&mut self) -> Touch {
        let memory = *self.random.pick(&self.cast);
        let how = self.how(memory.shape);
        let index = self.index(memory.space);
        let part = match self.random.below(4) {
            0 => Part::All,
            1 => Part::Fixed(self.random.below(12)),
            2 => Part::Inner(self.random.below(12), self.random.below(12)),
            _ => Part::ByLane,
        };
        Touch { memory, index, part, how, through_pointer: self.random.chance(15) }
    }

    fn how(&mut self, shape: Shape) -> AccessMode {
        match shape {
            Shape::AtomicTexel => {
                AccessMode::Atomic(*self.random.pick(&[Atomic::Count, Atomic::Max]))
            }
            _ if shape.is_atomic() && self.random.chance(25) => {
                *self.random.pick(&[AccessMode::Read, AccessMode::Write])
            }
            _ if shape.is_atomic() => AccessMode::Atomic(*self.random.pick(&Atomic::ALL)),
            _ => *self.random.pick(&[
                AccessMode::Read,
                AccessMode::Read,
                AccessMode::Write,
                AccessMode::Write,
                AccessMode::Update,
            ]),
        }
    }

    fn index(&mut self, space: Space) -> Index {
        if self.wild && self.random.chance(15) {
            return Index::Data(*self.random.pick(&[Space::Storage, Space::Workgroup]));
        }
        if !self.random.chance(self.strays) {
            return if space == Space::Workgroup { Index::Lane } else { Index::Global };
        }
        match self.random.below(11) {
            0 => Index::Constant(self.random.below(4)),
            1 => Index::Lane,
            2 => Index::Global,
            3 => Index::Neighbor(1 + self.random.below(4)),
            4 => Index::GlobalNeighbor(1 + self.random.below(4)),
            5 => Index::Shared(1 + self.random.below(2)),
            6 => Index::Mirror,
            7 => Index::Group,
            8 => Index::Subgroup,
            9 => Index::Iteration,
            _ => Index::LanePlusIteration,
        }
    }
}
