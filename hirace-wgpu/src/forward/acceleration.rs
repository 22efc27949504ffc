//! Acceleration structures.

use super::object::{Fault, Home, Object};
use wgpu::custom::{BlasCompactCallback, BlasInterface, TlasInterface};

impl BlasInterface for Object<wgpu::Blas> {
    fn prepare_compact_async(&self, callback: BlasCompactCallback) {
        match &self.inner {
            Ok(blas) => blas.prepare_compaction_async(callback),
            Err(_) => callback(Err(wgpu::BlasAsyncError)),
        }
    }

    fn ready_for_compaction(&self) -> bool {
        self.inner.as_ref().is_ok_and(wgpu::Blas::ready_for_compaction)
    }
}

impl TlasInterface for Object<wgpu::Tlas> {}

/// Returns the inner structure, with the instances that the application has set in its own structure.
pub(crate) fn with_instances(home: Home, tlas: &wgpu::Tlas) -> Result<wgpu::Tlas, Fault> {
    // Starts from a structure without instances, because clones of wgpu structures have their own instances.
    let mut inner = home.open(tlas)?.clone();
    let changed = tlas.lowest_unmodified() as usize;
    if let Some(places) = inner.get_mut_slice(0..changed) {
        for (place, instance) in places.iter_mut().zip(tlas.get()) {
            *place =
                instance.as_ref().map(|instance| inner_instance(home, instance)).transpose()?;
        }
    }
    Ok(inner)
}

fn inner_instance(home: Home, instance: &wgpu::TlasInstance) -> Result<wgpu::TlasInstance, Fault> {
    let blas = instance.blas_as_custom::<Object<wgpu::Blas>>().filter(|blas| blas.home == home);
    let blas = blas.ok_or_else(|| Fault::foreign("bottom-level acceleration structure"))?;
    let blas = blas.inner.as_ref().map_err(Clone::clone)?;
    let &wgpu::TlasInstance { transform, custom_data, mask, .. } = instance;
    Ok(wgpu::TlasInstance::new(blas, transform, custom_data, mask))
}

/// Converts a build entry to inner objects.
pub(crate) fn build_entry<'a>(
    home: Home,
    entry: &'a wgpu::BlasBuildEntry<'a>,
) -> Result<wgpu::BlasBuildEntry<'a>, Fault> {
    use wgpu::BlasGeometries as Geometries;
    let geometry = match &entry.geometry {
        Geometries::TriangleGeometries(all) => {
            let all = all.iter().map(|one| {
                Ok(wgpu::BlasTriangleGeometry {
                    size: one.size,
                    vertex_buffer: home.open(one.vertex_buffer)?,
                    first_vertex: one.first_vertex,
                    vertex_stride: one.vertex_stride,
                    index_buffer: home.open_some(one.index_buffer)?,
                    first_index: one.first_index,
                    transform_buffer: home.open_some(one.transform_buffer)?,
                    transform_buffer_offset: one.transform_buffer_offset,
                })
            });
            Geometries::TriangleGeometries(all.collect::<Result<_, Fault>>()?)
        }
        Geometries::AabbGeometries(all) => {
            let all = all.iter().map(|one| {
                Ok(wgpu::BlasAabbGeometry {
                    size: one.size,
                    stride: one.stride,
                    aabb_buffer: home.open(one.aabb_buffer)?,
                    primitive_offset: one.primitive_offset,
                })
            });
            Geometries::AabbGeometries(all.collect::<Result<_, Fault>>()?)
        }
    };
    Ok(wgpu::BlasBuildEntry { blas: home.open(entry.blas)?, geometry })
}
