//! A fragment: some lanes of a subgroup that run together, and can be suspended.
//!
//! It is a value: it holds no memory and nobody who watches, so a copy of it is all there is to say
//! about where its lanes are.
//!
//! A subgroup starts as one fragment. It splits where lanes have to wait while others of the same
//! subgroup go on: at a barrier reached by a part of them, and where a loop that does not end may be
//! waiting for lanes that wait for its end. Fragments that stand at the same place merge again.

use crate::ir::sites::SiteId;
use crate::vm::code::{Pc, Register};
use crate::vm::ops::Slot;

/// A place of the program and the way to it. The lesser of two is behind.
pub type Location = Vec<(Pc, u32)>;

/// What opened a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// An `if`.
    If,
    /// A loop; `aux` is its continuing block.
    Loop,
    /// A `switch`.
    Switch,
    /// A call of a helper function, or of the entry point; `aux` is where to return to.
    Call,
}

/// A control structure that lanes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub kind: FrameKind,
    /// Where to go when no active lane is left.
    pub resume: Pc,
    /// See [`FrameKind`].
    pub aux: Pc,
    /// Of a loop: where it is.
    pub site: SiteId,
    /// Lanes whose turn comes inside: of an `if`, those for `else`; of a loop, those that
    /// continued; of a `switch`, those for later cases.
    pub pending: u64,
    /// Lanes that wait for the end.
    pub done: u64,
}

impl Frame {
    fn same_place(&self, other: &Self) -> bool {
        (self.kind, self.resume, self.aux) == (other.kind, other.resume, other.aux)
    }
}

/// What a fragment is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It can run.
    Ready,
    /// All its lanes wait at the barrier with this index, the instruction before `pc`.
    AtBarrier(u32),
    /// It is about to run a subgroup operation, in which the rest of its subgroup may have a part.
    AtMeeting,
    /// It goes round in a loop that nothing but a change of shared memory can end. The number is that
    /// of changes so far.
    Spinning(u64),
    /// It asked for a visible operation, the instruction before `pc`, and has no answer yet.
    Asking,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Fragment<const N: usize> {
    pub subgroup: u32,
    /// Local invocation index of lane 0.
    pub first: u32,
    pub state: State,
    pub pc: Pc,
    /// Active lanes.
    pub mask: u64,
    /// All lanes: active, or waiting in frames.
    pub lanes: u64,
    pub frames: Vec<Frame>,
    pub registers: Vec<Slot<N>>,
    /// Instructions run.
    pub steps: u64,
    /// How often a loop went back while lanes waited, since last time that they were let go.
    pub impatience: u32,
    /// How often a loop went back while none waited.
    pub rounds: u32,
    /// What it was like some rounds ago.
    pub snapshot: Option<Box<Snapshot<N>>>,
    /// Whether it has waited for its subgroup before the operation that comes next.
    pub has_met: bool,
    /// Of a fragment that is one invocation.
    pub trips: Option<Trips>,
}

/// How often the loops that an invocation is in went back: says which of two that stand at the same
/// instruction is behind.
#[derive(Clone, Debug)]
pub struct Trips {
    /// For each frame, as far as one went back.
    pub counts: Vec<u32>,
    /// Whether that decides what invocations do: who takes part in a subgroup operation. Where it does
    /// not, a loop that has come to the same state again is as it was.
    pub decide: bool,
}

/// What a fragment was like at the end of a loop's round. If it is ever so again, and no shared memory
/// has changed since, then it will be so for ever.
#[derive(Clone, Debug)]
pub struct Snapshot<const N: usize> {
    pc: Pc,
    frames: Vec<Frame>,
    registers: Vec<Slot<N>>,
    /// How many changes of shared memory there had been.
    pub changes: u64,
    /// In how many more rounds to look.
    pub left: u32,
}

