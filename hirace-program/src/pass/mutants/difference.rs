//! The differences between a function of a program and that of a mutant: operands that differ, and statements that differ, are
//! missing or are inserted.
//!
//! Both functions are walked in parallel, statement by statement, and from each statement down to its operands. Where two
//! expressions start to differ, and a value can be selected at run time, the mutant's expression becomes an alternative for the
//! operand. Where it cannot be selected (a pointer, or an expression that would read shared memory), the whole statement becomes
//! an alternative.
//!
//! Reads have a position: the *gap* between two statements in which they are evaluated. A read in another gap is not the same
//! read.

mod copyable;
mod shared_reads;

use super::compare::{Modules, same_but_operands};
use super::expressions::{is_result, of_statement, operands, reads, same_statement};
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::walk::{self, FunctionId, NumberedStatement, StatementId, Statements};
use crate::program::Program;
use naga::proc::TypeResolution;
use naga::{Block, Expression, Function, Handle, LocalVariable, Statement, TypeInner};
use rustc_hash::FxHashMap;

/// The expression or statement that an operand belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum User {
    /// An expression.
    Expression(Handle<Expression>),
    /// A statement itself.
    Statement(StatementId),
}

/// The differences of a mutant's function. Handles of expressions refer to the mutant unless stated otherwise.
#[derive(Clone)]
pub struct Difference<'a> {
    /// The function of the mutant.
    pub function: &'a Function,
    /// The identifier of the function.
    pub id: FunctionId,
    /// For expressions of the mutant: the expression of the original with the same value.
    pub known: FxHashMap<Handle<Expression>, Handle<Expression>>,
    /// Operands that differ: the user, the index of the operand, and the mutant's expression.
    pub operands: Vec<(User, usize, Handle<Expression>)>,
    /// Statements that are replaced, or missing (`None`).
    pub replaced_statements: Vec<(StatementId, Option<&'a Statement>)>,
    /// Statements that are inserted before a statement.
    pub before: Vec<(StatementId, &'a Statement)>,
    /// Variables with another initial value.
    pub initial_values: Vec<(Handle<LocalVariable>, Handle<Expression>)>,
}

impl Difference<'_> {
    /// Returns whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty()
            && self.replaced_statements.is_empty()
            && self.before.is_empty()
            && self.initial_values.is_empty()
    }
}

/// An analyzed function of the program itself.
pub struct Original<'a> {
    /// The identifier of the function.
    pub id: FunctionId,
    function: &'a Function,
    program: &'a Program,
    /// By expression: the gap in which it is evaluated.
    gaps: FxHashMap<Handle<Expression>, u32>,
    /// By address of a block: its first gap.
    blocks: FxHashMap<usize, u32>,
}

impl<'a> Original<'a> {
    /// Analyses a function.
    pub fn of(program: &'a Program, id: FunctionId) -> Self {
        let function = id.get(&program.module);
        let (gaps, blocks) = (FxHashMap::default(), FxHashMap::default());
        let mut original = Self { id, function, program, gaps, blocks };
        original.block(&function.body, &mut 0);
        original
    }

    fn block(&mut self, block: &Block, next: &mut u32) {
        let first = *next;
        self.blocks.insert(std::ptr::from_ref(block) as usize, first);
        let statements = block.iter().filter(|of| !matches!(of, Statement::Emit(_))).count();
        *next += statements as u32 + 1;
        let mut gap = first;
        for statement in block {
            match statement {
                Statement::Emit(range) => {
                    self.gaps.extend(range.clone().map(|expression| (expression, gap)));
                }
                _ => {
                    gap += 1;
                    for inner in walk::children(statement) {
                        self.block(inner, next);
                    }
                }
            }
        }
    }
}

/// A position in the recorded results, to backtrack to.
struct Mark {
    known: usize,
    operands: usize,
    instead: usize,
    before: usize,
    reads: usize,
    others: usize,
    copied_reads: usize,
}

