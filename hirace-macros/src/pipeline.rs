//! Generates the pipeline API of a kernel: `pipeline()`, and `Args` with a field for each bound parameter.

use crate::compile::CompiledItem;
use crate::kernels::{const_parameters, parameters};
use hirace_runtime::BindingKind;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, ItemConst, ItemFn, Pat, Type, parse_quote};

/// A parameter to which a resource is bound.
struct Bound<'a> {
    name: &'a Ident,
    /// The kind of resource; `None` if it is only known after the items that its item uses are resolved.
    kind: Option<BindingKind>,
    /// The type of the contents: the parameter's type without its reference and atomics.
    ty: Type,
}

/// The attributes of parameters to which nothing is bound.
const UNBOUND: [&str; 3] = ["builtin", "workgroup", "private"];

impl CompiledItem {
    /// Returns the code for pipelines in a kernel's module, and the type aliases for the module's scope.
    pub fn pipeline(&self, function: &ItemFn) -> (TokenStream, TokenStream) {
        let mut bound = self.bound(function);
        bound.retain(|of| of.kind.is_some());
        let entry = entry(function, &self.overridable);
        let values: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
        let holds = |index| {
            let alias = alias(index);
            quote!(__scope::#alias::<#(#values),*>)
        };
        let arguments = arguments(function, &bound, holds);
        let types = types(function, &bound);
        (
            quote!(::hirace::__pipeline! { #entry #arguments }),
            quote!(::hirace::__pipeline! { #types }),
        )
    }

    /// Returns the `ParameterType` implementations of a kernel whose item uses others, for the scope that they are emitted in.
    pub fn held(&self, function: &ItemFn) -> TokenStream {
        let types = self.bound(function).into_iter().map(|of| match of.kind {
            Some(BindingKind::Texture | BindingKind::StorageTexture) => {
                quote!(::hirace::wgpu::TextureView)
            }
            Some(BindingKind::Sampler) => quote!(::hirace::wgpu::Sampler),
            Some(_) => of.ty.to_token_stream(),
            None => quote!(()),
        });
        held(function, types)
    }

    /// Returns the bound parameters of a kernel with their kinds.
    fn bound<'a>(&self, function: &'a ItemFn) -> Vec<Bound<'a>> {
        let name = function.sig.ident.unraw().to_string();
        let parts = self.generic.get(&name).or(self.shared.as_ref());
        let all = parts.map(|parts| &*parts.bindings).unwrap_or_default();
        let mut bound = bound(function);
        for of in &mut bound {
            let name = of.name.unraw().to_string();
            of.kind = all.iter().find(|of| of.name == name).map(|of| of.kind);
        }
        bound
    }
}

/// Returns the code for pipelines in the module of a kernel whose item uses others.
pub fn composed(function: &ItemFn, overridable: &[ItemConst]) -> TokenStream {
    let entry = entry(function, overridable);
    let values: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
    let holds =
        |index| quote!(<__Hirace<#(#values),*> as ::hirace::pipeline::ParameterType<#index>>::T);
    let arguments = arguments(function, &bound(function), holds);
    quote!(::hirace::__pipeline! { #entry #arguments })
}

/// Returns the `ParameterType` implementations of a rejected kernel: every parameter holds `()`.
pub fn absent(function: &ItemFn) -> TokenStream {
    held(function, bound(function).iter().map(|_| quote!(())))
}

fn held(function: &ItemFn, types: impl Iterator<Item = TokenStream>) -> TokenStream {
    let (ident, declared) = (&function.sig.ident, const_parameters(function));
    let values: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
    let implementations = types.enumerate().map(|(index, ty)| {
        quote! {
            impl<#declared> ::hirace::pipeline::ParameterType<#index> for #ident::__Hirace<#(#values),*> {
                type T = #ty;
            }
        }
    });
    quote!(::hirace::__pipeline! { #(#implementations)* })
}

/// Returns the parameters to which a resource is bound.
fn bound(function: &ItemFn) -> Vec<Bound<'_>> {
    function.sig.inputs.iter().filter_map(Bound::of).collect()
}

/// Returns the struct of override values and the expressions for its values; nothing if there are no overrides.
fn overrides(overridable: &[ItemConst]) -> (TokenStream, TokenStream) {
    let names: Vec<_> = overridable.iter().map(|item| &item.ident).collect();
    let types: Vec<_> = overridable.iter().map(|item| &item.ty).collect();
    let keys: Vec<_> = names.iter().map(|name| name.unraw().to_string()).collect();
    if names.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let abouts = names.iter().map(|name| format!("The value of `{name}`."));
    let definition = quote! {
        /// Values of the overrides, for a pipeline: `Overrides { …, ..Default::default() }`.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(non_snake_case)]
        pub struct Overrides {
            #(#[doc = #abouts] pub #names: #types,)*
        }

        impl ::core::default::Default for Overrides {
            fn default() -> Self {
                Self { #(#names: super::#names),* }
            }
        }
    };
    let values = quote!(#((#keys, ::hirace::pipeline::Override::value(overrides.#names))),*);
    (definition, values)
}

impl<'a> Bound<'a> {
    fn of(input: &'a FnArg) -> Option<Self> {
        let FnArg::Typed(syn::PatType { attrs, pat, ty, .. }) = input else { return None };
        let Pat::Ident(pattern) = &**pat else { return None };
        let own = |name| attrs.iter().any(|attribute| attribute.path().is_ident(name));
        if UNBOUND.iter().any(own) {
            return None;
        }
        let mut ty = match &**ty {
            Type::Reference(reference) => (*reference.elem).clone(),
            other => other.clone(),
        };
        PlainAtomics.visit_type_mut(&mut ty);
        Some(Self { name: &pattern.ident, kind: None, ty })
    }

    /// Returns whether the resource is a buffer, whose type is a type parameter of `Args`.
    fn is_buffer(&self) -> bool {
        use BindingKind::*;
        matches!(self.kind, None | Some(Uniform | StorageRead | StorageReadWrite))
    }
}

/// Replaces atomic types by plain numbers, because only the kernel uses the memory as atomics.
struct PlainAtomics;

impl VisitMut for PlainAtomics {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        let Type::Path(path) = &*ty else { return };
        let Some(last) = path.path.segments.last() else { return };
        // The types of `std`, which kernels may use.
        for (atomic, plain) in [("AtomicU32", "u32"), ("AtomicI32", "i32")] {
            if last.ident == atomic {
                let plain = format_ident!("{plain}");
                *ty = parse_quote!(::core::primitive::#plain);
                return;
            }
        }
        if last.ident == "Atomic"
            && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
        {
            *ty = inner.clone();
        }
    }
}

/// Returns the kernel's type, and the functions that compile it.
fn entry(function: &ItemFn, overridable: &[ItemConst]) -> TokenStream {
    let (overrides, values) = overrides(overridable);
    let declared = const_parameters(function);
    let names: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
    let with = (!overrides.is_empty()).then(|| {
        quote! {
            /// Compiles the kernel's pipeline on a device, with these values of its overrides.
            pub fn pipeline_with<#declared>(
                device: &::hirace::wgpu::Device,
                overrides: Overrides,
            ) -> ::hirace::pipeline::Result<Pipeline<#(#names),*>> {
                ::hirace::pipeline::Pipeline::new(device, &[#values])
            }
        }
    });
    quote! {
        /// The kernel as a type.
        #[derive(Clone, Copy, Debug)]
        pub struct Entry<#declared>;

        impl<#declared> ::hirace::pipeline::Entry for Entry<#(#names),*> {
            fn kernel() -> ::hirace::Kernel {
                kernel::<#(#names),*>()
            }
        }

        /// The kernel's pipeline on a device.
        pub type Pipeline<#declared> = ::hirace::pipeline::Pipeline<Entry<#(#names),*>>;

        /// Compiles the kernel's pipeline on a device.
        pub fn pipeline<#declared>(
            device: &::hirace::wgpu::Device,
        ) -> ::hirace::pipeline::Result<Pipeline<#(#names),*>> {
            ::hirace::pipeline::Pipeline::new(device, &[])
        }

        #overrides
        #with
    }
}

/// Returns `Args`, the struct of resources for the parameters. `holds` returns the type of the contents of a
/// parameter's buffer.
fn arguments(
    function: &ItemFn,
    bound: &[Bound<'_>],
    holds: impl Fn(usize) -> TokenStream,
) -> TokenStream {
    let declared = const_parameters(function);
    let values: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
    let (own, generics) = (values.iter().map(|name| name.to_string()).collect(), generics(bound));
    let generics = unique_names(generics, own);
    let (mut fields, mut resources, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
    let mut buffers = generics.iter();
    for (index, of) in bound.iter().enumerate() {
        let (name, key) = (of.name, of.name.unraw().to_string());
        let about = format!("The resource that is bound to the parameter `{key}`.");
        let (ty, resource) = match of.kind {
            Some(BindingKind::Texture | BindingKind::StorageTexture) => (
                quote!(&'hirace ::hirace::wgpu::TextureView),
                quote!(::hirace::wgpu::BindingResource::TextureView(self.#name)),
            ),
            Some(BindingKind::Sampler) => (
                quote!(&'hirace ::hirace::wgpu::Sampler),
                quote!(::hirace::wgpu::BindingResource::Sampler(self.#name)),
            ),
            _ => {
                let Some(generic) = buffers.next() else { continue };
                let holds = holds(index);
                bounds.push(quote!(#generic: ::hirace::pipeline::BufferArgument<#holds>));
                let argument = quote!(<#generic as ::hirace::pipeline::BufferArgument<#holds>>);
                (generic.to_token_stream(), quote!(#argument::resource(&self.#name)))
            }
        };
        fields.push(quote!(#[doc = #about] pub #name: #ty));
        resources.push(quote!((#key, #resource)));
    }
    let lifetime = bound.iter().any(|of| !of.is_buffer()).then(|| quote!('hirace,));
    let parameters = quote!(<#lifetime #(#generics),*>);
    quote! {
        /// The resources that are bound to the kernel's parameters.
        #[derive(Clone, Copy, Debug)]
        pub struct Args #parameters { #(#fields),* }

        impl<#lifetime #(#generics,)* #declared> ::hirace::pipeline::Arguments<Entry<#(#values),*>>
            for Args #parameters
        where
            #(#bounds),*
        {
            fn resources(
                &self,
            ) -> ::std::vec::Vec<(&'static ::core::primitive::str, ::hirace::wgpu::BindingResource<'_>)> {
                ::std::vec![#(#resources),*]
            }
        }
    }
}

/// Returns type aliases for the contents of buffers, for the scope where the kernel's names are known.
fn types(function: &ItemFn, bound: &[Bound<'_>]) -> TokenStream {
    let declared = const_parameters(function);
    let buffers = bound.iter().enumerate().filter(|(_, of)| of.is_buffer());
    let aliases = buffers.map(|(index, of)| {
        let (alias, ty) = (alias(index), &of.ty);
        quote!(pub type #alias<#declared> = #ty;)
    });
    aliases.collect()
}

fn alias(index: usize) -> Ident {
    format_ident!("__Holds{index}")
}

/// Returns the name of a type parameter for each buffer, after the kernel's parameter.
fn generics(bound: &[Bound<'_>]) -> Vec<String> {
    let buffers = bound.iter().filter(|of| of.is_buffer());
    let camel = |name: &Ident| {
        let name = name.unraw().to_string();
        let words = name.split('_').map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(char::to_uppercase);
            first.into_iter().flatten().chain(letters).collect::<String>()
        });
        words.collect::<String>()
    };
    buffers.map(|of| camel(of.name)).collect()
}

/// Makes the names valid and unique, also with respect to `taken`.
fn unique_names(names: Vec<String>, mut taken: BTreeSet<String>) -> Vec<Ident> {
    let own = ["Self", "Args", "Entry", "Pipeline", "Overrides"];
    taken.extend(own.map(str::to_owned));
    let apart = |name: String| {
        let mut name =
            match name.parse::<TokenStream>().map(|of| of.into_iter().collect::<Vec<_>>()) {
                Ok(tokens) if matches!(&tokens[..], [TokenTree::Ident(_)]) => name,
                _ => format!("T{name}"),
            };
        while !taken.insert(name.clone()) {
            name.push('T');
        }
        format_ident!("{name}")
    };
    names.into_iter().map(apart).collect()
}
