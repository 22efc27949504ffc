//! The target-first pass: makes a module whose workgroups let one of them, the *target*, go first.
//!
//! The schedule of CLTestCheck (Peng and Rajan, FASE 2019, section 4.3) on devices, which start workgroups as they like:
//! the target runs to its end, and then all others do, in the device's own order. [`Means`] are three, of two things that
//! can be done about the order:
//!
//! - *Remapping ids*: workgroups take tickets as they start. The first takes the target's id, the others the rest in
//!   ascending order, and `workgroup_id` and `global_invocation_id` are computed from what was taken. So the target starts
//!   first whatever the device does, and nobody waits for it.
//! - *Waiting*: the first invocation of each other workgroup polls, so many times at most, until all invocations of the
//!   target have left the entry point; the others wait for it at a barrier.
//!
//! Both together are the schedule of the paper, and the default: who waits has a ticket that was drawn after the target's,
//! so the target is resident, and ends unless the kernel itself has it wait for others. Waiting without remapping is what the paper's tool did: on a
//! device that starts no workgroup before others end (occupancy-bound execution) the target may not be among the
//! resident ones, and unbounded waiting for it would be a deadlock. Here the wait runs out, and who went on counts itself
//! ([`Waits`]). Once it ran out for one, nobody waits any more: a dispatch is made longer by one wait, not by one
//! for each round of resident workgroups.
//!
//! The words are atomics without any order (WGSL has no other): that is enough to say who goes when. What the target
//! wrote need not be visible to who waited for it, as nothing promises workgroups of one dispatch that in any schedule.
//! They are polled by additions of 0: a load without order may give an old value for as long as it likes, and a
//! read-modify-write gives the last.
//!
//! Some drivers end loops without a word when all loops of an invocation together took too many turns (llvmpipe after
//! 65,535). So polls must leave turns to the kernel: each turn polls [`POLLS_A_TURN`] times, whoever runs the module bounds
//! the turns ([`words`]), and why a wait was left is asked after its loop.
//!
//! An entry point becomes a function that a new one calls: what stands before and after the call is done by all
//! invocations, and is in uniform control flow, wherever the kernel returns. The target and the number of polls are words
//! of a storage buffer, so that one pipeline does for all targets. A target past the last workgroup changes nothing, as in the
//! engine's strategy; linear ids are 32 bits wide.

mod runtime;
#[cfg(test)]
mod tests;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::rebuild::{Change, Rebuild};
use crate::ir::unused;
use crate::pass::rewrite;
use crate::pass::runtime::Runtime;
use crate::program::{Derived, Program};
use naga::{
    BinaryOperator, Binding, BuiltIn, EntryPoint, Expression, Function, Handle, Module,
    ResourceBinding, Span, Statement, Type, TypeInner,
};

/// How the target comes to go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Means {
    /// The first workgroup to start takes its id, and nobody waits for it.
    Remapped,
    /// The first workgroup to start takes its id, and the others wait until it is done.
    #[default]
    Awaited,
    /// The others wait until it is done, and it starts when the device starts it.
    AwaitedInPlace,
}

impl Means {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Remapped, Self::Awaited, Self::AwaitedInPlace];

    /// Whether ids are taken in the order in which workgroups start.
    pub fn remaps(self) -> bool {
        self != Self::AwaitedInPlace
    }

    /// Whether the others wait.
    pub fn waits(self) -> bool {
        self != Self::Remapped
    }
}

/// Who did not wait to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Workgroups that went on before the target was done, since the wait had run out for them or for others.
    pub early: u32,
    /// Those of them that saw that the target had not even started: it was not resident.
    pub absent: u32,
}

/// Words of the buffer.
pub const WORDS: usize = 7;

/// How often who waits polls in each turn of its loop.
pub const POLLS_A_TURN: u32 = 16;

/// The buffer's words at the start of a dispatch in which the workgroup with the linear id `target` goes first, and others
/// poll `polls` times at most, and in one turn more.
pub fn words(target: u32, polls: u32) -> [u32; WORDS] {
    // The count of polls stays a number that goes past this.
    [target, polls.min(u32::MAX - POLLS_A_TURN), 0, 0, 0, 0, 0]
}

/// What a dispatch left in them.
pub fn read(words: &[u32]) -> Waits {
    match *words {
        [_, _, _, _, _, early, absent, ..] => Waits { early, absent },
        _ => Waits::default(),
    }
}

