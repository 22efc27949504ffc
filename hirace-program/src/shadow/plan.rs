//! The location of the shadow of each watched memory in an instrumented module.
//!
//! A [`WatchPlan`] decides what is watched. A [`Plan`] follows from it and from the module, and applies to every launch of the
//! module.

use super::fields::{Needs, Width};
use crate::ir::memory::Space;
use crate::ir::sites::SiteKind;
use crate::ir::unused;
use crate::program::Program;
use crate::watch::{Granules, SharedVariable, WatchPlan};
use naga::{AddressSpace, Barrier, GlobalVariable, Handle, Module, ResourceBinding};
use rustc_hash::FxHashMap;

/// The location of the transition table. `cargo bench -p hirace-cli --bench device` compares the locations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Table {
    /// In a read-only storage buffer, which the host must fill. Fast on all devices.
    #[default]
    Buffer,
    /// In a private variable; each invocation has a copy.
    Private,
    /// In a constant. Some compilers copy it at each look-up, which is at least 100 times slower.
    Constant,
    /// No table: each transition is computed. Uses no binding and no memory.
    Computed,
}

/// The purpose of an instrumented module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To detect which granules race.
    #[default]
    Detect,
    /// To record the accesses to the granules that the host has marked.
    Record,
}

/// Options of the instrumentation, including properties of the device.
#[derive(Clone, Debug)]
pub struct Options {
    /// The location of the transition table.
    pub table: Table,
    /// Bytes of workgroup memory that the device has, for the program and the shadow.
    pub workgroup_memory: u32,
    /// The width of shadow words of storage memory and textures. Those of workgroup memory always have 32 bits.
    pub width: Width,
    /// The number of storage bindings for the shadow: at least one, and at least two if words are wide.
    pub bindings: u32,
    /// Whether there are fewer shadows of workgroup memory in storage than workgroups, so that workgroups share them.
    pub shared_slots: bool,
    /// The purpose of the module.
    pub purpose: Purpose,
    /// Whether to record for each site whether it ran and whether an index was out of bounds, and to end loops with too many
    /// iterations.
    pub tally: bool,
    /// Whether to clamp indices into all shared memory, watched or not.
    pub clamps: bool,
    /// Whether to record if all invocations of a workgroup reach the same barriers.
    pub trails: bool,
    /// Whether to omit checks that another check of the same invocation and address makes redundant, when detecting races.
    pub omits_redundant_checks: bool,
    /// Whether to do as little as possible at each access, for devices that execute all code there even if it is not needed. Of
    /// errors, only the fact that one occurred is recorded; the same module without this option reports details. The host reads
    /// racy words of storage directly from the shadow, and the words of workgroup memory are scanned when the workgroup ends.
    /// Cannot be combined with trails, because an invocation that is dropped at a barrier does not reach the scan.
    pub detects_only: bool,
}

impl Default for Options {
    /// Returns options for WebGPU's guaranteed limits.
    fn default() -> Self {
        Self {
            table: Table::default(),
            workgroup_memory: 16384,
            width: Width::default(),
            bindings: 1,
            shared_slots: false,
            purpose: Purpose::default(),
            tally: false,
            clamps: false,
            trails: false,
            omits_redundant_checks: true,
            detects_only: false,
        }
    }
}

/// The location of the shadow of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShadowLocation {
    /// In the shadow's storage buffer, starting at the word given by the override of this name.
    Storage(String),
    /// In the shadow's workgroup variable, starting at this word.
    Workgroup(u32),
}

/// A watched memory.
#[derive(Clone, Debug)]
pub struct WatchedMemory {
    /// The variable. Its handle is the same in the program and in the instrumented module.
    pub global: Handle<GlobalVariable>,
    /// Its name, for messages.
    pub name: String,
    /// The kind of memory.
    pub space: Space,
    /// log2 of the bytes of a granule.
    pub granule_shift: u32,
    /// The number of granules, if it is the same in every launch.
    pub granules: Option<u32>,
    /// The minimum number of bytes to bind: WebGPU requires at least one element in a runtime-sized array.
    pub minimum: u32,
    /// The location of its shadow.
    pub place: ShadowLocation,
}

