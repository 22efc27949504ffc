//! Tests of the public interface.

mod assertions;
mod auto_traits;
#[cfg(any(feature = "glsl", feature = "spirv"))]
mod languages;
#[cfg(feature = "proptest")]
mod launches;
#[cfg(feature = "encase")]
mod layouts;
mod outputs;
mod prelude;
mod refusals;
mod rust;
mod writes;

use crate::{Checked, Kernel, Launch, Result, check};

/// Checks WGSL text.
fn checked(text: &str, launch: Launch) -> Result<Checked> {
    check(&Kernel::from_wgsl("test.wgsl", text)?, launch)
}