/// The state of comparing two functions.
struct FunctionComparison<'a, 'b> {
    original: &'b Original<'a>,
    modules: &'b Modules<'a>,
    other: &'a Program,
    difference: Difference<'a>,
    /// The keys of `difference.known` in order of insertion.
    learned: Vec<Handle<Expression>>,
    /// By expression of the original: the number of expressions of the mutant that it corresponds to.
    taken: FxHashMap<Handle<Expression>, u32>,
    /// By address of a statement of the mutant: its number.
    numbers: FxHashMap<usize, StatementId>,
    /// By expression of the mutant: the range of gaps of the original in which it may be evaluated.
    gaps: FxHashMap<Handle<Expression>, (u32, u32)>,
    /// Reads in the original and in the mutant that are evaluated on the common path.
    reads: Vec<Handle<Expression>>,
    others: Vec<Handle<Expression>>,
    /// Reads of the mutant that an alternative performs.
    copied_reads: Vec<Handle<Expression>>,
}

impl<'a> Difference<'a> {
    /// Compares function `id` of `other` with the original. Returns `None` if the two cannot be merged.
    pub fn of(
        original: &Original<'a>,
        modules: &Modules<'a>,
        other: &'a Program,
        id: FunctionId,
    ) -> Option<Self> {
        let function = id.get(&other.module);
        let difference = Self {
            function,
            id,
            known: FxHashMap::default(),
            operands: Vec::new(),
            replaced_statements: Vec::new(),
            before: Vec::new(),
            initial_values: Vec::new(),
        };
        let mut numbers = FxHashMap::default();
        walk::statements(&function.body, &mut |at, statement, _| {
            numbers.insert(std::ptr::from_ref(statement) as usize, at);
        });
        let mut both = FunctionComparison {
            numbers,
            original,
            modules,
            other,
            difference,
            learned: Vec::new(),
            taken: FxHashMap::default(),
            gaps: FxHashMap::default(),
            reads: Vec::new(),
            others: Vec::new(),
            copied_reads: Vec::new(),
        };
        both.variables()?;
        let body = original.program.body(original.id).statements_of(original.function);
        both.block(body, &function.body)?;
        both.match_reads()?;
        Some(both.difference)
    }
}

