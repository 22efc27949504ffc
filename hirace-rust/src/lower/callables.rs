//! Functions as written: free functions, those of an `impl`, and those provided by a trait. A function with type
//! parameters is instantiated for each combination of types that it is called with.

use super::super::tree::{FunctionId, Place, Type};
use super::errors::{already_reported, at, error, place, refuse};
use super::items::Items;
use super::names::{last, text};
use super::types::reference;
use rustc_hash::FxHashMap;
use syn::{
    Attribute, Block, FnArg, GenericParam, ImplItem, ItemFn, ItemImpl, ItemTrait,
    ParenthesizedGenericArguments, PathArguments, ReceiverKind, TraitItem, TypeParamBound,
};

/// The maximum number of functions that one item may be instantiated to. Without a limit, types that grow with each
/// call would not terminate.
const MAX_INSTANCES: usize = 2_000;

/// The maximum nesting depth of the types in an instance.
const MAX_TYPE_DEPTH: usize = 16;

/// Index into [`Callables::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallableId(pub usize);

/// A function as written.
#[derive(Clone, Copy)]
pub struct Callable<'a> {
    pub attributes: &'a [Attribute],
    pub head: &'a syn::Signature,
    pub block: &'a Block,
    pub place: Place,
    /// The `impl` of an associated function.
    pub owner: Option<Owner<'a>>,
}

/// The `impl` that an associated function belongs to.
#[derive(Clone, Copy)]
pub struct Owner<'a> {
    pub generics: &'a syn::Generics,
    /// The type written for `Self`.
    pub of: &'a syn::Type,
}

/// The types that names stand for in a function: its type parameters and `Self`.
pub type Types = Vec<(String, Type)>;

/// All functions of a monitored item.
#[derive(Default)]
pub struct Callables<'a> {
    all: Vec<Callable<'a>>,
    /// The free functions, by name.
    pub free: FxHashMap<String, CallableId>,
    /// The associated functions, by name.
    pub associated: FxHashMap<String, Vec<CallableId>>,
    pub traits: FxHashMap<String, &'a ItemTrait>,
    pub impls: Vec<&'a ItemImpl>,
    made: FxHashMap<(CallableId, Types), FunctionId>,
}

impl<'a> Callable<'a> {
    fn of(item: &'a ItemFn) -> Self {
        let (attributes, head, block) = (&item.attrs, &item.sig, &item.block);
        Self { attributes, head, block, place: place(item), owner: None }
    }

    /// Returns the names of its type parameters and those of its `impl`, in order.
    pub fn type_parameters(&self) -> Vec<String> {
        let named = |generics: &syn::Generics| -> Vec<String> {
            generics.type_params().map(|parameter| text(&parameter.ident)).collect()
        };
        let mut all = self.owner.map(|owner| named(owner.generics)).unwrap_or_default();
        all.extend(named(&self.head.generics));
        for (index, argument) in self.head.inputs.iter().enumerate() {
            if let FnArg::Typed(typed) = argument
                && let syn::Type::ImplTrait(_) = referent(&typed.ty)
            {
                all.push(anonymous(index));
            }
        }
        all
    }

    /// Returns the const parameters of its `impl`, then its own.
    pub fn const_parameters(&self) -> impl Iterator<Item = &'a syn::ConstParam> {
        let of_impl = self.owner.into_iter().flat_map(|owner| owner.generics.const_params());
        of_impl.chain(self.head.generics.const_params())
    }

    /// Returns whether it is instantiated for the types that it is called with.
    pub fn is_generic(&self) -> bool {
        !self.type_parameters().is_empty()
            || self.owner.is_some_and(|owner| owner.generics.const_params().next().is_some())
    }

    /// Returns the parameters that are closures, by the names of their types, with their `Fn` signatures.
    pub fn closures(&self) -> Vec<(String, &'a ParenthesizedGenericArguments)> {
        let mut all = Vec::new();
        let owned = self.owner.map(|owner| owner.generics);
        for generics in [Some(&self.head.generics), owned].into_iter().flatten() {
            for parameter in generics.type_params() {
                let bounds = parameter.bounds.iter().filter_map(of_function);
                all.extend(bounds.map(|bound| (text(&parameter.ident), bound)));
            }
            for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
                if let syn::WherePredicate::Type(predicate) = predicate
                    && let syn::Type::Path(path) = &predicate.bounded_ty
                {
                    let bounds = predicate.bounds.iter().filter_map(of_function);
                    all.extend(bounds.map(|bound| (last(&path.path), bound)));
                }
            }
        }
        for (index, argument) in self.head.inputs.iter().enumerate() {
            if let FnArg::Typed(typed) = argument
                && let syn::Type::ImplTrait(of) = referent(&typed.ty)
            {
                let bounds = of.bounds.iter().filter_map(of_function);
                all.extend(bounds.map(|bound| (anonymous(index), bound)));
            }
        }
        all
    }

    /// Returns whether its first parameter is `self`.
    pub fn is_method(&self) -> bool {
        self.head.receiver().is_some()
    }
}

