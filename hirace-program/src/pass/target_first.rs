//! The target-first pass: makes the workgroups of a module let one of them, the *target*, go first.
//!
//! This is the schedule of CLTestCheck (Peng and Rajan, FASE 2019, section 4.3) for devices, which start workgroups in any order:
//! the target runs to its end, and then all other workgroups run, in the device's own order. [`OrderingTechnique`] has three
//! variants, which combine two techniques:
//!
//! - *Remapping ids*: workgroups take tickets as they start. The first takes the target's id, the others take the remaining ids
//!   in ascending order, and `workgroup_id` and `global_invocation_id` are computed from the ticket. So the target starts first
//!   whatever the device does, and no workgroup waits for it.
//! - *Waiting*: the first invocation of each other workgroup polls, up to a maximum number of times, until all invocations of the
//!   target have left the entry point. The other invocations wait for it at a barrier.
//!
//! Both together are the schedule of the paper, and the default. A waiting workgroup has a later ticket than the target, so the
//! target is resident, and it terminates unless the kernel itself makes it wait for others. Waiting without remapping is what the
//! paper's tool did. On a device that starts no workgroup before others end (occupancy-bound execution) the target may not be
//! among the resident workgroups, and unbounded waiting would deadlock. In this pass the wait times out, and workgroups that
//! continue are counted ([`WaitCounts`]). After the first timeout no workgroup waits any more, so a dispatch is delayed by one
//! timeout, not by one for each batch of resident workgroups.
//!
//! The words are relaxed atomics (WGSL has no others), which is sufficient to order the workgroups. Writes of the target need not
//! be visible to workgroups that waited for it, because no schedule guarantees that between workgroups of one dispatch. Words are
//! polled by additions of 0: a relaxed load may return an old value for any length of time, but a read-modify-write returns the
//! latest one.
//!
//! Some drivers silently end loops when all loops of an invocation together have executed too many iterations (llvmpipe after
//! 65,535). Polling must leave iterations for the kernel: each iteration polls [`POLLS_PER_ITERATION`] times, the executor bounds
//! the iterations ([`words`]), and the reason for leaving the wait is tested after its loop.
//!
//! An entry point becomes a function that a new entry point calls. Code before and after the call is executed by all invocations,
//! in uniform control flow, wherever the kernel returns. The target and the number of polls are words of a storage buffer, so
//! that one pipeline serves all targets. A target past the last workgroup changes nothing, as in the engine's strategy. Linear
//! ids have 32 bits.

mod runtime;
#[cfg(test)]
mod tests;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::unused;
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::program::{DerivedModule, Program};
use naga::{
    BinaryOperator, Binding, BuiltIn, EntryPoint, Expression, Function, Handle, Module,
    ResourceBinding, Span, Statement, Type, TypeInner,
};

/// The technique that makes the target go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OrderingTechnique {
    /// The first workgroup to start takes the target's id, and no workgroup waits for it.
    Remapped,
    /// The first workgroup to start takes the target's id, and the others wait until it is done.
    #[default]
    WaitForTarget,
    /// The others wait until the target is done, and it starts when the device starts it.
    AwaitedInPlace,
}

impl OrderingTechnique {
    /// All techniques.
    pub const ALL: [Self; 3] = [Self::Remapped, Self::WaitForTarget, Self::AwaitedInPlace];

    /// Returns whether ids are assigned in the order in which workgroups start.
    pub fn remaps(self) -> bool {
        self != Self::AwaitedInPlace
    }

    /// Returns whether the other workgroups wait.
    pub fn waits(self) -> bool {
        self != Self::Remapped
    }
}

/// The workgroups that did not wait until the target was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitCounts {
    /// Workgroups that continued before the target was done, because the wait had timed out for them or for others.
    pub timed_out: u32,
    /// Those of them that observed that the target had not started, so it was not resident.
    pub absent: u32,
}

/// Number of words in the buffer.
pub const WORDS: usize = 7;

/// Number of polls per iteration of the waiting loop.
pub const POLLS_PER_ITERATION: u32 = 16;

/// Returns the buffer's words at the start of a dispatch in which the workgroup with the linear id `target` goes first. Other
/// workgroups poll at most `polls` times, rounded up to a whole iteration.
pub fn words(target: u32, polls: u32) -> [u32; WORDS] {
    // The count of polls must be able to exceed this number without wrapping.
    [target, polls.min(u32::MAX - POLLS_PER_ITERATION), 0, 0, 0, 0, 0]
}

/// Reads the words after a dispatch.
pub fn read(words: &[u32]) -> WaitCounts {
    match *words {
        [_, _, _, _, _, timed_out, absent, ..] => WaitCounts { timed_out, absent },
        _ => WaitCounts::default(),
    }
}

/// A program in which the target goes first.
#[derive(Clone, Debug)]
pub struct TargetFirst {
    /// The module, with the requested entry points only. Variables of the program keep their handles.
    pub derived: DerivedModule,
    /// The binding of the buffer of [`words`].
    pub binding: ResourceBinding,
}