/// The locations of shadows in an instrumented module. See the [module](self).
#[derive(Clone, Debug)]
pub struct Plan {
    /// The prefix of every name that the pass adds; `hirace` unless the program uses it.
    pub prefix: String,
    /// The bindings of the shadow's buffers. The first contains the head, the log, the tally and the trails.
    pub shadow: Vec<ResourceBinding>,
    /// The width of shadow words of storage memory and textures. Wide words are in the buffers after the first.
    pub width: Width,
    /// The binding of the transition table, if it has one.
    pub table_binding: Option<ResourceBinding>,
    /// The location of the transition table.
    pub table: Table,
    /// The purpose of the module.
    pub purpose: Purpose,
    /// The number of sites with a record in the tally, if there is one.
    pub tally: Option<u32>,
    /// Whether indices are clamped in all shared memory, not only in watched memory.
    pub clamps: bool,
    /// Whether trails are recorded.
    pub trails: bool,
    /// Whether as little as possible is done at each access, and the remaining results are recorded when an invocation ends.
    pub defers_records: bool,
    /// Whether workgroups share the shadows of workgroup memory in storage, called slots. When detecting races, a workgroup holds
    /// a slot while it runs; when recording, the host assigns slots.
    pub shared_slots: bool,
    /// The watched memories.
    pub watched: Vec<WatchedMemory>,
    /// Words of the shadow's workgroup variable.
    pub workgroup_words: u32,
    /// The properties that words of storage and texture shadow must distinguish; `None` if there are no such words.
    pub dispatch: Option<Needs>,
    /// The properties that words of workgroup shadow must distinguish; `None` if there are no such words.
    pub workgroup: Option<Needs>,
    by_global: FxHashMap<Handle<GlobalVariable>, usize>,
}

impl Plan {
    /// Creates the plan for the sites of `program` that `watch` selects.
    pub fn new(program: &Program, watch: &WatchPlan, options: &Options) -> Self {
        let module = &program.module;
        let prefix = unused::prefix(module);
        // A record mark always fits in 32 bits.
        let width = match options.purpose {
            Purpose::Detect => options.width,
            Purpose::Record => Width::Narrow,
        };
        let least = if width == Width::Wide { 2 } else { 1 };
        let mut free = unused::bindings(module);
        let mut shadow: Vec<_> = free.next().into_iter().collect();
        let table = free.next();
        shadow.extend(free.take(options.bindings.max(least) as usize - 1));
        let mut plan = Self {
            shadow,
            width,
            table_binding: table
                .filter(|_| options.table == Table::Buffer && options.purpose == Purpose::Detect),
            table: options.table,
            purpose: options.purpose,
            tally: options.tally.then_some(program.sites.list.len() as u32),
            clamps: options.clamps || options.tally,
            trails: options.trails,
            defers_records: options.detects_only
                && !options.trails
                && options.purpose == Purpose::Detect,
            shared_slots: false,
            watched: Vec::new(),
            workgroup_words: 0,
            dispatch: None,
            workgroup: None,
            by_global: FxHashMap::default(),
            prefix,
        };
        let mut free = match options.purpose {
            Purpose::Detect => {
                options.workgroup_memory.saturating_sub(workgroup_memory(program, watch)) / 4
            }
            // The host cannot set marks in workgroup memory.
            Purpose::Record => 0,
        };
        for memory in watch.memories() {
            if let Ok(granules) = memory.watched {
                plan.add(module, memory, granules, &mut free);
            }
        }
        let barriers = barriers(program, watch);
        let needs = |workgroups, classes| Needs {
            workgroups,
            barriers: barriers.intersects(classes),
            subgroup_barriers: barriers.contains(Barrier::SUB_GROUP),
        };
        plan.shared_slots = options.shared_slots && plan.has_slots();
        if plan.watches(Space::Storage) || plan.watches(Space::Texture) {
            plan.dispatch = Some(needs(true, Barrier::STORAGE | Barrier::TEXTURE));
        }
        if plan.watches(Space::Workgroup) {
            plan.workgroup = Some(needs(false, Barrier::WORK_GROUP));
        }
        plan
    }

    /// Adds a shadow for one more memory. `free` is the number of remaining words of workgroup memory.
    fn add(&mut self, module: &Module, memory: &SharedVariable, of: Granules, free: &mut u32) {
        let SharedVariable { global, ref name, .. } = *memory;
        let Granules { space, shift: granule_shift } = of;
        let inner = &module.types[module.global_variables[global].ty].inner;
        let minimum = inner.size(module.to_ctx());
        let is_fixed = space != Space::Texture && !inner.is_dynamically_sized(&module.types);
        let granules = is_fixed.then(|| minimum.div_ceil(1 << granule_shift));
        let place = match granules {
            Some(granules) if space == Space::Workgroup && granules <= *free => {
                *free -= granules;
                self.workgroup_words += granules;
                ShadowLocation::Workgroup(self.workgroup_words - granules)
            }
            _ => ShadowLocation::Storage(format!(
                "{}_{}_base",
                self.prefix,
                identifier(name, global)
            )),
        };
        let name = name.clone();
        self.by_global.insert(global, self.watched.len());
        self.watched.push(WatchedMemory {
            global,
            name,
            space,
            granule_shift,
            granules,
            minimum,
            place,
        });
    }

