//! glslang in this process.

mod includer;
mod limits;
mod shader;
mod target;

use crate::{FindFile, IncludeRequest, Message, Options, TargetEnvironment};
use includer::Includer;
use shader::{Program, Shader};

/// Enables `#include`, without which a text with the directive needs the extension.
const INCLUDES: &str = "#extension GL_GOOGLE_include_directive : enable\n";

/// Implements [`crate::preprocess`].
pub fn preprocess(
    text: &str,
    options: &Options,
    find: &mut FindFile<'_>,
) -> Result<String, Vec<Message>> {
    let mut preamble = INCLUDES.to_owned();
    for (name, value) in &options.defines {
        preamble.push_str(&format!("#define {name} {value}\n"));
    }
    let mut includer = Includer::new(find);
    let mut shader = Shader::new(text, &preamble, options.target, &mut includer)?;
    let preprocessed = shader.preprocess();
    drop(shader);
    includer.resume_panic();
    // glslang repeats the directive before the first line.
    preprocessed.map(|text| text.strip_prefix(INCLUDES).map_or(text.clone(), str::to_owned))
}

/// Implements [`crate::compile`].
pub fn compile(
    name: &str,
    text: &str,
    target: TargetEnvironment,
) -> Result<Vec<u32>, Vec<Message>> {
    let mut no_files = |_: IncludeRequest<'_>| Err(String::new());
    let mut includer = Includer::new(&mut no_files);
    let mut shader = Shader::new(text, "", target, &mut includer)?;
    shader.parse(text)?;
    Program::link(&shader)?.generate(name)
}
