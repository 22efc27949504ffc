//! Programs that passes create from programs.
//!
//! A pass rewrites functions, and naga resolves overrides in the result. Both create new statements and expressions and keep
//! neither handles nor numbers. Both keep spans, since each copy has the span of its original. Therefore spans are *marks* while
//! a pass works: each statement and expression of the module that the pass is given has a unique mark, which identifies its
//! copies. Code that the pass adds has no span, or the span of the code it belongs to, or a span that marks it as a replacement
//! ([`replacement_span`]).
//!
//! A site of the result is known to be the copy of one site of the original ([`Program::origin_of`]), or it is [`SiteId::NONE`]
//! because the pass added it.

use super::{Program, SourceProperties};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::overrides::{self, OverrideValues};
use crate::ir::sites::{Site, SiteId, SiteKind, Sites};
use crate::ir::spans::move_spans;
use crate::ir::walk::{self, FunctionId};
use crate::ir::{enumerate, validate, wgsl_writer};
use crate::source_map::Span;
use naga::Module;
use naga::valid::ModuleInfo;
use std::collections::BTreeMap;
use std::mem::discriminant;

/// A module that a pass created from a program, with unresolved overrides.
#[derive(Clone, Debug)]
pub struct DerivedModule {
    /// The module. Its spans are marks.
    pub module: Module,
    /// The results of naga's validator.
    pub info: ModuleInfo,
    marks: Vec<Mark>,
    sites: Sites,
    about: SourceProperties,
}

/// The statement or expression of the original that a mark identifies.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The span of the original.
    span: Span,
    /// The sites of the original: its own, and that of the barrier in it.
    sites: [Option<SiteId>; 2],
}

impl Mark {
    /// Returns the mark with this number, as a span.
    fn span_of(number: usize) -> naga::Span {
        naga::Span::new(number as u32, number as u32 + 1)
    }

    /// Returns the original of the mark in `span`, for a copy or for a replacement.
    fn of(marks: &[Self], span: Span) -> Option<&Self> {
        match span.end.checked_sub(span.start) {
            Some(COPY | IN_STEAD) => marks.get(span.start as usize),
            _ => None,
        }
    }
}

/// Lengths of the spans that mark copies, and of those that mark replacements.
const COPY: u32 = 1;
const IN_STEAD: u32 = 2;

/// Returns the span for code that replaces the code with `span` in the module that a pass was given. The replacement has the
/// source span of the original, but none of its sites.
pub fn replacement_span(span: naga::Span) -> naga::Span {
    let Span { start, end } = Span::from(span);
    match end.checked_sub(start) {
        Some(COPY) => naga::Span::new(start, start + IN_STEAD),
        _ => naga::Span::UNDEFINED,
    }
}

impl Program {
    /// Applies `pass` to the module of this program. The module that the pass is given is a copy whose spans are marks. The pass
    /// must keep the span of everything that it copies, and give everything that it adds the span of the code it belongs to or
    /// [`naga::Span::UNDEFINED`].
    ///
    /// # Errors
    /// Returns the errors of `pass`, and those of naga's validator for the resulting module.
    pub fn derive(&self, pass: impl FnOnce(&Module) -> Result<Module>) -> Result<DerivedModule> {
        let (marked, marks) = self.marked();
        let module = pass(&marked)?;
        let info = validate::validate(&module, &self.source, validate::Layouts::Scalar)
            .map_err(|error| self.invalid(&error))?;
        Ok(DerivedModule { module, info, marks, sites: self.sites.clone(), about: self.about() })
    }

