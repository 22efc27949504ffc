//! The shadow layout of one launch: the values of the instrumented module's overrides.

use super::fields::{Fields, Needs, Width};
use super::plan::{Plan, Purpose, ShadowLocation, WatchedMemory, class_name};
use super::{log, record, tally, trail};
use crate::ir::memory::{Shape, Space};
use crate::watch::{NoShadow, NotWatched, UnwatchedVariable};
use naga::{GlobalVariable, Handle};

/// The base of a memory that is not watched in a launch.
pub const UNWATCHED: u32 = u32::MAX;

/// Limits of a device.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Storage bindings that are available for the shadow and the transition table.
    pub bindings: u32,
    /// Whether 64-bit atomics are available.
    pub wide: bool,
    /// 32-bit words in one binding of the shadow.
    pub binding_words: u32,
    /// 32-bit words in all bindings of the shadow.
    pub words: u64,
    /// The desired capacity of the log, in racy granules.
    pub log_entries: u32,
    /// The maximum number of clock bits in a narrow word. Only tests use fewer bits than are available.
    pub clock_bits: u32,
    /// The maximum number of clock bits in a wide word.
    pub wide_clock_bits: u32,
    /// The maximum number of words that an invocation may examine each time a clock restarts. With 0, clocks stop when they would
    /// overflow. It must be 0 where not all invocations of a workgroup pass each barrier, because an invocation that does not
    /// would leave its share of the words unswept.
    pub sweep: u32,
    /// The maximum number of loop iterations of an invocation, if they are counted.
    pub max_iterations: u32,
    /// Bytes of workgroup memory that are available for the program and the shadow.
    pub workgroup_memory: u32,
    /// The maximum number of workgroups whose workgroup memory has a shadow in storage at the same time.
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
    /// Returns limits of a gigabyte of shadow per binding, a log larger than any report shows in full, and more slots than the
    /// number of workgroups that devices run concurrently.
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
            max_iterations: u32::MAX,
            workgroup_memory: u32::MAX,
            slots: 1 << 13,
        }
    }
}

/// The shadow layout of a launch. See the [module](self).
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name and value of each override.
    pub overrides: Vec<(String, u32)>,
    /// 32-bit words of each shadow buffer. The buffers must be zero before each dispatch.
    pub buffers: Vec<u32>,
    /// The capacity of the log, in racy granules.
    pub log_entries: u32,
    /// The first word of the tally, if there is one.
    pub tally: u32,
    /// The first word of the trails, if they are recorded and fit for all workgroups.
    pub trails: Option<u32>,
    /// The memories without a shadow in this launch.
    pub unwatched: Vec<UnwatchedVariable>,
    /// Number of watched granules, over all workgroups.
    pub granules: u64,
    /// The number of clock bits in shadow words of storage memory and textures, and of workgroup memory, if there are barriers to
    /// count.
    pub clocks: Vec<(&'static str, u32)>,
    /// The shadows in the buffers.
    pub stretches: Vec<ShadowRegion>,
    /// The slot of each workgroup, if workgroups share slots.
    pub slots: Option<Slots>,
    binding_words: u32,
}

/// The slots that workgroups share, in the first buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The first of as many words as there are workgroups: the slot of each, counted from 1.
    pub of_workgroups: u32,
    /// The first of as many words as there are slots: whether the slot is held.
    pub held: u32,
    /// Number of slots. 0 if not even these words fit.
    pub count: u32,
}

/// The shadow of one memory in the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowRegion {
    /// The memory.
    pub global: Handle<GlobalVariable>,
    /// The width of its words.
    pub width: Width,
    /// The index of its first word, among all words of the same width.
    pub first: u32,
    /// Granules per instance of the memory.
    pub granules: u32,
    /// Number of instances: the number of workgroups for workgroup memory, or the number of slots if workgroups share them.
    pub instances: u32,
    /// Whether workgroups share slots.
    pub shared: bool,
}

