//! The origin of naga's module: maps spans to instructions, and their effects on memory.

use super::barriers::Barriers;
use super::orders::{Orders, is_atomic};
use super::prepare::PreparedModule;
use super::specialized::GivenValues;
use super::{ParsedModule, Read, unsupported};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::access::Action;
use crate::ir::barrier::Barrier;
use crate::ir::body::Idioms;
use crate::ir::order::Scope;
use crate::ir::sites::{SiteId, SiteKind, Sites, SourceForm};
use crate::ir::spans::move_spans;
use crate::ir::walk::FunctionId;
use crate::program::{self, HostAssumptions, Language, RuntimeValue, UnmodeledOrdering};
use crate::source_map::{SourceMap, Span};
use naga::{Expression, Module};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// The origin of a module that naga built from prepared words.
#[derive(Clone, Debug)]
pub struct Origin {
    prepared: PreparedModule,
    read: Read,
    /// The kind of access, by instruction.
    touches: FxHashMap<usize, Touch>,
    barriers: FxHashMap<usize, Barrier>,
    orders: Orders,
    unfollowed: Option<UnmodeledOrdering>,
    /// The assumed host values.
    pub(super) guessed: Option<HostAssumptions>,
    /// The values that its runtime passes to it.
    pub(super) passed: Vec<RuntimeValue>,
}

/// The kind of access of an instruction.
#[derive(Clone, Copy, Debug)]
enum Touch {
    /// Plain reads and writes.
    Plain,
    /// Atomic with workgroup scope.
    AtomicInWorkgroup,
}

impl Origin {
    /// Creates the origin of a module that was `prepared` from the words in `read`.
    pub fn new(prepared: PreparedModule, barriers: &Barriers, orders: Orders, read: Read) -> Self {
        let in_workgroup = |instruction: usize| {
            orders.of(instruction).is_some_and(|ordering| ordering.scope == Scope::Workgroup)
        };
        let touch = |op: Op, instruction: usize| match op {
            Op::Load | Op::Store | Op::CopyMemory => Some(Touch::Plain),
            _ if (op == Op::AtomicStore || is_atomic(op)) && in_workgroup(instruction) => {
                Some(Touch::AtomicInWorkgroup)
            }
            _ => None,
        };
        let touches = read.words.instructions().filter_map(|instruction| {
            Some((instruction.index, touch(instruction.op()?, instruction.index)?))
        });
        Self {
            touches: touches.collect(),
            barriers: barriers.control.clone(),
            unfollowed: unsupported::unmodeled_ordering(&read.words, &orders, barriers),
            guessed: None,
            passed: Vec::new(),
            orders,
            prepared,
            read,
        }
    }

    /// Returns the source lines.
    pub fn source(&self) -> &SourceMap {
        self.read.text.source()
    }

    fn instruction(&self, span: Span) -> Option<usize> {
        if span.is_empty() { None } else { self.prepared.instruction(span.start as usize) }
    }

    /// Marks the branches that `prepare` made of instructions that are not branches: choices between elements of arrays of resources,
    /// and selections in the replacements of other instructions.
    fn mark_generated(&self, sites: &mut Sites, module: &Module) {
        for index in 0..sites.list.len() {
            let site = &sites.list[index];
            let at = self.instruction(site.span).filter(|_| site.kind == SiteKind::Branch);
            if at.is_some_and(|at| self.prepared.is_dynamic_element(at)) {
                sites.set_source_form(SiteId(index as u32), SourceForm::Generated);
            }
        }
        for id in FunctionId::all(module) {
            for (expression, kind) in id.get(module).expressions.iter() {
                if !matches!(kind, Expression::Select { .. } | Expression::Binary { .. }) {
                    continue;
                }
                let span = Span::from(id.get(module).expressions.get_span(expression));
                let at = self.instruction(span).and_then(|at| self.read.words.get(at));
                let own = [Op::Select, Op::LogicalAnd, Op::LogicalOr];
                if at.and_then(|at| at.op()).is_some_and(|op| !own.contains(&op)) {
                    sites.set_generated_value(id, expression);
                }
            }
        }
    }

    fn moved(&self, span: Span) -> Span {
        self.instruction(span).map_or(Span::default(), |at| self.read.text.span(at))
    }
}

impl program::Origin for Origin {
    fn language(&self) -> Language {
        self.read.language
    }

    fn idioms(&self) -> Idioms {
        Idioms::Spirv
    }

    fn unfollowed(&self) -> Option<UnmodeledOrdering> {
        self.unfollowed
    }

    fn guessed(&self) -> Option<HostAssumptions> {
        self.guessed.clone()
    }

    fn passed(&self) -> Vec<RuntimeValue> {
        self.passed.clone()
    }

    fn specialized(&self, values: &GivenValues) -> Option<Result<ParsedModule>> {
        (!values.is_empty()).then(|| super::specialized(self.read.clone(), values))
    }

    fn diagnostic(&self, mut diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic.source_map = Some(self.source().clone());
        let first = diagnostic.labels.iter().find_map(|(span, _)| self.instruction(*span));
        for (span, _) in &mut diagnostic.labels {
            *span = self.moved(*span);
        }
        diagnostic.labels.retain(|(span, _)| !span.is_empty());
        diagnostic.labels.dedup();
        if let Some(at) = first {
            diagnostic.notes.extend(self.read.text.in_words(at));
        }
        diagnostic
    }

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        self.mark_generated(sites, module);
        let loads = sites.loads();
        for index in 0..sites.list.len() {
            let at = self.instruction(sites.list[index].span);
            if let Some(ordering) = at.and_then(|at| self.orders.of(at)) {
                sites.set_ordering(SiteId(index as u32), ordering);
            }
        }
        for (index, site) in sites.list.iter_mut().enumerate() {
            let instruction = self.instruction(site.span);
            match (&mut site.kind, instruction) {
                (SiteKind::Access(access), Some(at)) if access.action == Action::Atomic => {
                    access.action = match self.touches.get(&at) {
                        Some(Touch::Plain) if loads.contains(&index) => Action::Read,
                        Some(Touch::Plain) => Action::Write,
                        Some(Touch::AtomicInWorkgroup) => Action::AtomicInWorkgroup,
                        None => Action::Atomic,
                    };
                }
                (SiteKind::Barrier(barrier), Some(at)) => {
                    *barrier = self.barriers.get(&at).copied().unwrap_or(*barrier);
                }
                _ => {}
            }
            site.span = instruction.map_or(Span::default(), |at| self.read.text.span(at));
            site.statement = instruction.map_or(Span::default(), |at| self.read.text.statement(at));
        }
        move_spans(module, &|span| {
            let moved = self.moved(Span::from(span));
            match moved.is_empty() {
                true => naga::Span::UNDEFINED,
                false => naga::Span::new(moved.start, moved.end),
            }
        });
    }
}
