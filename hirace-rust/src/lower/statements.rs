//! Blocks, statements and `let`.

use super::super::tree::{Block, ExprKind, LabelId, Statement};
use super::body::{Body, Node};
use super::constants::Constant;
use super::control::leaves;
use super::errors::{place, refuse};
use super::expressions::without_parentheses;
use super::infer::{Ty, VariableKind};
use super::items::check_use;
use super::iterators::is_chain;
use super::{attributes, names};
use syn::{Expr, Local, Pat, Stmt};

impl Body<'_, '_> {
    /// Lowers a block to an expression.
    pub fn block(&mut self, block: &syn::Block) -> Node {
        self.scoped(|body| body.statements(block, None))
    }

    /// Lowers the statements of a block in the current scope.
    pub fn statements(&mut self, block: &syn::Block, label: Option<LabelId>) -> Node {
        let mut statements = Vec::new();
        let mut value = None;
        let mut diverges = false;
        let count = block.stmts.len();
        let outer = self.items.generics.clone();
        self.constants_of(block);
        for (index, statement) in block.stmts.iter().enumerate() {
            match statement {
                Stmt::Expr(expr, None) if index + 1 == count => {
                    let node = self.expr(expr);
                    diverges |= node.diverges;
                    value = Some(Box::new(node));
                }
                Stmt::Expr(syn::Expr::Verbatim(tokens), _) if tokens.is_empty() => {}
                Stmt::Expr(expr, semicolon) => {
                    let node = self.expr(expr);
                    let node =
                        if semicolon.is_none() { self.coerce(node, &Ty::UNIT) } else { node };
                    diverges |= node.diverges;
                    statements.push(Statement::Expr(node));
                }
                Stmt::Local(local) => {
                    let before = statements.len();
                    if let Err(error) = self.local_statement(local, &mut statements) {
                        self.items.errors.push(error);
                        self.declare_names(&local.pat);
                    }
                    diverges |= statements[before..].iter().any(leaves);
                }
                // These were declared at the start of the block.
                Stmt::Item(syn::Item::Const(_) | syn::Item::Fn(_)) => {}
                Stmt::Item(syn::Item::Use(item)) => {
                    let checked = check_use(item);
                    self.items.errors.keep(checked);
                }
                Stmt::Item(item) => {
                    self.report(
                        place(item),
                        "only constants and functions can be declared in a function: move this item to the monitored \
                         module",
                    );
                }
                Stmt::Macro(statement) => match self.called_macro(&statement.mac) {
                    Ok(node) => {
                        diverges |= node.diverges;
                        match index + 1 == count && statement.semi_token.is_none() {
                            true => value = Some(Box::new(node)),
                            false => statements.push(Statement::Expr(node)),
                        }
                    }
                    Err(error) => {
                        self.items.errors.push(error);
                        // A macro call may be the block's value.
                        diverges |= index + 1 == count && statement.semi_token.is_none();
                    }
                },
            }
            self.resolve_obligations();
        }
        self.items.generics = outer;
        let ty = match &value {
            _ if diverges && value.is_none() => Ty::Never,
            Some(value) => value.ty.clone(),
            None => Ty::UNIT,
        };
        let place = place(block);
        let kind = ExprKind::Block(label, Block { statements, value, place });
        Node { kind, ty, diverges, place }
    }

