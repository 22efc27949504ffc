//! Terms: the values of expressions, simplified by rules that hold for every value. Equal terms are one number.

use naga::{BinaryOperator, Literal, ScalarKind};
use rustc_hash::FxHashMap;

/// A term: an index in [`Terms`].
pub type Term = u32;

/// The terms of both functions that are compared.
#[derive(Default)]
pub struct Terms {
    terms: FxHashMap<String, Term>,
    nodes: Vec<Node>,
}

/// What is known about the value of a term.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The kind, if the term is a number with 32 bits or a vector of such numbers, or a Boolean.
    pub kind: Option<ScalarKind>,
    /// The smallest and the largest value, if the term is an integer.
    pub range: Option<(i64, i64)>,
    /// The value of the term or of each of its components.
    pub constant: Option<Constant>,
    /// The term that this one negates.
    pub negated: Option<Term>,
    /// The components.
    pub parts: Option<Vec<Term>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl Terms {
    pub fn intern(&mut self, text: String, node: Node) -> Term {
        let next = self.nodes.len() as Term;
        let term = *self.terms.entry(text).or_insert(next);
        if term == next {
            self.nodes.push(node);
        }
        term
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term as usize]
    }

    pub fn constant(&self, term: Term) -> Option<Constant> {
        self.node(term).constant
    }

    pub fn range(&self, term: Term) -> Option<(i64, i64)> {
        self.node(term).range
    }

    pub fn bool(&mut self, value: bool) -> Term {
        let constant = Some(Constant::Bool(value));
        let node = Node { kind: Some(ScalarKind::Bool), constant, ..Node::default() };
        self.intern(format!("{value}"), node)
    }

    /// Returns an integer with 32 bits.
    pub fn int(&mut self, kind: ScalarKind, value: i64) -> Term {
        let (range, constant) = (Some((value, value)), Some(Constant::Int(value)));
        let node = Node { kind: Some(kind), range, constant, ..Node::default() };
        self.intern(format!("{kind:?} {value}"), node)
    }

    pub fn literal(&mut self, literal: Literal) -> Term {
        match literal {
            Literal::U32(value) => self.int(ScalarKind::Uint, value.into()),
            Literal::I32(value) => self.int(ScalarKind::Sint, value.into()),
            Literal::Bool(value) => self.bool(value),
            Literal::F32(value) => {
                let constant = Some(Constant::Float(value.into()));
                let node = Node { kind: Some(ScalarKind::Float), constant, ..Node::default() };
                self.intern(format!("f32 {:08x}", value.to_bits()), node)
            }
            other => self.intern(format!("{other:?}"), Node::default()),
        }
    }

    pub fn not(&mut self, term: Term) -> Term {
        if let Some(Constant::Bool(value)) = self.constant(term) {
            return self.bool(!value);
        }
        if let Some(negated) = self.node(term).negated {
            return negated;
        }
        let node = Node { kind: Some(ScalarKind::Bool), negated: Some(term), ..Node::default() };
        self.intern(format!("not {term}"), node)
    }

    /// Returns `a == b`, for integers.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        let (Some(of_a), Some(of_b)) = (self.range(a), self.range(b)) else {
            return self.plain("==", a, b);
        };
        match a == b || (of_a.0 == of_a.1 && of_a == of_b) {
            true => self.bool(true),
            false if of_a.1 < of_b.0 || of_b.1 < of_a.0 => self.bool(false),
            false => self.plain("==", a.min(b), a.max(b)),
        }
    }

    /// Returns `a <= b`, for integers.
    pub fn less_equal(&mut self, a: Term, b: Term) -> Term {
        let (Some(of_a), Some(of_b)) = (self.range(a), self.range(b)) else {
            return self.plain("<=", a, b);
        };
        if a == b || of_a.1 <= of_b.0 {
            return self.bool(true);
        }
        if of_a.0 > of_b.1 {
            return self.bool(false);
        }
        let kind = self.node(a).kind.unwrap_or(ScalarKind::Uint);
        // A constant is on the right.
        if of_a.0 == of_a.1 {
            let before = self.int(kind, of_a.0 - 1);
            let greater = self.less_equal(b, before);
            return self.not(greater);
        }
        if of_b.0 == of_b.1 {
            // Only the smallest value of `a` is small enough, or only the largest is not.
            if of_a.0 == of_b.0 {
                return self.equal(a, b);
            }
            if of_a.1 == of_b.0 + 1 {
                let last = self.int(kind, of_a.1);
                let is_last = self.equal(a, last);
                return self.not(is_last);
            }
        }
        self.plain("<=", a, b)
    }

    /// Returns `a < b`, for integers.
    pub fn less(&mut self, a: Term, b: Term) -> Term {
        let greater = self.less_equal(b, a);
        self.not(greater)
    }

    pub fn plain(&mut self, operator: &str, a: Term, b: Term) -> Term {
        let node = Node { kind: Some(ScalarKind::Bool), ..Node::default() };
        self.intern(format!("{a} {operator} {b}"), node)
    }
}

/// Returns whether all lower bits of a number are set.
pub fn is_mask(value: i64) -> bool {
    value > 0 && value & (value + 1) == 0
}

/// Returns the range of the result of an operation on integers, if it does not wrap.
pub fn range(op: BinaryOperator, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    use BinaryOperator as B;
    let is_natural = a.0 >= 0 && b.0 >= 0;
    match op {
        B::Add => Some((a.0 + b.0, a.1 + b.1)),
        B::Subtract => Some((a.0 - b.1, a.1 - b.0)),
        B::Multiply if is_natural => Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
        B::Divide if is_natural && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        B::Modulo if is_natural && b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        B::And if is_natural => Some((0, a.1.min(b.1))),
        _ => None,
    }
}
