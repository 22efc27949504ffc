//! Declarations, and the text of a whole module.

use super::body::Body;
use super::flow::Destination;
use super::names;
use super::text::Text;
use super::types::Scope;
use super::{Printed, Selection};
use crate::tree::{
    Binding, Const, ConstId, ConstKind, Count, Expr, Function, Global, Module, Scalar, Space,
    Struct, Type,
};
use rustc_hash::FxHashSet;

/// Prints a module with these values of const parameters.
pub(super) fn print(module: &Module, given: &[(ConstId, u32)]) -> syn::Result<Printed> {
    let shown = shown(module, given);
    let scope = Scope::new(module, &shown);
    let mut printer = Printer { scope: &scope, errors: Vec::new(), text: Text::default() };
    for (index, declared) in module.structs.iter().enumerate() {
        printer.structure(declared, &scope.structs[index]);
    }
    for (index, constant) in module.consts.iter().enumerate() {
        let value = given.iter().find(|(id, _)| id.0 == index).map(|(_, value)| *value);
        printer.constant(constant, &scope.consts[index], value);
    }
    for (index, global) in module.globals.iter().enumerate() {
        if shown[index] {
            printer.global(global, &scope.globals[index]);
        }
    }
    for (index, function) in module.functions.iter().enumerate() {
        printer.function(function, &scope.functions[index]);
    }
    let Printer { text, errors, .. } = printer;
    if let Some(error) = errors.into_iter().reduce(|mut all, error| {
        all.combine(error);
        all
    }) {
        return Err(error);
    }
    let text = text.str(&scope.generated_structs());
    let text = if scope.has_halves() { Text::from("enable f16;\n").text(&text) } else { text };
    let (wgsl, map) = text.finish();
    Ok(Printed { wgsl, map, names: scope.renamed() })
}

/// Returns which globals are printed: of several with one name, the one that the printed kernels use.
fn shown(module: &Module, given: &[(ConstId, u32)]) -> Vec<bool> {
    let entries = module.functions.iter().filter_map(|function| function.entry.as_ref());
    let used: FxHashSet<usize> = entries.flat_map(|entry| &entry.globals).map(|id| id.0).collect();
    let is_bound = |global: &Global| !matches!(global.space, Space::Workgroup | Space::Private);
    let is_one = |index: usize, global: &Global| {
        used.contains(&index)
            || !is_bound(global)
            || module.globals.iter().enumerate().all(|(other, of)| {
                other == index || !is_bound(of) || of.name.text != global.name.text
            })
    };
    let globals = module.globals.iter().enumerate();
    globals.map(|(index, of)| printed(module, &of.ty, given) && is_one(index, of)).collect()
}

/// Returns the const parameters with their values.
pub(super) fn given(module: &Module, selection: &Selection) -> Vec<(ConstId, u32)> {
    let Selection::Instance(id, values) = selection else { return Vec::new() };
    let entry = module.functions.get(id.0).and_then(|function| function.entry.as_ref());
    let generics = entry.map(|entry| &entry.generics[..]).unwrap_or_default();
    generics.iter().copied().zip(values.iter().copied()).collect()
}

/// Returns whether a type can be printed: it does not depend on const parameters of other kernels.
fn printed(module: &Module, ty: &Type, given: &[(ConstId, u32)]) -> bool {
    match ty {
        Type::Array(of, count) => {
            let known = match count {
                Count::Const(id) => {
                    let constant = module.consts.get(id.0).map(|constant| &constant.kind);
                    !matches!(constant, Some(ConstKind::Parameter))
                        || given.iter().any(|(of, _)| of == id)
                }
                Count::Literal(_) => true,
            };
            known && printed(module, of, given)
        }
        Type::Slice(of) => printed(module, of, given),
        _ => true,
    }
}

struct Printer<'a> {
    scope: &'a Scope<'a>,
    errors: Vec<syn::Error>,
    text: Text,
}

