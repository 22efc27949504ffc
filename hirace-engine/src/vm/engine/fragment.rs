//! A fragment: lanes of a subgroup that run together and can be suspended.
//!
//! A fragment is a value. It contains neither memory nor a watcher, so a copy is the complete state of its
//! lanes.
//!
//! A subgroup starts as one fragment. It splits where some lanes have to wait while others of the subgroup
//! continue: at a barrier that only some of them reach, and in a loop that may be waiting for lanes that wait
//! for its end. Fragments at the same location merge again.

use super::loop_registers::LoopRegisters;
use crate::ir::sites::SiteId;
use crate::vm::code::{Code, Pc, Register};
use crate::vm::ops::Slot;

/// A position in the program and the path to it. Of two locations, the smaller one has made less progress.
pub type Location = Vec<(Pc, u32)>;

/// The control structure that a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// An `if`.
    If,
    /// A loop; `aux` is the index of its continuing block.
    Loop,
    /// A `switch`.
    Switch,
    /// A call of a helper function or of the entry point; `aux` is the return address.
    Call,
}

/// A control structure that lanes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub kind: FrameKind,
    /// The instruction to go to when no active lane remains.
    pub resume: Pc,
    /// See [`FrameKind`].
    pub aux: Pc,
    /// The site of a loop.
    pub site: SiteId,
    /// Lanes that run later inside: in an `if`, those for `else`; in a loop, those that continued; in a
    /// `switch`, those for later cases.
    pub pending: u64,
    /// Lanes that wait for the end of the structure.
    pub done: u64,
}

impl Frame {
    fn is_same_structure(&self, other: &Self) -> bool {
        (self.kind, self.resume, self.aux) == (other.kind, other.resume, other.aux)
    }
}

/// The state of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The fragment can run.
    Ready,
    /// All its lanes wait at the barrier with this index, the instruction before `pc`.
    AtBarrier(u32),
    /// The fragment is about to run a subgroup operation in which other lanes of its subgroup may take part.
    AtSubgroupOperation,
    /// The fragment repeats a loop that only a change of shared memory can end. The number is the number of
    /// changes so far.
    Spinning(u64),
    /// The fragment has requested a visible operation, the instruction before `pc`, and has no answer yet.
    AwaitingAnswer,
}

/// The state of some lanes of a subgroup.
#[derive(Clone, Debug)]
pub struct Fragment<const N: usize> {
    pub subgroup: u32,
    /// Local invocation index of lane 0.
    pub first: u32,
    pub state: State,
    pub pc: Pc,
    /// The active lanes.
    pub mask: u64,
    /// All lanes: active, or waiting in frames.
    pub lanes: u64,
    pub frames: Vec<Frame>,
    pub registers: Vec<Slot<N>>,
    /// Number of instructions run.
    pub steps: u64,
    /// How often a loop repeated while lanes waited, since lanes were last split off.
    pub starving_rounds: u32,
    /// How often a loop repeated while no lane waited.
    pub rounds: u32,
    /// The state at the end of an earlier iteration.
    pub snapshot: Option<Box<Snapshot<N>>>,
    /// The repetition, if the fragment was found to repeat what it has done.
    pub repetition: Option<Repetition>,
    /// Whether the fragment has waited for its subgroup before the next operation.
    pub has_waited_for_subgroup: bool,
    /// The iteration counts, if the fragment is a single invocation.
    pub trips: Option<IterationCounts>,
}

/// The iteration counts of the loops that an invocation is in. Of two invocations at the same instruction,
/// they determine which is behind.
#[derive(Clone, Debug)]
pub struct IterationCounts {
    /// For each frame, up to the last one that repeated.
    pub counts: Vec<u32>,
    /// Whether the counts affect what invocations do: which of them take part in a subgroup operation. If
    /// not, a loop that reaches the same state again counts as unchanged.
    pub decide: bool,
}

/// Minimum number of iterations for which a snapshot is compared, because an inner loop may have several iterations.
pub const SNAPSHOT_ROUNDS: u32 = 64;

