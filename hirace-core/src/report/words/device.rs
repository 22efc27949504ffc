//! Texts of the shadow memory layout on a device.

use super::names::count;
use crate::facts::{Shadow, ShadowWords};

/// Describes a layout: `32-bit shadow words, 12 bits for barriers of storage memory`.
pub fn shadow(shadow: &Shadow) -> String {
    match shadow {
        Shadow::Words(words) => words_of(words),
        Shadow::NotNeeded => {
            "none is needed: the addresses depend only on ids and constants of the launch, so everything was \
            decided without watching the kernel"
                .to_owned()
        }
    }
}

fn words_of(shadow: &ShadowWords) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_that_is_decided_says_so() {
        assert!(shadow(&Shadow::NotNeeded).ends_with("decided without watching the kernel"));
        let words = ShadowWords {
            word_bits: 32,
            storage_clock: None,
            workgroup_clock: Some(12),
            buffers: None,
            slots: None,
        };
        let said = "32-bit shadow words, 12 bits for barriers of workgroup memory";
        assert_eq!(shadow(&Shadow::Words(words)), said);
    }
}
