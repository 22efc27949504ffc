//! Renders spheres that are lit by a lamp.

/// One ray per pixel.
#[hirace::monitor]
pub mod ray_spheres {
    use hirace::prelude::*;

    const NEAR: f32 = 1e-3;
    const SKY: Vec3 = Vec3::new(0.5, 0.7, 1.0);
    const LAMP: Vec3 = Vec3::new(3.0, 4.0, -2.0);

    /// A half-line.
    #[derive(Clone, Copy)]
    pub struct Ray {
        origin: Vec3,
        direction: Vec3,
    }

    impl Ray {
        fn at(&self, t: f32) -> Vec3 {
            self.origin + t * self.direction
        }
    }

    /// A sphere of one color.
    #[derive(Clone, Copy, Debug)]
    pub struct Sphere {
        /// Center of the sphere.
        pub center: Vec3,
        /// Radius of the sphere.
        pub radius: f32,
        /// Color that it reflects.
        pub color: Vec3,
    }

    impl Sphere {
        /// Returns the distance at which a ray enters the sphere.
        fn hit(&self, ray: &Ray) -> Option<f32> {
            let offset = ray.origin - self.center;
            let b = offset.dot(ray.direction);
            let c = offset.length_squared() - self.radius * self.radius;
            let discriminant = b * b - c;
            if discriminant < 0.0 {
                return None;
            }
            let t = -b - discriminant.sqrt();
            (t > NEAR).then_some(t)
        }
    }

    fn nearest(spheres: &[Sphere], ray: &Ray) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (i, sphere) in spheres.iter().enumerate() {
            let Some(t) = sphere.hit(ray) else { continue };
            if best.is_none_or(|(_, nearest)| t < nearest) {
                best = Some((i, t));
            }
        }
        best
    }

    fn shade(spheres: &[Sphere], ray: Ray) -> Vec3 {
        let Some((index, t)) = nearest(spheres, &ray) else {
            return SKY;
        };
        let point = ray.at(t);
        let normal = (point - spheres[index].center).normalize();
        let to_lamp = Ray { origin: point, direction: (LAMP - point).normalize() };
        let shadowed = spheres.iter().any(|sphere| sphere.hit(&to_lamp).is_some());
        let light = if shadowed { 0.0 } else { normal.dot(to_lamp.direction).max(0.0) };
        spheres[index].color * (0.1 + 0.9 * light)
    }

    /// Renders a square image.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] width: u32,
        spheres: &[Sphere],
        pixels: &mut [Vec3],
    ) {
        if id.x >= width || id.y >= width {
            return;
        }
        let uv = (id.truncate().as_vec2() + 0.5) / width as f32 * 2.0 - 1.0;
        let ray = Ray { origin: Vec3::ZERO, direction: Vec3::new(uv.x, -uv.y, 1.0).normalize() };
        pixels[(id.y * width + id.x) as usize] = shade(spheres, ray);
    }
}

#[cfg(test)]
mod tests {
    use super::ray_spheres::{self, Sphere};
    use crate::support::clean;
    use hirace::Launch;
    use hirace::prelude::*;

    fn enters(from: Vec3, to: Vec3, sphere: &Sphere) -> Option<f32> {
        let l = sphere.center - from;
        let along = l.dot(to);
        let away = l.dot(l) - along * along;
        let half = sphere.radius * sphere.radius - away;
        if half < 0.0 || along - half.sqrt() <= 1e-3 { None } else { Some(along - half.sqrt()) }
    }

    #[test]
    fn spheres_are_lit() {
        let sphere = |x: f32, y: f32, z: f32, radius: f32, color| Sphere {
            center: Vec3::new(x, y, z),
            radius,
            color,
        };
        let spheres = [
            sphere(0.0, 0.0, 4.0, 1.0, Vec3::X),
            sphere(1.0, 1.0, 3.0, 0.5, Vec3::Y),
            sphere(-1.0, 0.5, 5.0, 1.5, Vec3::Z),
        ];
        let launch = Launch::new().workgroups([2, 2]).buffer("width", &12u32);
        let launch = launch.buffer("spheres", &spheres[..]).zeros("pixels", 144);
        let pixels = clean(&ray_spheres::clean::kernel(), launch).read::<Vec3>("pixels");
        let lamp = Vec3::new(3.0, 4.0, -2.0);
        let mut wrong = 0;
        for (i, pixel) in pixels.iter().enumerate() {
            let (x, y) = ((i % 12) as f32 + 0.5, (i / 12) as f32 + 0.5);
            let to = Vec3::new(x / 6.0 - 1.0, 1.0 - y / 6.0, 1.0).normalize();
            let mut expected = Vec3::new(0.5, 0.7, 1.0);
            let mut least = f32::INFINITY;
            for sphere in &spheres {
                if let Some(t) = enters(Vec3::ZERO, to, sphere).filter(|t| *t < least) {
                    least = t;
                    let point = to * t;
                    let normal = (point - sphere.center) / sphere.radius;
                    let light = (lamp - point).normalize();
                    let free = spheres.iter().all(|s| enters(point, light, s).is_none());
                    let share = if free { normal.dot(light).max(0.0) } else { 0.0 };
                    expected = sphere.color * (0.1 + 0.9 * share);
                }
            }
            wrong += usize::from(pixel.distance(expected) > 1e-3);
        }
        assert!(wrong <= 2, "{wrong} pixels differ: rounding at edges cannot explain so many");
    }
}
