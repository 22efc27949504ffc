//! `flat_map` and `flatten`. They become nested loops, or for an `Option` a condition.

use super::super::tree::{EnumKind, Place};
use super::body::{Body, Node};
use super::errors::refuse;
use super::infer::Ty;
use super::iterators::{Iteration, Stage};

impl Body<'_, '_> {
    /// Lowers `chain.flat_map(function)`.
    pub fn flat_mapped(
        &mut self,
        mut of: Iteration,
        function: &Node,
        extent: Place,
    ) -> syn::Result<Iteration> {
        if let Ty::Closure(id) = self.types.shallow(&function.ty).referent()
            && self.gives_chain(*id)
        {
            let (statements, inner) = self.call_for_chain(*id, vec![of.item.clone()], extent)?;
            of.stages.extend(statements.into_iter().map(Stage::Do));
            return Ok(self.nested(of, inner));
        }
        of.item = self.call_node(function, vec![of.item], extent)?;
        self.flattened(of, extent)
    }

    /// Lowers `chain.flatten()`.
    pub fn flattened(&mut self, mut of: Iteration, extent: Place) -> syn::Result<Iteration> {
        if !self.is_option(&of.item) {
            let inner = self.elements(of.item.clone(), None)?;
            return Ok(self.nested(of, inner));
        }
        let found = self.hold(of.item, &mut of.stages);
        let is_some = self.variant_method(&found, "is_some", &[], extent)?;
        let value = self.variant_method(&found, "unwrap", &[], extent)?;
        let (Some(is_some), Some(value)) = (is_some, value) else {
            return refuse(extent, "the items of this iterator are not iterators");
        };
        of.stages.push(Stage::If(is_some));
        of.item = value;
        of.direct = false;
        Ok(of)
    }

    pub fn is_option(&self, node: &Node) -> bool {
        matches!(self.types.shallow(&node.ty).referent(), Ty::Enum(EnumKind::Option, _))
    }

    /// Returns the iteration over the items of `inner` in each iteration of `of`.
    fn nested(&mut self, mut of: Iteration, inner: Iteration) -> Iteration {
        let label = self.label();
        of.stages.push(Stage::Each(Box::new(inner.turns), inner.index, label));
        of.stages.extend(inner.stages.into_iter().map(|stage| match stage {
            Stage::While(condition, None) => Stage::While(condition, Some(label)),
            other => other,
        }));
        Iteration { item: inner.item, direct: false, ..of }
    }
}
