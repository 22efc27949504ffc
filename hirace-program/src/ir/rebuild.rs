//! Writing a function anew, with changes.
//!
//! naga's expressions may refer to earlier ones only, so nothing can be put between two of them
//! in place. A [`Rebuild`] goes through the body in order and copies what it meets, each expression where
//! it is emitted; a [`Change`] is asked at every step and may add or replace.

use super::operands;
use naga::{Block, Expression, Function, Handle, Literal, Range, Span, Statement};
use rustc_hash::FxHashMap;

/// What is done differently from the original.
pub trait Change {
    /// Comes before everything in the body.
    fn enter(&mut self, _: &mut Rebuild<'_>) {}

    /// The expression `original` is about to be emitted as `copy`, whose operands are already those
    /// of the new function. May add before it, and change it.
    fn expression(
        &mut self,
        _into: &mut Rebuild<'_>,
        _original: Handle<Expression>,
        _copy: &mut Expression,
    ) {
    }

    /// What the expression `original`, which would be emitted as `copy`, is in the new function instead.
    fn instead(
        &mut self,
        _into: &mut Rebuild<'_>,
        _original: Handle<Expression>,
        _copy: &Expression,
    ) -> Option<Handle<Expression>> {
        None
    }

    /// A turn of the loop with this ordinal begins.
    fn turn(&mut self, _into: &mut Rebuild<'_>, _ordinal: u32, _span: Span) {}

    /// The statement with this ordinal ([`super::walk`]) is to be copied. `copy` holds no
    /// blocks, and its operands are already those of the new function.
    fn statement(&mut self, into: &mut Rebuild<'_>, _ordinal: u32, copy: Statement, span: Span) {
        into.push(copy, span);
    }
}

/// A function being written.
pub struct Rebuild<'a> {
    original: &'a Function,
    /// The new function, with all but its body complete. Expressions are added by
    /// [`Rebuild::emit`] and [`Rebuild::declare`] only.
    pub function: Function,
    /// Where the functions of the module are now, by index of where they were.
    functions: &'a [Handle<Function>],
    map: FxHashMap<Handle<Expression>, Handle<Expression>>,
    literals: FxHashMap<u32, Handle<Expression>>,
    block: Block,
    /// First and last of the expressions to emit before the next statement.
    pending: Option<(Handle<Expression>, Handle<Expression>)>,
    ordinal: u32,
}

impl<'a> Rebuild<'a> {
    /// The copy of `original` with `change`, in a module where the function with index `n` is now
    /// `functions[n]`.
    pub fn run(
        original: &'a Function,
        functions: &'a [Handle<Function>],
        change: &mut impl Change,
    ) -> Function {
        let function = Function {
            name: original.name.clone(),
            arguments: original.arguments.clone(),
            result: original.result.clone(),
            local_variables: original.local_variables.clone(),
            diagnostic_filter_leaf: original.diagnostic_filter_leaf,
            ..Function::default()
        };
        let mut rebuild = Self {
            original,
            function,
            functions,
            map: FxHashMap::default(),
            literals: FxHashMap::default(),
            block: Block::new(),
            pending: None,
            ordinal: 0,
        };
        let variables: Vec<_> = original
            .local_variables
            .iter()
            .map(|(handle, variable)| (handle, variable.init))
            .collect();
        for (handle, init) in variables {
            rebuild.function.local_variables[handle].init = init.map(|init| rebuild.get(init));
        }
        change.enter(&mut rebuild);
        let mut body = rebuild.block(&original.body, change);
        // What `enter` added.
        rebuild.block.append(&mut body);
        rebuild.function.body = std::mem::take(&mut rebuild.block);
        for (expression, name) in &original.named_expressions {
            if let Some(&copy) = rebuild.map.get(expression) {
                rebuild.function.named_expressions.insert(copy, name.clone());
            }
        }
        rebuild.function
    }

    /// What `original` is in the new function. What is not emitted anywhere (constants, variables,
    /// arguments) is copied when first asked for.
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

    /// Says what `original` is in the new function.
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

    /// Adds an expression that needs no evaluation: a literal, an argument, a variable, the
    /// result of a statement.
    pub fn declare(&mut self, expression: Expression, span: Span) -> Handle<Expression> {
        self.function.expressions.append(expression, span)
    }

    /// The literal `value`.
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
        copy
    }

    fn block(&mut self, original: &'a Block, change: &mut impl Change) -> Block {
        self.flush();
        let outer = std::mem::take(&mut self.block);
        for (statement, &span) in original.span_iter() {
            self.statement(statement, span, change);
        }
        self.flush();
        std::mem::replace(&mut self.block, outer)
    }

    /// The body of the loop with this ordinal.
    fn body(
        &mut self,
        original: &'a Block,
        ordinal: u32,
        span: Span,
        change: &mut impl Change,
    ) -> Block {
        self.flush();
        let outer = std::mem::take(&mut self.block);
        change.turn(self, ordinal, span);
        let mut inner = self.block(original, change);
        self.block.append(&mut inner);
        std::mem::replace(&mut self.block, outer)
    }

    fn statement(&mut self, original: &'a Statement, span: Span, change: &mut impl Change) {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        match original {
            Statement::Emit(range) => {
                for expression in range.clone() {
                    let mut copy = self.copy(expression);
                    if let Some(instead) = change.instead(self, expression, &copy) {
                        self.set(expression, instead);
                        continue;
                    }
                    change.expression(self, expression, &mut copy);
                    let copy = self.emit(copy, self.original.expressions.get_span(expression));
                    self.map.insert(expression, copy);
                }
            }
            Statement::Block(inner) => {
                let inner = self.block(inner, change);
                self.push(Statement::Block(inner), span);
            }
            Statement::If { condition, accept, reject } => {
                let condition = self.get(*condition);
                let accept = self.block(accept, change);
                let reject = self.block(reject, change);
                self.push(Statement::If { condition, accept, reject }, span);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.get(*selector);
                let cases = cases.iter().map(|case| naga::SwitchCase {
                    value: case.value,
                    body: self.block(&case.body, change),
                    fall_through: case.fall_through,
                });
                let cases = cases.collect();
                self.push(Statement::Switch { selector, cases }, span);
            }
            Statement::Loop { body, continuing, break_if } => {
                let body = self.body(body, ordinal, span, change);
                let continuing = self.block(continuing, change);
                let break_if = break_if.map(|condition| self.get(condition));
                self.push(Statement::Loop { body, continuing, break_if }, span);
            }
            simple => {
                let mut copy = simple.clone();
                operands::of_statement(&mut copy, &mut |operand| *operand = self.get(*operand));
                if let Statement::Call { function, .. } = &mut copy {
                    *function = self.functions[function.index()];
                }
                change.statement(self, ordinal, copy, span);
            }
        }
    }
}