    /// Returns a copy of the module whose spans are marks, and the originals of these marks.
    fn marked(&self) -> (Module, Vec<Mark>) {
        let mut marks = Vec::new();
        let mut mark = |span: naga::Span, sites| {
            marks.push(Mark { span: Span::from(span), sites });
            Mark::span_of(marks.len() - 1)
        };
        let mut module = self.module.clone();
        // Items outside of functions have no sites.
        move_spans(&mut module, &|_| naga::Span::UNDEFINED);
        for id in FunctionId::all(&self.module) {
            let original = id.get(&self.module);
            let mut expressions = naga::Arena::new();
            for (handle, expression) in original.expressions.iter() {
                let site = self.sites.load(id, handle);
                let span = original.expressions.get_span(handle);
                expressions.append(expression.clone(), mark(span, [site, None]));
            }
            let mut statements = Vec::new();
            walk::statements(&original.body, &mut |at, _, span| {
                let sites = [self.sites.statement(id, at), self.sites.barrier(id, at)];
                statements.push(mark(span, sites));
            });
            let function = match id {
                FunctionId::Helper(handle) => &mut module.functions[handle],
                FunctionId::Entry(index) => &mut module.entry_points[index].function,
            };
            function.expressions = expressions;
            set_spans(&mut function.body, &mut statements.into_iter());
        }
        (module, marks)
    }

    fn invalid(&self, error: &Diagnostic) -> Box<Diagnostic> {
        let name = self.source.name();
        let bug =
            Diagnostic::new(format!("the module that a pass generated from `{name}` is invalid"));
        Box::new(
            bug.note(error.to_string())
                .help("this is a bug in hirace; please report it with the file"),
        )
    }
}

/// Sets the spans of the statements of `block`, nested ones included, in order.
fn set_spans(block: &mut naga::Block, spans: &mut impl Iterator<Item = naga::Span>) {
    for (statement, span) in block.span_iter_mut() {
        if let (Some(span), Some(new)) = (span, spans.next()) {
            *span = new;
        }
        for inner in crate::ir::operands::children(statement) {
            set_spans(inner, spans);
        }
    }
}

impl DerivedModule {
    /// Writes the module as WGSL.
    pub fn wgsl(&self) -> Result<String> {
        wgsl_writer::write_wgsl(&self.module, &self.info, self.about.source.name())
    }

    /// Creates the program with these values of its overrides. Its sites have the spans and properties of the sites of the
    /// original that they are copies of ([`Program::origin_of`]).
    pub fn program(&self, values: &BTreeMap<String, f64>) -> Result<Program> {
        let source = &self.about.source;
        let given = OverrideValues { values, file: source.name(), source };
        let keys = given.keys(&self.module)?;
        let (mut module, info) = overrides::resolve(&self.module, &self.info, given, &keys)?;
        let mut sites = enumerate::sites(&module, &info, self.about.language.vector_stores());
        let origins: Vec<SiteId> = sites.list.iter_mut().map(|site| self.place(site)).collect();
        move_spans(&mut module, &|span| {
            let moved =
                Mark::of(&self.marks, Span::from(span)).map_or(Span::default(), |mark| mark.span);
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
        sites.copy_annotations(&self.sites, &origins);
        let program = Program::of(module, info, sites, self.about.clone());
        Ok(Program { origins: Some(origins), ..program })
    }

    /// Replaces the span of a site, which is a mark, by the span of its original. Returns the original site.
    fn place(&self, site: &mut Site) -> SiteId {
        let mark = Mark::of(&self.marks, site.span);
        let is_copy = site.span.end.checked_sub(site.span.start) == Some(COPY);
        site.span = mark.map_or(Span::default(), |mark| mark.span);
        site.statement = site.span;
        let same = |id: &SiteId| {
            let original = self.sites.get(*id);
            original.is_some_and(|other| discriminant(&other.kind) == discriminant(&site.kind))
        };
        let Some(id) =
            mark.filter(|_| is_copy).and_then(|mark| mark.sites.into_iter().flatten().find(same))
        else {
            return SiteId::NONE;
        };
        let Some(original) = self.sites.get(id) else { return SiteId::NONE };
        (site.span, site.statement, site.close) =
            (original.span, original.statement, original.close);
        match (&mut site.kind, &original.kind) {
            (SiteKind::Access(access), SiteKind::Access(other)) => access.action = other.action,
            (SiteKind::Barrier(barrier), SiteKind::Barrier(other)) => *barrier = *other,
            _ => {}
        }
        id
    }
}
