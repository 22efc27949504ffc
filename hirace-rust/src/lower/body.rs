//! The state of lowering one function or one constant expression: its scopes and its type inference.

use super::super::tree::{
    Block, Expr, ExprKind, GlobalId, LabelId, Literal, Local, LocalId, Name, PassMode, Place,
    Scalar, Type,
};
use super::callables::CallableId;
use super::closures::{Closure, ClosureId, ReturnTarget};
use super::constants;
use super::control::after;
use super::errors::{error, place};
use super::evaluate::{self, EvaluationError};
use super::functions::{DeclaredParameter, ParameterMeaning};
use super::generic_calls::PendingCall;
use super::infer::{Inference, Ty, VariableKind};
use super::items::Items;
use super::loops::Target;
use super::obligations::Obligation;
use proc_macro2::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An expression whose types may not be known yet.
pub type Node = Expr<Ty>;

/// The meaning of a name in a scope.
#[derive(Clone, Debug)]
pub enum NameMeaning {
    Local(LocalId),
    /// Memory of the module, with its type in this kernel.
    Global(GlobalId, Ty),
    /// A place that was passed by reference to an inlined function.
    Place(Rc<Node>),
    /// A named iterator chain, `let rows = a..b;` or `let items = x.iter();`: the chain with names for its evaluated
    /// parts.
    Chain(Rc<syn::Expr>),
    Closure(ClosureId),
}

/// A local.
pub struct Variable {
    pub name: Name,
    /// The type. For a reference, a reference type.
    pub ty: Ty,
    /// Whether it is written to after its declaration.
    pub mutable: bool,
}

