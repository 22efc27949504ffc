//! From an item to what its kernels' `kernel()` hold: WGSL, map, bindings.

use crate::blame;
use crate::lines::Lines;
use hirace_program::diagnostic::Result as Diagnosed;
use hirace_program::front::rust::lower::lower;
use hirace_program::front::rust::print::{Printed, Selection, print};
use hirace_program::front::rust::tree::{self, ConstId, FunctionId};
use hirace_program::front::wgsl;
use hirace_program::ir::bindings::{self, Binding};
use hirace_program::pass::monitor::{Options, monitor};
use hirace_program::program::Program;
use proc_macro2::TokenStream;
use std::collections::BTreeMap;
use syn::Item;

/// What was made of an item.
pub struct Made {
    /// The lines of the item.
    pub lines: Lines,
    /// Of all kernels that are not generic.
    pub shared: Option<Parts>,
    /// Of each generic kernel, by name.
    pub generic: BTreeMap<String, Parts>,
}

/// A WGSL text and what is known of it.
pub struct Parts {
    /// The text and its map.
    pub printed: Printed,
    /// Where the values of const parameters stand in it: byte and parameter.
    pub holes: Vec<(usize, usize)>,
    /// The text with the monitor in it; not of a generic kernel.
    pub instrumented: Option<String>,
    /// What it wants bound.
    pub bindings: Vec<Binding>,
}

/// Makes kernels of an item, or says at which tokens it cannot. `tokens` are the item's.
pub fn compile(item: &Item, tokens: &TokenStream) -> syn::Result<Made> {
    let module = lower(item)?;
    let kernels = || {
        let all = module.functions.iter().enumerate();
        all.filter_map(|(id, function)| Some((FunctionId(id), function, function.entry.as_ref()?)))
    };
    let mut shared = None;
    if kernels().any(|(_, _, entry)| entry.generics.is_empty()) {
        let printed = print(&module, &Selection::All)?;
        shared = Some(Parts::of(printed, tokens)?);
    }
    let mut generic = BTreeMap::new();
    for (id, function, entry) in kernels().filter(|(.., entry)| !entry.generics.is_empty()) {
        let parts = Parts::of_generic(&module, id, &entry.generics, tokens)?;
        generic.insert(function.name.text.clone(), parts);
    }
    Ok(Made { lines: Lines::of(tokens), shared, generic })
}

impl Parts {
    fn of(printed: Printed, tokens: &TokenStream) -> syn::Result<Self> {
        let (instrumented, bindings) = instrumented(&printed.wgsl)
            .map_err(|refused| blame::refusal(&refused, &printed.map, tokens))?;
        Ok(Self { printed, holes: Vec::new(), instrumented: Some(instrumented), bindings })
    }

    /// The parts of a generic kernel: its text with one value of each parameter, and where the values
    /// stand. That naga takes it is tried with several values, since a kernel may be made for few.
    fn of_generic(
        module: &tree::Module,
        kernel: FunctionId,
        parameters: &[ConstId],
        tokens: &TokenStream,
    ) -> syn::Result<Self> {
        let instance = |values| print(module, &Selection::Instance(kernel, values));
        let mut refusals = Vec::new();
        for sample in SAMPLES {
            let printed = instance(vec![sample; parameters.len()])?;
            match wgsl::parse("", &printed.wgsl) {
                Ok(parsed) => {
                    let marks = (0..parameters.len() as u32).map(|index| MARK + index);
                    let holes = holes(&instance(marks.collect())?.wgsl, parameters.len());
                    let bindings = bindings::bindings(&parsed.module);
                    return Ok(Self { printed, holes, instrumented: None, bindings });
                }
                Err(refused) => refusals.push(blame::refusal(&refused, &printed.map, tokens)),
            }
        }
        Err(refusals.swap_remove(0))
    }
}

/// Values that const parameters are tried with.
const SAMPLES: [u32; 9] = [64, 8, 4, 16, 1, 2, 32, 128, 256];

/// A value that nobody writes; one for each parameter from here on.
const MARK: u32 = 0xa5c3_9600;

/// Where in the text the values of parameters stand: byte and parameter.
fn holes(text: &str, parameters: usize) -> Vec<(usize, usize)> {
    let mut holes = Vec::new();
    for parameter in 0..parameters {
        let mark = format!("{:#010x}u", MARK + parameter as u32);
        holes.extend(text.match_indices(&mark).map(|(at, _)| (at, parameter)));
    }
    holes.sort_unstable();
    holes
}

/// The text with the monitor in it, and what it wants bound.
fn instrumented(text: &str) -> Diagnosed<(String, Vec<Binding>)> {
    let parsed = wgsl::parse("", text)?;
    let program = Program::new(&parsed, &BTreeMap::new())?;
    let entries = program.entries().map(|(index, _)| index).collect();
    let monitored = monitor(&program, &Options::new(entries))?;
    Ok((monitored.wgsl()?, bindings::bindings(&parsed.module)))
}
