//! Patterns of `let` and `match`.

use super::super::tree::{
    ConstKind, Count, ExprKind, Literal, LocalId, Pattern, Place, Scalar, Statement, Type,
};
use super::body::{Body, Meaning, Node};
use super::calls::wrong_count;
use super::errors::{at, place, refuse};
use super::infer::{Ty, VariableKind};
use super::names::{self, last, text};
use syn::{Member, Pat};

/// The names that an arm has bound so far, with their locals.
pub type Bound = Vec<(String, LocalId)>;

impl Body<'_, '_> {
    /// Binds the names in the pattern of a `let` to the parts of a value.
    pub fn take_apart(
        &mut self,
        pattern: &Pat,
        value: Node,
        ty: Ty,
        extent: Place,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        match pattern {
            Pat::Paren(inner) => self.take_apart(&inner.pat, value, ty, extent, statements),
            Pat::Wild(_) => {
                statements.push(Statement::Expr(value));
                Ok(())
            }
            Pat::Ident(pattern) => {
                if let Some(by_ref) = &pattern.by_ref {
                    return refuse(
                        place(by_ref),
                        "references can only be passed to functions: remove `ref`",
                    );
                }
                let name = names::name(&pattern.ident);
                let id = self.local(name.clone(), ty.clone());
                statements.push(Statement::Let(id, Some(value), extent));
                self.name(name.text, Meaning::Local(id));
                let Some((_, inner)) = &pattern.subpat else { return Ok(()) };
                let kind = ExprKind::Local(id);
                let whole = Node { kind, ty: ty.clone(), diverges: false, place: extent };
                self.take_apart(inner, whole, ty, extent, statements)
            }
            Pat::Tuple(tuple) => {
                let parts = self.parts_of_tuple(tuple, &ty)?;
                let each = numbered("a tuple", &tuple.elems, parts.len(), place(tuple))?;
                let value = self.coerce(value, &Ty::Tuple(parts.clone()));
                if value.ty == Ty::Error {
                    parts.iter().for_each(|part| {
                        self.types.unify(part, &Ty::Error);
                    });
                }
                match value {
                    Node { kind: ExprKind::Construct(values), diverges: false, .. }
                        if each.len() == values.len() =>
                    {
                        self.take_each(tuple.elems.iter().zip(values).zip(parts), statements)
                    }
                    value => {
                        let of = |(nth, part)| (part, (Part::Member(nth), parts[nth].clone()));
                        self.take_parts(each.into_iter().map(of), value, ty, statements)
                    }
                }
            }
            Pat::Slice(slice) => {
                let element = self.types.fresh(VariableKind::Any);
                let count = self.length_of_pattern(slice, &ty)?;
                let each = numbered("an array", &slice.elems, count, place(slice))?;
                let count = Count::Literal(count as u32);
                let value = self.coerce(value, &Ty::array(element.clone(), count));
                let each = each
                    .into_iter()
                    .map(|(nth, part)| (part, (Part::Element(nth), element.clone())));
                self.take_parts(each, value, ty, statements)
            }
            Pat::TupleStruct(tuple) if let Some(id) = self.tuple_struct(&tuple.path)? => {
                let value = self.coerce(value, &Type::Struct(id).into());
                let members = &self.items.module.structs[id.0].members;
                let types: Vec<Ty> = members.iter().map(|member| Ty::from(&member.ty)).collect();
                let each = numbered(&last(&tuple.path), &tuple.elems, types.len(), place(tuple))?;
                let each = each
                    .into_iter()
                    .map(|(nth, part)| (part, (Part::Member(nth), types[nth].clone())));
                self.take_parts(each, value, ty, statements)
            }
            Pat::Struct(fields)
                if let Some(of @ Type::Vector(size, scalar)) =
                    crate::prelude_types::plain(&last(&fields.path)) =>
            {
                let value = self.coerce(value, &of.into());
                let mut parts = Vec::new();
                for field in &fields.fields {
                    let component = match &field.member {
                        Member::Named(ident) => super::places::components(&text(ident), size),
                        Member::Unnamed(_) => None,
                    };
                    let Some([component]) = component.as_deref() else {
                        return refuse(
                            place(&field.member),
                            "this vector does not have this component",
                        );
                    };
                    parts.push((&*field.pat, (Part::Component(*component), Ty::from(scalar))));
                }
                self.take_parts(parts.into_iter(), value, ty, statements)
            }
            Pat::Struct(fields) => {
                let name = last(&fields.path);
                let Some(Type::Struct(id)) =
                    self.items.named_type(&name, names::span(&fields.path))?
                else {
                    return refuse(place(&fields.path), format!("unknown struct `{name}`"));
                };
                let value = self.coerce(value, &Type::Struct(id).into());
                let mut parts = Vec::new();
                for field in &fields.fields {
                    let Member::Named(ident) = &field.member else {
                        return refuse(place(&field.member), "expected a named field");
                    };
                    let members = &self.items.module.structs[id.0].members;
                    let wanted = text(ident);
                    let Some(index) = members.iter().position(|member| member.name.text == wanted)
                    else {
                        return refuse(
                            at(ident.span()),
                            format!("`{name}` has no field `{wanted}`"),
                        );
                    };
                    parts.push((&*field.pat, (Part::Member(index), Ty::from(&members[index].ty))));
                }
                self.take_parts(parts.into_iter(), value, ty, statements)
            }
            Pat::Reference(inner) => {
                refuse(place(inner), "references can only be passed to functions: remove `&`")
            }
            Pat::TupleStruct(_) | Pat::Lit(_) | Pat::Range(_) | Pat::Or(_) | Pat::Path(_) => {
                refuse(place(pattern), "refutable pattern in `let`: use `match` or `if let`")
            }
            other => refuse(place(other), "this pattern is not supported in kernels"),
        }
    }

