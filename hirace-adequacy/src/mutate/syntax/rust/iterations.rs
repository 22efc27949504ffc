//! Mutations of the number of iterations of Rust loops.

use super::super::loops::{self, Comparison, Step};
use super::super::{Edit, Loop};
use super::{Items, assigns, bare, span};
use hirace_core::source_map::Span;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, RangeLimits, Stmt};

impl Items<'_> {
    /// Returns an edit that leaves a loop at the start of its body.
    pub(super) fn leave(&self, body: &Block) -> Edit {
        let at = span(&body.brace_token.span.open()).end;
        Edit::new(Span::new(at, at), " if true { break; }")
    }

    pub(super) fn for_range(&self, range: &Expr, body: &Block) -> Loop {
        let mut by = String::from("1");
        let (mut inner, mut known) = (range, true);
        loop {
            match inner {
                Expr::Paren(paren) => inner = &paren.expr,
                Expr::MethodCall(call) if call.method == "rev" => inner = &call.receiver,
                Expr::MethodCall(call)
                    if call.method == "step_by" && call.args.len() == 1 && by == "1" =>
                {
                    by = self.shown(&call.args[0]).to_owned();
                    inner = &call.receiver;
                }
                Expr::Range(_) => break,
                _ => {
                    known = false;
                    break;
                }
            }
        }
        let none = self.leave(body);
        let unknown = Loop { none: none.clone(), less: None, more: None };
        let Expr::Range(range) = inner else { return unknown };
        let (Some(low), Some(high), true) = (&range.start, &range.end, known) else {
            return unknown;
        };
        let (low, at, high) = (self.shown(&**low), span(&**high), self.shown(&**high));
        let plus = |to: &str| format!("{} + {}", loops::operand(to), loops::operand(&by));
        let less = match (range.limits, high.parse::<u32>(), by.parse::<u32>()) {
            (_, Ok(high), Ok(by)) if high >= by => (high - by).to_string(),
            // Written as a maximum, so that nothing wraps around if the range is empty.
            (RangeLimits::HalfOpen(_), ..) => {
                format!("max({high}, {}) - {}", plus(low), loops::operand(&by))
            }
            (RangeLimits::Closed(_), ..) if by == "1" => {
                let limits = span(&range.limits);
                let less = Some(Edit::new(limits, ".."));
                return Loop { none, less, more: Some(Edit::new(at, plus(high))) };
            }
            (RangeLimits::Closed(_), ..) => {
                return Loop { none, less: None, more: Some(Edit::new(at, plus(high))) };
            }
        };
        Loop { none, less: Some(Edit::new(at, less)), more: Some(Edit::new(at, plus(high))) }
    }

    /// Returns the edits of a condition under which a loop continues or is left.
    pub(super) fn bounds(
        &self,
        condition: &Expr,
        exits: bool,
        body: &Block,
    ) -> (Option<Edit>, Option<Edit>) {
        match condition {
            Expr::Paren(paren) => return self.bounds(&paren.expr, exits, body),
            Expr::Binary(binary) => {
                let joins =
                    matches!((&binary.op, exits), (BinOp::And(_), false) | (BinOp::Or(_), true));
                if joins {
                    let left = self.bounds(&binary.left, exits, body);
                    return match left {
                        (None, None) => self.bounds(&binary.right, exits, body),
                        found => found,
                    };
                }
                let operator = self.shown(&binary.op);
                let operator = if exits { loops::invert(operator) } else { Some(operator) };
                let Some(operator) = operator.and_then(loops::comparing) else {
                    return (None, None);
                };
                let sides =
                    [(&binary.left, &binary.right, true), (&binary.right, &binary.left, false)];
                for (side, other, is_left) in sides {
                    for variable in loops::words(self.shown(&**side)) {
                        let Some(step) = self.step(variable, body) else { continue };
                        let Some(is_plain) = self.is_plain(side, variable) else { continue };
                        if self.has(other, variable) || self.others_change(binary, &step, body) {
                            continue;
                        }
                        let comparison = Comparison {
                            left: self.shown(&*binary.left).to_owned(),
                            operator,
                            right: self.shown(&*binary.right).to_owned(),
                            variable_is_left: is_left,
                            is_plain,
                        };
                        let edit = |moved: loops::ShiftedOperand| {
                            let side = if moved.left { &binary.left } else { &binary.right };
                            Edit::new(span(&**side), moved.text)
                        };
                        let (less, more) = loops::shift_bounds(&comparison, &step);
                        return (less.map(edit), more.map(edit));
                    }
                }
            }
            _ => {}
        }
        (None, None)
    }

    /// Returns the only statement that changes a variable in a body.
    fn step(&self, variable: &str, body: &Block) -> Option<Step> {
        let mut steps = Steps { items: self, variable, found: Vec::new() };
        steps.visit_block(body);
        let [one] = &mut steps.found[..] else { return None };
        let one = one.take()?;
        // A statement in a branch does not run in every iteration.
        let is_step = |statement: &Stmt| {
            let target = match statement {
                Stmt::Expr(Expr::Assign(assign), _) => &assign.left,
                Stmt::Expr(Expr::Binary(binary), _) if assigns(&binary.op) => &binary.left,
                _ => return false,
            };
            is_name(target, variable)
        };
        body.stmts.iter().any(is_step).then_some(one)
    }

    fn has(&self, expression: &Expr, variable: &str) -> bool {
        loops::words(self.shown(expression)).any(|word| word == variable)
    }

    /// Returns whether an iteration changes anything in a comparison other than the variable.
    fn others_change(&self, comparison: &syn::ExprBinary, step: &Step, body: &Block) -> bool {
        let mut names = loops::words(self.shown(comparison)).chain(loops::words(&step.by));
        names.any(|name| {
            let mut steps = Steps { items: self, variable: name, found: Vec::new() };
            steps.visit_block(body);
            name != step.variable && !steps.found.is_empty()
        })
    }

    /// Returns whether a side of a comparison is the variable itself (`true`), or a sum or conversion of it (`false`).
    /// Returns `None` for other expressions, whose growth is unknown.
    fn is_plain(&self, side: &Expr, variable: &str) -> Option<bool> {
        match bare(side) {
            Expr::Path(_) => is_name(side, variable).then_some(true),
            Expr::Cast(cast) => is_name(&cast.expr, variable).then_some(false),
            Expr::Binary(sum) => {
                let other = match sum.op {
                    BinOp::Add(_) if self.has(&sum.right, variable) => (&sum.right, &sum.left),
                    BinOp::Add(_) | BinOp::Sub(_) => (&sum.left, &sum.right),
                    _ => return None,
                };
                self.is_plain(other.0, variable).filter(|_| !self.has(other.1, variable))?;
                Some(false)
            }
            _ => None,
        }
    }
}

