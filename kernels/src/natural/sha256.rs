//! SHA-256 and FNV-1a hashes of short messages.

/// One message per invocation.
#[hirace::monitor]
pub mod sha256 {
    use hirace::prelude::*;

    #[rustfmt::skip]
    const K: [u32; 64] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];
    const INITIAL: [u32; 8] = [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
        0x5be0cd19,
    ];
    /// Number of words of a message; with its padding, it fills one block.
    pub const WORDS: usize = 12;

    fn schedule(message: &[u32; WORDS]) -> [u32; 64] {
        let mut w = [0u32; 64];
        w[..WORDS].copy_from_slice(message);
        w[WORDS] = 1 << 31;
        w[15] = WORDS as u32 * u32::BITS;
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        w
    }

    fn digest(message: &[u32; WORDS]) -> [u32; 8] {
        let w = schedule(message);
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = INITIAL;
        for (k, w) in K.iter().zip(w) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(w);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = s0.wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
            (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
        }
        let mut state = INITIAL;
        for (word, change) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(change);
        }
        state
    }

    fn fnv1a(message: &[u32; WORDS]) -> u64 {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for byte in message.iter().flat_map(|word| word.to_be_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
        hash
    }

    /// Hashes messages of big-endian words, as in the digest.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        messages: &[[u32; WORDS]],
        digests: &mut [[u32; 8]],
        hashes: &mut [[u32; 2]],
    ) {
        let i = id.x as usize;
        let Some(message) = messages.get(i) else { return };
        digests[i] = digest(message);
        let hash = fnv1a(message);
        hashes[i] = [(hash >> 32) as u32, hash as u32];
    }
}

#[cfg(test)]
mod tests {
    use super::sha256::{self, WORDS};
    use crate::support::{clean, numbers};
    use hirace::Launch;

    /// Returns the first 32 fractional bits of the square root (`power` 2) or cube root (`power` 3) of `n`.
    fn fraction(n: u128, power: u32) -> u32 {
        let (mut low, mut high) = (0u128, 1 << 40);
        while low + 1 < high {
            let middle = (low + high) / 2;
            if middle.pow(power) <= n << (32 * power) { low = middle } else { high = middle }
        }
        low as u32
    }

    fn digest(words: &[u32]) -> Vec<u32> {
        let primes = (2u128..).filter(|n| (2..*n).all(|d| n % d != 0));
        let k: Vec<u32> = primes.clone().take(64).map(|n| fraction(n, 3)).collect();
        let start: Vec<u32> = primes.take(8).map(|n| fraction(n, 2)).collect();
        let mut w = words.to_vec();
        w.push(0x8000_0000);
        w.resize(15, 0);
        w.push(words.len() as u32 * 32);
        for i in 16..64 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            w.push([w[i - 16], s0, w[i - 7], s1].into_iter().fold(0, u32::wrapping_add));
        }
        let mut s = start.clone();
        for i in 0..64 {
            let sum = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = s[4] & s[5] | !s[4] & s[6];
            let t = [s[7], sum, choice, k[i], w[i]].into_iter().fold(0, u32::wrapping_add);
            let sum = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let majority = s[0] & s[1] | s[0] & s[2] | s[1] & s[2];
            s[3] = s[3].wrapping_add(t);
            s[7] = t.wrapping_add(sum).wrapping_add(majority);
            s.rotate_right(1);
        }
        s.iter().zip(start).map(|(a, b)| a.wrapping_add(b)).collect()
    }

    #[test]
    fn messages_are_hashed() {
        let words = numbers(WORDS * 40, 280);
        let messages: Vec<[u32; WORDS]> =
            words.chunks(WORDS).map(|message| message.try_into().unwrap()).collect();
        let launch = Launch::new().workgroups(2).buffer("messages", &messages);
        let launch = launch.zeros("digests", 40).zeros("hashes", 40);
        let run = clean(&sha256::clean::kernel(), launch);
        let (digests, hashes) = (run.read::<[u32; 8]>("digests"), run.read::<[u32; 2]>("hashes"));
        for (i, message) in messages.iter().enumerate() {
            assert_eq!(digests[i].to_vec(), digest(message));
            let mut hash = 0xcbf29ce484222325u64;
            for word in message {
                for byte in word.to_be_bytes() {
                    hash ^= u64::from(byte);
                    hash = hash.wrapping_mul(0x100000001b3);
                }
            }
            assert_eq!(u64::from(hashes[i][0]) << 32 | u64::from(hashes[i][1]), hash);
        }
    }
}
