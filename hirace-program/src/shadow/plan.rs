//! Where in an instrumented module the shadow of each memory lives that is watched.
//!
//! What is watched, a [`WatchPlan`] says. A plan follows from that and from the module, and holds for every
//! launch of it.

use super::fields::{Needs, Width};
use crate::ir::memory::Space;
use crate::ir::sites::SiteKind;
use crate::ir::unused;
use crate::program::Program;
use crate::watch::{Granules, SharedVariable, WatchPlan};
use naga::{AddressSpace, Barrier, GlobalVariable, Handle, Module, ResourceBinding};
use rustc_hash::FxHashMap;

/// Where the transition table stands. `cargo bench -p hirace-cli --bench device` compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Table {
    /// In a storage buffer of its own, read-only: the host has to fill it. Fast everywhere.
    #[default]
    Buffer,
    /// In a private variable, of which each invocation has a copy.
    Private,
    /// In a constant. Some compilers copy it at each look-up, which is 100 times slower and more.
    Constant,
    /// Nowhere: each transition is computed. Takes no binding and reads no memory.
    Computed,
}

/// What an instrumented module is to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Which granules race.
    #[default]
    Detect,
    /// Who accesses the granules that the host has marked, and when.
    Record,
}

/// How to instrument, and for what kind of device.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the transition table stands.
    pub table: Table,
    /// Bytes of workgroup memory the device has, for the program and the shadow.
    pub workgroup_memory: u32,
    /// Shadow words of storage memory and textures. Those of workgroup memory need no more than 32 bits.
    pub width: Width,
    /// Storage bindings that the shadow is spread over: one at least, and two if words are wide.
    pub bindings: u32,
    /// Whether there are fewer shadows of workgroup memory in storage than workgroups, so that these share
    /// them.
    pub shared_slots: bool,
    /// What to find out.
    pub purpose: Purpose,
    /// Also note of each site whether it ran and whether an index was out of bounds, and make loops
    /// end that take too many turns.
    pub tally: bool,
    /// Clamp indices into all memory that is shared, whatever is noted of them.
    pub clamps: bool,
    /// Also note whether all invocations of a workgroup come to the same barriers.
    pub trails: bool,
    /// Leave out checks of which one of the same invocation and address says as much, if it looks for races.
    pub spares: bool,
    /// Note as little as can be beside an access, for devices that go through all that is said there, whether it is to be
    /// done or not. Of what goes wrong nothing is noted but that it does: the same module without this says more. Of words
    /// that race, those that the host can read say so by themselves, and those of workgroup memory are looked through
    /// when a workgroup is done. Not if trails are kept: who is dropped at a barrier does not come to its end.
    pub late: bool,
}

impl Default for Options {
    /// WebGPU's guaranteed limits.
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
            spares: true,
            late: false,
        }
    }
}

/// Where the shadow of a memory lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShadowLocation {
    /// In the shadow's storage buffer, from the word on that the override of this name says.
    Storage(String),
    /// In the shadow's workgroup variable, from this word on.
    Workgroup(u32),
}

/// A memory under watch.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The variable; the same handle in the program and in the instrumented module.
    pub global: Handle<GlobalVariable>,
    /// Its name, for messages.
    pub name: String,
    /// Its kind.
    pub space: Space,
    /// log2 of the bytes of a granule.
    pub granule_shift: u32,
    /// How many granules it has, if it has the same number in every launch.
    pub granules: Option<u32>,
    /// The fewest bytes it may be bound to: WebGPU wants one element at least in a runtime-sized array.
    pub minimum: u32,
    /// Where its shadow lives.
    pub place: ShadowLocation,
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Plan {
    /// What every name that the pass adds starts with; `hirace` unless the program uses that.
    pub prefix: String,
    /// The bindings of the shadow's buffers. The first has the head, the log, the tally and the trails.
    pub shadow: Vec<ResourceBinding>,
    /// Shadow words of storage memory and textures. If wide, they have the buffers after the first.
    pub width: Width,
    /// The binding of the transition table, if it has one.
    pub table_binding: Option<ResourceBinding>,
    /// Where the transition table stands.
    pub table: Table,
    /// What the module finds out.
    pub purpose: Purpose,
    /// How many sites have a record in the tally, if there is one.
    pub tally: Option<u32>,
    /// Whether indices are clamped in all memory that is shared, and not only in what is watched.
    pub clamps: bool,
    /// Whether trails are kept.
    pub trails: bool,
    /// Whether as little as can be is noted beside an access.
    pub late: bool,
    /// Whether workgroups share the shadows of workgroup memory in storage, called slots: one that looks for
    /// races holds a slot while it runs, one that records has been given it.
    pub shared_slots: bool,
    /// What is watched.
    pub watched: Vec<Watched>,
    /// Words of the shadow's workgroup variable.
    pub workgroup_words: u32,
    /// What words of storage and texture shadow have to tell apart; `None` if there are none.
    pub dispatch: Option<Needs>,
    /// What words of workgroup shadow have to tell apart; `None` if there are none.
    pub workgroup: Option<Needs>,
    by_global: FxHashMap<Handle<GlobalVariable>, usize>,
}

