//! The layout of the shadow for one launch: what the instrumented module's overrides are set to.

use super::fields::{Fields, Needs, Width};
use super::plan::{Plan, Purpose, ShadowLocation, Watched, class_name};
use super::{log, record, tally, trail};
use crate::ir::memory::{Shape, Space};
use crate::watch::{NoShadow, NotWatched, Unwatched};
use naga::{GlobalVariable, Handle};

/// The base of a memory that a launch does not watch.
pub const UNWATCHED: u32 = u32::MAX;

/// What a device can hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Storage bindings that are free for the shadow and the transition table.
    pub bindings: u32,
    /// Whether there are atomics of 64 bits.
    pub wide: bool,
    /// 32-bit words of one binding of the shadow.
    pub binding_words: u32,
    /// 32-bit words of all of them.
    pub words: u64,
    /// Racy granules that the log should have room for.
    pub log_entries: u32,
    /// The most bits that a clock is given in a narrow word. Fewer than there is room for are of use to
    /// tests only.
    pub clock_bits: u32,
    /// And in a wide one.
    pub wide_clock_bits: u32,
    /// The most words that an invocation may look at each time a clock starts anew; 0: clocks stop where
    /// they would run out. To be 0 where not all invocations of a workgroup pass each barrier: whoever
    /// did not would leave its share of the words as they are.
    pub sweep: u32,
    /// Turns of loops that an invocation may take, if they are counted.
    pub turns: u32,
    /// Bytes of workgroup memory, for the program and the shadow.
    pub workgroup_memory: u32,
    /// The most workgroups that have a shadow of their memory in storage at one time.
    pub slots: u32,
}

impl Limits {
    fn fields(self, shape: Shape, width: Width, needs: Needs) -> Option<Fields> {
        let bits = match width {
            Width::Narrow => self.clock_bits,
            Width::Wide => self.wide_clock_bits,
        };
        Fields::new(shape, needs, width, bits)
    }
}

impl Default for Limits {
    /// A gigabyte of shadow in a binding, a log that no report would show in full, and more slots than
    /// devices run workgroups at once.
    fn default() -> Self {
        Self {
            bindings: 64,
            wide: true,
            binding_words: 1 << 28,
            words: u64::MAX,
            log_entries: 1 << 16,
            clock_bits: u32::BITS,
            wide_clock_bits: u32::BITS,
            sweep: 1 << 10,
            turns: u32::MAX,
            workgroup_memory: u32::MAX,
            slots: 1 << 13,
        }
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name and value of each override.
    pub overrides: Vec<(String, u32)>,
    /// 32-bit words of each of the shadow's buffers, to be zero before each dispatch.
    pub buffers: Vec<u32>,
    /// How many racy granules the log has room for.
    pub log_entries: u32,
    /// The first word of the tally, if there is one.
    pub tally: u32,
    /// The first word of the trails, if they are kept and there is room for those of all workgroups.
    pub trails: Option<u32>,
    /// What has no shadow in this launch.
    pub unwatched: Vec<Unwatched>,
    /// Granules under watch, those of every workgroup counted.
    pub granules: u64,
    /// How many bits of a shadow word count barriers: in storage memory and textures, and in workgroup
    /// memory, where there are any to count.
    pub clocks: Vec<(&'static str, u32)>,
    /// The shadows in the buffers.
    pub stretches: Vec<Stretch>,
    /// Who has which slot, if workgroups share them.
    pub slots: Option<Slots>,
    binding_words: u32,
}

/// The slots that workgroups share, in the first buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The first of as many words as there are workgroups: the slot that each has, counted from 1.
    pub of_workgroups: u32,
    /// The first of as many words as there are slots: whether it is held.
    pub held: u32,
    /// How many there are. 0: not even these words have room.
    pub count: u32,
}

/// The shadow of one memory in the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The memory.
    pub global: Handle<GlobalVariable>,
    /// How long its words are.
    pub width: Width,
    /// Its first word, counted from the first of all words that are as long.
    pub first: u32,
    /// Granules of one instance of the memory.
    pub granules: u32,
    /// How many instances there are: as many as workgroups for workgroup memory, or as slots if these share
    /// them.
    pub instances: u32,
    /// Whether they do.
    pub shared: bool,
}

