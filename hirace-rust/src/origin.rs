//! Moves everything that is known about the generated WGSL to its source locations in Rust.
//!
//! A module from Rust is naga's module of the generated WGSL until a program is created from it. Then every span and
//! every site is moved to the Rust source, and accesses that are plain there are judged as plain even if the WGSL uses
//! atomics for them. **Architecture invariant:** no later code knows that there was WGSL.

use super::map::{Entry, EntryKind, Map};
use super::memory_ordering::OperationOrdering;
use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::front::wgsl::spans;
use crate::ir::access::Action;
use crate::ir::barrier::MEMORY;
use crate::ir::body::Idioms;
use crate::ir::claims::Claim;
use crate::ir::operands;
use crate::ir::order::Scope;
use crate::ir::sites::{SiteId, SiteKind, Sites, SourceForm};
use crate::ir::spans::move_spans;
use crate::ir::walk::FunctionId;
use crate::program::{self, Language, UnmodeledOrdering};
use crate::source_map::{SourceMap, Span};
use naga::{AddressSpace, BinaryOperator, Block, Expression, Module, Statement};
use std::borrow::Cow;

/// The WGSL that was generated from a Rust source, and the map between them.
#[derive(Clone, Debug)]
pub struct Origin {
    wgsl: SourceMap,
    map: Map,
    rust: SourceMap,
}

impl Origin {
    /// Creates the origin of `wgsl`, which was printed for `rust` with this `map`.
    pub fn new(rust: &SourceMap, wgsl: &str, map: Map) -> Self {
        Self { wgsl: SourceMap::new(rust.name(), wgsl), map, rust: rust.clone() }
    }

    /// Returns the span of the Rust that a range of WGSL was generated from, or an empty span if there is none.
    fn span(&self, wgsl: Span) -> Span {
        if wgsl.is_empty() {
            return Span::default();
        }
        self.map.find(wgsl).map_or(Span::default(), |entry| {
            // A file without a name of its own is the first file.
            let file = self.map.files.get(entry.file as usize).map_or("", String::as_str);
            let offset = |position| self.rust.offset_in(file, position);
            Span::new(offset(entry.start), offset(entry.end))
        })
    }

    /// Converts the barriers that stand for fences to fences.
    pub fn make_fences(&self, module: &mut Module) {
        if !self.is_model() {
            return;
        }
        for (_, function) in module.functions.iter_mut() {
            self.make_fences_in(&mut function.body);
        }
        for entry in &mut module.entry_points {
            self.make_fences_in(&mut entry.function.body);
        }
    }

    fn make_fences_in(&self, block: &mut Block) {
        for (statement, span) in block.span_iter_mut() {
            if let (Statement::ControlBarrier(_), Some(span)) = (&*statement, span)
                && self.specified_ordering(Span::from(*span)).is_some()
            {
                *statement = Statement::MemoryBarrier(MEMORY);
            }
            for inner in operands::children(statement) {
                self.make_fences_in(inner);
            }
        }
    }

    /// Returns the memory ordering of an atomic operation or fence at a range of WGSL.
    fn specified_ordering(&self, wgsl: Span) -> Option<OperationOrdering> {
        match self.map.find(wgsl)?.kind {
            EntryKind::Ordered(ordered) => Some(ordered),
            _ => None,
        }
    }

    /// Returns the first entry with a memory ordering that satisfies `predicate`.
    fn first_ordered(&self, predicate: impl Fn(OperationOrdering) -> bool) -> Option<&Entry> {
        self.map.entries.iter().find(|entry| match entry.kind {
            EntryKind::Ordered(ordered) => predicate(ordered),
            _ => false,
        })
    }

    /// Returns whether any operation specifies a memory ordering. If so, all atomics and fences use the ordering that
    /// they specify.
    fn is_model(&self) -> bool {
        self.first_ordered(|_| true).is_some()
    }

    /// Sets the memory orderings of atomics and fences: the specified ones in a model, none otherwise. `check` uses
    /// their scopes too.
    fn set_orderings(&self, sites: &mut Sites, module: &Module) {
        let mut orderings = Vec::new();
        for (id, site) in (0..).map(SiteId).zip(&mut sites.list) {
            let specified = self.specified_ordering(site.span);
            match &mut site.kind {
                SiteKind::Access(access) if access.action.is_atomic() => {
                    let space = module.global_variables[access.global].space;
                    let in_workgroup = space == AddressSpace::WorkGroup;
                    let ordering =
                        specified.unwrap_or(OperationOrdering::RELAXED).to_ordering(in_workgroup);
                    if ordering.scope <= Scope::Workgroup && !in_workgroup {
                        access.action = Action::AtomicInWorkgroup;
                    }
                    orderings.push((id, ordering));
                }
                SiteKind::Fence => {
                    orderings.extend(specified.map(|specified| (id, specified.to_ordering(false))));
                }
                _ => {}
            }
        }
        for (id, ordering) in orderings {
            sites.set_ordering(id, ordering);
        }
    }

