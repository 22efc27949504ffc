//! From an item to what its kernels' `kernel()` hold: WGSL, map, bindings.

use crate::blame;
use crate::lines::Lines;
use crate::reword::{ShortLengths, short_lengths};
use hirace_program::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace_program::front::Parsed;
use hirace_program::front::rust::lower::lower;
use hirace_program::front::rust::parse_printed;
use hirace_program::front::rust::print::{Printed, Selection, print};
use hirace_program::front::rust::template::{Hole, Template};
use hirace_program::front::rust::tree::FunctionId;
use hirace_program::ir::bindings::{self, Binding};
use hirace_program::pass::monitor::{Options, monitor};
use hirace_program::program::Program;
use hirace_program::watch::{Request, WatchPlan};
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
    /// Where `.len()` gives a `u32`.
    pub short_lengths: ShortLengths,
}

/// A WGSL text and what is known of it.
pub struct Parts {
    /// The text and its map; of a generic kernel, those of an instance.
    pub printed: Printed,
    /// Where the values of const parameters stand in it.
    pub holes: Vec<Hole>,
    /// The text with the monitor in it; not of a generic kernel.
    pub instrumented: Option<String>,
    /// What it wants bound.
    pub bindings: Vec<Binding>,
}

/// Makes kernels of an item, or says at which tokens it cannot. `tokens` are the item's.
pub fn compile(item: &Item, tokens: &TokenStream) -> syn::Result<Made> {
    let module = lower(item)?;
    let lines = Lines::of(tokens);
    let source = lines.source();
    let refused = |error: Box<Diagnostic>| blame::refusal(&error, &source, tokens);
    let mut shared = None;
    let mut entries = module.functions.iter().filter_map(|function| function.entry.as_ref());
    if entries.any(|entry| entry.generics.is_empty()) {
        let printed = print(&module, &Selection::All)?;
        let parsed = parse_printed(&source, &printed.wgsl, printed.map.clone(), &printed.names);
        let parsed = parsed.map_err(refused)?;
        let instrumented = Some(instrumented(&parsed).map_err(refused)?);
        let bindings = bindings::bindings(&parsed.module);
        shared = Some(Parts { printed, holes: Vec::new(), instrumented, bindings });
    }
    let mut generic = BTreeMap::new();
    for id in 0..module.functions.len() {
        let Some(template) = Template::of(&module, FunctionId(id))? else { continue };
        // That naga takes it is tried with some values.
        let (values, parsed) = template.sample(&source, &[]).map_err(refused)?;
        let bindings = bindings::bindings(&parsed.module);
        let wgsl = template.text(&values);
        let Template { kernel, map, names, holes, .. } = template;
        let printed = Printed { wgsl, map, names };
        generic.insert(kernel, Parts { printed, holes, instrumented: None, bindings });
    }
    let short_lengths = short_lengths(&module.short_lengths);
    Ok(Made { lines, shared, generic, short_lengths })
}

/// The text with the monitor in it.
fn instrumented(parsed: &Parsed) -> Diagnosed<String> {
    let program = Program::new(parsed, &BTreeMap::new())?;
    let watch = WatchPlan::of_all(&program, &Request::default());
    monitor(&program, &watch, &Options::default())?.wgsl()
}
