//! Rebuilds functions with changes: the skeleton of every pass.
//!
//! An expression of naga may only refer to earlier ones, so nothing can be inserted between two of them in place. A [`FunctionBuilder`]
//! walks the body in order and copies it, each expression where it is emitted. At every step it calls a [`RebuildChange`], which may add
//! or replace code. The statement of the original that is being copied is always available ([`FunctionBuilder::at`]), and if the
//! function's [`Body`] was given, so is the arm that contains it ([`FunctionBuilder::arm`]).

use super::body::{ArmId, Bodies, Body, Entry};
use super::operands;
use super::walk::{NumberedStatement, StatementId, StatementOrder, Statements};
use naga::valid::FunctionInfo;
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, Range, RelationalFunction,
    Scalar, Span, Statement, SwitchCase, Type, TypeInner, UnaryOperator, UniqueArena,
};
use rustc_hash::FxHashMap;

/// The changes that a pass makes to a function.
pub trait RebuildChange {
    /// Is called before anything in the body is copied.
    fn enter(&mut self, _: &mut FunctionBuilder<'_>) {}

    /// Is called when control has entered this arm, only if the function's arms are given ([`FunctionBuilder::with_arms`]). For an arm
    /// that a value decides, the call precedes the evaluation that depends on that value.
    fn arm(&mut self, _into: &mut FunctionBuilder<'_>, _arm: ArmId) {}

    /// Is called before the statement `original`, or the expressions that it emits, are copied. Its nested blocks follow later.
    fn before(&mut self, _into: &mut FunctionBuilder<'_>, _original: NumberedStatement<'_>) {}

    /// Is called after the statement `original` was copied, including its nested blocks.
    fn after(&mut self, _into: &mut FunctionBuilder<'_>, _original: NumberedStatement<'_>) {}

    /// Is called before the expression `original` is emitted as `copy`, whose operands are already those of the new function. May
    /// add code before it, and change it.
    fn expression(
        &mut self,
        _into: &mut FunctionBuilder<'_>,
        _original: Handle<Expression>,
        _copy: &mut Expression,
    ) {
    }

    /// Returns the expression of the new function that replaces `original`, which would be emitted as `copy`; `None` to emit it.
    fn replace_expression(
        &mut self,
        _into: &mut FunctionBuilder<'_>,
        _original: Handle<Expression>,
        _copy: &Expression,
    ) -> Option<Handle<Expression>> {
        None
    }

    /// Is called at the start of each iteration of this loop.
    fn begin_iteration(&mut self, _into: &mut FunctionBuilder<'_>, _of: StatementId, _span: Span) {}

    /// Returns the condition or selector to use for a statement with nested blocks, where the original one is `value`.
    fn replace_condition(
        &mut self,
        _into: &mut FunctionBuilder<'_>,
        _at: StatementId,
        value: Handle<Expression>,
    ) -> Handle<Expression> {
        value
    }

    /// Copies a statement. `copy` has empty nested blocks, and its operands are already those of the new function.
    fn statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        _: StatementId,
        copy: Statement,
        span: Span,
    ) {
        into.push(copy, span);
    }
}

/// The arms of a function, with the information needed to find them.
#[derive(Clone, Copy, Debug)]
pub struct Arms<'a> {
    /// The structure of all functions of the program.
    pub bodies: &'a Bodies,
    /// The structure of the function.
    pub body: &'a Body,
    /// The types of the function's expressions.
    pub info: &'a FunctionInfo,
    /// The types of the module.
    pub types: &'a UniqueArena<Type>,
}

/// A function under construction.
pub struct FunctionBuilder<'a> {
    original: &'a Function,
    /// The new function, complete except for its body. Add expressions with [`FunctionBuilder::emit`] and [`FunctionBuilder::declare`] only.
    pub function: Function,
    /// The new handles of the module's functions, by the index of their old handles.
    functions: &'a [Handle<Function>],
    map: FxHashMap<Handle<Expression>, Handle<Expression>>,
    literals: FxHashMap<u32, Handle<Expression>>,
    block: Block,
    /// First and last of the expressions to emit before the next statement.
    pending: Option<(Handle<Expression>, Handle<Expression>)>,
    at: Option<StatementId>,
    arms: Option<Arms<'a>>,
}

