//! The mutable syntax of Rust kernels. Only the monitored items of a file are considered.

mod iterations;

use super::loops;
use super::{Atomic, Edit, Loop, Parts, Rmw, Syntax, SyntaxOccurrence, Token};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::front::rust::find::find;
use hirace_core::source_map::Span;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprMethodCall, FnArg, Lit, Pat, Stmt, UnOp};

/// Built-in ids that may be confused with each other, and ids that are scalars.
const IDS: [&str; 4] =
    ["global_invocation_id", "local_invocation_id", "workgroup_id", "local_invocation_index"];

const BARRIERS: [&str; 4] =
    ["workgroup_barrier", "storage_barrier", "texture_barrier", "subgroup_barrier"];

/// Atomic operations: methods and functions.
const ATOMICS: [(&str, &str, Rmw); 8] = [
    ("fetch_add", "atomic_add", Rmw::Add),
    ("fetch_sub", "atomic_sub", Rmw::Sub),
    ("fetch_min", "atomic_min", Rmw::Min),
    ("fetch_max", "atomic_max", Rmw::Max),
    ("fetch_and", "atomic_and", Rmw::And),
    ("fetch_or", "atomic_or", Rmw::Or),
    ("fetch_xor", "atomic_xor", Rmw::Xor),
    ("swap", "atomic_exchange", Rmw::Exchange),
];

/// Returns the mutable syntax in the monitored items of a file.
pub fn find_syntax(text: &str) -> Result<Vec<SyntaxOccurrence>> {
    let file = parsed(text)?;
    let mut items = Items { text, found: Vec::new(), ..Items::default() };
    for item in &find(&file).items {
        // Tokens have no comments.
        let tokens = text[span(item).range(text)].parse::<TokenStream>();
        let words = tokens.map(|tokens| tokens.to_string()).unwrap_or_default();
        items.has_subgroups = words.contains("subgroup");
        items.visit_item(item);
    }
    items.found.sort_by_key(|found| start(&found.syntax));
    Ok(items.found)
}

/// Returns the partition of a file.
pub fn parts(text: &str) -> Result<Parts> {
    let file = parsed(text)?;
    let imports = file.items.iter().filter(|item| matches!(item, syn::Item::Use(_)));
    let (items, imports) =
        (find(&file).items.iter().map(span).collect(), imports.map(span).collect());
    Ok(Parts { items, imports })
}

fn parsed(text: &str) -> Result<syn::File> {
    syn::parse_file(text)
        .map_err(|error| Box::new(Diagnostic::new(format!("this is not valid Rust: {error}"))))
}

fn span(of: &impl Spanned) -> Span {
    let range = of.span().byte_range();
    Span::new(range.start as u32, range.end as u32)
}

fn start(syntax: &Syntax) -> Span {
    match syntax {
        Syntax::Binary { token, .. }
        | Syntax::Unary(token)
        | Syntax::Step(token)
        | Syntax::Workgroup(token)
        | Syntax::Assign { token, .. }
        | Syntax::IdName { name: token, .. }
        | Syntax::Builtin { name: token, .. } => token.at,
        Syntax::Barrier { statement, .. } => *statement,
        Syntax::UniformLoad { call, .. } => *call,
        Syntax::Texel { coordinates, .. } => *coordinates,
        Syntax::Loop(of) => of.none.at,
        Syntax::Atomic(atomic) => atomic.statement,
        Syntax::Id { at, .. } => *at,
        Syntax::WorkgroupSize(sizes) => sizes.first().map_or(Span::default(), |size| size.at),
    }
}

#[derive(Default)]
struct Items<'t> {
    text: &'t str,
    function: Option<String>,
    /// The built-in ids of the current function, by parameter name.
    ids: BTreeMap<String, String>,
    /// The textures of the current function, with the number of coordinates of a texel.
    textures: BTreeMap<String, usize>,
    /// Starts of `!` operators that are bitwise: Rust uses the same sign for both.
    of_bits: Vec<Span>,
    /// Whether the current item mentions subgroups.
    has_subgroups: bool,
    found: Vec<SyntaxOccurrence>,
}

