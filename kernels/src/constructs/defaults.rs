//! `Default` of types that implement it, and of types that contain them. The same text runs in the kernel and in the test.

/// Default values, used where an option is `None`.
#[hirace::monitor]
pub mod defaults {
    use hirace::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Weight(u32);

    impl Default for Weight {
        fn default() -> Self {
            Weight(7)
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    enum Mode {
        Off = 3,
        #[default]
        Slow,
        Fast,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Settings {
        weight: Weight,
        mode: Mode,
        many: [Weight; 3],
        scale: f32,
        limit: Option<Weight>,
    }

    fn made<T: Default>() -> T {
        T::default()
    }

    /// Computes results that use all kinds of defaults.
    pub fn all_of(x: u32) -> [u32; 9] {
        let weight: Weight = Default::default();
        let given = if x > 3 { Some(Weight(x)) } else { None };
        let settings = Settings::default();
        let others: Settings = made();
        let pair: (Mode, u32) = Default::default();
        let mut mode = Mode::Off;
        let before = mode as u32;
        if x % 2 == 0 {
            mode = if x > 9 { Some(Mode::Fast) } else { None }.unwrap_or_default();
        }
        let mut kept = Weight(x);
        let taken = std::mem::take(&mut kept);
        [
            weight.0,
            given.unwrap_or_default().0,
            settings.weight.0 + settings.mode as u32 * 100,
            settings.many[2].0 + settings.scale as u32,
            others.limit.unwrap_or_default().0 + others.limit.is_none() as u32,
            pair.0 as u32 * 10 + pair.1,
            mode as u32 * 10 + before,
            made::<u32>() + made::<Weight>().0,
            kept.0 * 100 + taken.0,
        ]
    }

    /// Each invocation computes the results for its number.
    #[kernel(workgroup_size(8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, words: &[u32], out: &mut [[u32; 9]]) {
        let i = id.x as usize;
        if let Some(to) = out.get_mut(i) {
            *to = all_of(words[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::defaults;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn what_is_left_to_the_default_is_rusts() {
        let words: Vec<u32> = (0..23).collect();
        let launch =
            Launch::new().workgroups(3).buffer("words", &words).buffer("out", &[[0u32; 9]; 23]);
        let run = clean(&defaults::clean::kernel(), launch);
        let expected: Vec<[u32; 9]> = words.iter().map(|x| defaults::all_of(*x)).collect();
        assert_eq!(run.read::<[u32; 9]>("out"), expected);
    }
}
