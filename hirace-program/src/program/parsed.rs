//! What a front end delivers: a module, and where all that is known of it stands in the source.

use super::{About, Guess, Language, Passed, Program, Unfollowed};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::body::Idioms;
use crate::ir::overrides::{self, Given};
use crate::ir::sites::Sites;
use crate::ir::{access, bindings, written};
use crate::source_map::SourceMap;
use hirace_runtime::Entry;
use naga::Module;
use naga::valid::ModuleInfo;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// What a front end makes of an input: a valid module whose overrides are still open.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module. No function takes pointers to storage or workgroup memory, or textures.
    pub module: Module,
    /// What naga's validator found out about it.
    pub info: ModuleInfo,
    /// The text it came from.
    pub source: SourceMap,
    /// What it was made from. Until overrides have their values ([`Program`]), spans in `module` are those
    /// that this knows.
    pub origin: Arc<dyn Origin>,
    /// What is to be known of the source before its findings are believed.
    pub warnings: Vec<Diagnostic>,
}

/// What a module was made from: a source in some language, as its front end knows it.
pub trait Origin: Debug + Send + Sync {
    /// What the source is written in.
    fn language(&self) -> Language;

    /// How the module says what naga's IR has no word for.
    fn idioms(&self) -> Idioms;

    /// The WGSL that the module was parsed from, if it was: the source itself, or what was printed for it.
    fn wgsl(&self) -> Option<&SourceMap> {
        None
    }

    /// Its WGSL as it is handed out, if it has some: that which the module was parsed from, but for what only
    /// checks something. An error where that says less than the source.
    fn handed_out(&self) -> Option<Result<Cow<'_, str>>> {
        self.wgsl().map(|wgsl| Ok(Cow::Borrowed(wgsl.text())))
    }

    /// What is not followed, so that races that are found may be none.
    fn unfollowed(&self) -> Option<Unfollowed> {
        None
    }

    /// What was guessed of the program itself.
    fn guessed(&self) -> Option<Guess> {
        None
    }

    /// What the runtime of the language passes to it.
    fn passed(&self) -> Vec<Passed> {
        Vec::new()
    }

    /// The program under these values of its overrides, where the parsed module has none of them left open.
    fn specialised(&self, _values: &BTreeMap<String, f64>) -> Option<Result<Parsed>> {
        None
    }

    /// A diagnostic whose labels are spans of the parsed module, as one of the source.
    fn diagnostic(&self, diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        diagnostic
    }

    /// Moves `sites` and `module` to the source, and says of accesses and barriers what they are there.
    fn place(&self, sites: &mut Sites, module: &mut Module);
}

impl Parsed {
    /// The text that the module was parsed from: the source itself, or what was printed for it.
    pub fn wgsl(&self) -> &SourceMap {
        self.origin.wgsl().unwrap_or(&self.source)
    }

    /// Its WGSL: the text that the module was parsed from, without what only checks something; or if that was
    /// not WGSL, the module [`written`](Self::written).
    pub fn plain(&self) -> Result<Cow<'_, str>> {
        match self.origin.handed_out() {
            Some(wgsl) => wgsl,
            None => self.written().map(Cow::Owned),
        }
    }

    /// The names of its compute entry points.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let entries = self.module.entry_points.iter();
        let compute = entries.filter(|entry| entry.stage == naga::ShaderStage::Compute);
        compute.map(|entry| entry.name.as_str())
    }

    /// Its compute entry points, as who runs them needs to know them, by the names that they have in `module`.
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
            bindings: bindings::used(&self.module, self.info.get_entry_point(index)).into(),
        };
        compute.map(of).collect()
    }

    /// The size of each entry point's workgroups with what overrides default to; `None` if one has no default.
    fn workgroup_sizes(&self) -> Option<Vec<[u32; 3]>> {
        let given =
            Given { values: &BTreeMap::new(), file: self.source.name(), source: self.wgsl() };
        let overridden = self.module.entry_points.iter();
        if overridden.clone().all(|entry| entry.workgroup_size_overrides.is_none()) {
            return None;
        }
        let keys = given.keys(&self.module).ok()?;
        let (module, _) = overrides::resolve(&self.module, &self.info, given, &keys).ok()?;
        Some(module.entry_points.iter().map(|entry| entry.workgroup_size).collect())
    }

    /// The module as WGSL.
    pub fn written(&self) -> Result<String> {
        written::wgsl(&self.module, &self.info, self.source.name())
    }

    /// The program that it is under these values of its overrides.
    pub(super) fn program(&self, values: &BTreeMap<String, f64>) -> Result<Program> {
        let given = Given { values, file: self.source.name(), source: self.wgsl() };
        let keys = given.keys(&self.module)?;
        let (mut module, info) = overrides::resolve(&self.module, &self.info, given, &keys)
            .map_err(|error| self.origin.diagnostic(error))?;
        let mut sites = access::enumerate(&module, &info);
        self.origin.place(&mut sites, &mut module);
        let origin = &self.origin;
        let about = About {
            source: self.source.clone(),
            language: origin.language(),
            idioms: origin.idioms(),
            unfollowed: origin.unfollowed(),
            guessed: origin.guessed(),
            passed: origin.passed(),
        };
        Ok(Program::of(module, info, sites, about))
    }
}
