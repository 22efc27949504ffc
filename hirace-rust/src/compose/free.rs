//! Finds the foreign names of an item: the names that it takes from outside.
//!
//! This uses syntax only. The position of a name shows whether it is a local, a parameter, declared in the item, or in
//! the prelude; every other name is foreign. Resolving foreign paths is the caller's task.

use super::known::{is_known, is_known_root};
use crate::find::ATTRIBUTES;
use crate::identifier::text;
use rustc_hash::FxHashSet;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Expr, GenericParam, Ident, Item, ItemImpl, ItemUse, Meta, Pat, Path, Stmt, Token,
    Type, UseTree,
};

/// An occurrence of a foreign name.
pub enum FreeName<'a> {
    /// A path, and the number of its segments that lead to an item: `helpers::Params` in `helpers::Params::new`.
    Path(&'a mut Path, usize),
    /// A constant in a pattern.
    Constant(&'a mut Ident),
}

impl FreeName<'_> {
    /// Returns the path to the item, as written.
    pub fn path(&self) -> Path {
        match self {
            Self::Path(path, segments) => Path {
                leading_colon: path.leading_colon,
                segments: path
                    .segments
                    .iter()
                    .take(*segments)
                    .map(|s| syn::PathSegment::from(s.ident.clone()))
                    .collect(),
            },
            Self::Constant(ident) => (**ident).clone().into(),
        }
    }
}

/// Returns the path as text, which is its key in tables.
pub fn path_text(path: &Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
    let names = names.join("::");
    match path.leading_colon {
        Some(_) => format!("::{names}"),
        None => names,
    }
}

/// The names that are in scope for an item.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Names that are declared next to it.
    pub own: FxHashSet<String>,
    /// Names that are imported individually. These shadow the prelude.
    pub imported_names: FxHashSet<String>,
}

impl Scope {
    /// Creates the scope of sibling items.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut scope = Self::default();
        for item in items {
            scope.own.extend(declared(item).map(text));
            if let Item::Use(item) = item {
                match is_followed(item) {
                    true => imported(&item.tree, &mut scope.imported_names),
                    // Items of `std` are never monitored.
                    false => imported(&item.tree, &mut scope.own),
                }
            }
        }
        scope
    }
}

fn imported(tree: &UseTree, names: &mut FxHashSet<String>) {
    match tree {
        UseTree::Path(path) => imported(&path.tree, names),
        UseTree::Name(name) => {
            names.insert(text(&name.ident));
        }
        UseTree::Rename(rename) => {
            names.insert(text(&rename.rename));
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, names)),
        UseTree::Glob(_) => {}
    }
}

/// Returns the foreign paths of sibling items in order of first occurrence, without duplicates.
pub fn paths<'a>(items: impl IntoIterator<Item = &'a Item>, own: &Scope) -> Vec<Path> {
    let (mut seen, mut paths) = (FxHashSet::default(), Vec::new());
    for item in items {
        visit_free_names(&mut item.clone(), own, &mut |free| {
            let path = free.path();
            if seen.insert(path_text(&path)) {
                paths.push(path);
            }
        });
    }
    paths
}

/// Calls `found` with each foreign name of an item. `own` is the scope of the item.
pub fn visit_free_names(item: &mut Item, own: &Scope, found: &mut dyn FnMut(FreeName<'_>)) {
    Walk { own, scopes: Vec::new(), bound: FxHashSet::default(), found }.visit_item_mut(item);
}

/// Returns the names of all locals and parameters of an item.
pub fn bound_names(item: &Item) -> FxHashSet<String> {
    let own = Scope::default();
    let mut walk =
        Walk { own: &own, scopes: Vec::new(), bound: FxHashSet::default(), found: &mut |_| {} };
    walk.visit_item_mut(&mut item.clone());
    walk.bound
}

/// Returns the name that an item declares.
pub fn declared(item: &Item) -> Option<&Ident> {
    Some(match item {
        Item::Fn(item) => &item.sig.ident,
        Item::Struct(item) => &item.ident,
        Item::Const(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Mod(item) => &item.ident,
        _ => return None,
    })
}

struct Walk<'a> {
    own: &'a Scope,
    /// The scopes of locals, parameters and items in function bodies, innermost last.
    scopes: Vec<FxHashSet<String>>,
    /// All names that were ever in one of these scopes.
    bound: FxHashSet<String>,
    found: &'a mut dyn FnMut(FreeName<'_>),
}