impl Printer<'_> {
    fn add(&mut self, text: Text) {
        self.text.push(&text);
    }

    fn structure(&mut self, declared: &Struct, name: &str) {
        let mut text = Text::from(format!("struct {name} {{\n"));
        for member in &declared.members {
            let align = member.align.map(|n| format!("@align({n}) ")).unwrap_or_default();
            let size = member.size.map(|n| format!("@size({n}) ")).unwrap_or_default();
            let (name, ty) = (names::member(&member.name.text), self.scope.ty(&member.ty));
            let line = Text::from(format!("{align}{size}{name}: {ty}")).at(member.name.place);
            text = text.str("    ").text(&line).str(",\n");
        }
        self.add(text.str("}\n"));
    }

    fn constant(&mut self, constant: &Const, name: &str, given: Option<u32>) {
        let ty = self.scope.ty(&constant.ty);
        let head = match &constant.kind {
            ConstKind::Const(_) => format!("const {name}: {ty} = "),
            ConstKind::Parameter => {
                let Some(value) = given else { return };
                // The value always takes the same number of characters.
                let value = match constant.ty {
                    Type::Scalar(Scalar::Bool) => format!("0x{value:08x}u != 0u"),
                    Type::Scalar(scalar) if scalar.is_signed() => format!("i32(0x{value:08x}u)"),
                    _ => format!("0x{value:08x}u"),
                };
                format!("const {name}: {ty} = {value}")
            }
            ConstKind::Override(_, Some(id)) => format!("@id({id}) override {name}: {ty} = "),
            ConstKind::Override(_, None) => format!("override {name}: {ty} = "),
        };
        let mut text = Text::from(head);
        if let ConstKind::Const(value) | ConstKind::Override(value, _) = &constant.kind {
            text = text.text(&self.constant_expression(value));
        }
        self.add(text.str(";").at(constant.name.place).str("\n"));
    }

    /// Prints a constant expression.
    fn constant_expression(&mut self, expr: &Expr) -> Text {
        let mut body = Body::new(self.scope, None);
        let piece = body.value(expr);
        if !body.lines.is_empty() {
            let message = "a constant in WGSL cannot contain statements: write it as one expression of operators, \
                           functions and constants";
            body.error(expr.place, message);
        }
        self.errors.append(&mut body.errors);
        piece.text.at(expr.place)
    }

    fn global(&mut self, global: &Global, name: &str) {
        let at = |Binding { group, binding }| format!("@group({group}) @binding({binding}) ");
        let (attributes, space) = match global.space {
            Space::StorageRead(binding) => (at(binding), "<storage, read>"),
            Space::StorageReadWrite(binding) => (at(binding), "<storage, read_write>"),
            Space::Uniform(binding) => (at(binding), "<uniform>"),
            Space::Handle(binding) => (at(binding), ""),
            Space::Workgroup => (String::new(), "<workgroup>"),
            Space::Private => (String::new(), "<private>"),
        };
        let ty = self.scope.ty(&global.ty);
        let text = Text::from(format!("{attributes}var{space} {name}: {ty};"));
        self.add(text.at(global.name.place).str("\n"));
    }

    fn function(&mut self, function: &Function, name: &str) {
        let mut text = Text::default();
        if let Some(entry) = &function.entry {
            let mut size = Vec::new();
            for expr in &entry.workgroup_size {
                size.push(self.constant_expression(expr));
            }
            text.push(&super::place::call("@compute @workgroup_size", &size).str("\n"));
        }
        let mut body = Body::new(self.scope, Some(function));
        let parameters = body.parameters(function);
        let is_unit = function.result == Type::Unit;
        let to = if is_unit { Destination::Nowhere } else { Destination::Caller };
        body.block(&function.body, &to);
        if !is_unit && !body.lines.ended {
            // The code is after a loop that only `return` leaves; WGSL does not know that it is unreachable.
            body.line(format!("return {}();", self.scope.ty(&function.result)));
        }
        self.errors.append(&mut body.errors);
        let head = Text::from(format!("fn {name}(")).text(&parameters).str(")");
        let result = match is_unit {
            true => String::new(),
            false => format!(" -> {}", self.scope.ty(&function.result)),
        };
        let lines = body.lines.into_text();
        text.push(&head.str(&result).at(function.name.place).str(" {\n").text(&lines).str("}\n"));
        self.add(text.at(function.place));
    }
}
