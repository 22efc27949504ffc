//! Compute shaders that a device compiles.

/// A compute shader, and the options of its pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// The shader module.
    pub source: Source<'a>,
    /// The name of the entry point.
    pub entry: &'a str,
    /// The values of overrides.
    pub constants: &'a [(&'a str, f64)],
    /// The layout of the bind groups; `None`: derived from the shader.
    pub layout: Option<&'a wgpu::PipelineLayout>,
}

/// A shader module.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// WGSL text.
    Wgsl(&'a str),
    /// A naga module.
    Naga(&'a naga::Module),
}