/// Returns whether an expression is this name.
fn is_name(expression: &Expr, name: &str) -> bool {
    matches!(bare(expression), Expr::Path(path) if path.path.is_ident(name))
}

/// Collects assignments to a variable: the step of each, or `None` if it is unknown.
struct Steps<'a, 't> {
    items: &'a Items<'t>,
    variable: &'a str,
    found: Vec<Option<Step>>,
}

impl Steps<'_, '_> {
    fn is_variable(&self, expression: &Expr) -> bool {
        is_name(expression, self.variable)
    }

    fn step(&self, operator: &BinOp, by: &Expr) -> Option<Step> {
        let operator = match operator {
            BinOp::Add(_) | BinOp::AddAssign(_) => "+",
            BinOp::Sub(_) | BinOp::SubAssign(_) => "-",
            BinOp::Mul(_) | BinOp::MulAssign(_) => "*",
            BinOp::Div(_) | BinOp::DivAssign(_) => "/",
            BinOp::Shl(_) | BinOp::ShlAssign(_) => "<<",
            BinOp::Shr(_) | BinOp::ShrAssign(_) => ">>",
            _ => return None,
        };
        let by = self.items.shown(by).to_owned();
        Some(Step { variable: self.variable.to_owned(), operator, by })
    }
}

impl<'ast> Visit<'ast> for Steps<'_, '_> {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if assigns(&binary.op) && self.is_variable(&binary.left) {
            let step = self.step(&binary.op, &binary.right);
            self.found.push(step);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        if self.is_variable(&assign.left) {
            let step = match &*assign.right {
                Expr::Binary(binary) if self.is_variable(&binary.left) => {
                    self.step(&binary.op, &binary.right)
                }
                _ => None,
            };
            self.found.push(step);
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_reference(&mut self, reference: &'ast syn::ExprReference) {
        if reference.mutability.is_some() && self.is_variable(&reference.expr) {
            self.found.push(None);
        }
        visit::visit_expr_reference(self, reference);
    }

    // From here on, the name refers to another variable.
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        if pattern.ident == self.variable {
            self.found.push(None);
        }
    }
}
