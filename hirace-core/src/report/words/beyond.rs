//! What a kernel asks for that WebGPU does not guarantee, as the document has it.

use super::error::places;
use crate::report::document::Beyond;
use crate::source_map::SourceMap;
use crate::webgpu::Demand;

/// What an entry point of `source` asks for beyond that.
pub fn beyond(source: &SourceMap, demand: &Demand) -> Beyond {
    let said = demand.beyond_webgpu(source);
    Beyond {
        limit: demand.limit.name().to_owned(),
        guaranteed: demand.limit.guaranteed(),
        asked: demand.asked,
        message: said.message.clone(),
        place: places(&said).next(),
    }
}
