//! A program: a naga module that validates, with the map back to what the user wrote.

use crate::ir::sites::Sites;
use crate::source_map::SourceMap;

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
    /// The places in it that findings speak of.
    pub sites: Sites,
}

impl Program {
    /// Indices and names of its compute entry points.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &str)> {
        let entries = self.module.entry_points.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.stage == naga::ShaderStage::Compute)
            .map(|(index, entry)| (index, entry.name.as_str()))
    }
}
