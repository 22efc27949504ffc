//! A workgroup that was started: its fragments, its memory, its barriers.

use super::code::Code;
use super::engine::fragment::{Fragment, Frame, FrameKind, State, lanes};
use super::engine::tally::Tally;
use super::engine::{Context, Machine, Pause, Shared};
use super::observer::Watcher;
use super::ops::Slot;
use super::run::{Divergence, Invocation, Whereabouts};
use crate::ir::sites::SiteId;
use naga::BuiltIn;

/// Room of workgroups that ended, for those that start.
#[derive(Debug, Default)]
pub struct Spare<const N: usize> {
    registers: Vec<Vec<Slot<N>>>,
    shared: Vec<Vec<Shared>>,
    returned: Vec<Vec<Option<SiteId>>>,
}

/// See the module.
pub struct Workgroup<'o, const N: usize> {
    /// Its linear index.
    pub index: u32,
    pub fragments: Vec<Fragment<N>>,
    watcher: Box<dyn Watcher + 'o>,
    shared: Vec<Shared>,
    /// For each invocation that is done, where it returned.
    returned: Vec<Option<SiteId>>,
    /// Which fragment runs next.
    next: usize,
}

/// What a workgroup can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// So many of its fragments can run.
    Ready(usize),
    /// None can run, until another workgroup changes memory.
    Blocked,
    /// All its invocations returned.
    Done,
}

impl<'o, const N: usize> Workgroup<'o, N> {
    /// Starts the workgroup with this linear index.
    pub fn start(
        machine: &Machine,
        index: u32,
        watcher: Box<dyn Watcher + 'o>,
        spare: &mut Spare<N>,
    ) -> Self {
        let code = machine.code;
        let invocations = code.invocations();
        let mut shared = spare.shared.pop().unwrap_or_default();
        shared.clear();
        shared.extend(
            code.workgroup_variables
                .iter()
                .map(|(id, bytes)| Shared { id: *id, words: vec![0; bytes.div_ceil(4) as usize] }),
        );
        let mut returned = spare.returned.pop().unwrap_or_default();
        returned.clear();
        returned.resize(invocations as usize, None);
        let subgroups = 0..invocations.div_ceil(machine.subgroup_size);
        let fragments = subgroups.map(|subgroup| start_subgroup(machine, index, subgroup, spare));
        Self { index, fragments: fragments.collect(), watcher, shared, returned, next: 0 }
    }

    /// Whether a fragment of it has run more instructions than that.
    pub fn has_run(&self, steps: u64) -> bool {
        self.fragments.iter().any(|fragment| fragment.steps > steps)
    }

    /// Gives back its room.
    pub fn end(self, spare: &mut Spare<N>) {
        spare.shared.push(self.shared);
        spare.returned.push(self.returned);
        spare.registers.extend(self.fragments.into_iter().map(|fragment| fragment.registers));
    }

    /// What the workgroup can do. Lets barriers pass if there is nothing else.
    pub fn standing(
        &mut self,
        machine: &Machine,
        tally: &mut Tally,
        spare: &mut Spare<N>,
    ) -> Standing {
        loop {
            let ready = self.fragments.iter().filter(|f| f.is_ready(tally.changes)).count();
            if ready > 0 {
                return Standing::Ready(ready);
            }
            if self.fragments.is_empty() {
                return Standing::Done;
            }
            if self.meet(spare) {
                continue;
            }
            if self.fragments.iter().any(|f| matches!(f.state, State::Spinning(_))) {
                return Standing::Blocked;
            }
            self.pass(machine, tally, spare);
        }
    }

    /// The index of a fragment that can run, the one whose turn it is.
    pub fn whose_turn(&self, tally: &Tally) -> Option<usize> {
        let count = self.fragments.len();
        let mut order = (0..count).map(|index| (self.next + index) % count);
        order.find(|index| self.fragments[*index].is_ready(tally.changes))
    }

    /// The index of the fragment that is the `nth` of those that can run.
    pub fn nth_ready(&self, tally: &Tally, nth: usize) -> Option<usize> {
        let all = self.fragments.iter().enumerate();
        let mut ready = all.filter(|(_, f)| f.is_ready(tally.changes));
        ready.nth(nth).map(|(index, _)| index)
    }

