//! What a monitored item names, lowered on demand.

use super::super::compose::is_followed;
use super::super::find::{ATTRIBUTES, is_model};
use super::super::tree::{ConstId, EnumId, FunctionId, Module, Name, StructId, Type};
use super::attributes;
use super::callables::Callables;
use super::constants::Constant;
use super::errors::{Errors, at, error, place, refuse};
use super::functions::Signature;
use super::names::text;
use super::recursion;
use proc_macro2::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use syn::Item;
use syn::visit::{self, Visit};

/// How far lowering an item has come.
#[derive(Clone, Copy, Debug)]
pub enum State<Id> {
    Untouched,
    /// Under way: who asks for it now is part of it.
    Begun,
    /// Done; `None` if it has an error, which was reported.
    Done(Option<Id>),
}

/// A struct or an alias.
#[derive(Clone, Copy)]
pub enum TypeItem<'a> {
    Struct(&'a syn::ItemStruct, State<StructId>),
    Enum(&'a syn::ItemEnum, State<EnumId>),
    Alias(&'a syn::ItemType, bool),
}

/// All names of a monitored item.
#[derive(Default)]
pub struct Items<'a> {
    /// What was lowered so far.
    pub module: Module,
    pub errors: Errors,
    pub types: FxHashMap<String, TypeItem<'a>>,
    /// Structs without members, which have one in WGSL.
    pub empty: FxHashSet<StructId>,
    /// Whether memory of the kernel whose head is read has the name of other memory in another kernel.
    pub apart: bool,
    /// The enums of the item, with the names of their variants.
    pub enum_names: FxHashMap<String, Vec<String>>,
    /// Variants that a `use` brought in, and the enums they are of.
    pub imported_variants: FxHashMap<String, String>,
    pub type_order: Vec<&'a syn::Ident>,
    pub consts: FxHashMap<String, (Constant<'a>, State<ConstId>)>,
    pub const_order: Vec<(String, proc_macro2::Span)>,
    pub callables: Callables<'a>,
    /// `type Output = …` of `impl`s.
    pub associated_types: FxHashMap<(Type, String), &'a syn::Type>,
    /// By `FunctionId`.
    pub signatures: Vec<Signature<'a>>,
    /// The const parameters of the function at hand.
    pub generics: FxHashMap<String, ConstId>,
    /// What the type parameters of the function at hand stand for, and `Self`.
    pub type_names: FxHashMap<String, Type>,
    /// Which parameter of the function at hand is read: types `impl Trait` have no name.
    pub parameter: usize,
    /// The names of the locals and parameters of the function at hand, of which no constant is made.
    pub running: FxHashSet<String>,
    /// Whether it is a function alone, whose attribute is that of the item.
    pub alone: bool,
    /// Whether it is a model, which says how its atomics order memory.
    pub is_model: bool,
    /// `#[binding(group, binding)]` of globals, by their ids.
    pub bindings: Vec<Option<(u32, u32)>>,
}

impl<'a> Items<'a> {
    /// Lowers a monitored item. Where it is refused, there is still where `.len()` gives a `u32`.
    pub fn lower(item: &'a Item) -> (syn::Result<Module>, Vec<Span>) {
        let mut items = Items { is_model: is_model(item), ..Items::default() };
        let read = items.read(item);
        let Items { errors, module, .. } = items;
        let short = module.short_lengths.clone();
        (read.and_then(|()| errors.finish()).map(|()| module), short)
    }

    fn read(&mut self, item: &'a Item) -> syn::Result<()> {
        let items = self;
        match item {
            Item::Fn(function) => {
                items.alone = true;
                let declared = items.declare_function(function);
                items.errors.keep(declared);
                items.inner_functions(item);
            }
            Item::Mod(module) => {
                let Some((_, content)) = &module.content else {
                    return refuse(
                        place(module),
                        "a monitored module stands in one file: write `mod … { … }`",
                    );
                };
                items.errors.keep(attributes::check(&module.attrs, &ATTRIBUTES));
                for item in content {
                    if let Item::Enum(of) = item {
                        let names = of.variants.iter().map(|variant| text(&variant.ident));
                        items.enum_names.insert(text(&of.ident), names.collect());
                    }
                }
                for item in content {
                    let declared = items.declare(item);
                    items.errors.keep(declared);
                    items.inner_functions(item);
                }
            }
            other => {
                return refuse(
                    place(other),
                    "functions, structs, enums, constants, aliases of types, and modules are monitored: what belongs \
                     to them stands with them in a `#[hirace::monitor] mod`",
                );
            }
        }
        items.all();
        Ok(())
    }

    fn all(&mut self) {
        self.structs();
        self.declare_associated();
        self.constants();
        self.plain_instances();
        self.number_bindings();
        // What is called with other types is found on the way.
        let mut next = 0;
        while next < self.signatures.len() {
            self.function(FunctionId(next));
            next += 1;
        }
        if self.errors.is_empty() && self.module.functions.len() < self.signatures.len() {
            // Whoever gives up on a function says why. That nobody did must not pass for a function less.
            let kept = |name: &Name| {
                let mut functions = self.module.functions.iter();
                functions.any(|function| function.name.text == name.text)
            };
            let lost = self.signatures.iter().find(|signature| !kept(&signature.name));
            let place = lost.map_or(at(proc_macro2::Span::call_site()), |lost| lost.name.place);
            let message = "the types in this function were not found, which is a fault of hirace's";
            self.errors.push(error(place, message));
        }
        if self.errors.is_empty() {
            recursion::check(&self.module, &mut self.errors);
        }
    }

    /// Takes down the functions that stand in the bodies of an item's.
    fn inner_functions(&mut self, item: &'a Item) {
        let mut inner = Inner(Vec::new());
        inner.visit_item(item);
        for function in inner.0 {
            let declared = self.declare_function(function);
            self.errors.keep(declared);
        }
    }

    /// Takes down the name of an item of a module, or refuses it.
    fn declare(&mut self, item: &'a Item) -> syn::Result<()> {
        match item {
            Item::Fn(function) => self.declare_function(function)?,
            Item::Struct(item) => {
                self.declare_type(&item.ident, TypeItem::Struct(item, State::Untouched))?
            }
            Item::Enum(item) => {
                self.declare_type(&item.ident, TypeItem::Enum(item, State::Untouched))?
            }
            Item::Type(item) => self.declare_type(&item.ident, TypeItem::Alias(item, false))?,
            Item::Const(item) => self.declare_constant(item)?,
            Item::Impl(item) => self.callables.impls.push(item),
            Item::Trait(item) => {
                self.callables.traits.insert(text(&item.ident), item);
            }
            Item::Use(item) if self.use_variants(item) => {}
            Item::Use(item) => return check_use(item),
            other => return refuse(place(other), instead_of_item(other)),
        }
        Ok(())
    }

    fn declare_type(&mut self, ident: &'a syn::Ident, item: TypeItem<'a>) -> syn::Result<()> {
        let name = text(ident);
        self.type_order.push(ident);
        if self.types.insert(name.clone(), item).is_some() {
            return refuse(at(ident.span()), format!("`{name}` is defined twice"));
        }
        Ok(())
    }
}

/// The functions that stand in functions.
struct Inner<'a>(Vec<&'a syn::ItemFn>);

impl<'a> Visit<'a> for Inner<'a> {
    fn visit_stmt(&mut self, statement: &'a syn::Stmt) {
        if let syn::Stmt::Item(Item::Fn(function)) = statement {
            self.0.push(function);
        }
        visit::visit_stmt(self, statement);
    }
}

