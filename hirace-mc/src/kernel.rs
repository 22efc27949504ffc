//! A dispatch of a kernel as a program to explore: the machine steps its invocations one by one.
//!
//! A location is a scalar of a buffer, of a texel or of a workgroup's memory. An access to several scalars is one step
//! per scalar. Unless the language says otherwise, atomics are relaxed; their scope is the workgroup for workgroup
//! memory, and the dispatch for other memory. Barriers order the storage classes that they name, within the workgroup
//! or subgroup that waits. Fences are skipped where the model has none and the result depends only on the barriers next
//! to them.
//!
//! # Limitations
//! - Writing one component of a vector may touch the others on a device. Here each component is its own location.
//! - An out-of-bounds index is clamped, as in execution, and is not a finding: `check` reports it.
//!
//! # Unsupported
//! Values passed between the invocations of a subgroup, written textures, and 64-bit atomics. Floats are computed as
//! the machine computes them, which may differ from a device.

mod interleaving;
mod place;
pub mod postcondition;
mod state;

#[cfg(test)]
mod tests;

pub use interleaving::Weak;
pub use postcondition::Postcondition;
pub use state::State;

use crate::explore::Execution;
use crate::model::Model;
use crate::program::{Location, Scope, ScopePosition, Value};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::ir::memory::{MemoryId, Space};
use hirace_core::ir::sites::{SiteId, SiteKind};
use hirace_core::launch::Dispatch;
use hirace_core::program::Program;
use hirace_core::source_map::{SourceMap, Span};
use hirace_core::vm::Code;
use hirace_core::vm::machine::{CodeAnalysis, Machine, Update};
use hirace_core::vm::memory::Resources;
use naga::{GlobalVariable, Handle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// The bounds on the execution of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum number of invocations of a dispatch.
    pub invocations: u32,
    /// The maximum number of iterations of a loop that accesses shared memory. Later iterations are not explored.
    pub loop_iterations: u32,
    /// The maximum number of instructions per invocation.
    pub steps: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { invocations: 64, loop_iterations: 256, steps: 200_000 }
    }
}

/// A dispatch of a kernel.
pub struct Kernel<'a> {
    program: &'a Program,
    code: &'a Code,
    resources: &'a Resources,
    machine: Machine<'a>,
    followed: CodeAnalysis,
    scope_positions: Vec<ScopePosition>,
    workgroups: [u32; 3],
    subgroup_size: u32,
    bounds: Bounds,
    /// Whether fences are explored; otherwise they are skipped.
    has_fences: bool,
    /// The program-defined updates, by number.
    own: RwLock<Vec<Update>>,
    /// Per site: whether an invocation has reached it.
    reached: Vec<AtomicBool>,
    /// The postconditions to check.
    ensured: Vec<Postcondition>,
}

