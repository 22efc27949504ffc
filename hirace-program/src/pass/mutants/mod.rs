//! The mutants pass: one module that does what any of many programs does. Which is on is a number in a storage variable that is only read:
//! 0 the program itself, `k` the `k`-th of the others.
//!
//! The others are programs of the same text with a small edit, so they are the measure of what the module has to do:
//! `difference` finds what one of them does otherwise, operand by operand and statement by statement, `write`
//! puts that beside what the program does, and a choice by the number before both. So this knows no operators, no tokens
//! and no language. What cannot be put beside each other (a variable of another type, a workgroup of another size) does not
//! fit, and nothing is said of it: that program runs by itself.
//!
//! Nothing is read in shared memory that the other program would not read, so that whoever watches accesses sees the same.

mod compare;
mod difference;
mod expressions;
mod write;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::unused;
use crate::ir::walk::FunctionId;
use crate::pass::rewrite;
use crate::program::{Derived, Program};
use compare::Modules;
use difference::{Difference, Original};
use naga::{
    AddressSpace, GlobalVariable, Handle, Module, ResourceBinding, Scalar, Span, StorageAccess,
    Type, TypeInner,
};
use rustc_hash::FxHashMap;
use write::{Alternatives, Write};

/// A program that does what any of many does.
#[derive(Clone, Debug)]
pub struct Mutants {
    /// The module, with the entry points that were asked for only. Variables of the program keep their handles.
    pub derived: Derived,
    /// The variable that says which is on: the last one of the module, a `u32`.
    pub name: String,
    /// Where that is bound.
    pub binding: ResourceBinding,
    /// Of each of the others, whether it is in.
    pub fits: Vec<bool>,
}

/// What another program does otherwise, function by function.
struct Other<'a> {
    modules: Modules<'a>,
    functions: FxHashMap<FunctionId, Difference<'a>>,
}

/// Makes these entry points of `program` do what those of any of `others` do.
///
/// # Errors
/// There is no binding left, or what was made does not validate.
pub fn mutants(program: &Program, others: &[&Program], entries: &[usize]) -> Result<Mutants> {
    let _span = tracing::debug_span!("mutants").entered();
    let originals = originals(program, entries);
    let found: Vec<Option<Other<'_>>> =
        others.iter().map(|other| differences(program, &originals, other)).collect();
    let mut fits: Vec<bool> = found.iter().map(Option::is_some).collect();
    let made = match build(program, &found, &fits, entries) {
        Ok(made) => made,
        // One of them is not what it seems: those that go wrong alone are left out.
        Err(_) => {
            for number in 0..fits.len() {
                let mut alone = vec![false; fits.len()];
                alone[number] = fits[number];
                fits[number] = fits[number] && build(program, &found, &alone, entries).is_ok();
            }
            build(program, &found, &fits, entries)?
        }
    };
    Ok(Mutants { fits, ..made })
}

/// The functions that the entry points may run, looked through once.
fn originals<'a>(program: &'a Program, entries: &[usize]) -> Vec<Original<'a>> {
    let helpers = program.module.functions.iter().map(|(handle, _)| FunctionId::Helper(handle));
    let all = helpers.chain(entries.iter().map(|&index| FunctionId::Entry(index)));
    all.map(|id| Original::of(program, id)).collect()
}

/// What `other` does otherwise; nothing, if that cannot be put beside what `program` does.
fn differences<'a>(
    program: &'a Program,
    originals: &'a [Original<'a>],
    other: &'a Program,
) -> Option<Other<'a>> {
    let modules = Modules::of(&program.module, &other.module)?;
    let mut functions = FxHashMap::default();
    for original in originals {
        let id = original.id;
        modules.same_signature(id)?;
        let difference = Difference::of(original, &modules, other, id)?;
        if !difference.is_empty() {
            functions.insert(id, difference);
        }
    }
    Some(Other { modules, functions })
}

fn build(
    program: &Program,
    found: &[Option<Other<'_>>],
    fits: &[bool],
    entries: &[usize],
) -> Result<Mutants> {
    let module = &program.module;
    let prefix = unused::prefix(module);
    let name = format!("{prefix}_mutant");
    let Some(binding) = unused::bindings(module).next() else {
        return Err(internal(program, "there is no binding left"));
    };
    let chosen: Vec<(u32, &Other<'_>)> = (1..)
        .zip(found.iter().zip(fits))
        .filter_map(|(number, (other, fits))| {
            other.as_ref().filter(|_| *fits).map(|of| (number, of))
        })
        .collect();
    let derived = program.derive(|original| {
        let mut module = rewrite::empty(original);
        let variable = add(&mut module, &name, binding);
        let types: Vec<_> =
            chosen.iter().map(|(_, other)| other.modules.bring_types(&mut module)).collect();
        rewrite::rewrite(program, original, &mut module, entries, |id| {
            let all = chosen.iter().zip(&types).filter_map(|((number, other), types)| {
                let difference = other.functions.get(&id)?;
                Some((*number, difference, &other.modules, types))
            });
            Write::new(&prefix, variable, Alternatives::of(all))
        });
        Ok(module)
    })?;
    Ok(Mutants { derived, name, binding, fits: Vec::new() })
}

/// Adds the variable that says which is on.
fn add(module: &mut Module, name: &str, binding: ResourceBinding) -> Handle<GlobalVariable> {
    let inner = TypeInner::Scalar(Scalar::U32);
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let variable = GlobalVariable {
        name: Some(name.to_owned()),
        // Drivers compile a shader anew for each value of a uniform variable that control flow hangs on (Mesa's
        // `nir_inline_uniforms`), which is what one module for all is to avoid.
        space: AddressSpace::Storage { access: StorageAccess::LOAD },
        binding: Some(binding),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

fn internal(program: &Program, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    Box::new(Diagnostic::new(format!("the mutants of `{name}` have no module")).note(error))
}
