//! Writes a function that can behave like any of several mutants.

use super::compare::Modules;
use super::difference::{Difference, User};
use super::expressions::of_statement;
use crate::ir::operands;
use crate::ir::rebuild::{FunctionBuilder, RebuildChange};
use crate::ir::walk::{FunctionId, NumberedStatement, StatementId};
use crate::program::replacement_span;
use naga::{
    BinaryOperator, Binding, Block, Expression, FunctionArgument, GlobalVariable, Handle, Literal,
    LocalVariable, Span, Statement, Type,
};
use rustc_hash::FxHashMap;

/// A mutant's differences in one function.
struct Alternative<'a> {
    number: u32,
    difference: &'a Difference<'a>,
    modules: &'a Modules<'a>,
    types: &'a FxHashMap<Handle<Type>, Handle<Type>>,
}

/// The alternatives in a function.
#[derive(Default)]
pub struct Alternatives<'a> {
    all: Vec<Alternative<'a>>,
    operands: FxHashMap<User, Vec<(usize, usize, Handle<Expression>)>>,
    instead: FxHashMap<StatementId, Vec<(usize, Option<&'a Statement>)>>,
    before: FxHashMap<StatementId, Vec<(usize, &'a Statement)>>,
    begins: Vec<(usize, Handle<LocalVariable>, Handle<Expression>)>,
}

type GivenAlternative<'a> =
    (u32, &'a Difference<'a>, &'a Modules<'a>, &'a FxHashMap<Handle<Type>, Handle<Type>>);

impl<'a> Alternatives<'a> {
    /// Collects the alternatives of these mutants, each with its number.
    pub fn of(all: impl Iterator<Item = GivenAlternative<'a>>) -> Self {
        let mut found = Self::default();
        for (index, (number, difference, modules, types)) in all.enumerate() {
            for &(user, at, value) in &difference.operands {
                found.operands.entry(user).or_default().push((index, at, value));
            }
            for &(id, statement) in &difference.replaced_statements {
                found.instead.entry(id).or_default().push((index, statement));
            }
            for &(id, statement) in &difference.before {
                found.before.entry(id).or_default().push((index, statement));
            }
            let begins = difference.initial_values.iter();
            found.begins.extend(begins.map(|&(variable, value)| (index, variable, value)));
            found.all.push(Alternative { number, difference, modules, types });
        }
        found
    }
}

/// The change that makes a function behave like the selected mutant.
pub struct Write<'a> {
    prefix: &'a str,
    variable: Handle<GlobalVariable>,
    alternatives: Alternatives<'a>,
    /// The number of the selected mutant.
    on: Option<Handle<Expression>>,
    /// Arguments that were added, by their bindings.
    added: Vec<(Option<Binding>, u32)>,
    /// The statements written before each statement that has alternatives.
    open: Vec<Block>,
    /// The span of added code: that of the statement it replaces, so that reports refer to it.
    at: Span,
}

/// By expression of a mutant: the corresponding expression of the new function.
type ExpressionMap = FxHashMap<Handle<Expression>, Handle<Expression>>;

impl<'a> Write<'a> {
    /// Creates the change with these alternatives, which `variable` selects from.
    pub fn new(
        prefix: &'a str,
        variable: Handle<GlobalVariable>,
        alternatives: Alternatives<'a>,
    ) -> Self {
        Self {
            prefix,
            variable,
            alternatives,
            on: None,
            added: Vec::new(),
            open: Vec::new(),
            at: Span::UNDEFINED,
        }
    }

    /// Returns the condition that this alternative is selected.
    fn emit_is_selected(&self, into: &mut FunctionBuilder<'_>, index: usize) -> Handle<Expression> {
        let right = into.u32(self.alternatives.all[index].number);
        let left = self.on.unwrap_or(right);
        into.emit(Expression::Binary { op: BinaryOperator::Equal, left, right }, Span::UNDEFINED)
    }

    /// Returns `value`, or a selection between it and the alternatives for that operand.
    fn chosen(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        user: User,
        at: usize,
        mut value: Handle<Expression>,
    ) -> Handle<Expression> {
        let Some(all) = self.alternatives.operands.get(&user) else { return value };
        let all: Vec<_> = all.iter().filter(|(_, place, _)| *place == at).copied().collect();
        for (index, _, other) in all {
            let accept = self.copy_expression(into, index, &mut ExpressionMap::default(), other);
            let condition = self.emit_is_selected(into, index);
            let select = Expression::Select { condition, accept, reject: value };
            value = into.emit(select, Span::UNDEFINED);
        }
        value
    }

    /// Copies an expression of a mutant.
    fn copy_expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        index: usize,
        here: &mut ExpressionMap,
        other: Handle<Expression>,
    ) -> Handle<Expression> {
        let Alternative { difference, modules, types, .. } = self.alternatives.all[index];
        if let Some(&known) = here.get(&other) {
            return known;
        }
        if let Some(&known) = difference.known.get(&other) {
            return into.get(known);
        }
        let mut copy = difference.function.expressions[other].clone();
        operands::of_expression(&mut copy, &mut |operand| {
            *operand = self.copy_expression(into, index, here, *operand);
        });
        match &mut copy {
            Expression::Constant(constant) => match modules.constant(*constant) {
                Some(own) => *constant = own,
                None => {
                    let literal = modules.literal(*constant).unwrap_or(Literal::U32(0));
                    copy = Expression::Literal(literal);
                }
            },
            Expression::ZeroValue(ty)
            | Expression::Compose { ty, .. }
            | Expression::AtomicResult { ty, .. } => *ty = types[ty],
            Expression::GlobalVariable(global) => {
                let mut own = modules.module.global_variables.iter();
                if let Some((own, _)) = own.nth(global.index()) {
                    *global = own;
                }
            }
            Expression::LocalVariable(local) => {
                let mut own = into.function.local_variables.iter();
                if let Some((own, _)) = own.nth(local.index()) {
                    *local = own;
                }
            }
            Expression::FunctionArgument(at) => {
                let argument = &difference.function.arguments[*at as usize];
                *at = self.argument(into, index, argument, *at);
            }
            _ => {}
        }
        let new = match copy.needs_pre_emit() {
            true => into.declare(copy, self.at),
            false => into.emit(copy, self.at),
        };
        here.insert(other, new);
        new
    }

    /// Returns the argument that corresponds to the mutant's argument `at`, adding it if necessary.
    fn argument(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        index: usize,
        argument: &FunctionArgument,
        at: u32,
    ) -> u32 {
        let Alternative { difference, modules, types, .. } = self.alternatives.all[index];
        let own = &difference.id.get(modules.module).arguments;
        let is_same = own.get(at as usize).is_some_and(|own| modules.same_argument(own, argument));
        if is_same || matches!(difference.id, FunctionId::Helper(_)) {
            return at;
        }
        if let Some(known) = modules.argument(difference.id, &argument.binding) {
            return known;
        }
        let known = self.added.iter().find(|(binding, _)| *binding == argument.binding);
        if let Some((_, known)) = known {
            return *known;
        }
        let at = into.function.arguments.len() as u32;
        let name = Some(format!("{}_argument_{at}", self.prefix));
        let ty = types[&argument.ty];
        let binding = argument.binding.clone();
        into.function.arguments.push(FunctionArgument { name, ty, binding });
        self.added.push((argument.binding.clone(), at));
        at
    }

    /// Copies a statement of a mutant.
    fn copy_statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        index: usize,
        here: &mut ExpressionMap,
        other: &Statement,
    ) {
        if let Statement::Emit(range) = other {
            for expression in range.clone() {
                self.copy_expression(into, index, here, expression);
            }
            return;
        }
        let mut copy = operands::without_blocks(other);
        operands::of_statement(&mut copy, &mut |operand| {
            *operand = self.copy_expression(into, index, here, *operand);
        });
        if let Statement::Call { function, .. } = &mut copy {
            *function = into.function_now(*function);
        }
        let mut blocks = Vec::new();
        for block in crate::ir::walk::children(other) {
            let outer = into.open();
            // Expressions that are evaluated in the nested block are not available after it.
            let mut inside = here.clone();
            for statement in block {
                self.copy_statement(into, index, &mut inside, statement);
            }
            blocks.push(into.close(outer));
        }
        for (new, block) in operands::children(&mut copy).into_iter().zip(blocks) {
            *new = block;
        }
        into.push(copy, self.at);
    }

    /// Returns a block with the statement of alternative `index`.
    fn block(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        index: usize,
        other: Option<&Statement>,
    ) -> Block {
        let outer = into.open();
        if let Some(other) = other {
            self.copy_statement(into, index, &mut ExpressionMap::default(), other);
        }
        into.close(outer)
    }
}

