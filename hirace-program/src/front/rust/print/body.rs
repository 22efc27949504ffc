//! The body of a function while it is printed.

use super::expr::{Effect, Level, Piece};
use super::flow::Frame;
use super::names::Names;
use super::text::{Lines, Text};
use super::types::Scope;
use crate::front::rust::tree::{Expr, Function, LocalId, Passed, Place, Type};

/// What a local is in WGSL.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// `let`, or a parameter.
    Let(String),
    /// `var`; whether anything assigns to it after its first value.
    Var(String, bool),
    /// A parameter of type `ptr<function, T>`.
    Pointer(String),
    /// Another name for a value.
    Alias(Piece),
    /// Of type `()`.
    Nothing,
}

/// The printer of one function.
pub(super) struct Body<'a> {
    pub(super) scope: &'a Scope<'a>,
    /// `None` for constant expressions of the module.
    pub(super) function: Option<&'a Function>,
    pub(super) locals: Vec<Local>,
    /// What has been printed of the innermost block.
    pub(super) lines: Lines,
    /// How deep that is nested.
    pub(super) depth: usize,
    /// Loops and labelled blocks around, outer ones first.
    pub(super) frames: Vec<Frame>,
    pub(super) names: Names,
    /// How many `return`s have been printed.
    pub(super) returns: usize,
    pub(super) errors: Vec<syn::Error>,
}

impl<'a> Body<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, function: Option<&'a Function>) -> Self {
        let mut names = scope.names.borrow().clone();
        let locals = function.map(|function| &function.locals[..]).unwrap_or_default();
        let locals = locals.iter().map(|local| match local.ty {
            Type::Unit => Local::Nothing,
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

    /// The parameters' declarations; those that are assigned to become variables.
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
                Passed::BuiltIn(built_in) => format!("@builtin({built_in}) "),
                _ => String::new(),
            };
            let declaration = match parameter.passed {
                Passed::Mutable => {
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

    /// Runs `print`, whose statements come back instead of being added.
    pub(super) fn apart<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> (Lines, T) {
        let outer = std::mem::take(&mut self.lines);
        let result = print(self);
        (std::mem::replace(&mut self.lines, outer), result)
    }

    /// Likewise, one level deeper.
    pub(super) fn nested<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> (Lines, T) {
        self.depth += 1;
        let result = self.apart(print);
        self.depth -= 1;
        result
    }

    /// `head {`, the inner lines, and `}`.
    pub(super) fn braces(&mut self, head: Text, inner: &Lines, close: Option<Place>) {
        self.line(head.str(" {"));
        self.lines.nest(inner);
        let brace = Text::from("}");
        self.line(match close {
            Some(place) => brace.at(Place { first: place.last, last: place.last }),
            None => brace,
        });
    }

    /// A name that nothing in the function has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.names.unique(wanted)
    }

    /// Binds a value to a name, unless it is one or gives the same at any time.
    pub(super) fn bind_unless_constant(&mut self, piece: &mut Piece, ty: &Type) {
        if piece.effect != Effect::Constant {
            self.bind(piece, ty);
        }
    }

    /// Binds a value to a name, unless it is a name or a literal already.
    pub(super) fn bind(&mut self, piece: &mut Piece, ty: &Type) {
        if piece.is_simple() || *ty == Type::Unit {
            return;
        }
        let name = self.fresh("value");
        // See `wide`.
        let keyword = if ty.is_computed_late() { "var" } else { "let" };
        let line = format!("{keyword} {name}: {} = ", self.scope.ty(ty));
        self.line(Text::from(line).text(&piece.text).str(";"));
        *piece = Piece::primary(name, Effect::Constant);
    }

    /// What a local is.
    pub(super) fn local(&self, id: LocalId) -> Local {
        self.locals.get(id.0).cloned().unwrap_or(Local::Nothing)
    }

    /// The value of a local, or the place.
    pub(super) fn local_piece(&self, id: LocalId) -> Piece {
        match self.local(id) {
            Local::Let(name) | Local::Var(name, false) => Piece::primary(name, Effect::Constant),
            Local::Var(name, true) => Piece::primary(name, Effect::Reads),
            Local::Pointer(name) => {
                Piece { level: Level::Unary, ..Piece::primary(format!("*{name}"), Effect::Reads) }
            }
            Local::Alias(piece) => piece,
            Local::Nothing => Piece::primary("false", Effect::Constant),
        }
    }

    /// Notes an error.
    pub(super) fn error(&mut self, place: Place, message: &str) {
        self.errors.push(error(place, message));
    }

    /// Something of a type, where what is wrong has been said already or control does not come.
    pub(super) fn nothing(&self, expr: &Expr) -> Piece {
        match &expr.ty {
            Type::Unit => Piece::primary("false", Effect::Constant),
            ty => Piece::primary(format!("{}()", self.scope.ty(ty)), Effect::Constant),
        }
    }
}

/// An error at a place.
pub(in super::super) fn error(place: Place, message: &str) -> syn::Error {
    let token = |span| proc_macro2::Ident::new("here", span);
    let (first, last) = (token(place.first), token(place.last));
    syn::Error::new_spanned(quote::quote!(#first #last), message)
}