impl Plan {
    /// The plan for what `watch` watches of `program`.
    pub fn new(program: &Program, watch: &WatchPlan, options: &Options) -> Self {
        let module = &program.module;
        let prefix = unused::prefix(module);
        // A mark is as good in 32 bits.
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
            late: options.late && !options.trails && options.purpose == Purpose::Detect,
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
            // The host cannot mark what is in workgroup memory.
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

    /// Gives one more memory a shadow. `free` is how many words of workgroup memory are left.
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
        self.watched.push(Watched { global, name, space, granule_shift, granules, minimum, place });
    }

    /// How `global` is watched, if it is.
    pub fn watched(&self, global: Handle<GlobalVariable>) -> Option<&Watched> {
        self.by_global.get(&global).map(|&index| &self.watched[index])
    }

    /// Whether any memory of this kind is watched.
    pub fn watches(&self, space: Space) -> bool {
        self.watched.iter().any(|watched| watched.space == space)
    }

    /// Whether the shadow of any workgroup memory lives in storage.
    pub fn has_slots(&self) -> bool {
        self.slot_words() > 0
    }

    /// Shadow words of workgroup memory that each workgroup has in storage.
    pub fn slot_words(&self) -> u64 {
        let own = |w: &&Watched| {
            w.space == Space::Workgroup && matches!(w.place, ShadowLocation::Storage(_))
        };
        self.watched.iter().filter(own).filter_map(|w| w.granules).map(u64::from).sum()
    }

    /// Whether the runtime is there at all.
    pub fn has_runtime(&self) -> bool {
        !self.watched.is_empty() || self.tally.is_some() || self.trails
    }

    /// Whether the module tells subgroups apart.
    pub fn has_subgroups(&self) -> bool {
        [self.dispatch, self.workgroup].iter().flatten().any(|needs| needs.subgroup_barriers)
    }

    /// Whether there are clocks that may start anew.
    pub fn sweeps(&self) -> bool {
        self.layouts().any(|(_, _, needs)| needs.clocks())
    }

    /// How many of the bindings the shadow words of storage memory and textures are spread over, and
    /// which is the first of these.
    pub fn spread(&self) -> (usize, usize) {
        let first = usize::from(self.width == Width::Wide);
        (self.shadow.len() - first, first)
    }

    /// The layouts of shadow words there are, by the names the instrumented module has for them.
    pub fn layouts(&self) -> impl Iterator<Item = (&'static str, Width, Needs)> {
        let packed = self.purpose == Purpose::Detect;
        let layouts = [Space::Storage, Space::Workgroup].into_iter().filter(move |_| packed);
        layouts.filter_map(|space| {
            let (width, needs) = self.layout(space)?;
            Some((layout_name(space), width, needs))
        })
    }

    /// How the shadow words of memory of this kind are laid out, if any is watched.
    pub fn layout(&self, space: Space) -> Option<(Width, Needs)> {
        match space {
            Space::Storage | Space::Texture => Some((self.width, self.dispatch?)),
            Space::Workgroup => Some((Width::Narrow, self.workgroup?)),
        }
    }
}

/// What the instrumented module calls memory of this kind.
pub fn class_name(space: Space) -> &'static str {
    match space {
        Space::Storage => "storage",
        Space::Texture => "texture",
        Space::Workgroup => "workgroup",
    }
}

/// What it calls the layout of its shadow words.
pub fn layout_name(space: Space) -> &'static str {
    match space {
        Space::Storage | Space::Texture => "dispatch",
        Space::Workgroup => "workgroup",
    }
}

/// The classes of the barriers that the entry points of `watch` get to.
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

/// The most bytes of workgroup memory that one of these entry points uses.
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

/// A part of an identifier that says `name`, is ASCII, and is not changed by naga's writers.
fn identifier(name: &str, global: Handle<GlobalVariable>) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with('_')
        && !name.ends_with('_')
        && !name.contains("__");
    if plain { name.to_owned() } else { format!("variable_{}", global.index()) }
}
