//! Judges a random kernel by its description alone: which invocation touches which word when, and which of these accesses
//! happens-before does not order. The model shares no code with the engine, its enumerator of accesses or its oracle.

use super::kernel::{AccessMode, Class, Grid, Guard, Index, Kernel, Memory, Space, Step, Touch};
use super::layout::place;
use std::collections::{BTreeMap, BTreeSet};

/// A word of memory: the variable, the workgroup whose instance it is (workgroup memory), and the index of the word.
pub type Word = (Memory, u32, u32);

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// A site: the number of a touch in the description, and one of its accesses.
pub type Site = (usize, AccessKind);

/// The relation of two invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    Same,
    Subgroup,
    Workgroup,
    Dispatch,
}

/// The races of a kernel according to its description.
#[derive(Debug, Default)]
pub struct Verdict {
    pub racy: BTreeSet<Word>,
    /// Pairs of sites that race, smaller site first.
    pub pairs: BTreeSet<(Site, Site)>,
    /// Relations between invocations that touch the same word with at least one write or atomic.
    pub relations: BTreeSet<Relation>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    group: u32,
    lane: u32,
    /// The number of passed barriers of the class that orders this memory.
    epoch: u32,
    subgroup_epoch: u32,
    does: AccessKind,
    touch: usize,
}

/// Judges `kernel`, which must not depend on data.
pub fn judge(kernel: &Kernel) -> Verdict {
    let mut history: BTreeMap<Word, BTreeSet<Event>> = BTreeMap::new();
    for group in 0..kernel.grid.workgroups {
        let mut walk =
            Walk { grid: kernel.grid, group, history: &mut history, clocks: [0; 4], next: 0 };
        walk.steps(&kernel.body, 0, true);
    }
    let mut verdict = Verdict::default();
    for (word, events) in &history {
        let events: Vec<Event> = events.iter().copied().collect();
        for (i, a) in events.iter().enumerate() {
            for b in &events[i..] {
                verdict.pair(*word, kernel.grid, a, b);
            }
        }
    }
    verdict
}

impl Verdict {
    fn pair(&mut self, word: Word, grid: Grid, a: &Event, b: &Event) {
        let harmless =
            [(AccessKind::Read, AccessKind::Read), (AccessKind::Atomic, AccessKind::Atomic)];
        let conflict = !harmless.contains(&(a.does, b.does));
        let relation = relation(grid, a, b);
        if (a.does, b.does) != (AccessKind::Read, AccessKind::Read) && (a != b) {
            self.relations.insert(relation);
        }
        let ordered = match relation {
            Relation::Same => true,
            Relation::Subgroup => a.epoch != b.epoch || a.subgroup_epoch != b.subgroup_epoch,
            Relation::Workgroup => a.epoch != b.epoch,
            Relation::Dispatch => false,
        };
        if conflict && !ordered {
            let sites = ((a.touch, a.does), (b.touch, b.does));
            self.racy.insert(word);
            self.pairs.insert((sites.0.min(sites.1), sites.0.max(sites.1)));
        }
    }
}

fn relation(grid: Grid, a: &Event, b: &Event) -> Relation {
    if a.group != b.group {
        Relation::Dispatch
    } else if a.lane == b.lane {
        Relation::Same
    } else if a.lane / grid.subgroup_size == b.lane / grid.subgroup_size {
        Relation::Subgroup
    } else {
        Relation::Workgroup
    }
}

/// The path of one workgroup through the kernel. Barriers are in uniform control flow only, so one clock per class suffices for
/// all its invocations.
struct Walk<'a> {
    grid: Grid,
    group: u32,
    history: &'a mut BTreeMap<Word, BTreeSet<Event>>,
    clocks: [u32; 4],
    next: usize,
}