impl Layout {
    /// The layout for a launch of this shape. `bytes` gives the length of a watched buffer or texture
    /// in it, a texel counting as four.
    pub fn new(plan: &Plan, shape: Shape, bytes: impl Fn(&Watched) -> u64, limits: Limits) -> Self {
        let entry = match plan.purpose {
            Purpose::Detect => log::ENTRY,
            Purpose::Record => record::WORDS,
        };
        let tally_words = plan.tally.map_or(0, tally::length);
        let room = u64::from(limits.binding_words).min(limits.words) as u32;
        let room = room.saturating_sub(log::HEADER).saturating_sub(tally_words);
        let trail_words = shape.workgroups.checked_mul(trail::WORDS);
        // What is left is for all else.
        let trail_words = trail_words.filter(|&words| plan.trails && words <= room / 4);
        let room = room - trail_words.unwrap_or(0);
        let slots = plan.shared_slots.then(|| Slots::within(room / 2, shape, limits));
        let slot_words = slots.map_or(0, |slots| slots.words(shape));
        let log_entries = limits.log_entries.min((room - slot_words) / entry);
        let tally = log::HEADER + log_entries * entry;
        let trails = tally + tally_words;
        let slots_at = trails + trail_words.unwrap_or(0);
        let mut layout = Self {
            overrides: Vec::new(),
            buffers: Vec::new(),
            log_entries,
            tally,
            trails: trail_words.map(|_| trails),
            unwatched: Vec::new(),
            granules: 0,
            clocks: Vec::new(),
            stretches: Vec::new(),
            slots: slots.map(|slots| slots.from(slots_at, shape)),
            binding_words: limits.binding_words,
        };
        let head = slots_at + slot_words;
        if !plan.has_runtime() {
            layout.buffers.push(head);
            return layout;
        }
        layout.set(plan, "log_entries", log_entries);
        if plan.tally.is_some() {
            layout.set(plan, "tally_base", tally);
            layout.set(plan, "most_turns", limits.turns);
        }
        if plan.trails {
            layout.set(plan, "trail_base", layout.trails.unwrap_or(UNWATCHED));
        }
        for (name, width, needs) in plan.layouts() {
            let fields = limits.fields(shape, width, needs).unwrap_or_default();
            if needs.barriers {
                layout.clocks.push((name, fields.clock.count_ones()));
            }
            for ((field, needed), mask) in needs.fields().into_iter().zip(fields.masks()) {
                if needed {
                    layout.set(plan, &format!("{name}_{field}"), mask);
                }
            }
        }
        let mut space = Addresses::new(plan, head, limits);
        for class in [Space::Storage, Space::Texture, Space::Workgroup] {
            layout.place_class(plan, class, shape, &bytes, limits, &mut space);
        }
        if let Some(slots) = layout.slots {
            layout.set(plan, "slots", slots.count);
            layout.set(plan, "slots_of", slots.of_workgroups);
            if plan.purpose == Purpose::Detect {
                layout.set(plan, "slots_held", slots.held);
            }
        }
        layout.buffers = space.buffers(plan, limits.binding_words);
        if plan.spread().0 > 1 {
            layout.set(plan, "binding_words", limits.binding_words / halves(plan.width));
        }
        layout
    }

    /// Where a word of a stretch is: which buffer, and which 32-bit word of it (of a wide one, the lower
    /// half). `granule` counts through all instances.
    pub fn word(&self, stretch: &Stretch, granule: u32) -> (usize, usize) {
        let halves = halves(stretch.width);
        let at = stretch.first + granule;
        let each = (self.binding_words / halves).max(1);
        let first = u32::from(stretch.width == Width::Wide);
        ((first + at / each) as usize, (at % each * halves) as usize)
    }