    /// Runs a fragment, for at most `fuel` instructions.
    pub fn turn(
        &mut self,
        machine: &Machine,
        tally: &mut Tally,
        spare: &mut Spare<N>,
        which: usize,
        fuel: u64,
    ) {
        let Some(subgroup) = self.fragments.get(which).map(|fragment| fragment.subgroup) else {
            return;
        };
        let alone = self.fragments.iter().filter(|f| f.subgroup == subgroup).count() == 1;
        let fragment = &mut self.fragments[which];
        fragment.state = State::Ready;
        let mut context = Context {
            machine,
            watcher: &mut *self.watcher,
            tally,
            workgroup: self.index,
            shared: &mut self.shared,
            alone,
            returned: &mut self.returned,
        };
        self.next = which;
        match context.run(fragment, fuel) {
            Pause::Fuel => self.next = which + 1,
            Pause::Done => {
                let fragment = self.fragments.remove(which);
                spare.registers.push(fragment.registers);
            }
            Pause::Barrier(index) => {
                fragment.state = State::AtBarrier(index);
                self.let_go(which, spare);
            }
            Pause::Meeting => fragment.state = State::AtMeeting,
            Pause::Spinning => fragment.state = State::Spinning(tally.changes),
            Pause::Starving => {
                self.let_go(which, spare);
                self.next = which + 1;
            }
        }
    }

    /// Splits off the lanes of a fragment that are not active, so that they run.
    fn let_go(&mut self, which: usize, spare: &mut Spare<N>) {
        let fragment = &mut self.fragments[which];
        let waiting = fragment.lanes & !fragment.mask;
        if waiting != 0 {
            let room = spare.registers.pop().unwrap_or_default();
            let mut other = fragment.split(waiting, room);
            other.state = State::Ready;
            self.fragments.push(other);
        }
    }

    /// Lets the fragments that wait for their subgroup go on, those at the same place together, when
    /// none can run. Whether there were any.
    fn meet(&mut self, spare: &mut Spare<N>) -> bool {
        if !self.fragments.iter().any(|f| f.state == State::AtMeeting) {
            return false;
        }
        self.merge(spare);
        for fragment in self.fragments.iter_mut().filter(|f| f.state == State::AtMeeting) {
            fragment.state = State::Ready;
            fragment.has_met = true;
        }
        true
    }

    /// Lets the fragments at a barrier pass, when none can run.
    fn pass(&mut self, machine: &Machine, tally: &mut Tally, spare: &mut Spare<N>) {
        self.merge(spare);
        self.next = 0;
        let code = machine.code;
        let barrier = |fragment: &Fragment<N>| match fragment.state {
            State::AtBarrier(index) => code.barriers.get(index as usize).copied(),
            _ => None,
        };
        // Subgroup barriers first: whoever is past them may still reach the others.
        let at_subgroup =
            self.fragments.iter().filter(|f| barrier(f).is_some_and(|b| b.is_subgroup()));
        let first = at_subgroup.min_by_key(|f| (f.subgroup, f.location()));
        let (first, subgroup) = match first {
            Some(first) => (first, Some(first.subgroup)),
            None => match self.fragments.iter().min_by_key(|f| f.location()) {
                Some(first) => (first, None),
                None => return,
            },
        };
        let (location, Some(barrier)) = (first.location(), barrier(first)) else { return };
        let mut arrived = Vec::new();
        let first_lane = |f: &Fragment<N>| f.subgroup * machine.subgroup_size;
        for fragment in &mut self.fragments {
            let is_here = subgroup.is_none_or(|subgroup| fragment.subgroup == subgroup)
                && fragment.location() == location;
            if is_here {
                fragment.state = State::Ready;
                let first = first_lane(fragment);
                arrived.extend(lanes(fragment.lanes).map(|lane| first + lane as u32));
            }
        }
        let expected = match subgroup {
            None => 0..code.invocations(),
            Some(subgroup) => {
                let start = subgroup * machine.subgroup_size;
                start..(start + machine.subgroup_size).min(code.invocations())
            }
        };
        if arrived.len() != expected.len() {
            self.watcher.diverged();
            tally.diverged(barrier.site, || {
                arrived.sort_unstable();
                let missing = expected.filter(|local| arrived.binary_search(local).is_err());
                let missing = missing.map(|local| (local, self.whereabouts(machine, local)));
                Divergence {
                    site: barrier.site,
                    workgroup: self.index,
                    missing: missing.collect(),
                    arrived,
                    count: 0,
                }
            });
        }
        match subgroup {
            Some(subgroup) => self.watcher.subgroup_barrier(barrier.site, subgroup),
            None => self.watcher.barrier(barrier.site, barrier.flags),
        }
    }

    /// Makes fragments of a subgroup that stand at the same place one again.
    fn merge(&mut self, spare: &mut Spare<N>) {
        let mut index = 0;
        while index < self.fragments.len() {
            let (before, rest) = self.fragments.split_at_mut(index);
            let Some(fragment) = rest.first() else { break };
            let waits = !matches!(fragment.state, State::Spinning(_));
            let twin = before.iter().position(|other| {
                waits && other.state == fragment.state && other.can_merge(fragment)
            });
            match twin {
                Some(twin) => {
                    let other = self.fragments.remove(index);
                    spare.registers.push(self.fragments[twin].merge(other));
                }
                None => index += 1,
            }
        }
    }

