//! WGSL as what a program was made from: sites are put where the user sees them.

use super::spans;
use crate::ir::body::Idioms;
use crate::ir::sites::Sites;
use crate::program::{self, Language};
use crate::source_map::SourceMap;
use naga::Module;

/// A text of WGSL.
#[derive(Clone, Debug)]
pub struct Origin {
    source: SourceMap,
}

impl Origin {
    /// The origin of what naga makes of this text.
    pub fn new(source: SourceMap) -> Self {
        Self { source }
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

    fn place(&self, sites: &mut Sites, module: &mut Module) {
        spans::repair_spans(sites, module, &self.source);
    }
}
