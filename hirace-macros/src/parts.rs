//! Generates the code of a compiled item: statics and `kernel()`.

use crate::compile::{CompiledItem, Parts};
use crate::kernels::{const_parameters, parameters, workgroup_size};
use crate::pipeline;
use crate::webgpu_warnings;
use hirace_runtime::{Binding, Entry, Hole};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{ItemConst, ItemFn};

impl CompiledItem {
    /// Returns the statics that the kernels of an item share.
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

    /// Returns `kernel()` and the pipelines of one kernel. `path` is the path to the shared statics: `super::`, or
    /// nothing.
    pub fn kernel(&self, function: &ItemFn, path: &TokenStream) -> TokenStream {
        let name = function.sig.ident.unraw().to_string();
        let (pipeline, types) = self.pipeline(function);
        let Some(parts) = self.generic.get(&name) else {
            let kernel = quote!(::hirace::Kernel::from_parts(&#path __HIRACE, #name));
            let (kernel, scope) = (constructor(function, &kernel), scope(path, &types));
            let warnings = webgpu_warnings::warnings(&self.beyond, &name, function);
            return quote!(#kernel #pipeline #scope #warnings);
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

    /// Returns the trait implementations of a kernel whose item uses others. The kernel's module refers to them through
    /// the type `__Hirace`.
    pub fn monitored(&self, function: &ItemFn) -> TokenStream {
        let name = function.sig.ident.unraw().to_string();
        let generic = self.generic.get(&name);
        let parts = generic.map(|parts| self.parts(parts, &quote!(__HIRACE_TEXT)));
        let (parts, size) = match parts {
            Some(parts) => (
                quote!(static __GENERIC: ::hirace::kernel::Parts = #parts; &__GENERIC),
                written_size(function, &self.arguments),
            ),
            None => (quote!(&__HIRACE), none()),
        };
        let held = self.held(function);
        let implementation = implementation(function, &parts, &size);
        let warnings = webgpu_warnings::warnings(&self.beyond, &name, function);
        quote!(#implementation #held #warnings)
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
            None => (all, all_holes, none()),
        };
        let entries = entries.iter().map(entry);
        let constants = constants
            .iter()
            .map(|(name, key)| quote!(::hirace::kernel::Constant::new(#name, #key)));
        let foreign_lines = self.foreign_lines.iter().map(|(file, lines)| {
            let (line, text) = (lines.first as u32, &lines.text);
            quote!(::hirace::kernel::RelatedSource { file: #file, line: #line, text: #text })
        });
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
                    related: &[#(#foreign_lines),*],
                    names: &[#(#names),*],
                },
            }
        }
    }
}

/// Returns the module with items that are resolved in the scope of the kernel. `path` leads to the shared statics from
/// its module.
fn scope(path: &TokenStream, items: &TokenStream) -> TokenStream {
    let names = match path.is_empty() {
        true => quote!(::hirace::prelude),
        false => quote!(super::super),
    };
    quote!(mod __scope { use #names::*; #items })
}

/// Returns the function that computes the workgroup size of an instance of a generic kernel.
fn sizes(function: &ItemFn, arguments: &TokenStream) -> TokenStream {
    let parameters = const_parameters(function);
    let sizes = written_size(function, arguments);
    quote! {
        pub const fn sizes<#parameters>() -> ::core::option::Option<[u32; 3]> { #sizes }
    }
}

fn written_size(function: &ItemFn, arguments: &TokenStream) -> TokenStream {
    match workgroup_size(function, arguments) {
        Some(sizes) => quote!(::core::option::Option::Some([#((#sizes) as u32),*])),
        None => none(),
    }
}

fn none() -> TokenStream {
    quote!(::core::option::Option::None)
}

fn entry(entry: &Entry) -> TokenStream {
    let Entry { name, wgsl, workgroup_size, bindings } = entry;
    let workgroup_size = match workgroup_size {
        Some(sizes) => quote!(::core::option::Option::Some([#(#sizes),*])),
        None => none(),
    };
    let bindings = bindings.iter().map(|Binding { name, group, binding, kind, ty, .. }| {
        let kind = format_ident!("{kind:?}");
        quote! {
            ::hirace::kernel::Binding::new(
                ::std::borrow::Cow::Borrowed(#name),
                #group,
                #binding,
                ::hirace::kernel::BindingKind::#kind,
                ::std::borrow::Cow::Borrowed(#ty),
            )
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

/// Returns `kernel()` of a rejected kernel, so that its callers get no further errors.
pub fn absent(function: &ItemFn) -> TokenStream {
    constructor(function, &quote!(loop {}))
}

/// Returns `kernel()` and the pipelines of a kernel whose item uses others; their contents are generated elsewhere, for
/// `__Hirace`. `overridable` are the overridable constants of the item.
pub fn composed(function: &ItemFn, overridable: &[ItemConst]) -> TokenStream {
    let name = function.sig.ident.unraw().to_string();
    let declared = const_parameters(function);
    let names: Vec<_> = parameters(function).map(|parameter| &parameter.ident).collect();
    let values = quote!(const { &[#(#names as u32),*] });
    let made = quote!(<__Hirace<#(#names),*> as ::hirace::kernel::Monitored>);
    let kernel = constructor(
        function,
        &quote!(::hirace::Kernel::instance(#made::parts(), #name, #values, #made::workgroup_size())),
    );
    let pipeline = pipeline::composed(function, overridable);
    quote! {
        #kernel
        #pipeline
        /// An instance of the kernel, no more visible than the types of its parameters.
        pub(super) enum __Hirace<#declared> {}
    }
}

/// Returns the trait implementations of a rejected kernel.
pub fn absent_parts(function: &ItemFn) -> TokenStream {
    let implementation = implementation(function, &quote!(loop {}), &none());
    let held = pipeline::absent(function);
    quote!(#implementation #held)
}

fn implementation(function: &ItemFn, parts: &TokenStream, size: &TokenStream) -> TokenStream {
    let (ident, declared) = (&function.sig.ident, const_parameters(function));
    let names = parameters(function).map(|parameter| &parameter.ident);
    quote! {
        impl<#declared> ::hirace::kernel::Monitored for #ident::__Hirace<#(#names),*> {
            fn parts() -> &'static ::hirace::kernel::Parts { #parts }
            fn workgroup_size() -> ::core::option::Option<[::core::primitive::u32; 3]> { #size }
        }
    }
}

fn constructor(function: &ItemFn, kernel: &TokenStream) -> TokenStream {
    let parameters = const_parameters(function);
    quote! {
        /// Returns the kernel, with its WGSL, its source map and its bindings.
        pub fn kernel<#parameters>() -> ::hirace::Kernel { #kernel }
    }
}
