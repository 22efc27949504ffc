//! Construction of expressions that do not occur in the source, located at the code that they are generated for.

use super::super::tree::{
    Arm, Binary, Block, EnumKind, ExprKind, Literal, LocalId, Pattern, Place, Statement, Unary,
};
use super::body::Node;
use super::control::into_block;
use super::infer::Ty;

/// A builder of expressions at a place.
#[derive(Clone, Copy)]
pub struct NodeBuilder(pub Place);

impl NodeBuilder {
    pub fn node(self, kind: ExprKind<Ty>, ty: &Ty) -> Node {
        Node { kind, ty: ty.clone(), diverges: false, place: self.0 }
    }

    pub fn local(self, local: LocalId, ty: &Ty) -> Node {
        self.node(ExprKind::Local(local), ty)
    }

    pub fn number(self, value: i128, ty: &Ty) -> Node {
        self.node(ExprKind::Literal(Literal::Int(value)), ty)
    }

    pub fn truth(self, value: bool) -> Node {
        self.node(ExprKind::Literal(Literal::Bool(value)), &Ty::BOOL)
    }

    /// Returns the zero value of a type.
    pub fn zero(self, ty: &Ty) -> Node {
        self.node(ExprKind::Construct(Vec::new()), ty)
    }

    /// Returns `(first, second)`.
    pub fn pair(self, first: Node, second: Node) -> Node {
        let ty = Ty::Tuple(vec![first.ty.clone(), second.ty.clone()]);
        let diverges = first.diverges || second.diverges;
        Node { diverges, ..self.node(ExprKind::Construct(vec![first, second]), &ty) }
    }

    /// Returns `left operator right`, of the left operand's type.
    pub fn binary(self, operator: Binary, left: Node, right: Node) -> Node {
        let (ty, diverges) = (left.ty.clone(), left.diverges || right.diverges);
        let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
        Node { diverges, ..self.node(kind, &ty) }
    }

    /// Returns `left operator right` of type `bool`, for a comparison or a logical operator.
    pub fn test(self, operator: Binary, left: Node, right: Node) -> Node {
        Node { ty: Ty::BOOL, ..self.binary(operator, left, right) }
    }

    pub fn not(self, condition: Node) -> Node {
        self.node(ExprKind::Unary(Unary::Not, Box::new(condition)), &Ty::BOOL)
    }

    /// Converts a value to another type, unless it already has that type.
    pub fn convert(self, value: Node, to: &Ty) -> Node {
        if value.ty == *to {
            return value;
        }
        let diverges = value.diverges;
        Node { diverges, ..self.node(ExprKind::Convert(Box::new(value)), to) }
    }

    pub fn none(self, of: &Ty) -> Node {
        let ty = Ty::Enum(EnumKind::Option, vec![of.clone()]);
        self.node(ExprKind::Variant(0, Vec::new()), &ty)
    }

    pub fn some(self, value: Node) -> Node {
        let ty = Ty::Enum(EnumKind::Option, vec![value.ty.clone()]);
        self.node(ExprKind::Variant(1, vec![value]), &ty)
    }

    /// Returns `if condition { then } else { otherwise }`.
    pub fn choose(self, condition: Node, then: Node, otherwise: Node) -> Node {
        let ty = then.ty.clone();
        let otherwise = Some(Box::new(otherwise));
        self.node(ExprKind::If(Box::new(condition), into_block(then), otherwise), &ty)
    }

    /// Returns `Some(value)` if the condition holds, otherwise `None`.
    pub fn some_if(self, condition: Node, value: Node) -> Node {
        let none = self.none(&value.ty);
        self.choose(condition, self.some(value), none)
    }

    /// Returns `match subject { pattern => then, _ => otherwise }`.
    pub fn match_or(
        self,
        subject: Node,
        pattern: Pattern<Ty>,
        then: Node,
        otherwise: Node,
    ) -> Node {
        let (ty, diverges) = (then.ty.clone(), subject.diverges);
        let arms = vec![
            Arm { pattern, guard: None, body: then },
            Arm { pattern: Pattern::Wildcard, guard: None, body: otherwise },
        ];
        Node { diverges, ..self.node(ExprKind::Match(Box::new(subject), arms), &ty) }
    }

    /// Returns `if condition { then }`.
    pub fn when(self, condition: Node, then: Vec<Statement<Ty>>) -> Statement<Ty> {
        let kind = ExprKind::If(Box::new(condition), self.block(then), None);
        Statement::Expr(self.node(kind, &Ty::UNIT))
    }

    pub fn block(self, statements: Vec<Statement<Ty>>) -> Block<Ty> {
        Block { statements, value: None, place: self.0 }
    }

    /// Returns `place = value;`.
    pub fn assign(self, place: Node, value: Node) -> Statement<Ty> {
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        Statement::Expr(self.node(kind, &Ty::UNIT))
    }

    /// Returns `place operator= value;`.
    pub fn update(self, operator: Binary, place: Node, value: Node) -> Statement<Ty> {
        let kind = ExprKind::AssignBinary(operator, Box::new(place), Box::new(value));
        Statement::Expr(self.node(kind, &Ty::UNIT))
    }

    /// Returns a `break`, `continue` or `return`.
    pub fn leave(self, kind: ExprKind<Ty>) -> Node {
        Node { diverges: true, ..self.node(kind, &Ty::Never) }
    }
}

/// Returns the pattern of a variant whose only field is bound to a local.
pub fn variant_of_local(nth: usize, local: LocalId) -> Pattern<Ty> {
    Pattern::Variant(nth, vec![Pattern::Bind(local, Box::new(Pattern::Wildcard))])
}

/// Returns `&value`.
pub fn lent(value: &Node) -> Node {
    Node { ty: Ty::Reference(false, Box::new(value.ty.clone())), ..value.clone() }
}

/// Returns the value that a reference refers to; any other value is returned unchanged.
pub fn seen_through(value: Node) -> Node {
    Node { ty: value.ty.referent().clone(), ..value }
}
