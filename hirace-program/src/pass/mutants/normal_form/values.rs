//! The terms of the expressions of a function.

use super::super::expressions::operands as operands_of;
use super::terms::{Constant, Node, Term, is_mask, range};
use super::{MAX_DEPTH, Writer, type_text};
use crate::ir::integers::folded;
use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Handle, Literal, ScalarKind, Type, TypeInner,
    UnaryOperator,
};

impl Writer<'_> {
    /// Returns what the type of an expression says of its value.
    pub(super) fn typed(&self, handle: Handle<Expression>) -> Node {
        let inner = self.info[handle].ty.inner_with(&self.module.types);
        let (scalar, is_one) = match inner {
            TypeInner::Scalar(scalar) => (*scalar, true),
            TypeInner::Vector { scalar, .. } => (*scalar, false),
            _ => return Node::default(),
        };
        let range = match scalar.kind {
            ScalarKind::Uint => Some((0, i64::from(u32::MAX))),
            ScalarKind::Sint => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            _ => None,
        };
        let is_known = scalar.width == 4 || scalar.kind == ScalarKind::Bool;
        Node {
            kind: Some(scalar.kind).filter(|_| is_known),
            range: range.filter(|_| is_one && is_known),
            ..Node::default()
        }
    }

    pub(super) fn term(&mut self, handle: Handle<Expression>) -> Option<Term> {
        self.used.insert(handle);
        if let Some(&known) = self.known.get(&handle) {
            return Some(known);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let term = self.new_term(handle)?;
        self.depth -= 1;
        self.known.insert(handle, term);
        Some(term)
    }

    fn new_term(&mut self, handle: Handle<Expression>) -> Option<Term> {
        use Expression as E;
        let (module, function) = (self.module, self.function);
        Some(match &function.expressions[handle] {
            E::Literal(literal) => self.terms.literal(*literal),
            E::Constant(constant) => self.global(module.constants[*constant].init)?,
            E::ZeroValue(ty) => self.zero(*ty),
            E::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.term(part));
                let parts = parts.collect::<Option<Vec<Term>>>()?;
                self.compose(*ty, parts)
            }
            E::Splat { size, value } => {
                let value = self.term(*value)?;
                let Node { kind, constant, .. } = *self.terms.node(value);
                let parts = Some(vec![value; *size as usize]);
                let node = Node { kind, constant, parts, ..Node::default() };
                self.terms.intern(format!("vector {:?}", vec![value; *size as usize]), node)
            }
            E::FunctionArgument(at) => self.argument(handle, *at),
            E::GlobalVariable(global) => self.named(format!("global {}", global.index())),
            E::LocalVariable(local) => self.named(format!("local {}", local.index())),
            E::AccessIndex { base, index } => self.component(handle, *base, *index)?,
            E::Access { base, index } => {
                let at = self.term(*index)?;
                match self.terms.constant(at) {
                    Some(Constant::Int(at)) if (0..=i64::from(u32::MAX)).contains(&at) => {
                        self.component(handle, *base, at as u32)?
                    }
                    _ => {
                        let base = self.term(*base)?;
                        let node = self.typed(handle);
                        self.terms.intern(format!("{base}[{at}]"), node)
                    }
                }
            }
            E::Unary { op, expr } => {
                let term = self.term(*expr)?;
                let kind = self.terms.node(term).kind;
                match (op, self.terms.constant(term)) {
                    (UnaryOperator::LogicalNot, _) if self.is_scalar(handle) => {
                        self.terms.not(term)
                    }
                    (UnaryOperator::Negate, Some(Constant::Int(value)))
                        if self.is_scalar(handle) && kind == Some(ScalarKind::Sint) =>
                    {
                        self.terms.int(ScalarKind::Sint, (value as i32).wrapping_neg().into())
                    }
                    _ => {
                        let node = self.typed(handle);
                        self.terms.intern(format!("{op:?} {term}"), node)
                    }
                }
            }
            E::Binary { op, left, right } => {
                let (left, right) = (self.term(*left)?, self.term(*right)?);
                self.binary(handle, *op, left, right)
            }
            E::Select { condition, accept, reject } => {
                let condition = self.term(*condition)?;
                let (accept, reject) = (self.term(*accept)?, self.term(*reject)?);
                match self.terms.constant(condition) {
                    Some(Constant::Bool(true)) => accept,
                    Some(Constant::Bool(false)) => reject,
                    _ if accept == reject => accept,
                    _ => {
                        let node = self.typed(handle);
                        self.terms.intern(format!("select {condition} {accept} {reject}"), node)
                    }
                }
            }
            E::Swizzle { .. }
            | E::ImageQuery { .. }
            | E::Relational { .. }
            | E::Math { .. }
            | E::As { .. }
            | E::ArrayLength(_) => {
                let text = self.of_operands(handle)?;
                let node = self.typed(handle);
                self.terms.intern(text, node)
            }
            // Overrides, results of statements that were not reached, and what is not known.
            _ => return None,
        })
    }

    fn named(&mut self, text: String) -> Term {
        self.terms.intern(text, Node::default())
    }

    fn is_scalar(&self, handle: Handle<Expression>) -> bool {
        let inner = self.info[handle].ty.inner_with(&self.module.types);
        matches!(inner, TypeInner::Scalar(_))
    }

    /// Returns the text of an expression with its operands as terms.
    pub(super) fn of_operands(&mut self, handle: Handle<Expression>) -> Option<String> {
        let expression = &self.function.expressions[handle];
        let mut terms = Vec::new();
        for operand in operands_of(expression) {
            terms.push(self.term(operand)?);
        }
        let mut copy = expression.clone();
        let first = operands_of(expression).first().copied();
        crate::ir::operands::of_expression(&mut copy, &mut |operand| {
            *operand = first.unwrap_or(*operand);
        });
        let text = format!("{copy:?}");
        let text = first.map_or(text.clone(), |first| text.replace(&format!("{first:?}"), "_"));
        Some(format!("{text} {terms:?}"))
    }

    pub(super) fn zero(&mut self, ty: Handle<Type>) -> Term {
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) if scalar.width == 4 || scalar.kind == ScalarKind::Bool => {
                match scalar.kind {
                    ScalarKind::Uint | ScalarKind::Sint => self.terms.int(scalar.kind, 0),
                    ScalarKind::Bool => self.terms.bool(false),
                    _ => self.terms.literal(Literal::F32(0.0)),
                }
            }
            _ => self.named(format!("zero {}", type_text(self.module, ty))),
        }
    }

    fn compose(&mut self, ty: Handle<Type>, parts: Vec<Term>) -> Term {
        let is_vector = matches!(
            self.module.types[ty].inner,
            TypeInner::Vector { size, .. } if size as usize == parts.len()
        );
        match is_vector {
            true => {
                let first = self.terms.node(parts[0]);
                let is_same = parts.iter().all(|part| *part == parts[0]);
                let node = Node {
                    kind: first.kind,
                    constant: first.constant.filter(|_| is_same),
                    parts: Some(parts.clone()),
                    ..Node::default()
                };
                self.terms.intern(format!("vector {parts:?}"), node)
            }
            false => self.named(format!("{} {parts:?}", type_text(self.module, ty))),
        }
    }

    /// Returns the term of an expression of the module.
    fn global(&mut self, handle: Handle<Expression>) -> Option<Term> {
        Some(match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.terms.literal(*literal),
            Expression::Constant(constant) => self.global(self.module.constants[*constant].init)?,
            Expression::ZeroValue(ty) => self.zero(*ty),
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.global(part));
                let parts = parts.collect::<Option<Vec<Term>>>()?;
                self.compose(*ty, parts)
            }
            _ => return None,
        })
    }

    fn built_in(&self, at: u32) -> Option<BuiltIn> {
        match self.function.arguments.get(at as usize)?.binding {
            Some(Binding::BuiltIn(built_in)) => Some(built_in),
            _ => None,
        }
    }

    fn argument(&mut self, handle: Handle<Expression>, at: u32) -> Term {
        let last = match (self.built_in(at), self.size) {
            (Some(BuiltIn::LocalInvocationIndex), Some(size)) => {
                size.iter().map(|&extent| i64::from(extent)).product::<i64>() - 1
            }
            _ => {
                let node = self.typed(handle);
                return self.terms.intern(format!("argument {at}"), node);
            }
        };
        self.up_to(format!("argument {at}"), last)
    }

    /// Returns a number from 0 to `last`.
    fn up_to(&mut self, text: String, last: i64) -> Term {
        match last {
            ..=0 => self.terms.int(ScalarKind::Uint, 0),
            last => {
                let (kind, range) = (Some(ScalarKind::Uint), Some((0, last)));
                self.terms.intern(format!("{text} {last}"), Node { kind, range, ..Node::default() })
            }
        }
    }

    fn component(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: u32,
    ) -> Option<Term> {
        if let Expression::FunctionArgument(at) = self.function.expressions[base]
            && self.built_in(at) == Some(BuiltIn::LocalInvocationId)
            && let Some(&extent) = self.size.as_ref().and_then(|size| size.get(index as usize))
        {
            return Some(self.up_to(format!("argument {at}.{index}"), i64::from(extent) - 1));
        }
        let base = self.term(base)?;
        if let Some(parts) = &self.terms.node(base).parts
            && let Some(part) = parts.get(index as usize)
        {
            return Some(*part);
        }
        let node = self.typed(handle);
        Some(self.terms.intern(format!("{base}.{index}"), node))
    }

    fn binary(&mut self, handle: Handle<Expression>, op: BinaryOperator, a: Term, b: Term) -> Term {
        use BinaryOperator as B;
        let kind = self.terms.node(a).kind.filter(|kind| self.terms.node(b).kind == Some(*kind));
        let is_int = matches!(kind, Some(ScalarKind::Uint | ScalarKind::Sint));
        // Comparisons of vectors are not simplified.
        let is_one = self.terms.range(a).is_some() && self.terms.range(b).is_some();
        match op {
            B::Equal if is_int && is_one => return self.terms.equal(a, b),
            B::NotEqual if is_int && is_one => {
                let equal = self.terms.equal(a, b);
                return self.terms.not(equal);
            }
            B::Less if is_int && is_one => return self.terms.less(a, b),
            B::LessEqual if is_int && is_one => return self.terms.less_equal(a, b),
            B::Greater if is_int && is_one => return self.terms.less(b, a),
            B::GreaterEqual if is_int && is_one => return self.terms.less_equal(b, a),
            B::Greater => return self.terms.plain("<", b, a),
            B::GreaterEqual => return self.terms.plain("<=", b, a),
            B::Less => return self.terms.plain("<", a, b),
            B::LessEqual => return self.terms.plain("<=", a, b),
            B::LogicalAnd | B::LogicalOr => return self.logical(op, a, b),
            _ => {}
        }
        if let Some(simple) = self.simplified(handle, op, kind, a, b) {
            return simple;
        }
        let is_commutative =
            matches!(op, B::Add | B::Multiply | B::And | B::InclusiveOr | B::ExclusiveOr);
        let (a, b) = if is_commutative && is_int && b < a { (b, a) } else { (a, b) };
        let mut node = self.typed(handle);
        if let (Some(of_a), Some(of_b), Some(ty)) =
            (self.terms.range(a), self.terms.range(b), node.range)
        {
            node.range =
                range(op, of_a, of_b).filter(|of| ty.0 <= of.0 && of.1 <= ty.1).or(Some(ty));
        }
        self.terms.intern(format!("{op:?} {a} {b} {:?}", node.kind), node)
    }

    fn logical(&mut self, op: BinaryOperator, a: Term, b: Term) -> Term {
        // The operand that decides the result.
        let decides = op == BinaryOperator::LogicalOr;
        for (one, other) in [(a, b), (b, a)] {
            match self.terms.constant(one) {
                Some(Constant::Bool(value)) if value == decides => return one,
                Some(Constant::Bool(_)) => return other,
                _ => {}
            }
        }
        match a == b {
            true => a,
            false => self.terms.plain(&format!("{op:?}"), a.min(b), a.max(b)),
        }
    }

    /// Returns an operand or a constant that the operation is equal to.
    fn simplified(
        &mut self,
        handle: Handle<Expression>,
        op: BinaryOperator,
        kind: Option<ScalarKind>,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        use BinaryOperator as B;
        let of = |term| self.terms.constant(term);
        let (one, other) = (of(a), of(b));
        // The other operand is the result only if it has the type of the result: a scalar may be combined with a vector.
        let is_result =
            |term: Term| self.terms.node(term).range.is_some() == self.is_scalar(handle);
        if kind == Some(ScalarKind::Float) {
            let is_one = self.is_scalar(handle) && other == Some(Constant::Float(1.0));
            return (is_one && matches!(op, B::Multiply | B::Divide)).then_some(a);
        }
        if op == B::ShiftLeft || op == B::ShiftRight {
            if other == Some(Constant::Int(0)) || one == Some(Constant::Int(0)) {
                return Some(a);
            }
            let kind = self.terms.node(a).kind?;
            return match (one, other) {
                (Some(Constant::Int(x)), Some(Constant::Int(y))) if self.is_scalar(handle) => {
                    let signed = signedness(kind)?;
                    Some(self.terms.int(kind, folded(op, signed, x, y)?))
                }
                _ => None,
            };
        }
        let kind = kind?;
        let signed = signedness(kind)?;
        let zero = Some(Constant::Int(0));
        let unit = Some(Constant::Int(1));
        let neutral = match op {
            B::Add | B::InclusiveOr | B::ExclusiveOr => match (one == zero, other == zero) {
                (_, true) => Some(a),
                (true, _) => Some(b),
                _ => None,
            },
            B::Subtract => (other == zero).then_some(a),
            B::Multiply => match (one == unit, other == unit) {
                (_, true) => Some(a),
                (true, _) => Some(b),
                _ => None,
            },
            B::Divide => (other == unit).then_some(a),
            _ => None,
        };
        if let Some(neutral) = neutral.filter(|term| is_result(*term)) {
            return Some(neutral);
        }
        if !self.is_scalar(handle) {
            return None;
        }
        let (of_a, of_b) = (self.terms.range(a)?, self.terms.range(b)?);
        if let (Some(Constant::Int(x)), Some(Constant::Int(y))) = (one, other)
            && let Some(value) = folded(op, signed, x, y)
        {
            return Some(self.terms.int(kind, value));
        }
        let is_natural = of_a.0 >= 0 && of_b.0 >= 0;
        match op {
            B::Multiply | B::And if one == zero || other == zero => Some(self.terms.int(kind, 0)),
            B::And | B::InclusiveOr if a == b => Some(a),
            B::Subtract | B::ExclusiveOr if a == b => Some(self.terms.int(kind, 0)),
            // WGSL defines `x / 0` as `x`.
            B::Divide if one == zero => Some(a),
            B::Divide if is_natural && of_a.1 < of_b.0 => Some(self.terms.int(kind, 0)),
            B::Modulo if other == unit || one == zero => Some(self.terms.int(kind, 0)),
            B::Modulo if is_natural && of_a.1 < of_b.0 => Some(a),
            B::And if of_b.0 == of_b.1 && is_mask(of_b.0) && is_natural && of_a.1 <= of_b.0 => {
                Some(a)
            }
            _ => None,
        }
    }
}

/// Returns whether a type of 32-bit integers is signed, or `None` for other types.
fn signedness(kind: ScalarKind) -> Option<bool> {
    match kind {
        ScalarKind::Sint => Some(true),
        ScalarKind::Uint => Some(false),
        _ => None,
    }
}
