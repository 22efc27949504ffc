//! One function, or one constant expression, while it is lowered: its scopes and what is known of its types.

use super::super::tree::{
    Block, Expr, ExprKind, GlobalId, LabelId, Literal, Local, LocalId, Name, Passed, Place, Scalar,
    Type,
};
use super::callables::CallableId;
use super::closures::{Closure, ClosureId, Returns};
use super::compute;
use super::constants;
use super::control::after;
use super::errors::{error, place};
use super::functions::{Declared, Means};
use super::generic_calls::Pending;
use super::infer::{Inference, Ty, VariableKind};
use super::items::Items;
use super::loops::Target;
use super::obligations::Obligation;
use proc_macro2::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An expression whose types may not be known yet.
pub type Node = Expr<Ty>;

/// What a name in a scope means.
#[derive(Clone, Debug)]
pub enum Meaning {
    Local(LocalId),
    /// Memory of the module, with its type in this kernel.
    Global(GlobalId, Ty),
    /// What was lent where a function is put in.
    Place(Rc<Node>),
    /// `let turns = a..b;`, `let items = x.iter();`: the same chain, of the names that its parts have.
    Chain(Rc<syn::Expr>),
    Closure(ClosureId),
}

/// A local.
pub struct Variable {
    pub name: Name,
    /// With its reference, if it is one.
    pub ty: Ty,
    /// Whether it is written to after its declaration.
    pub mutable: bool,
}

/// See the module.
pub struct Body<'b, 'a> {
    pub items: &'b mut Items<'a>,
    pub types: Inference,
    pub locals: Vec<Variable>,
    pub scopes: Vec<FxHashMap<String, Meaning>>,
    /// Which globals this kernel may write to.
    pub writable: FxHashMap<GlobalId, bool>,
    pub targets: Vec<Target>,
    pub labels: usize,
    pub closures: Vec<Closure>,
    /// How many functions were put in where they are called.
    pub put_ins: usize,
    /// Those that are being put in.
    pub inside: Vec<CallableId>,
    /// In a `move` closure without copies of its own: the locals before this one are others'.
    pub foreign: Option<usize>,
    /// How what a pattern takes apart is lent, if it is.
    pub lent: Option<bool>,
    /// Where `return` leads, if not out of the function.
    pub returns: Option<Returns>,
    /// What the function returns.
    pub result: Ty,
    pub obligations: Vec<Obligation>,
    /// Calls of functions with type parameters, by the numbers of `ExprKind::Instance`.
    pub pending: Vec<Pending>,
    /// Locals that are made when types are written back.
    pub made: Vec<Local>,
    /// Where `.len()` is called, and the types of those calls.
    pub lengths: Vec<(Span, Ty)>,
    /// Whether it is a constant expression.
    pub constant: bool,
    /// How deep the expression at hand is nested.
    pub depth: usize,
}

impl<'b, 'a> Body<'b, 'a> {
    fn new(items: &'b mut Items<'a>, result: Ty, constant: bool) -> Self {
        Body {
            items,
            types: Inference::default(),
            locals: Vec::new(),
            scopes: vec![FxHashMap::default()],
            writable: FxHashMap::default(),
            targets: Vec::new(),
            labels: 0,
            closures: Vec::new(),
            put_ins: 0,
            inside: Vec::new(),
            foreign: None,
            lent: None,
            returns: None,
            result,
            obligations: Vec::new(),
            pending: Vec::new(),
            made: Vec::new(),
            lengths: Vec::new(),
            constant,
            depth: 0,
        }
    }

    /// A constant expression of a type; `None` if it has an error, which was reported.
    pub fn constant(items: &mut Items<'_>, written: &syn::Expr, expected: &Ty) -> Option<Expr> {
        let mut body = Body::new(items, Ty::Error, true);
        let node = body.expr(written);
        let node = body.coerce(node, expected);
        body.finish_constant(node)
    }

    /// A size of a workgroup: a constant expression of type `u32`, or `usize`.
    pub fn size(items: &mut Items<'_>, written: &syn::Expr) -> Option<Expr> {
        let mut body = Body::new(items, Ty::Error, true);
        let node = body.expr(written);
        let length = body.types.shallow(&node.ty) == Ty::USIZE;
        let node = if length { node } else { body.coerce(node, &Ty::U32) };
        body.finish_constant(node)
    }

