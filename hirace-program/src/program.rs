//! Programs: validated naga modules with a map to the user's source.
//!
//! - A front end returns a [`ParsedModule`]; [`Program::new`] creates a program from it, with given values of its overrides.
//! - A pass transforms the module of a program; [`Program::derive`] creates a [`DerivedModule`] from the result. It never passes
//!   through a front end.
//!
//! **Architecture invariant:** this module does not refer to any front end or pass. Their results are described by [`Origin`] and
//! by the spans of the derived module.

mod content;
mod derived;
mod parsed;
mod runtime_value;

pub use content::Content;
pub use derived::{DerivedModule, replacement_span};
pub use parsed::{Origin, ParsedModule};
pub use runtime_value::{RuntimeValue, RuntimeValueKind};

use crate::diagnostic::Result;
use crate::ir::body::{Bodies, Body, Idioms};
use crate::ir::calls::CallGraph;
use crate::ir::enumerate::VectorStores;
use crate::ir::possible::PossibleCases;
use crate::ir::sites::{SiteId, Sites};
use crate::ir::walk::FunctionId;
use crate::source_map::{SourceMap, Span};
use naga::valid::FunctionInfo;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The language of the source text that reports show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// Rust, with hirace's prelude.
    Rust,
    /// Lines of GLSL that SPIR-V instructions were compiled from.
    GlslLines,
    /// Lines of HLSL or Slang that SPIR-V instructions were compiled from.
    HlslLines,
    /// SPIR-V instructions, or lines of a language that hirace does not know.
    Spirv,
}

impl Language {
    /// Returns whether the span of a site is the expression or call itself, not a whole line.
    pub fn shows_expressions(self) -> bool {
        matches!(self, Self::Wgsl | Self::Rust)
    }

    /// Returns what a store to one component of a vector may write, by the memory model of the language.
    pub(crate) fn vector_stores(self) -> VectorStores {
        match self {
            Self::Wgsl | Self::Rust => VectorStores::Whole,
            Self::GlslLines | Self::HlslLines | Self::Spirv => VectorStores::Component,
        }
    }
}

/// Assumed values of constants that the host of a module provides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostAssumptions {
    /// The assumed values.
    pub values: Vec<HostValue>,
    /// Whether findings may depend on the assumed values.
    pub affects_findings: bool,
}

/// A number that the host provides through a specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostValue {
    /// The id of the constant.
    pub constant: u32,
    /// The use of the number.
    pub size: HostSize,
    /// The assumed value.
    pub value: u64,
}

/// The use of a number that the host provides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostSize {
    /// Workgroups, in invocations.
    Workgroup,
    /// An argument in workgroup memory, in elements, with its name if that is known.
    Memory(Option<String>),
    /// A divisor that is 0 by default, with the name of its constant if it has one.
    Divisor(Option<String>),
}

/// Memory ordering of a program that the analysis does not model, so that races found in it may be false positives. Later
/// variants are more severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnmodeledOrdering {
    /// The program may order memory between workgroups: it has atomics, and barriers whose fences have a scope wider than the
    /// workgroup.
    OrderBetweenWorkgroups,
    /// The program orders memory by atomics or fences.
    OrderByAtomics,
}

/// A module ready for passes and executors: specialized for storage pointers, with overrides resolved, validated, and with its
/// sites enumerated.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module.
    pub module: naga::Module,
    /// The results of naga's validator.
    pub info: naga::valid::ModuleInfo,
    /// The source text.
    pub source: SourceMap,
    /// The text that the module was parsed from: the source, the WGSL generated from it, or the text of a shader in it.
    pub parsed_text: SourceMap,
    /// The language of the source text.
    pub language: Language,
    /// The sites of the module.
    pub sites: Sites,
    /// The structure of each function: how statements nest, and which arms exist.
    pub bodies: Bodies,
    /// The call graph.
    pub calls: CallGraph,
    /// Memory ordering that the analysis does not model, so that races may be false positives.
    pub unmodeled_ordering: Option<UnmodeledOrdering>,
    /// The values of the host that were assumed.
    pub guessed: Option<HostAssumptions>,
    /// The values that the runtime of its language passes to it.
    pub passed: Vec<RuntimeValue>,
    /// Whether the source has overrides. If so, other values of the overrides give another program.
    pub has_overrides: bool,
    /// The names of entry points that require a subgroup size, with the size.
    subgroup_sizes: Vec<(String, u32)>,
    /// The front end that built the module, which determines the form of generated code.
    idioms: Idioms,
    /// By site: the corresponding site of the program that this one was derived from, if it was derived.
    origins: Option<Vec<SiteId>>,
    content: content::CachedContentHash,
    /// The arms and cases that can occur, once they are computed.
    pub(crate) possible: OnceLock<PossibleCases>,
}

/// The properties of a source that derived programs share.
#[derive(Clone, Debug)]
struct SourceProperties {
    source: SourceMap,
    parsed_text: SourceMap,
    language: Language,
    idioms: Idioms,
    unfollowed: Option<UnmodeledOrdering>,
    guessed: Option<HostAssumptions>,
    passed: Vec<RuntimeValue>,
    subgroup_sizes: Vec<(String, u32)>,
    has_overrides: bool,
}