    /// Where an invocation is.
    pub fn whereabouts(&self, machine: &Machine, local: u32) -> Whereabouts {
        let (subgroup, lane) = (local / machine.subgroup_size, local % machine.subgroup_size);
        let fragment =
            self.fragments.iter().find(|f| f.subgroup == subgroup && f.lanes >> lane & 1 == 1);
        let code = machine.code;
        let Some(fragment) = fragment else {
            return Whereabouts::Returned(self.returned.get(local as usize).copied().flatten());
        };
        match fragment.state {
            State::AtBarrier(index) => Whereabouts::AtBarrier(code.barriers[index as usize].site),
            _ => Whereabouts::Running(place(code, fragment)),
        }
    }

    /// Invocations that are not done, with where they are.
    pub fn unfinished<'a>(
        &'a self,
        machine: &'a Machine,
    ) -> impl Iterator<Item = (Invocation, Whereabouts)> + 'a {
        self.fragments.iter().flat_map(move |fragment| {
            let first = fragment.subgroup * machine.subgroup_size;
            lanes(fragment.lanes).map(move |lane| {
                let local = first + lane as u32;
                let invocation = Invocation { workgroup: self.index, local };
                (invocation, self.whereabouts(machine, local))
            })
        })
    }
}

/// Where a fragment is running: its innermost loop, or the site of what it runs next.
pub fn place<const N: usize>(code: &Code, fragment: &Fragment<N>) -> SiteId {
    let here = || code.places.get(fragment.pc as usize).copied();
    fragment.innermost_loop().or_else(here).unwrap_or(SiteId::NONE)
}

fn start_subgroup<const N: usize>(
    machine: &Machine,
    workgroup: u32,
    subgroup: u32,
    spare: &mut Spare<N>,
) -> Fragment<N> {
    let code = machine.code;
    let first = subgroup * machine.subgroup_size;
    let count = (code.invocations() - first).min(machine.subgroup_size);
    let lanes = u64::MAX >> (64 - count);
    let mut registers = spare.registers.pop().unwrap_or_default();
    if registers.len() != code.registers as usize {
        registers.clear();
        registers.resize(code.registers as usize, [0; N]);
        for (register, word) in &code.constants {
            registers[*register as usize] = [*word; N];
        }
    }
    for (builtin, register) in &code.builtins {
        set_builtin(machine, workgroup, first, *builtin, &mut registers[*register as usize..]);
    }
    let entry = Frame {
        kind: FrameKind::Call,
        resume: code.instructions.len() as u32 - 1,
        aux: u32::MAX,
        site: SiteId::NONE,
        pending: 0,
        done: 0,
    };
    Fragment {
        subgroup,
        state: State::Ready,
        pc: code.start,
        mask: lanes,
        lanes,
        frames: vec![entry],
        registers,
        steps: 0,
        impatience: 0,
        rounds: 0,
        glimpse: None,
        has_met: false,
    }
}

/// Sets a built-in input, in all lanes of the subgroup that starts at invocation `first`.
fn set_builtin<const N: usize>(
    machine: &Machine,
    workgroup: u32,
    first: u32,
    builtin: BuiltIn,
    to: &mut [Slot<N>],
) {
    let size = machine.code.workgroup_size;
    let split = |index: u32, [x, y, _]: [u32; 3]| {
        let (x, y) = (x.max(1), y.max(1));
        [index % x, index / x % y, index / x / y]
    };
    let group = split(workgroup, machine.workgroups);
    let mut vector = |of: &dyn Fn(u32) -> [u32; 3]| {
        for lane in 0..N as u32 {
            for (to, value) in to.iter_mut().zip(of(first + lane)) {
                to[lane as usize] = value;
            }
        }
    };
    let local = |index| split(index, size);
    let subgroup_size = machine.subgroup_size;
    match builtin {
        BuiltIn::GlobalInvocationId => vector(&|index| {
            let local = local(index);
            std::array::from_fn(|i| group[i].wrapping_mul(size[i]).wrapping_add(local[i]))
        }),
        BuiltIn::LocalInvocationId => vector(&local),
        BuiltIn::WorkGroupId => vector(&|_| group),
        BuiltIn::WorkGroupSize => vector(&|_| size),
        BuiltIn::NumWorkGroups => vector(&|_| machine.workgroups),
        _ => {
            for lane in 0..N as u32 {
                to[0][lane as usize] = match builtin {
                    BuiltIn::LocalInvocationIndex => first + lane,
                    BuiltIn::SubgroupId => first / subgroup_size,
                    BuiltIn::SubgroupSize => subgroup_size,
                    BuiltIn::SubgroupInvocationId => lane,
                    BuiltIn::NumSubgroups => machine.code.invocations().div_ceil(subgroup_size),
                    _ => 0,
                };
            }
        }
    }
}
