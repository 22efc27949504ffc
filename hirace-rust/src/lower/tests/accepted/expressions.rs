#[hirace::monitor(workgroup_size(64))]
fn numbers(
    #[builtin(global_invocation_id)] mut gid: UVec3,
    floats: &mut [f32],
    ints: &mut [i32],
    words: &mut [u32],
) {
    gid.x += 1;
    let i = gid.x;
    let a = 1 + 2 * 3 - 4 / 2 % 3;
    let b = 1.5 + 2.0 * 3.0e2 - 4. / 2.0 % 3.0;
    let c = -a;
    let d = !words[i] & 0xff | 0b1010 ^ 0o17;
    let e = (d << 3) >> 1;
    let f = ints[i] >> 2 << (i & 3);
    let g = !(a == 1) && b != 2.0 || c < 3 && d <= 4 || e > 5 || f >= -6;
    let h = g & true | false ^ g;
    let mut k = h;
    k &= g;
    k |= h;
    k ^= true;
    let mut x = words[i];
    x += 1;
    x -= 1;
    x *= 3;
    x /= 2;
    x %= 7;
    x &= 0xff;
    x |= 1;
    x ^= 2;
    x <<= 1;
    x >>= a;
    words[i] = x;
    floats[i] = b as f32 + x as f32 + a as u32 as f32;
    ints[i] = c + f + k as i32 + floats[i] as i32 + i32::from(k);
    words[i] = u32::from(k) + (floats[i] as u32) + (7 as u32) + ints[i] as u32 + 1_000u32;
    floats[i] = -2.5 * -floats[i] + 1f32;
    ints[i] = -2_147_483_648;
    ints[i] -= i32::MAX;
}

#[hirace::monitor(workgroup_size(8, 8))]
fn vectors(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_id)] local: UVec3,
    #[uniform] turn: Mat4,
    #[uniform] narrow: &Mat3x2,
    points: &mut [Vec4],
    cells: &mut [UVec2],
) {
    let i = gid.y * 8 + gid.x;
    let a = Vec3::new(1.0, 2.0, 3.0);
    let b = vec3(0.0, 1.0, 2.0) + a * 2.0 - 3.0 * a / 2.0;
    let c = a * b / a % b;
    let mut d = c;
    d += a;
    d *= 2.0;
    d.x = 1.0;
    d[1] = d.z;
    d[gid.x & 1] -= d.y;
    let e = d.xy().extend(1.0).zyx();
    let f = e == d && d.xyz() != b;
    let p = turn * points[i];
    let q = turn.x_axis + turn.col(1) + turn.col(gid.x & 3);
    let r = -turn * turn * 2.0 + turn;
    let s = *narrow * a;
    points[i] = p + q + r.w_axis + s.extend(0.0).extend(if f { 1.0 } else { 0.0 });
    let u = local.xy() + gid.xy() * 2 + 3;
    let v = u & 1 | u ^ UVec2::splat(7);
    let w: UVec2 = (v << 2) >> UVec2::new(1, 2);
    let mut z = cells[i] + w % 3;
    z <<= 1;
    z &= 15;
    z += 1;
    cells[i] = z + !u;
    let t = BVec2::new(true, f);
    let n = !t & t | t ^ t;
    if n.x || n == t {
        cells[i].x += 1;
    }
    points[i][2] = -points[i].w;
}

#[hirace::monitor(workgroup_size(64))]
fn arrays(#[builtin(local_invocation_index)] lane: u32, out: &mut [f32], table: &[[f32; 4]; 8]) {
    let a = [1.0, 2.0, 3.0];
    let mut b = [0.0; 8];
    let c: [u32; 2] = [1, lane];
    let d = [[0.0; 2]; 3];
    for i in 0..b.len() {
        b[i] = a[i % 3] + table[i][lane & 3] + d[1][0];
    }
    let mut grid = [[0_i32; 4]; 4];
    grid[c[0]][lane & 3] = 3;
    let row = grid[2];
    out[lane] = b[lane & 7] + row[1] as f32 + c.len() as f32 + out.len() as f32;
    let copy = b;
    out[0] = copy[0];
}

#[hirace::monitor(workgroup_size(64))]
fn tuples(#[builtin(local_invocation_index)] lane: u32, out: &mut [f32]) {
    let (a, b) = (1.0, lane);
    let (mut c, (d, e)) = (a, (b, a * 2.0));
    let pair = if b > 3 { (1.0, 2) } else { (2.0, b) };
    let (f, g) = pair;
    c += f + pair.0 + (pair.1 + g + d) as f32;
    let [x, y, _] = [c, e, 0.0];
    let _ = x;
    let (mut p, mut q) = (x, y);
    (p, q) = (q, p);
    (p, _) = (q + 1.0, 0);
    _ = p;
    out[lane] = p - q;
    let later;
    let other: u32;
    if lane == 0 {
        later = 1.0;
        other = 1;
    } else {
        later = 2.0;
        other = lane;
    }
    out[other] += later;
    let r#loop = 1.0;
    let array = r#loop;
    let array = array + 1.0;
    out[0] = array;
}
