//! How the shadow is laid out on a device, in words.

use super::who::count;
use crate::facts::Shadow;

/// `32-bit shadow words, 12 bits for barriers of storage memory`.
pub fn shadow(shadow: &Shadow) -> String {
    let mut said = format!("{}-bit shadow words", shadow.word_bits);
    let clocks = [(shadow.storage_clock, "storage"), (shadow.workgroup_clock, "workgroup")];
    for (bits, memory) in clocks {
        if let Some(bits) = bits {
            said.push_str(&format!(", {bits} bits for barriers of {memory} memory"));
        }
    }
    if let Some(buffers) = shadow.buffers {
        said.push_str(&format!(", in {buffers} buffers"));
    }
    if let Some(slots) = shadow.slots {
        let slots = count(slots.into(), "workgroup", "workgroups");
        said.push_str(&format!(", for the memory of {slots} at a time"));
    }
    said
}