/// What a `use` brings from elsewhere was put beside the item. The prelude is in scope anyway; whoever names it does no harm.
pub fn check_use(item: &syn::ItemUse) -> syn::Result<()> {
    if is_followed(item) || !has_rename(&item.tree) {
        return Ok(());
    }
    refuse(place(item), "what is imported of these keeps its name in kernels: leave `as` out")
}

fn has_rename(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Path(path) => has_rename(&path.tree),
        syn::UseTree::Group(group) => group.items.iter().any(has_rename),
        syn::UseTree::Rename(_) => true,
        _ => false,
    }
}

fn instead_of_item(item: &Item) -> &'static str {
    match item {
        Item::TraitAlias(_) => "write out the traits that it stands for",
        Item::Static(_) => {
            "memory is given to kernels as parameters: `#[workgroup] x: &mut T`, `#[private] x: &mut T`; \
             what never changes is a `const`"
        }
        Item::Mod(_) => {
            "a module inside a monitored module: monitor it by itself, or move its items out"
        }
        Item::Macro(_) => {
            "macros are expanded after kernels are read: write out what it stands for"
        }
        Item::Union(_) => "WGSL has no unions: keep a `u32`, and convert with `f32::from_bits`",
        Item::ExternCrate(_) | Item::ForeignMod(_) => {
            "kernels see what is monitored and `hirace::prelude`"
        }
        _ => "this has no meaning in a kernel: functions, structs, constants and type aliases have",
    }
}
