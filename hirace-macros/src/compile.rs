//! Compiles an item to the contents of its kernels: WGSL, source map, bindings.

use crate::error_location;
use crate::kernels::{attributed, overridable};
use crate::lines::Lines;
use crate::reword::{ShortLengths, short_lengths};
use crate::webgpu_warnings::{self, ExcessDemand};

use hirace_program::diagnostic::Diagnostic;
use hirace_program::front::ParsedModule;
use hirace_program::ir::bindings::bindings;
use hirace_runtime::{Binding, Entry, fill_holes};
use hirace_rust::compose::pieces::{self, Piece};
use hirace_rust::compose::{ForeignItem, check_name, merge_with_uses};
use hirace_rust::lower::lower;
use hirace_rust::map::Map;
use hirace_rust::parse_printed;
use hirace_rust::print::{PrintedModule, Selection, print};
use hirace_rust::template::{Hole, Template};
use hirace_rust::tree::FunctionId;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::borrow::Cow;
use std::collections::BTreeMap;
use syn::{Item, ItemConst};

/// A compiled item.
pub struct CompiledItem {
    /// The source lines of the item.
    pub lines: Lines,
    /// The arguments of its attribute.
    pub arguments: TokenStream,
    /// Its overridable constants.
    pub overridable: Vec<ItemConst>,
    /// The source lines of the items that it uses, by file.
    pub foreign_lines: Vec<(String, Lines)>,
    /// The text of all kernels that are not generic.
    pub shared: Option<Parts>,
    /// The text of each generic kernel, by name.
    pub generic: BTreeMap<String, Parts>,
    /// What the kernels require that WebGPU does not guarantee, without generic ones, whose instances differ.
    pub beyond: Vec<ExcessDemand>,
    /// The calls of `.len()` that return a `u32`.
    pub short_lengths: ShortLengths,
}

/// A WGSL text and its metadata.
pub struct Parts {
    /// The text and its map; for a generic kernel, those of an instance.
    pub printed: PrintedModule,
    /// The places of const parameters in the text.
    pub holes: Vec<Hole>,
    /// The text without its checks, with the places of const parameters in it; `None` if it has no checks.
    pub plain: Option<(String, Vec<Hole>)>,
    /// The kernels.
    pub entries: Vec<Entry>,
    /// The bindings of all kernels, and those that no kernel uses.
    pub bindings: Vec<Binding>,
    /// The overrides: the name in Rust, and the key in a pipeline.
    pub constants: Vec<(String, String)>,
}

/// Compiles an item, or returns errors at tokens. `tokens` are the item's, `arguments` those of its attribute; `uses`
/// maps its paths to the keys of `foreign` items.
pub fn compile(
    item: &Item,
    arguments: &TokenStream,
    tokens: &TokenStream,
    uses: &[(String, String)],
    foreign: &[ForeignItem],
) -> syn::Result<CompiledItem> {
    check_name(item)?;
    let module = lower(&merge_with_uses(&attributed(item, arguments.clone()), uses, foreign))?;
    let lines = Lines::of(tokens);
    let main = file_of(tokens);
    let foreign_sources: Vec<(String, TokenStream)> = foreign.iter().map(file_and_tokens).collect();
    let foreign_lines: Vec<(String, Lines)> =
        foreign_sources.iter().map(|(file, tokens)| (file.clone(), Lines::of(tokens))).collect();
    let pieces: Vec<Piece<'_>> = std::iter::once((&main, &lines))
        .chain(foreign_lines.iter().map(|(file, lines)| (file, lines)))
        .map(|(file, lines)| Piece { file, line: lines.first as u32, text: &lines.text })
        .collect();
    let source = pieces::source(&pieces);
    let files: Vec<String> = pieces::files(&pieces).into_iter().map(str::to_owned).collect();
    let main_source = std::iter::once((&main, tokens));
    let sources = main_source.chain(foreign_sources.iter().map(|(file, tokens)| (file, tokens)));
    let to_syn_error =
        |error: Box<Diagnostic>| error_location::refusal(&error, &source, tokens, sources.clone());
    let mut beyond = Vec::new();
    let mut shared = None;
    let mut entries = module.functions.iter().filter_map(|function| function.entry.as_ref());
    if entries.any(|entry| !entry.is_separate()) {
        let printed = with_files(print(&module, &Selection::All)?, &files);
        let parsed = parse_printed(&source, &printed.wgsl, printed.map.clone(), &printed.names);
        let parsed = parsed.map_err(to_syn_error)?;
        beyond = webgpu_warnings::of(&parsed, |excess| {
            error_location::blamed(excess, &source, tokens, sources.clone())
        });
        shared = Some(Parts::new(printed, Vec::new(), &[], &parsed));
    }
    let mut generic = BTreeMap::new();
    for id in 0..module.functions.len() {
        let Some(mut template) = Template::of(&module, FunctionId(id))? else { continue };
        template.map = template.map.with_files(&files);
        // Whether naga accepts the kernel is tested with sample values.
        let (values, parsed) = template.sample(&source, &[]).map_err(to_syn_error)?;
        let wgsl = template.text(&values);
        let Template { kernel, map, names, holes, .. } = template;
        let mut parts = Parts::new(PrintedModule { wgsl, map, names }, holes, &values, &parsed);
        // The workgroup size of the sample is not that of other instances.
        parts.entries.iter_mut().for_each(|entry| entry.workgroup_size = None);
        generic.insert(kernel, parts);
    }
    let (arguments, overridable) = (arguments.clone(), overridable(item));
    let short_lengths = short_lengths(&module.short_lengths);
    Ok(CompiledItem {
        lines,
        arguments,
        overridable,
        foreign_lines,
        shared,
        generic,
        beyond,
        short_lengths,
    })
}

