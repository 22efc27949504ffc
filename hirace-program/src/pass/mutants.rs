//! The mutants pass: builds one module that can behave like any of many programs. A number in a read-only storage variable
//! selects the behavior: 0 selects the program itself, `k` the `k`-th mutant.
//!
//! The mutants are programs of the same text with a small edit; their modules define what the result has to do. `difference`
//! finds the differences of a mutant, operand by operand and statement by statement. `write` adds them to the program, guarded by
//! a test of the number. The pass therefore does not depend on mutation operators, tokens or the language. A mutant that cannot
//! be merged (a variable of another type, a workgroup of another size) is marked as not fitting and has to run as a separate
//! program.
//!
//! [`equivalence`] shows that a mutant behaves as its original.
//!
//! The module never reads shared memory that the selected program would not read, so that observers of accesses see the same
//! ones.

mod compare;
mod difference;
pub mod equivalence;
mod expressions;
mod normal_form;
mod write;

pub use compare::has_same_structure;

use crate::diagnostic::{Diagnostic, Result};
use crate::ir::unused;
use crate::ir::walk::FunctionId;
use crate::pass::rewrite;
use crate::program::{DerivedModule, Program};
use compare::Modules;
use difference::{Difference, Original};
use naga::{
    AddressSpace, GlobalVariable, Handle, Module, ResourceBinding, Scalar, Span, StorageAccess,
    Type, TypeInner,
};
use rustc_hash::FxHashMap;
use write::{Alternatives, Write};

/// A program that can behave like any of many mutants.
#[derive(Clone, Debug)]
pub struct Mutants {
    /// The module, with the requested entry points only. Variables of the program keep their handles.
    pub derived: DerivedModule,
    /// The name of the variable that selects the mutant: the last one of the module, a `u32`.
    pub name: String,
    /// The binding of that variable.
    pub binding: ResourceBinding,
    /// For each mutant, whether the module contains it.
    pub fits: Vec<bool>,
}

/// The differences of a mutant, function by function.
struct MutantDifferences<'a> {
    modules: Modules<'a>,
    functions: FxHashMap<FunctionId, Difference<'a>>,
}

/// Builds a module in which these entry points of `program` can behave like those of any of `others`.
///
/// # Errors
/// Returns an error if no binding is available, or if the resulting module does not validate.
pub fn mutants(program: &Program, others: &[&Program], entries: &[usize]) -> Result<Mutants> {
    let _span = tracing::debug_span!("mutants").entered();
    let originals = originals(program, entries);
    let found: Vec<Option<MutantDifferences<'_>>> =
        others.iter().map(|other| differences(program, &originals, other)).collect();
    let mut fits: Vec<bool> = found.iter().map(Option::is_some).collect();
    let made = match build(program, &found, &fits, entries) {
        Ok(made) => made,
        // A difference was not applicable after all: mutants whose module is invalid even alone are left out.
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

/// Analyses the functions that the entry points may run, once for all mutants.
fn originals<'a>(program: &'a Program, entries: &[usize]) -> Vec<Original<'a>> {
    let helpers = program.module.functions.iter().map(|(handle, _)| FunctionId::Helper(handle));
    let all = helpers.chain(entries.iter().map(|&index| FunctionId::Entry(index)));
    all.map(|id| Original::of(program, id)).collect()
}

/// Returns the differences of `other`, or `None` if it cannot be merged with `program`.
fn differences<'a>(
    program: &'a Program,
    originals: &'a [Original<'a>],
    other: &'a Program,
) -> Option<MutantDifferences<'a>> {
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
    Some(MutantDifferences { modules, functions })
}

fn build(
    program: &Program,
    found: &[Option<MutantDifferences<'_>>],
    fits: &[bool],
    entries: &[usize],
) -> Result<Mutants> {
    let module = &program.module;
    let prefix = unused::prefix(module);
    let name = format!("{prefix}_mutant");
    let Some(binding) = unused::bindings(module).next() else {
        return Err(internal(program, "no binding is available"));
    };
    let chosen: Vec<(u32, &MutantDifferences<'_>)> = (1..)
        .zip(found.iter().zip(fits))
        .filter_map(|(number, (other, fits))| {
            other.as_ref().filter(|_| *fits).map(|of| (number, of))
        })
        .collect();
    let derived = program.derive(|original| {
        let mut module = rewrite::without_functions(original);
        let variable = add(&mut module, &name, binding);
        let types: Vec<_> =
            chosen.iter().map(|(_, other)| other.modules.copy_types(&mut module)).collect();
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

/// Adds the variable that selects the mutant.
fn add(module: &mut Module, name: &str, binding: ResourceBinding) -> Handle<GlobalVariable> {
    let inner = TypeInner::Scalar(Scalar::U32);
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let variable = GlobalVariable {
        name: Some(name.to_owned()),
        // Drivers recompile a shader for each value of a uniform variable that control flow depends on (Mesa's
        // `nir_inline_uniforms`), which a single module for all mutants must avoid.
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
    Box::new(
        Diagnostic::new(format!("cannot build a module with the mutants of `{name}`")).note(error),
    )
}
