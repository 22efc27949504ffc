//! A program: a naga module that validates, with the map back to what the user wrote.
//!
//! - A front end delivers a [`Parsed`]; [`Program::new`] makes a program of that, under values of its overrides.
//! - A pass makes a module of a program's; [`Program::derive`] makes a [`Derived`] of that, which never goes
//!   through a front end.
//!
//! **Architecture invariant:** nothing here knows a front end or a pass by name. What the two deliver is
//! in [`Origin`] and in the spans of the derived module.

mod content;
mod derived;
mod parsed;
mod passed;

pub use content::Content;
pub use derived::{Derived, in_stead};
pub use parsed::{Origin, Parsed};
pub use passed::{Passed, PassedValue};

use crate::diagnostic::Result;
use crate::ir::body::{Bodies, Body, Idioms};
use crate::ir::calls::CallGraph;
use crate::ir::sites::{SiteId, Sites};
use crate::ir::walk::FunctionId;
use crate::source_map::{SourceMap, Span};
use naga::valid::FunctionInfo;
use std::collections::BTreeMap;

/// The language of a source, as far as reports show code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// Rust, with hirace's prelude.
    Rust,
    /// Lines of GLSL, of which instructions of SPIR-V were made.
    GlslLines,
    /// Lines of HLSL or Slang, of which instructions of SPIR-V were made.
    HlslLines,
    /// Instructions of SPIR-V, or lines of a language that hirace does not know.
    Spirv,
}

impl Language {
    /// Whether what stands at a site is the expression or call that it is about, and not a line.
    pub fn shows_expressions(self) -> bool {
        matches!(self, Self::Wgsl | Self::Rust)
    }
}

/// What a module leaves to its host, and was guessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// What it is, and what was taken for it.
    pub values: Vec<HostValue>,
    /// Whether what is found may hang on it.
    pub is_doubt: bool,
}

/// A size that the host gives, by a specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostValue {
    /// The number of the constant.
    pub constant: u32,
    /// What it is the size of.
    pub size: HostSize,
    /// The value that was taken for it.
    pub value: u64,
}

/// What a host gives the size of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostSize {
    /// Workgroups, in invocations.
    Workgroup,
    /// An argument in workgroup memory, in elements; with its name, if that is known.
    Memory(Option<String>),
}

/// What a program does that is not followed, so that races found in it may be none. The last is the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfollowed {
    /// It may order memory between workgroups: it has atomics, and barriers whose fences reach beyond a workgroup.
    OrderBetweenWorkgroups,
    /// It orders memory by atomics or fences.
    OrderByAtomics,
}

/// A module ready for passes and executors: storage pointers specialised away, overrides resolved,
/// validated, its sites enumerated.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module.
    pub module: naga::Module,
    /// What naga's validator found out about it.
    pub info: naga::valid::ModuleInfo,
    /// The text it came from.
    pub source: SourceMap,
    /// What that text is written in.
    pub language: Language,
    /// The places in it that findings speak of.
    pub sites: Sites,
    /// How the statements of each function nest, and which arms there are.
    pub bodies: Bodies,
    /// Who calls whom.
    pub calls: CallGraph,
    /// What it does that is not followed, so that races found in it may be none.
    pub unfollowed: Option<Unfollowed>,
    /// What was guessed of it.
    pub guessed: Option<Guess>,
    /// What the runtime of its language passes to it.
    pub passed: Vec<Passed>,
    /// How its module says what naga's IR has no word for.
    idioms: Idioms,
    /// By site: which site of the program that this one was derived from it is, if it was derived.
    origins: Option<Vec<SiteId>>,
    content: content::Known,
}

/// What is known of a source, whatever is made of it.
#[derive(Clone, Debug)]
struct About {
    source: SourceMap,
    language: Language,
    idioms: Idioms,
    unfollowed: Option<Unfollowed>,
    guessed: Option<Guess>,
    passed: Vec<Passed>,
}

impl Program {
    /// The program that `parsed` is under these values of its overrides.
    pub fn new(parsed: &Parsed, overrides: &BTreeMap<String, f64>) -> Result<Self> {
        let _span = tracing::info_span!("program").entered();
        match parsed.origin.specialised(overrides) {
            Some(specialised) => specialised?.program(&BTreeMap::new()),
            None => parsed.program(overrides),
        }
    }

    fn of(module: naga::Module, info: naga::valid::ModuleInfo, sites: Sites, about: About) -> Self {
        let bodies = Bodies::new(&module, &sites, about.idioms);
        let calls = CallGraph::of(&module);
        let About { source, language, idioms, unfollowed, guessed, passed } = about;
        let origins = None;
        Self {
            module,
            info,
            source,
            language,
            sites,
            bodies,
            calls,
            unfollowed,
            guessed,
            passed,
            idioms,
            origins,
            content: content::Known::default(),
        }
    }

    fn about(&self) -> About {
        About {
            source: self.source.clone(),
            language: self.language,
            idioms: self.idioms,
            unfollowed: self.unfollowed,
            guessed: self.guessed.clone(),
            passed: self.passed.clone(),
        }
    }

    /// The structure of a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn body(&self, function: FunctionId) -> &Body {
        self.bodies.get(function)
    }

    /// What naga's validator found out about a function.
    ///
    /// # Panics
    /// If the program has no such function.
    pub fn info_of(&self, function: FunctionId) -> &FunctionInfo {
        match function {
            FunctionId::Helper(handle) => &self.info[handle],
            FunctionId::Entry(index) => self.info.get_entry_point(index),
        }
    }

    /// Which site of the program that this one was derived from `site` is: [`SiteId::NONE`] if a pass made it, and
    /// itself if this one was not derived.
    pub fn origin_of(&self, site: SiteId) -> SiteId {
        match &self.origins {
            Some(origins) => origins.get(site.0 as usize).copied().unwrap_or(SiteId::NONE),
            None => site,
        }
    }

    /// Where the function `name` is named in the text, if it is: after `fn`, and not in a comment.
    pub fn function_name(&self, name: &str) -> Option<Span> {
        let text = self.source.text();
        let ends_a_word = |text: &str| !text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        text.match_indices(name).find_map(|(start, _)| {
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
        })
    }

    /// Indices and names of its compute entry points.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let entries = self.module.entry_points.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.stage == naga::ShaderStage::Compute)
            .map(|(index, entry)| (index, entry.name.as_str()))
    }
}

#[cfg(test)]
mod override_tests;
#[cfg(test)]
mod tests;
