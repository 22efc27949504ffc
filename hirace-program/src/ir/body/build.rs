//! Builds the structure of functions: statements, branches and arms.

use super::arm::{Arm, ArmId, ArmKind, Branch, BranchId, BranchKind, Entry};
use super::idiom::{self, Idioms, Operator};
use super::{Bodies, Body, Statement, StatementKind};
use crate::ir::sites::{SiteId, Sites, SourceForm};
use crate::ir::walk::{FunctionId, NumberedStatement, StatementId, StatementOrder, Statements};
use crate::source_map::Span;
use naga::{Barrier, BinaryOperator, Block, Expression, Function, Handle, Module, SwitchCase};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn bodies(module: &Module, sites: &Sites, idioms: Idioms) -> Bodies {
    let mut bodies = Bodies::default();
    for id in FunctionId::all(module) {
        let function = id.get(module);
        let order = StatementOrder::of(&function.body);
        let body = Body {
            function: id,
            order: StatementOrder::default(),
            statements: Vec::with_capacity(order.len()),
            of_site: FxHashMap::default(),
            blocks: FxHashMap::default(),
            values: FxHashMap::default(),
        };
        let (branches, arms) = (&mut bodies.branches, &mut bodies.arms);
        let mut build = Build {
            function,
            sites,
            idioms,
            body,
            branches,
            arms,
            of_others: FxHashSet::default(),
            guards: FxHashMap::default(),
            iterations: FxHashMap::default(),
            heads: FxHashMap::default(),
        };
        build.block(order.statements(&function.body), None, None);
        let body = build.body;
        let body = Body { order, ..body };
        match id {
            FunctionId::Helper(_) => bodies.helpers.push(body),
            FunctionId::Entry(_) => bodies.entries.push(body),
        }
    }
    bodies
}

/// The state of building the structure of one function.
struct Build<'a, 'b> {
    function: &'a Function,
    sites: &'a Sites,
    idioms: Idioms,
    body: Body,
    branches: &'b mut Vec<Branch>,
    arms: &'b mut Vec<Arm>,
    /// Statements that belong to the branch of another statement: heads of loops, later tests of a `match`.
    of_others: FxHashSet<StatementId>,
    /// By loop: the enclosing `if` that decides whether the loop is entered at all.
    guards: FxHashMap<StatementId, StatementId>,
    /// By loop: the arm of its iterations.
    iterations: FxHashMap<StatementId, ArmId>,
    /// By the test at the head of a loop: the arm of that loop's iterations.
    heads: FxHashMap<StatementId, ArmId>,
}