impl<'a> FunctionBuilder<'a> {
    /// Returns the copy of `original` with `change` applied. The function with index `n` of the original module is `functions[n]`
    /// in the new one.
    pub fn run(
        original: &'a Function,
        functions: &'a [Handle<Function>],
        change: &mut impl RebuildChange,
    ) -> Function {
        let order = StatementOrder::of(&original.body);
        Self::new(original, functions, None).written(order.statements(&original.body), change)
    }

    /// Does the same as [`FunctionBuilder::run`] for a function whose `arms` are known, and passes them to `change`.
    pub fn with_arms(
        original: &'a Function,
        arms: Arms<'a>,
        functions: &'a [Handle<Function>],
        change: &mut impl RebuildChange,
    ) -> Function {
        let body = arms.body.statements_of(original);
        Self::new(original, functions, Some(arms)).written(body, change)
    }

    fn new(
        original: &'a Function,
        functions: &'a [Handle<Function>],
        arms: Option<Arms<'a>>,
    ) -> Self {
        let function = Function {
            name: original.name.clone(),
            arguments: original.arguments.clone(),
            result: original.result.clone(),
            local_variables: original.local_variables.clone(),
            diagnostic_filter_leaf: original.diagnostic_filter_leaf,
            ..Function::default()
        };
        Self {
            original,
            function,
            functions,
            map: FxHashMap::default(),
            literals: FxHashMap::default(),
            block: Block::new(),
            pending: None,
            at: None,
            arms,
        }
    }

    fn written(mut self, body: Statements<'_>, change: &mut impl RebuildChange) -> Function {
        let variables: Vec<_> = self
            .original
            .local_variables
            .iter()
            .map(|(handle, variable)| (handle, variable.init))
            .collect();
        for (handle, init) in variables {
            self.function.local_variables[handle].init = init.map(|init| self.get(init));
        }
        change.enter(&mut self);
        let mut body = self.block(body, |_, _| {}, change);
        // The code that `enter` added.
        self.block.append(&mut body);
        self.function.body = std::mem::take(&mut self.block);
        for (expression, name) in &self.original.named_expressions {
            if let Some(&copy) = self.map.get(expression) {
                self.function.named_expressions.insert(copy, name.clone());
            }
        }
        self.function
    }

    /// Returns the statement of the original that is being copied, or `None` before the first.
    pub fn at(&self) -> Option<StatementId> {
        self.at
    }

    /// Returns the innermost arm that contains the current statement, if any.
    pub fn arm(&self) -> Option<ArmId> {
        self.arms?.body.statement(self.at?).arm
    }

    /// Returns the expression of the new function that corresponds to `original`. Expressions that are not emitted (constants,
    /// variables, arguments) are copied on first use.
    pub fn get(&mut self, original: Handle<Expression>) -> Handle<Expression> {
        if let Some(&known) = self.map.get(&original) {
            return known;
        }
        let copy = self.copy(original);
        let span = self.original.expressions.get_span(original);
        let copy = self.declare(copy, span);
        self.map.insert(original, copy);
        copy
    }

    /// Sets the expression of the new function that corresponds to `original`.
    pub fn set(&mut self, original: Handle<Expression>, new: Handle<Expression>) {
        self.map.insert(original, new);
    }

    /// Adds an expression that is evaluated at this point of the body.
    pub fn emit(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        let last = self.function.expressions.len();
        let new = self.function.expressions.append(expression, span);
        match &mut self.pending {
            Some((_, end)) if end.index() + 1 == last => *end = new,
            _ => {
                self.flush();
                self.pending = Some((new, new));
            }
        }
        new
    }

    /// Adds an expression that needs no evaluation: a literal, an argument, a variable, the result of a statement.
    pub fn declare(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.function.expressions.append(expression, span)
    }

    /// Returns the literal `value`.
    pub fn u32(&mut self, value: u32) -> Handle<Expression> {
        if let Some(&known) = self.literals.get(&value) {
            return known;
        }
        let new = self.declare(Expression::Literal(Literal::U32(value)), Span::UNDEFINED);
        *self.literals.entry(value).or_insert(new)
    }

    /// Adds a statement.
    pub fn push(&mut self, statement: Statement, span: Span) {
        self.flush();
        self.block.push(statement, span);
    }

    /// Begins a block that receives what is added from now on. Returns the statements written so far, for [`FunctionBuilder::close`].
    pub fn open(&mut self) -> Block {
        self.flush();
        std::mem::take(&mut self.block)
    }