impl Program {
    /// Creates the program of `parsed` with these values of its overrides.
    pub fn new(parsed: &ParsedModule, overrides: &BTreeMap<String, f64>) -> Result<Self> {
        let _span = tracing::info_span!("program").entered();
        match parsed.origin.specialized(overrides) {
            Some(specialized) => {
                let program = specialized?.program(&BTreeMap::new())?;
                Ok(Self { has_overrides: true, ..program })
            }
            None => parsed.program(overrides),
        }
    }

    fn of(
        module: naga::Module,
        info: naga::valid::ModuleInfo,
        sites: Sites,
        about: SourceProperties,
    ) -> Self {
        let bodies = Bodies::new(&module, &sites, about.idioms);
        let calls = CallGraph::of(&module);
        let SourceProperties {
            source,
            parsed_text,
            language,
            idioms,
            unfollowed,
            guessed,
            passed,
            ..
        } = about;
        let origins = None;
        Self {
            module,
            info,
            source,
            parsed_text,
            language,
            sites,
            bodies,
            calls,
            unmodeled_ordering: unfollowed,
            guessed,
            passed,
            has_overrides: about.has_overrides,
            subgroup_sizes: about.subgroup_sizes,
            idioms,
            origins,
            content: content::CachedContentHash::default(),
            possible: OnceLock::new(),
        }
    }

    fn about(&self) -> SourceProperties {
        SourceProperties {
            source: self.source.clone(),
            parsed_text: self.parsed_text.clone(),
            language: self.language,
            idioms: self.idioms,
            unfollowed: self.unmodeled_ordering,
            guessed: self.guessed.clone(),
            passed: self.passed.clone(),
            subgroup_sizes: self.subgroup_sizes.clone(),
            has_overrides: self.has_overrides,
        }
    }

    /// Returns the subgroup size that an entry point requires, if it requires one.
    pub fn required_subgroup_size(&self, entry: usize) -> Option<u32> {
        let name = &self.module.entry_points.get(entry)?.name;
        self.subgroup_sizes.iter().find(|(of, _)| of == name).map(|(_, size)| *size)
    }

    /// Returns the structure of a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn body(&self, function: FunctionId) -> &Body {
        self.bodies.get(function)
    }

    /// Returns the validation results of a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn info_of(&self, function: FunctionId) -> &FunctionInfo {
        match function {
            FunctionId::Helper(handle) => &self.info[handle],
            FunctionId::Entry(index) => self.info.get_entry_point(index),
        }
    }

    /// Returns the corresponding site of the program that this one was derived from: [`SiteId::NONE`] if a pass created the site,
    /// and `site` itself if this program was not derived.
    pub fn origin_of(&self, site: SiteId) -> SiteId {
        match &self.origins {
            Some(origins) => origins.get(site.0 as usize).copied().unwrap_or(SiteId::NONE),
            None => site,
        }
    }

    /// Returns the span of the name of the function `name` in its definition (after `fn`, and not in a comment), if there is one.
    pub fn function_name(&self, name: &str) -> Option<Span> {
        let text = self.source.text();
        let first = self.first_statement(name);
        // An entry point whose name several shaders of a file have is called `shader.main`.
        let name = name.rsplit('.').next().unwrap_or(name);
        let ends_a_word = |text: &str| !text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let definitions = text.match_indices(name).filter_map(|(start, _)| {
            let before = text[..start].trim_end_matches("r#");
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            let keyword = before.trim_end();
            let is_named = keyword.len() < before.len()
                && keyword.strip_suffix("fn").is_some_and(ends_a_word)
                && !before[line..].contains("//");
            let end = start + name.len();
            let after = text[end..].chars().next();
            let is_all_of_it = !after.is_some_and(|c| c.is_alphanumeric() || c == '_');
            (is_named && is_all_of_it).then(|| Span::new(start as u32, end as u32))
        });
        let definitions: Vec<Span> = definitions.collect();
        // Several shaders of a file may define the name: the definition is the last one before the function's first statement.
        let own = first.and_then(|first| definitions.iter().rfind(|name| name.start < first));
        own.or(definitions.first()).copied()
    }

    /// Returns the offset of the first statement of the function `name`, if it has one.
    fn first_statement(&self, name: &str) -> Option<u32> {
        let entries = self.module.entry_points.iter();
        let entries = entries.filter(|entry| entry.name == name).map(|entry| &entry.function);
        let helpers = self.module.functions.iter().map(|(_, function)| function);
        let mut all = entries.chain(helpers.filter(|of| of.name.as_deref() == Some(name)));
        let spans = all.next()?.body.span_iter();
        let spans = spans.map(|(_, span)| Span::from(*span)).filter(|span| !span.is_empty());
        spans.map(|span| span.start).min()
    }

    /// Iterates over the indices and names of the compute entry points.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let entries = self.module.entry_points.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.stage == naga::ShaderStage::Compute)
            .map(|(index, entry)| (index, entry.name.as_str()))
    }
}

#[cfg(test)]
mod override_tests;