impl<'a> Kernel<'a> {
    /// Creates the dispatch of `code`, which was lowered from an entry point of `program`, over the bound resources, to
    /// be explored under `model`.
    ///
    /// # Errors
    /// Returns an error if the kernel uses an unsupported feature, or if the grid is too large.
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
            let message =
                format!("{invocations} invocations are too many to explore all executions");
            let error = Diagnostic::new(message).note(format!(
                "there are {workgroups} workgroups of {size} invocations, and the limit is {} invocations",
                bounds.invocations
            ));
            let help = "choose a smaller grid with --workgroups or a smaller workgroup with --override, or raise --max-invocations";
            return Err(Box::new(error.help(help)));
        }
        let subgroups = size.div_ceil(subgroup_size);
        let scope_positions = (0..workgroups).flat_map(|workgroup| {
            (0..size).map(move |local| ScopePosition {
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
            followed: CodeAnalysis::new(&machine, bounds.loop_iterations, &[]),
            machine,
            workgroups: dispatch.workgroups,
            subgroup_size,
            bounds,
            scope_positions: scope_positions.collect(),
            has_fences: model != Model::Wgsl,
            own: RwLock::default(),
            reached: program.sites.list.iter().map(|_| AtomicBool::new(false)).collect(),
            ensured: Vec::new(),
        })
    }

    /// Returns the kernel with these postconditions.
    pub fn with_postconditions(self, ensured: Vec<Postcondition>) -> Self {
        let memory: Vec<MemoryId> = ensured.iter().flat_map(Postcondition::memory).collect();
        Self {
            followed: CodeAnalysis::new(&self.machine, self.bounds.loop_iterations, &memory),
            ensured,
            ..self
        }
    }

    /// Returns a postcondition by its number.
    pub fn claim(&self, number: u32) -> Option<&Postcondition> {
        self.ensured.get(number as usize)
    }

    /// Returns the final value of a location in an execution.
    pub fn final_value(&self, execution: &Execution<State>, location: Location) -> Value {
        let found = execution.memory.binary_search_by_key(&location, |(location, _)| *location);
        found.map_or_else(|_| place::initial(self.resources, location), |at| execution.memory[at].1)
    }

    /// Returns the spans of accesses to shared memory that no invocation reached, in source order.
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

    /// Records that an invocation reached a site.
    fn reach(&self, site: u32) {
        if let Some(reached) = self.reached.get(site as usize)
            && !reached.load(Ordering::Relaxed)
        {
            reached.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the span of a step in the source; `None` if it has no location there.
    pub fn span(&self, site: u32) -> Option<Span> {
        match site.checked_sub(self.claims()) {
            Some(claim) => self.code.claim(claim).map(|(_, span)| span),
            None => self.program.sites.get(SiteId(site)).map(|site| site.span),
        }
    }

    /// Returns the local invocation index of an invocation.
    pub fn local(&self, invocation: usize) -> u32 {
        invocation as u32 % self.code.invocations().max(1)
    }

    /// Returns the variable that contains a location.
    pub fn variable(&self, location: Location) -> Option<Handle<GlobalVariable>> {
        place::variable(&self.program.module, location)
    }

    /// Returns the name of a location in the source: `data[3]`.
    pub fn name(&self, location: Location) -> String {
        place::name(self.program, location)
    }

    /// Returns the source text.
    pub fn source(&self) -> &SourceMap {
        &self.program.source
    }

    /// Returns the first site number that stands for an assertion.
    fn claims(&self) -> u32 {
        self.program.sites.list.len() as u32
    }

    /// Returns the number of a program-defined update.
    fn number(&self, update: Update) -> u32 {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        let known = own.iter().position(|known| *known == update);
        let index = known.unwrap_or_else(|| {
            own.push(update);
            own.len() - 1
        });
        index as u32
    }

    /// Returns the update with this number.
    fn numbered(&self, number: u32) -> Option<Update> {
        let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
        own.get(number as usize).copied()
    }

    fn left(&self, number: u32, found: Value) -> Value {
        self.numbered(number).map_or(found, |update| update.apply(found))
    }
}

/// Returns the default scope of an atomic operation.
fn scope(space: Space) -> Scope {
    match space {
        Space::Workgroup => Scope::Workgroup,
        _ => Scope::QueueFamily,
    }
}

fn refuse(program: &Program, code: &Code, model: Model) -> Result<()> {
    let is_ordered = program.unmodeled_ordering.is_some();
    let error = if let Some(texture) = code.written_textures().next() {
        let error = Diagnostic::new(format!(
            "the kernel writes the texture `{texture}`, and textures cannot be explored"
        ));
        error.help("use a storage buffer instead")
    } else if code.uses_subgroups() {
        let error =
            Diagnostic::new("the kernel passes values within subgroups, which cannot be explored");
        error.help("pass them through workgroup memory, with a barrier")
    } else if code.has_wide_atomics() {
        let error = Diagnostic::new("the kernel uses 64-bit atomics, which cannot be explored");
        error.help("use 32-bit atomics")
    } else if is_ordered && model == Model::Wgsl {
        let error = Diagnostic::new(
            "the kernel orders memory with atomics or fences, which the model wgsl does not define",
        );
        error.help("use another memory model: --model scoped-rc11")
    } else if let Some(unsaid) =
        find_unordered(program).filter(|_| is_ordered && model != Model::Sc)
    {
        let message = "the memory order or scope of this operation is not known";
        let error = match unsaid.is_empty() {
            true => Diagnostic::new(message),
            false => Diagnostic::at(&program.source, unsaid, message),
        };
        error.help("use constant scopes and orders, and not the scope of a single invocation")
    } else {
        return Ok(());
    };
    Err(Box::new(error.note(format!("in {}", program.source.name()))))
}

/// Returns the span of an atomic access or fence whose memory order is unknown.
fn find_unordered(program: &Program) -> Option<Span> {
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
