//! Runs a random kernel on the embedded executor's engine under an observer, and translates what the observer found into the
//! terms of the description.

use super::differential::shape;
use super::kernel::{AccessMode, ELEMENTS, Kernel, Memory, Space, TEXTURE_WIDTH};
use super::model::{AccessKind, Site, Word};
use super::print::{PrintedKernel, print};
use hirace::raw::front::wgsl;
use hirace::raw::ir::access::Action;
use hirace::raw::ir::sites::{SiteId, SiteKind};
use hirace::raw::observe::{FittedLayout, Granule, Layout, MemoryLayout};
use hirace::raw::program::Program;
use hirace::raw::vm::memory::{Buffer, Resource, Resources, Texture};
use hirace::raw::vm::observer::{self, NoObserver, Observer};
use hirace::raw::vm::run::{Options, Run};
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace::raw::vm::{Code, driver, lower};
use hirace::raw::watch::{self, NotWatched, WatchPlan};
use std::collections::BTreeMap;

/// A kernel that is ready to run.
pub struct LoadedKernel {
    pub wgsl: String,
    pub program: Program,
    code: Code,
    kernel: Kernel,
    touches: BTreeMap<u32, usize>,
}

/// The order in which a kernel runs: the seed of its schedule (0 is the serial order), and whether workgroups may run in parallel.
#[derive(Clone, Copy, Debug)]
pub struct RunOrder {
    pub seed: u64,
    pub parallel: bool,
}

impl RunOrder {
    pub const IN_ORDER: Self = Self { seed: 0, parallel: false };
}

impl LoadedKernel {
    pub fn new(kernel: &Kernel) -> Result<Self, String> {
        let printed = print(kernel);
        let failed = |error: Box<hirace::raw::diagnostic::Diagnostic>| {
            format!("{error} {:?}\n{}", error.notes, printed.wgsl)
        };
        let parsed = wgsl::parse("random.wgsl", &printed.wgsl).map_err(failed)?;
        let mut program = Program::new(&parsed, &BTreeMap::new()).map_err(failed)?;
        mark_plain(&mut program, kernel, &printed);
        let code = lower::lower(&program, 0).map_err(failed)?;
        let lines = printed.lines.iter().enumerate();
        let touches = lines.map(|(touch, line)| (*line, touch)).collect();
        Ok(Self { wgsl: printed.wgsl, program, code, kernel: kernel.clone(), touches })
    }

    /// Returns the layout of the memories for observers.
    pub fn layout(&self) -> Layout {
        let globals = self.program.module.global_variables.iter();
        let memories = globals.map(|(_, global)| {
            let memory = memory(global.name.as_deref()?)?;
            let space = match memory.space {
                Space::Storage => observer::Space::Storage,
                Space::Workgroup => observer::Space::Workgroup,
                Space::Texture => observer::Space::Texture,
            };
            let bytes = bytes(memory);
            Some(MemoryLayout { space, granule_shift: 2, bytes })
        });
        Layout::of(memories.collect())
    }

    /// Returns the layout of the memories that a plan watches.
    pub fn layout_of(&self, plan: &WatchPlan) -> Result<Layout, String> {
        let length = |watched: &watch::SharedVariable| Some(bytes(memory(&watched.name)?));
        let FittedLayout { layout, unwatched } =
            Layout::fit_plan(plan, shape(&self.kernel), length, u64::MAX);
        let left_out = unwatched.iter().find(|left| left.reason != NotWatched::ExcludedByRequest);
        left_out.map_or(Ok(layout), |left| Err(format!("not watched: {left:?}")))
    }

    /// Returns the lowered code of the kernel.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Runs the kernel with zeroed memory.
    pub fn run(&self, order: RunOrder, observer: &impl Observer) -> Result<(), String> {
        self.run_over(&self.resources_of(&self.program), order, observer).map(|_| ())
    }

    /// Runs the kernel with this memory.
    pub fn run_over(
        &self,
        resources: &Resources,
        order: RunOrder,
        observer: &impl Observer,
    ) -> Result<Run, String> {
        self.run_code(&self.code, resources, order, observer)
    }

    /// Runs a program that was derived from this kernel, in the place of the kernel's own.
    pub fn run_as(
        &self,
        program: &Program,
        resources: &Resources,
        order: RunOrder,
    ) -> Result<(), String> {
        let code = lower::lower(program, 0).map_err(|error| error.to_string())?;
        self.run_code(&code, resources, order, &NoObserver).map(|_| ())
    }

