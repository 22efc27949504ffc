//! The list of the public items of a crate, with their signatures.

use super::crates::{
    Crates, ModulePath, Referent, Use, attributes, ident, is_hidden, is_public, visibility,
};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Fields, FnArg, ImplItem, Item, Pat, Signature, TraitItem};

/// An item: its module, and its index there.
type Id = (ModulePath, usize);

/// A way to name an item from outside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Exposure {
    /// The number of segments, so that the shortest path comes first.
    length: usize,
    path: String,
    features: BTreeSet<String>,
}

/// The list and what is wrong with it.
#[derive(Default)]
pub struct Listing {
    /// The lines, by the path that they are sorted by.
    lines: BTreeSet<(String, String)>,
    /// Types in signatures that users cannot name.
    pub hidden: BTreeSet<String>,
    /// Types of other crates in signatures: the crate, and the line.
    pub foreign: BTreeSet<(String, String)>,
}

impl Listing {
    /// Returns the lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(_, line)| &**line)
    }
}

/// Lists the public items of the crate called `root`.
pub fn list(crates: &Crates, root: &str) -> Listing {
    let mut lister = Lister { crates, exposed: BTreeMap::new(), listing: Listing::default() };
    lister.expose(&[root.to_owned()], root, &BTreeSet::new(), &mut BTreeSet::new());
    let exposed = lister.exposed.clone();
    for (id, exposures) in &exposed {
        let Some(main) = exposures.first() else { continue };
        for other in exposures.iter().skip(1) {
            let text = format!("pub use {} as {}", main.path, other.path);
            lister.line(&other.path, &other.features, text);
        }
        lister.item(id, main);
    }
    for (module, content) in &crates.modules {
        for item in &content.items {
            if let Item::Impl(item) = item {
                lister.implementation(module, item);
            }
        }
    }
    lister.listing
}

struct Lister<'a> {
    crates: &'a Crates,
    exposed: BTreeMap<Id, BTreeSet<Exposure>>,
    listing: Listing,
}