impl Items<'_> {
    fn add(&mut self, syntax: Syntax) {
        self.found.push(SyntaxOccurrence { syntax, function: self.function.clone() });
    }

    fn shown(&self, of: &impl Spanned) -> &str {
        &self.text[span(of).range(self.text)]
    }

    fn token(&self, of: &impl Spanned) -> Token {
        Token { at: span(of), text: self.shown(of).to_owned() }
    }

    /// Adds the workgroup size from the attributes of a function.
    fn attributes(&mut self, attributes: &[syn::Attribute]) {
        for attribute in attributes {
            if let syn::Meta::List(list) = &attribute.meta {
                self.sizes(list.tokens.clone());
            }
        }
    }

    fn sizes(&mut self, tokens: TokenStream) {
        let mut left = tokens.into_iter().peekable();
        while let Some(token) = left.next() {
            let is_size = matches!(&token, TokenTree::Ident(name) if name == "workgroup_size");
            if let (true, Some(TokenTree::Group(group))) = (is_size, left.peek()) {
                let all: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
                let parts = all.split(is_comma).filter(|part| !part.is_empty());
                let sizes: Vec<Token> =
                    parts.map(|part| self.between(&part[0], &part[part.len() - 1])).collect();
                self.add(Syntax::WorkgroupSize(sizes));
            }
        }
    }

    fn between(&self, first: &impl Spanned, last: &impl Spanned) -> Token {
        let at = Span::new(span(first).start, span(last).end);
        Token { at, text: self.text[at.range(self.text)].to_owned() }
    }

    /// Adds the syntax in the parameters of a function.
    fn parameters(&mut self, signature: &syn::Signature) {
        let mut builtins: Vec<Token> = Vec::new();
        let mut workgroups = Vec::new();
        for argument in &signature.inputs {
            let FnArg::Typed(argument) = argument else { continue };
            let Pat::Ident(name) = &*argument.pat else { continue };
            for attribute in &argument.attrs {
                match &attribute.meta {
                    syn::Meta::List(list) if list.path.is_ident("builtin") => {
                        let builtin = self.token(&list.tokens);
                        if IDS.contains(&&builtin.text[..]) {
                            self.ids.insert(name.ident.to_string(), builtin.text.clone());
                            builtins.push(builtin);
                        }
                    }
                    syn::Meta::Path(path) if path.is_ident("workgroup") => {
                        workgroups.push(self.token(path));
                    }
                    _ => {}
                }
            }
            let ty = self.shown(&*argument.ty);
            let dimensions = [("1d", 1), ("2d", 2), ("3d", 3), ("1D", 1), ("2D", 2), ("3D", 3)];
            let found = dimensions.iter().find(|(part, _)| ty.contains(part));
            if let (true, Some((_, count))) = (ty.contains("Texture"), found) {
                self.textures.insert(name.ident.to_string(), *count);
            }
        }
        for name in &builtins {
            let declared = builtins.iter().filter(|other| *other != name);
            let declared = declared.map(|other| other.text.clone()).collect();
            self.add(Syntax::Builtin { name: name.clone(), declared });
        }
        workgroups.into_iter().for_each(|token| self.add(Syntax::Workgroup(token)));
    }

    /// Adds the name of a built-in id, if it is one and others are declared next to it.
    fn id_name(&mut self, ident: &syn::Ident) {
        let name = ident.to_string();
        let Some(builtin) = self.ids.get(&name).filter(|id| *id != "local_invocation_index") else {
            return;
        };
        let others = self.ids.iter().filter(|(other, _)| **other != name);
        let others: Vec<_> = others.map(|(name, of)| (of.clone(), name.clone())).collect();
        if !others.is_empty() {
            let builtin = builtin.clone();
            self.add(Syntax::IdName { name: self.token(ident), builtin, others });
        }
    }

    /// Adds an atomic operation in a statement of its own.
    fn statement(&mut self, statement: &Stmt) {
        let (before, old, value) = match statement {
            Stmt::Expr(Expr::Assign(assign), Some(_)) => match &*assign.left {
                Expr::Path(path) => (
                    Some(span(&assign.left).start),
                    Some(self.shown(path).to_owned()),
                    &*assign.right,
                ),
                _ => return,
            },
            Stmt::Expr(value, Some(_)) => (None, None, value),
            Stmt::Local(local) => {
                let Some(init) = &local.init else { return };
                let mut pattern = &local.pat;
                if let Pat::Type(typed) = pattern {
                    pattern = &typed.pat;
                }
                match pattern {
                    Pat::Ident(name) => {
                        (Some(span(local).start), Some(name.ident.to_string()), &*init.expr)
                    }
                    // The old value is discarded.
                    Pat::Wild(_) => (Some(span(local).start), None, &*init.expr),
                    _ => return,
                }
            }
            _ => return,
        };
        if old.as_deref() == Some("_") {
            return;
        }
        let Some((operation, operand, load, store)) = self.operation(value) else { return };
        let at = span(value);
        let begin = before.unwrap_or(at.start);
        let before = Span::new(begin, at.start).range(self.text);
        let atomic = Atomic {
            statement: Span::new(begin, at.end),
            before: self.text[before].to_owned(),
            kept: old
                .as_ref()
                .filter(|old| loops::words(&format!("{operand} {load}")).any(|word| word == *old))
                .map(|_| "let old_value = ".to_owned()),
            old,
            operation,
            operand,
            load,
            store,
        };
        self.add(Syntax::Atomic(atomic));
    }

    /// Parses an atomic operation: the operation, its operand, and the texts that read and write its memory.
    fn operation(&self, value: &Expr) -> Option<(Rmw, String, String, [String; 2])> {
        match value {
            Expr::MethodCall(call) if call.args.len() == 1 => {
                let (.., operation) = ATOMICS.iter().find(|(method, ..)| call.method == method)?;
                let place = self.shown(&*call.receiver);
                let store = [format!("{place}.store("), ")".to_owned()];
                let operand = self.shown(&call.args[0]).to_owned();
                Some((*operation, operand, format!("{place}.load()"), store))
            }
            Expr::Call(call) if call.args.len() == 2 => {
                let name = self.shown(&*call.func);
                let (.., operation) = ATOMICS.iter().find(|(_, function, _)| name == *function)?;
                let place = self.shown(&call.args[0]);
                let store = [format!("atomic_store({place}, "), ")".to_owned()];
                let operand = self.shown(&call.args[1]).to_owned();
                Some((*operation, operand, format!("atomic_load({place})"), store))
            }
            _ => None,
        }
    }

    /// Adds a barrier that is called in a statement of its own.
    fn barrier(&mut self, statement: &Stmt) {
        let Stmt::Expr(Expr::Call(call), _) = statement else { return };
        let name = self.token(&*call.func);
        if BARRIERS.contains(&&name.text[..]) && call.args.is_empty() {
            let statement = span(statement);
            let has_subgroups = self.has_subgroups;
            self.add(Syntax::Barrier { name, statement, has_subgroups });
        }
    }

    /// Adds the coordinates of a texel access, if the expression is a texture.
    fn texel(&mut self, texture: &Expr, coordinates: &Expr) {
        let Expr::Path(path) = texture else { return };
        let name = path.path.get_ident().map(ToString::to_string);
        if let Some(&dimensions) = name.and_then(|name| self.textures.get(&name)) {
            let coordinates = span(coordinates);
            self.add(Syntax::Texel { coordinates, dimensions });
        }
    }

    /// Returns the span of an operand that ends in a type, where a following `<` would start generic arguments.
    fn cast(&self, operand: &Expr) -> Option<Span> {
        match operand {
            Expr::Cast(_) => Some(span(operand)),
            Expr::Binary(binary) => self.cast(&binary.right),
            Expr::Unary(unary) => self.cast(&unary.expr),
            _ => None,
        }
    }
}

