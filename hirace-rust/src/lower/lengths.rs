//! `x.len()`: a `usize` as in Rust, or a `u32` if the context requires one.
//!
//! For rustc it is a `usize`. If it is inferred to be a `u32`, the module records this in `short_lengths`, and the
//! macro inserts the conversion for rustc.

use super::super::builtins;
use super::super::tree::Type;
use super::body::{Body, Node};
use super::control::after;
use super::errors::{place, refuse};
use super::expressions::number_of;
use super::infer::{Ty, VariableKind};
use super::slices::is_part;
use syn::ExprMethodCall;

impl Body<'_, '_> {
    /// Lowers `receiver.len()` for an array or slice of type `ty`.
    pub fn len(&mut self, receiver: Node, ty: &Ty, call: &ExprMethodCall) -> syn::Result<Node> {
        let length = match self.constant {
            true => Ty::USIZE,
            false => self.types.fresh(VariableKind::Length),
        };
        self.lengths.push((call.method.span(), length.clone()));
        let whole = length.clone();
        if is_part(&receiver) {
            self.types.unify(&whole, &Ty::USIZE);
            let mut statements = Vec::new();
            let part = self.fix_place(receiver, &mut statements);
            let length = Node { place: place(call), ..self.length_of(&part, place(call)) };
            return Ok(after(statements, length));
        }
        let node = match ty {
            Ty::Array(_, count) => match self.types.shallow(count) {
                Ty::Length(count) => self.node(number_of(&count), Ty::USIZE, call),
                _ => {
                    return refuse(
                        receiver.place,
                        "the length of this array is not known: annotate its type where it \
                         is declared",
                    );
                }
            },
            _ => {
                let rows = builtins::methods(&Type::Slice(Box::new(Type::Unit)), "len");
                let receiver = Node { ty: ty.clone(), ..receiver };
                self.builtin(&rows, "len", None, Some(receiver), &call.args, place(call))?
            }
        };
        Ok(Node { ty: length, ..node })
    }

    /// Records which lengths are `u32`, after all types are known.
    pub fn note_lengths(&mut self) {
        for (span, ty) in std::mem::take(&mut self.lengths) {
            if self.types.shallow(&ty) == Ty::U32 {
                self.items.module.short_lengths.push(span);
            }
        }
    }
}