impl Lister<'_> {
    fn line(&mut self, path: &str, features: &BTreeSet<String>, text: String) {
        // The feature `check` is a default.
        let features: Vec<&str> =
            features.iter().map(|name| &**name).filter(|name| *name != "check").collect();
        let text = match features.is_empty() {
            true => text,
            false => format!("{text} [{}]", features.join(", ")),
        };
        self.listing.lines.insert((path.to_owned(), text));
    }

    /// Records the public items of a module under the path `public`.
    fn expose(
        &mut self,
        module: &[String],
        public: &str,
        features: &BTreeSet<String>,
        seen: &mut BTreeSet<(ModulePath, String)>,
    ) {
        if !seen.insert((module.to_vec(), public.to_owned())) {
            return;
        }
        let crates = self.crates;
        let Some(content) = crates.modules.get(module) else { return };
        for (name, child) in content.children.iter().filter(|(_, child)| child.is_public) {
            let path: ModulePath = module.iter().cloned().chain([name.clone()]).collect();
            let features = features | &child.features;
            let public = format!("{public}::{name}");
            self.line(&public, &features, format!("pub mod {public}"));
            self.expose(&path, &public, &features, seen);
        }
        for (at, item) in content.items.iter().enumerate() {
            let Some(name) = ident(item) else { continue };
            let own = attributes(item);
            if visibility(item).is_some_and(is_public) && !is_hidden(own) {
                let features = features | &crates.features(own);
                self.expose_item((module.to_vec(), at), format!("{public}::{name}"), features);
            }
        }
        for used in content.uses.iter().filter(|used| used.is_public) {
            let features = features | &used.features;
            for target in crates.import(module, used) {
                self.expose_import(used, target, public, &features, seen);
            }
        }
    }

    fn expose_import(
        &mut self,
        used: &Use,
        target: Referent,
        public: &str,
        features: &BTreeSet<String>,
        seen: &mut BTreeSet<(ModulePath, String)>,
    ) {
        let path = used.name.as_ref().map(|name| format!("{public}::{name}"));
        match (path, target) {
            (None, Referent::Module(target)) => self.expose(&target, public, features, seen),
            (None, Referent::External(from)) => {
                let from = from.join("::");
                self.line(public, features, format!("pub use {from}::* as {public}::*"));
            }
            (Some(path), Referent::External(from)) => {
                let from = from.join("::");
                self.line(&path, features, format!("pub use {from} as {path}"));
            }
            // A private module may have the name of an item that is exported with it.
            (Some(path), Referent::Module(target)) => {
                let parent = &target[..target.len() - 1];
                let parent = self.crates.modules.get(parent);
                let declared = parent.and_then(|parent| parent.children.get(target.last()?));
                if declared.is_some_and(|child| child.is_public) {
                    self.line(&path, features, format!("pub mod {path}"));
                    self.expose(&target, &path, features, seen);
                }
            }
            (Some(path), Referent::Item(module, at)) => {
                let item = self.crates.modules[&module].items.get(at);
                let is_public = |item| visibility(item).is_some_and(is_public);
                if item.is_some_and(|item| is_public(item) && !is_hidden(attributes(item))) {
                    self.expose_item((module, at), path, features.clone());
                }
            }
            (None, Referent::Item(..)) => {}
        }
    }

    fn expose_item(&mut self, id: Id, path: String, features: BTreeSet<String>) {
        let length = path.matches("::").count();
        self.exposed.entry(id).or_default().insert(Exposure { length, path, features });
    }

    /// Lists an item, with its fields, variants or methods.
    fn item(&mut self, id: &Id, exposure: &Exposure) {
        let (module, at) = id;
        let crates = self.crates;
        let Some(item) = crates.modules[module].items.get(*at) else { return };
        let Exposure { path, features, .. } = exposure;
        let open = match is_non_exhaustive(attributes(item)) {
            true => "#[non_exhaustive] ",
            false => "",
        };
        match item {
            Item::Fn(item) => {
                let text = self.signature(module, path, &item.sig);
                self.line(path, features, format!("pub {text}"));
            }
            Item::Const(item) => {
                let ty = self.shown(module, &*item.ty, path);
                self.line(path, features, format!("pub const {path}: {ty}"));
            }
            Item::Static(item) => {
                let ty = self.shown(module, &*item.ty, path);
                self.line(path, features, format!("pub static {path}: {ty}"));
            }
            Item::Type(item) => {
                let generics = self.shown(module, &item.generics, path);
                let ty = self.shown(module, &*item.ty, path);
                self.line(path, features, format!("pub type {path}{generics} = {ty}"));
            }
            Item::Struct(item) => {
                let generics = self.shown(module, &item.generics, path);
                self.line(path, features, format!("{open}pub struct {path}{generics}"));
                self.fields(module, path, features, &item.fields, false);
                self.derives(module, path, features, &item.attrs, &item.generics);
            }
            Item::Enum(item) => {
                let generics = self.shown(module, &item.generics, path);
                self.line(path, features, format!("{open}pub enum {path}{generics}"));
                for variant in item.variants.iter().filter(|variant| !is_hidden(&variant.attrs)) {
                    let name = format!("{path}::{}", variant.ident);
                    self.line(&name, features, name.clone());
                    self.fields(module, &name, features, &variant.fields, true);
                }
                self.derives(module, path, features, &item.attrs, &item.generics);
            }
            Item::Trait(item) => {
                let generics = self.shown(module, &item.generics, path);
                let above = self.shown(module, &item.supertraits, path);
                let above = if above.is_empty() { above } else { format!(": {above}") };
                self.line(path, features, format!("pub trait {path}{generics}{above}"));
                for item in &item.items {
                    self.trait_item(module, path, features, item);
                }
            }
            _ => {}
        }
    }

    fn fields(
        &mut self,
        module: &[String],
        path: &str,
        features: &BTreeSet<String>,
        fields: &Fields,
        of_variant: bool,
    ) {
        for (at, field) in fields.iter().enumerate() {
            if self.is_left_out(&field.attrs) || !of_variant && !is_public(&field.vis) {
                continue;
            }
            let name = field.ident.as_ref().map_or(at.to_string(), ToString::to_string);
            let ty = self.shown(module, &field.ty, path);
            self.line(&format!("{path}::{name}"), features, format!("{path}::{name}: {ty}"));
        }
    }

    fn derives(
        &mut self,
        module: &[String],
        path: &str,
        features: &BTreeSet<String>,
        attributes: &[syn::Attribute],
        generics: &syn::Generics,
    ) {
        let generics = self.shown(module, generics, path);
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let _ = attribute.parse_nested_meta(|derived| {
                let name = self.shown(module, &derived.path, path);
                let name = name.rsplit("::").next().unwrap_or_default().to_owned();
                self.line(path, features, format!("impl {name} for {path}{generics}"));
                Ok(())
            });
        }
    }

    fn trait_item(
        &mut self,
        module: &[String],
        path: &str,
        features: &BTreeSet<String>,
        item: &TraitItem,
    ) {
        match item {
            TraitItem::Fn(item) if !is_hidden(&item.attrs) => {
                let name = format!("{path}::{}", item.sig.ident);
                let text = self.signature(module, &name, &item.sig);
                let body = if item.default.is_some() { " { … }" } else { "" };
                self.line(&name, features, format!("{text}{body}"));
            }
            TraitItem::Type(item) if !is_hidden(&item.attrs) => {
                let name = format!("{path}::{}", item.ident);
                let bounds = self.shown(module, &item.bounds, path);
                let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
                self.line(&name, features, format!("type {name}{bounds}"));
            }
            TraitItem::Const(item) if !is_hidden(&item.attrs) => {
                let name = format!("{path}::{}", item.ident);
                let ty = self.shown(module, &item.ty, path);
                self.line(&name, features, format!("const {name}: {ty}"));
            }
            _ => {}
        }
    }

    /// Lists an `impl` of a public type, or of a public trait.
    fn implementation(&mut self, module: &[String], item: &syn::ItemImpl) {
        if is_hidden(&item.attrs) {
            return;
        }
        let own = match &*item.self_ty {
            syn::Type::Path(path) => self.public(module, &path.path),
            _ => None,
        };
        let mut features = self.crates.features(&item.attrs);
        features.extend(self.crates.modules[module].features.clone());
        features.extend(own.iter().flat_map(|own| own.features.clone()));
        let Some((of, _)) = &item.trait_ else {
            let Some(own) = own else { return };
            for method in &item.items {
                self.associated(module, &own, &features, item, method);
            }
            return;
        };
        let of_trait = self.public(module, of);
        let is_internal = of_trait.is_none() && self.is_internal(module, of);
        let sort = match (&own, &of_trait) {
            (Some(own), _) => own.path.clone(),
            (None, Some(of)) => of.path.clone(),
            (None, None) => return,
        };
        if is_internal {
            return;
        }
        let generics = self.shown(module, &item.generics, &sort);
        let name = self.shown(module, of, &sort);
        let ty = self.shown(module, &*item.self_ty, &sort);
        let bounds = self.shown(module, &item.generics.where_clause, &sort);
        let mut types = Vec::new();
        for item in &item.items {
            if let ImplItem::Type(item) = item {
                let ty = self.shown(module, &item.ty, &sort);
                types.push(format!("type {} = {ty}", item.ident));
            }
        }
        let types = match types.is_empty() {
            true => String::new(),
            false => format!(" {{ {} }}", types.join("; ")),
        };
        let bounds = if bounds.is_empty() { bounds } else { format!(" {bounds}") };
        self.line(&sort, &features, format!("impl{generics} {name} for {ty}{bounds}{types}"));
    }

    fn associated(
        &mut self,
        module: &[String],
        own: &Exposure,
        features: &BTreeSet<String>,
        block: &syn::ItemImpl,
        item: &ImplItem,
    ) {
        let (attributes, visibility, name) = match item {
            ImplItem::Fn(item) => (&item.attrs, &item.vis, &item.sig.ident),
            ImplItem::Const(item) => (&item.attrs, &item.vis, &item.ident),
            _ => return,
        };
        if !is_public(visibility) || self.is_left_out(attributes) {
            return;
        }
        let features = features | &self.crates.features(attributes);
        let path = format!("{}::{name}", own.path);
        let text = match item {
            ImplItem::Fn(item) => self.signature(module, &path, &item.sig),
            ImplItem::Const(item) => {
                format!("const {path}: {}", self.shown(module, &item.ty, &path))
            }
            _ => return,
        };
        // The type with its arguments, if there are any.
        let ty = self.shown(module, &*block.self_ty, &path);
        let of = match ty == own.path {
            true => String::new(),
            false => format!(" (impl{} {ty})", self.shown(module, &block.generics, &path)),
        };
        self.line(&path, &features, format!("pub {text}{of}"));
    }

    /// Returns whether a part of an item is hidden, or needs a feature that is off.
    fn is_left_out(&self, attributes: &[syn::Attribute]) -> bool {
        is_hidden(attributes) || !self.crates.is_enabled(attributes)
    }

    /// Returns the shortest public path of what a path refers to.
    fn public(&self, module: &[String], path: &syn::Path) -> Option<Exposure> {
        self.crates.resolve(module, &segments(path)).into_iter().find_map(|found| {
            let Referent::Item(module, at) = found else { return None };
            self.exposed.get(&(module, at))?.first().cloned()
        })
    }

    /// Returns whether a path refers to an item that users cannot name.
    fn is_internal(&self, module: &[String], path: &syn::Path) -> bool {
        let found = self.crates.resolve(module, &segments(path));
        found.iter().any(|found| match found {
            Referent::Item(module, at) => {
                let item = self.crates.modules[module].items.get(*at);
                let is_type = !matches!(item, Some(Item::Fn(_) | Item::Const(_) | Item::Static(_)));
                is_type && !self.exposed.contains_key(&(module.clone(), *at))
            }
            _ => false,
        })
    }

    fn signature(&mut self, module: &[String], path: &str, signature: &Signature) -> String {
        let mut signature = signature.clone();
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(own) => own.mutability = None,
                FnArg::Typed(argument) => {
                    if let Pat::Ident(name) = &mut *argument.pat {
                        name.mutability = None;
                    }
                }
            }
        }
        let Signature { constness, asyncness, generics, inputs, output, .. } = &signature;
        let (before, bounds) = (quote!(#constness #asyncness fn), &generics.where_clause);
        let [before, generics, inputs, output, bounds] =
            [before, quote!(#generics), quote!((#inputs)), quote!(#output), quote!(#bounds)]
                .map(|tokens| self.shown(module, tokens, path));
        let spaced = |text: String| if text.is_empty() { text } else { format!(" {text}") };
        format!("{before} {path}{generics}{inputs}{}{}", spaced(output), spaced(bounds))
    }

    /// Formats a part of a signature. Each path is replaced by its public path; `at` is the item that names it.
    fn shown(&mut self, module: &[String], part: impl ToTokens, at: &str) -> String {
        let tokens = part.into_token_stream();
        let mut out = String::new();
        let mut paths = PublicPaths { lister: self, module, at };
        write(&paths.replaced(tokens), &mut out);
        out.trim_end_matches([' ', ',']).trim_start().to_owned()
    }
}

/// Replaces paths by public ones.
struct PublicPaths<'a, 'b, 'c> {
    lister: &'a mut Lister<'b>,
    module: &'c [String],
    at: &'c str,
}

impl PublicPaths<'_, '_, '_> {
    fn replaced(&mut self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => {
                    let inner = self.replaced(group.stream());
                    let group = proc_macro2::Group::new(group.delimiter(), inner);
                    out.extend([TokenTree::Group(group)]);
                    at += 1;
                }
                // A lifetime, or a part of `<T as Trait>::Name`.
                TokenTree::Punct(punct) if "':".contains(punct.as_char()) => {
                    let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(_));
                    let is_path = punct.as_char() == ':' && punct.spacing() == Spacing::Joint;
                    let length = if is_path { 3 } else { 2 };
                    let skips = is_path || punct.as_char() == '\'';
                    let length = if skips { length } else { 1 };
                    let end = (at + length).min(tokens.len());
                    let all_names = tokens[at..end].last().is_some_and(is_name);
                    let end = if skips && !all_names { at + 1 } else { end };
                    out.extend(tokens[at..end].iter().cloned());
                    at = end;
                }
                TokenTree::Ident(_) => {
                    let (path, end) = path_at(&tokens, at);
                    match self.public_path(&path) {
                        Some(public) => out.extend(public.parse::<TokenStream>().expect("a path")),
                        None => out.extend(tokens[at..end].iter().cloned()),
                    }
                    at = end;
                }
                other => {
                    out.extend([other.clone()]);
                    at += 1;
                }
            }
        }
        out
    }

    /// Returns the public path of a path in a signature, if it differs.
    fn public_path(&mut self, path: &[String]) -> Option<String> {
        let is_type = path.len() > 1 || path[0].starts_with(char::is_uppercase);
        if !is_type {
            return None;
        }
        if FOREIGN.contains(&&*path[0]) {
            self.lister.listing.foreign.insert((path[0].clone(), self.at.to_owned()));
        }
        let crates = self.lister.crates;
        for found in crates.resolve(self.module, path) {
            match found {
                Referent::External(path) => {
                    if FOREIGN.contains(&&*path[0]) {
                        self.lister.listing.foreign.insert((path[0].clone(), self.at.to_owned()));
                    }
                    return Some(path.join("::"));
                }
                Referent::Item(module, at) => {
                    let item = crates.modules[&module].items.get(at);
                    if !matches!(item, Some(item) if !matches!(item, Item::Fn(_))) {
                        continue;
                    }
                    let exposed = self.lister.exposed.get(&(module, at));
                    if let Some(exposure) = exposed.and_then(BTreeSet::first) {
                        return Some(exposure.path.clone());
                    }
                    if item.is_some_and(|item| !is_hidden(attributes(item))) {
                        self.lister.listing.hidden.insert(format!(
                            "{} in {}",
                            path.join("::"),
                            self.at
                        ));
                    }
                }
                Referent::Module(_) => {}
            }
        }
        None
    }
}