    /// Ends the block that was begun last and returns it. Continues with `outer`.
    pub fn close(&mut self, outer: Block) -> Block {
        self.flush();
        std::mem::replace(&mut self.block, outer)
    }

    /// Adds all statements of a block.
    pub fn append(&mut self, mut block: Block) {
        self.flush();
        self.block.append(&mut block);
    }

    /// Returns the new handle of a function of the original's module.
    pub fn function_now(&self, original: Handle<Function>) -> Handle<Function> {
        self.functions[original.index()]
    }

    fn flush(&mut self) {
        if let Some((first, last)) = self.pending.take() {
            let span = self.function.expressions.get_span(first);
            self.block.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
        }
    }

    fn copy(&mut self, original: Handle<Expression>) -> Expression {
        let mut copy = self.original.expressions[original].clone();
        operands::of_expression(&mut copy, &mut |operand| *operand = self.get(*operand));
        if let Expression::CallResult(function) = &mut copy {
            *function = self.functions[function.index()];
        }
        self.narrow(original, &mut copy);
        copy
    }

    /// Replaces the conversion of a 64-bit constant by its result. naga does not evaluate such conversions, and rejects a module
    /// with overrides because of them.
    fn narrow(&mut self, original: Handle<Expression>, copy: &mut Expression) {
        let of = &self.original.expressions;
        if let Expression::As { expr, kind, convert: Some(width) } = of[original]
            && let Expression::Literal(literal) = of[expr]
            && let Some(narrow) = narrowed(literal, Scalar { kind, width })
        {
            let expr = self.declare(Expression::Literal(narrow), Span::UNDEFINED);
            *copy = Expression::As { expr, kind, convert: Some(width) };
        }
    }

    /// Copies a block of the original, after the code that `first` adds.
    fn block<C: RebuildChange>(
        &mut self,
        original: Statements<'_>,
        first: impl FnOnce(&mut Self, &mut C),
        change: &mut C,
    ) -> Block {
        self.flush();
        let outer = std::mem::take(&mut self.block);
        first(self, change);
        for statement in original.iter() {
            self.at = Some(statement.id);
            change.before(self, statement);
            self.statement(statement, change);
            self.at = Some(statement.id);
            change.after(self, statement);
        }
        self.flush();
        std::mem::replace(&mut self.block, outer)
    }

    /// Copies the `index`-th nested block of a statement, and calls the change for the arm that begins there.
    fn inner<C: RebuildChange>(
        &mut self,
        of: NumberedStatement<'_>,
        index: usize,
        change: &mut C,
    ) -> Block {
        let Some(inner) = of.blocks().get(index).copied() else { return Block::new() };
        let arm = self.arms.and_then(|arms| arms.body.arm_at(of.id, index));
        let is_iteration = index == 0 && matches!(of.statement, Statement::Loop { .. });
        let first = |into: &mut Self, change: &mut C| {
            if is_iteration {
                change.begin_iteration(into, of.id, of.span);
            }
            if let Some(arm) = arm {
                change.arm(into, arm);
            }
        };
        self.block(inner, first, change)
    }

    /// Enters the arms that `value` decides at this statement, for this `operator` in it. Records the code that the change adds
    /// for each arm, and executes it where the arm is taken.
    fn decided(
        &mut self,
        at: StatementId,
        operator: Option<Handle<Expression>>,
        value: Handle<Expression>,
        change: &mut impl RebuildChange,
    ) {
        let Some(arms) = self.arms else { return };
        for &branch in arms.body.decided_by_values(at) {
            let mut sides = [Block::new(), Block::new()];
            for (id, arm) in arms.bodies.arms_of(arms.bodies.branch(branch)) {
                let decided = arm.entries.iter().find_map(|entry| match *entry {
                    Entry::Value { operator: of, holds, .. } if of == operator => Some(holds),
                    _ => None,
                });
                if let Some(holds) = decided {
                    self.flush();
                    let outer = std::mem::take(&mut self.block);
                    change.arm(self, id);
                    self.flush();
                    sides[usize::from(!holds)] = std::mem::replace(&mut self.block, outer);
                }
            }
            let [accept, reject] = sides;
            if accept.is_empty() && reject.is_empty() {
                continue;
            }
            let condition = self.get(value);
            let choose = |condition, accept, reject| Statement::If { condition, accept, reject };
            match arms.info[value].ty.inner_with(arms.types) {
                TypeInner::Vector { .. } => {
                    let mut whether = |fun| {
                        let each = Expression::Relational { fun, argument: condition };
                        self.emit(each, Span::UNDEFINED)
                    };
                    let (any, all) =
                        (whether(RelationalFunction::Any), whether(RelationalFunction::All));
                    let not = Expression::Unary { op: UnaryOperator::LogicalNot, expr: all };
                    let not = self.emit(not, Span::UNDEFINED);
                    self.push(choose(any, accept, Block::new()), Span::UNDEFINED);
                    self.push(choose(not, reject, Block::new()), Span::UNDEFINED);
                }
                _ => self.push(choose(condition, accept, reject), Span::UNDEFINED),
            }
        }
    }

