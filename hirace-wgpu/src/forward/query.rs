//! Query sets and pipeline caches.

use super::object::Object;
use wgpu::custom::{PipelineCacheInterface, QuerySetInterface};

impl QuerySetInterface for Object<wgpu::QuerySet> {
    fn destroy(&self) {
        if let Ok(set) = &self.inner {
            set.destroy();
        }
    }
}

impl PipelineCacheInterface for Object<wgpu::PipelineCache> {
    fn get_data(&self) -> Option<Vec<u8>> {
        self.inner.as_ref().ok()?.get_data()
    }
}