fn assigns(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// Returns whether an operator can have numbers as operands and result.
fn is_of_numbers(operator: &BinOp) -> bool {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    let computes = matches!(
        operator,
        Add(_)
            | Sub(_)
            | Mul(_)
            | Div(_)
            | Rem(_)
            | BitXor(_)
            | BitAnd(_)
            | BitOr(_)
            | Shl(_)
            | Shr(_)
    );
    computes || assigns(operator)
}

fn bare(mut expression: &Expr) -> &Expr {
    while let Expr::Paren(paren) = expression {
        expression = &paren.expr;
    }
    expression
}

/// Returns whether an expression is known to be boolean.
fn is_truth(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Binary(binary) => !is_of_numbers(&binary.op),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) && is_truth(&unary.expr),
        Expr::Lit(literal) => matches!(literal.lit, Lit::Bool(_)),
        _ => false,
    }
}

fn is_one(expression: &Expr) -> bool {
    let Expr::Lit(literal) = expression else { return false };
    match &literal.lit {
        Lit::Int(number) => number.base10_digits() == "1",
        Lit::Float(number) => number.base10_parse().is_ok_and(|number: f64| number == 1.0),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Items<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let outer = (
            self.function.replace(function.sig.ident.to_string()),
            std::mem::take(&mut self.ids),
            std::mem::take(&mut self.textures),
        );
        self.attributes(&function.attrs);
        self.parameters(&function.sig);
        visit::visit_item_fn(self, function);
        (self.function, self.ids, self.textures) = outer;
    }

    // Arguments of macros and attributes are not code of the kernel.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        self.barrier(statement);
        self.statement(statement);
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let token = self.token(&binary.op);
        if is_of_numbers(&binary.op) {
            for side in [&binary.left, &binary.right] {
                if let Expr::Unary(unary) = bare(side)
                    && matches!(unary.op, UnOp::Not(_))
                    && !is_truth(&unary.expr)
                {
                    self.of_bits.push(span(&unary.op));
                }
            }
        }
        self.add(match assigns(&binary.op) {
            true => Syntax::Assign { token, by_one: is_one(&binary.right) },
            false => Syntax::Binary { token, cast: self.cast(&binary.left) },
        });
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) {
            let mut token = self.token(&unary.op);
            if self.of_bits.contains(&token.at) {
                "~".clone_into(&mut token.text);
            }
            self.add(Syntax::Unary(token));
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_for_loop(&mut self, of: &'ast syn::ExprForLoop) {
        let found = self.for_range(&of.expr, &of.body);
        self.add(Syntax::Loop(found));
        visit::visit_expr_for_loop(self, of);
    }

    fn visit_expr_while(&mut self, of: &'ast syn::ExprWhile) {
        let (less, more) = self.bounds(&of.cond, false, &of.body);
        let none = Edit::new(span(&*of.cond), "false");
        self.add(Syntax::Loop(Loop { none, less, more }));
        visit::visit_expr_while(self, of);
    }

    fn visit_expr_loop(&mut self, of: &'ast syn::ExprLoop) {
        // The exit is the first or the last statement of the body.
        let mut ends = of.body.stmts.first().into_iter().chain(of.body.stmts.last());
        let exit = ends.find_map(|statement| match statement {
            Stmt::Expr(Expr::If(branch), _) if branch.else_branch.is_none() => {
                let [Stmt::Expr(Expr::Break(exit), _)] = &branch.then_branch.stmts[..] else {
                    return None;
                };
                let own = of.label.as_ref().map(|label| &label.name.ident);
                let left = exit.label.as_ref().map(|label| &label.ident);
                (left.is_none() || left == own).then_some(&*branch.cond)
            }
            _ => None,
        });
        let (less, more) = match exit {
            Some(condition) => self.bounds(condition, true, &of.body),
            None => (None, None),
        };
        let none = self.leave(&of.body);
        self.add(Syntax::Loop(Loop { none, less, more }));
        visit::visit_expr_loop(self, of);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if (call.method == "load" || call.method == "store")
            && let Some(coordinates) = call.args.first()
        {
            self.texel(&call.receiver, coordinates);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name = self.shown(&*call.func);
        if (name == "texture_load" || name == "texture_store")
            && let (Some(texture), Some(coordinates)) = (call.args.first(), call.args.get(1))
        {
            self.texel(texture, coordinates);
        }
        if self.shown(&*call.func) == "workgroup_uniform_load"
            && let Some(place) = call.args.first()
        {
            let (call, place) = (span(call), span(place));
            self.add(Syntax::UniformLoad { call, place });
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        if let Expr::Path(path) = &*field.base
            && let Some(name) = path.path.get_ident()
            && self.ids.contains_key(&name.to_string())
            && let syn::Member::Named(axis) = &field.member
            && (axis == "x" || axis == "y" || axis == "z")
        {
            self.id_name(name);
            let (at, of, axis) = (span(field), self.token(name), self.token(axis));
            self.add(Syntax::Id { at, of, axis: Some(axis) });
            return;
        }
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            self.id_name(name);
        }
        if let Some(name) = path.path.get_ident()
            && self.ids.get(&name.to_string()).is_some_and(|id| id == "local_invocation_index")
        {
            let of = self.token(name);
            self.add(Syntax::Id { at: of.at, of, axis: None });
        }
    }
}
