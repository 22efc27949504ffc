// An access to a texel of a storage texture. Outside the texture nothing is touched.
fn hirace_texture_access(base: u32, texel: vec3<u32>, size: vec3<u32>, action: u32, before: u32, site: u32) {
    if base != HIRACE_UNWATCHED && all(texel < size) {
        let index = texel.x + size.x * (texel.y + size.y * texel.z);
        hirace_check_dispatch(base, index, 1u, action, before, site, hirace_texture_stamp);
    }
}
