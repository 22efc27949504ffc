//! `std::array::from_fn(f)`: an array constructed element by element.

use super::super::tree::{ExprKind, For, Name, Statement};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::calls::wrong_count;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};

impl Body<'_, '_> {
    /// Lowers `std::array::from_fn(|i| …)`. The length is inferred from the result type.
    pub fn array_from_fn(&mut self, call: &syn::ExprCall) -> syn::Result<Node> {
        let at = NodeBuilder(place(call));
        let [function] = call.args.iter().collect::<Vec<_>>()[..] else {
            return refuse(at.0, wrong_count("from_fn", &[1], call.args.len()));
        };
        let element = self.types.fresh(VariableKind::Any);
        let length = self.types.fresh(VariableKind::Any);
        let ty = Ty::Array(Box::new(element.clone()), Box::new(length.clone()));
        let function = self.expr(function);
        let mut statements = Vec::new();
        let made = self.named_variable("made", at.zero(&ty), &mut statements);
        let local = self.local(Name { text: "index".to_owned(), place: at.0 }, Ty::USIZE);
        let index = at.local(local, &Ty::USIZE);
        let value = self.call_node(&function, vec![index.clone()], at.0)?;
        let value = self.coerce(value, &element);
        let part = ExprKind::Index(Box::new(made.clone()), Box::new(index));
        let turns = For {
            label: self.label(),
            local,
            start: at.number(0, &Ty::USIZE),
            end: at.zero(&length),
            inclusive: false,
            step: None,
            reversed: false,
            body: at.block(vec![at.assign(at.node(part, &element), value)]),
        };
        let turns = at.node(ExprKind::For(Box::new(turns)), &Ty::UNIT);
        statements.push(Statement::Expr(turns));
        Ok(after(statements, made))
    }
}