/// All that decides what it does next, but memory. How long it has run does not.
impl<const N: usize> Fragment<N> {
    fn decides(&self) -> impl Eq + std::hash::Hash + '_ {
        let place = (self.subgroup, self.first, self.state, self.pc, self.has_met);
        let trips = self.trips.as_ref().filter(|trips| trips.decide).map(|trips| &trips.counts);
        (place, self.mask, self.lanes, &self.frames, trips, &self.registers)
    }
}

impl<const N: usize> PartialEq for Fragment<N> {
    fn eq(&self, other: &Self) -> bool {
        self.decides() == other.decides()
    }
}

impl<const N: usize> Eq for Fragment<N> {}

impl<const N: usize> std::hash::Hash for Fragment<N> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.decides().hash(hasher);
    }
}

impl<const N: usize> Fragment<N> {
    /// Splits off the lanes of `leave`, which must all be lanes of this fragment that are not active,
    /// or all the active ones. `registers` is room for their copy of the registers.
    pub fn split(&mut self, leave: u64, mut registers: Vec<Slot<N>>) -> Self {
        registers.clone_from(&self.registers);
        let mut other = Self {
            subgroup: self.subgroup,
            first: self.first,
            state: self.state,
            pc: self.pc,
            mask: self.mask,
            lanes: self.lanes,
            frames: self.frames.clone(),
            registers,
            steps: self.steps,
            impatience: 0,
            rounds: 0,
            snapshot: None,
            has_met: false,
            trips: None,
        };
        other.keep(leave);
        self.keep(!leave);
        other
    }

    fn keep(&mut self, lanes: u64) {
        self.mask &= lanes;
        self.lanes &= lanes;
        for frame in &mut self.frames {
            frame.pending &= lanes;
            frame.done &= lanes;
        }
        if self.mask == 0 {
            self.take_up();
        }
        self.impatience = 0;
        self.snapshot = None;
    }

    /// Remembers what it is like now, for some rounds.
    pub fn take_snapshot(&mut self, changes: u64, left: u32) {
        self.snapshot = Some(Box::new(Snapshot {
            pc: self.pc,
            frames: self.frames.clone(),
            registers: self.registers.clone(),
            changes,
            left,
        }));
    }

    /// Whether it is as it was.
    pub fn is_as(&self, snapshot: &Snapshot<N>) -> bool {
        self.pc == snapshot.pc
            && self.frames == snapshot.frames
            && self.registers == snapshot.registers
    }

    /// Whether it can run, after so many changes of shared memory.
    pub fn is_ready(&self, changes: u64) -> bool {
        match self.state {
            State::Ready | State::Asking => true,
            State::Spinning(before) => before != changes,
            State::AtBarrier(_) | State::AtMeeting => false,
        }
    }

    /// Goes to where lanes that wait are taken up again.
    pub fn take_up(&mut self) {
        if let Some(frame) = self.frames.last() {
            self.pc = frame.resume;
        }
    }

    /// Whether `other` stands at the same place, so that the two can be one.
    pub fn can_merge(&self, other: &Self) -> bool {
        (self.subgroup, self.first) == (other.subgroup, other.first)
            && self.pc == other.pc
            && self.frames.len() == other.frames.len()
            && self.frames.iter().zip(&other.frames).all(|(a, b)| a.same_place(b))
    }

    /// Takes in the lanes of `other`. Gives back its registers, for others to use.
    pub fn merge(&mut self, other: Self) -> Vec<Slot<N>> {
        self.mask |= other.mask;
        for (frame, from) in self.frames.iter_mut().zip(&other.frames) {
            frame.pending |= from.pending;
            frame.done |= from.done;
        }
        for (to, from) in self.registers.iter_mut().zip(&other.registers) {
            copy_lanes(to, from, other.lanes);
        }
        self.lanes |= other.lanes;
        self.snapshot = None;
        self.steps = self.steps.max(other.steps);
        other.registers
    }

