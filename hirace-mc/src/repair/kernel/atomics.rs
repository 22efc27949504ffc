//! Repairs that make memory atomic: they change its declaration and all accesses to it.

use super::ChangeInfo;
use super::declared::{Element, scalar};
use super::words::AtomicSyntax;
use crate::repair::Change;
use crate::report::results::ChangeKind;
use hirace_core::edit::Edit;
use hirace_core::finding::suggest::counter::update;
use hirace_core::front::wgsl::tokens::Tokens;
use hirace_core::ir::access::{Access, Action, Target};
use hirace_core::ir::sites::{Site, SiteId};
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::{Language, Program};
use hirace_core::source_map::Span;
use naga::{Expression, Handle, TypeInner};
use std::collections::{BTreeMap, BTreeSet};

type Accesses<'a> = Vec<(SiteId, &'a Site, &'a Access)>;

/// Returns the changes that make memory of entry point `entry` atomic, including all accesses to it. `functions` are
/// the functions that the entry point reaches. In Rust, each kernel declares shared memory itself, so only its own
/// accesses are changed.
pub fn changes(
    program: &Program,
    entry: usize,
    functions: &[FunctionId],
) -> Vec<(ChangeInfo, Change)> {
    let tokens = Tokens::new(program.source.text());
    let mut elements: BTreeMap<Element, Accesses<'_>> = BTreeMap::new();
    let is_own =
        |site: &Site| program.language != Language::Rust || functions.contains(&site.function);
    for (id, site, access) in program.sites.accesses().filter(|(_, site, _)| is_own(site)) {
        if let Some(element) = element(program, site, access) {
            elements.entry(element).or_default().push((id, site, access));
        }
    }
    let mut changes = Vec::new();
    for (element, accesses) in elements {
        let is_mixed = accesses.iter().any(|(.., access)| access.action.is_atomic());
        let mut edits = Vec::new();
        let syntax = match (program.language, is_mixed) {
            (Language::Wgsl, false) => AtomicSyntax::Wgsl,
            (Language::Rust, false) => AtomicSyntax::RustMethods,
            // Memory with both atomic function calls and plain accesses is declared as plain memory.
            (Language::Rust, true) => AtomicSyntax::RustFunctions,
            _ => continue,
        };
        if !is_mixed {
            let Some(at) = scalar(program, entry, &tokens, element) else { continue };
            edits.push(Edit::new(at, syntax.memory(program.source.snippet(at))));
        }
        let plain = accesses.iter().filter(|(.., access)| !access.action.is_atomic());
        let rewriting = AtomicRewriting { program, tokens: &tokens, syntax };
        let Some(rewritten) = rewriting.rewrite_all(&plain.clone().copied().collect::<Vec<_>>())
        else {
            continue;
        };
        edits.extend(rewritten);
        // The size is the number of changed source locations, so barriers are tried before this change.
        let spans: BTreeSet<_> = plain.map(|(_, site, _)| site.span).collect();
        let size = 1 + spans.len() as u32;
        let change = Change { kind: ChangeKind::MakeAtomic, size, steps: 0, edits };
        let variables: BTreeSet<_> = accesses.iter().map(|(.., access)| access.global).collect();
        let with_variable = |variable| (ChangeInfo::Atomic(variable), change.clone());
        changes.extend(variables.into_iter().map(with_variable));
    }
    changes
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
    syntax: AtomicSyntax,
}

impl AtomicRewriting<'_> {
    /// Returns the edits for all accesses, or `None` if the form of one of them is not recognized.
    fn rewrite_all(&self, accesses: &[(SiteId, &Site, &Access)]) -> Option<Vec<Edit>> {
        let mut edits = BTreeSet::new();
        // The reads that become part of a read-modify-write.
        let mut merged_reads = BTreeSet::new();
        for (id, site, _) in accesses.iter().filter(|(.., access)| access.action == Action::Write) {
            edits.extend(self.rewrite_write(*id, site, &mut merged_reads)?);
        }
        for (_, site, _) in accesses.iter().filter(|(.., access)| access.action == Action::Read) {
            if !merged_reads.contains(&site.span) {
                edits.extend(self.wrap(site.span, self.syntax.load())?);
            }
        }
        Some(edits.into_iter().collect())
    }

    fn rewrite_write(
        &self,
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
        let (call, operand, insert) = match (operator, function) {
            ("++" | "--", Some(function)) => {
                merged_reads.insert(place);
                let to = tokens.span(operator_at);
                return self.call(
                    place,
                    self.syntax.update(function),
                    Span::new(to.end, to.end),
                    "1",
                );
            }
            ("=", Some(function)) => match read.and_then(|read| self.operand(read, value)) {
                Some(operand) => {
                    merged_reads.extend(read);
                    (self.syntax.update(function), operand, "")
                }
                None => (self.syntax.store(), value, ""),
            },
            ("=", None) => (self.syntax.store(), value, ""),
            (_, Some(function)) => {
                merged_reads.insert(place);
                (self.syntax.update(function), value, "")
            }
            // No single atomic operation does this: `x *= v`.
            (_, None) => return None,
        };
        let mut edits = self.call(place, call, Span::new(operand.start, operand.start), insert)?;
        if let Some(close) = edits.last_mut() {
            close.at = Span::new(operand.end, value.end.max(operand.end));
        }
        Some(edits)
    }

    /// Returns the other operand of `value`, which is an operation with the read as its first or last operand.
    fn operand(&self, read: Span, value: Span) -> Option<Span> {
        let tokens = self.tokens;
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
        place: Span,
        [before, between, after]: [String; 3],
        operand: Span,
        inserted: &str,
    ) -> Option<Vec<Edit>> {
        let mut edits = self.begin_call(place, &before)?;
        edits.push(Edit::new(Span::new(place.end, operand.start), format!("{between}{inserted}")));
        edits.push(Edit::new(operand, after));
        Some(edits)
    }

    fn wrap(&self, place: Span, [before, after]: [String; 2]) -> Option<Vec<Edit>> {
        let mut edits = self.begin_call(place, &before)?;
        edits.push(Edit::new(Span::new(place.end, place.end), after));
        Some(edits)
    }

    /// Inserts `before` at a place. If the place dereferences a pointer, the pointer is passed instead.
    fn begin_call(&self, place: Span, before: &str) -> Option<Vec<Edit>> {
        let text = self.program.source.snippet(place);
        let (at, before) = match text.strip_prefix('*') {
            Some(_) => (Span::new(place.start, place.start + 1), self.syntax.through(before)),
            None => (Span::new(place.start, place.start), before),
        };
        if place.is_empty() {
            return None;
        }
        let edit = Edit::new(at, before);
        Some(if edit.at.is_empty() && edit.text.is_empty() { Vec::new() } else { vec![edit] })
    }
}
