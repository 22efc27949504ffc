//! Transforms the vertices of a mesh, and finds its bounding box.

/// The bounding box consists of integers with the same order as the floats.
#[hirace::monitor]
pub mod transform {
    use hirace::prelude::*;

    /// A vertex of a mesh.
    #[derive(Clone, Copy)]
    pub struct Vertex {
        /// Position.
        pub position: Vec3,
        /// Size at which it is drawn.
        pub size: f32,
        /// Normal of the surface.
        pub normal: Vec3,
        /// Texture coordinates.
        pub uv: Vec2,
    }

    /// Transformation of the mesh.
    pub struct Placement {
        /// Rotation, scale and translation.
        pub matrix: Mat4,
        /// Inverse transpose, for normals.
        pub normals: Mat3,
        /// Offset of texture coordinates.
        pub offset: Vec2,
    }

    /// Bounding box of all vertices.
    pub struct Bounds {
        /// Minimum coordinates.
        pub low: [Atomic<i32>; 3],
        /// Maximum coordinates.
        pub high: [Atomic<i32>; 3],
    }

    /// Returns an integer for a float, such that integers have the same order as floats.
    fn ordered(x: f32) -> i32 {
        let bits = x.to_bits() as i32;
        if bits < 0 { bits ^ 0x7fff_ffff } else { bits }
    }

    /// Returns a transformed vertex.
    fn placed(vertex: Vertex, placement: Placement) -> Vertex {
        let position = (placement.matrix * vertex.position.extend(1.0)).truncate();
        let normal = (placement.normals * vertex.normal).normalize();
        let uv = fract(vertex.uv + placement.offset);
        Vertex { position, size: vertex.size, normal, uv }
    }

    /// Updates the box with atomic minima and maxima of the ordered coordinates.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] placement: Placement,
        vertices: &mut [Vertex],
        bounds: &Bounds,
    ) {
        if id.x >= vertices.len() {
            return;
        }
        let vertex = placed(vertices[id.x], placement);
        vertices[id.x] = vertex;
        for axis in 0..3 {
            let coordinate = ordered(vertex.position[axis]);
            bounds.low[axis].fetch_min(coordinate);
            bounds.high[axis].fetch_max(coordinate);
        }
    }

    /// Reads the box first to avoid some atomics, but with a plain access.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] placement: Placement,
        vertices: &mut [Vertex],
        bounds: &Bounds,
    ) {
        if id.x >= vertices.len() {
            return;
        }
        let vertex = placed(vertices[id.x], placement);
        vertices[id.x] = vertex;
        for axis in 0..3 {
            let coordinate = ordered(vertex.position[axis]);
            if coordinate < *bounds.low[axis].plain() {
//                          ^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/atomic on bounds.low[..]
                bounds.low[axis].fetch_min(coordinate);
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: atomic/read on bounds.low[..]
            }
            bounds.high[axis].fetch_max(coordinate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::transform::{self, Placement, Vertex};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{Mat3, Mat4, Vec2, Vec3};

    fn vertices() -> Vec<Vertex> {
        let vertex = |v: &[f32]| Vertex {
            position: Vec3::new(v[0], v[1], v[2]),
            size: v[3],
            normal: Vec3::new(v[4], v[5], 1.5),
            uv: Vec2::new(v[6], v[7]),
        };
        floats(8 * 50, 32).chunks(8).map(vertex).collect()
    }

    fn placement() -> Placement {
        let turn = Mat3::from_rotation_z(0.75);
        let matrix =
            Mat4::from_translation(Vec3::new(0.5, -1.0, 2.0)) * Mat4::from_mat3(turn * 2.0);
        Placement { matrix, normals: turn, offset: Vec2::new(0.25, -0.5) }
    }

    fn launch() -> Launch {
        Launch::new()
            .workgroups(2)
            .buffer("placement", &placement())
            .buffer("vertices", &vertices())
            .buffer("bounds", &([i32::MAX; 3], [i32::MIN; 3]))
    }

    fn placed(vertex: &Vertex) -> Vertex {
        let Placement { matrix, normals, offset } = placement();
        let uv = vertex.uv + offset;
        Vertex {
            position: matrix.transform_point3(vertex.position),
            normal: (normals * vertex.normal).normalize(),
            uv: uv - uv.floor(),
            ..*vertex
        }
    }

    #[test]
    fn vertices_move_and_the_box_is_around_them() {
        let run = clean(&transform::clean::kernel(), launch());
        let moved = run.read::<Vertex>("vertices");
        let expected: Vec<Vertex> = vertices().iter().map(placed).collect();
        assert_close(&scalars(&moved), &scalars(&expected), 1e-5);
        let float = |n: i32| f32::from_bits((if n < 0 { n ^ 0x7fff_ffff } else { n }) as u32);
        let (low, high) = run.one::<([i32; 3], [i32; 3])>("bounds");
        let positions = || moved.iter().map(|vertex| vertex.position);
        assert_eq!(Vec3::from(low.map(float)), positions().reduce(Vec3::min).unwrap());
        assert_eq!(Vec3::from(high.map(float)), positions().reduce(Vec3::max).unwrap());
    }

    #[test]
    fn a_look_at_an_atomic_must_be_atomic_too() {
        racy(&transform::racy::kernel(), launch(), include_str!("transform.rs"));
    }
}
