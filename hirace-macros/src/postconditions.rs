//! Postconditions of a kernel, for rustc to check: a function of the kernel's memory after all invocations have
//! finished.
//!
//! References become values, and atomics become the values that they hold: `&AtomicU32` is `u32`, `&mut [Atomic<i32>]`
//! is `&mut [i32]`.

use hirace_rust::postcondition::ATTRIBUTE;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, FnArg, GenericArgument, ItemFn, PathArguments, Type, parse_quote};

/// Atomic types, with the types of their values.
const ATOMICS: [(&str, &str); 4] =
    [("AtomicU32", "u32"), ("AtomicI32", "i32"), ("AtomicU64", "u64"), ("AtomicI64", "i64")];

/// Attributes of parameters that no longer exist after all invocations have finished.
const TRANSIENT_ATTRIBUTES: [&str; 3] = ["builtin", "workgroup", "private"];

/// Returns the function that rustc checks, if the kernel has postconditions.
pub fn checked(function: &ItemFn) -> TokenStream {
    let is_claim = |attribute: &&Attribute| attribute.path().is_ident(ATTRIBUTE);
    let claims = function.attrs.iter().filter(is_claim);
    let claims: Vec<TokenStream> =
        claims.filter_map(|claim| Some(claim.meta.require_list().ok()?.tokens.clone())).collect();
    if claims.is_empty() {
        return TokenStream::new();
    }
    let parameters = function.sig.inputs.iter().filter_map(|parameter| {
        let FnArg::Typed(parameter) = parameter else { return None };
        let is_gone = |name: &&str| parameter.attrs.iter().any(|a| a.path().is_ident(name));
        if TRANSIENT_ATTRIBUTES.iter().any(is_gone) {
            return None;
        }
        let (name, ty) = (&parameter.pat, held(&parameter.ty));
        Some(quote!(#name: #ty))
    });
    let generics = &function.sig.generics;
    quote! {
        #[allow(unused, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            fn ensures #generics (#(#parameters),*) {
                use ::hirace::prelude::kernels::*;
                #(let _: bool = { #claims };)*
            }
        };
    }
}

/// Returns the type that a parameter of this type has in postconditions.
fn held(ty: &Type) -> Type {
    let mut held = match ty {
        Type::Reference(reference) if !matches!(*reference.elem, Type::Slice(_)) => {
            (*reference.elem).clone()
        }
        other => other.clone(),
    };
    HeldTypes.visit_type_mut(&mut held);
    held
}

struct HeldTypes;

impl VisitMut for HeldTypes {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        let Type::Path(path) = &ty else { return };
        let Some(last) = path.path.segments.last() else { return };
        if let Some((_, plain)) = ATOMICS.iter().find(|(atomic, _)| last.ident == atomic) {
            let plain = syn::Ident::new(plain, last.ident.span());
            *ty = parse_quote!(#plain);
        } else if let ("Atomic", PathArguments::AngleBracketed(arguments)) =
            (last.ident.to_string().as_str(), &last.arguments)
            && let Some(GenericArgument::Type(inner)) = arguments.args.first()
        {
            *ty = inner.clone();
        }
    }
}