    /// Bytes of shadow words. Those of workgroup memory count for each of so many workgroups, or for each slot if
    /// workgroups share slots.
    pub fn shadow_bytes(&self, plan: &Plan, workgroups: u32) -> u64 {
        let stretches = self.stretches.iter().map(|stretch| {
            let words = u64::from(stretch.granules) * u64::from(stretch.instances);
            words * u64::from(halves(stretch.width))
        });
        let own = u64::from(plan.workgroup_words) * u64::from(workgroups);
        (stretches.sum::<u64>() + own) * 4
    }

    fn set(&mut self, plan: &Plan, name: &str, value: u32) {
        self.overrides.push((format!("{}_{name}", plan.prefix), value));
    }

    /// Finds room for the shadows of all memory of one class, one after another; and says which words
    /// those are, for them to be swept.
    fn place_class(
        &mut self,
        plan: &Plan,
        class: Space,
        shape: Shape,
        bytes: impl Fn(&Watched) -> u64,
        limits: Limits,
        space: &mut Addresses,
    ) {
        let Some((width, needs)) = plan.layout(class).filter(|_| plan.watches(class)) else {
            return;
        };
        let fields = match plan.purpose {
            Purpose::Detect => limits.fields(shape, width, needs),
            // A mark needs no fields.
            Purpose::Record => Some(Fields::default()),
        };
        let first = space.next(width);
        if class == Space::Workgroup
            && let Some(slots) = &mut self.slots
        {
            slots.count = slots.count.min(space.room(width, plan.slot_words()));
        }
        for watched in plan.watched.iter().filter(|watched| watched.space == class) {
            match &watched.place {
                ShadowLocation::Storage(base) => {
                    let length = match class {
                        Space::Workgroup => watched.minimum.into(),
                        Space::Storage | Space::Texture => bytes(watched),
                    };
                    let (instances, shared) = match (class, self.slots) {
                        (Space::Workgroup, Some(slots)) => (slots.count, true),
                        (Space::Workgroup, None) => (shape.workgroups, false),
                        _ => (1, false),
                    };
                    let placed = match fields {
                        Some(_) => {
                            let placed = space.place(watched, width, length, instances);
                            placed.map(|stretch| Stretch { shared, ..stretch })
                        }
                        None => Err(NoShadow::TooManyInvocations),
                    };
                    self.placed(watched, base, placed, shape);
                }
                ShadowLocation::Workgroup(_) => {
                    let granules = u64::from(watched.granules.unwrap_or(0));
                    self.granules += granules * u64::from(shape.workgroups);
                }
            }
        }
        if plan.purpose == Purpose::Record || !needs.clocks() {
            return;
        }
        let words = space.next(width) - first;
        // Those that a barrier lets go on share the work.
        let sharing = match needs.subgroup_barriers {
            true => shape.subgroup_size,
            false => shape.workgroup_size,
        };
        let share = match class {
            Space::Workgroup => 0,
            Space::Storage | Space::Texture => words.div_ceil(sharing.max(1).into()),
        };
        let sweepable = fields.is_some_and(Fields::sweepable);
        let sweeps = sweepable && limits.sweep > 0 && share <= limits.sweep.into();
        let name = class_name(class);
        if class == Space::Workgroup {
            self.set(plan, &format!("{name}_swept"), sweeps.into());
        } else {
            self.set(plan, &format!("{name}_first"), first as u32);
            self.set(plan, &format!("{name}_swept"), if sweeps { words as u32 } else { 0 });
        }
    }

    /// Notes where the shadow of `watched` has been placed, or why it was not.
    fn placed(
        &mut self,
        watched: &Watched,
        base: &str,
        placed: Result<Stretch, NoShadow>,
        shape: Shape,
    ) {
        let first = match placed {
            Ok(stretch) => {
                let instances = if stretch.shared { shape.workgroups } else { stretch.instances };
                self.granules += u64::from(stretch.granules) * u64::from(instances);
                self.stretches.push(stretch);
                stretch.first
            }
            Err(reason) => {
                let name = watched.name.clone();
                self.unwatched.push(Unwatched { name, reason: NotWatched::NoShadow(reason) });
                UNWATCHED
            }
        };
        self.overrides.push((base.to_owned(), first));
    }
}