    fn statement(&mut self, original: NumberedStatement<'_>, change: &mut impl RebuildChange) {
        let (id, span) = (original.id, original.span);
        match original.statement {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    self.decided_by(id, expression, change);
                    let mut copy = self.copy(expression);
                    if let Some(instead) = change.replace_expression(self, expression, &copy) {
                        self.set(expression, instead);
                        continue;
                    }
                    change.expression(self, expression, &mut copy);
                    let copy = self.emit(copy, self.original.expressions.get_span(expression));
                    self.map.insert(expression, copy);
                }
            }
            Statement::Block(_) => {
                let inner = self.inner(original, 0, change);
                self.push(Statement::Block(inner), span);
            }
            Statement::If { condition, .. } => {
                let condition = self.get(*condition);
                let condition = change.replace_condition(self, id, condition);
                let accept = self.inner(original, 0, change);
                let reject = self.inner(original, 1, change);
                self.push(Statement::If { condition, accept, reject }, span);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.get(*selector);
                let selector = change.replace_condition(self, id, selector);
                let cases = cases.iter().enumerate().map(|(index, case)| SwitchCase {
                    value: case.value,
                    body: self.inner(original, index, change),
                    fall_through: case.fall_through,
                });
                let cases = cases.collect();
                self.push(Statement::Switch { selector, cases }, span);
            }
            Statement::Loop { break_if, .. } => {
                let body = self.inner(original, 0, change);
                let Some(continuing) = original.blocks().get(1).copied() else { return };
                let mut continuing = self.block(continuing, |_, _| {}, change);
                let break_if = break_if.map(|condition| {
                    self.at = Some(id);
                    let outer = std::mem::replace(&mut self.block, std::mem::take(&mut continuing));
                    self.decided(id, None, condition, change);
                    let condition = self.get(condition);
                    let condition = change.replace_condition(self, id, condition);
                    self.flush();
                    continuing = std::mem::replace(&mut self.block, outer);
                    condition
                });
                self.push(Statement::Loop { body, continuing, break_if }, span);
            }
            simple => {
                let mut copy = simple.clone();
                operands::of_statement(&mut copy, &mut |operand| *operand = self.get(*operand));
                if let Statement::Call { function, .. } = &mut copy {
                    *function = self.functions[function.index()];
                }
                change.statement(self, id, copy, span);
            }
        }
    }

    /// Enters the arms that the operator `expression` decides, before the operator is evaluated.
    fn decided_by(
        &mut self,
        at: StatementId,
        expression: Handle<Expression>,
        change: &mut impl RebuildChange,
    ) {
        if self.arms.is_none() {
            return;
        }
        let operator = Some(expression);
        match self.original.expressions[expression] {
            Expression::Select { condition, .. } => self.decided(at, operator, condition, change),
            Expression::Binary {
                op: BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                ..
            } => self.decided(at, operator, left, change),
            _ => {}
        }
    }
}
/// Converts a 64-bit constant to a narrower scalar. Floats beyond the range of an integer type saturate.
fn narrowed(literal: Literal, to: Scalar) -> Option<Literal> {
    let (unsigned, signed, float, is_set) = match literal {
        Literal::U64(value) => (value as u32, value as i32, value as f32, value != 0),
        Literal::I64(value) => (value as u32, value as i32, value as f32, value != 0),
        Literal::F64(value) => (value as u32, value as i32, value as f32, value != 0.0),
        _ => return None,
    };
    match to {
        Scalar::U32 => Some(Literal::U32(unsigned)),
        Scalar::I32 => Some(Literal::I32(signed)),
        Scalar::F32 => Some(Literal::F32(float)),
        Scalar::BOOL => Some(Literal::Bool(is_set)),
        _ => None,
    }
}