impl Walk<'_> {
    fn scope(&mut self, within: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashSet::default());
        within(self);
        self.scopes.pop();
    }

    fn bind(&mut self, ident: &Ident) {
        let name = text(ident);
        self.bound.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn is_own(&self, name: &str) -> bool {
        self.is_bound(name) || self.own.own.contains(name)
    }

    /// Returns whether a name is in the prelude or part of Rust, and not shadowed.
    fn is_known(&self, name: &str) -> bool {
        is_known(name) && !self.own.imported_names.contains(name)
    }

    fn generics(&mut self, generics: &mut syn::Generics) {
        for parameter in &generics.params {
            match parameter {
                GenericParam::Type(parameter) => self.bind(&parameter.ident),
                GenericParam::Const(parameter) => self.bind(&parameter.ident),
                _ => {}
            }
        }
        self.visit_generics_mut(generics);
    }

    /// Visits a function. Its parameters are in scope in its body, and its const parameters also in its attributes.
    fn function(
        &mut self,
        attributes: &mut [Attribute],
        signature: &mut syn::Signature,
        body: Option<&mut syn::Block>,
    ) {
        self.scope(|walk| {
            walk.generics(&mut signature.generics);
            attributes.iter_mut().for_each(|attribute| walk.visit_attribute_mut(attribute));
            signature.inputs.iter_mut().for_each(|input| walk.visit_fn_arg_mut(input));
            walk.visit_return_type_mut(&mut signature.output);
            body.into_iter().for_each(|body| walk.visit_block_mut(body));
        });
    }

    /// Returns the number of segments of a path that lead to a foreign item, if it is foreign.
    fn foreign(&self, path: &Path) -> Option<usize> {
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        if names.iter().map(String::as_str).take(2).eq(["half", "f16"]) {
            return None;
        }
        let keyword = |name: &&String| ["self", "super", "crate"].contains(&name.as_str());
        let keywords = names.iter().take_while(keyword).count();
        let (first, last) = (names.get(keywords)?, names.len() - 1);
        let is_type = |name: &str| name.starts_with(|c: char| c.is_uppercase());
        // `helpers::Params::new` leads to a type; the rest is associated with the type.
        let leads = (keywords..last).find(|&at| is_type(&names[at])).unwrap_or(last) + 1;
        let elsewhere = path.leading_colon.is_some() || keywords > 0;
        let is_foreign = match elsewhere {
            // In a module, `self::f` is the module's own `f`.
            true => !is_known_root(first) && (names[0] != "self" || !self.is_own(first)),
            false if leads == 1 => !self.is_own(first) && !self.is_known(first),
            false => {
                !self.is_own(first)
                    && (self.own.imported_names.contains(first) || !is_known_root(first))
            }
        };
        is_foreign.then_some(leads)
    }
}

/// Returns whether a name is written in the style of constants.
fn is_constant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) && !name.contains(|c: char| c.is_lowercase())
}