    /// Returns the types of a tuple's parts, as far as its pattern or its type determines them.
    fn parts_of_tuple(&mut self, pattern: &syn::PatTuple, ty: &Ty) -> syn::Result<Vec<Ty>> {
        if !pattern.elems.iter().any(is_rest) {
            return Ok(pattern.elems.iter().map(|_| self.types.fresh(VariableKind::Any)).collect());
        }
        match self.types.shallow(ty) {
            Ty::Tuple(parts) => Ok(parts),
            _ => refuse(
                place(pattern),
                "the number of elements that `..` stands for is not known: write `_` for each",
            ),
        }
    }

    /// Returns the length of an array, as far as its pattern or its type determines it.
    fn length_of_pattern(&mut self, pattern: &syn::PatSlice, ty: &Ty) -> syn::Result<usize> {
        if !pattern.elems.iter().any(is_rest) {
            return Ok(pattern.elems.len());
        }
        let length = match self.types.shallow(ty) {
            Ty::Array(_, length) => self.types.shallow(&length),
            other => other,
        };
        match length {
            Ty::Length(Count::Literal(count)) => Ok(count as usize),
            _ => refuse(
                place(pattern),
                "the number of elements that `..` stands for is not known: write `_` for each",
            ),
        }
    }

    /// Returns the length of a borrowed array, from its type or from a pattern without `..`.
    pub fn length_of_array(&mut self, pattern: &syn::PatSlice, of: &Ty) -> syn::Result<usize> {
        if let Ty::Array(_, length) = self.types.shallow(of)
            && let Ty::Length(Count::Literal(count)) = self.types.shallow(&length)
        {
            return Ok(count as usize);
        }
        self.length_of_pattern(pattern, of)
    }

