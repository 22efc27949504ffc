#[hirace::monitor]
mod sizes {
    use hirace::prelude::*;

    const WIDE: usize = 16;
    const TWICE: usize = WIDE * 2;
    const STEPS: [usize; 3] = [1, 2, 4];

    #[derive(Clone, Copy)]
    struct Cursor {
        at: usize,
        left: usize,
    }

    fn advance(cursor: &mut Cursor, by: usize) -> usize {
        let by = by.min(cursor.left);
        cursor.at += by;
        cursor.left -= by;
        cursor.at
    }

    fn sum<const N: usize>(of: &[u32; N]) -> u32 {
        let mut sum = 0;
        for i in 0..N {
            sum += of[i] + N as u32;
        }
        sum
    }

    fn take(n: u32) -> u32 {
        n
    }

    #[kernel(workgroup_size(WIDE))]
    fn kernel(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &mut [u32],
        #[workgroup] starts: &mut [usize; WIDE],
        #[private] cursor: &mut Cursor,
    ) {
        let i = id.x as usize;
        if i >= words.len() {
            return;
        }
        starts[i % WIDE] = i;
        let mut own = Cursor { at: i, left: words.len() - i };
        *cursor = own;
        let mut k = advance(&mut own, STEPS[i % 3]);
        k <<= 1;
        k ^= 0b11;
        k %= words.len();
        for j in (0..k).rev() {
            words[j] += j as u32;
        }
        for j in (i..=TWICE).step_by(2) {
            words[j % words.len()] = take(words.len());
        }
        let last = match k {
            0 => 0,
            1..=4 => k - 1,
            _ => k.next_power_of_two() / 2,
        };
        words[last] = sum(&[1, 2, 3]) + k.abs_diff(i) as u32;
        let signed = k as isize - i as isize;
        words[0] = signed.unsigned_abs() as u32 + (signed < 0) as u32;
    }
}
