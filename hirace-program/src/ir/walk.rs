//! The one order in which the statements of a function are counted.
//!
//! naga's statements have no handles. Their *ordinal* is their place in a preorder walk: a
//! statement is counted before what it holds, and what it holds in this order: `Block`'s body; `If`'s
//! accept, then reject; `Switch`'s cases as listed; `Loop`'s body, then continuing.

use naga::{Block, Expression, Function, Handle, Module, Span, Statement};

/// Which function of a module: a helper, or the function of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FunctionId {
    /// A helper function.
    Helper(Handle<Function>),
    /// The function of the entry point with this index.
    Entry(usize),
}

impl FunctionId {
    /// The function itself.
    pub fn get(self, module: &Module) -> &Function {
        match self {
            Self::Helper(handle) => &module.functions[handle],
            Self::Entry(index) => &module.entry_points[index].function,
        }
    }

    /// All functions of `module`, helpers first.
    pub fn all(module: &Module) -> impl Iterator<Item = Self> + '_ {
        let helpers = module.functions.iter().map(|(handle, _)| Self::Helper(handle));
        helpers.chain((0..module.entry_points.len()).map(Self::Entry))
    }
}

/// Calls `visit` with every statement of `block` and its ordinal, in order.
pub fn statements<'a>(block: &'a Block, visit: &mut impl FnMut(u32, &'a Statement, Span)) {
    fn go<'a>(block: &'a Block, next: &mut u32, visit: &mut impl FnMut(u32, &'a Statement, Span)) {
        for (statement, span) in block.span_iter() {
            visit(*next, statement, *span);
            *next += 1;
            for inner in children(statement) {
                go(inner, next, visit);
            }
        }
    }
    go(block, &mut 0, visit);
}

/// The blocks a statement holds, in the order they are counted.
pub fn children(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// How many statements `block` holds, inner ones included: what an ordinal advances by.
pub fn count(block: &Block) -> u32 {
    let mut n = 0;
    statements(block, &mut |_, _, _| n += 1);
    n
}

/// Follows a pointer expression to what it points into: a variable or an argument, as a rule.
pub fn root(function: &Function, mut pointer: Handle<Expression>) -> &Expression {
    loop {
        match &function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                pointer = *base;
            }
            root => return root,
        }
    }
}

/// Follows a pointer expression to the variable it points into, if that is a global one.
pub fn root_global(
    function: &Function,
    pointer: Handle<Expression>,
) -> Option<Handle<naga::GlobalVariable>> {
    match *root(function, pointer) {
        Expression::GlobalVariable(global) => Some(global),
        _ => None,
    }
}

/// Calls `visit` with each expression that `expression` is made of. (A copy of an expression is cheap,
/// and saves a second list of what each kind holds.)
pub fn operands(expression: &Expression, visit: &mut impl FnMut(Handle<Expression>)) {
    super::operands::of_expression(&mut expression.clone(), &mut |operand| visit(*operand));
}
