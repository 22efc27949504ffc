//! `==` and `!=` of types that implement `PartialEq`, and of types that contain them. The same text runs in the kernel and in
//! the test.

/// Comparisons of a number's angle with others.
#[hirace::monitor]
pub mod equality {
    use hirace::prelude::*;

    /// An angle; equal to others with the same direction, regardless of full turns.
    #[derive(Clone, Copy)]
    struct Angle {
        turns: u32,
        id: u32,
    }

    impl PartialEq for Angle {
        fn eq(&self, other: &Self) -> bool {
            self.turns % 4 == other.turns % 4
        }
    }

    impl PartialEq<u32> for Angle {
        fn eq(&self, other: &u32) -> bool {
            self.turns == *other
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    struct Arm {
        angle: Angle,
        length: u32,
    }

    /// A sign whose `Unknown` is not equal to anything.
    #[derive(Clone, Copy)]
    enum Sign {
        Unknown,
        Known,
    }

    impl PartialEq for Sign {
        fn eq(&self, other: &Sign) -> bool {
            matches!((*self, *other), (Sign::Known, Sign::Known))
        }
    }

    /// Compares a number's angle with others.
    pub fn all_of(x: u32) -> [u32; 10] {
        let a = Angle { turns: x, id: x };
        let b = Angle { turns: 6, id: 3 };
        let (p, q) = (Arm { angle: a, length: x }, Arm { angle: b, length: x });
        let sign = if x > 5 { Sign::Known } else { Sign::Unknown };
        [
            (a == b) as u32,
            (a != b) as u32,
            (p == q) as u32,
            (p != q) as u32,
            ([a, b] == [b, b]) as u32,
            ((a, x) != (b, x)) as u32,
            (a == 7) as u32 + (a != 7) as u32 * 10,
            (sign == sign) as u32,
            (sign != Sign::Known) as u32 + ((sign, x) == (sign, x)) as u32 * 10,
            a.id + b.id + p.length + q.angle.turns,
        ]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 10]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::equality;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn what_is_equal_is_so_in_rust() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 10]; 23]);
        let run = clean(&equality::clean::kernel(), launch);
        let expected: Vec<[u32; 10]> = words.iter().map(|x| equality::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 10]>("out"), expected);
    }
}