impl RebuildChange for Write<'_> {
    fn enter(&mut self, into: &mut FunctionBuilder<'_>) {
        if self.alternatives.all.is_empty() {
            return;
        }
        let pointer = into.declare(Expression::GlobalVariable(self.variable), Span::UNDEFINED);
        self.on = Some(into.emit(Expression::Load { pointer }, Span::UNDEFINED));
        for (index, variable, value) in std::mem::take(&mut self.alternatives.begins) {
            let condition = self.emit_is_selected(into, index);
            let pointer = into.declare(Expression::LocalVariable(variable), Span::UNDEFINED);
            let outer = into.open();
            let value = self.copy_expression(into, index, &mut ExpressionMap::default(), value);
            into.push(Statement::Store { pointer, value }, Span::UNDEFINED);
            let accept = into.close(outer);
            into.push(Statement::If { condition, accept, reject: Block::new() }, Span::UNDEFINED);
        }
    }

    fn before(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        self.at = replacement_span(original.span);
        for (index, statement) in
            self.alternatives.before.get(&original.id).cloned().unwrap_or_default()
        {
            let condition = self.emit_is_selected(into, index);
            let accept = self.block(into, index, Some(statement));
            into.push(Statement::If { condition, accept, reject: Block::new() }, Span::UNDEFINED);
        }
        if self.alternatives.instead.contains_key(&original.id) {
            self.open.push(into.open());
        }
    }

    fn after(&mut self, into: &mut FunctionBuilder<'_>, original: NumberedStatement<'_>) {
        let Some(all) = self.alternatives.instead.get(&original.id).cloned() else { return };
        let Some(outer) = self.open.pop() else { return };
        self.at = replacement_span(original.span);
        let mut rest = into.close(outer);
        let conditions: Vec<_> =
            all.iter().map(|(index, _)| self.emit_is_selected(into, *index)).collect();
        for ((index, statement), condition) in all.into_iter().zip(conditions) {
            let accept = self.block(into, index, statement);
            let choice = Statement::If { condition, accept, reject: rest };
            rest = Block::from_vec(vec![choice]);
        }
        into.append(rest);
    }

    fn expression(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        original: Handle<Expression>,
        copy: &mut Expression,
    ) {
        let user = User::Expression(original);
        if self.alternatives.operands.contains_key(&user) {
            let mut at = 0;
            operands::of_expression(copy, &mut |operand| {
                *operand = self.chosen(into, user, at, *operand);
                at += 1;
            });
        }
    }

    fn replace_condition(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        at: StatementId,
        value: Handle<Expression>,
    ) -> Handle<Expression> {
        self.chosen(into, User::Statement(at), 0, value)
    }

    fn statement(
        &mut self,
        into: &mut FunctionBuilder<'_>,
        id: StatementId,
        mut copy: Statement,
        span: Span,
    ) {
        let user = User::Statement(id);
        if self.alternatives.operands.contains_key(&user) && !of_statement(&copy).is_empty() {
            let mut at = 0;
            operands::of_statement(&mut copy, &mut |operand| {
                *operand = self.chosen(into, user, at, *operand);
                at += 1;
            });
        }
        into.push(copy, span);
    }
}
