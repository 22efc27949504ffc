//! Compare-exchange. WGSL has only the weak form, which may fail spuriously. Rust's `compare_exchange` is printed as a
//! loop of weak exchanges.

use super::body::Body;
use super::expr::{Effect, Piece};
use super::place::call;
use super::text::Text;
use crate::builtins::{Builtin, Emit};
use crate::tree::Expr;

impl Body<'_> {
    /// Returns the result of a compare-exchange as a generated struct, because WGSL's type of the result has no name.
    pub(super) fn exchange_value(
        &mut self,
        expr: &Expr,
        builtin: &Builtin,
        arguments: &[Expr],
    ) -> Piece {
        let name = self.exchange(expr, builtin, arguments);
        Piece::primary(call(&self.scope.ty(&expr.ty), &parts(&name)), Effect::Constant)
    }

    /// Prints a compare-exchange. Returns the name of the variable with its result.
    pub(super) fn exchange(
        &mut self,
        expr: &Expr,
        builtin: &Builtin,
        arguments: &[Expr],
    ) -> String {
        let operands = self.builtin_operands(builtin, arguments);
        let weak = self.builtin_of(expr, builtin, arguments, &operands);
        let name = self.fresh("exchange");
        match (builtin.emit, operands.get(1)) {
            (Emit::Retried(_), Some(current)) => self.retried(expr, &weak, current, &name),
            _ => {
                let line = Text::from(format!("let {name} = ")).text(&weak.text).str(";");
                self.line(line.at(expr.place));
            }
        }
        name
    }

    /// Repeats a weak exchange until it succeeds or finds a value other than `current`.
    fn retried(&mut self, expr: &Expr, weak: &Piece, current: &Piece, name: &str) {
        let ty = self.scope.ty(&expr.ty);
        let attempt = self.fresh("attempt");
        let start = self.lines.next(self.depth);
        self.line(format!("var {name}: {ty};"));
        self.line("loop {");
        self.depth += 1;
        let line = Text::from(format!("let {attempt} = ")).text(&weak.text).str(";");
        self.line(line.at(expr.place));
        let value = call(&ty, &parts(&attempt));
        self.line(Text::from(format!("{name} = ")).text(&value).str(";"));
        let found = Text::from(format!("{name}.old_value != ")).text(&current.text);
        // `|` instead of `||`, which would be a branch.
        let done = Text::from(format!("break if {name}.exchanged | (")).text(&found).str(");");
        self.line(Text::from("continuing { ").text(&done).str(" }"));
        self.depth -= 1;
        self.line("}");
        self.lines.mark(start, expr.place);
    }
}

/// Returns the two parts of an exchange's result.
fn parts(name: &str) -> [Text; 2] {
    [format!("{name}.old_value"), format!("{name}.exchanged")].map(Text::from)
}
