//! Generation of WGSL for a lock.

use super::{Load, Lock, Taking};

impl Lock {
    /// Returns the WGSL of a dispatch that applies `load` to the lock; its entry point is `main`. Its four buffers are
    /// initially zero: `lock`, `count` (the sum of the additions without atomics), `held` (the number of times the lock
    /// was taken) and `given_up` (the number of times an invocation gave up).
    pub fn wgsl(self, load: &Load) -> String {
        let Load { acquisitions, max_loop_iterations, .. } = load;
        let fence = if self.fenced { "\n        storageBarrier();" } else { "" };
        let take = match self.taking {
            Taking::TestAndSet => "atomicExchange(&lock, 1u) == 0u",
            Taking::TestAndTestAndSet => {
                "atomicLoad(&lock) == 0u && atomicExchange(&lock, 1u) == 0u"
            }
            Taking::CompareAndSwap => "atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged",
            // Almost always true, which compilers do not know: otherwise they would merge all additions into one.
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
    for (var time = 0u; time < {acquisitions}u; time++) {{
        var taken = false;
        for (var i = 0u; i < {max_loop_iterations}u && !taken; i++) {{
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

    const LOAD: Load = Load { workgroups: 2, acquisitions: 3, max_loop_iterations: 5 };

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