    fn run_code(
        &self,
        code: &Code,
        resources: &Resources,
        order: RunOrder,
        observer: &impl Observer,
    ) -> Result<Run, String> {
        let options = Options {
            workgroups: [self.kernel.grid.workgroups, 1, 1],
            subgroup_size: self.kernel.grid.subgroup_size,
            schedule: Schedule::seeded(order.seed),
            limits: Limits::default(),
            parallel: order.parallel,
            stop: None,
        };
        let run = driver::run(code, resources, &options, observer)
            .map_err(|error| format!("{error}\n{}", self.wgsl))?;
        let ended = run.no_progress.is_none() && !run.stopped;
        let sound = run.out_of_bounds.is_empty() && run.divergences.is_empty();
        if ended && sound { Ok(run) } else { Err(format!("{run:#?}\n{}", self.wgsl)) }
    }

    /// Returns zeroed resources for the variables of the kernel, by their indices in `program`.
    pub fn resources_of(&self, program: &Program) -> Resources {
        let globals = program.module.global_variables.iter();
        let by_global = globals.map(|(_, global)| {
            let name = global.name.as_deref()?;
            let Some(memory) = memory(name) else {
                return (name == "results").then(|| Resource::Buffer(Buffer::zeros(4 * ELEMENTS)));
            };
            match memory.space {
                Space::Storage => Some(Resource::Buffer(Buffer::zeros(bytes(memory)))),
                Space::Workgroup => None,
                Space::Texture => Some(Resource::Texture(Texture {
                    size: [TEXTURE_WIDTH, ELEMENTS / TEXTURE_WIDTH, 1],
                    levels: 1,
                    samples: 1,
                    texels: texels(),
                })),
            }
        });
        Resources { by_global: by_global.collect() }
    }

    /// Returns the word of the description for a granule.
    pub fn word(&self, granule: Granule) -> Option<Word> {
        let globals = &self.program.module.global_variables;
        let mut globals = globals.iter();
        let (_, global) = globals.find(|(handle, _)| handle.index() as u32 == granule.memory.0)?;
        Some((memory(global.name.as_deref()?)?, granule.workgroup, granule.index))
    }

    /// Returns the site of the description for a site of the program. The line of the site identifies the touch.
    pub fn site(&self, site: SiteId, action: Action) -> Option<Site> {
        let span = self.program.sites.get(site)?.span;
        let line = self.program.source.position(span.start).line;
        let does = match action {
            Action::Read => AccessKind::Read,
            Action::Write => AccessKind::Write,
            Action::Atomic | Action::AtomicInWorkgroup => AccessKind::Atomic,
        };
        Some((*self.touches.get(&line)?, does))
    }
}

/// Marks those accesses as plain that are plain in the description, but atomic operations in the WGSL text.
fn mark_plain(program: &mut Program, kernel: &Kernel, printed: &PrintedKernel) {
    let plain: BTreeMap<u32, Action> = kernel
        .numbered()
        .into_iter()
        .zip(&printed.lines)
        .filter_map(|(touch, line)| {
            let touch = touch.filter(|touch| touch.is_plain_access_of_atomic())?;
            let action = if touch.how == AccessMode::Read { Action::Read } else { Action::Write };
            Some((*line, action))
        })
        .collect();
    for site in &mut program.sites.list {
        let line = program.source.position(site.span.start).line;
        if let (SiteKind::Access(access), Some(action)) = (&mut site.kind, plain.get(&line))
            && access.action == Action::Atomic
        {
            access.action = *action;
        }
    }
}

/// Returns the variable of a kernel that has this name.
fn memory(name: &str) -> Option<Memory> {
    Memory::all().into_iter().find(|memory| memory.name() == name)
}

/// Returns the size of a memory in bytes. A texel counts as four bytes.
fn bytes(memory: Memory) -> u32 {
    ELEMENTS * memory.shape.stride() * 4
}

/// Returns zeros for a texture of `r32uint`: components that a format lacks read as 0, 0, 1.
fn texels() -> Buffer {
    let zero = [0, 0, 0, 1_u32].map(u32::to_le_bytes).concat();
    Buffer::new(&zero.repeat(ELEMENTS as usize))
}