/// The state of lowering one function. See the [module](self).
pub struct Body<'b, 'a> {
    pub items: &'b mut Items<'a>,
    pub types: Inference,
    pub locals: Vec<Variable>,
    pub scopes: Vec<FxHashMap<String, NameMeaning>>,
    /// The globals that this kernel uses, and whether it may write to them.
    pub writable: FxHashMap<GlobalId, bool>,
    pub targets: Vec<Target>,
    pub labels: usize,
    pub closures: Vec<Closure>,
    /// The number of functions that were inlined at calls.
    pub inlined_calls: usize,
    /// The functions that are being inlined.
    pub inlining: Vec<CallableId>,
    /// Set inside a `move` closure that has no copies of its captures: the first local that belongs to the closure
    /// itself.
    pub foreign: Option<usize>,
    /// How the value that a pattern destructures is borrowed, if it is: whether mutably.
    pub borrow: Option<bool>,
    /// The destination of `return`, if it does not leave the function.
    pub returns: Option<ReturnTarget>,
    /// The return type of the function.
    pub result: Ty,
    pub obligations: Vec<Obligation>,
    /// Calls of functions with type parameters, indexed by `ExprKind::Instance`.
    pub pending: Vec<PendingCall>,
    /// Locals that are created when types are written back.
    pub late_locals: Vec<Local>,
    /// The calls of `.len()` and their types.
    pub lengths: Vec<(Span, Ty)>,
    /// Whether this is a constant expression.
    pub constant: bool,
    /// The nesting depth of the current expression.
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
            inlined_calls: 0,
            inlining: Vec::new(),
            foreign: None,
            borrow: None,
            returns: None,
            result,
            obligations: Vec::new(),
            pending: Vec::new(),
            late_locals: Vec::new(),
            lengths: Vec::new(),
            constant,
            depth: 0,
        }
    }

    /// Lowers a constant expression of a type. Returns `None` if it has an error, which has been reported.
    pub fn constant(items: &mut Items<'_>, written: &syn::Expr, expected: &Ty) -> Option<Expr> {
        let mut body = Body::new(items, Ty::Error, true);
        let node = body.expr(written);
        let node = body.coerce(node, expected);
        body.finish_constant(node)
    }

    /// Lowers a workgroup size: a constant expression of type `u32` or `usize`.
    pub fn size(items: &mut Items<'_>, written: &syn::Expr) -> Option<Expr> {
        let mut body = Body::new(items, Ty::Error, true);
        let node = body.expr(written);
        let length = body.types.resolve_shallow(&node.ty) == Ty::USIZE;
        let node = if length { node } else { body.coerce(node, &Ty::U32) };
        body.finish_constant(node)
    }

    fn finish_constant(mut self, node: Node) -> Option<Expr> {
        let errors = self.items.errors.len();
        self.finish_obligations();
        self.note_lengths();
        if self.inlined_calls > 0 {
            self.write_back_locals()?;
        }
        let value = self.write_back(node)?;
        if self.items.errors.len() != errors {
            return None;
        }
        if constants::not_constant(&value).is_none() && !constants::computes_late(&value) {
            return Some(value);
        }
        match evaluate::computed(&self.items.module, &value) {
            Ok(value) => Some(value),
            Err(EvaluationError { place, why }) => {
                self.report(place, why);
                None
            }
        }
    }

    /// Lowers a function. Returns its locals, its body, and the locals that are its parameters, or `None` if it has an
    /// error, which has been reported.
    #[allow(clippy::type_complexity)]
    pub fn function(
        items: &'b mut Items<'a>,
        block: &syn::Block,
        parameters: &[DeclaredParameter],
        result: Ty,
    ) -> Option<(Vec<Local>, Block, Vec<(LocalId, PassMode)>)> {
        let errors = items.errors.len();
        items.running.clear();
        let mut body = Body::new(items, result.clone(), false);
        let mut passed = Vec::new();
        for parameter in parameters {
            let meaning = match parameter.means {
                ParameterMeaning::Global(id) => {
                    let writable = matches!(parameter.ty, Ty::Reference(true, _));
                    body.writable.insert(id, writable);
                    NameMeaning::Global(id, parameter.ty.clone())
                }
                ParameterMeaning::Passed(how) => {
                    let local = body.local(parameter.name.clone(), parameter.ty.clone());
                    passed.push((local, how));
                    NameMeaning::Local(local)
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
                let given = body.bind_argument(pattern, whole, &mut before);
                body.items.errors.keep(given);
            }
        }
        let node = body.block(block);
        let node = after(before, node);
        let node = body.coerce(node, &result);
        body.finish_obligations();
        body.note_lengths();
        let locals = body.write_back_locals();
        let node = body.write_back(node);
        let locals = locals.map(|locals| locals.into_iter().chain(body.late_locals).collect());
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

    /// Adds a local. It is not in a scope yet.
    pub fn local(&mut self, name: Name, ty: Ty) -> LocalId {
        self.locals.push(Variable { name, ty, mutable: false });
        LocalId(self.locals.len() - 1)
    }

    /// Adds a generated local.
    pub fn named_local(&mut self, name: &str, ty: &Ty, place: Place) -> LocalId {
        self.local(Name { text: name.to_owned(), place }, ty.clone())
    }

    /// Gives a name a meaning in the innermost scope.
    pub fn name(&mut self, name: String, meaning: NameMeaning) {
        self.items.running.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, meaning);
        }
    }

    /// Returns the meaning of a name, if it is a local or a parameter.
    pub fn find(&self, name: &str) -> Option<&NameMeaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Runs `inside` in a new scope.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(FxHashMap::default());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// Creates a label.
    pub fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels - 1)
    }

    /// Reports an error.
    pub fn report(&mut self, place: Place, message: impl std::fmt::Display) {
        self.items.errors.push(error(place, message));
    }

    /// Returns the type as written in Rust, with everything that has been inferred so far.
    pub fn describe(&self, ty: &Ty) -> String {
        let deep = self.types.deep(ty);
        self.items.describe_open(&deep, &|ty| match self.types.open(ty) {
            Some(VariableKind::Integer) => "{integer}",
            Some(VariableKind::Length) => "usize",
            Some(VariableKind::Float) => "{float}",
            _ => "_",
        })
    }

    /// Checks that `node` has the expected type, and reports an error if it does not.
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
        self.report(place, format!("expected `{wanted}`, found `{found}`{hint}"));
        error_node(node.place)
    }

    /// Coerces each part of a tuple or array literal, so that errors are located at the parts.
    #[allow(clippy::result_large_err)]
    fn coerce_parts(&mut self, node: Node, expected: &Ty) -> Result<Node, Node> {
        let Node { kind: ExprKind::Construct(parts), ty, diverges, place } = node else {
            return Err(node);
        };
        let wanted: Option<Vec<Ty>> =
            match (self.types.resolve_shallow(expected), self.types.resolve_shallow(&ty)) {
                (Ty::Tuple(wanted), Ty::Tuple(_)) if wanted.len() == parts.len() => Some(wanted),
                (Ty::Array(element, length), Ty::Array(_, given))
                    if self.types.resolve_shallow(&length)
                        == self.types.resolve_shallow(&given) =>
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

    /// Returns the help text for converting a value of one type to another.
    pub fn conversion(&self, expected: &Ty, found: &Ty) -> String {
        use Scalar::{Bool, F16, F32};
        let (expected, found) =
            (self.types.resolve_shallow(expected), self.types.resolve_shallow(found));
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
                ": write it with a decimal point, `1.0`".to_owned()
            }
            (Some(to), None, Some(VariableKind::Float)) if to.is_integer() => {
                format!(": write it without a decimal point, or convert it, `… as {}`", to.name())
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

    /// Creates a node located at tokens.
    pub fn node(&self, kind: ExprKind<Ty>, ty: Ty, tokens: &impl quote::ToTokens) -> Node {
        Expr { kind, ty, diverges: false, place: place(tokens) }
    }
}

/// Creates the placeholder for an expression with an error.
pub fn error_node(place: Place) -> Node {
    Expr { kind: ExprKind::Literal(Literal::Bool(false)), ty: Ty::Error, diverges: false, place }
}

/// Returns the part of an expression that determines its value. Type errors point to it.
fn blame(node: &Node) -> Place {
    match &node.kind {
        ExprKind::Block(None, Block { value: Some(value), .. }) => blame(value),
        _ => node.place,
    }
}
