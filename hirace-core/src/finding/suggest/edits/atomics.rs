//! Edits that make memory atomic: they change its declaration and all accesses to it.

use super::atomic_syntax::AtomicSyntax;
use super::declared::{Element, scalar};
use crate::edit::Edit;
use crate::finding::suggest::counter::update;
use crate::front::wgsl::tokens::Tokens;
use crate::ir::access::{Access, Action, Target};
use crate::ir::sites::{Site, SiteId};
use crate::ir::walk::FunctionId;
use crate::program::{Language, Program};
use crate::source_map::Span;
use naga::{Expression, GlobalVariable, Handle, TypeInner};
use std::collections::{BTreeMap, BTreeSet};

/// The edits that make the memory of one declaration atomic.
#[derive(Clone, Debug)]
pub struct AtomicEdits {
    /// The variables that have the declaration.
    pub variables: BTreeSet<Handle<GlobalVariable>>,
    /// The number of places in the source at which accesses change.
    pub accesses: u32,
    /// The edits, which must be applied together.
    pub edits: Vec<Edit>,
}

type Accesses<'a> = Vec<(SiteId, &'a Site, &'a Access)>;

/// Returns, for each declaration of memory of entry point `entry`, the edits that make it atomic, with all accesses to it. `functions`
/// are the functions that the entry point reaches. In Rust, each kernel declares shared memory itself, so only its own accesses are
/// changed.
pub fn all_edits(program: &Program, entry: usize, functions: &[FunctionId]) -> Vec<AtomicEdits> {
    let tokens = Tokens::new(program.source.text());
    let rewriting = AtomicRewriting::new(program, &tokens, false);
    let elements = elements(program, functions).into_iter();
    elements.filter_map(|(element, all)| rewriting.edits(entry, element, &all)).collect()
}

/// Returns the edits that make the memory at the site of an update atomic, so that each update of it is one atomic operation. Returns
/// `None` if an access has no atomic form, or if an update would become a load and a store, between which other updates are lost.
pub fn edits_for_update(program: &Program, entry: usize, site: SiteId) -> Option<Vec<Edit>> {
    let functions = program.calls.reachable([FunctionId::Entry(entry)]);
    let (own, access) = (program.sites.get(site)?, program.sites.access(site)?);
    let element = element(program, own, access)?;
    let all = elements(program, &functions).remove(&element)?;
    let tokens = Tokens::new(program.source.text());
    let rewriting = AtomicRewriting::new(program, &tokens, true);
    Some(rewriting.edits(entry, element, &all)?.edits)
}

/// Returns the accesses to each declaration of memory.
fn elements<'a>(program: &'a Program, functions: &[FunctionId]) -> BTreeMap<Element, Accesses<'a>> {
    let mut elements: BTreeMap<Element, Accesses<'_>> = BTreeMap::new();
    let is_own =
        |site: &Site| program.language != Language::Rust || functions.contains(&site.function);
    for (id, site, access) in program.sites.accesses().filter(|(_, site, _)| is_own(site)) {
        if let Some(element) = element(program, site, access) {
            elements.entry(element).or_default().push((id, site, access));
        }
    }
    elements
}

/// Returns the variable or member whose scalar an access reads or writes, or `None` if the access covers several
/// scalars at once.
fn element(program: &Program, site: &Site, access: &Access) -> Option<Element> {
    let Target::Pointer { pointer, .. } = access.target else { return None };
    let function = site.function.get(&program.module);
    let info = program.info_of(site.function);
    let types = &program.module.types;
    let pointee = |expression: Handle<Expression>| match *info[expression].ty.inner_with(types) {
        TypeInner::Pointer { base, .. } => Some((base, &types[base].inner)),
        _ => None,
    };
    if !matches!(pointee(pointer)?.1, TypeInner::Scalar(_) | TypeInner::Atomic(_)) {
        return None;
    }
    let mut at = pointer;
    loop {
        at = match function.expressions[at] {
            Expression::AccessIndex { base, index } => match pointee(base) {
                Some((ty, TypeInner::Struct { .. })) => return Some(Element::Member(ty, index)),
                _ => base,
            },
            Expression::Access { base, .. } => base,
            Expression::GlobalVariable(variable) => return Some(Element::Variable(variable)),
            _ => return None,
        };
    }
}