impl Walk<'_> {
    /// Visits steps. `taken` is false in a branch that this workgroup does not take, whose touches are numbered nevertheless.
    fn steps(&mut self, steps: &[Step], turn: u32, taken: bool) {
        for step in steps {
            match step {
                Step::Touch(touch) => self.touch(touch, turn, |_| taken),
                Step::Helper(touches) => {
                    touches.iter().for_each(|touch| self.touch(touch, turn, |_| taken));
                }
                Step::Guard(guard, touches) => {
                    let group = self.group;
                    for touch in touches {
                        self.touch(touch, turn, |lane| taken && passes(*guard, group, lane));
                    }
                }
                Step::Barrier(class) if taken => self.clocks[*class as usize] += 1,
                Step::Barrier(_) => {}
                Step::UniformLoad(index) => {
                    let touch = Touch {
                        memory: Memory::scalars(Space::Workgroup),
                        index: Index::Constant(*index),
                        part: super::kernel::Part::All,
                        how: AccessMode::Read,
                        through_pointer: false,
                    };
                    self.clocks[Class::Workgroup as usize] += u32::from(taken);
                    self.touch(&touch, turn, |_| taken);
                    self.clocks[Class::Workgroup as usize] += u32::from(taken);
                }
                Step::InGroup(group, steps) => {
                    self.steps(steps, turn, taken && *group == self.group);
                }
                Step::Repeat(times, steps) => {
                    let first = self.next;
                    for turn in 0..*times {
                        self.next = first;
                        self.steps(steps, turn, taken);
                    }
                }
            }
        }
    }

    fn touch(&mut self, touch: &Touch, turn: u32, takes_part: impl Fn(u32) -> bool) {
        let number = self.next;
        self.next += 1;
        for lane in (0..self.grid.workgroup_size).filter(|lane| takes_part(*lane)) {
            let element = self.element(touch.index, lane, turn);
            // A texel has no parts; atomics touch the whole element.
            let place = place(touch.memory.shape, touch.part, lane);
            let accesses: &[(AccessKind, &[u32])] = match touch.how {
                AccessMode::Read => &[(AccessKind::Read, &place.read)],
                AccessMode::Write => &[(AccessKind::Write, &place.write)],
                AccessMode::Update => {
                    &[(AccessKind::Read, &place.read), (AccessKind::Write, &place.write)]
                }
                AccessMode::Atomic(_) => &[(AccessKind::Atomic, &place.write)],
            };
            for (does, words) in accesses {
                for word in *words {
                    self.record(touch.memory, element, *word, lane, *does, number);
                }
            }
        }
    }

    fn record(
        &mut self,
        memory: Memory,
        element: u32,
        word: u32,
        lane: u32,
        does: AccessKind,
        touch: usize,
    ) {
        let (class, instance) = match memory.space {
            Space::Storage => (Class::Storage, 0),
            Space::Workgroup => (Class::Workgroup, self.group),
            Space::Texture => (Class::Texture, 0),
        };
        let event = Event {
            group: self.group,
            lane,
            epoch: self.clocks[class as usize],
            subgroup_epoch: self.clocks[Class::Subgroup as usize],
            does,
            touch,
        };
        let word = (memory, instance, element * memory.shape.stride() + word);
        self.history.entry(word).or_default().insert(event);
    }

    fn element(&self, index: Index, lane: u32, turn: u32) -> u32 {
        let size = self.grid.workgroup_size;
        let global = self.group * size + lane;
        match index {
            Index::Constant(n) => n,
            Index::Lane => lane,
            Index::Global => global,
            Index::Neighbor(n) => (lane + n) % size,
            Index::GlobalNeighbor(n) => (global + n) % self.grid.invocations(),
            Index::Shared(n) => lane >> n,
            Index::Mirror => size - 1 - lane,
            Index::Group => self.group,
            Index::Subgroup => lane / self.grid.subgroup_size,
            Index::Iteration => turn,
            Index::LanePlusIteration => (lane + turn) % size,
            Index::Data(_) => unreachable!("a kernel that depends on data is judged by its trace"),
        }
    }
}

fn passes(guard: Guard, group: u32, lane: u32) -> bool {
    match guard {
        Guard::EvenLane => lane.is_multiple_of(2),
        Guard::LaneIs(only) => lane == only,
        Guard::LaneBelow(end) => lane < end,
        Guard::OddGroup => group % 2 == 1,
        Guard::Data(_) => unreachable!("a kernel that depends on data is judged by its trace"),
    }
}
