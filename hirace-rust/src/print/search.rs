//! Finds jumps that leave a part of the tree.

use crate::tree::{Block, Expr, ExprKind, LabelId};
use crate::walk::{block_children, children};

/// Returns whether `block` contains a `break` to `label`.
pub(super) fn contains_break(block: &Block, label: LabelId) -> bool {
    let mut found = false;
    block_children(block, &mut |expr| found |= breaks(expr, &|to| to == label));
    found
}

/// Returns whether `expr` contains a `break` to an enclosing loop or block.
pub(super) fn breaks_out(expr: &Expr) -> bool {
    let mut own = Vec::new();
    labels(expr, &mut own);
    breaks(expr, &|to| !own.contains(&to))
}

fn breaks(expr: &Expr, wanted: &dyn Fn(LabelId) -> bool) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Break(label, _) if wanted(label));
    children(expr, &mut |child| found |= breaks(child, wanted));
    found
}

fn labels(expr: &Expr, found: &mut Vec<LabelId>) {
    match &expr.kind {
        ExprKind::Block(Some(label), _) | ExprKind::Loop(label, _) | ExprKind::While(label, ..) => {
            found.push(*label)
        }
        ExprKind::For(inner) => found.push(inner.label),
        _ => {}
    }
    children(expr, &mut |child| labels(child, found));
}