/// The rewriting of plain accesses to atomic ones.
struct AtomicRewriting<'a> {
    program: &'a Program,
    tokens: &'a Tokens<'a>,
    /// Whether each update has to become one atomic operation.
    keeps_updates: bool,
}

impl<'a> AtomicRewriting<'a> {
    fn new(program: &'a Program, tokens: &'a Tokens<'a>, keeps_updates: bool) -> Self {
        Self { program, tokens, keeps_updates }
    }

    /// Returns the edits that make an element atomic, which has these accesses.
    fn edits(
        &self,
        entry: usize,
        element: Element,
        accesses: &[(SiteId, &Site, &Access)],
    ) -> Option<AtomicEdits> {
        let Self { program, tokens, .. } = *self;
        let is_mixed = accesses.iter().any(|(.., access)| access.action.is_atomic());
        let syntax = match (program.language, is_mixed) {
            (Language::Wgsl, false) => AtomicSyntax::Wgsl,
            (Language::Rust, false) => AtomicSyntax::RustMethods,
            // Memory with both atomic function calls and plain accesses is declared as plain memory.
            (Language::Rust, true) => AtomicSyntax::RustFunctions,
            _ => return None,
        };
        let mut edits = Vec::new();
        if !is_mixed {
            let at = scalar(program, entry, tokens, element)?;
            edits.push(Edit::new(at, syntax.memory(program.source.snippet(at))));
        }
        let plain = accesses.iter().filter(|(.., access)| !access.action.is_atomic());
        let plain: Accesses<'_> = plain.copied().collect();
        edits.extend(self.rewrite_all(syntax, &plain)?);
        let spans: BTreeSet<_> = plain.iter().map(|(_, site, _)| site.span).collect();
        Some(AtomicEdits {
            variables: accesses.iter().map(|(.., access)| access.global).collect(),
            accesses: spans.len() as u32,
            edits,
        })
    }

    /// Returns the edits for all accesses, or `None` if the form of one of them is not recognized.
    fn rewrite_all(
        &self,
        syntax: AtomicSyntax,
        accesses: &[(SiteId, &Site, &Access)],
    ) -> Option<Vec<Edit>> {
        let mut edits = BTreeSet::new();
        // The reads that become part of a read-modify-write.
        let mut merged_reads = BTreeSet::new();
        for (id, site, _) in accesses.iter().filter(|(.., access)| access.action == Action::Write) {
            edits.extend(self.rewrite_write(syntax, *id, site, &mut merged_reads)?);
        }
        for (_, site, _) in accesses.iter().filter(|(.., access)| access.action == Action::Read) {
            let is_replaced =
                |edit: &Edit| edit.at.start <= site.span.start && site.span.end <= edit.at.end;
            if !merged_reads.contains(&site.span) && !edits.iter().any(is_replaced) {
                edits.extend(self.wrap(syntax, site.span, syntax.load())?);
            }
        }
        Some(edits.into_iter().collect())
    }

    fn rewrite_write(
        &self,
        syntax: AtomicSyntax,
        id: SiteId,
        site: &Site,
        merged_reads: &mut BTreeSet<Span>,
    ) -> Option<Vec<Edit>> {
        let (tokens, place) = (self.tokens, site.span);
        let operator_at = tokens.at(place.end);
        if place.is_empty() || !tokens.is_assignment(operator_at) {
            return None;
        }
        let end = tokens.statement(operator_at).end;
        if tokens.text(end) != ";" {
            return None;
        }
        let value = tokens.span_of(operator_at + 1..end);
        let update = update(self.program, id);
        let function = update.and_then(|update| update.atomic);
        let read =
            update.and_then(|update| self.program.sites.get(update.read)).map(|site| site.span);
        let operator = tokens.text(operator_at);
        let guard = update.and_then(|update| update.guard).filter(|_| self.keeps_updates);
        let is_update = update.is_some();
        let (call, operand, insert) = match (operator, function) {
            ("++" | "--", Some(function)) => {
                merged_reads.insert(place);
                let to = tokens.span(operator_at);
                return self.call(
                    syntax,
                    place,
                    syntax.update(function),
                    Span::new(to.end, to.end),
                    "1",
                );
            }
            ("=", Some(function)) if guard.is_some() => (syntax.update(function), value, ""),
            ("=", Some(function)) => match read.and_then(|read| self.operand(read, value)) {
                Some(operand) => {
                    merged_reads.extend(read);
                    (syntax.update(function), operand, "")
                }
                None if self.keeps_updates => return None,
                None => (syntax.store(), value, ""),
            },
            ("=", None) if is_update && self.keeps_updates => return None,
            ("=", None) => (syntax.store(), value, ""),
            (_, Some(function)) => {
                merged_reads.insert(place);
                (syntax.update(function), value, "")
            }
            // No single atomic operation does this: `x *= v`.
            (_, None) => return None,
        };
        let mut edits =
            self.call(syntax, place, call, Span::new(operand.start, operand.start), insert)?;
        if let Some(close) = edits.last_mut() {
            close.at = Span::new(operand.end, value.end.max(operand.end));
        }
        if let Some(guard) = guard {
            edits.extend(self.remove_guard(guard, place, value)?);
        }
        Some(edits)
    }