/// Returns the signature of a bound `Fn(A) -> B`, `FnMut` or `FnOnce`.
fn of_function(bound: &TypeParamBound) -> Option<&ParenthesizedGenericArguments> {
    let TypeParamBound::Trait(bound) = bound else { return None };
    match &bound.path.segments.last()?.arguments {
        PathArguments::Parenthesized(arguments) => Some(arguments),
        _ => None,
    }
}

/// Returns the nesting depth of a type.
fn depth(ty: &Type) -> usize {
    let deepest = |parts: &[Type]| parts.iter().map(depth).max().unwrap_or(0);
    match ty {
        Type::Array(of, _) | Type::Slice(of) => 1 + depth(of),
        Type::Tuple(parts) | Type::Enum(_, parts) => 1 + deepest(parts),
        _ => 0,
    }
}

/// Returns the internal name of the type of a parameter `impl Trait`.
pub fn anonymous(parameter: usize) -> String {
    format!("impl {parameter}")
}

/// Returns how a method takes `self`: `None` for by value, otherwise whether the reference is mutable.
pub fn lent(receiver: &syn::Receiver) -> Option<bool> {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutable) => Some(mutable.is_some()),
        ReceiverKind::Typed(_, ty) => reference(ty).map(|(mutable, _)| mutable),
        _ => None,
    }
}

/// Returns the type that a reference type refers to; any other type is returned unchanged.
pub fn referent(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(inner) => referent(&inner.elem),
        syn::Type::Group(inner) => referent(&inner.elem),
        syn::Type::Reference(reference) => referent(&reference.elem),
        other => other,
    }
}

/// Returns the part of a written type that no variable can have.
pub fn unstorable_part(ty: &syn::Type) -> Option<&syn::Type> {
    match ty {
        syn::Type::Reference(_) | syn::Type::Slice(_) => Some(ty),
        syn::Type::Paren(inner) => unstorable_part(&inner.elem),
        syn::Type::Group(inner) => unstorable_part(&inner.elem),
        syn::Type::Array(array) => unstorable_part(&array.elem),
        syn::Type::Tuple(tuple) => tuple.elems.iter().find_map(unstorable_part),
        _ => None,
    }
}

impl<'a> Callables<'a> {
    pub fn get(&self, id: CallableId) -> Callable<'a> {
        self.all[id.0]
    }

    pub fn ids(&self) -> impl Iterator<Item = CallableId> + use<> {
        (0..self.all.len()).map(CallableId)
    }

    /// Returns the function of a callable without type parameters, if it has been created.
    pub fn plain(&self, id: CallableId) -> Option<FunctionId> {
        self.made.get(&(id, Types::new())).copied()
    }

    fn add(&mut self, callable: Callable<'a>) -> CallableId {
        self.all.push(callable);
        CallableId(self.all.len() - 1)
    }
}

impl<'a> Items<'a> {
    /// Declares a free function.
    pub fn declare_function(&mut self, item: &'a ItemFn) -> syn::Result<()> {
        let id = self.callables.add(Callable::of(item));
        let name = text(&item.sig.ident);
        match self.callables.free.insert(name.clone(), id) {
            Some(_) => refuse(
                at(item.sig.ident.span()),
                format!("the name `{name}` is defined multiple times"),
            ),
            None => Ok(()),
        }
    }

    /// Declares the functions of `impl`s, and those that traits provide for them.
    pub fn declare_associated(&mut self) {
        for item in self.callables.impls.clone() {
            let declared = self.declare_impl(item);
            self.errors.keep(declared);
        }
    }

