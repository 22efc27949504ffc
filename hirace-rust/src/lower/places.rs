//! Places: members, elements, references and assignment.

use super::super::tree::{Block, ExprKind, Literal, Name, Scalar, Statement, Type};
use super::body::{Body, Node, error_node};
use super::errors::{at, place, refuse};
use super::evaluation_order::is_pure;
use super::infer::{Ty, VariableKind};
use super::names::{did_you_mean, text};
use syn::{ExprAssign, ExprField, ExprIndex, ExprReference, ExprUnary, Member};

impl Body<'_, '_> {
    /// Lowers `base.member`.
    pub fn field(&mut self, field: &ExprField) -> syn::Result<Node> {
        let base = self.expr(&field.base);
        let ty = self.known_type(&base)?;
        match (&ty, &field.member) {
            (Ty::Error, _) => Ok(error_node(place(field))),
            (Ty::Tuple(parts), Member::Unnamed(index)) => {
                let index = index.index as usize;
                let Some(part) = parts.get(index).cloned() else {
                    let count = parts.len();
                    return refuse(place(&field.member), format!("this tuple has {count} fields"));
                };
                Ok(self.part_of_place(ExprKind::Member(Box::new(base), index), part, field))
            }
            (Ty::Plain(Type::Struct(id)), member) => {
                let structure = &self.items.module.structs[id.0];
                let wanted = match member {
                    Member::Named(ident) => text(ident),
                    Member::Unnamed(index) => index.index.to_string(),
                };
                let found = structure.members.iter().position(|member| member.name.text == wanted);
                let Some(index) = found else {
                    let names = structure.members.iter().map(|member| member.name.text.as_str());
                    let (meant, name) = (did_you_mean(&wanted, names), &structure.name.text);
                    return refuse(
                        place(&field.member),
                        format!("`{name}` has no field `{wanted}`{meant}"),
                    );
                };
                let member = Ty::from(&structure.members[index].ty);
                Ok(self.part_of_place(ExprKind::Member(Box::new(base), index), member, field))
            }
            (Ty::Plain(Type::Vector(size, scalar)), Member::Named(ident)) => {
                let (name, scalar) = (text(ident), *scalar);
                match components(&name, *size).filter(|all| all.len() == 1) {
                    Some(all) => Ok(self.part_of_place(
                        ExprKind::Swizzle(Box::new(base), all),
                        scalar.into(),
                        field,
                    )),
                    None if components(&name, *size).is_some() => refuse(
                        at(ident.span()),
                        format!("a swizzle is a method: write `.{name}()`"),
                    ),
                    None => self.no_member(&ty, ident),
                }
            }
            (Ty::Plain(Type::Matrix { columns, rows }), Member::Named(ident)) => {
                let name = text(ident);
                let axis =
                    ["x_axis", "y_axis", "z_axis", "w_axis"].iter().position(|axis| *axis == name);
                let Some(axis) = axis.filter(|axis| axis < &usize::from(*columns)) else {
                    return self.no_member(&ty, ident);
                };
                let column = Ty::Plain(Type::Vector(*rows, Scalar::F32));
                let kind = ExprKind::Literal(Literal::Int(axis as i128));
                let index = self.node(kind, Ty::U32, ident);
                Ok(self.part_of_place(
                    ExprKind::Index(Box::new(base), Box::new(index)),
                    column,
                    field,
                ))
            }
            (_, Member::Named(ident)) => self.no_member(&ty, ident),
            (_, Member::Unnamed(_)) => {
                let named = self.describe(&ty);
                refuse(place(&field.member), format!("`{named}` has no numbered fields"))
            }
        }
    }

    fn no_member(&self, ty: &Ty, ident: &syn::Ident) -> syn::Result<Node> {
        let (named, name) = (self.describe(ty), text(ident));
        let hint = match ty {
            Ty::Plain(Type::Vector(2, _)) => ": it has `x` and `y`",
            Ty::Plain(Type::Vector(3, _)) => ": it has `x`, `y` and `z`",
            Ty::Plain(Type::Vector(4, _)) => ": it has `x`, `y`, `z` and `w`",
            Ty::Plain(Type::Matrix { .. }) => {
                ": use `x_axis`, `y_axis` … or `col(i)` for its columns"
            }
            _ => "",
        };
        refuse(at(ident.span()), format!("`{named}` has no field `{name}`{hint}"))
    }