    /// Removes the text of an `if` around the only statement in it, which stores `value` to `place`. Returns `None` if a comment would
    /// be lost.
    fn remove_guard(&self, guard: Span, place: Span, value: Span) -> Option<[Edit; 2]> {
        let tokens = self.tokens;
        let (first, close) = (tokens.at(guard.start), tokens.at(value.end) + 1);
        let is_else = first.checked_sub(1).is_some_and(|before| tokens.text(before) == "else");
        let is_if = tokens.text(first) == "if" && tokens.text(close) == "}";
        if is_else || !is_if || tokens.span(close).end != guard.end {
            return None;
        }
        let removed =
            [Span::new(guard.start, place.start), Span::new(tokens.span(close - 1).end, guard.end)];
        let has_comment = |&span: &Span| self.program.source.snippet(span).contains('/');
        (!removed.iter().any(has_comment)).then(|| removed.map(|span| Edit::new(span, "")))
    }

    /// Returns the other operand of `value`, which is an operation, or a call of `min` or `max`, with the read as its first or last
    /// operand.
    fn operand(&self, read: Span, value: Span) -> Option<Span> {
        let tokens = self.tokens;
        let first = tokens.at(value.start);
        let value = match tokens.text(first) {
            "min" | "max" if self.program.language == Language::Wgsl => {
                let close = tokens.partner(first + 1)?;
                let is_all = tokens.span(close).end == value.end;
                is_all.then(|| tokens.span_of(first + 2..close))?
            }
            _ => value,
        };
        if read.start == value.start {
            let operator = tokens.at(read.end);
            let operand = Span::new(tokens.span(operator + 1).start, value.end);
            return (!operand.is_empty()).then_some(operand);
        }
        let operator = tokens.at(read.start).checked_sub(1)?;
        let operand = Span::new(value.start, tokens.span(operator.checked_sub(1)?).end);
        (read.end == value.end && !operand.is_empty()).then_some(operand)
    }

    /// Replaces `place` and the text up to `operand` by the beginning of a call. `inserted` is the operand if the text
    /// has none.
    fn call(
        &self,
        syntax: AtomicSyntax,
        place: Span,
        [before, between, after]: [String; 3],
        operand: Span,
        inserted: &str,
    ) -> Option<Vec<Edit>> {
        let mut edits = self.begin_call(syntax, place, &before)?;
        edits.push(Edit::new(Span::new(place.end, operand.start), format!("{between}{inserted}")));
        edits.push(Edit::new(operand, after));
        Some(edits)
    }

    fn wrap(
        &self,
        syntax: AtomicSyntax,
        place: Span,
        [before, after]: [String; 2],
    ) -> Option<Vec<Edit>> {
        let mut edits = self.begin_call(syntax, place, &before)?;
        edits.push(Edit::new(Span::new(place.end, place.end), after));
        Some(edits)
    }

    /// Inserts `before` at a place. If the place dereferences a pointer, the pointer is passed instead.
    fn begin_call(&self, syntax: AtomicSyntax, place: Span, before: &str) -> Option<Vec<Edit>> {
        let text = self.program.source.snippet(place);
        let (at, before) = match text.strip_prefix('*') {
            Some(_) => (Span::new(place.start, place.start + 1), syntax.through(before)),
            None => (Span::new(place.start, place.start), before),
        };
        if place.is_empty() {
            return None;
        }
        let edit = Edit::new(at, before);
        Some(if edit.at.is_empty() && edit.text.is_empty() { Vec::new() } else { vec![edit] })
    }
}