/// A program in which the target goes first.
#[derive(Clone, Debug)]
pub struct TargetFirst {
    /// The module, with the entry points that were asked for only. Variables of the program keep their handles.
    pub derived: Derived,
    /// Where its [`words`] are bound.
    pub binding: ResourceBinding,
}

/// Makes a target go first in these entry points of `program`.
///
/// # Errors
/// There is no binding left, or what was made does not validate.
pub fn target_first(program: &Program, entries: &[usize], means: Means) -> Result<TargetFirst> {
    let _span = tracing::debug_span!("target_first").entered();
    let prefix = unused::prefix(&program.module);
    let Some(binding) = unused::bindings(&program.module).next() else {
        return Err(internal(program, "there is no binding left"));
    };
    let derived = program.derive(|original| {
        // No function changes but for entry points, which move: nothing has to be written anew.
        let mut module = rewrite::only(original, entries);
        let text = runtime::text(&prefix, binding, means);
        let runtime = Runtime::graft(&mut module, &text, &prefix)
            .map_err(|error| internal(program, &error))?;
        for entry in std::mem::take(&mut module.entry_points) {
            let entry = around(&mut module, &runtime, &prefix, entry)
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

/// An entry point that takes an id, calls what `entry` was, and notes that it is done.
fn around(
    module: &mut Module,
    runtime: &Runtime,
    prefix: &str,
    entry: EntryPoint,
) -> Option<EntryPoint> {
    let begin = runtime.function("begin")?;
    let size = entry.workgroup_size;
    let (inner, shell) = rewrite::called(module, entry.function.clone(), prefix);
    let mut call = Call { module, runtime, begin, inner, size };
    let function = Rebuild::run(&shell, &[], &mut call);
    Some(EntryPoint { function, ..entry })
}

/// What the new entry point does.
struct Call<'a> {
    module: &'a Module,
    runtime: &'a Runtime,
    begin: Handle<Function>,
    /// What the entry point was.
    inner: Handle<Function>,
    /// Of a workgroup.
    size: [u32; 3],
}

impl Change for Call<'_> {
    fn enter(&mut self, into: &mut Rebuild<'_>) {
        // The new one may have more: these are the kernel's.
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
                (Some(binding), _) => ids.instead_of(binding).unwrap_or(value),
                (None, TypeInner::Struct { members, .. }) => {
                    let bindings: Vec<_> = members.iter().map(|m| m.binding.as_ref()).collect();
                    ids.within(into, value, argument.ty, &bindings)
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
    /// `global_invocation_id` in the workgroup with this id.
    fn global(
        &self,
        into: &mut Rebuild<'_>,
        id: Handle<Expression>,
        within: Handle<Expression>,
    ) -> Handle<Expression> {
        let components = self.size.iter().map(|&n| into.u32(n)).collect();
        let size = Expression::Compose { ty: self.runtime.vec3, components };
        let size = into.emit(size, Span::UNDEFINED);
        let first = Expression::Binary { op: BinaryOperator::Multiply, left: id, right: size };
        let left = into.emit(first, Span::UNDEFINED);
        into.emit(
            Expression::Binary { op: BinaryOperator::Add, left, right: within },
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
    /// What stands for a value that is bound so, if that is another one now.
    fn instead_of(&self, binding: &Binding) -> Option<Handle<Expression>> {
        match binding {
            Binding::BuiltIn(BuiltIn::WorkGroupId) => Some(self.workgroup),
            Binding::BuiltIn(BuiltIn::GlobalInvocationId) => Some(self.global),
            _ => None,
        }
    }

    /// The structure `value` with these of its members.
    fn within(
        &self,
        into: &mut Rebuild<'_>,
        value: Handle<Expression>,
        ty: Handle<Type>,
        members: &[Option<&Binding>],
    ) -> Handle<Expression> {
        let components = (0..).zip(members).map(|(index, binding)| {
            let taken = binding.and_then(|binding| self.instead_of(binding));
            let member = Expression::AccessIndex { base: value, index };
            taken.unwrap_or_else(|| into.emit(member, Span::UNDEFINED))
        });
        let components = components.collect();
        into.emit(Expression::Compose { ty, components }, Span::UNDEFINED)
    }
}
