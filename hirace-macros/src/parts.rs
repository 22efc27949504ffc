//! What was made of an item, as code: statics and `kernel()`.

use crate::compile::{Made, Parts};
use crate::kernels::{const_parameters, parameters, workgroup_size};
use hirace_runtime::{Binding, Entry, Hole};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemFn;
use syn::ext::IdentExt;

impl Made {
    /// What the kernels of an item have in common.
    pub fn shared(&self) -> TokenStream {
        let text = &self.lines.text;
        let parts = self.shared.as_ref().map(|parts| {
            let parts = self.parts(parts, &quote!(__HIRACE_TEXT));
            quote!(static __HIRACE: ::hirace::kernel::Parts = #parts;)
        });
        quote! {
            const __HIRACE_TEXT: &str = #text;
            #parts
        }
    }

    /// `kernel()` of one of them. `path` leads to what they have in common: `super::`, or nothing.
    pub fn kernel(&self, function: &ItemFn, path: &TokenStream) -> TokenStream {
        let name = function.sig.ident.unraw().to_string();
        let (pipeline, types) = self.pipeline(function);
        let Some(parts) = self.generic.get(&name) else {
            let kernel = quote!(::hirace::Kernel::from_parts(&#path __HIRACE, #name));
            let (kernel, scope) = (constructor(function, &kernel), scope(path, &types));
            return quote!(#kernel #pipeline #scope);
        };
        let names: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
        let values = quote!(const { &[#(#names as u32),*] });
        let kernel = quote! {
            ::hirace::Kernel::instance(&__GENERIC, #name, #values, __scope::sizes::<#(#names),*>())
        };
        let kernel = constructor(function, &kernel);
        let sizes = sizes(function, &self.arguments);
        let scope = scope(path, &quote!(#types #sizes));
        let parts = self.parts(parts, &quote!(#path __HIRACE_TEXT));
        quote! {
            #kernel
            #pipeline
            #scope
            static __GENERIC: ::hirace::kernel::Parts = #parts;
        }
    }

    fn parts(&self, parts: &Parts, text: &TokenStream) -> TokenStream {
        let Parts { printed, holes, entries, constants, .. } = parts;
        let map = printed.map.encode();
        let line = self.lines.first as u32;
        let names = printed.names.iter().map(|(wgsl, rust)| quote!((#wgsl, #rust)));
        let text_of = |holes: &[Hole]| {
            let holes = holes.iter().map(|&Hole { at, parameter }| {
                quote!(::hirace::kernel::Hole { at: #at, parameter: #parameter })
            });
            quote!(&[#(#holes),*])
        };
        let (all, all_holes) = (&printed.wgsl, text_of(holes));
        let (wgsl, holes, checked) = match &parts.plain {
            Some((plain, holes)) => {
                let checked = quote!(::core::option::Option::Some((#all, #all_holes)));
                (plain, text_of(holes), checked)
            }
            None => (all, all_holes, quote!(::core::option::Option::None)),
        };
        let entries = entries.iter().map(entry);
        let constants = constants
            .iter()
            .map(|(name, key)| quote!(::hirace::kernel::Constant { name: #name, key: #key }));
        quote! {
            ::hirace::kernel::Parts {
                wgsl: #wgsl,
                holes: #holes,
                entries: &[#(#entries),*],
                constants: &[#(#constants),*],
                origin: ::hirace::__origin! {
                    checked: #checked,
                    map: #map,
                    file: ::core::file!(),
                    line: #line,
                    text: #text,
                    names: &[#(#names),*],
                },
            }
        }
    }
}

/// What is to be read as if it stood beside the kernel. `path` leads there from its module.
fn scope(path: &TokenStream, items: &TokenStream) -> TokenStream {
    let names = match path.is_empty() {
        true => quote!(::hirace::prelude),
        false => quote!(super::super),
    };
    quote!(mod __scope { use #names::*; #items })
}

/// How many invocations a workgroup of a generic kernel's instance has.
fn sizes(function: &ItemFn, arguments: &TokenStream) -> TokenStream {
    let parameters = const_parameters(function);
    let sizes = match workgroup_size(function, arguments) {
        Some(sizes) => quote!(::core::option::Option::Some([#((#sizes) as u32),*])),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        pub const fn sizes<#parameters>() -> ::core::option::Option<[u32; 3]> { #sizes }
    }
}

fn entry(entry: &Entry) -> TokenStream {
    let Entry { name, wgsl, workgroup_size, bindings } = entry;
    let workgroup_size = match workgroup_size {
        Some(sizes) => quote!(::core::option::Option::Some([#(#sizes),*])),
        None => quote!(::core::option::Option::None),
    };
    let bindings = bindings.iter().map(|Binding { name, group, binding, kind, ty }| {
        let kind = format_ident!("{kind:?}");
        quote! {
            ::hirace::kernel::Binding {
                name: ::std::borrow::Cow::Borrowed(#name),
                group: #group,
                binding: #binding,
                kind: ::hirace::kernel::BindingKind::#kind,
                ty: ::std::borrow::Cow::Borrowed(#ty),
            }
        }
    });
    quote! {
        ::hirace::kernel::Entry {
            name: ::std::borrow::Cow::Borrowed(#name),
            wgsl: ::std::borrow::Cow::Borrowed(#wgsl),
            workgroup_size: #workgroup_size,
            bindings: ::std::borrow::Cow::Borrowed(&[#(#bindings),*]),
        }
    }
}

/// `kernel()` of a kernel that was refused, so that whoever calls it gets no error for it.
pub fn absent(function: &ItemFn) -> TokenStream {
    constructor(function, &quote!(loop {}))
}

fn constructor(function: &ItemFn, kernel: &TokenStream) -> TokenStream {
    let parameters = const_parameters(function);
    quote! {
        /// The kernel: its WGSL, where that came from, and what it wants bound.
        pub fn kernel<#parameters>() -> ::hirace::Kernel { #kernel }
    }
}
