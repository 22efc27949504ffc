//! Finds loops that have no exit.
//!
//! A loop that was ended by a limit may have been about to terminate. It certainly never terminates if it has no exit:
//! no `break` and no `return`, or only ones under conditions that always have the same value, as `i >= 0u` has.

use crate::ir::dataflow::{self, Analysis, Edge};
use crate::ir::sites::SiteId;
use crate::ir::walk::NumberedStatement;
use crate::program::Program;
use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, ScalarKind, Statement, TypeInner,
};

/// Returns whether the loop at `site` has no exit.
pub fn has_no_exit(program: &Program, site: SiteId) -> bool {
    let Some(at) = program.sites.get(site) else { return false };
    let function = at.function.get(&program.module);
    let body = program.body(at.function);
    let Some(statement) = body.ordinal(site) else { return false };
    let Some(of) = body.statements_of(function).find(statement) else { return false };
    let mut exits = ReachableExits { program, function, id: at.function };
    let exits = dataflow::solve(&mut exits, [of], true, ());
    matches!(of.statement, Statement::Loop { .. }) && !exits.end && !exits.returned
}

/// A forward analysis of whether a point can be reached from the head of the loop.
struct ReachableExits<'a> {
    program: &'a Program,
    function: &'a Function,
    id: crate::ir::walk::FunctionId,
}

impl<'a> Analysis<'a> for ReachableExits<'_> {
    type State = bool;
    type Cause = ();

    fn bottom(&self) -> bool {
        false
    }

    fn statement(&mut self, _: NumberedStatement<'a>, _: &mut bool, (): &()) {}

    fn enter(&mut self, at: NumberedStatement<'a>, edge: Edge, is_reachable: &mut bool, (): &()) {
        let needed = match (at.statement, edge) {
            (Statement::If { condition, .. }, Edge::Block(index)) => Some((*condition, index == 0)),
            (Statement::Loop { break_if: Some(condition), .. }, Edge::BreakIf) => {
                Some((*condition, true))
            }
            _ => None,
        };
        *is_reachable &= needed
            .is_none_or(|(condition, value)| self.always(condition).is_none_or(|is| is == value));
    }
}

impl ReachableExits<'_> {
    /// Returns the constant value of a condition, if it has an evident one.
    fn always(&self, condition: Handle<Expression>) -> Option<bool> {
        use BinaryOperator as Op;
        match self.function.expressions[condition] {
            Expression::Literal(Literal::Bool(value)) => Some(value),
            Expression::Unary { op: naga::UnaryOperator::LogicalNot, expr } => {
                self.always(expr).map(|value| !value)
            }
            // An unsigned number is never below 0.
            Expression::Binary { op: Op::GreaterEqual, left, right }
                if self.is_unsigned(left) && self.is_zero(right) =>
            {
                Some(true)
            }
            Expression::Binary { op: Op::LessEqual, left, right }
                if self.is_zero(left) && self.is_unsigned(right) =>
            {
                Some(true)
            }
            Expression::Binary { op: Op::Less, left, right }
                if self.is_unsigned(left) && self.is_zero(right) =>
            {
                Some(false)
            }
            Expression::Binary { op: Op::Greater, left, right }
                if self.is_zero(left) && self.is_unsigned(right) =>
            {
                Some(false)
            }
            _ => None,
        }
    }

    fn is_zero(&self, expression: Handle<Expression>) -> bool {
        matches!(
            self.function.expressions[expression],
            Expression::Literal(Literal::U32(0) | Literal::U64(0)) | Expression::ZeroValue(_)
        )
    }

    fn is_unsigned(&self, expression: Handle<Expression>) -> bool {
        let ty = &self.program.info_of(self.id)[expression].ty;
        let inner = ty.inner_with(&self.program.module.types);
        matches!(inner, TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Uint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use crate::ir::sites::SiteKind;

    /// Returns whether the first loop of a kernel with this body has no exit.
    fn endless(body: &str) -> bool {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(1) fn main() {{ var i = 9u; {body} }}"
        );
        let parsed = wgsl::parse("test.wgsl", text.as_str()).unwrap();
        let program = Program::new(&parsed, &Default::default()).unwrap();
        let loops = program.sites.list.iter().position(|site| site.kind == SiteKind::Loop);
        has_no_exit(&program, SiteId(loops.unwrap() as u32))
    }

    #[test]
    fn a_loop_without_a_way_out_never_ends() {
        assert!(endless("loop { i += 1u; if (false) { break; } }"));
        assert!(endless("while (true) { i += 1u; }"));
        assert!(endless("for (; i >= 0u; i--) { out[0] = i; }"));
        assert!(endless(
            "loop { switch i { case 1u: { break; } default: { i++; } } if (i < 0u) { return; } }"
        ));
        assert!(endless("loop { loop { break; } }"));
    }

    #[test]
    fn loop_with_an_exit_is_not_endless() {
        assert!(!endless("while (out[0] == 0u) { }"));
        assert!(!endless("loop { i += 1u; if (i > 7u) { break; } }"));
        assert!(!endless("loop { i += 1u; loop { return; } }"));
        assert!(!endless("loop { i += 1u; continuing { break if i > 7u; } }"));
        assert!(!endless("for (; i > 0u; i--) { out[0] = i; }"));
    }
}
