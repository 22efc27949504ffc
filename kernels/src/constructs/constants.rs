//! Constants of functions and blocks, which shadow others of the same name. The same text runs in the kernel and in
//! the test.

/// Numbers computed with constants of the same name.
#[hirace::monitor]
pub mod constants {
    use hirace::prelude::*;

    const K: u32 = 3;
    const M: u32 = K + 1;
    const A: u32 = 4;

    fn times(x: u32, f: impl Fn(u32) -> u32) -> u32 {
        f(x) * K
    }

    fn hides(x: u32) -> u32 {
        const K: u32 = 100;
        K + M + times(x, |y| y + K)
    }

    /// Computes numbers with constants of the same name.
    pub fn all_of(x: u32) -> [u32; 5] {
        let inner = {
            const K: u32 = 10;
            K + x
        } + K;
        const A: u32 = 5;
        let matched = match x {
            A => 1,
            7 => 2,
            _ => 3,
        };
        let with_outer = |y: u32| y + K;
        let called_inside = {
            const K: u32 = 50;
            with_outer(x) + K
        };
        let given = {
            const K: u32 = 50;
            times(x, |z| z * K)
        };
        [hides(x), inner, matched, called_inside, given]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 5]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::constants;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn constants_are_those_of_their_block() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 5]; 23]);
        let run = clean(&constants::clean::kernel(), launch);
        let expected: Vec<[u32; 5]> = words.iter().map(|x| constants::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 5]>("out"), expected);
    }
}
