//! The result of a front end: a module, and its relation to the source.
//!
//! Sites record what an access or a barrier does in the source ([`Origin::place`]), because naga's types and flags cannot express
//! all of it: plain accesses to memory that is atomic in naga's types, atomics that are atomic only within their own workgroup,
//! and some barriers of other languages. **Architecture invariant:** the engine, the monitor pass and the analyses read this from
//! sites, not from statements.

use super::{
    HostAssumptions, Language, Program, RuntimeValue, SourceProperties, UnmodeledOrdering,
};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::body::Idioms;
use crate::ir::overrides::{self, OverrideValues};
use crate::ir::sites::Sites;
use crate::ir::{bindings, enumerate, wgsl_writer};
use crate::source_map::SourceMap;
use hirace_runtime::Entry;
use naga::Module;
use naga::valid::ModuleInfo;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// The result of a front end: a valid module with unresolved overrides.
#[derive(Clone, Debug)]
pub struct ParsedModule {
    /// The module. No function has parameters that are textures or pointers to storage or workgroup memory.
    pub module: Module,
    /// The results of naga's validator.
    pub info: ModuleInfo,
    /// The source text.
    pub source: SourceMap,
    /// The source that the module was built from. Until overrides are resolved ([`Program`]), spans in `module` are in the form
    /// that only the origin can map.
    pub origin: Arc<dyn Origin>,
    /// Warnings about the source that affect how far findings can be trusted.
    pub warnings: Vec<Diagnostic>,
}

/// The origin of a module: a source in some language, as its front end knows it.
pub trait Origin: Debug + Send + Sync {
    /// Returns the language of the source.
    fn language(&self) -> Language;

    /// Returns the front end that built the module, which determines the form of generated code.
    fn idioms(&self) -> Idioms;

    /// Returns the WGSL that the module was parsed from, if any: the source itself, or the text generated from it.
    fn wgsl(&self) -> Option<&SourceMap> {
        None
    }

    /// Returns the WGSL to hand out, if any: the text that the module was parsed from, without code that only checks something.
    /// Returns an error if the WGSL cannot express everything in the source.
    fn wgsl_to_publish(&self) -> Option<Result<Cow<'_, str>>> {
        self.wgsl().map(|wgsl| Ok(Cow::Borrowed(wgsl.text())))
    }

    /// Returns the memory ordering that the analysis does not model, so that races may be false positives.
    fn unfollowed(&self) -> Option<UnmodeledOrdering> {
        None
    }

    /// Returns the values of the host that were assumed.
    fn guessed(&self) -> Option<HostAssumptions> {
        None
    }

    /// Returns the values that the runtime of the language passes to the program.
    fn passed(&self) -> Vec<RuntimeValue> {
        Vec::new()
    }

    /// Returns the names of entry points that require a subgroup size, with the size.
    fn subgroup_sizes(&self) -> &[(String, u32)] {
        &[]
    }

    /// Returns the module specialized for these override values, if the parsed module has no overrides for them.
    fn specialized(&self, _values: &BTreeMap<String, f64>) -> Option<Result<ParsedModule>> {
        None
    }

    /// Maps a diagnostic whose labels are spans of the parsed module to the source.
    fn diagnostic(&self, diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic
    }

    /// Maps the spans of `sites` and `module` to the source, and sets the source properties of accesses and barriers.
    fn place(&self, sites: &mut Sites, module: &mut Module);
}

impl ParsedModule {
    /// Returns the text that the module was parsed from: the source itself, or the text generated from it.
    pub fn wgsl(&self) -> &SourceMap {
        self.origin.wgsl().unwrap_or(&self.source)
    }

    /// Returns the WGSL that the module was parsed from, without code that only checks something. If the module was not parsed
    /// from WGSL, returns the module [`written`](Self::written) as WGSL.
    pub fn plain(&self) -> Result<Cow<'_, str>> {
        match self.origin.wgsl_to_publish() {
            Some(wgsl) => wgsl,
            None => self.written().map(Cow::Owned),
        }
    }

    /// Iterates over the names of the compute entry points.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let entries = self.module.entry_points.iter();
        let compute = entries.filter(|entry| entry.stage == naga::ShaderStage::Compute);
        compute.map(|entry| entry.name.as_str())
    }

    /// Returns the compute entry points with what a host needs to run them, by their names in `module`.
    pub fn entries(&self) -> Vec<Entry> {
        let sizes = self.workgroup_sizes();
        let entries = self.module.entry_points.iter().enumerate();
        let compute = entries.filter(|(_, entry)| entry.stage == naga::ShaderStage::Compute);
        let of = |(index, entry): (usize, &naga::EntryPoint)| Entry {
            name: entry.name.clone().into(),
            wgsl: entry.name.clone().into(),
            workgroup_size: match entry.workgroup_size_overrides {
                None => Some(entry.workgroup_size),
                Some(_) => sizes.as_ref().and_then(|sizes| sizes.get(index).copied()),
            },
            bindings: bindings::used_bindings(&self.module, self.info.get_entry_point(index))
                .into(),
        };
        compute.map(of).collect()
    }

    /// Returns the workgroup size of each entry point for the default values of overrides, or `None` if an override has no
    /// default.
    fn workgroup_sizes(&self) -> Option<Vec<[u32; 3]>> {
        let given = OverrideValues {
            values: &BTreeMap::new(),
            file: self.source.name(),
            source: self.wgsl(),
        };
        let overridden = self.module.entry_points.iter();
        if overridden.clone().all(|entry| entry.workgroup_size_overrides.is_none()) {
            return None;
        }
        let keys = given.keys(&self.module).ok()?;
        let (module, _) = overrides::resolve(&self.module, &self.info, given, &keys).ok()?;
        Some(module.entry_points.iter().map(|entry| entry.workgroup_size).collect())
    }

    /// Writes the module as WGSL.
    pub fn written(&self) -> Result<String> {
        wgsl_writer::write_wgsl(&self.module, &self.info, self.source.name())
    }

    /// Creates the program with these values of its overrides.
    pub(super) fn program(&self, values: &BTreeMap<String, f64>) -> Result<Program> {
        let given = OverrideValues { values, file: self.source.name(), source: self.wgsl() };
        let keys = given.keys(&self.module)?;
        let (mut module, info) = overrides::resolve(&self.module, &self.info, given, &keys)
            .map_err(|error| self.origin.diagnostic(error))?;
        let mut sites = enumerate::sites(&module, &info, self.origin.language().vector_stores());
        self.origin.place(&mut sites, &mut module);
        let origin = &self.origin;
        let about = SourceProperties {
            source: self.source.clone(),
            parsed_text: self.wgsl().clone(),
            language: origin.language(),
            idioms: origin.idioms(),
            unfollowed: origin.unfollowed(),
            guessed: origin.guessed(),
            passed: origin.passed(),
            subgroup_sizes: origin.subgroup_sizes().to_vec(),
            has_overrides: !self.module.overrides.is_empty(),
        };
        Ok(Program::of(module, info, sites, about))
    }
}