    /// Declares the constants of a block, which may be used before their declaration.
    fn constants_of(&mut self, block: &syn::Block) {
        let mut waiting: Vec<&syn::ItemConst> = block
            .stmts
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Item(syn::Item::Const(item)) => Some(item),
                _ => None,
            })
            .collect();
        while !waiting.is_empty() {
            // Takes a constant that does not depend on the other ones. In a cycle, one of them reports the error.
            let names_another = |item: &&syn::ItemConst| {
                let others = waiting.iter().filter(|other| other.ident != item.ident);
                let (ty, expr) = (&item.ty, &item.expr);
                let text = quote::quote!(#ty #expr).to_string();
                let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                let others: Vec<String> = others.map(|other| other.ident.to_string()).collect();
                words.any(|word| others.iter().any(|other| other == word))
            };
            let first = waiting.iter().position(|item| !names_another(item)).unwrap_or(0);
            let item = waiting.remove(first);
            let lowered = self.items.lower_constant(Constant::of(item));
            if let Some(id) = self.items.errors.keep(lowered) {
                self.items.generics.insert(names::text(&item.ident), id);
            }
        }
    }

    fn local_statement(
        &mut self,
        local: &Local,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        attributes::check(&local.attrs, &[])?;
        let (pattern, annotation) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let ty = match annotation {
            Some(syn::Type::Infer(_)) | None => self.types.fresh(VariableKind::Any),
            Some(ty) => match self.annotation(ty) {
                Ok(ty) => ty,
                Err(error) => {
                    self.items.errors.push(error);
                    Ty::Error
                }
            },
        };
        let Some(init) = &local.init else {
            let Pat::Ident(pattern) = pattern else {
                return refuse(
                    place(&local.pat),
                    "a variable without a value must be a single name",
                );
            };
            let name = names::name(&pattern.ident);
            let id = self.local(name.clone(), ty);
            self.name(name.text, super::body::Meaning::Local(id));
            statements.push(Statement::Let(id, None, place(local)));
            return Ok(());
        };
        if let Some((_, otherwise)) = &init.diverge {
            let (value, lent) = match self.element_or_value(pattern, &init.expr, statements)? {
                Ok((inner, there, element)) => {
                    let found = (there, element);
                    return self.let_else_element(
                        inner,
                        found,
                        otherwise,
                        place(local),
                        statements,
                    );
                }
                Err(value) => value,
            };
            let value = self.coerce(value, &ty);
            self.let_else(pattern, (value, lent), otherwise, place(local), statements);
            return Ok(());
        }
        let given = self.with_chains(&init.expr);
        if let Pat::Ident(name) = pattern
            && (matches!(without_parentheses(&given), Expr::Range(_)) || is_chain(&given))
        {
            return self.name_chain(&name.ident, &given, statements);
        }
        let value = self.expr(&init.expr);
        let value = match (pattern, self.types.shallow(&value.ty)) {
            (Pat::Ident(ident), Ty::Closure(id)) => {
                self.capture(id, statements);
                self.name(names::text(&ident.ident), super::body::Meaning::Closure(id));
                return Ok(());
            }
            // A name for a place.
            (Pat::Ident(ident), Ty::Reference(mutable, _))
                if ident.mutability.is_none()
                    && ident.by_ref.is_none()
                    && ident.subpat.is_none() =>
            {
                if mutable && !super::places::is_place(&value) {
                    let message = "the target of a mutable reference must be known at compile time: branch at its uses";
                    return refuse(value.place, message);
                }
                let value = self.coerce(value, &ty);
                self.bind_name(names::name(&ident.ident), value, false, statements);
                return Ok(());
            }
            (Pat::Slice(_), Ty::Reference(..)) => {
                return self.bind_argument(pattern, value, statements);
            }
            (
                Pat::Reference(_) | Pat::Struct(_) | Pat::Tuple(_) | Pat::TupleStruct(_),
                Ty::Reference(false, _),
            ) => {
                return self.bind_argument(pattern, value, statements);
            }
            _ => self.no_reference(value),
        };
        let value = self.coerce(value, &ty);
        self.take_apart(pattern, value, ty, place(local), statements)
    }

    /// Returns the written type of a local. Parts may be left to inference.
    fn annotation(&mut self, ty: &syn::Type) -> syn::Result<Ty> {
        let referent = match ty {
            syn::Type::Reference(reference) => &*reference.elem,
            other => other,
        };
        match super::callables::unstorable_part(referent) {
            // `ty` reports the reason.
            Some(part) => Ok(self.items.ty(part)?.into()),
            None => self.open_type(ty, &mut Vec::new()),
        }
    }

    /// Declares the names of a `let` with an error, so that their uses are not errors.
    pub fn declare_names(&mut self, pattern: &Pat) {
        match pattern {
            Pat::Ident(pattern) => {
                let name = names::name(&pattern.ident);
                let id = self.local(name.clone(), Ty::Error);
                self.name(name.text, super::body::Meaning::Local(id));
            }
            Pat::Type(typed) => self.declare_names(&typed.pat),
            Pat::Paren(inner) => self.declare_names(&inner.pat),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.declare_names(part)),
            Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|part| self.declare_names(part)),
            Pat::Slice(slice) => slice.elems.iter().for_each(|part| self.declare_names(part)),
            Pat::Struct(fields) => {
                fields.fields.iter().for_each(|field| self.declare_names(&field.pat))
            }
            Pat::Reference(inner) => self.declare_names(&inner.pat),
            _ => {}
        }
    }
}
