//! Texts of limits that a kernel exceeds.

use super::error::places;
use crate::report::document::ExceededLimit;
use crate::source_map::SourceMap;
use crate::webgpu::Requirement;

/// Returns the limit that an entry point of `source` exceeds, for the document.
pub fn exceeded_limit(source: &SourceMap, demand: &Requirement) -> ExceededLimit {
    let said = demand.beyond_webgpu(source);
    ExceededLimit {
        limit: demand.limit.name().to_owned(),
        guaranteed: demand.limit.guaranteed_value(),
        required: demand.asked,
        message: said.message.clone(),
        place: places(&said).next(),
    }
}
