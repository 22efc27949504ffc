//! Text as words of four bytes: unpack, change, pack.

/// Converts ASCII letters to upper case.
#[hirace::monitor]
pub mod upper_case {
    use hirace::prelude::*;

    fn upper(byte: u32) -> u32 {
        match byte {
            0x61..=0x7a => byte - 0x20,
            _ => byte,
        }
    }

    /// Converts one word of four bytes per invocation.
    #[kernel(workgroup_size(16))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, text: &mut [u32]) {
        let bytes = unpack4x_u8(text[id.x]);
        text[id.x] =
            pack4x_u8(uvec4(upper(bytes.x), upper(bytes.y), upper(bytes.z), upper(bytes.w)));
    }

    /// Converts one byte per invocation, but writes whole words, and so the bytes of other invocations.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, text: &mut [u32]) {
        let (word, shift) = (id.x / 4, id.x % 4 * 8);
        let byte = extract_bits(text[word], shift, 8);
//                              ^^^^^^^^^^ race: read/write on text[..]
        text[word] = insert_bits(text[word], upper(byte), shift, 8);
//      ^^^^^^^^^^ race: write/read on text[..]
//                               ^^^^^^^^^^ race: read/write on text[..]
    }
}

#[cfg(test)]
mod tests {
    use super::upper_case;
    use crate::support::{clean, racy};
    use hirace::Launch;

    const TEXT: &str = "The quick brown fox jumps over the lazy dog: [0-9] {a-z} `@~ end";

    fn words() -> Vec<u32> {
        TEXT.as_bytes().chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    #[test]
    fn letters_alone_change() {
        let launch = Launch::new().workgroups(1).buffer("text", &words());
        let run = clean(&upper_case::clean::kernel(), launch);
        let bytes: Vec<u8> = run.read::<u32>("text").iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), TEXT.to_ascii_uppercase());
    }

    #[test]
    fn neighboring_bytes_share_a_word() {
        let launch = Launch::new().workgroups(4).buffer("text", &words());
        racy(&upper_case::racy::kernel(), launch, include_str!("upper_case.rs"));
    }
}