/// Makes a target go first in these entry points of `program`.
///
/// # Errors
/// Returns an error if no binding is available, or if the resulting module does not validate.
pub fn target_first(
    program: &Program,
    entries: &[usize],
    technique: OrderingTechnique,
) -> Result<TargetFirst> {
    let _span = tracing::debug_span!("target_first").entered();
    let prefix = unused::prefix(&program.module);
    let Some(binding) = unused::bindings(&program.module).next() else {
        return Err(internal(program, "no binding is available"));
    };
    let derived = program.derive(|original| {
        // Only entry points change, and their functions are moved, so no function has to be rebuilt.
        let mut module = rewrite::with_entries_only(original, entries);
        let text = runtime::text(&prefix, binding, technique);
        let runtime = Runtime::graft(&mut module, &text, &prefix)
            .map_err(|error| internal(program, &error))?;
        for entry in std::mem::take(&mut module.entry_points) {
            let entry = wrap_entry(&mut module, &runtime, &prefix, entry)
                .ok_or_else(|| internal(program, "a part of the runtime is missing"))?;
            module.entry_points.push(entry);
        }
        Ok(module)
    })?;
    Ok(TargetFirst { derived, binding })
}

fn internal(program: &Program, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    let bug = Diagnostic::new(format!("the target-first pass failed on `{name}`"));
    Box::new(bug.note(error).help("this is a bug in hirace; please report it with the file"))
}

/// Returns an entry point that takes an id, calls the function that was `entry`, and records that it is done.
fn wrap_entry(
    module: &mut Module,
    runtime: &Runtime,
    prefix: &str,
    entry: EntryPoint,
) -> Option<EntryPoint> {
    let begin = runtime.function("begin")?;
    let size = entry.workgroup_size;
    let (inner, shell) = rewrite::make_callable(module, entry.function.clone(), prefix);
    let mut call = Call { module, runtime, begin, inner, size };
    let function = FunctionBuilder::run(&shell, &[], &mut call);
    Some(EntryPoint { function, ..entry })
}

/// The change that writes the new entry point.
struct Call<'a> {
    module: &'a Module,
    runtime: &'a Runtime,
    begin: Handle<Function>,
    /// The function that was the entry point.
    inner: Handle<Function>,
    /// The workgroup size.
    size: [u32; 3],
}

impl RebuildChange for Call<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        // The new entry point may have more arguments; these are the kernel's.
        let own = into.function.arguments.clone();
        let types = &self.module.types;
        let [given, count, local, within] = [
            BuiltIn::WorkGroupId,
            BuiltIn::NumWorkGroups,
            BuiltIn::LocalInvocationIndex,
            BuiltIn::LocalInvocationId,
        ]
        .map(|builtin| self.runtime.builtin(into, types, builtin));
        let invocations = self.size.iter().fold(1, |n: u32, &m| n.saturating_mul(m));
        let invocations = into.u32(invocations);
        let id = into.declare(Expression::CallResult(self.begin), Span::UNDEFINED);
        let begin = Statement::Call {
            function: self.begin,
            arguments: vec![local, invocations, given, count],
            result: Some(id),
        };
        into.push(begin, Span::UNDEFINED);
        let ids = Ids { workgroup: id, global: self.global(into, id, within) };
        let arguments = (0..).zip(&own).map(|(index, argument)| {
            let value = into.declare(Expression::FunctionArgument(index), Span::UNDEFINED);
            match (&argument.binding, &types[argument.ty].inner) {
                (Some(binding), _) => ids.replacement(binding).unwrap_or(value),
                (None, TypeInner::Struct { members, .. }) => {
                    let bindings: Vec<_> = members.iter().map(|m| m.binding.as_ref()).collect();
                    ids.replace_members(into, value, argument.ty, &bindings)
                }
                (None, _) => value,
            }
        });
        let call =
            Statement::Call { function: self.inner, arguments: arguments.collect(), result: None };
        into.push(call, Span::UNDEFINED);
        self.runtime.call(into, "end", vec![id, count], Span::UNDEFINED);
    }
}

impl Call<'_> {
    /// Returns `global_invocation_id` in the workgroup with this id.
    fn global(
        &self,
        into: &mut FunctionBuilder<'_>,
        id: Handle<Expression>,
        within: Handle<Expression>,
    ) -> Handle<Expression> {
        let components = self.size.iter().map(|&n| into.u32(n)).collect();
        let size = Expression::Compose { ty: self.runtime.vec3, components };
        let size = into.emit(size, Span::UNDEFINED);
        let product = Expression::Binary { op: BinaryOperator::Multiply, left: id, right: size };
        let first = into.emit(product, Span::UNDEFINED);
        into.emit(
            Expression::Binary { op: BinaryOperator::Add, left: first, right: within },
            Span::UNDEFINED,
        )
    }
}

/// The ids that a workgroup has taken.
struct Ids {
    workgroup: Handle<Expression>,
    global: Handle<Expression>,
}

impl Ids {
    /// Returns the replacement of a value with this binding, if it has one.
    fn replacement(&self, binding: &Binding) -> Option<Handle<Expression>> {
        match binding {
            Binding::BuiltIn(BuiltIn::WorkGroupId) => Some(self.workgroup),
            Binding::BuiltIn(BuiltIn::GlobalInvocationId) => Some(self.global),
            _ => None,
        }
    }

    /// Returns the structure `value`, whose members have these bindings, with the ids among its members replaced.
    fn replace_members(
        &self,
        into: &mut FunctionBuilder<'_>,
        value: Handle<Expression>,
        ty: Handle<Type>,
        members: &[Option<&Binding>],
    ) -> Handle<Expression> {
        let components = (0..).zip(members).map(|(index, binding)| {
            let taken = binding.and_then(|binding| self.replacement(binding));
            let member = Expression::AccessIndex { base: value, index };
            taken.unwrap_or_else(|| into.emit(member, Span::UNDEFINED))
        });
        let components = components.collect();
        into.emit(Expression::Compose { ty, components }, Span::UNDEFINED)
    }
}
