//! WGSL as the origin of a program: maps sites to the spans that users see.

use super::spans;
use crate::ir::body::Idioms;
use crate::ir::sites::Sites;
use crate::program::{self, Language};
use crate::source_map::SourceMap;
use naga::Module;

/// A WGSL text.
#[derive(Clone, Debug)]
pub struct Origin {
    source: SourceMap,
    /// The subgroup sizes that entry points require.
    subgroup_sizes: Vec<(String, u32)>,
}

impl Origin {
    /// Creates the origin of naga's module for this text.
    pub fn new(source: SourceMap, subgroup_sizes: Vec<(String, u32)>) -> Self {
        Self { source, subgroup_sizes }
    }
}

impl program::Origin for Origin {
    fn language(&self) -> Language {
        Language::Wgsl
    }

    fn idioms(&self) -> Idioms {
        Idioms::Wgsl
    }

    fn wgsl(&self) -> Option<&SourceMap> {
        Some(&self.source)
    }

    fn subgroup_sizes(&self) -> &[(String, u32)] {
        &self.subgroup_sizes
    }

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        spans::repair_spans(sites, module, &self.source);
    }
}
