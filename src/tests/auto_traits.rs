//! Tests that values can be shared and sent between threads, and kept in structs that derive the usual traits.

use crate::facts::{LaunchFacts, Warning};
use crate::kernel::{Binding, Constant};
use crate::{
    Checked, Contents, Error, Finding, Grid, Kernel, Launch, LayoutError, Length, Report, Shape,
    Verdict,
};
use std::fmt::Debug;
use std::hash::Hash;

fn is_shared<T: Clone + Debug + Send + Sync + 'static>() {}

fn is_key<T: Clone + Debug + Eq + Hash>() {}

#[test]
fn values_are_shared_between_threads() {
    is_shared::<Kernel>();
    is_shared::<Launch>();
    is_shared::<Checked>();
    is_shared::<Contents<'static>>();
    is_shared::<LaunchFacts>();
    is_shared::<Warning>();
    is_shared::<Report>();
    is_shared::<Finding>();
}

#[test]
fn errors_are_shared_between_threads() {
    fn is_error<T: std::error::Error + Clone + Send + Sync + 'static>() {}
    is_error::<Error>();
    is_error::<LayoutError>();
    #[cfg(feature = "wgpu")]
    is_error::<crate::pipeline::Error>();
}

#[test]
fn plain_values_are_keys() {
    is_key::<Binding>();
    is_key::<Constant>();
    is_key::<Grid>();
    is_key::<Length>();
    is_key::<Shape>();
    is_key::<Verdict>();
}

#[cfg(feature = "wgpu")]
#[test]
fn objects_of_devices_are_shared_between_threads() {
    use crate::pipeline::{Bound, Buffer, Gpu, Pipeline};

    fn is_sent<T: Debug + Send + Sync + 'static>() {}
    is_sent::<Gpu>();
    is_sent::<Buffer<[u32]>>();
    is_sent::<Pipeline<u32>>();
    is_sent::<Bound<u32>>();
}
