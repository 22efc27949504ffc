//! Tests that what is run more than once is compiled once.

use super::{Case, adapter, error_text, given};
use hirace::raw::check::source::check_launches;
use hirace::raw::check::{Options, Session};
use hirace::raw::exec::wgpu::Device;
use hirace::raw::front::wgsl;
use libtest_mimic::Failed;

pub fn cases() -> Vec<Case> {
    vec![Case::new("compiles_what_runs_more_than_once_once", once)]
}

/// Two schedules, and phase 2 for the racy words: one module per phase. The next check compiles nothing.
fn once() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x / 2u] += 1u; }";
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let parsed = wgsl::parse("once.wgsl", text).map_err(error_text)?;
    let options = Options { launches: vec![given("--workgroups 2")?], ..Options::default() };
    let mut reported = Vec::new();
    for _ in 0..2 {
        let mut session = Session::new(&device);
        let checked = check_launches(&parsed, &options, &mut session).map_err(error_text)?;
        reported.push(format!("{:?}", checked.launches));
        let counts = device.service().pipelines();
        if counts.misses != 2 {
            return Err(format!("{counts:?} after {} checks", reported.len()).into());
        }
    }
    match reported[0] == reported[1] {
        true => Ok(()),
        false => Err(reported.join("\n").into()),
    }
}
