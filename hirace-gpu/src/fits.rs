//! Checks sizes against a device's limits before memory is allocated, so that an error is cheap and names both numbers.

use wgpu::{Limits, TextureDimension};

/// A size that exceeds a limit of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Excess {
    /// A buffer is too long.
    #[error("{0}")]
    Buffer(#[from] BufferTooLarge),
    /// A texture is too large.
    #[error("{0}")]
    Texture(#[from] TextureTooLarge),
    /// A grid is too large.
    #[error("{0}")]
    Grid(#[from] GridTooLarge),
    /// A workgroup is too large.
    #[error("{0}")]
    Workgroup(#[from] WorkgroupTooLarge),
}

/// A buffer that cannot be created, or cannot be bound as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a buffer of {bytes} bytes exceeds the device's limit of {most}")]
#[non_exhaustive]
pub struct BufferTooLarge {
    /// The length of the buffer.
    pub bytes: u64,
    /// The limit in bytes.
    pub most: u64,
    /// Whether the buffer could be created, but not bound.
    pub can_be_created: bool,
}

/// A texture with too many texels in a dimension, or with too many layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a texture of {size:?} texels exceeds the device's limit of {most:?}")]
#[non_exhaustive]
pub struct TextureTooLarge {
    /// The number of texels in x and y, and of texels in z or layers.
    pub size: [u32; 3],
    /// The limit of each.
    pub most: [u32; 3],
}

/// A grid with too many workgroups in a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a grid of {workgroups} workgroups exceeds the device's limit of {most} per dimension")]
#[non_exhaustive]
pub struct GridTooLarge {
    /// The number of workgroups in that dimension.
    pub workgroups: u32,
    /// The limit of each dimension.
    pub most: u32,
}

/// A workgroup with too many invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a workgroup of {invocations} invocations exceeds the device's limit of {most}")]
#[non_exhaustive]
pub struct WorkgroupTooLarge {
    /// The dimension, `x`, `y` or `z`; `None` for the total.
    pub dimension: Option<char>,
    /// The number of invocations.
    pub invocations: u32,
    /// The limit.
    pub most: u32,
}

/// The kind of binding of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundAs {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// Immediate data, which is part of the command.
    Immediate,
}

/// Rejects a buffer that exceeds the maximum buffer size.
pub fn buffer(limits: &Limits, bytes: u64) -> Result<(), BufferTooLarge> {
    let most = limits.max_buffer_size;
    if bytes > most { Err(BufferTooLarge { bytes, most, can_be_created: false }) } else { Ok(()) }
}

/// Rejects a buffer that cannot be bound as a whole, or cannot be created.
pub fn binding(limits: &Limits, bound: BoundAs, bytes: u64) -> Result<(), BufferTooLarge> {
    let most = match bound {
        BoundAs::Storage => limits.max_storage_buffer_binding_size,
        BoundAs::Uniform => limits.max_uniform_buffer_binding_size,
        BoundAs::Immediate => limits.max_immediate_size.into(),
    };
    if most > limits.max_buffer_size {
        return buffer(limits, bytes);
    }
    if bytes > most { Err(BufferTooLarge { bytes, most, can_be_created: true }) } else { Ok(()) }
}

/// Rejects a texture that is too large.
pub fn texture(
    limits: &Limits,
    dimension: TextureDimension,
    size: [u32; 3],
) -> Result<(), TextureTooLarge> {
    let most = match dimension {
        TextureDimension::D1 => [limits.max_texture_dimension_1d, 1, 1],
        TextureDimension::D2 => {
            let side = limits.max_texture_dimension_2d;
            [side, side, limits.max_texture_array_layers]
        }
        TextureDimension::D3 => [limits.max_texture_dimension_3d; 3],
    };
    match size.iter().zip(most).all(|(&has, most)| has <= most) {
        true => Ok(()),
        false => Err(TextureTooLarge { size, most }),
    }
}

/// Rejects a grid with too many workgroups.
pub fn grid(limits: &Limits, workgroups: [u32; 3]) -> Result<(), GridTooLarge> {
    let most = limits.max_compute_workgroups_per_dimension;
    match workgroups.into_iter().find(|&n| n > most) {
        Some(workgroups) => Err(GridTooLarge { workgroups, most }),
        None => Ok(()),
    }
}

/// Rejects a workgroup with too many invocations.
pub fn workgroup(limits: &Limits, size: [u32; 3]) -> Result<(), WorkgroupTooLarge> {
    let refuse = |dimension, invocations: u32, most: u32| match invocations > most {
        true => Err(WorkgroupTooLarge { dimension, invocations, most }),
        false => Ok(()),
    };
    let all = size.iter().fold(1, |product: u32, &n| product.saturating_mul(n));
    refuse(None, all, limits.max_compute_invocations_per_workgroup)?;
    refuse(Some('x'), size[0], limits.max_compute_workgroup_size_x)?;
    refuse(Some('y'), size[1], limits.max_compute_workgroup_size_y)?;
    refuse(Some('z'), size[2], limits.max_compute_workgroup_size_z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_of_just_the_limit_fits() {
        let limits = Limits { max_buffer_size: 100, ..Limits::default() };
        assert_eq!(buffer(&limits, 100), Ok(()));
        assert_eq!(
            buffer(&limits, 101),
            Err(BufferTooLarge { bytes: 101, most: 100, can_be_created: false })
        );
    }

    #[test]
    fn what_is_bound_has_to_be_held_too() {
        let limits = Limits {
            max_buffer_size: 100,
            max_storage_buffer_binding_size: 1000,
            max_uniform_buffer_binding_size: 10,
            max_immediate_size: 4,
            ..Limits::default()
        };
        let refused = |bound, bytes| binding(&limits, bound, bytes).unwrap_err();
        assert_eq!(
            refused(BoundAs::Storage, 200),
            BufferTooLarge { bytes: 200, most: 100, can_be_created: false }
        );
        assert_eq!(
            refused(BoundAs::Uniform, 11),
            BufferTooLarge { bytes: 11, most: 10, can_be_created: true }
        );
        assert_eq!(
            refused(BoundAs::Immediate, 8),
            BufferTooLarge { bytes: 8, most: 4, can_be_created: true }
        );
        assert_eq!(binding(&limits, BoundAs::Uniform, 10), Ok(()));
    }

    #[test]
    fn layers_are_limited_apart_from_texels() {
        let limits = Limits {
            max_texture_dimension_1d: 8,
            max_texture_dimension_2d: 16,
            max_texture_dimension_3d: 4,
            max_texture_array_layers: 2,
            ..Limits::default()
        };
        let fits = |dimension, size| texture(&limits, dimension, size).is_ok();
        assert!(fits(TextureDimension::D1, [8, 1, 1]));
        assert!(!fits(TextureDimension::D1, [8, 2, 1]));
        assert!(fits(TextureDimension::D2, [16, 16, 2]));
        assert!(!fits(TextureDimension::D2, [16, 16, 3]));
        assert!(fits(TextureDimension::D3, [4, 4, 4]));
        assert!(!fits(TextureDimension::D3, [4, 4, 5]));
    }

    #[test]
    fn a_grid_is_refused_by_the_dimension_that_is_too_large() {
        let limits = Limits { max_compute_workgroups_per_dimension: 10, ..Limits::default() };
        assert_eq!(grid(&limits, [10, 10, 10]), Ok(()));
        assert_eq!(grid(&limits, [1, 11, 1]), Err(GridTooLarge { workgroups: 11, most: 10 }));
    }

    #[test]
    fn invocations_of_a_workgroup_do_not_overflow() {
        let limits = Limits { max_compute_invocations_per_workgroup: 64, ..Limits::default() };
        let too_many = workgroup(&limits, [u32::MAX; 3]);
        assert_eq!(
            too_many,
            Err(WorkgroupTooLarge { dimension: None, invocations: u32::MAX, most: 64 })
        );
        let limits = Limits { max_compute_workgroup_size_y: 1, ..limits };
        assert_eq!(
            workgroup(&limits, [2, 2, 1]),
            Err(WorkgroupTooLarge { dimension: Some('y'), invocations: 2, most: 1 })
        );
        assert_eq!(workgroup(&limits, [64, 1, 1]), Ok(()));
    }
}
