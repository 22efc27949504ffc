//! Spans of loops and branches, and execution scopes of barriers, in naga's module.
//!
//! naga gives loops and branches no span, and makes every control barrier a workgroup barrier.

use super::barriers::Barriers;
use super::prepare::PreparedModule;
use super::words::Words;
use crate::ir::operands;
use naga::{Arena, Block, Expression, Module, Span, Statement};
use rspirv::spirv::Op;

/// Restores the spans and barrier scopes of the statements of `module`.
pub fn restore(module: &mut Module, words: &Words, prepared: &PreparedModule, barriers: &Barriers) {
    let control = Control { words, prepared, barriers };
    for (_, function) in module.functions.iter_mut() {
        control.block(&mut function.body, &function.expressions);
    }
}

struct Control<'a> {
    words: &'a Words,
    prepared: &'a PreparedModule,
    barriers: &'a Barriers,
}

impl Control<'_> {
    fn block(&self, block: &mut Block, expressions: &Arena<Expression>) {
        for (statement, span) in block.span_iter_mut() {
            // The choice between elements of an array of resources has the span of the access.
            let is_element = |span: &Span| {
                let at = span.to_range().and_then(|span| self.prepared.instruction(span.start));
                at.is_some_and(|at| self.prepared.is_dynamic_element(at))
            };
            let place = match statement {
                Statement::Switch { .. } if span.as_deref().is_some_and(is_element) => None,
                Statement::Switch { selector, .. } => {
                    let selector = Some(expressions.get_span(*selector)).filter(Span::is_defined);
                    let first = first(statement, expressions);
                    self.switch(selector, first).or(selector).or(first)
                }
                Statement::If { condition: on, .. } => {
                    let own = Some(expressions.get_span(*on)).filter(Span::is_defined);
                    own.or_else(|| first(statement, expressions))
                }
                Statement::Loop { .. } => self.head(statement, expressions),
                _ => None,
            };
            if let Some(span) = span {
                *span = place.unwrap_or(*span);
                self.gather(statement, *span);
            }
            for inner in operands::children(statement) {
                self.block(inner, expressions);
            }
        }
    }

    fn gather(&self, statement: &mut Statement, span: Span) {
        let Statement::ControlBarrier(flags) = statement else { return };
        let instruction = span.to_range().and_then(|span| self.prepared.instruction(span.start));
        if let Some(barrier) = instruction.and_then(|at| self.barriers.control.get(&at)) {
            *flags = match barrier.is_subgroup_barrier() {
                true => naga::Barrier::SUB_GROUP,
                false => barrier.in_workgroup,
            };
        }
    }

    /// Returns the span of the `OpSwitch` with this selector that precedes the first instruction of the cases. A constant selector has
    /// no instruction in the function.
    fn switch(&self, selector: Option<Span>, first: Option<Span>) -> Option<Span> {
        let instruction = |span: Span| self.prepared.instruction(span.to_range()?.start);
        let end = first.and_then(instruction)?;
        let selector = selector.and_then(instruction);
        let selector = selector.and_then(|at| self.words.get(at)?.defined_id());
        let before = (0..end).rev().filter_map(|index| self.words.get(index));
        let mut of_function = before.take_while(|found| found.op() != Some(Op::Function));
        let found = of_function.find(|found| {
            found.op() == Some(Op::Switch) && selector.is_none_or(|id| found.operand(0) == Some(id))
        })?;
        self.prepared.span(found.index)
    }

    /// Returns the span of the `OpLoopMerge` of a loop: the last one before the end of the block that contains the loop's first
    /// instruction, not counting those of nested loops that begin with the same instruction.
    fn head(&self, of: &mut Statement, expressions: &Arena<Expression>) -> Option<Span> {
        let first = first(of, expressions)?;
        let within = loops_from(of, first, expressions) - 1;
        let at = self.prepared.instruction(first.to_range()?.start)?;
        let op = |index: usize| self.words.get(index).and_then(|instruction| instruction.op());
        let end = (at..self.words.len()).find(|&index| op(index) == Some(Op::Label));
        let before = (0..end.unwrap_or(self.words.len())).rev();
        let of_function = before.take_while(|&index| op(index) != Some(Op::Function));
        let mut heads = of_function.filter(|&index| op(index) == Some(Op::LoopMerge));
        self.prepared.span(heads.nth(within)?)
    }
}

/// Returns the first span in a statement, nested blocks included.
fn first(statement: &mut Statement, expressions: &Arena<Expression>) -> Option<Span> {
    if let Statement::Emit(range) = statement {
        let spans = range.clone().map(|expression| expressions.get_span(expression));
        return spans.filter(Span::is_defined).min_by_key(start);
    }
    let mut all: Vec<Span> = Vec::new();
    for block in operands::children(statement) {
        for (statement, span) in block.span_iter_mut() {
            all.extend(span.as_deref().copied().filter(Span::is_defined));
            all.extend(first(statement, expressions));
        }
    }
    all.into_iter().min_by_key(start)
}

/// Returns the number of loops that begin at this span: the statement itself, and those nested in it.
fn loops_from(statement: &mut Statement, place: Span, expressions: &Arena<Expression>) -> usize {
    let is_loop = matches!(statement, Statement::Loop { .. });
    if is_loop && first(statement, expressions) != Some(place) {
        return 0;
    }
    let blocks = operands::children(statement).into_iter();
    let within = blocks.flat_map(|block| block.iter_mut());
    usize::from(is_loop) + within.map(|inner| loops_from(inner, place, expressions)).sum::<usize>()
}

fn start(span: &Span) -> usize {
    span.to_range().map_or(usize::MAX, |span| span.start)
}
