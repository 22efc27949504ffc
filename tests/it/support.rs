//! What several modules of tests need.

use std::path::{Path, PathBuf};

/// A folder under `target` for what tests make and people may look at.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// What naga, the WGSL compiler of wgpu, says against a text, with all its extensions on.
pub fn naga_rejects(wgsl: &str) -> Option<String> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = match naga::front::wgsl::parse_str(wgsl) {
        Ok(module) => module,
        Err(error) => return Some(error.emit_to_string(wgsl)),
    };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).err().map(|error| error.emit_to_string(wgsl))
}
