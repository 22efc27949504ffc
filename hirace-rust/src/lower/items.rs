//! The items of a monitored item, lowered on demand.

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

/// The progress of lowering an item.
#[derive(Clone, Copy, Debug)]
pub enum State<Id> {
    Untouched,
    /// In progress. An item that requests it now is part of a cycle.
    InProgress,
    /// Finished; `None` if it has an error, which has been reported.
    Done(Option<Id>),
}

/// A struct, an enum or a type alias.
#[derive(Clone, Copy)]
pub enum TypeItem<'a> {
    Struct(&'a syn::ItemStruct, State<StructId>),
    Enum(&'a syn::ItemEnum, State<EnumId>),
    Alias(&'a syn::ItemType, bool),
}

/// All items of a monitored item, by name.
#[derive(Default)]
pub struct Items<'a> {
    /// The output so far.
    pub module: Module,
    pub errors: Errors,
    pub types: FxHashMap<String, TypeItem<'a>>,
    /// Structs without members. In WGSL they have one member.
    pub empty: FxHashSet<StructId>,
    /// Whether a global of the current kernel has the same name as different memory in another kernel.
    pub separate: bool,
    /// The enums of the item, with the names of their variants.
    pub enum_names: FxHashMap<String, Vec<String>>,
    /// Variants that a `use` imports, with the names of their enums.
    pub imported_variants: FxHashMap<String, String>,
    pub type_order: Vec<&'a syn::Ident>,
    pub consts: FxHashMap<String, (Constant<'a>, State<ConstId>)>,
    pub const_order: Vec<(String, proc_macro2::Span)>,
    pub callables: Callables<'a>,
    /// `type Output = …` in `impl`s.
    pub associated_types: FxHashMap<(Type, String), &'a syn::Type>,
    /// The signatures, by `FunctionId`.
    pub signatures: Vec<Signature<'a>>,
    /// The const parameters of the current function.
    pub generics: FxHashMap<String, ConstId>,
    /// The types that the type parameters of the current function and `Self` stand for.
    pub type_names: FxHashMap<String, Type>,
    /// The index of the current parameter, which identifies a type `impl Trait`.
    pub parameter: usize,
    /// The names of the locals and parameters of the current function. A constant cannot be computed from these.
    pub running: FxHashSet<String>,
    /// Whether the item is a standalone function, whose attribute is that of the item.
    pub alone: bool,
    /// Whether the item is a model, whose atomics specify memory orderings.
    pub is_model: bool,
    /// `#[binding(group, binding)]` of the globals, by id.
    pub bindings: Vec<Option<(u32, u32)>>,
}

impl<'a> Items<'a> {
    /// Lowers a monitored item. The second result lists the calls of `.len()` with type `u32`; it is available even if
    /// the item is rejected.
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
                        "a monitored module must be inline: write `mod … { … }`",
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
                    "this item cannot be monitored by itself: move it into a `#[hirace::monitor] mod` with the items \
                     that it belongs to",
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
        // Calls with other types add signatures during the loop.
        let mut next = 0;
        while next < self.signatures.len() {
            self.function(FunctionId(next));
            next += 1;
        }
        if self.errors.is_empty() && self.module.functions.len() < self.signatures.len() {
            // Every function that is dropped must have an error. A function without one must not be missing silently.
            let kept = |name: &Name| {
                let mut functions = self.module.functions.iter();
                functions.any(|function| function.name.text == name.text)
            };
            let lost = self.signatures.iter().find(|signature| !kept(&signature.name));
            let place = lost.map_or(at(proc_macro2::Span::call_site()), |lost| lost.name.place);
            let message = "failed to infer the types in this function; this is a bug in hirace";
            self.errors.push(error(place, message));
        }
        if self.errors.is_empty() {
            recursion::check(&self.module, &mut self.errors);
        }
    }

    /// Declares the functions in the bodies of an item's functions.
    fn inner_functions(&mut self, item: &'a Item) {
        let mut inner = InnerFunctions(Vec::new());
        inner.visit_item(item);
        for function in inner.0 {
            let declared = self.declare_function(function);
            self.errors.keep(declared);
        }
    }

    /// Declares the name of a module's item, or rejects the item.
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
            return refuse(
                at(ident.span()),
                format!("the name `{name}` is defined multiple times"),
            );
        }
        Ok(())
    }
}

/// The functions inside functions.
struct InnerFunctions<'a>(Vec<&'a syn::ItemFn>);

impl<'a> Visit<'a> for InnerFunctions<'a> {
    fn visit_stmt(&mut self, statement: &'a syn::Stmt) {
        if let syn::Stmt::Item(Item::Fn(function)) = statement {
            self.0.push(function);
        }
        visit::visit_stmt(self, statement);
    }
}

/// Checks a `use`. Imported items have been added next to the item already, and the prelude is in scope anyway, so
/// importing it is harmless.
pub fn check_use(item: &syn::ItemUse) -> syn::Result<()> {
    if is_followed(item) || !has_rename(&item.tree) {
        return Ok(());
    }
    refuse(place(item), "these imports cannot be renamed in kernels: remove `as`")
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
        Item::TraitAlias(_) => "trait aliases are not supported: write the traits",
        Item::Static(_) => {
            "statics are not supported in kernels: declare a parameter, `#[workgroup] x: &mut T` or `#[private] x: \
             &mut T`, or a `const`"
        }
        Item::Mod(_) => {
            "nested modules are not supported in a monitored module: monitor it separately, or move its items out"
        }
        Item::Macro(_) => {
            "kernels are read before macros are expanded: write the code without the macro"
        }
        Item::Union(_) => "WGSL has no unions: use a `u32` and convert it with `f32::from_bits`",
        Item::ExternCrate(_) | Item::ForeignMod(_) => {
            "kernels can only use monitored items and `hirace::prelude`"
        }
        _ => {
            "this item is not supported in a kernel: use functions, structs, enums, constants and type aliases"
        }
    }
}
