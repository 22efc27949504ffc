//! Programs that passes make of programs.
//!
//! A pass rewrites functions, naga resolves overrides in what comes of that, and both make statements and
//! expressions anew: neither keeps handles nor numbers. What both keep are spans, since each copy has the span of
//! what it is a copy of. So while a pass works, spans are *marks*: each statement and expression of the
//! module that it is given has one of its own, by which the copies are known again. What the pass adds
//! has no span, or that of what it stands for, or one that says what it is in the stead of ([`in_stead`]).

use super::{About, Program};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::moved::move_spans;
use crate::ir::overrides::{self, Given};
use crate::ir::sites::{Site, SiteId, SiteKind, Sites};
use crate::ir::walk::{self, FunctionId};
use crate::ir::{access, validate, written};
use crate::source_map::Span;
use naga::Module;
use naga::valid::ModuleInfo;
use std::collections::BTreeMap;
use std::mem::discriminant;

/// A module that a pass made of a program, with its overrides still open.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The module. Its spans are marks.
    pub module: Module,
    /// What naga's validator found out about it.
    pub info: ModuleInfo,
    marks: Vec<Mark>,
    sites: Sites,
    about: About,
}

/// What a mark stands for: a statement or expression of the original.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Where that stands.
    span: Span,
    /// Its sites: the one it is, and that of the barrier that it is.
    sites: [Option<SiteId>; 2],
}

impl Mark {
    /// The span that says `number`.
    fn span_of(number: usize) -> naga::Span {
        naga::Span::new(number as u32, number as u32 + 1)
    }

    /// What the mark in `span` stands for, be it of a copy or of what is in its stead.
    fn of(marks: &[Self], span: Span) -> Option<&Self> {
        match span.end.checked_sub(span.start) {
            Some(COPY | IN_STEAD) => marks.get(span.start as usize),
            _ => None,
        }
    }
}

/// How long spans are that are marks of copies, and of what stands where the original of a copy does and is something else.
const COPY: u32 = 1;
const IN_STEAD: u32 = 2;

/// The span of what a pass puts in the stead of what has `span` in the module that it was given: it has the place of that,
/// and none of its sites.
pub fn in_stead(span: naga::Span) -> naga::Span {
    let Span { start, end } = Span::from(span);
    match end.checked_sub(start) {
        Some(COPY) => naga::Span::new(start, start + IN_STEAD),
        _ => naga::Span::UNDEFINED,
    }
}

impl Program {
    /// What `pass` makes of this program's module. The module that it is given is a copy in which spans are marks;
    /// it has to give what it copies the span that this had, and what it adds that of what it stands for, or
    /// [`naga::Span::UNDEFINED`].
    ///
    /// # Errors
    /// Those of `pass`; and what naga's validator says against the module that it made.
    pub fn derive(&self, pass: impl FnOnce(&Module) -> Result<Module>) -> Result<Derived> {
        let (marked, marks) = self.marked();
        let module = pass(&marked)?;
        let info =
            validate::validate(&module, &self.source).map_err(|error| self.invalid(&error))?;
        Ok(Derived { module, info, marks, sites: self.sites.clone(), about: self.about() })
    }

    /// A copy of the module in which spans are marks, and what they stand for.
    fn marked(&self) -> (Module, Vec<Mark>) {
        let mut marks = Vec::new();
        let mut mark = |span: naga::Span, sites| {
            marks.push(Mark { span: Span::from(span), sites });
            Mark::span_of(marks.len() - 1)
        };
        let mut module = self.module.clone();
        // Whatever is no part of a function has no sites.
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
        let bug = Diagnostic::new(format!("what a pass made of `{name}` does not validate"));
        Box::new(
            bug.note(error.to_string())
                .help("this is a bug in hirace; please report it with the file"),
        )
    }
}

/// Gives the statements of `block`, and those they hold, these spans in order.
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

impl Derived {
    /// The module as WGSL.
    pub fn wgsl(&self) -> Result<String> {
        written::wgsl(&self.module, &self.info, self.about.source.name())
    }

    /// The program that it is under these values of its overrides. Its sites are where those of the original
    /// are that they are copies of, and do what those do ([`Program::origin_of`]).
    pub fn program(&self, values: &BTreeMap<String, f64>) -> Result<Program> {
        let source = &self.about.source;
        let given = Given { values, file: source.name(), source };
        let keys = given.keys(&self.module)?;
        let (mut module, info) = overrides::resolve(&self.module, &self.info, given, &keys)?;
        let mut sites = access::enumerate(&module, &info);
        let origins: Vec<SiteId> = sites.list.iter_mut().map(|site| self.place(site)).collect();
        move_spans(&mut module, &|span| {
            let moved =
                Mark::of(&self.marks, Span::from(span)).map_or(Span::default(), |mark| mark.span);
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
        sites.copy_said(&self.sites, &origins);
        let program = Program::of(module, info, sites, self.about.clone());
        Ok(Program { origins: Some(origins), ..program })
    }

    /// Moves a site, whose span is a mark, to where the original of what stands there has its own; gives that.
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
