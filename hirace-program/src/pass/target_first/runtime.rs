//! The functions of a target-first module, written in WGSL.

use super::OrderingTechnique;
use naga::ResourceBinding;

const ORDER: &str = include_str!("order.wgsl");
const REMAPPED: &str = include_str!("remapped.wgsl");
const IN_PLACE: &str = include_str!("in_place.wgsl");
const WAIT: &str = include_str!("wait.wgsl");
const CALL: &str = "hirace_wait_for_target(
            workgroup_index, workgroup_size, num_workgroups.x * num_workgroups.y * num_workgroups.z
        );";

/// Returns the runtime as WGSL.
pub fn text(prefix: &str, binding: ResourceBinding, technique: OrderingTechnique) -> String {
    let begin = if technique.remaps() { REMAPPED } else { IN_PLACE };
    let (wait, call) = if technique.waits() { (WAIT, CALL) } else { ("", "") };
    let ResourceBinding { group, binding } = binding;
    // Callees precede their callers: passes add functions to a module in this order.
    let text = [ORDER, wait, &begin.replace("WAIT", call)].concat();
    text.replace("hirace_", &format!("{prefix}_"))
        .replace("GROUP", &group.to_string())
        .replace("BINDING", &binding.to_string())
}
