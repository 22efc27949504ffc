//! From an item to what its kernels' `kernel()` hold: WGSL, map, bindings.

use crate::blame;
use crate::lines::Lines;
use crate::reword::{ShortLengths, short_lengths};
use hirace_program::diagnostic::{Diagnostic, Result as Diagnosed};
use hirace_program::front::Parsed;
use hirace_program::front::rust::compose::pieces::{self, Piece};
use hirace_program::front::rust::compose::{Foreign, check_name, whole};
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
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::Item;

/// What was made of an item.
pub struct Made {
    /// The lines of the item.
    pub lines: Lines,
    /// Those of what it uses, by file.
    pub beside: Vec<(String, Lines)>,
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

/// Makes kernels of an item, or says at which tokens it cannot. `tokens` are the item's; `uses` says which of `foreign` its
/// paths lead to.
pub fn compile(
    item: &Item,
    tokens: &TokenStream,
    uses: &[(String, String)],
    foreign: &[Foreign],
) -> syn::Result<Made> {
    check_name(item)?;
    let module = lower(&whole(item, uses, foreign))?;
    let lines = Lines::of(tokens);
    let main = file_of(tokens);
    let elsewhere: Vec<(String, TokenStream)> = foreign.iter().map(place).collect();
    let beside: Vec<(String, Lines)> =
        elsewhere.iter().map(|(file, tokens)| (file.clone(), Lines::of(tokens))).collect();
    let pieces: Vec<Piece<'_>> = std::iter::once((&main, &lines))
        .chain(beside.iter().map(|(file, lines)| (file, lines)))
        .map(|(file, lines)| Piece { file, line: lines.first as u32, text: &lines.text })
        .collect();
    let source = pieces::source(&pieces);
    let files: Vec<String> = pieces::files(&pieces).into_iter().map(str::to_owned).collect();
    let refused = |error: Box<Diagnostic>| {
        let of_main = std::iter::once((&main, tokens));
        let all = of_main.chain(elsewhere.iter().map(|(file, tokens)| (file, tokens)));
        blame::refusal(&error, &source, tokens, all)
    };
    let mut shared = None;
    let mut entries = module.functions.iter().filter_map(|function| function.entry.as_ref());
    if entries.any(|entry| entry.generics.is_empty()) {
        let printed = in_files(print(&module, &Selection::All)?, &files);
        let parsed = parse_printed(&source, &printed.wgsl, printed.map.clone(), &printed.names);
        let parsed = parsed.map_err(refused)?;
        let instrumented = Some(instrumented(&parsed).map_err(refused)?);
        let bindings = bindings::bindings(&parsed.module);
        shared = Some(Parts { printed, holes: Vec::new(), instrumented, bindings });
    }
    let mut generic = BTreeMap::new();
    for id in 0..module.functions.len() {
        let Some(mut template) = Template::of(&module, FunctionId(id))? else { continue };
        template.map = template.map.of_files(&files);
        // That naga takes it is tried with some values.
        let (values, parsed) = template.sample(&source, &[]).map_err(refused)?;
        let bindings = bindings::bindings(&parsed.module);
        let wgsl = template.text(&values);
        let Template { kernel, map, names, holes, .. } = template;
        let printed = Printed { wgsl, map, names };
        generic.insert(kernel, Parts { printed, holes, instrumented: None, bindings });
    }
    let short_lengths = short_lengths(&module.short_lengths);
    Ok(Made { lines, beside, shared, generic, short_lengths })
}

fn in_files(printed: Printed, files: &[String]) -> Printed {
    Printed { map: printed.map.of_files(files), ..printed }
}

/// Where a foreign item stands: its file and its tokens.
fn place(foreign: &Foreign) -> (String, TokenStream) {
    (foreign.file(), foreign.items.iter().map(ToTokens::to_token_stream).collect())
}

fn file_of(tokens: &TokenStream) -> String {
    let first = tokens.clone().into_iter().next();
    first.map_or_else(proc_macro2::Span::call_site, |token| token.span()).file()
}

/// The text with the monitor in it.
fn instrumented(parsed: &Parsed) -> Diagnosed<String> {
    let program = Program::new(parsed, &BTreeMap::new())?;
    let watch = WatchPlan::of_all(&program, &Request::default());
    monitor(&program, &watch, &Options::default())?.wgsl()
}
