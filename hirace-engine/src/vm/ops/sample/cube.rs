//! The faces of a cube, in the order of layers: +x, -x, +y, -y, +z, -z.

/// Returns the face that `direction` points to, and the position on it, from 0 to 1.
pub fn face([x, y, z]: [f32; 3]) -> (u32, [f32; 2]) {
    let (face, s, t, length) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 { (5, -x, -y, -z) } else { (4, x, -y, z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3, x, -z, -y) } else { (2, x, z, y) }
    } else if x < 0.0 {
        (1, z, -y, -x)
    } else {
        (0, -z, -y, x)
    };
    (face, [s, t].map(|s| (s / length + 1.0) / 2.0))
}

/// Returns the direction of a position on a face; positions from 0 to 1 are on the face.
fn direction(face: u32, place: [f32; 2]) -> [f32; 3] {
    let [s, t] = place.map(|s| 2.0 * s - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Returns the texel at `at` on a face of `size` by `size` texels of cube `cube`. A position past an edge is
/// the adjacent texel on the next face.
pub fn texel(mut on: u32, mut at: [i64; 2], size: u32, cube: u32) -> [u32; 3] {
    let length = i64::from(size);
    if at.iter().any(|at| !(0..length).contains(at)) {
        // The behavior for positions that are more than one texel outside (by an offset) is undefined.
        let near = at.map(|at| at.clamp(-1, length));
        let place = near.map(|at| (at as f32 + 0.5) / length as f32);
        let (next, place) = face(direction(on, place));
        on = next;
        at = place.map(|s| (s * length as f32) as i64);
    }
    let [x, y] = at.map(|at| at.clamp(0, length - 1) as u32);
    [x, y, cube * 6 + on]
}