impl Layout {
    /// Computes the layout for a launch of this shape. `bytes` returns the length of a watched buffer or texture in the launch; a
    /// texel counts as four bytes.
    pub fn new(
        plan: &Plan,
        shape: Shape,
        bytes: impl Fn(&WatchedMemory) -> u64,
        limits: Limits,
    ) -> Self {
        let entry = match plan.purpose {
            Purpose::Detect => log::ENTRY,
            Purpose::Record => record::WORDS,
        };
        let tally_words = plan.tally.map_or(0, tally::length);
        let room = u64::from(limits.binding_words).min(limits.words) as u32;
        let room = room.saturating_sub(log::HEADER).saturating_sub(tally_words);
        let trail_words = shape.workgroups.checked_mul(trail::WORDS);
        // The rest is for everything else.
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
            layout.set(plan, "tally_start", tally);
            layout.set(plan, "max_iterations", limits.max_iterations);
        }
        if plan.trails {
            layout.set(plan, "trails_start", layout.trails.unwrap_or(UNWATCHED));
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
            layout.set(plan, "slot_count", slots.count);
            layout.set(plan, "assigned_slots_start", slots.of_workgroups);
            if plan.purpose == Purpose::Detect {
                layout.set(plan, "held_slots_start", slots.held);
            }
        }
        layout.buffers = space.buffers(plan, limits.binding_words);
        if plan.spread().0 > 1 {
            layout.set(plan, "binding_words", limits.binding_words / halves(plan.width));
        }
        layout
    }

    /// Returns the position of a word of a stretch: the index of the buffer, and of the 32-bit word in it (for a wide word, of
    /// the lower half). `granule` counts through all instances.
    pub fn word(&self, stretch: &ShadowRegion, granule: u32) -> (usize, usize) {
        let halves = halves(stretch.width);
        let at = stretch.first + granule;
        let each = (self.binding_words / halves).max(1);
        let first = u32::from(stretch.width == Width::Wide);
        ((first + at / each) as usize, (at % each * halves) as usize)
    }

    /// Returns the number of bytes of shadow words. The shadow of workgroup memory counts once for each of `workgroups`
    /// workgroups, or for each slot if workgroups share slots.
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

    /// Places the shadows of all memories of one class consecutively, and sets the range of words to sweep.
    fn place_class(
        &mut self,
        plan: &Plan,
        class: Space,
        shape: Shape,
        bytes: impl Fn(&WatchedMemory) -> u64,
        limits: Limits,
        space: &mut Addresses,
    ) {
        let Some((width, needs)) = plan.layout(class).filter(|_| plan.watches(class)) else {
            return;
        };
        let fields = match plan.purpose {
            Purpose::Detect => limits.fields(shape, width, needs),
            // A record mark has no fields.
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
                            placed.map(|stretch| ShadowRegion { shared, ..stretch })
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
        // The invocations that a barrier releases share the sweep.
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
            self.set(plan, &format!("{name}_first_swept"), first as u32);
            self.set(plan, &format!("{name}_swept"), if sweeps { words as u32 } else { 0 });
        }
    }

    /// Records the stretch of `watched`, or why it has none.
    fn placed(
        &mut self,
        watched: &WatchedMemory,
        base: &str,
        placed: Result<ShadowRegion, NoShadow>,
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
                self.unwatched
                    .push(UnwatchedVariable { name, reason: NotWatched::NoShadow(reason) });
                UNWATCHED
            }
        };
        self.overrides.push((base.to_owned(), first));
    }
}

impl Slots {
    /// Returns as many slots as `room` words can describe.
    fn within(room: u32, shape: Shape, limits: Limits) -> Self {
        let count = limits.slots.min(shape.workgroups).min(room.saturating_sub(shape.workgroups));
        Self { of_workgroups: 0, held: 0, count }
    }

    /// Returns the number of words that describe the slots.
    fn words(self, shape: Shape) -> u32 {
        if self.count == 0 { 0 } else { shape.workgroups + self.count }
    }

    /// Returns the slots with their words starting at `first`.
    fn from(self, first: u32, shape: Shape) -> Self {
        Self { of_workgroups: first, held: first + shape.workgroups, ..self }
    }
}

/// The allocator of shadow words. Narrow words use all buffers. If there are wide words, narrow words stay in the first buffer
/// and wide words use the others.
struct Addresses {
    narrow: u64,
    narrow_end: u64,
    wide: u64,
    wide_end: u64,
    /// 32-bit words that remain.
    left: u64,
}

impl Addresses {
    /// Creates the allocator with `head` words in use.
    fn new(plan: &Plan, head: u32, limits: Limits) -> Self {
        let each = u64::from(limits.binding_words);
        let count = plan.shadow.len() as u64;
        // An address has 32 bits.
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

    /// Returns the number of stretches of `words` words that fit.
    fn room(&self, width: Width, words: u64) -> u32 {
        let free = match width {
            Width::Narrow => self.narrow_end.saturating_sub(self.narrow),
            Width::Wide => self.wide_end.saturating_sub(self.wide),
        };
        let left = self.left / u64::from(halves(width));
        u32::try_from(free.min(left) / words.max(1)).unwrap_or(u32::MAX)
    }

    /// Allocates the shadow of a memory of `bytes` bytes.
    fn place(
        &mut self,
        watched: &WatchedMemory,
        width: Width,
        bytes: u64,
        instances: u32,
    ) -> Result<ShadowRegion, NoShadow> {
        let all = bytes >> watched.granule_shift;
        let each = watched.granules.map_or(all, u64::from);
        if each == 0 || bytes < u64::from(watched.minimum) {
            return Err(NoShadow::LimitTooSmall);
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
        Ok(ShadowRegion { global, width, first, granules, instances, shared: false })
    }

    /// Returns the 32-bit words of each buffer. No buffer is empty, because a bound buffer must not be.
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

/// Returns the number of 32-bit words in a shadow word.
fn halves(width: Width) -> u32 {
    match width {
        Width::Narrow => 1,
        Width::Wide => 2,
    }
}
