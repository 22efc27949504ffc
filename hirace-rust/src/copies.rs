//! Copies of values of which a part is atomic in WGSL and plain in Rust: these are read and written part by part.

use super::tree::{
    Block, Count, Expr, ExprKind, For, LabelId, Literal, Local, LocalId, Module, Name, Place,
    Scalar, Statement, Type,
};
use super::walk;

/// Builds the statements of a function that copy such values.
pub(super) struct CopyBuilder<'a> {
    module: &'a Module,
    /// The locals of the function.
    locals: &'a mut Vec<Local>,
    /// The next unused label of the function.
    label: usize,
}

impl<'a> CopyBuilder<'a> {
    /// Creates the builder for a function with these locals and this body.
    pub(super) fn new(module: &'a Module, locals: &'a mut Vec<Local>, body: &Block) -> Self {
        let mut label = 0;
        walk::block_children(body, &mut |expr| label = label.max(labels(expr)));
        Self { module, locals, label }
    }

    /// Returns the value of `place`, in a type without atomics.
    pub(super) fn read(&mut self, mut place: Expr, ty: Type) -> Expr {
        let at = place.place;
        let mut statements = Vec::new();
        self.evaluate_indices(&mut place, &mut statements);
        let copy = self.local("copy", ty, at);
        if let ExprKind::Local(id) = copy.kind {
            statements.push(Statement::Let(id, None, at));
        }
        self.copy(copy.clone(), place, &mut statements);
        let ty = copy.ty.clone();
        let block = Block { statements, value: Some(Box::new(copy)), place: at };
        Expr { kind: ExprKind::Block(None, block), ty, diverges: false, place: at }
    }

    /// Returns `place = value`. The value is evaluated first, as in Rust.
    pub(super) fn write(&mut self, mut place: Expr, value: Expr) -> ExprKind {
        let at = place.place;
        let mut statements = Vec::new();
        let copy = self.local("copy", value.ty.clone(), value.place);
        if let ExprKind::Local(id) = copy.kind {
            let from = value.place;
            statements.push(Statement::Let(id, Some(value), from));
        }
        self.evaluate_indices(&mut place, &mut statements);
        self.copy(place, copy, &mut statements);
        ExprKind::Block(None, Block { statements, value: None, place: at })
    }

    /// Declares a new local and returns it as an expression.
    fn local(&mut self, name: &str, ty: Type, place: Place) -> Expr {
        let name = Name { text: name.to_owned(), place };
        self.locals.push(Local { name, ty: ty.clone(), mutable: true });
        let kind = ExprKind::Local(LocalId(self.locals.len() - 1));
        Expr { kind, ty, diverges: false, place }
    }

    /// Moves the indices of a place into statements, because the place is used several times.
    fn evaluate_indices(&mut self, place: &mut Expr, statements: &mut Vec<Statement>) {
        match &mut place.kind {
            ExprKind::Member(base, _) => self.evaluate_indices(base, statements),
            ExprKind::Index(base, index) => {
                self.evaluate_indices(base, statements);
                if matches!(index.kind, ExprKind::Literal(_) | ExprKind::Const(_)) {
                    return;
                }
                let local = self.local("index", index.ty.clone(), index.place);
                if let ExprKind::Local(id) = local.kind {
                    let at = index.place;
                    let value = std::mem::replace(&mut **index, local);
                    self.locals[id.0].mutable = false;
                    statements.push(Statement::Let(id, Some(value), at));
                }
            }
            _ => {}
        }
    }

    /// Copies from one place to another. Atomics are copied one by one, as plain scalars.
    fn copy(&mut self, to: Expr, from: Expr, statements: &mut Vec<Statement>) {
        let at = if matches!(to.kind, ExprKind::Local(_)) { from.place } else { to.place };
        let of = |base: &Expr, kind: fn(Box<Expr>, usize) -> ExprKind, index: usize, ty: &Type| {
            let kind = kind(Box::new(base.clone()), index);
            Expr { kind, ty: ty.clone(), diverges: false, place: base.place }
        };
        match (&to.ty, &from.ty) {
            (Type::Struct(a), Type::Struct(b)) if a != b => {
                let members = |id: usize| {
                    let declared = self.module.structs.get(id);
                    declared.map(|declared| &declared.members[..]).unwrap_or_default()
                };
                let pairs = members(a.0).iter().zip(members(b.0)).enumerate();
                let parts: Vec<(Expr, Expr)> = pairs
                    .map(|(index, (a, b))| {
                        let part = |base, ty| of(base, ExprKind::Member, index, ty);
                        (part(&to, &a.ty), part(&from, &b.ty))
                    })
                    .collect();
                for (to, from) in parts {
                    self.copy(to, from, statements);
                }
            }
            (Type::Array(a, count), Type::Array(b, _)) if a != b => {
                let (a, b) = ((**a).clone(), (**b).clone());
                let number = |kind| {
                    let ty = Type::Scalar(Scalar::U32);
                    Expr { kind, ty, diverges: false, place: at }
                };
                let end = match count {
                    Count::Literal(count) => ExprKind::Literal(Literal::Int((*count).into())),
                    Count::Const(id) => ExprKind::Const(*id),
                };
                let (start, end) = (number(ExprKind::Literal(Literal::Int(0))), number(end));
                let index = self.local("index", Type::Scalar(Scalar::U32), at);
                let ExprKind::Local(local) = index.kind else { return };
                self.locals[local.0].mutable = false;
                let element = |base: Expr, ty| {
                    let place = base.place;
                    let kind = ExprKind::Index(Box::new(base), Box::new(index.clone()));
                    Expr { kind, ty, diverges: false, place }
                };
                let mut inner = Vec::new();
                self.copy(element(to, a), element(from, b), &mut inner);
                let body = Block { statements: inner, value: None, place: at };
                let label = LabelId(self.label);
                self.label += 1;
                let (step, inclusive, reversed) = (None, false, false);
                let repeated = For { label, local, start, end, inclusive, step, reversed, body };
                statements.push(Statement::Expr(unit(ExprKind::For(Box::new(repeated)), at)));
            }
            _ => {
                let assign = ExprKind::Assign(Box::new(plain(to)), Box::new(plain(from)));
                statements.push(Statement::Expr(unit(assign, at)));
            }
        }
    }
}

fn unit(kind: ExprKind, place: Place) -> Expr {
    Expr { kind, ty: Type::Unit, diverges: false, place }
}

/// Returns a place with its type in Rust.
fn plain(place: Expr) -> Expr {
    let Type::Atomic(scalar) = place.ty else { return place };
    let (at, diverges) = (place.place, place.diverges);
    let kind = ExprKind::Plain(Box::new(place));
    Expr { kind, ty: Type::Scalar(scalar), diverges, place: at }
}

/// Returns the first label that does not occur in an expression.
fn labels(expr: &Expr) -> usize {
    let mut next = match &expr.kind {
        ExprKind::Block(Some(label), _) | ExprKind::Loop(label, _) | ExprKind::While(label, ..) => {
            label.0 + 1
        }
        ExprKind::For(repeated) => repeated.label.0 + 1,
        _ => 0,
    };
    walk::children(expr, &mut |child| next = next.max(labels(child)));
    next
}