    fn declare_impl(&mut self, item: &'a ItemImpl) -> syn::Result<()> {
        if let Some(token) = &item.unsafety {
            return refuse(place(token), "kernels have no unsafe code: remove `unsafe`");
        }
        let owner = Owner { generics: &item.generics, of: &item.self_ty };
        let mut own: Vec<String> = Vec::new();
        for part in &item.items {
            match part {
                ImplItem::Fn(function) => {
                    own.push(text(&function.sig.ident));
                    self.associate(Callable {
                        attributes: &function.attrs,
                        head: &function.sig,
                        block: &function.block,
                        place: place(function),
                        owner: Some(owner),
                    });
                }
                ImplItem::Const(constant) => {
                    own.push(text(&constant.ident));
                    let declared = self.associate_constant(
                        owner,
                        (&constant.attrs, &constant.ident, &constant.ty, &constant.expr),
                    );
                    self.errors.keep(declared);
                }
                ImplItem::Type(alias) => {
                    let of = self.owner_type(owner)?;
                    self.associated_types.insert((of, text(&alias.ident)), &alias.ty);
                }
                other => {
                    let message = "macros are not supported here, because kernels are read before macros are \
                                   expanded: write the code without the macro";
                    self.errors.keep::<()>(refuse(place(other), message));
                }
            }
        }
        let Some((path, _)) = &item.trait_ else { return Ok(()) };
        // For a trait declared elsewhere, only the implemented items are known.
        let Some(of_trait) = self.callables.traits.get(&last(path)).copied() else { return Ok(()) };
        for provided in &of_trait.items {
            match provided {
                TraitItem::Fn(function) if !own.contains(&text(&function.sig.ident)) => {
                    let Some(block) = &function.default else { continue };
                    self.associate(Callable {
                        attributes: &function.attrs,
                        head: &function.sig,
                        block,
                        place: place(function),
                        owner: Some(owner),
                    });
                }
                TraitItem::Const(constant) if !own.contains(&text(&constant.ident)) => {
                    let Some((_, value)) = &constant.default else { continue };
                    let parts = (&constant.attrs[..], &constant.ident, &constant.ty, value);
                    let declared = self.associate_constant(owner, parts);
                    self.errors.keep(declared);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn associate(&mut self, callable: Callable<'a>) {
        let id = self.callables.add(callable);
        self.callables.associated.entry(text(&callable.head.ident)).or_default().push(id);
    }

    /// Returns the type of an `impl` without parameters.
    pub fn owner_type(&mut self, owner: Owner<'a>) -> syn::Result<Type> {
        if let Some(parameter) = owner.generics.type_params().next() {
            let message = "a generic `impl` cannot have constants or types here: write one `impl` for each type";
            return refuse(place(parameter), message);
        }
        self.ty(owner.of)
    }

    /// Returns the instance of a callable for these types; the list is empty for one without type parameters.
    ///
    /// # Errors
    /// Returns an empty error; the actual error has been reported.
    pub fn instance(
        &mut self,
        id: CallableId,
        types: Types,
        asked: Place,
    ) -> syn::Result<FunctionId> {
        let key = (id, types);
        if let Some(made) = self.callables.made.get(&key) {
            return Ok(*made);
        }
        let deep = key.1.iter().any(|(_, ty)| depth(ty) > MAX_TYPE_DEPTH);
        if deep || self.signatures.len() >= MAX_INSTANCES {
            return refuse(
                asked,
                format!(
                    "more than {MAX_INSTANCES} functions are instantiated: check whether a type grows with each call"
                ),
            );
        }
        let made = FunctionId(self.signatures.len());
        self.callables.made.insert(key.clone(), made);
        let (id, types) = key;
        let generics = std::mem::take(&mut self.generics);
        let outer = std::mem::take(&mut self.type_names);
        let signature = self.signature(id, types);
        (self.generics, self.type_names) = (generics, outer);
        self.signatures.push(signature);
        Ok(made)
    }

    fn is_kernel(&self, callable: &Callable<'_>) -> bool {
        let mut attributes = callable.attributes.iter();
        self.alone || callable.owner.is_none() && attributes.any(|a| last(a.path()) == "kernel")
    }

    /// Instantiates all functions without type parameters.
    pub fn plain_instances(&mut self) {
        for id in self.callables.ids() {
            let callable = self.callables.get(id);
            if self.is_kernel(&callable) {
                if let Some(parameter) = callable.head.generics.type_params().next() {
                    let message = "a kernel cannot have type parameters: write one kernel per type that calls a \
                                   generic function";
                    self.errors.push(error(place(parameter), message));
                    continue;
                }
            } else if callable.is_generic() {
                continue;
            }
            let types = match callable.owner {
                None => Ok(Types::new()),
                Some(owner) => self.owner_type(owner).map(|of| vec![("Self".to_owned(), of)]),
            };
            let made = types.and_then(|types| self.instance(id, types, callable.place));
            if self.errors.keep(made).is_none() {
                // The `impl` or type that it belongs to has an error of its own.
                self.errors.push(already_reported());
            }
        }
    }
}

/// Returns the type and const parameters of a function or `impl`, in the order in which they are written.
pub fn generic_arguments(generics: &syn::Generics) -> impl Iterator<Item = &GenericParam> {
    generics.params.iter().filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
}