impl<'a> FunctionComparison<'a, '_> {
    fn variables(&mut self) -> Option<()> {
        let (a, b) =
            (&self.original.function.local_variables, &self.difference.function.local_variables);
        if a.len() != b.len() {
            return None;
        }
        for ((handle, a), (_, b)) in a.iter().zip(b.iter()) {
            if !self.modules.same_type(a.ty, b.ty) {
                return None;
            }
            match (a.init, b.init) {
                (None, None) => {}
                (Some(a), Some(b)) if self.is_same(a, b) => {}
                (Some(a), Some(b)) if self.can_be_chosen(a, b) => {
                    // Constant expressions, which are not evaluated at any point of the body.
                    self.difference.initial_values.push((handle, b));
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn a(&self, expression: Handle<Expression>) -> &'a Expression {
        let function: &'a Function = self.original.function;
        &function.expressions[expression]
    }

    fn b(&self, expression: Handle<Expression>) -> &'a Expression {
        let function: &'a Function = self.difference.function;
        &function.expressions[expression]
    }

    fn mark(&self) -> Mark {
        Mark {
            known: self.learned.len(),
            operands: self.difference.operands.len(),
            instead: self.difference.replaced_statements.len(),
            before: self.difference.before.len(),
            reads: self.reads.len(),
            others: self.others.len(),
            copied_reads: self.copied_reads.len(),
        }
    }

    fn back_to(&mut self, mark: &Mark) {
        for learned in self.learned.drain(mark.known..) {
            if let Some(a) = self.difference.known.remove(&learned)
                && let Some(count) = self.taken.get_mut(&a)
            {
                *count -= 1;
            }
        }
        self.difference.operands.truncate(mark.operands);
        self.difference.replaced_statements.truncate(mark.instead);
        self.difference.before.truncate(mark.before);
        self.reads.truncate(mark.reads);
        self.others.truncate(mark.others);
        self.copied_reads.truncate(mark.copied_reads);
    }

    fn learn(&mut self, b: Handle<Expression>, a: Handle<Expression>) {
        if self.difference.known.insert(b, a).is_none() {
            self.learned.push(b);
            *self.taken.entry(a).or_default() += 1;
        }
    }

    /// Compares two blocks.
    fn block(&mut self, a: Statements<'a>, b: &'a Block) -> Option<()> {
        let base = *self.original.blocks.get(&(std::ptr::from_ref(a.block()) as usize))?;
        let own: Vec<NumberedStatement<'a>> =
            a.iter().filter(|of| !matches!(of.statement, Statement::Emit(_))).collect();
        let mut first: Vec<Option<StatementId>> = vec![None; own.len() + 1];
        let mut gap = 0;
        for numbered in a.iter() {
            first[gap].get_or_insert(numbered.id);
            match numbered.statement {
                Statement::Emit(range) => {
                    let reading = range.clone().filter(|of| reads(self.a(*of)));
                    self.reads.extend(reading.collect::<Vec<_>>());
                }
                _ => gap += 1,
            }
        }
        let mut others: Vec<&'a Statement> = Vec::new();
        let mut evaluated: Vec<Vec<Handle<Expression>>> = vec![Vec::new()];
        for statement in b {
            match statement {
                Statement::Emit(range) => {
                    if let Some(last) = evaluated.last_mut() {
                        last.extend(range.clone());
                    }
                }
                _ => {
                    others.push(statement);
                    evaluated.push(Vec::new());
                }
            }
        }
        for expression in evaluated.iter().flatten() {
            if reads(self.b(*expression)) {
                self.others.push(*expression);
            }
        }
        let before = self.mark();
        match others.len().checked_sub(own.len()) {
            Some(0) => {
                self.place(base, &evaluated, |gap| (gap, gap));
                own.iter()
                    .enumerate()
                    .zip(others)
                    .try_for_each(|((gap, a), b)| self.pair(*a, b, base + gap as u32))
            }
            // One statement is inserted.
            Some(1) => (0..others.len()).find_map(|at| {
                self.back_to(&before);
                // The position relative to evaluated expressions must be unambiguous.
                let anchor = match (evaluated[at].is_empty(), evaluated[at + 1].is_empty()) {
                    (true, _) => first[at]?,
                    (false, true) => own.get(at)?.id,
                    (false, false) => return None,
                };
                let gap = |gap: usize| if gap <= at { gap } else { gap - 1 };
                self.place(base, &evaluated, |of| (gap(of), gap(of)));
                let rest = others[..at].iter().chain(&others[at + 1..]);
                own.iter()
                    .enumerate()
                    .zip(rest)
                    .try_for_each(|((gap, a), b)| self.pair_alike(*a, b, base + gap as u32))?;
                self.can_copy_statement(others[at], base + at as u32)?;
                self.difference.before.push((anchor, others[at]));
                Some(())
            }),
            Some(_) => None,
            // One statement is missing.
            None if others.len() + 1 == own.len() => (0..own.len()).find_map(|at| {
                self.back_to(&before);
                let gaps = |gap: usize| match gap.cmp(&at) {
                    std::cmp::Ordering::Less => (gap, gap),
                    std::cmp::Ordering::Equal => (gap, gap + 1),
                    std::cmp::Ordering::Greater => (gap + 1, gap + 1),
                };
                self.place(base, &evaluated, gaps);
                let rest = own[..at].iter().chain(&own[at + 1..]);
                rest.zip(&others).try_for_each(|(a, b)| {
                    let gap = own.iter().position(|own| own.id == a.id).unwrap_or_default();
                    self.pair_alike(*a, b, base + gap as u32)
                })?;
                if of_statement(own[at].statement).iter().any(|of| is_result(self.a(*of))) {
                    return None;
                }
                self.difference.replaced_statements.push((own[at].id, None));
                Some(())
            }),
            None => None,
        }
    }

    /// Records the gaps of the original that correspond to the gaps of a mutant's block.
    fn place(
        &mut self,
        base: u32,
        evaluated: &[Vec<Handle<Expression>>],
        gaps: impl Fn(usize) -> (usize, usize),
    ) {
        for (gap, expressions) in evaluated.iter().enumerate() {
            let (first, last) = gaps(gap);
            let of = (base + first as u32, base + last as u32);
            self.gaps.extend(expressions.iter().map(|expression| (*expression, of)));
        }
    }

    /// Compares two statements that must be equal.
    fn pair_alike(&mut self, a: NumberedStatement<'a>, b: &'a Statement, gap: u32) -> Option<()> {
        let before = self.mark();
        let merged = self.statement(a, b, gap);
        let is_same = merged.is_some()
            && self.difference.operands.len() == before.operands
            && self.difference.replaced_statements.len() == before.instead
            && self.difference.before.len() == before.before;
        is_same.then_some(())
    }

    /// Compares two statements. If they cannot be merged operand by operand, the mutant's statement becomes an alternative.
    fn pair(&mut self, a: NumberedStatement<'a>, b: &'a Statement, gap: u32) -> Option<()> {
        let before = self.mark();
        if self.statement(a, b, gap).is_some() {
            return Some(());
        }
        self.back_to(&before);
        // No other code may use the result of either statement.
        let gives = of_statement(a.statement).iter().any(|of| is_result_of(a.statement, *of))
            || of_statement(b).iter().any(|of| is_result_of(b, *of));
        if gives {
            return None;
        }
        for (a, b) in of_statement(a.statement).into_iter().zip(of_statement(b)) {
            self.find(a, b);
        }
        self.can_copy_statement(b, gap)?;
        self.difference.replaced_statements.push((a.id, Some(b)));
        Some(())
    }

    fn statement(&mut self, a: NumberedStatement<'a>, b: &'a Statement, gap: u32) -> Option<()> {
        if !same_statement(a.statement, b) || !self.does_the_same(a.id, b) {
            return None;
        }
        // A loop evaluates its condition at the end of an iteration.
        let is_loop = matches!(b, Statement::Loop { .. });
        if !is_loop {
            self.operands_of(a, b, gap)?;
        }
        for (a, b) in a.blocks().into_iter().zip(walk::children(b)) {
            self.block(a, b)?;
        }
        if is_loop {
            let continuing = a.blocks().get(1).copied()?;
            let first =
                *self.original.blocks.get(&(std::ptr::from_ref(continuing.block()) as usize))?;
            let count =
                continuing.block().iter().filter(|of| !matches!(of, Statement::Emit(_))).count();
            self.operands_of(a, b, first + count as u32)?;
        }
        Some(())
    }

    /// Returns whether two statements have the same effect: the same action (plain or atomic) and the same barrier.
    fn does_the_same(&self, a: StatementId, b: &Statement) -> bool {
        let Some(b) = self.numbers.get(&(std::ptr::from_ref(b) as usize)) else { return false };
        let (own, other) = (&self.original.program.sites, &self.other.sites);
        let (of_a, of_b) = (self.original.id, self.difference.id);
        self.same_site(own.statement(of_a, a), other.statement(of_b, *b))
            && self.same_site(own.barrier(of_a, a), other.barrier(of_b, *b))
    }

    fn same_site(&self, a: Option<SiteId>, b: Option<SiteId>) -> bool {
        let a = a.and_then(|site| self.original.program.sites.get(site));
        let b = b.and_then(|site| self.other.sites.get(site));
        match (a.map(|site| &site.kind), b.map(|site| &site.kind)) {
            (None, None) => true,
            (Some(SiteKind::Access(a)), Some(SiteKind::Access(b))) => a.action == b.action,
            (Some(SiteKind::Barrier(a)), Some(SiteKind::Barrier(b))) => a == b,
            (Some(a), Some(b)) => std::mem::discriminant(a) == std::mem::discriminant(b),
            _ => false,
        }
    }

    fn operands_of(&mut self, a: NumberedStatement<'a>, b: &'a Statement, gap: u32) -> Option<()> {
        let user = User::Statement(a.id);
        let both = of_statement(a.statement).into_iter().zip(of_statement(b));
        for (at, (x, y)) in both.enumerate() {
            if is_result(self.a(x)) && is_result(self.b(y)) && is_result_of(a.statement, x) {
                if !same_but_operands(self.modules, self.a(x), self.b(y)) {
                    return None;
                }
                self.learn(y, x);
            } else {
                self.operand(user, at, x, y, gap, None)?;
            }
        }
        Some(())
    }

    /// Compares the operand `x` of a user that is evaluated in this gap with the mutant's operand `y`.
    fn operand(
        &mut self,
        user: User,
        at: usize,
        x: Handle<Expression>,
        y: Handle<Expression>,
        gap: u32,
        before: Option<Handle<Expression>>,
    ) -> Option<()> {
        let mark = self.mark();
        if self.expression(x, y).is_some() {
            return Some(());
        }
        self.back_to(&mark);
        self.find(x, y);
        if !self.can_be_chosen(x, y) {
            return None;
        }
        self.can_copy(y, gap, before, false)?;
        self.difference.operands.push((user, at, y));
        Some(())
    }

    /// Compares two expressions that may differ in their operands.
    fn expression(&mut self, x: Handle<Expression>, y: Handle<Expression>) -> Option<()> {
        if self.is_same(x, y) {
            return Some(());
        }
        let (a, b) = (self.a(x), self.b(y));
        let is_known = self.taken.get(&x).is_some_and(|count| *count > 0);
        if is_known || is_result(a) || !self.may_be(x, y) || !same_but_operands(self.modules, a, b)
        {
            return None;
        }
        let (of_a, of_b) = (operands(a), operands(b));
        // Only an expression that is evaluated in a gap can be given another operand there.
        let gap = *self.original.gaps.get(&x)?;
        if of_a.is_empty() || of_a.len() != of_b.len() {
            return None;
        }
        for (at, (a, b)) in of_a.into_iter().zip(of_b).enumerate() {
            self.operand(User::Expression(x), at, a, b, gap, Some(x))?;
        }
        self.learn(y, x);
        Some(())
    }

    /// Returns whether two expressions are equal, operands included. Records that they correspond if so.
    fn is_same(&mut self, x: Handle<Expression>, y: Handle<Expression>) -> bool {
        if let Some(known) = self.difference.known.get(&y) {
            return *known == x;
        }
        let (a, b) = (self.a(x), self.b(y));
        if is_result(a) || !self.may_be(x, y) || !same_but_operands(self.modules, a, b) {
            return false;
        }
        let (of_a, of_b) = (operands(a), operands(b));
        let is_same =
            of_a.len() == of_b.len() && of_a.into_iter().zip(of_b).all(|(a, b)| self.is_same(a, b));
        if is_same && !self.is_leaf(x) {
            self.learn(y, x);
        }
        is_same
    }

    /// Returns whether the expression is not evaluated at any point of the body.
    fn is_leaf(&self, x: Handle<Expression>) -> bool {
        self.a(x).needs_pre_emit()
    }

    /// Returns whether `y` may be evaluated where `x` is, if it is a read, and is the same argument, if it is one.
    fn may_be(&self, x: Handle<Expression>, y: Handle<Expression>) -> bool {
        match (self.a(x), self.b(y)) {
            (Expression::FunctionArgument(a), Expression::FunctionArgument(b)) => {
                let (of_a, of_b) =
                    (&self.original.function.arguments, &self.difference.function.arguments);
                match (of_a.get(*a as usize), of_b.get(*b as usize)) {
                    (Some(a), Some(b)) => self.modules.same_argument(a, b),
                    _ => false,
                }
            }
            (a, _) if reads(a) => match (self.original.gaps.get(&x), self.gaps.get(&y)) {
                (Some(gap), Some((first, last))) => {
                    let own = self.original.program.sites.load(self.original.id, x);
                    let other = self.other.sites.load(self.difference.id, y);
                    first <= gap && gap <= last && self.same_site(own, other)
                }
                _ => false,
            },
            _ => true,
        }
    }

    /// Records parts of `y` that are equal to parts of `x`.
    fn find(&mut self, x: Handle<Expression>, y: Handle<Expression>) {
        let mut parts = vec![x];
        let mut at = 0;
        while at < parts.len() && parts.len() < 64 {
            let of = operands(self.a(parts[at]));
            parts.extend(of);
            at += 1;
        }
        let mut left = vec![y];
        let mut count = 0;
        while let Some(y) = left.pop()
            && count < 64
        {
            count += 1;
            let is_found = self.difference.known.contains_key(&y)
                || (!matches!(self.b(y), Expression::Literal(_))
                    && parts.iter().any(|x| self.is_same(*x, y)));
            if !is_found {
                left.extend(operands(self.b(y)));
            }
        }
    }

    /// Returns whether a value can be selected from these at run time: scalars or vectors of one type.
    fn can_be_chosen(&self, x: Handle<Expression>, y: Handle<Expression>) -> bool {
        let of_a = self.original.program.info_of(self.original.id);
        let of_b = self.other.info_of(self.difference.id);
        let inner = |ty: &'_ TypeResolution, types: &naga::UniqueArena<naga::Type>| match ty
            .inner_with(types)
        {
            inner @ (TypeInner::Scalar(_) | TypeInner::Vector { .. }) => Some(inner.clone()),
            _ => None,
        };
        let a = inner(&of_a[x].ty, &self.modules.module.types);
        a.is_some() && a == inner(&of_b[y].ty, &self.modules.other.types)
    }
}

/// Returns whether a statement defines the value of an expression.
fn is_result_of(statement: &Statement, expression: Handle<Expression>) -> bool {
    match statement {
        Statement::Call { result, .. } | Statement::Atomic { result, .. } => {
            *result == Some(expression)
        }
        Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => *result == expression,
        _ => false,
    }
}