    /// Lowers `base[index]`.
    pub fn index(&mut self, index: &ExprIndex) -> syn::Result<Node> {
        let base = self.expr(&index.expr);
        if let Some(range) = &self.range(&index.index) {
            return self.part(base, range);
        }
        let at_index = self.value(&index.index);
        let at_index = self.index_value(at_index);
        let ty = self.known_type(&base)?;
        let element = match &ty {
            Ty::Error => return Ok(error_node(place(index))),
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            Ty::Plain(Type::Vector(_, scalar)) => (*scalar).into(),
            Ty::Plain(Type::Matrix { .. }) => {
                return refuse(place(&index.index), "matrices cannot be indexed: write `.col(i)`");
            }
            other => {
                let named = self.describe(other);
                return refuse(base.place, format!("cannot index into a `{named}`"));
            }
        };
        if let ExprKind::Part(_, _, Some(end)) = &base.kind
            && !is_pure(end)
        {
            return refuse(
                base.place,
                "this part cannot be used directly: bind it with `let` first",
            );
        }
        let (base, at_index) = self.in_whole(base, at_index);
        let kind = ExprKind::Index(Box::new(base), Box::new(at_index));
        Ok(self.part_of_place(kind, element, index))
    }

    /// Checks a value that is used as an index: a `usize`, a `u32` or an `i32`.
    pub fn index_value(&mut self, node: Node) -> Node {
        let message = match (self.types.shallow(&node.ty), self.types.open(&node.ty)) {
            (Ty::Error | Ty::Never, _)
            | (_, Some(VariableKind::Integer | VariableKind::Length))
            | (Ty::Plain(Type::Scalar(Scalar::I32 | Scalar::U32 | Scalar::Usize)), _) => {
                return node;
            }
            (_, Some(VariableKind::Any)) => return self.coerce(node, &Ty::U32),
            (Ty::Plain(Type::Scalar(Scalar::F32 | Scalar::F16)), _)
            | (_, Some(VariableKind::Float)) => {
                "an index must be an integer: convert it, `… as usize`".to_owned()
            }
            (ty, _) => {
                format!("an index must be a `usize`, `u32` or `i32`, not `{}`", self.describe(&ty))
            }
        };
        self.report(node.place, message);
        error_node(node.place)
    }

    /// Creates the node for a part of a value or place.
    fn part_of_place(&self, kind: ExprKind<Ty>, ty: Ty, tokens: &impl quote::ToTokens) -> Node {
        let diverges = match &kind {
            ExprKind::Index(base, index) => base.diverges || index.diverges,
            ExprKind::Member(base, _) | ExprKind::Swizzle(base, _) => base.diverges,
            _ => false,
        };
        Node { diverges, ..self.node(kind, ty, tokens) }
    }

    /// Returns the type of a value whose parts are accessed. The type must be known at this point. References are
    /// dereferenced.
    pub fn known_type(&mut self, node: &Node) -> syn::Result<Ty> {
        if self.types.open(&node.ty).is_some() {
            self.resolve_obligations();
        }
        match (self.types.shallow(&node.ty), self.types.open(&node.ty)) {
            (_, Some(VariableKind::Any)) => refuse(
                node.place,
                "the type must be known at this point: annotate the declaration, `let x: T`",
            ),
            (_, Some(VariableKind::Length)) => Ok(Ty::USIZE),
            (_, Some(VariableKind::Integer)) => refuse(
                node.place,
                "the type of this number must be known: write `1_u32`, or `let x: u32 = …`",
            ),
            (_, Some(VariableKind::Float)) => refuse(
                node.place,
                "the type of this number must be known: write `1.0_f32`, or `let x: f32 = …`",
            ),
            (ty, None) => Ok(match ty.referent() {
                Ty::Never => Ty::Error,
                other => self.types.shallow(other),
            }),
        }
    }

