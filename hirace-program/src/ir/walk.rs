//! The numbering of the statements of a function.
//!
//! naga's statements have no handles. A [`StatementId`] is the index of a statement in a preorder walk: a statement precedes its
//! nested blocks, which follow in this order: `Block`'s body; `If`'s accept, then reject; `Switch`'s cases as listed; `Loop`'s
//! body, then continuing.
//!
//! Only this module numbers statements. Code that visits each statement once calls [`statements`]. Code that visits blocks in
//! another order, or more than once, uses [`Statements`], which provides the number of each statement.

use naga::{Block, Expression, Function, Handle, Module, Span, Statement};

/// The identifier of a statement: its index in the preorder walk of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

impl StatementId {
    /// Returns the index for lists with one item per statement.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The identifier of a function of a module: a helper, or the function of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FunctionId {
    /// A helper function.
    Helper(Handle<Function>),
    /// The function of the entry point with this index.
    Entry(usize),
}

impl FunctionId {
    /// Returns the function.
    pub fn get(self, module: &Module) -> &Function {
        match self {
            Self::Helper(handle) => &module.functions[handle],
            Self::Entry(index) => &module.entry_points[index].function,
        }
    }

    /// Returns the name of the function in `module`. Helpers may have no name.
    pub fn name(self, module: &Module) -> Option<&str> {
        match self {
            Self::Helper(handle) => module.functions[handle].name.as_deref(),
            Self::Entry(index) => Some(&module.entry_points[index].name),
        }
    }

    /// Iterates over all functions of `module`, helpers first.
    pub fn all(module: &Module) -> impl Iterator<Item = Self> + '_ {
        let helpers = module.functions.iter().map(|(handle, _)| Self::Helper(handle));
        helpers.chain((0..module.entry_points.len()).map(Self::Entry))
    }
}

/// Calls `visit` with every statement of `block` and its number, in order.
pub fn statements<'a>(block: &'a Block, visit: &mut impl FnMut(StatementId, &'a Statement, Span)) {
    fn go<'a>(
        block: &'a Block,
        next: &mut u32,
        visit: &mut impl FnMut(StatementId, &'a Statement, Span),
    ) {
        for (statement, span) in block.span_iter() {
            visit(StatementId(*next), statement, *span);
            *next += 1;
            for inner in children(statement) {
                go(inner, next, visit);
            }
        }
    }
    go(block, &mut 0, visit);
}

/// The numbering of the statements of a function. It stores where each statement ends, which determines the numbers in any block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementOrder {
    /// For each statement, the number that follows its last nested statement.
    ends: Vec<u32>,
}

impl StatementOrder {
    /// Computes the order of the statements of the function with this body.
    pub fn of(body: &Block) -> Self {
        fn go(block: &Block, ends: &mut Vec<u32>) {
            for statement in block {
                let own = ends.len();
                ends.push(0);
                for inner in children(statement) {
                    go(inner, ends);
                }
                ends[own] = ends.len() as u32;
            }
        }
        let mut ends = Vec::new();
        go(body, &mut ends);
        Self { ends }
    }

    /// Returns the statements of `body`, which must be the body of the function that this order was computed for.
    pub fn statements<'a>(&'a self, body: &'a Block) -> Statements<'a> {
        Statements { block: body, first: 0, order: self }
    }

    /// Returns the number of statements.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no statements.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether `inner` is `outer` or nested in it.
    pub fn holds(&self, outer: StatementId, inner: StatementId) -> bool {
        outer <= inner && inner.0 < self.end(outer)
    }

    fn end(&self, statement: StatementId) -> u32 {
        self.ends.get(statement.index()).copied().unwrap_or(statement.0 + 1)
    }
}

/// The statements of one block, with their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Statements<'a> {
    block: &'a Block,
    first: u32,
    order: &'a StatementOrder,
}

impl<'a> Statements<'a> {
    /// Iterates over the statements in order.
    pub fn iter(self) -> impl Iterator<Item = Numbered<'a>> {
        let mut next = self.first;
        self.block.span_iter().map(move |(statement, span)| {
            let id = StatementId(next);
            next = self.order.end(id);
            Numbered { id, statement, span: *span, order: self.order }
        })
    }

    /// Returns the statement with this number, in these statements or nested in them.
    pub fn find(self, id: StatementId) -> Option<Numbered<'a>> {
        let outer = self.iter().find(|at| self.order.holds(at.id, id))?;
        match outer.id == id {
            true => Some(outer),
            false => outer.blocks().into_iter().find_map(|block| block.find(id)),
        }
    }

    /// Returns the block.
    pub fn block(self) -> &'a Block {
        self.block
    }
}

/// A statement with its number.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'a> {
    /// Its number.
    pub id: StatementId,
    /// The statement.
    pub statement: &'a Statement,
    /// The span that naga gives it.
    pub span: Span,
    order: &'a StatementOrder,
}

impl<'a> Numbered<'a> {
    /// Returns the nested blocks, in the order of [`children`].
    pub fn blocks(self) -> Vec<Statements<'a>> {
        let order = self.order;
        let mut first = self.id.0 + 1;
        let number = |block: &'a Block| {
            let statements = Statements { block, first, order };
            for _ in block {
                first = order.end(StatementId(first));
            }
            statements
        };
        children(self.statement).into_iter().map(number).collect()
    }
}

/// Returns the nested blocks of a statement, in the order in which they are numbered.
pub fn children(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Follows a pointer expression to its root, usually a variable or an argument.
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

/// Follows a pointer expression to its root variable, if that is a global one.
pub fn root_global(
    function: &Function,
    pointer: Handle<Expression>,
) -> Option<Handle<naga::GlobalVariable>> {
    match *root(function, pointer) {
        Expression::GlobalVariable(global) => Some(global),
        _ => None,
    }
}

/// Calls `visit` with each operand of `expression`. (Copying an expression is cheap, and avoids a second list of the operands of
/// each kind.)
pub fn operands(expression: &Expression, visit: &mut impl FnMut(Handle<Expression>)) {
    super::operands::of_expression(&mut expression.clone(), &mut |operand| visit(*operand));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_number_their_statements_as_the_walk_does() {
        let module = naga::front::wgsl::parse_str(
            "fn f(n: u32) -> u32 {
                var x = n;
                { x += 1u; }
                if (n > 3u && n < 9u) { x = 2u; } else { { return x; } }
                switch (n) { case 1u, 2u: { x = 1u; } default: {} }
                for (var i = 0u; i < n; i++) { if (i == 2u) { continue; } x += i; }
                loop { x += 2u; continuing { x -= 1u; break if x > 20u; } }
                return x;
            }",
        )
        .expect("valid WGSL");
        let (_, function) = module.functions.iter().next().expect("a function");
        let order = StatementOrder::of(&function.body);
        let mut walked = Vec::new();
        statements(&function.body, &mut |id, statement, _| {
            walked.push((id, std::ptr::from_ref(statement)));
        });
        fn collect(statements: Statements<'_>, into: &mut Vec<(StatementId, *const Statement)>) {
            for numbered in statements.iter() {
                into.push((numbered.id, std::ptr::from_ref(numbered.statement)));
                numbered.blocks().into_iter().for_each(|inner| collect(inner, into));
            }
        }
        let mut numbered = Vec::new();
        collect(order.statements(&function.body), &mut numbered);
        assert_eq!(walked, numbered);
        assert_eq!(order.len(), walked.len());
        assert!(walked.len() > 30, "{}", walked.len());
    }
}
