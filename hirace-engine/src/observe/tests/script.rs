//! Random dispatches, shown to observers directly: accesses and barriers.
//!
//! A script is decoded from arbitrary numbers, so that proptest can shrink it and a loop can generate
//! thousands.

use crate::ir::access::{Action, Extent};
use crate::ir::sites::SiteId;
use crate::observe::clocks::Clocks;
use crate::observe::events::events;
use crate::observe::history::race;
use crate::observe::trace::Event;
use crate::observe::{Layout, MemoryLayout, Shape};
use crate::random::Random;
use crate::vm::observer::{Accesses, MemoryId, Observer, Pairing, Space, Watcher};
use naga::Barrier;

/// A dispatch.
#[derive(Clone, Debug)]
pub struct Script {
    pub shape: Shape,
    pub steps: Vec<Step>,
}

/// One step of one workgroup.
#[derive(Clone, Debug)]
pub enum Step {
    Access(u32, Access),
    Barrier(u32, Barrier),
    SubgroupBarrier(u32, u32),
    Diverge(u32),
}

/// An instruction's accesses.
#[derive(Clone, Debug)]
pub struct Access {
    pub subgroup: u32,
    pub site: SiteId,
    pub action: Action,
    pub memory: MemoryId,
    pub mask: u64,
    pub offsets: Vec<u32>,
    pub extent: Vec<Extent>,
}

/// The site of all barriers.
const BARRIER: SiteId = SiteId(100);

const SPACES: [Space; 4] = [Space::Storage, Space::Workgroup, Space::Texture, Space::Storage];

/// Returns the memories that scripts access; the last one holds 16-bit scalars.
pub fn layout() -> Layout {
    let memory = |space, granule_shift, bytes| Some(MemoryLayout { space, granule_shift, bytes });
    let memories = vec![
        memory(Space::Storage, 2, 20),
        memory(Space::Workgroup, 2, 12),
        memory(Space::Texture, 2, 8),
        memory(Space::Storage, 1, 10),
        None,
    ];
    Layout::of(memories)
}

/// Extracts small numbers from a large one.
struct Digits(u64);

impl Digits {
    fn below(&mut self, n: u64) -> u32 {
        let digit = self.0 % n;
        self.0 /= n;
        digit as u32
    }
}

impl Script {
    /// Decodes numbers: the first determines the kind of script, the others are its steps.
    pub fn decode(kind: u64, steps: &[u64]) -> Self {
        let mut digits = Digits(kind);
        let subgroup_size = [2, 4, 1, 2, 2][digits.below(5) as usize];
        let shape = Shape {
            workgroups: [1, 2, 2, 3][digits.below(4) as usize],
            workgroup_size: [2, 3, 4, 4, 5, 8][digits.below(6) as usize],
            subgroup_size,
        };
        // The most frequent action on each memory.
        let habits: Vec<u32> = SPACES.iter().map(|_| digits.below(6)).collect();
        let mut so_far = Log::new(shape);
        let careless = digits.below(4) == 0;
        let careful = if careless { 0 } else { 3 * steps.len() / 4 };
        let steps = steps.iter().map(|word| step(shape, &habits, Digits(*word))).enumerate();
        let steps =
            steps.filter_map(|(i, step)| (so_far.add(&step) || i >= careful).then_some(step));
        Self { shape, steps: steps.collect() }
    }

    /// Returns the script with this number in a fixed sequence.
    pub fn numbered(number: u64) -> Self {
        let mut random = Random::new(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let kind = random.bits();
        let steps: Vec<u64> = (0..2 + random.bits() % 100).map(|_| random.bits()).collect();
        Self::decode(kind, &steps)
    }

    /// Returns whether an invocation misses a barrier.
    pub fn diverges(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Diverge(_)))
    }

    /// Passes the script to an observer, in order.
    pub fn drive(&self, observer: &impl Observer) {
        let mut watchers: Vec<_> = (0..self.shape.workgroups).map(|w| observer.watch(w)).collect();
        for step in &self.steps {
            step.show(&mut watchers[step.workgroup() as usize], self.shape);
        }
    }

    /// Passes the script to an observer, with one thread per workgroup.
    pub fn drive_in_parallel(&self, observer: &impl Observer) {
        std::thread::scope(|scope| {
            for workgroup in 0..self.shape.workgroups {
                scope.spawn(move || {
                    let mut watcher = observer.watch(workgroup);
                    for step in self.steps.iter().filter(|s| s.workgroup() == workgroup) {
                        step.show(&mut watcher, self.shape);
                    }
                });
            }
        });
    }
}

/// The state of a script so far.
struct Log {
    shape: Shape,
    clocks: Vec<Clocks>,
    events: Vec<Event>,
}

impl Log {
    fn new(shape: Shape) -> Self {
        let clocks = vec![Clocks::default(); shape.workgroups as usize];
        Self { shape, clocks, events: Vec::new() }
    }

