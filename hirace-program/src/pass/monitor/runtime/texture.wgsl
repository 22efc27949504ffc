// Checks or records an access to a texel of a storage texture, unless the texel is outside the texture.
fn hirace_texture_access(base: u32, texel: vec3<u32>, size: vec3<u32>, action: u32, read_site: u32, site: u32) {
    if base != HIRACE_NONE && all(texel < size) {
        let index = texel.x + size.x * (texel.y + size.y * texel.z);
        hirace_check_dispatch(base, index, 1u, action, read_site, site, hirace_texture_stamp);
    }
}
