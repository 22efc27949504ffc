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

/// Follows a pointer expression to the variable it points into, if that is a global one.
pub fn root_global(
    function: &Function,
    mut pointer: Handle<Expression>,
) -> Option<Handle<naga::GlobalVariable>> {
    loop {
        match function.expressions[pointer] {
            Expression::GlobalVariable(global) => return Some(global),
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                pointer = base
            }
            _ => return None,
        }
    }
}

/// Calls `visit` with each expression that `expression` is made of.
pub fn operands(expression: &Expression, visit: &mut impl FnMut(Handle<Expression>)) {
    use naga::{ImageQuery, SampleLevel};
    match *expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::RayQueryProceedResult
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. } => {}
        Expression::Compose { ref components, .. } => components.iter().copied().for_each(visit),
        Expression::Access { base, index } => [base, index].into_iter().for_each(visit),
        Expression::AccessIndex { base, .. } => visit(base),
        Expression::Splat { value, .. } => visit(value),
        Expression::Swizzle { vector, .. } => visit(vector),
        Expression::Load { pointer } => visit(pointer),
        Expression::ImageSample {
            image,
            sampler,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            ..
        } => {
            [image, sampler, coordinate].into_iter().for_each(&mut *visit);
            [array_index, offset, depth_ref].into_iter().flatten().for_each(&mut *visit);
            match level {
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => visit(level),
                SampleLevel::Gradient { x, y } => [x, y].into_iter().for_each(visit),
                SampleLevel::Auto | SampleLevel::Zero => {}
            }
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            [image, coordinate].into_iter().for_each(&mut *visit);
            [array_index, sample, level].into_iter().flatten().for_each(visit);
        }
        Expression::ImageQuery { image, query } => {
            visit(image);
            if let ImageQuery::Size { level: Some(level) } = query {
                visit(level);
            }
        }
        Expression::Unary { expr, .. }
        | Expression::Derivative { expr, .. }
        | Expression::As { expr, .. } => visit(expr),
        Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(visit),
        Expression::Select { condition, accept, reject } => {
            [condition, accept, reject].into_iter().for_each(visit);
        }
        Expression::Relational { argument, .. } => visit(argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(arg), arg1, arg2, arg3].into_iter().flatten().for_each(visit);
        }
        Expression::ArrayLength(pointer) => visit(pointer),
        Expression::RayQueryVertexPositions { query, .. }
        | Expression::RayQueryGetIntersection { query, .. } => visit(query),
        Expression::CooperativeLoad { ref data, .. } => {
            [data.pointer, data.stride].into_iter().for_each(visit);
        }
        Expression::CooperativeMultiplyAdd { a, b, c } => [a, b, c].into_iter().for_each(visit),
    }
}
