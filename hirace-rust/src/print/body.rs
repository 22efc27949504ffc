//! The state of printing a function's body.

use super::expr::{Effect, Piece, Precedence};
use super::flow::Frame;
use super::names::Names;
use super::text::{Lines, Text};
use super::types::Scope;
use crate::tree::{Expr, Function, LocalId, PassMode, Place, Type};

/// The representation of a local in WGSL.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// A `let`, or a parameter.
    Let(String),
    /// A `var`, and whether it is assigned to after its initial value.
    Var(String, bool),
    /// A parameter of type `ptr<function, T>`.
    Pointer(String),
    /// Another name for a value.
    Alias(Piece),
    /// A local of type `()`, which WGSL does not have.
    Omitted,
}

/// The printer of one function.
pub(super) struct Body<'a> {
    pub(super) scope: &'a Scope<'a>,
    /// The function, or `None` for constant expressions of the module.
    pub(super) function: Option<&'a Function>,
    pub(super) locals: Vec<Local>,
    /// The lines printed so far in the innermost block.
    pub(super) lines: Lines,
    /// The nesting depth of the innermost block.
    pub(super) depth: usize,
    /// The enclosing loops and labeled blocks, outermost first.
    pub(super) frames: Vec<Frame>,
    pub(super) names: Names,
    /// The number of `return`s printed so far.
    pub(super) returns: usize,
    pub(super) errors: Vec<syn::Error>,
}

impl<'a> Body<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, function: Option<&'a Function>) -> Self {
        let mut names = scope.names.borrow().clone();
        let locals = function.map(|function| &function.locals[..]).unwrap_or_default();
        let locals = locals.iter().map(|local| match local.ty {
            Type::Unit => Local::Omitted,
            _ if local.mutable => Local::Var(names.unique(&local.name.text), true),
            _ => Local::Let(names.unique(&local.name.text)),
        });
        let locals = locals.collect();
        Self {
            scope,
            function,
            locals,
            lines: Lines::default(),
            depth: 1,
            frames: Vec::new(),
            names,
            returns: 0,
            errors: Vec::new(),
        }
    }

    /// Returns the declarations of the parameters. Parameters that are assigned to are copied to variables.
    pub(super) fn parameters(&mut self, function: &Function) -> Text {
        let mut text = Text::default();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let Some(local) = function.locals.get(parameter.local.0) else { continue };
            let ty = self.scope.ty(&local.ty);
            let name = match self.locals.get(parameter.local.0) {
                Some(Local::Let(name) | Local::Var(name, _)) => name.clone(),
                _ => self.names.unique(&local.name.text),
            };
            let before = if index > 0 { ", " } else { "" };
            let attribute = match parameter.passed {
                PassMode::BuiltIn(built_in) => format!("@builtin({built_in}) "),
                _ => String::new(),
            };
            let declaration = match parameter.passed {
                PassMode::Mutable => {
                    self.locals[parameter.local.0] = Local::Pointer(name.clone());
                    format!("{name}: ptr<function, {ty}>")
                }
                _ if local.mutable => {
                    let given = self.names.unique(&name);
                    let line = format!("var {name}: {ty} = {given};");
                    self.line(Text::from(line).at(local.name.place));
                    format!("{attribute}{given}: {ty}")
                }
                _ => format!("{attribute}{name}: {ty}"),
            };
            text.push(&Text::from(before));
            text.push(&Text::from(declaration).at(local.name.place));
        }
        text
    }

    /// Adds a line to the innermost block.
    pub(super) fn line(&mut self, text: impl Into<Text>) {
        self.lines.line(self.depth, &text.into());
    }

    /// Runs `print` and returns the statements that it prints instead of adding them.
    pub(super) fn capture_lines<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> (Lines, T) {
        let outer = std::mem::take(&mut self.lines);
        let result = print(self);
        (std::mem::replace(&mut self.lines, outer), result)
    }

    /// Runs `print` one level deeper and returns the statements that it prints.
    pub(super) fn nested<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> (Lines, T) {
        self.depth += 1;
        let result = self.capture_lines(print);
        self.depth -= 1;
        result
    }

    /// Adds `head {`, the inner lines, and `}`.
    pub(super) fn braces(&mut self, head: Text, inner: &Lines, close: Option<Place>) {
        self.line(head.str(" {"));
        self.lines.nest(inner);
        let brace = Text::from("}");
        self.line(match close {
            Some(place) => brace.at(Place { first: place.last, last: place.last }),
            None => brace,
        });
    }

    /// Returns a name that is unused in the function.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.names.unique(wanted)
    }

    /// Binds a value to a name, unless it is already simple or its evaluation order does not matter.
    pub(super) fn bind_unless_constant(&mut self, piece: &mut Piece, ty: &Type) {
        if piece.effect != Effect::Constant {
            self.bind(piece, ty);
        }
    }

    /// Binds a value to a name, unless it already is a name or a literal.
    pub(super) fn bind(&mut self, piece: &mut Piece, ty: &Type) {
        if piece.is_simple() || *ty == Type::Unit {
            return;
        }
        let name = self.fresh("value");
        // The module `deferred` explains this.
        let keyword = if ty.is_computed_late() { "var" } else { "let" };
        let line = format!("{keyword} {name}: {} = ", self.scope.ty(ty));
        self.line(Text::from(line).text(&piece.text).str(";"));
        *piece = Piece::primary(name, Effect::Constant);
    }

    /// Returns the representation of a local.
    pub(super) fn local(&self, id: LocalId) -> Local {
        self.locals.get(id.0).cloned().unwrap_or(Local::Omitted)
    }

    /// Returns a local as a value or a place.
    pub(super) fn local_piece(&self, id: LocalId) -> Piece {
        match self.local(id) {
            Local::Let(name) | Local::Var(name, false) => Piece::primary(name, Effect::Constant),
            Local::Var(name, true) => Piece::primary(name, Effect::Reads),
            Local::Pointer(name) => Piece {
                level: Precedence::Unary,
                ..Piece::primary(format!("*{name}"), Effect::Reads)
            },
            Local::Alias(piece) => piece,
            Local::Omitted => Piece::primary("false", Effect::Constant),
        }
    }

    /// Records an error.
    pub(super) fn error(&mut self, place: Place, message: &str) {
        self.errors.push(error(place, message));
    }

    /// Returns an arbitrary value of the expression's type. It is used after an error, and where control never
    /// arrives.
    pub(super) fn placeholder(&self, expr: &Expr) -> Piece {
        match &expr.ty {
            Type::Unit => Piece::primary("false", Effect::Constant),
            ty => Piece::primary(format!("{}()", self.scope.ty(ty)), Effect::Constant),
        }
    }
}

/// Creates an error at a place.
pub(super) fn error(place: Place, message: &str) -> syn::Error {
    let token = |span| proc_macro2::Ident::new("here", span);
    let (first, last) = (token(place.first), token(place.last));
    syn::Error::new_spanned(quote::quote!(#first #last), message)
}
