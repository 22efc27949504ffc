//! A dispatch of a kernel as what is explored: the machine steps its invocations one by one.
//!
//! A location is a scalar of a buffer, of a texel or of a workgroup's memory; an access to several is a step for each.
//! Where the language says nothing else, atomics are relaxed, and their scope is the workgroup for its own memory, else
//! the dispatch. Barriers order the kinds of memory that they name, within the workgroup or subgroup that waits there.
//! Fences are passed over where the model has none and nothing but barriers beside them hangs on them.
//!
//! # What is not followed
//! - Writing one component of a vector may touch the others on a device; here each component is a location.
//! - An index past the end is clamped, as where it runs, and is no finding: `check` reports those.
//!
//! # What is refused
//! Values passed between the invocations of a subgroup, textures that are written, and atomics on 64 bits. Floats are
//! computed as the machine does, everywhere.

pub mod ensured;
mod interleaving;
mod place;
mod state;

#[cfg(test)]
mod tests;

pub use ensured::Ensured;
pub use interleaving::Weak;
pub use state::State;

use crate::explore::Execution;
use crate::model::Model;
use crate::program::{Location, Scope, Value, Whereabouts};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::ir::memory::{MemoryId, Space};
use hirace_core::ir::sites::{SiteId, SiteKind};
use hirace_core::launch::Dispatch;
use hirace_core::program::Program;
use hirace_core::source_map::{SourceMap, Span};
use hirace_core::vm::Code;
use hirace_core::vm::machine::{Followed, Machine, Update};
use hirace_core::vm::memory::Resources;
use naga::{GlobalVariable, Handle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// How far a kernel is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most invocations of a dispatch.
    pub invocations: u32,
    /// How often a loop may go back in which shared memory is accessed; what comes after is not explored.
    pub turns: u32,
    /// Instructions that an invocation may run.
    pub steps: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { invocations: 64, turns: 256, steps: 200_000 }
    }
}

/// A dispatch of a kernel.
pub struct Kernel<'a> {
    program: &'a Program,
    code: &'a Code,
    resources: &'a Resources,
    machine: Machine<'a>,
    followed: Followed,
    whereabouts: Vec<Whereabouts>,
    workgroups: [u32; 3],
    subgroup_size: u32,
    bounds: Bounds,
    /// Whether fences are explored.
    has_fences: bool,
    /// Updates that are the program's own, by number.
    own: RwLock<Vec<Update>>,
    /// For each site, whether some invocation came there.
    reached: Vec<AtomicBool>,
    /// What is claimed of memory when all are done.
    ensured: Vec<Ensured>,
}

impl<'a> Kernel<'a> {
    /// A dispatch of `code`, lowered from an entry point of `program`, over what is bound, to be explored under `model`.
    ///
    /// # Errors
    /// What is refused, and a grid that is too large.
    pub fn new(
        program: &'a Program,
        code: &'a Code,
        resources: &'a Resources,
        dispatch: &Dispatch,
        subgroup_size: u32,
        bounds: Bounds,
        model: Model,
    ) -> Result<Self> {
        refuse(program, code, model)?;
        let machine =
            Machine::new(code, resources, dispatch.workgroups, subgroup_size, bounds.steps)?;
        let size = code.invocations();
        let workgroups = machine.workgroups();
        let invocations = u64::from(size) * u64::from(workgroups);
        if invocations > u64::from(bounds.invocations) {
            let message = format!(
                "{invocations} invocations are too many for every execution of them to be explored"
            );
            let error = Diagnostic::new(message).note(format!(
                "there are {workgroups} workgroups of {size} invocations, and the most that are taken is {}",
                bounds.invocations
            ));
            let help = "give a smaller grid by --workgroups and a smaller workgroup by --override, or more room by --max-invocations";
            return Err(Box::new(error.help(help)));
        }
        let subgroups = size.div_ceil(subgroup_size);
        let whereabouts = (0..workgroups).flat_map(|workgroup| {
            (0..size).map(move |local| Whereabouts {
                subgroup: workgroup * subgroups + local / subgroup_size,
                workgroup,
                queue_family: 0,
                device: 0,
            })
        });
        Ok(Self {
            program,
            code,
            resources,
            followed: Followed::new(&machine, bounds.turns, &[]),
            machine,
            workgroups: dispatch.workgroups,
            subgroup_size,
            bounds,
            whereabouts: whereabouts.collect(),
            has_fences: model != Model::Wgsl,
            own: RwLock::default(),
            reached: program.sites.list.iter().map(|_| AtomicBool::new(false)).collect(),
            ensured: Vec::new(),
        })
    }

    /// The same, of whose memory this is claimed when all are done.
    pub fn ensuring(self, ensured: Vec<Ensured>) -> Self {
        let memory: Vec<MemoryId> = ensured.iter().flat_map(Ensured::memory).collect();
        Self { followed: Followed::new(&self.machine, self.bounds.turns, &memory), ensured, ..self }
    }

