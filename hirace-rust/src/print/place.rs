//! Places: locals, buffers, and their parts.

use super::body::{Body, Local};
use super::expr::{Effect, Piece, Precedence};
use super::text::Text;
use super::types;
use crate::tree::{Expr, ExprKind, Space, Type};

impl Body<'_> {
    /// Collects the values that a place expression needs, in the order of their evaluation: indices, and the base if
    /// it is not a place.
    pub(super) fn place_values<'e>(&self, place: &'e Expr, values: &mut Vec<&'e Expr>) {
        match &place.kind {
            ExprKind::Local(_) | ExprKind::Global(_) => {}
            ExprKind::Index(base, index) => {
                self.place_values(base, values);
                values.push(index);
            }
            ExprKind::Member(base, _) | ExprKind::Swizzle(base, _) | ExprKind::Plain(base) => {
                self.place_values(base, values);
            }
            _ => values.push(place),
        }
    }

    /// Prints the place with its values filled in.
    pub(super) fn place_piece(
        &mut self,
        place: &Expr,
        values: &mut impl Iterator<Item = Piece>,
    ) -> Piece {
        match &place.kind {
            ExprKind::Local(local) => self.local_piece(*local).at(place.place),
            ExprKind::Global(id) => {
                let effect = match self.scope.module.globals.get(id.0).map(|global| global.space) {
                    Some(Space::StorageRead(_) | Space::Uniform(_) | Space::Handle(_)) => {
                        Effect::Constant
                    }
                    _ => Effect::Reads,
                };
                let name = self.scope.globals.get(id.0).cloned().unwrap_or_default();
                Piece::primary(name, effect).at(place.place)
            }
            ExprKind::Index(base, _) => {
                let base = self.place_piece(base, values);
                let Some(index) = values.next() else { return base };
                let text = base.within(Precedence::Primary).str("[").text(&index.text).str("]");
                Piece::primary(text, base.effect.max(index.effect)).at(place.place)
            }
            ExprKind::Member(of, index) => {
                let base = self.place_piece(of, values);
                let name = self.scope.member(&of.ty, *index);
                let text = base.within(Precedence::Primary).str(".").str(&name);
                Piece::primary(text, base.effect).at(place.place)
            }
            ExprKind::Swizzle(base, components) => {
                let base = self.place_piece(base, values);
                let letters = components.iter().map(|&c| ["x", "y", "z", "w"][c as usize & 3]);
                let letters: String = letters.collect();
                let text = base.within(Precedence::Primary).str(".").str(&letters);
                Piece::primary(text, base.effect).at(place.place)
            }
            ExprKind::Plain(atomic) => self.place_piece(atomic, values),
            _ => values.next().unwrap_or_else(|| self.placeholder(place)),
        }
    }

    /// Returns the value of a place, or of a part of a value.
    pub(super) fn part(&mut self, expr: &Expr) -> Piece {
        let mut values = Vec::new();
        self.place_values(expr, &mut values);
        let mut values = self.operands(&values).into_iter();
        self.place_piece(expr, &mut values)
    }

    /// Returns an `atomicLoad` from memory that is plain in Rust.
    pub(super) fn plain_load(&mut self, expr: &Expr, place: &Piece) -> Piece {
        let text = Text::from("atomicLoad(").text(&reference(place).text).str(")");
        Piece::primary(text.plain_at(expr.place), Effect::Reads)
    }

    /// Returns the variable of the function that a place consists of, if it is one.
    pub(super) fn as_variable(&self, place: &Expr) -> Option<Local> {
        let ExprKind::Local(id) = place.kind else { return None };
        match self.local(id) {
            local @ (Local::Var(..) | Local::Pointer(_)) => Some(local),
            _ => None,
        }
    }

    /// Prints `[value; N]`.
    pub(super) fn repeat(&mut self, expr: &Expr, value: &Expr) -> Piece {
        let ty = self.scope.ty(&expr.ty);
        if types::is_zero(value) {
            return Piece::primary(format!("{ty}()"), Effect::Constant);
        }
        let Type::Array(_, count) = &expr.ty else { return self.placeholder(expr) };
        let number = match count {
            crate::tree::Count::Literal(number) => Some(*number),
            crate::tree::Count::Const(_) => None,
        };
        let mut piece = self.value(value);
        // The number of elements above which a loop is printed.
        const MANY: u32 = 64;
        match number {
            Some(number) if number <= MANY || self.function.is_none() => {
                self.bind_in_function(&mut piece, &value.ty);
                let values = vec![piece.argument(); number as usize];
                Piece { effect: piece.effect, ..Piece::primary(call(&ty, &values), piece.effect) }
            }
            _ if self.function.is_none() => {
                self.error(expr.place, "the length of this array must be a number");
                self.placeholder(expr)
            }
            _ => {
                self.bind(&mut piece, &value.ty);
                let (array, index) = (self.fresh("array"), self.fresh("index"));
                let count = self.scope.count(count);
                self.line(format!("var {array}: {ty};"));
                self.line(format!("for (var {index} = 0u; {index} < {count}; {index}++) {{"));
                self.depth += 1;
                self.line(Text::from(format!("{array}[{index}] = ")).text(&piece.text).str(";"));
                self.depth -= 1;
                self.line("}");
                Piece::primary(array, Effect::Constant)
            }
        }
    }

    fn bind_in_function(&mut self, piece: &mut Piece, ty: &Type) {
        if self.function.is_some() {
            self.bind(piece, ty);
        }
    }
}

/// Returns `&place`. For `*p` this is `p`.
pub(super) fn reference(place: &Piece) -> Piece {
    let text = match place.text.as_str().strip_prefix('*') {
        Some(pointer) => Text::from(pointer),
        None => Text::from("&").text(&place.within(Precedence::Primary)),
    };
    Piece { level: Precedence::Unary, text, ..place.clone() }
}

/// Returns `function(a, b)`.
pub(super) fn call(function: &str, arguments: &[Text]) -> Text {
    let mut text = Text::from(function).str("(");
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            text = text.str(", ");
        }
        text.push(argument);
    }
    text.str(")")
}
