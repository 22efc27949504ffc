//! What was made of an item, as code: statics and `kernel()`.

use crate::compile::{Made, Parts};
use crate::kernels::parameters;
use hirace_program::front::rust::template::Hole;
use hirace_program::ir::bindings::Binding;
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
        let Some(parts) = self.generic.get(&name) else {
            let kernel = quote!(::hirace::Kernel::from_parts(&#path __HIRACE, #name));
            return constructor(function, &kernel);
        };
        let values = parameters(function).map(|parameter| &parameter.ident);
        let values = quote!(const { &[#(#values as u32),*] });
        let kernel =
            constructor(function, &quote!(::hirace::Kernel::instance(&__GENERIC, #name, #values)));
        let parts = self.parts(parts, &quote!(#path __HIRACE_TEXT));
        quote! {
            #kernel
            static __GENERIC: ::hirace::kernel::Parts = #parts;
        }
    }

    /// What a kernel of an item holds that uses others: its name's module refers to it by the type `__Hirace`.
    pub fn monitored(&self, function: &ItemFn) -> TokenStream {
        let ident = &function.sig.ident;
        let generic = self.generic.get(&ident.unraw().to_string());
        let parts = match generic.map(|parts| self.parts(parts, &quote!(__HIRACE_TEXT))) {
            Some(parts) => quote!(static __GENERIC: ::hirace::kernel::Parts = #parts; &__GENERIC),
            None => quote!(&__HIRACE),
        };
        implementation(function, &parts)
    }

    fn parts(&self, parts: &Parts, text: &TokenStream) -> TokenStream {
        let Parts { printed, holes, instrumented, bindings } = parts;
        let (wgsl, map) = (&printed.wgsl, printed.map.encode());
        let line = self.lines.first as u32;
        let names = printed.names.iter().map(|(wgsl, rust)| quote!((#wgsl, #rust)));
        let holes = holes.iter().map(|&Hole { at, parameter }| {
            quote!(::hirace::kernel::Hole { at: #at, parameter: #parameter })
        });
        let instrumented = match instrumented {
            Some(text) => quote!(::core::option::Option::Some(#text)),
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
        let beside = self.beside.iter().map(|(file, lines)| {
            let (line, text) = (lines.first as u32, &lines.text);
            quote!(::hirace::kernel::Beside { file: #file, line: #line, text: #text })
        });
        quote! {
            ::hirace::kernel::Parts {
                wgsl: #wgsl,
                holes: &[#(#holes),*],
                instrumented: #instrumented,
                map: #map,
                file: ::core::file!(),
                line: #line,
                text: #text,
                beside: &[#(#beside),*],
                names: &[#(#names),*],
                bindings: &[#(#bindings),*],
            }
        }
    }
}

/// `kernel()` of a kernel that was refused, so that whoever calls it gets no error for it.
pub fn absent(function: &ItemFn) -> TokenStream {
    constructor(function, &quote!(loop {}))
}

/// `kernel()` of a kernel whose item uses others: what it holds is made elsewhere.
pub fn composed(function: &ItemFn) -> TokenStream {
    let name = function.sig.ident.unraw().to_string();
    let values = parameters(function).map(|parameter| &parameter.ident);
    let values = quote!(const { &[#(#values as u32),*] });
    let parts = quote!(<__Hirace as ::hirace::kernel::Monitored>::parts());
    let kernel = constructor(function, &quote!(::hirace::Kernel::instance(#parts, #name, #values)));
    quote! {
        #kernel
        #[doc(hidden)]
        pub enum __Hirace {}
    }
}

/// What a kernel holds that was refused.
pub fn absent_parts(function: &ItemFn) -> TokenStream {
    implementation(function, &quote!(loop {}))
}

fn implementation(function: &ItemFn, parts: &TokenStream) -> TokenStream {
    let ident = &function.sig.ident;
    quote! {
        impl ::hirace::kernel::Monitored for #ident::__Hirace {
            fn parts() -> &'static ::hirace::kernel::Parts { #parts }
        }
    }
}

fn constructor(function: &ItemFn, kernel: &TokenStream) -> TokenStream {
    let parameters = parameters(function).map(|parameter| {
        let syn::ConstParam { ident, ty, .. } = parameter;
        quote!(const #ident: #ty)
    });
    quote! {
        /// The kernel: its WGSL, where that came from, and what it wants bound.
        pub fn kernel<#(#parameters),*>() -> ::hirace::Kernel { #kernel }
    }
}