impl Slots {
    /// As many as can be told apart in `room` words.
    fn within(room: u32, shape: Shape, limits: Limits) -> Self {
        let count = limits.slots.min(shape.workgroups).min(room.saturating_sub(shape.workgroups));
        Self { of_workgroups: 0, held: 0, count }
    }

    /// The words they are told by.
    fn words(self, shape: Shape) -> u32 {
        if self.count == 0 { 0 } else { shape.workgroups + self.count }
    }

    /// Those words from `first` on.
    fn from(self, first: u32, shape: Shape) -> Self {
        Self { of_workgroups: first, held: first + shape.workgroups, ..self }
    }
}

/// The addresses of shadow words: those of 32 bits go through all buffers; if there are wide ones,
/// they stay in the first, and the wide ones go through the others.
struct Addresses {
    narrow: u64,
    narrow_end: u64,
    wide: u64,
    wide_end: u64,
    /// 32-bit words that may still be taken.
    left: u64,
}

impl Addresses {
    /// `head` words are taken already.
    fn new(plan: &Plan, head: u32, limits: Limits) -> Self {
        let each = u64::from(limits.binding_words);
        let count = plan.shadow.len() as u64;
        // An address is 32 bits.
        let end = |words: u64| words.min(UNWATCHED.into());
        let (narrow, wide) = match plan.width {
            Width::Narrow => (count, 0),
            Width::Wide => (1, count - 1),
        };
        Self {
            narrow: head.into(),
            narrow_end: end(narrow * each),
            wide: 0,
            wide_end: end(wide * (each / 2)),
            left: limits.words.saturating_sub(head.into()),
        }
    }

    fn next(&self, width: Width) -> u64 {
        match width {
            Width::Narrow => self.narrow,
            Width::Wide => self.wide,
        }
    }

    /// For how many stretches of `words` there is room.
    fn room(&self, width: Width, words: u64) -> u32 {
        let free = match width {
            Width::Narrow => self.narrow_end.saturating_sub(self.narrow),
            Width::Wide => self.wide_end.saturating_sub(self.wide),
        };
        let left = self.left / u64::from(halves(width));
        u32::try_from(free.min(left) / words.max(1)).unwrap_or(u32::MAX)
    }

    /// Room for the shadow of a memory of `bytes`.
    fn place(
        &mut self,
        watched: &Watched,
        width: Width,
        bytes: u64,
        instances: u32,
    ) -> Result<Stretch, NoShadow> {
        let all = bytes >> watched.granule_shift;
        let each = watched.granules.map_or(all, u64::from);
        if each == 0 || bytes < u64::from(watched.minimum) {
            return Err(NoShadow::BoundTooShort);
        }
        if instances == 0 {
            return Err(NoShadow::BuffersTooSmall);
        }
        let words = each * u64::from(instances);
        let taken = words * u64::from(halves(width));
        let (next, end) = match width {
            Width::Narrow => (&mut self.narrow, self.narrow_end),
            Width::Wide => (&mut self.wide, self.wide_end),
        };
        if *next + words > end || taken > self.left {
            return Err(NoShadow::BuffersTooSmall);
        }
        let first = *next as u32;
        *next += words;
        self.left -= taken;
        let (global, granules) = (watched.global, each as u32);
        Ok(Stretch { global, width, first, granules, instances, shared: false })
    }

    /// 32-bit words of each buffer. None is empty, as what is bound may not be.
    fn buffers(&self, plan: &Plan, binding_words: u32) -> Vec<u32> {
        let (spread, _) = plan.spread();
        let (head, words) = match plan.width {
            Width::Narrow => (None, self.narrow),
            Width::Wide => (Some(self.narrow as u32), self.wide * 2),
        };
        let halves = halves(plan.width);
        let each = u64::from(binding_words / halves * halves);
        let part = |index: usize| words.saturating_sub(index as u64 * each).clamp(2, each.max(2));
        head.into_iter().chain((0..spread).map(|index| part(index) as u32)).collect()
    }
}

/// How many words of 32 bits a shadow word takes.
fn halves(width: Width) -> u32 {
    match width {
        Width::Narrow => 1,
        Width::Wide => 2,
    }
}