    /// Lowers `*base`.
    pub fn dereference(&mut self, base: Node, unary: &ExprUnary) -> syn::Result<Node> {
        match self.types.shallow(&base.ty) {
            Ty::Reference(_, to) => Ok(Node { ty: *to, place: place(unary), ..base }),
            Ty::Error => Ok(base),
            other => {
                let named = self.describe(&other);
                refuse(place(unary), format!("cannot dereference a `{named}`: remove `*`"))
            }
        }
    }

    /// Lowers `&place` and `&mut place`.
    pub fn reference(&mut self, reference: &ExprReference) -> syn::Result<Node> {
        let mutable = reference.mutability.is_some();
        let base = self.expr(&reference.expr);
        if let Ty::Error = self.types.shallow(&base.ty) {
            return Ok(base);
        }
        if mutable && !is_place(&base) {
            return refuse(
                place(reference),
                "only places can be borrowed: bind the value with `let` first",
            );
        }
        if mutable {
            self.writes(&base)?;
        }
        let to = self.types.shallow(&base.ty).referent().clone();
        Ok(Node { ty: Ty::Reference(mutable, Box::new(to)), place: place(reference), ..base })
    }

    /// Lowers `place = value`.
    pub fn assign(&mut self, assign: &ExprAssign) -> syn::Result<Node> {
        match &*assign.left {
            syn::Expr::Infer(_) => {
                let value = self.value(&assign.right);
                let (diverges, extent) = (value.diverges, place(assign));
                let block =
                    Block { statements: vec![Statement::Expr(value)], value: None, place: extent };
                Ok(Node {
                    kind: ExprKind::Block(None, block),
                    ty: Ty::UNIT,
                    diverges,
                    place: extent,
                })
            }
            syn::Expr::Tuple(tuple) => self.assign_tuple(tuple, assign),
            left => {
                let left = self.expr(left);
                let right = self.value(&assign.right);
                self.assign_one(left, right, place(assign))
            }
        }
    }

    fn assign_one(
        &mut self,
        left: Node,
        right: Node,
        extent: super::super::tree::Place,
    ) -> syn::Result<Node> {
        if let Ty::Plain(Type::Atomic(_)) = self.types.shallow(&left.ty).referent() {
            return refuse(left.place, "an atomic cannot be assigned to: use `.store(…)`");
        }
        if let Ty::Slice(_) = self.types.shallow(&left.ty).referent() {
            return refuse(
                left.place,
                "a slice cannot be assigned as a whole: loop over its elements",
            );
        }
        if let Ty::Reference(..) = self.types.shallow(&left.ty) {
            let message =
                "cannot assign to a reference: write `*` before it to assign to its target";
            return refuse(left.place, message);
        }
        self.writes(&left)?;
        let right = self.coerce(right, &left.ty);
        let diverges = left.diverges || right.diverges;
        let kind = ExprKind::Assign(Box::new(left), Box::new(right));
        Ok(Node { kind, ty: Ty::UNIT, diverges, place: extent })
    }

    /// Lowers `(a, b) = (b, a);`. All values are evaluated before the places.
    fn assign_tuple(&mut self, tuple: &syn::ExprTuple, assign: &ExprAssign) -> syn::Result<Node> {
        let value = self.value(&assign.right);
        let extent = place(assign);
        let parts: Vec<Ty> =
            tuple.elems.iter().map(|_| self.types.fresh(VariableKind::Any)).collect();
        let value = self.coerce(value, &Ty::Tuple(parts.clone()));
        let diverges = value.diverges;
        let name = Name { text: "values".to_owned(), place: value.place };
        let local = self.local(name, Ty::Tuple(parts.clone()));
        let value_place = value.place;
        let mut statements = vec![Statement::Let(local, Some(value), value_place)];
        for (index, (left, ty)) in tuple.elems.iter().zip(&parts).enumerate() {
            if let syn::Expr::Infer(_) = left {
                continue;
            }
            let all = Node {
                kind: ExprKind::Local(local),
                ty: Ty::Tuple(parts.clone()),
                diverges: false,
                place: value_place,
            };
            let kind = ExprKind::Member(Box::new(all), index);
            let part = Node { kind, ty: ty.clone(), diverges: false, place: value_place };
            let left_place = place(left);
            let left = self.expr(left);
            let assigned = self.assign_one(left, part, left_place)?;
            statements.push(Statement::Expr(assigned));
        }
        let block = Block { statements, value: None, place: extent };
        Ok(Node { kind: ExprKind::Block(None, block), ty: Ty::UNIT, diverges, place: extent })
    }