    /// Adds a step, unless it races.
    fn add(&mut self, step: &Step) -> bool {
        let clocks = &mut self.clocks[step.workgroup() as usize];
        match step {
            Step::Access(workgroup, access) => {
                let accesses = access.seen(self.shape);
                let before = self.events.len();
                for event in events(&layout(), clocks, *workgroup, &accesses) {
                    if self.events.iter().any(|earlier| race(earlier, &event)) {
                        self.events.truncate(before);
                        return false;
                    }
                    self.events.push(event);
                }
            }
            Step::Barrier(_, barrier) => clocks.barrier(BARRIER, (*barrier).into()),
            Step::SubgroupBarrier(_, subgroup) => {
                clocks.subgroup_barrier(*subgroup, Barrier::SUB_GROUP.into())
            }
            Step::Diverge(_) => {}
        }
        true
    }
}

fn step(shape: Shape, habits: &[u32], mut digits: Digits) -> Step {
    let workgroup = digits.below(u64::from(shape.workgroups));
    let subgroups = shape.workgroup_size.div_ceil(shape.subgroup_size);
    let subgroup = digits.below(u64::from(subgroups));
    match digits.below(32) {
        0..=23 => Step::Access(workgroup, access(shape, habits, workgroup, subgroup, digits)),
        24..=27 => Step::Barrier(workgroup, barrier(&mut digits)),
        28..=30 => Step::SubgroupBarrier(workgroup, subgroup),
        _ if digits.below(16) == 0 => Step::Diverge(workgroup),
        _ => Step::Barrier(workgroup, Barrier::all()),
    }
}

fn barrier(digits: &mut Digits) -> Barrier {
    match digits.below(8) {
        0 | 1 => Barrier::STORAGE,
        2 | 3 => Barrier::WORK_GROUP,
        4 => Barrier::TEXTURE,
        5 => Barrier::STORAGE | Barrier::WORK_GROUP | Barrier::TEXTURE,
        6 => Barrier::WORK_GROUP | Barrier::SUB_GROUP,
        _ => Barrier::empty(),
    }
}

fn access(
    shape: Shape,
    habits: &[u32],
    workgroup: u32,
    subgroup: u32,
    mut digits: Digits,
) -> Access {
    // Half of the accesses go to storage, where every relation can occur.
    let memory = [0, 0, 0, 1, 1, 1, 2, 3, 0, 1, 0, 4][digits.below(12) as usize];
    let anything = [Action::Read, Action::Write, Action::Atomic][digits.below(3) as usize];
    let kept = digits.below(12) != 0;
    let action = match habits.get(memory) {
        Some(0) if kept => Action::Read,
        Some(1) if kept => Action::Atomic,
        _ => anything,
    };
    let first_invocation = subgroup * shape.subgroup_size;
    let lanes = shape.subgroup_size.min(shape.workgroup_size - first_invocation);
    let all = (1 << lanes) - 1;
    // Few lanes are more frequent than many: they share words less.
    let mask = match digits.below(4) {
        0 => all,
        _ => 1 << digits.below(u64::from(lanes)),
    };
    let base = digits.below(4);
    let spread = digits.below(8);
    let offsets = (0..lanes).map(|lane| {
        let word = match spread {
            0..=3 => base % 2,
            4 | 5 => base + first_invocation + lane,
            _ => workgroup + base % 2,
        };
        4 * (word % 5)
    });
    let mut offsets: Vec<u32> = offsets.collect();
    // Mostly a scalar; sometimes a vector, or two members of a struct.
    let extent = match digits.below(8) {
        0 => vec![Extent { offset: 0, bytes: 8 }],
        1 => vec![Extent { offset: 0, bytes: 2 }, Extent { offset: 4, bytes: 4 }],
        2 => vec![Extent { offset: 2, bytes: 2 }],
        _ => vec![Extent { offset: 0, bytes: 4 }],
    };
    let site = SiteId(digits.below(6));
    // As the engine shows them, with lanes that do not take part; observers accept other numbers of lanes
    // too.
    if site.0 != 0 {
        offsets.resize(32, u32::MAX);
    }
    Access { subgroup, site, action, memory: MemoryId(memory as u32), mask, offsets, extent }
}

impl Access {
    fn seen(&self, shape: Shape) -> Accesses<'_> {
        Accesses {
            site: self.site,
            action: self.action,
            commutes: false,
            space: *SPACES.get(self.memory.0 as usize).unwrap_or(&Space::Storage),
            memory: self.memory,
            subgroup: self.subgroup,
            first_invocation: self.subgroup * shape.subgroup_size,
            mask: self.mask,
            offsets: &self.offsets,
            extent: &self.extent,
            stored: None,
            pairing: Pairing::Alone,
        }
    }
}

impl Step {
    fn workgroup(&self) -> u32 {
        match self {
            Self::Access(workgroup, _)
            | Self::Barrier(workgroup, _)
            | Self::SubgroupBarrier(workgroup, _)
            | Self::Diverge(workgroup) => *workgroup,
        }
    }

    fn show(&self, watcher: &mut impl Watcher, shape: Shape) {
        match self {
            Self::Access(_, access) => watcher.access(&access.seen(shape)),
            Self::Barrier(_, barrier) => watcher.barrier(BARRIER, (*barrier).into()),
            Self::SubgroupBarrier(_, subgroup) => {
                watcher.subgroup_barrier(BARRIER, *subgroup, Barrier::SUB_GROUP.into())
            }
            Self::Diverge(_) => watcher.diverged(),
        }
    }
}