    /// A claim, by its number.
    pub fn claim(&self, number: u32) -> Option<&Ensured> {
        self.ensured.get(number as usize)
    }

    /// What a location holds where an execution left it so.
    pub fn left_in(&self, execution: &Execution<State>, location: Location) -> Value {
        let found = execution.memory.binary_search_by_key(&location, |(location, _)| *location);
        found.map_or_else(|_| place::initial(self.resources, location), |at| execution.memory[at].1)
    }

    /// Where accesses to what is shared stand that no invocation came to, in the order of the source.
    pub fn not_reached(&self) -> Vec<Span> {
        let is_reached = |site: &SiteId| {
            self.reached.get(site.0 as usize).is_none_or(|reached| reached.load(Ordering::Relaxed))
        };
        let missed = self.code.shared_sites().filter(|site| !is_reached(site));
        let mut spans: Vec<Span> = missed.filter_map(|site| self.span(site.0)).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// Notes that an invocation came to a site.
    fn reach(&self, site: u32) {
        if let Some(reached) = self.reached.get(site as usize)
            && !reached.load(Ordering::Relaxed)
        {
            reached.store(true, Ordering::Relaxed);
        }
    }

    /// Where a step stands in the source; `None` for what has no place there.
    pub fn span(&self, site: u32) -> Option<Span> {
        match site.checked_sub(self.claims()) {
            Some(claim) => self.code.claim(claim).map(|(_, span)| span),
            None => self.program.sites.get(SiteId(site)).map(|site| site.span),
        }
    }

    /// Which invocation of its workgroup one is: its local invocation index.
    pub fn local(&self, invocation: usize) -> u32 {
        invocation as u32 % self.code.invocations().max(1)
    }

    /// The variable that a location is in.
    pub fn variable(&self, location: Location) -> Option<Handle<GlobalVariable>> {
        place::variable(&self.program.module, location)
    }

    /// What the source calls a location: `data[3]`.
    pub fn name(&self, location: Location) -> String {
        place::name(self.program, location)
    }

    /// The source.
    pub fn source(&self) -> &SourceMap {
        &self.program.source
    }

    /// The first number of sites that are claims.
    fn claims(&self) -> u32 {
        self.program.sites.list.len() as u32
    }

    /// The number of an update of the kernel's own.
    fn number(&self, update: Update) -> u32 {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        let known = own.iter().position(|known| *known == update);
        let index = known.unwrap_or_else(|| {
            own.push(update);
            own.len() - 1
        });
        index as u32
    }

    /// The update of this number.
    fn numbered(&self, number: u32) -> Option<Update> {
        let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
        own.get(number as usize).copied()
    }

    fn left(&self, number: u32, found: Value) -> Value {
        self.numbered(number).map_or(found, |update| update.apply(found))
    }
}

/// For whom an atomic operation is atomic, if nothing else is said.
fn scope(space: Space) -> Scope {
    match space {
        Space::Workgroup => Scope::Workgroup,
        _ => Scope::QueueFamily,
    }
}

fn refuse(program: &Program, code: &Code, model: Model) -> Result<()> {
    let is_ordered = program.unfollowed.is_some();
    let error = if let Some(texture) = code.written_textures().next() {
        let error = Diagnostic::new(format!(
            "the texture `{texture}` is written, and textures are not explored"
        ));
        error.help("use a storage buffer in its stead")
    } else if code.uses_subgroups() {
        let error = Diagnostic::new("values are passed within subgroups, which is not explored");
        error.help("pass them through workgroup memory, with a barrier")
    } else if code.has_wide_atomics() {
        let error = Diagnostic::new("there are atomics on 64 bits, which are not explored");
        error.help("use atomics on 32 bits")
    } else if is_ordered && model == Model::Wgsl {
        let error = Diagnostic::new(
            "memory is ordered by atomics or fences, for which the model wgsl has no words",
        );
        error.help("explore it under another: --model scoped-rc11")
    } else if let Some(unsaid) = unsaid(program).filter(|_| is_ordered && model != Model::Sc) {
        let message = "how this orders memory, or for whom, is not known";
        let error = match unsaid.is_empty() {
            true => Diagnostic::new(message),
            false => Diagnostic::at(&program.source, unsaid, message),
        };
        error.help("compile GLSL to SPIR-V, where scope and order are constants; no scope may be that of one invocation")
    } else {
        return Ok(());
    };
    Err(Box::new(error.note(format!("in {}", program.source.name()))))
}

/// An atomic access or fence of which it is not said how it orders.
fn unsaid(program: &Program) -> Option<Span> {
    let sites = program.sites.list.iter().enumerate().find(|(index, site)| {
        let orders = match &site.kind {
            SiteKind::Access(access) => access.action.is_atomic(),
            SiteKind::Fence => true,
            _ => false,
        };
        orders && program.sites.ordering(SiteId(*index as u32)).is_none()
    });
    sites.map(|(_, site)| site.span)
}