fn with_files(printed: PrintedModule, files: &[String]) -> PrintedModule {
    PrintedModule { map: printed.map.with_files(files), ..printed }
}

/// Returns the file and the tokens of a foreign item.
fn file_and_tokens(foreign: &ForeignItem) -> (String, TokenStream) {
    (foreign.file(), foreign.items.iter().map(ToTokens::to_token_stream).collect())
}

fn file_of(tokens: &TokenStream) -> String {
    let first = tokens.clone().into_iter().next();
    first.map_or_else(proc_macro2::Span::call_site, |token| token.span()).file()
}

impl Parts {
    /// Creates the parts of an instance with these values.
    fn new(
        printed: PrintedModule,
        holes: Vec<Hole>,
        values: &[u32],
        parsed: &ParsedModule,
    ) -> Self {
        let plain = without_checks(&printed, &holes, values);
        // Variables that only a check uses are not bound.
        let unchecked = plain.as_ref().and_then(|(text, _)| {
            parse_printed(&parsed.source, text, Map::default(), &printed.names).ok()
        });
        let mut entries = unchecked.as_ref().unwrap_or(parsed).entries();
        for entry in &mut entries {
            entry.wgsl = wgsl_name(&printed, &entry.name, |name| format!("fn {name}(")).into();
        }
        let constants = parsed.module.overrides.iter().filter_map(|(_, found)| {
            let name = found.name.clone()?;
            let wgsl = || wgsl_name(&printed, &name, |name| format!("override {name}:"));
            let key = found.id.map_or_else(wgsl, |id| id.to_string());
            Some((name, key))
        });
        let (constants, bindings) = (constants.collect(), bindings(&parsed.module));
        Self { printed, holes, plain, entries, bindings, constants }
    }
}

/// The first of the marker numbers, one for each const parameter, which do not occur in source code.
const FIRST_MARK: u32 = 0x5a3c_6900;

/// Returns the text without its checks, if it has any, and the places of const parameters in it.
fn without_checks(
    printed: &PrintedModule,
    holes: &[Hole],
    values: &[u32],
) -> Option<(String, Vec<Hole>)> {
    let marks: Vec<u32> = (FIRST_MARK..).take(values.len()).collect();
    let marked = fill_holes(&printed.wgsl, holes, &marks);
    let Cow::Owned(mut text) = printed.map.without_checks(&marked) else { return None };
    let mut plain_holes = Vec::new();
    for (parameter, &mark) in (0..).zip(&marks) {
        let mark = Hole::show(mark);
        let found = text.match_indices(&mark);
        plain_holes.extend(found.map(|(at, _)| Hole { at: at as u32, parameter }));
    }
    plain_holes.sort_unstable();
    text = fill_holes(&text, &plain_holes, values);
    Some((text, plain_holes))
}

/// Returns the WGSL name of the Rust item `name`. `declaration` returns the text that declares a WGSL name; it selects
/// the item if a buffer and a function have the same name in Rust.
fn wgsl_name(printed: &PrintedModule, name: &str, declaration: impl Fn(&str) -> String) -> String {
    let mut renamed = printed.names.iter().filter(|(_, rust)| rust == name);
    let found = renamed.find(|(wgsl, _)| printed.wgsl.contains(&declaration(wgsl)));
    found.map_or(name, |(wgsl, _)| wgsl).to_owned()
}