impl<'a> Build<'a, '_> {
    fn block(
        &mut self,
        statements: Statements<'a>,
        parent: Option<(StatementId, usize)>,
        mut arm: Option<ArmId>,
    ) {
        let mut before = Vec::new();
        for at in statements.iter() {
            self.statement(at, parent, arm);
            self.branches_at(at, &before);
            for (index, inner) in at.blocks().into_iter().enumerate() {
                let own = self.body.arm_at(at.id, index);
                let continuing = || self.iterations.get(&at.id).copied().filter(|_| index == 1);
                self.block(inner, Some((at.id, index)), own.or_else(continuing).or(arm));
            }
            // Statements after the test at the head of a loop belong to the iteration that it allows.
            arm = self.heads.get(&at.id).copied().or(arm);
            before.push(at.statement);
        }
    }

    /// Records a statement and its sites.
    fn statement(
        &mut self,
        at: NumberedStatement<'a>,
        parent: Option<(StatementId, usize)>,
        arm: Option<ArmId>,
    ) {
        use naga::Statement as S;
        let kind = match *at.statement {
            S::Emit(_) => StatementKind::Emit,
            S::Block(_) => StatementKind::Block,
            S::If { .. } => StatementKind::If,
            S::Switch { .. } => StatementKind::Switch,
            S::Loop { .. } => StatementKind::Loop,
            S::Call { function, .. } => StatementKind::Call(function),
            S::Return { .. } => StatementKind::Return,
            S::ControlBarrier(_) | S::WorkGroupUniformLoad { .. } => StatementKind::Barrier,
            _ => StatementKind::Plain,
        };
        let id = self.body.function;
        let barrier = self.sites.barrier(id, at.id);
        let orders = barrier.and_then(|site| self.sites.barrier_at(site));
        let orders = orders.map_or(Barrier::empty(), |barrier| barrier.in_workgroup);
        let span = Span::from(at.span);
        self.body.statements.push(Statement { kind, parent, arm, span, orders });
        let own = [self.sites.statement(id, at.id), barrier];
        self.body.of_site.extend(own.into_iter().flatten().map(|site| (site, at.id)));
        if let S::Emit(range) = at.statement {
            let loads = range.clone().filter_map(|expression| self.sites.load(id, expression));
            self.body.of_site.extend(loads.map(|site| (site, at.id)));
        }
    }

    /// Adds the branches that begin at this statement.
    fn branches_at(&mut self, at: NumberedStatement<'a>, before: &[&'a naga::Statement]) {
        use naga::Statement as S;
        match at.statement {
            S::Emit(range) => range.clone().for_each(|expression| self.value(at.id, expression)),
            S::If { condition, accept, reject } if !self.of_others.contains(&at.id) => {
                let written = self.sites.source_form(self.site(at.id));
                if let Some(of) = self.guarded(at) {
                    self.guards.insert(of, at.id);
                } else if written != Some(SourceForm::Generated) {
                    let recognized =
                        self.idioms.operator(self.function, before, *condition, accept, reject);
                    let recognized = recognized.or_else(|| {
                        (written == Some(SourceForm::ShortCircuit))
                            .then(|| self.logic(*condition, accept))
                    });
                    match recognized {
                        Some(operator) => self.operator(at.id, operator),
                        None if written == Some(SourceForm::Match) => self.chain(at),
                        None => self.two_sides(at),
                    }
                }
            }
            S::Switch { .. }
                if self.sites.source_form(self.site(at.id)) == Some(SourceForm::Generated) => {}
            S::Switch { cases, .. } => self.switch(at, cases),
            S::Loop { break_if, .. } => self.repeated(at, *break_if),
            _ => {}
        }
    }

    /// Adds the branch of a `select`, or of a `&&` or `||` that is an expression in naga.
    fn value(&mut self, at: StatementId, expression: Handle<Expression>) {
        if self.sites.is_generated_value(self.body.function, expression) {
            return;
        }
        let expressions = &self.function.expressions;
        let (kind, decides, [yes, no]) = match expressions[expression] {
            Expression::Select { condition, accept, reject } => {
                (BranchKind::Select, condition, [accept, reject])
            }
            Expression::Binary { op: BinaryOperator::LogicalAnd, left, right } => {
                (BranchKind::And, left, [right, left])
            }
            Expression::Binary { op: BinaryOperator::LogicalOr, left, right } => {
                (BranchKind::Or, left, [left, right])
            }
            _ => return,
        };
        let span = self.span_of(expression);
        // The kind of the arm for `true` comes first. For `||` it is the arm that skips the right operand.
        let kinds = match kind {
            BranchKind::Select => [ArmKind::Accept, ArmKind::Reject],
            BranchKind::Or => [ArmKind::ShortCircuit, ArmKind::Right],
            _ => [ArmKind::Right, ArmKind::ShortCircuit],
        };
        let sides =
            kinds.into_iter().zip([(yes, true), (no, false)]).map(|(kind, (side, holds))| {
                let operator = Some(expression);
                let entry = Entry::Value { statement: at, operator, value: decides, holds };
                (kind, self.span_of(side), vec![entry])
            });
        let sides = sides.collect();
        let branch = self.branch(kind, SiteId::NONE, at, span, sides);
        self.body.values.entry(at).or_default().push(branch);
    }

    /// Adds the branch of an `if` that represents an operator.
    fn operator(&mut self, at: StatementId, of: idiom::RecognizedOperator) {
        let (kind, arms) = match of.operator {
            Operator::And => (BranchKind::And, [ArmKind::Right, ArmKind::ShortCircuit]),
            Operator::Or => (BranchKind::Or, [ArmKind::Right, ArmKind::ShortCircuit]),
        };
        let site = self.site(at);
        let span = Some(self.head(at)).filter(|span| !span.is_empty());
        let span = span.unwrap_or_else(|| {
            of.sides
                .iter()
                .fold(self.span_of(of.decides), |all, side| hull(all, self.span_of(*side)))
        });
        let sides = arms.into_iter().zip(of.sides).enumerate();
        let sides = sides.map(|(block, (kind, side))| {
            (kind, self.span_of(side), vec![Entry::Block { statement: at, block }])
        });
        let sides = sides.collect();
        self.branch(kind, site, at, span, sides);
    }

    /// Returns the operands of an `if` that the front end marks as `&&` or `||`.
    fn logic(&self, condition: Handle<Expression>, accept: &Block) -> idiom::RecognizedOperator {
        let (negated, left) = idiom::strip_negation(self.function, condition);
        let right = match accept.last() {
            Some(naga::Statement::Store { value, .. }) => *value,
            _ => left,
        };
        let operator = if negated { Operator::Or } else { Operator::And };
        idiom::RecognizedOperator { operator, decides: left, sides: [right, left] }
    }

    fn two_sides(&mut self, at: NumberedStatement<'a>) {
        let kinds = [ArmKind::Then, ArmKind::Else];
        let sides = kinds.into_iter().enumerate().zip(at.blocks());
        let head = self.head(at.id);
        let sides = sides.map(|((block, kind), inner)| {
            (kind, self.statements_in(inner, head), vec![Entry::Block { statement: at.id, block }])
        });
        let sides = sides.collect();
        self.branch(BranchKind::If, self.site(at.id), at.id, head, sides);
    }

    /// Adds the branch of a `match` that is tested arm by arm. Each test except the first is in the `else` of the preceding one.
    fn chain(&mut self, first: NumberedStatement<'a>) {
        let case =
            |is_default| ArmKind::Case { values: Vec::new(), is_default, fallen_into: false };
        let head = self.head(first.id);
        let mut sides = Vec::new();
        let mut at = first;
        while let [accept, reject] = at.blocks()[..] {
            let entry = |block| vec![Entry::Block { statement: at.id, block }];
            sides.push((case(false), self.statements_in(accept, head), entry(0)));
            let next = reject.iter().find(|inner| {
                let site = self.site(inner.id);
                self.sites.source_form(site) == Some(SourceForm::Match)
                    && self.head(inner.id) == head
            });
            match next {
                Some(next) => {
                    self.of_others.insert(next.id);
                    at = next;
                }
                None => {
                    sides.push((case(true), self.statements_in(reject, head), entry(1)));
                    break;
                }
            }
        }
        self.branch(BranchKind::Switch, self.site(first.id), first.id, head, sides);
    }

    fn switch(&mut self, at: NumberedStatement<'a>, cases: &[SwitchCase]) {
        let (mut values, mut is_default) = (Vec::new(), false);
        let head = self.head(at.id);
        let mut falls = false;
        let mut sides = Vec::new();
        for (block, (case, inner)) in cases.iter().zip(at.blocks()).enumerate() {
            match case.value {
                naga::SwitchValue::Default => is_default = true,
                value => values.push(value),
            }
            // naga represents a case with several values as several cases, all but the last of which are empty.
            if case.body.is_empty() && case.fall_through {
                continue;
            }
            let kind = ArmKind::Case {
                values: std::mem::take(&mut values),
                is_default: std::mem::take(&mut is_default),
                fallen_into: std::mem::replace(&mut falls, case.fall_through),
            };
            let entry = Entry::Block { statement: at.id, block };
            sides.push((kind, self.statements_in(inner, head), vec![entry]));
        }
        self.branch(BranchKind::Switch, self.site(at.id), at.id, head, sides);
    }

    fn repeated(&mut self, at: NumberedStatement<'a>, break_if: Option<Handle<Expression>>) {
        let Some(body) = at.blocks().first().copied() else { return };
        let place = self.head(at.id);
        let same_place =
            |inner: NumberedStatement<'_>| !place.is_empty() && self.head(inner.id) == place;
        let head = self.idioms.head(body, same_place);
        let guard = self.guards.get(&at.id).copied();
        let start = Entry::Block { statement: at.id, block: 0 };
        let (entry, inside) = match head {
            Some((test, leaving)) => {
                self.of_others.insert(test.id);
                let entry = Entry::Block { statement: test.id, block: 1 - leaving };
                let after = body.iter().filter(|inner| inner.id > test.id);
                let allowed = self.statements_in(test.blocks()[1 - leaving], place);
                let inside = after
                    .fold(allowed, |all, inner| self.joined(all, self.written_at(inner, place)));
                (entry, inside)
            }
            None => (start, self.statements_in(body, place)),
        };
        let inside = if inside.is_empty() { place } else { inside };
        let mut sides = vec![(ArmKind::Iteration, inside, vec![entry])];
        let value = |value, holds| Entry::Value { statement: at.id, operator: None, value, holds };
        if let Some((test, leaving)) = head {
            let condition = match test.statement {
                naga::Statement::If { condition, .. } => self.condition_at(test.id, *condition),
                _ => place,
            };
            let entry = Entry::Block { statement: test.id, block: leaving };
            sides.push((ArmKind::Boundary, condition, vec![entry]));
        } else if let Some(guard) = guard {
            let mut entries = vec![Entry::Block { statement: guard, block: 1 }];
            entries.extend(break_if.map(|condition| value(condition, true)));
            sides.push((ArmKind::Boundary, place, entries));
        }
        let site = self.site(at.id);
        let of_loop = self.branch(BranchKind::Loop, site, at.id, place, sides);
        let iteration = ArmId(self.branches[of_loop.0 as usize].arms.start);
        self.iterations.insert(at.id, iteration);
        if let Some((test, _)) = head {
            self.branches[of_loop.0 as usize].decided_at = test.id;
            self.heads.insert(test.id, iteration);
        }
        match break_if {
            Some(_) if guard.is_some() => {
                self.body.values.entry(at.id).or_default().push(of_loop);
            }
            Some(condition) => {
                let span = self.condition_at(at.id, condition);
                let sides = [(ArmKind::NextIteration, false), (ArmKind::Boundary, true)];
                let sides = sides.map(|(kind, holds)| (kind, span, vec![value(condition, holds)]));
                let branch = self.branch(BranchKind::LoopEnd, site, at.id, span, sides.into());
                self.body.values.entry(at.id).or_default().push(branch);
            }
            None => {}
        }
    }

    /// Returns the loop that is guarded by an `if` that a front end generated to decide whether it is entered at all.
    fn guarded(&self, at: NumberedStatement<'a>) -> Option<StatementId> {
        let place = self.head(at.id);
        let [accept, reject] = at.blocks()[..] else { return None };
        if place.is_empty() || !reject.block().is_empty() {
            return None;
        }
        let is_loop = |inner: &NumberedStatement<'_>| {
            matches!(inner.statement, naga::Statement::Loop { .. }) && self.head(inner.id) == place
        };
        accept.iter().find(is_loop).map(|inner| inner.id)
    }

    fn branch(
        &mut self,
        kind: BranchKind,
        site: SiteId,
        statement: StatementId,
        span: Span,
        sides: Vec<(ArmKind, Span, Vec<Entry>)>,
    ) -> BranchId {
        let id = BranchId(self.branches.len() as u32);
        let first = self.arms.len() as u32;
        for (index, (kind, own, entries)) in (first..).zip(sides) {
            for entry in &entries {
                if let Entry::Block { statement, block } = *entry {
                    self.body.blocks.insert((statement, block), ArmId(index));
                }
            }
            let span = if own.is_empty() { span } else { own };
            self.arms.push(Arm { branch: id, kind, span, entries });
        }
        let arms = first..self.arms.len() as u32;
        let function = self.body.function;
        let decided_at = statement;
        self.branches.push(Branch { function, kind, site, statement, decided_at, span, arms });
        id
    }

    fn site(&self, at: StatementId) -> SiteId {
        self.sites.statement(self.body.function, at).unwrap_or(SiteId::NONE)
    }

    /// Returns the span of the head of the branch or loop at a statement.
    fn head(&self, at: StatementId) -> Span {
        self.sites.get(self.site(at)).map_or(Span::default(), |site| site.span)
    }

    fn span_of(&self, expression: Handle<Expression>) -> Span {
        Span::from(self.function.expressions.get_span(expression))
    }

    /// Returns the span of a condition, or of its operand if it is a negation. Falls back to the head of `at`.
    fn condition_at(&self, at: StatementId, condition: Handle<Expression>) -> Span {
        let (_, bare) = idiom::strip_negation(self.function, condition);
        let spans = [self.span_of(condition), self.span_of(bare), self.head(at)];
        spans.into_iter().find(|span| !span.is_empty()).unwrap_or_default()
    }

    /// Returns the span of a block's code in the source. `head` is the head of the enclosing statement.
    fn statements_in(&self, block: Statements<'a>, head: Span) -> Span {
        block.iter().fold(Span::default(), |all, at| self.joined(all, self.written_at(at, head)))
    }

    /// Returns the span of a statement. A statement that a front end generated for another construct has the span of that
    /// construct, which includes the head; then the spans of its nested statements are used.
    fn written_at(&self, at: NumberedStatement<'a>, head: Span) -> Span {
        let own = Span::from(at.span);
        let blocks = at.blocks();
        let holds_head = !head.is_empty() && own.start <= head.start && head.end <= own.end;
        if holds_head {
            let inner = blocks.into_iter().map(|block| self.statements_in(block, head));
            return inner.fold(Span::default(), |all, span| self.joined(all, span));
        }
        let site = self.sites.get(self.site(at.id)).filter(|_| blocks.is_empty());
        self.joined(own, site.map_or(Span::default(), |site| site.statement))
    }

    /// Joins two spans. Lines of SPIR-V may belong to different texts: there the first non-empty span is returned.
    fn joined(&self, a: Span, b: Span) -> Span {
        match self.idioms {
            Idioms::Spirv if !a.is_empty() => a,
            _ => hull(a, b),
        }
    }
}

/// Returns the smallest span that covers both. Empty spans are ignored.
fn hull(a: Span, b: Span) -> Span {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => Span::new(a.start.min(b.start), a.end.max(b.end)),
    }
}
