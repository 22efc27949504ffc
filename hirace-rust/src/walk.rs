//! Traversal of trees.

use super::tree::{Block, Expr, ExprKind, Statement};

/// Defines a traversal, either shared or mutable. The last argument is `mut` for the mutable one.
macro_rules! walk {
    ($children:ident, $block_children:ident, $iter:ident $(, $mut:tt)?) => {
        /// Calls `see` with every direct subexpression of `expr`, in no particular order.
        pub fn $children<'e, T>(
            expr: &'e $($mut)? Expr<T>,
            see: &mut dyn FnMut(&'e $($mut)? Expr<T>),
        ) {
            match &$($mut)? expr.kind {
                ExprKind::Literal(_)
                | ExprKind::Const(_)
                | ExprKind::Verbatim(_)
                | ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Continue(_)
                | ExprKind::Break(_, None)
                | ExprKind::Claim(_, None)
                | ExprKind::Return(None) => {}
                ExprKind::Index(a, b)
                | ExprKind::Binary(_, a, b)
                | ExprKind::Assign(a, b)
                | ExprKind::AssignBinary(_, a, b) => {
                    see(a);
                    see(b);
                }
                ExprKind::Part(a, b, c) => {
                    see(a);
                    for end in [b, c] {
                        if let Some(end) = end {
                            see(end);
                        }
                    }
                }
                ExprKind::Slice(a, b, c) => {
                    see(a);
                    see(b);
                    see(c);
                }
                ExprKind::Member(a, _)
                | ExprKind::Swizzle(a, _)
                | ExprKind::Unary(_, a)
                | ExprKind::Convert(a)
                | ExprKind::Bitcast(a)
                | ExprKind::Repeat(a)
                | ExprKind::Plain(a)
                | ExprKind::Break(_, Some(a))
                | ExprKind::Claim(_, Some(a))
                | ExprKind::Return(Some(a)) => see(a),
                ExprKind::Construct(list)
                | ExprKind::Variant(_, list)
                | ExprKind::Call(_, list)
                | ExprKind::Instance(_, list)
                | ExprKind::Builtin(_, list, _) => list.$iter().for_each(see),
                ExprKind::Block(_, block) | ExprKind::Loop(_, block) => $block_children(block, see),
                ExprKind::If(condition, then, otherwise) => {
                    see(condition);
                    $block_children(then, see);
                    if let Some(otherwise) = otherwise {
                        see(otherwise);
                    }
                }
                ExprKind::Match(subject, arms) => {
                    see(subject);
                    for arm in arms {
                        if let Some(guard) = &$($mut)? arm.guard {
                            see(guard);
                        }
                        see(&$($mut)? arm.body);
                    }
                }
                ExprKind::While(_, condition, block) => {
                    see(condition);
                    $block_children(block, see);
                }
                ExprKind::For(inner) => {
                    let inner = &$($mut)? **inner;
                    see(&$($mut)? inner.start);
                    see(&$($mut)? inner.end);
                    if let Some(step) = &$($mut)? inner.step {
                        see(step);
                    }
                    $block_children(&$($mut)? inner.body, see);
                }
            }
        }

        /// Calls `see` with every direct subexpression of a block.
        pub fn $block_children<'e, T>(
            block: &'e $($mut)? Block<T>,
            see: &mut dyn FnMut(&'e $($mut)? Expr<T>),
        ) {
            for statement in &$($mut)? block.statements {
                match statement {
                    Statement::Let(_, value, _) => value.$iter().for_each(&mut *see),
                    Statement::Expr(expr) => see(expr),
                }
            }
            block.value.$iter().for_each(|value| see(value));
        }
    };
}

walk!(children, block_children, iter);
walk!(children_mut, block_children_mut, iter_mut, mut);