/// The state of a fragment at the end of a loop iteration.
///
/// A fragment repeats forever, unless shared memory changes, if it stays in a loop and returns to the same instruction of the loop
/// with the same values in the registers that decide what the loop does. What it does after a barrier also depends on the other
/// fragments that pass the barrier, so a fragment that passes barriers repeats only if all others of its workgroup do.
///
/// For a single invocation that is stepped, all registers are compared: the caller explores the effects of every number of
/// iterations, and the number may be written to memory after the loop.
#[derive(Clone, Debug)]
pub struct Snapshot<const N: usize> {
    pc: Pc,
    frames: Vec<Frame>,
    registers: Vec<Slot<N>>,
    /// Number of changes of shared memory so far.
    pub changes: u64,
    /// Number of iterations for which the snapshot is still compared.
    pub remaining: u32,
    /// The fragment has left none of the first `kept` frames since the snapshot was taken.
    kept: usize,
    /// Whether the fragment has passed a barrier since the snapshot was taken.
    pub passed_barrier: bool,
}

/// The fact that a fragment repeats what it has done, until memory changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Number of changes of shared memory so far.
    pub changes: u64,
    /// Whether it waits for other fragments in each repetition. It repeats forever only if these repeat, too.
    pub with_others: bool,
}

impl<const N: usize> Snapshot<N> {
    /// Records that the fragment enters a loop while it is in `depth` frames.
    pub fn enter_loop(&mut self, depth: usize) {
        self.kept = self.kept.min(depth);
    }
}

impl<const N: usize> Fragment<N> {
    /// Returns everything that determines what the fragment does next, except for memory. The number of steps
    /// that it has run is not included.
    fn identity(&self) -> impl Eq + std::hash::Hash + '_ {
        let place = (self.subgroup, self.first, self.state, self.pc, self.has_waited_for_subgroup);
        let trips = self.trips.as_ref().filter(|trips| trips.decide).map(|trips| &trips.counts);
        (place, self.mask, self.lanes, &self.frames, trips, &self.registers)
    }
}

impl<const N: usize> PartialEq for Fragment<N> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<const N: usize> Eq for Fragment<N> {}

impl<const N: usize> std::hash::Hash for Fragment<N> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.identity().hash(hasher);
    }
}