/// The crates whose types no signature outside of their own features may name.
const FOREIGN: [&str; 2] = ["naga", "wgpu"];

/// Returns the path at an identifier, and the index of the token after it.
fn path_at(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize) {
    let (mut path, mut at) = (vec![tokens[start].to_string()], start + 1);
    while let [TokenTree::Punct(first), TokenTree::Punct(second), TokenTree::Ident(name), ..] =
        &tokens[at..]
        && (first.as_char(), second.as_char()) == (':', ':')
    {
        path.push(name.to_string());
        at += 3;
    }
    (path, at)
}

/// Formats tokens as rustfmt would in one line.
fn write(tokens: &TokenStream, out: &mut String) {
    let mut joined = String::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(&group.stream(), out);
                let trimmed = out.trim_end_matches(", ").len();
                out.truncate(trimmed);
                out.push_str(close);
            }
            TokenTree::Punct(punct) => {
                joined.push(punct.as_char());
                if punct.spacing() == Spacing::Joint && !"'&<>".contains(punct.as_char()) {
                    continue;
                }
                let spaced = match &*joined {
                    "," | ";" | ":" => format!("{joined} "),
                    "->" | "=" | "+" => format!(" {joined} "),
                    _ => joined.clone(),
                };
                if spaced == "&" && out.ends_with(char::is_alphanumeric) {
                    out.push(' ');
                }
                out.push_str(&spaced);
                joined.clear();
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                if out.ends_with(is_word) || out.ends_with([')', ']', '>']) {
                    out.push(' ');
                }
                out.push_str(&token.to_string());
            }
        }
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn is_non_exhaustive(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"))
}