impl VisitMut for Walk<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if let Some(segments) = self.foreign(path) {
            (self.found)(FreeName::Path(path, segments));
        }
    }

    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        let Pat::Ident(ident) = pattern else { return visit_mut::visit_pat_mut(self, pattern) };
        let name = text(&ident.ident);
        let plain = ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none();
        if plain && is_constant(&name) {
            if !self.is_own(&name) && !self.is_known(&name) {
                (self.found)(FreeName::Constant(&mut ident.ident));
            }
            return;
        }
        self.bind(&ident.ident);
        if let Some((_, inner)) = &mut ident.subpat {
            self.visit_pat_mut(inner);
        }
    }

    /// Expands `Params { scale }` to `Params { scale: scale }`, because `scale` may be renamed.
    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        let before = field.colon_token.is_none().then(|| field.expr.clone());
        visit_mut::visit_field_value_mut(self, field);
        if before.is_some_and(|before| before != field.expr) {
            field.colon_token = Some(Default::default());
        }
    }

    /// Visits an attribute. Workgroup sizes are expressions. No other attribute contains names.
    fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
        let name = attribute.path().segments.last().map(|segment| text(&segment.ident));
        let Meta::List(list) = &mut attribute.meta else { return };
        if !name.is_some_and(|name| name == "kernel" || ATTRIBUTES.contains(&name.as_str())) {
            return;
        }
        let arguments = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        let Ok(mut arguments) = arguments else { return };
        for argument in &mut arguments {
            let Meta::List(sizes) = argument else { continue };
            let parsed = sizes.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
            let Ok(mut parsed) = parsed else { continue };
            parsed.iter_mut().for_each(|size| self.visit_expr_mut(size));
            sizes.tokens = quote::quote!(#parsed);
        }
        list.tokens = quote::quote!(#arguments);
    }

    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        self.function(&mut item.attrs, &mut item.sig, Some(&mut item.block));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        self.function(&mut item.attrs, &mut item.sig, Some(&mut item.block));
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut syn::TraitItemFn) {
        self.function(&mut item.attrs, &mut item.sig, item.default.as_mut());
    }

    fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
        self.scope(|walk| {
            walk.generics(&mut item.generics);
            walk.visit_fields_mut(&mut item.fields);
        });
    }

    fn visit_item_type_mut(&mut self, item: &mut syn::ItemType) {
        self.scope(|walk| {
            walk.generics(&mut item.generics);
            walk.visit_type_mut(&mut item.ty);
        });
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        self.scope(|walk| {
            walk.generics(&mut item.generics.clone());
            visit_mut::visit_item_impl_mut(walk, item);
        });
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        self.scope(|walk| {
            walk.generics(&mut item.generics.clone());
            visit_mut::visit_item_trait_mut(walk, item);
        });
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scope(|walk| {
            for stmt in &block.stmts {
                if let Stmt::Item(item) = stmt
                    && let Some(name) = declared(item)
                {
                    walk.bind(name);
                }
            }
            visit_mut::visit_block_mut(walk, block);
        });
    }

    /// Visits a `let`. A binding is not in scope in its own initializer.
    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.visit_pat_mut(&mut local.pat);
    }

    fn visit_expr_let_mut(&mut self, expr: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut expr.expr);
        self.visit_pat_mut(&mut expr.pat);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scope(|walk| visit_mut::visit_expr_closure_mut(walk, closure));
    }

    fn visit_expr_for_loop_mut(&mut self, expr: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut expr.expr);
        self.scope(|walk| {
            walk.visit_pat_mut(&mut expr.pat);
            walk.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|walk| visit_mut::visit_arm_mut(walk, arm));
    }

    fn visit_expr_if_mut(&mut self, expr: &mut syn::ExprIf) {
        self.scope(|walk| {
            walk.visit_expr_mut(&mut expr.cond);
            walk.visit_block_mut(&mut expr.then_branch);
        });
        if let Some((_, other)) = &mut expr.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_expr_while_mut(&mut self, expr: &mut syn::ExprWhile) {
        self.scope(|walk| {
            walk.visit_expr_mut(&mut expr.cond);
            walk.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}

    fn visit_visibility_mut(&mut self, _: &mut syn::Visibility) {}

    fn visit_item_use_mut(&mut self, _: &mut syn::ItemUse) {}
}

/// Returns the type that a standalone `impl` belongs to, or another foreign path in its header, such as `Color` in
/// `impl From<Color> for u32`.
pub fn belongs_to(item: &ItemImpl) -> Option<Path> {
    let head = Item::Impl(ItemImpl { items: Vec::new(), ..item.clone() });
    let foreign = paths([&head], &Scope::default());
    let own = match &*item.self_ty {
        Type::Path(path) => {
            foreign.iter().find(|foreign| path_text(foreign) == path_text(&path.path))
        }
        _ => None,
    };
    own.or(foreign.first()).cloned()
}

/// Returns whether the import of a `use` has already been resolved, or is in scope anyway, so that nothing remains to
/// be reported.
pub fn is_followed(item: &ItemUse) -> bool {
    match &item.tree {
        UseTree::Path(path) => {
            let is_known = ["hirace", "glam", "core", "std"].iter().any(|root| path.ident == root);
            let is_half = path.ident == "half" && names_half(&path.tree);
            !(is_known || is_half)
        }
        _ => true,
    }
}

/// Returns whether a `use` names the type of the crate `half` that kernels support.
fn names_half(tree: &UseTree) -> bool {
    match tree {
        UseTree::Name(name) => name.ident == "f16",
        UseTree::Rename(rename) => rename.ident == "f16",
        UseTree::Group(group) => group.items.iter().any(names_half),
        UseTree::Path(_) | UseTree::Glob(_) => false,
    }
}

#[cfg(test)]
mod tests;
