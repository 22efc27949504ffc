//! A lock as WGSL.

use super::{Load, Lock, Taking};

impl Lock {
    /// WGSL in which `load` is asked of the lock; its entry point is `main`. Of its four buffers, which are zero, `count` has
    /// what was added without atomics, `held` how often the lock was, and `given_up` how often somebody did not wait longer.
    pub fn wgsl(self, load: &Load) -> String {
        let Load { times, turns, .. } = load;
        let fence = if self.fenced { "\n        storageBarrier();" } else { "" };
        let take = match self.taking {
            Taking::TestAndSet => "atomicExchange(&lock, 1u) == 0u",
            Taking::TestAndTestAndSet => {
                "atomicLoad(&lock) == 0u && atomicExchange(&lock, 1u) == 0u"
            }
            Taking::CompareAndSwap => "atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged",
            // As good as always, which no compiler knows: it would make one addition of all.
            Taking::Nothing => "atomicLoad(&lock) == 0u",
        };
        let give_back = match self.taking {
            Taking::Nothing => "",
            _ => "\n        if taken { atomicStore(&lock, 0u); }",
        };
        format!(
            "@group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> count: u32;
@group(0) @binding(2) var<storage, read_write> held: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> given_up: atomic<u32>;

@compute @workgroup_size(1) fn main() {{
    for (var time = 0u; time < {times}u; time++) {{
        var taken = false;
        for (var turn = 0u; turn < {turns}u && !taken; turn++) {{
            if {take} {{ taken = true; }}
        }}{fence}
        if taken {{ count += 1u; }}{fence}{give_back}
        if taken {{ atomicAdd(&held, 1u); }} else {{ atomicAdd(&given_up, 1u); }}
    }}
}}
"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_program::front::wgsl;

    const LOAD: Load = Load { workgroups: 2, times: 3, turns: 5 };

    #[test]
    fn each_lock_is_a_shader() {
        for (name, lock) in Lock::NAMED {
            let text = lock.wgsl(&LOAD);
            wgsl::parse("lock.wgsl", &text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(text.matches("storageBarrier").count(), if lock.fenced { 2 } else { 0 });
            assert_eq!(lock.name(), name);
        }
    }
}
