//! Finds the nearest triangle that a ray hits, through a tree of bounding boxes.

/// A tree that is traversed with a stack.
#[hirace::monitor]
pub mod bvh {
    use hirace::prelude::*;

    const DEPTH: usize = 16;
    const EPSILON: f32 = 1e-6;

    /// The index that means no triangle.
    pub const MISS: u32 = u32::MAX;

    /// A ray.
    #[derive(Clone, Copy, Debug)]
    pub struct Ray {
        /// Start of the ray.
        pub origin: Vec3,
        /// Direction of the ray.
        pub direction: Vec3,
    }

    /// A triangle by its corners.
    #[derive(Clone, Copy, Debug)]
    pub struct Triangle {
        /// First corner.
        pub a: Vec3,
        /// Second corner.
        pub b: Vec3,
        /// Third corner.
        pub c: Vec3,
    }

    /// A node of the tree with its bounding box; a leaf if `count` is not 0.
    #[derive(Clone, Copy, Debug)]
    pub struct Node {
        /// Lower corner of the box.
        pub min: Vec3,
        /// Index of a leaf's first triangle, or of the first child; the second child follows it.
        pub first: u32,
        /// Upper corner of the box.
        pub max: Vec3,
        /// Number of triangles of a leaf.
        pub count: u32,
    }

    enum Kind {
        Leaf { first: usize, count: usize },
        Inner(usize, usize),
    }

    impl Node {
        fn kind(&self) -> Kind {
            let first = self.first as usize;
            match self.count {
                0 => Kind::Inner(first, first + 1),
                n => Kind::Leaf { first, count: n as usize },
            }
        }

        fn meets(&self, ray: &Ray, limit: f32) -> bool {
            let inverse = ray.direction.recip();
            let to_min = (self.min - ray.origin) * inverse;
            let to_max = (self.max - ray.origin) * inverse;
            let enter = to_min.min(to_max).max_element();
            let leave = to_min.max(to_max).min_element();
            enter <= leave && leave >= 0.0 && enter < limit
        }
    }

    impl Triangle {
        /// Returns the distance of the intersection, by the method of Möller and Trumbore.
        fn hit(&self, ray: &Ray) -> Option<f32> {
            let (ab, ac) = (self.b - self.a, self.c - self.a);
            let p = ray.direction.cross(ac);
            let determinant = ab.dot(p);
            if determinant.abs() < EPSILON {
                return None;
            }
            let offset = ray.origin - self.a;
            let u = offset.dot(p) / determinant;
            if !(0.0..=1.0).contains(&u) {
                return None;
            }
            let q = offset.cross(ab);
            let v = ray.direction.dot(q) / determinant;
            if v < 0.0 || u + v > 1.0 {
                return None;
            }
            Some(ac.dot(q) / determinant).filter(|&t| t > EPSILON)
        }
    }

    #[derive(Clone, Copy)]
    struct Stack {
        items: [usize; DEPTH],
        len: usize,
    }

    impl Stack {
        fn new(root: usize) -> Self {
            let mut items = [0; DEPTH];
            items[0] = root;
            Self { items, len: 1 }
        }

        fn push(&mut self, item: usize) {
            debug_assert!(self.len < DEPTH);
            self.items[self.len] = item;
            self.len += 1;
        }

        fn pop(&mut self) -> Option<usize> {
            self.len = self.len.checked_sub(1)?;
            Some(self.items[self.len])
        }
    }

    /// Finds the nearest triangle that each ray hits.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        nodes: &[Node],
        triangles: &[Triangle],
        rays: &[Ray],
        hits: &mut [u32],
    ) {
        let i = id.x as usize;
        if i >= rays.len() {
            return;
        }
        let ray = rays[i];
        let (mut hit, mut nearest) = (MISS, f32::MAX);
        let mut stack = Stack::new(0);
        while let Some(index) = stack.pop() {
            let node = nodes[index];
            if !node.meets(&ray, nearest) {
                continue;
            }
            match node.kind() {
                Kind::Inner(left, right) => {
                    stack.push(right);
                    stack.push(left);
                }
                Kind::Leaf { first, count } => {
                    for k in first..first + count {
                        if let Some(t) = triangles[k].hit(&ray)
                            && t < nearest
                        {
                            (hit, nearest) = (k as u32, t);
                        }
                    }
                }
            }
        }
        hits[i] = hit;
    }
}

#[cfg(test)]
mod tests {
    use super::bvh::{self, Node, Ray, Triangle};
    use crate::support::{clean, floats};
    use hirace::Launch;
    use hirace::prelude::*;

    /// Returns the distance of the intersection of a ray and a triangle, by Cramer's rule.
    fn meets(ray: &Ray, t: &Triangle) -> Option<f32> {
        let m = Mat3::from_cols(t.b - t.a, t.c - t.a, -ray.direction);
        if m.determinant().abs() < 1e-6 {
            return None;
        }
        let v = m.inverse() * (ray.origin - t.a);
        (v.x >= 0.0 && v.y >= 0.0 && v.x + v.y <= 1.0 && v.z > 1e-6).then_some(v.z)
    }

    #[test]
    fn rays_meet_what_is_nearest() {
        let mut triangles: Vec<Triangle> = floats(9 * 8, 60)
            .chunks(9)
            .map(|f| {
                let a = Vec3::new(f[0], f[1], f[2]) * 2.0;
                Triangle {
                    a,
                    b: a + Vec3::new(f[3], f[4], f[5]),
                    c: a + Vec3::new(f[6], f[7], f[8]),
                }
            })
            .collect();
        triangles.sort_by(|s, t| s.a.x.total_cmp(&t.a.x));
        let around = |from: usize, to: usize, first: u32, count: u32| {
            let corners = || triangles[from..to].iter().flat_map(|t| [t.a, t.b, t.c]);
            let min = corners().reduce(Vec3::min).unwrap() - 1e-3;
            let max = corners().reduce(Vec3::max).unwrap() + 1e-3;
            Node { min, first, max, count }
        };
        let nodes = vec![
            around(0, 8, 1, 0),
            around(0, 4, 3, 0),
            around(4, 8, 5, 0),
            around(0, 2, 0, 2),
            around(2, 4, 2, 2),
            around(4, 6, 4, 2),
            around(6, 8, 6, 2),
        ];
        let rays: Vec<Ray> = floats(2 * 100, 61)
            .chunks(2)
            .zip(floats(2 * 100, 62).chunks(2))
            .map(|(f, g)| {
                let origin = Vec3::new(f[0] * 2.0, f[1] * 2.0, -5.0);
                Ray { origin, direction: Vec3::new(g[0] * 0.2, g[1] * 0.2, 1.0).normalize() }
            })
            .collect();
        let launch = Launch::new().workgroups(2).buffer("nodes", &nodes);
        let launch = launch.buffer("triangles", &triangles).buffer("rays", &rays);
        let hits = clean(&bvh::clean::kernel(), launch.zeros("hits", 100)).read::<u32>("hits");
        let nearest = |ray: &Ray| {
            let met = (0..8u32).filter_map(|k| Some((k, meets(ray, &triangles[k as usize])?)));
            met.min_by(|(_, s), (_, t)| s.total_cmp(t)).map_or(bvh::MISS, |(k, _)| k)
        };
        let wrong = rays.iter().zip(&hits).filter(|(ray, hit)| nearest(ray) != **hit).count();
        assert!(hits.iter().any(|&hit| hit != bvh::MISS));
        assert!(wrong <= 1, "{wrong} rays differ: rounding at edges cannot explain so many");
    }
}