    fn finish_constant(mut self, node: Node) -> Option<Expr> {
        let errors = self.items.errors.len();
        self.conclude();
        self.note_lengths();
        if self.put_ins > 0 {
            self.write_back_locals()?;
        }
        let value = self.write_back(node)?;
        if self.items.errors.len() != errors {
            return None;
        }
        if constants::not_constant(&value).is_none() && !constants::computes_late(&value) {
            return Some(value);
        }
        match compute::computed(&self.items.module, &value) {
            Ok(value) => Some(value),
            Err(compute::Unknown { place, why }) => {
                self.fail(place, why);
                None
            }
        }
    }

    /// The locals and the body of a function, and the locals that are its parameters; `None` if it has an
    /// error, which was reported.
    #[allow(clippy::type_complexity)]
    pub fn function(
        items: &'b mut Items<'a>,
        block: &syn::Block,
        parameters: &[Declared],
        result: Ty,
    ) -> Option<(Vec<Local>, Block, Vec<(LocalId, Passed)>)> {
        let errors = items.errors.len();
        items.running.clear();
        let mut body = Body::new(items, result.clone(), false);
        let mut passed = Vec::new();
        for parameter in parameters {
            let meaning = match parameter.means {
                Means::Global(id) => {
                    let writable = matches!(parameter.ty, Ty::Reference(true, _));
                    body.writable.insert(id, writable);
                    Meaning::Global(id, parameter.ty.clone())
                }
                Means::Passed(how) => {
                    let local = body.local(parameter.name.clone(), parameter.ty.clone());
                    passed.push((local, how));
                    Meaning::Local(local)
                }
            };
            body.name(parameter.name.text.clone(), meaning);
        }
        let mut before = Vec::new();
        for (parameter, (local, _)) in parameters.iter().zip(&passed) {
            if let Some(pattern) = &parameter.pattern {
                let kind = ExprKind::Local(*local);
                let (ty, place) = (parameter.ty.clone(), parameter.name.place);
                let whole = Node { kind, ty, diverges: false, place };
                let given = body.give(pattern, whole, &mut before);
                body.items.errors.keep(given);
            }
        }
        let node = body.block(block);
        let node = after(before, node);
        let node = body.coerce(node, &result);
        body.conclude();
        body.note_lengths();
        let locals = body.write_back_locals();
        let node = body.write_back(node);
        let locals = locals.map(|locals| locals.into_iter().chain(body.made).collect());
        if items.errors.len() != errors {
            return None;
        }
        let block = match node? {
            Expr { kind: ExprKind::Block(None, block), .. } => block,
            other => {
                let place = other.place;
                Block { statements: Vec::new(), value: Some(Box::new(other)), place }
            }
        };
        Some((locals?, block, passed))
    }

    /// A new local. It is in no scope yet.
    pub fn local(&mut self, name: Name, ty: Ty) -> LocalId {
        self.locals.push(Variable { name, ty, mutable: false });
        LocalId(self.locals.len() - 1)
    }