    fn take_each<'p>(
        &mut self,
        parts: impl Iterator<Item = ((&'p Pat, Node), Ty)>,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        // All values are evaluated first. The pattern's names are not in scope for them; ids ensure this.
        for ((pattern, value), ty) in parts {
            let place = value.place;
            self.take_apart(pattern, value, ty, place, statements)?;
        }
        Ok(())
    }

    fn take_parts<'p>(
        &mut self,
        parts: impl Iterator<Item = (&'p Pat, (Part, Ty))>,
        value: Node,
        ty: Ty,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        let (extent, value_place) = (value.place, value.place);
        let id = self.named_local("parts", &ty, extent);
        statements.push(Statement::Let(id, Some(value), extent));
        for (pattern, (part, part_ty)) in parts {
            let all = Box::new(Node {
                kind: ExprKind::Local(id),
                ty: ty.clone(),
                diverges: false,
                place: value_place,
            });
            let kind = match part {
                Part::Member(index) => ExprKind::Member(all, index),
                Part::Component(index) => ExprKind::Swizzle(all, vec![index]),
                Part::Element(index) => {
                    let kind = ExprKind::Literal(Literal::Int(index as i128));
                    let index = Node { kind, ty: Ty::U32, diverges: false, place: value_place };
                    ExprKind::Index(all, Box::new(index))
                }
            };
            let node = Node { kind, ty: part_ty.clone(), diverges: false, place: value_place };
            self.take_apart(pattern, node, part_ty, place(pattern), statements)?;
        }
        Ok(())
    }

    /// Lowers a pattern for a value of a type that may be a reference.
    pub fn pattern_of(
        &mut self,
        pattern: &Pat,
        (ty, lent): (&Ty, Option<bool>),
        bound: &mut Bound,
    ) -> Pattern<Ty> {
        let outer = std::mem::replace(&mut self.lent, lent);
        let pattern = self.pattern(pattern, ty, bound);
        self.lent = outer;
        pattern
    }

    /// Lowers a pattern for a value of a type. The names that it binds are added to the current scope.
    pub fn pattern(&mut self, pattern: &Pat, ty: &Ty, bound: &mut Bound) -> Pattern<Ty> {
        match self.try_pattern(pattern, ty, bound) {
            Ok(pattern) => pattern,
            Err(error) => {
                self.items.errors.push(error);
                Pattern::Wildcard
            }
        }
    }

    fn try_pattern(
        &mut self,
        pattern: &Pat,
        ty: &Ty,
        bound: &mut Bound,
    ) -> syn::Result<Pattern<Ty>> {
        Ok(match pattern {
            Pat::Wild(_) => Pattern::Wildcard,
            Pat::Paren(inner) => self.try_pattern(&inner.pat, ty, bound)?,
            Pat::Or(or) => {
                Pattern::Either(or.cases.iter().map(|case| self.pattern(case, ty, bound)).collect())
            }
            Pat::Ident(ident) => {
                if let Some(by_ref) = &ident.by_ref {
                    return refuse(
                        place(by_ref),
                        "references can only be passed to functions: remove `ref`",
                    );
                }
                let name = text(&ident.ident);
                let path = syn::Path::from(ident.ident.clone());
                if let Some(of) = self.variant_of(&path)? {
                    return self.variant_pattern(of, Vec::new(), ty, bound, place(ident));
                }
                let constant = ident.subpat.is_none() && ident.mutability.is_none();
                let given = self.items.generics.get(&name);
                if constant
                    && given.is_some_and(|id| {
                        matches!(self.items.module.consts[id.0].kind, ConstKind::Parameter)
                    })
                {
                    return refuse(
                        place(ident),
                        format!(
                            "const parameters cannot be used in patterns: write `x if x == {name}`"
                        ),
                    );
                }
                if constant && let Some(id) = self.items.constant(&name, ident.ident.span())? {
                    let constant =
                        self.node(ExprKind::Const(id), self.items.type_of_constant(id), ident);
                    return Ok(Pattern::Value(self.coerce(constant, ty)));
                }
                let inner = match &ident.subpat {
                    Some((_, inner)) => self.pattern(inner, ty, bound),
                    None => Pattern::Wildcard,
                };
                Pattern::Bind(self.bind(&ident.ident, ty, bound), Box::new(inner))
            }
            Pat::Lit(literal) => {
                let literal = self.literal(&literal.lit)?;
                Pattern::Value(self.coerce(literal, ty))
            }
            Pat::Path(path) => {
                if let Some(of) = self.variant_of(&path.path)? {
                    return self.variant_pattern(of, Vec::new(), ty, bound, place(path));
                }
                let value = self.expr(&syn::Expr::Path(path.clone()));
                Pattern::Value(self.coerce(value, ty))
            }
            Pat::Range(range) => {
                let mut end = |end: &Option<Box<syn::Expr>>| {
                    end.as_ref().map(|end| {
                        let node = self.expr(end);
                        self.coerce(node, ty)
                    })
                };
                let (first, last) = (end(&range.start), end(&range.end));
                Pattern::Range(first, last, matches!(range.limits, syn::RangeLimits::Closed(_)))
            }
            Pat::Tuple(tuple) => {
                let parts = self.parts_of_tuple(tuple, ty)?;
                if !self.types.unify(ty, &Ty::Tuple(parts.clone())) {
                    let named = self.describe(ty);
                    return refuse(
                        place(tuple),
                        format!("expected `{named}`, found a tuple with {} elements", parts.len()),
                    );
                }
                let each = numbered("a tuple", &tuple.elems, parts.len(), place(tuple))?;
                Pattern::Tuple(self.patterns(each, &parts, bound))
            }
            Pat::TupleStruct(variant) => return self.variant(variant, ty, bound),
            Pat::Struct(fields) if let Some(of) = self.variant_of(&fields.path)? => {
                return self.variant_fields(of, fields, ty, bound);
            }
            Pat::Guard(guard) => {
                return refuse(
                    place(&guard.guard),
                    "a guard must follow the whole pattern of an arm",
                );
            }
            Pat::Struct(_) | Pat::Slice(_) => {
                return refuse(
                    place(pattern),
                    "this type cannot be matched, only numbers, `bool`, enums and tuples of these: destructure it \
                     with `let` first",
                );
            }
            Pat::Reference(inner) => match self.types.shallow(ty) {
                Ty::Reference(_, to) => self.try_pattern(&inner.pat, &to, bound)?,
                _ if self.lent.is_some() => self.pattern_of(&inner.pat, (ty, None), bound),
                _ => {
                    let named = self.describe(ty);
                    return refuse(
                        place(inner),
                        format!("expected a reference, found `{named}`: remove `&`"),
                    );
                }
            },
            Pat::Rest(rest) => {
                return refuse(
                    place(rest),
                    "the pattern must mention each member: write `_` for a member that is not used",
                );
            }
            other => return refuse(place(other), "this pattern is not supported in kernels"),
        })
    }

    /// Lowers the patterns for parts of these types. A part without a pattern matches everything.
    pub fn patterns(
        &mut self,
        each: Vec<(usize, &Pat)>,
        types: &[Ty],
        bound: &mut Bound,
    ) -> Vec<Pattern<Ty>> {
        let mut all: Vec<Pattern<Ty>> = types.iter().map(|_| Pattern::Wildcard).collect();
        for (nth, pattern) in each {
            all[nth] = self.pattern(pattern, &types[nth], bound);
        }
        all
    }

    /// Lowers `Ok(p)` or `Err(p)` for the result of a compare-exchange.
    fn variant(
        &mut self,
        variant: &syn::PatTupleStruct,
        ty: &Ty,
        bound: &mut Bound,
    ) -> syn::Result<Pattern<Ty>> {
        let of = self.variant_of(&variant.path)?;
        if let Some(of) = of
            && !matches!(self.types.shallow(ty), Ty::Plain(Type::Exchange(_)))
        {
            let each = numbered(&of.name, &variant.elems, of.parts.len(), place(variant))?;
            return self.variant_pattern(of, each, ty, bound, place(variant));
        }
        let name = last(&variant.path);
        let ok = match name.as_str() {
            "Ok" => true,
            "Err" => false,
            _ => {
                return refuse(
                    place(variant),
                    "unknown variant: only `Ok(…)` and `Err(…)` of `compare_exchange` can be matched here",
                );
            }
        };
        let scalar = match self.types.shallow(ty) {
            Ty::Plain(Type::Exchange(scalar)) => scalar,
            Ty::Error => Scalar::U32,
            other => {
                let named = self.describe(&other);
                return refuse(place(variant), format!("expected `{named}`, found `{name}(…)`"));
            }
        };
        let [inner] = variant.elems.iter().collect::<Vec<_>>()[..] else {
            return refuse(place(variant), format!("`{name}` has one field: the old value"));
        };
        Ok(Pattern::ExchangeResult(ok, Box::new(self.pattern(inner, &scalar.into(), bound))))
    }

    /// Returns the local of a name. All alternatives of an arm bind the same local.
    fn bind(&mut self, ident: &syn::Ident, ty: &Ty, bound: &mut Bound) -> LocalId {
        let name = names::name(ident);
        let ty = &match (self.lent, self.types.shallow(ty)) {
            (None, _) | (_, Ty::Reference(..)) => ty.clone(),
            (Some(mutable), _) => {
                if mutable {
                    let message =
                        "cannot bind parts of a mutable reference: match the value and assign it";
                    self.report(name.place, message);
                }
                Ty::Reference(false, Box::new(ty.clone()))
            }
        };
        if let Some((_, id)) = bound.iter().find(|(other, _)| *other == name.text) {
            let id = *id;
            let other = self.locals[id.0].ty.clone();
            if !self.types.unify(&other, ty) {
                self.report(
                    name.place,
                    format!("`{}` has a different type in another alternative", name.text),
                );
            }
            return id;
        }
        let id = self.local(name.clone(), ty.clone());
        bound.push((name.text.clone(), id));
        self.name(name.text, Meaning::Local(id));
        id
    }
}

fn is_rest(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Rest(_))
}

/// Returns patterns with the indices of the parts that they match. `..` stands for the omitted ones.
pub fn numbered<'p>(
    name: &str,
    patterns: impl IntoIterator<Item = &'p Pat>,
    count: usize,
    extent: Place,
) -> syn::Result<Vec<(usize, &'p Pat)>> {
    let patterns: Vec<&Pat> = patterns.into_iter().collect();
    let rest = patterns.iter().position(|pattern| is_rest(pattern));
    let given = patterns.len() - usize::from(rest.is_some());
    if given > count || rest.is_none() && given != count {
        return refuse(extent, wrong_count(name, &[count], given));
    }
    let Some(rest) = rest else { return Ok(patterns.into_iter().enumerate().collect()) };
    let behind = patterns[rest + 1..].iter().copied();
    let ahead = patterns[..rest].iter().copied().enumerate();
    Ok(ahead.chain((count - (given - rest)..).zip(behind)).collect())
}

/// A part of a value that is destructured.
enum Part {
    Member(usize),
    Component(u8),
    Element(usize),
}