impl<const N: usize> Fragment<N> {
    /// Splits off `lanes`, which must be inactive lanes of this fragment, or all its active ones. `registers` is
    /// reused for the copy of the registers.
    pub fn split(&mut self, lanes: u64, mut registers: Vec<Slot<N>>) -> Self {
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
            starving_rounds: 0,
            rounds: 0,
            snapshot: None,
            repetition: None,
            has_waited_for_subgroup: false,
            trips: None,
        };
        other.keep(lanes);
        self.keep(!lanes);
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
            self.resume_waiting_lanes();
        }
        self.starving_rounds = 0;
        (self.snapshot, self.repetition) = (None, None);
    }

    /// Takes a snapshot of the current state, for `remaining` iterations.
    pub fn take_snapshot(&mut self, changes: u64, remaining: u32) {
        self.snapshot = Some(Box::new(Snapshot {
            pc: self.pc,
            frames: self.frames.clone(),
            registers: self.registers.clone(),
            changes,
            remaining,
            kept: self.frames.len(),
            passed_barrier: false,
        }));
    }

    /// Returns whether the fragment repeats what it has done since the snapshot.
    pub fn repeats(&self, snapshot: &Snapshot<N>, code: &Code, loops: &LoopRegisters) -> bool {
        if self.pc != snapshot.pc || self.frames != snapshot.frames {
            return false;
        }
        let stayed = self.frames[..snapshot.kept].iter().rev();
        let mut stayed = stayed.filter(|frame| N > 1 && frame.kind == FrameKind::Loop);
        match stayed.next().and_then(|frame| loops.deciding(code, frame.aux)) {
            Some(deciding) => deciding.iter().all(|register| {
                self.registers.get(*register as usize) == snapshot.registers.get(*register as usize)
            }),
            None => self.registers == snapshot.registers,
        }
    }

    /// Returns whether the fragment can run after `changes` changes of shared memory.
    pub fn is_ready(&self, changes: u64) -> bool {
        match self.state {
            State::Ready | State::AwaitingAnswer => true,
            State::Spinning(before) => before != changes,
            State::AtBarrier(_) | State::AtSubgroupOperation => false,
        }
    }

    /// Jumps to the instruction at which waiting lanes resume.
    pub fn resume_waiting_lanes(&mut self) {
        if let Some(frame) = self.frames.last() {
            self.pc = frame.resume;
        }
    }

    /// Returns whether `other` is at the same location, so that the two can merge.
    pub fn can_merge(&self, other: &Self) -> bool {
        (self.subgroup, self.first) == (other.subgroup, other.first)
            && self.pc == other.pc
            && self.frames.len() == other.frames.len()
            && self.frames.iter().zip(&other.frames).all(|(a, b)| a.is_same_structure(b))
    }

    /// Absorbs the lanes of `other`. Returns its registers for reuse.
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
        (self.snapshot, self.repetition) = (None, None);
        self.steps = self.steps.max(other.steps);
        other.registers
    }

    /// Returns the location at which fragments merge: the calls that the fragment is in, the outermost first,
    /// and its position; for a fragment at a barrier, the position of the barrier. If iteration counts
    /// matter, the loops and their counts are included.
    pub fn location(&self) -> Location {
        self.path(self.trips.as_ref().filter(|trips| trips.decide))
    }

    /// Returns the progress of the fragment: its location, always with iteration counts.
    pub fn position(&self) -> Location {
        self.path(self.trips.as_ref())
    }

    /// Returns the path to the current position. Includes loops only if `trips` is given.
    fn path(&self, trips: Option<&IterationCounts>) -> Location {
        let here = match self.state {
            State::AtBarrier(_) | State::AwaitingAnswer => self.pc.saturating_sub(1),
            _ => self.pc,
        };
        let outer = self.frames.iter().enumerate().filter_map(|(depth, frame)| match frame.kind {
            FrameKind::Call => Some((frame.aux - 1, 0)),
            FrameKind::Loop => Some((frame.aux, trips?.counts.get(depth).copied().unwrap_or(0))),
            FrameKind::If | FrameKind::Switch => None,
        });
        outer.chain([(here, 0)]).collect()
    }

    /// Returns whether the fragment contains the invocation with this local index.
    pub fn has(&self, local: u32) -> bool {
        local
            .checked_sub(self.first)
            .is_some_and(|lane| (lane as usize) < N && self.lanes >> lane & 1 == 1)
    }

    /// Starts counting the iterations of a loop that was entered.
    pub fn begin_trips(&mut self) {
        let outer = self.frames.len() - 1;
        if let Some(trips) = &mut self.trips {
            trips.counts.truncate(outer);
        }
    }

    /// Counts an iteration of the innermost frame, which is a loop.
    pub fn count_trip(&mut self) {
        let depth = self.frames.len();
        if let Some(IterationCounts { counts, .. }) = &mut self.trips {
            counts.resize(depth, 0);
            counts[depth - 1] = counts[depth - 1].wrapping_add(1);
        }
    }

    /// Returns the site of the innermost loop.
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

/// Copies the lanes of `mask`. It has no branch per lane, so that it vectorizes.
#[inline(always)]
pub fn copy_lanes<const N: usize>(to: &mut Slot<N>, from: &Slot<N>, mask: u64) {
    if mask == all_lanes::<N>() {
        *to = *from;
        return;
    }
    for (half, (to, from)) in to.chunks_mut(32).zip(from.chunks(32)).enumerate() {
        let mask = (mask >> (32 * half)) as u32;
        for (lane, (to, from)) in to.iter_mut().zip(from).enumerate() {
            let keep_mask = (mask >> lane & 1).wrapping_sub(1);
            *to = *to & keep_mask | *from & !keep_mask;
        }
    }
}

/// Returns the mask of all `N` lanes.
pub const fn all_lanes<const N: usize>() -> u64 {
    u64::MAX >> (64 - N)
}

/// Returns the lanes in which a `bool` is true.
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

/// Returns the lanes of a mask, in ascending order.
pub fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let next = |mask: &u64| (mask & (mask - 1) != 0).then(|| mask & (mask - 1));
    let rest = std::iter::successors((mask != 0).then_some(mask), next);
    rest.map(|mask| mask.trailing_zeros() as usize)
}