    /// Gives a name its meaning in the innermost scope.
    pub fn name(&mut self, name: String, meaning: Meaning) {
        self.items.running.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, meaning);
        }
    }

    /// What a name means, if it is a local or a parameter.
    pub fn find(&self, name: &str) -> Option<&Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Runs `inside` with a scope of its own.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(FxHashMap::default());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// A new label.
    pub fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels - 1)
    }

    /// Reports an error.
    pub fn fail(&mut self, place: Place, message: impl std::fmt::Display) {
        self.items.errors.push(error(place, message));
    }

    /// The type with all that is known of it, as Rust writes it.
    pub fn describe(&self, ty: &Ty) -> String {
        let deep = self.types.deep(ty);
        self.items.describe_open(&deep, &|ty| match self.types.open(ty) {
            Some(VariableKind::Integer) => "{integer}",
            Some(VariableKind::Length) => "usize",
            Some(VariableKind::Float) => "{float}",
            _ => "_",
        })
    }

    /// `node` where a value of a type is expected: an error if it has another.
    pub fn coerce(&mut self, node: Node, expected: &Ty) -> Node {
        if node.diverges {
            return node;
        }
        let node = match self.coerce_parts(node, expected) {
            Ok(node) => return node,
            Err(node) => node,
        };
        if self.types.unify(expected, &node.ty) {
            return node;
        }
        let place = blame(&node);
        let (wanted, found) = (self.describe(expected), self.describe(&node.ty));
        let hint = self.conversion(expected, &node.ty);
        self.fail(place, format!("expected `{wanted}`, found `{found}`{hint}"));
        wrong(node.place)
    }

    /// Coerces each part of a tuple or array that is written out, so that errors stand at the parts.
    #[allow(clippy::result_large_err)]
    fn coerce_parts(&mut self, node: Node, expected: &Ty) -> Result<Node, Node> {
        let Node { kind: ExprKind::Construct(parts), ty, diverges, place } = node else {
            return Err(node);
        };
        let wanted: Option<Vec<Ty>> = match (self.types.shallow(expected), self.types.shallow(&ty))
        {
            (Ty::Tuple(wanted), Ty::Tuple(_)) if wanted.len() == parts.len() => Some(wanted),
            (Ty::Array(element, length), Ty::Array(_, given))
                if self.types.shallow(&length) == self.types.shallow(&given) =>
            {
                Some(parts.iter().map(|_| (*element).clone()).collect())
            }
            _ => None,
        };
        let Some(wanted) = wanted else {
            return Err(Node { kind: ExprKind::Construct(parts), ty, diverges, place });
        };
        let parts =
            parts.into_iter().zip(&wanted).map(|(part, ty)| self.coerce(part, ty)).collect();
        Ok(Node { kind: ExprKind::Construct(parts), ty: expected.clone(), diverges, place })
    }

    /// How a value of one type is made one of another.
    pub fn conversion(&self, expected: &Ty, found: &Ty) -> String {
        use Scalar::{Bool, F16, F32};
        let (expected, found) = (self.types.shallow(expected), self.types.shallow(found));
        if let Ty::Reference(_, to) = &found
            && self.types.deep(to) == self.types.deep(&expected)
        {
            return ": write `*` before it".to_owned();
        }
        if let Ty::Reference(mutable, to) = &expected
            && self.types.deep(to) == self.types.deep(&found)
        {
            return format!(": write `&{}` before it", if *mutable { "mut" } else { "" });
        }
        let scalar = |ty: &Ty| match ty {
            Ty::Plain(Type::Scalar(scalar)) => Some(*scalar),
            _ => None,
        };
        match (scalar(&expected), scalar(&found), self.types.open(&found)) {
            (Some(F32), None, Some(VariableKind::Integer)) => {
                ": write it with a point, `1.0`".to_owned()
            }
            (Some(to), None, Some(VariableKind::Float)) if to.is_integer() => {
                format!(": write it without a point, or convert it, `… as {}`", to.name())
            }
            (Some(Bool), Some(from), _) if from.is_integer() => ": compare it, `… != 0`".to_owned(),
            (Some(F16), None, Some(VariableKind::Float | VariableKind::Integer)) => {
                ": `f16` has no literals, write `f16::from_f32(…)`".to_owned()
            }
            (Some(F32), Some(F16), _) => ": convert it, `….to_f32()`".to_owned(),
            (Some(F16), Some(F32), _) => ": convert it, `f16::from_f32(…)`".to_owned(),
            (Some(F16), Some(to), _) if to != Bool => {
                ": convert it, `f16::from_f32(… as f32)`".to_owned()
            }
            (Some(to), Some(F16), _) if to != Bool => {
                format!(": convert it, `….to_f32() as {}`", to.name())
            }
            (Some(F32), Some(Bool), _) => ": convert it, `select(0.0, 1.0, …)`".to_owned(),
            (Some(to), Some(_), _) if to != Bool => {
                format!(": convert it, `… as {}`", to.name())
            }
            (Some(_), ..) if matches!(found, Ty::Plain(Type::Atomic(_))) => {
                ": read it with `.load()`".to_owned()
            }
            _ if found == Ty::UNIT => ": is there a `;` after the value?".to_owned(),
            _ => String::new(),
        }
    }

    /// A node at tokens.
    pub fn node(&self, kind: ExprKind<Ty>, ty: Ty, tokens: &impl quote::ToTokens) -> Node {
        Expr { kind, ty, diverges: false, place: place(tokens) }
    }
}

/// What stands for an expression with an error.
pub fn wrong(place: Place) -> Node {
    Expr { kind: ExprKind::Literal(Literal::Bool(false)), ty: Ty::Error, diverges: false, place }
}

/// The part of an expression that gives its value: what an error of its type points to.
fn blame(node: &Node) -> Place {
    match &node.kind {
        ExprKind::Block(None, Block { value: Some(value), .. }) => blame(value),
        _ => node.place,
    }
}