    /// Where fragments meet: the calls it is in, outermost first, and where it stands; of a fragment at
    /// a barrier, that barrier. If trips decide, with the loops it is in and their trips.
    pub fn location(&self) -> Location {
        self.way(self.trips.as_ref().filter(|trips| trips.decide))
    }

    /// How far it has come: as its location, but always with the trips that it counts.
    pub fn position(&self) -> Location {
        self.way(self.trips.as_ref())
    }

    fn way(&self, trips: Option<&Trips>) -> Location {
        let here = match self.state {
            State::AtBarrier(_) | State::Asking => self.pc.saturating_sub(1),
            _ => self.pc,
        };
        let outer = self.frames.iter().enumerate().filter_map(|(depth, frame)| match frame.kind {
            FrameKind::Call => Some((frame.aux - 1, 0)),
            FrameKind::Loop => Some((frame.aux, trips?.counts.get(depth).copied().unwrap_or(0))),
            FrameKind::If | FrameKind::Switch => None,
        });
        outer.chain([(here, 0)]).collect()
    }

    /// Whether it has the invocation of this local index.
    pub fn has(&self, local: u32) -> bool {
        local
            .checked_sub(self.first)
            .is_some_and(|lane| (lane as usize) < N && self.lanes >> lane & 1 == 1)
    }

    /// It entered a loop.
    pub fn begin_trips(&mut self) {
        let outer = self.frames.len() - 1;
        if let Some(trips) = &mut self.trips {
            trips.counts.truncate(outer);
        }
    }

    /// The innermost frame is a loop, and goes back.
    pub fn count_trip(&mut self) {
        let depth = self.frames.len();
        if let Some(Trips { counts, .. }) = &mut self.trips {
            counts.resize(depth, 0);
            counts[depth - 1] = counts[depth - 1].wrapping_add(1);
        }
    }

    /// The innermost loop.
    pub fn innermost_loop(&self) -> Option<SiteId> {
        let mut frames = self.frames.iter().rev();
        frames.find(|frame| frame.kind == FrameKind::Loop).map(|frame| frame.site)
    }

    /// Copies registers of the active lanes.
    #[inline]
    pub fn assign(&mut self, to: Register, from: Register, count: u32) {
        for index in 0..count as usize {
            let source = self.registers[from as usize + index];
            copy_lanes(&mut self.registers[to as usize + index], &source, self.mask);
        }
    }
}

/// Copies the lanes of `mask`. Without a branch for each, so that it takes vectors.
#[inline(always)]
pub fn copy_lanes<const N: usize>(to: &mut Slot<N>, from: &Slot<N>, mask: u64) {
    if mask == all_lanes::<N>() {
        *to = *from;
        return;
    }
    for (half, (to, from)) in to.chunks_mut(32).zip(from.chunks(32)).enumerate() {
        let mask = (mask >> (32 * half)) as u32;
        for (lane, (to, from)) in to.iter_mut().zip(from).enumerate() {
            let stays = (mask >> lane & 1).wrapping_sub(1);
            *to = *to & stays | *from & !stays;
        }
    }
}

/// The mask of all `N` lanes.
pub const fn all_lanes<const N: usize>() -> u64 {
    u64::MAX >> (64 - N)
}

/// The lanes where a `bool` holds.
#[inline(always)]
pub fn lanes_where<const N: usize>(condition: &Slot<N>) -> u64 {
    let mut mask = 0;
    for (half, words) in condition.chunks(32).enumerate() {
        let mut bits = 0;
        for (lane, word) in words.iter().enumerate() {
            bits |= (word & 1) << lane;
        }
        mask |= u64::from(bits) << (32 * half);
    }
    mask
}

/// The lanes of a mask, in ascending order.
pub fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let next = |mask: &u64| (mask & (mask - 1) != 0).then(|| mask & (mask - 1));
    let rest = std::iter::successors((mask != 0).then_some(mask), next);
    rest.map(|mask| mask.trailing_zeros() as usize)
}