    /// Returns how `global` is watched, if it is.
    pub fn watched(&self, global: Handle<GlobalVariable>) -> Option<&WatchedMemory> {
        self.by_global.get(&global).map(|&index| &self.watched[index])
    }

    /// Returns whether any memory of this kind is watched.
    pub fn watches(&self, space: Space) -> bool {
        self.watched.iter().any(|watched| watched.space == space)
    }

    /// Returns whether any workgroup memory has its shadow in storage.
    pub fn has_slots(&self) -> bool {
        self.slot_words() > 0
    }

    /// Returns the number of shadow words in storage that each workgroup needs for its workgroup memory.
    pub fn slot_words(&self) -> u64 {
        let own = |w: &&WatchedMemory| {
            w.space == Space::Workgroup && matches!(w.place, ShadowLocation::Storage(_))
        };
        self.watched.iter().filter(own).filter_map(|w| w.granules).map(u64::from).sum()
    }

    /// Returns whether the module contains the runtime.
    pub fn has_runtime(&self) -> bool {
        !self.watched.is_empty() || self.tally.is_some() || self.trails
    }

    /// Returns whether the module distinguishes subgroups.
    pub fn has_subgroups(&self) -> bool {
        [self.dispatch, self.workgroup].iter().flatten().any(|needs| needs.subgroup_barriers)
    }

    /// Returns whether there are clocks that may restart.
    pub fn sweeps(&self) -> bool {
        self.layouts().any(|(_, _, needs)| needs.clocks())
    }

    /// Returns the number of bindings for the shadow words of storage memory and textures, and the index of the first of them.
    pub fn spread(&self) -> (usize, usize) {
        let first = usize::from(self.width == Width::Wide);
        (self.shadow.len() - first, first)
    }

    /// Iterates over the layouts of shadow words, with their names in the instrumented module.
    pub fn layouts(&self) -> impl Iterator<Item = (&'static str, Width, Needs)> {
        let packed = self.purpose == Purpose::Detect;
        let layouts = [Space::Storage, Space::Workgroup].into_iter().filter(move |_| packed);
        layouts.filter_map(|space| {
            let (width, needs) = self.layout(space)?;
            Some((layout_name(space), width, needs))
        })
    }

    /// Returns the layout of the shadow words of memory of this kind, if any is watched.
    pub fn layout(&self, space: Space) -> Option<(Width, Needs)> {
        match space {
            Space::Storage | Space::Texture => Some((self.width, self.dispatch?)),
            Space::Workgroup => Some((Width::Narrow, self.workgroup?)),
        }
    }
}

/// Returns the name of this kind of memory in the instrumented module.
pub fn class_name(space: Space) -> &'static str {
    match space {
        Space::Storage => "storage",
        Space::Texture => "texture",
        Space::Workgroup => "workgroup",
    }
}

/// Returns the name of the shadow word layout of this kind of memory in the instrumented module.
pub fn layout_name(space: Space) -> &'static str {
    match space {
        Space::Storage | Space::Texture => "dispatch",
        Space::Workgroup => "workgroup",
    }
}

/// Returns the classes of the barriers that the entry points of `watch` can reach.
fn barriers(program: &Program, watch: &WatchPlan) -> Barrier {
    let mut barriers = Barrier::empty();
    for site in program.sites.list.iter().filter(|site| watch.reaches(site.function)) {
        if let SiteKind::Barrier(barrier) = &site.kind {
            barriers |= barrier.in_workgroup;
            if !barrier.in_subgroup.is_empty() {
                barriers |= Barrier::SUB_GROUP;
            }
        }
    }
    barriers
}

/// Returns the largest number of bytes of workgroup memory that any of these entry points uses.
fn workgroup_memory(program: &Program, watch: &WatchPlan) -> u32 {
    let module = &program.module;
    let used = watch.entries().iter().map(|entry| {
        let info = program.info.get_entry_point(*entry);
        let used = module.global_variables.iter().filter(|&(global, variable)| {
            variable.space == AddressSpace::WorkGroup && !info[global].is_empty()
        });
        let sizes = used.map(|(_, variable)| {
            module.types[variable.ty].inner.size(module.to_ctx()).next_multiple_of(16)
        });
        sizes.sum()
    });
    used.max().unwrap_or(0)
}

/// Returns a part of an identifier that contains `name` if possible, is ASCII, and is not changed by naga's writers.
fn identifier(name: &str, global: Handle<GlobalVariable>) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with('_')
        && !name.ends_with('_')
        && !name.contains("__");
    if plain { name.to_owned() } else { format!("variable_{}", global.index()) }
}
