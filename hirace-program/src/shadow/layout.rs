//! The layout of the shadow for one launch: what the instrumented module's overrides are set to.

use super::fields::{Fields, Needs};
use super::plan::{Place, Plan, Purpose, Unwatched, Watched};
use super::{log, record, tally};
use crate::ir::memory::Shape;
use crate::ir::memory::Space;
use naga::{GlobalVariable, Handle};

/// The base of a memory that a launch does not watch.
pub const UNWATCHED: u32 = u32::MAX;

/// What a device can hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Words of the shadow's buffer.
    pub words: u32,
    /// Racy granules that the log should have room for.
    pub log_entries: u32,
    /// The most bits that a clock is given. Fewer than there is room for are of use to tests only.
    pub clock_bits: u32,
    /// Turns of loops that an invocation may take, if they are counted.
    pub turns: u32,
}

impl Default for Limits {
    /// A gigabyte of shadow, and a log that no report would show in full.
    fn default() -> Self {
        Self { words: 1 << 28, log_entries: 1 << 16, clock_bits: u32::BITS, turns: u32::MAX }
    }
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name and value of each override.
    pub overrides: Vec<(String, u32)>,
    /// Words of the shadow's buffer, to be zero before each dispatch.
    pub words: u32,
    /// How many racy granules the log has room for.
    pub log_entries: u32,
    /// The first word of the tally, if there is one.
    pub tally: u32,
    /// What is not watched in this launch, with the plan's own.
    pub unwatched: Vec<Unwatched>,
    /// Granules under watch, those of every workgroup counted.
    pub granules: u64,
    /// How many bits of a shadow word count barriers: in storage memory and textures, and in workgroup
    /// memory, where there are any to count.
    pub clocks: Vec<(&'static str, u32)>,
    /// The shadows in the buffer.
    pub stretches: Vec<Stretch>,
}

/// The shadow of one memory in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The memory.
    pub global: Handle<GlobalVariable>,
    /// Its first word.
    pub first: u32,
    /// Granules of one instance of the memory.
    pub granules: u32,
    /// How many instances there are: as many as workgroups for workgroup memory.
    pub instances: u32,
}

impl Layout {
    /// The layout for a launch of this shape. `bytes` tells the length of a watched buffer or texture
    /// in it, a texel counting as four.
    pub fn new(plan: &Plan, shape: Shape, bytes: impl Fn(&Watched) -> u64, limits: Limits) -> Self {
        let fields = |needs: Option<Needs>| match plan.purpose {
            Purpose::Detect => Fields::new(shape, needs?, limits.clock_bits),
            // A mark needs no fields.
            Purpose::Record => Some(Fields::default()),
        };
        let (dispatch, workgroup) = (fields(plan.dispatch), fields(plan.workgroup));
        let entry = match plan.purpose {
            Purpose::Detect => log::ENTRY,
            Purpose::Record => record::WORDS,
        };
        let tally_words = plan.tally.unwrap_or(0).saturating_mul(tally::WORDS);
        let room = limits.words.saturating_sub(log::HEADER).saturating_sub(tally_words);
        let log_entries = limits.log_entries.min(room / entry);
        let tally = log::HEADER + log_entries * entry;
        let mut layout = Self {
            overrides: Vec::new(),
            words: tally + tally_words,
            log_entries,
            tally,
            unwatched: plan.unwatched.clone(),
            granules: 0,
            clocks: Vec::new(),
            stretches: Vec::new(),
        };
        if !plan.has_runtime() {
            return layout;
        }
        layout.overrides.push((format!("{}_log_entries", plan.prefix), log_entries));
        if plan.tally.is_some() {
            layout.overrides.push((format!("{}_tally_base", plan.prefix), tally));
            layout.overrides.push((format!("{}_most_turns", plan.prefix), limits.turns));
        }
        for (name, needs) in plan.layouts() {
            let fields = Fields::new(shape, needs, limits.clock_bits).unwrap_or_default();
            if needs.barriers {
                layout.clocks.push((name, fields.clock.count_ones()));
            }
            for ((field, needed), mask) in needs.fields().into_iter().zip(fields.masks()) {
                if needed {
                    layout.overrides.push((format!("{}_{name}_{field}", plan.prefix), mask));
                }
            }
        }
        for watched in &plan.watched {
            let fields = if watched.space == Space::Workgroup { workgroup } else { dispatch };
            match &watched.place {
                Place::Storage(base) => {
                    let length = match watched.space {
                        Space::Workgroup => watched.minimum.into(),
                        Space::Storage | Space::Texture => bytes(watched),
                    };
                    let first = layout.place(watched, shape, length, fields, limits);
                    layout.overrides.push((base.clone(), first.unwrap_or(UNWATCHED)));
                }
                Place::Workgroup(_) => {
                    let granules = u64::from(watched.granules.unwrap_or(0));
                    layout.granules += granules * u64::from(shape.workgroups);
                }
            }
        }
        layout
    }

    /// Finds room for the shadow of a memory of `bytes`.
    fn place(
        &mut self,
        watched: &Watched,
        shape: Shape,
        bytes: u64,
        fields: Option<Fields>,
        limits: Limits,
    ) -> Option<u32> {
        let instances = if watched.space == Space::Workgroup { shape.workgroups } else { 1 };
        let all = bytes >> watched.granule_shift;
        let each = watched.granules.map_or(all, u64::from);
        let end = u64::from(self.words) + each * u64::from(instances);
        let reason = if fields.is_none() {
            "has no room in its shadow words for the ids of so many invocations"
        } else if each == 0 || bytes < u64::from(watched.minimum) {
            "is bound to less than its type needs"
        } else if end > u64::from(limits.words) {
            "has no room for its shadow in a buffer of the device"
        } else {
            let first = self.words;
            self.words = end as u32;
            self.granules += each * u64::from(instances);
            let (global, granules) = (watched.global, each as u32);
            self.stretches.push(Stretch { global, first, granules, instances });
            return Some(first);
        };
        self.unwatched.push(Unwatched { name: watched.name.clone(), reason: reason.to_owned() });
        None
    }
}