    /// Rejects places that cannot be written to, and records which locals are.
    pub fn writes(&mut self, target: &Node) -> syn::Result<()> {
        if let Ty::Error = self.types.shallow(&target.ty) {
            return Ok(());
        }
        let mut root = target;
        loop {
            root = match &root.kind {
                ExprKind::Index(base, _)
                | ExprKind::Member(base, _)
                | ExprKind::Part(base, ..)
                | ExprKind::Slice(base, ..)
                | ExprKind::Plain(base) => base,
                ExprKind::Swizzle(base, parts) if parts.len() == 1 => base,
                ExprKind::Swizzle(..) => {
                    return refuse(
                        target.place,
                        "cannot assign to a swizzle: assign to each component, `v.x = …`",
                    );
                }
                _ => break,
            }
        }
        match &root.kind {
            ExprKind::Local(id) if self.foreign.is_some_and(|first| id.0 < first) => refuse(
                target.place,
                "a `move` closure modifies its own copy of a variable: bind the closure with `let`, or remove `move`",
            ),
            ExprKind::Local(id) => {
                let variable = &mut self.locals[id.0];
                if let Ty::Reference(false, to) = &variable.ty
                    && !matches!(**to, Ty::Plain(Type::Atomic(_)))
                {
                    let name = variable.name.text.clone();
                    return refuse(
                        target.place,
                        format!("`{name}` is behind a `&` reference: declare it as `&mut`"),
                    );
                }
                variable.mutable = true;
                Ok(())
            }
            ExprKind::Global(id)
                if through_atomic(target) || self.writable.get(id) == Some(&true) =>
            {
                Ok(())
            }
            ExprKind::Global(id) => {
                let global = &self.items.module.globals[id.0];
                let name = &global.name.text;
                let why = match global.space {
                    super::super::tree::Space::Uniform(_) => {
                        "uniform memory is read-only".to_owned()
                    }
                    _ => format!("`{name}` is read-only in this kernel: declare it as `&mut`"),
                };
                refuse(target.place, why)
            }
            ExprKind::Const(_) | ExprKind::Verbatim(_) => {
                refuse(target.place, "cannot assign to a constant: copy it to a `let mut` first")
            }
            _ if root.ty == Ty::Error => Ok(()),
            _ => {
                refuse(target.place, "cannot assign to this expression: it is a value, not a place")
            }
        }
    }
}

/// Returns whether a place is an atomic, which may be modified through `&`.
fn through_atomic(node: &Node) -> bool {
    matches!(node.kind, ExprKind::Plain(_))
        || matches!(node.ty.referent(), Ty::Plain(Type::Atomic(_)))
}

/// Returns whether an expression is a place in memory.
pub fn is_place(node: &Node) -> bool {
    match &node.kind {
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Plain(_) => true,
        ExprKind::Index(base, _)
        | ExprKind::Member(base, _)
        | ExprKind::Part(base, ..)
        | ExprKind::Slice(base, ..) => is_place(base),
        ExprKind::Swizzle(base, parts) => parts.len() == 1 && is_place(base),
        _ => false,
    }
}

/// Returns the components that a swizzle names, if a vector of this size has them.
pub fn components(name: &str, size: u8) -> Option<Vec<u8>> {
    if name.is_empty() || name.len() > 4 {
        return None;
    }
    let index = |letter| "xyzw".find(letter).map(|index| index as u8).filter(|index| *index < size);
    name.chars().map(index).collect()
}