    /// Moves sites to Rust, and marks accesses as plain that are plain in Rust.
    fn move_sites(&self, sites: &mut Sites) {
        let source_forms: Vec<_> = (0..)
            .map(SiteId)
            .zip(&sites.list)
            .filter(|(_, site)| site.kind == SiteKind::Branch)
            .filter_map(|(id, site)| Some((id, self.source_form(self.without_else(site.span))?)))
            .collect();
        for (site, form) in source_forms {
            sites.set_source_form(site, form);
        }
        for site in &mut sites.list {
            if let SiteKind::Access(access) = &mut site.kind
                && self.map.find(site.span).is_some_and(|entry| entry.kind == EntryKind::Plain)
            {
                let is_store = self.wgsl.snippet(site.span).starts_with("atomicStore");
                access.action = if is_store { Action::Write } else { Action::Read };
            }
            site.span = match site.kind {
                SiteKind::Branch => self.span(self.without_else(site.span)),
                _ => self.span(site.span),
            };
            site.statement = self.span(site.statement);
            site.close = self.span(site.close);
        }
    }

    /// Adds the claims that Rust makes about expressions. The spans of the expressions are still those of the WGSL.
    fn add_claims(&self, sites: &mut Sites, module: &Module) {
        for id in FunctionId::all(module) {
            let expressions = &id.get(module).expressions;
            for (handle, expression) in expressions.iter() {
                let Expression::Binary { op, .. } = expression else { continue };
                let span = Span::from(expressions.get_span(handle));
                if let Some(entry) = self.map.find(span)
                    && let EntryKind::Claim(claim) = entry.kind
                    && (claim == Claim::InRange) == is_arithmetic(*op)
                {
                    sites.set_claim(id, handle, claim, self.span(span));
                }
            }
        }
    }

    /// Returns the head of a branch without a preceding `else`, which is not part of the `if`.
    fn without_else(&self, head: Span) -> Span {
        match self.wgsl.snippet(head).strip_prefix("else") {
            Some(rest) => Span::new(head.end - rest.trim_start().len() as u32, head.end),
            None => head,
        }
    }

    /// Returns the Rust construct of a branch with this head in WGSL, if the statement does not show it. A head
    /// without an entry of its own was generated for another construct.
    fn source_form(&self, head: Span) -> Option<SourceForm> {
        let Some(entry) = self.map.find(head) else { return Some(SourceForm::Generated) };
        let head_text = self.wgsl.snippet(head).trim_matches(['(', ')']);
        let entry_text = self.wgsl.snippet(entry.wgsl).trim_matches(['(', ')']);
        if head_text != entry_text {
            return Some(SourceForm::Generated);
        }
        let is_if = self.wgsl.snippet(head).starts_with("if");
        let rust = self.rust.snippet(self.span(head));
        match rust {
            _ if rust.starts_with("match") => Some(SourceForm::Match),
            _ if is_if && !starts_control(rust) => Some(SourceForm::ShortCircuit),
            _ => None,
        }
    }

    /// Moves every span of a module to Rust.
    fn move_module(&self, module: &mut Module) {
        move_spans(module, &|span| {
            let moved = self.span(Span::from(span));
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
    }
}

/// Returns whether the result of an operator can leave the range of its operands' type.
fn is_arithmetic(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Add, Multiply, Subtract};
    matches!(operator, Add | Subtract | Multiply)
}

/// Returns whether a piece of Rust begins with a control-flow keyword or a label.
fn starts_control(rust: &str) -> bool {
    let word = rust.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    matches!(word, "if" | "while" | "for" | "loop") || word.starts_with('\'')
}

impl program::Origin for Origin {
    fn language(&self) -> Language {
        Language::Rust
    }

    fn idioms(&self) -> Idioms {
        Idioms::Wgsl
    }

    fn wgsl(&self) -> Option<&SourceMap> {
        Some(&self.wgsl)
    }

    fn wgsl_to_publish(&self) -> Option<Result<Cow<'_, str>>> {
        Some(match self.first_ordered(OperationOrdering::exceeds_wgsl) {
            None => Ok(self.map.without_checks(self.wgsl.text())),
            Some(entry) => {
                let message = "WGSL cannot express this memory ordering or scope";
                let error = Diagnostic::at(&self.rust, self.span(entry.wgsl), message);
                Err(Box::new(
                    error.help("use models only with `hirace verify`; they never run on a device"),
                ))
            }
        })
    }

    fn unfollowed(&self) -> Option<UnmodeledOrdering> {
        let orders =
            |ordering: OperationOrdering| ordering.to_ordering(false).orders_other_memory();
        self.first_ordered(orders).map(|_| UnmodeledOrdering::OrderByAtomics)
    }

    fn diagnostic(&self, mut diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic.source_map = Some(self.rust.clone());
        diagnostic.cause = Cause::Input;
        for (span, _) in &mut diagnostic.labels {
            *span = self.span(*span);
        }
        diagnostic.labels.dedup();
        diagnostic
    }

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        self.add_claims(sites, module);
        spans::repair_spans(sites, module, &self.wgsl);
        if self.is_model() {
            self.set_orderings(sites, module);
        }
        self.move_sites(sites);
        self.move_module(module);
    }
}
