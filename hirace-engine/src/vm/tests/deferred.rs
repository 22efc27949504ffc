//! Tests subgroups whose operations are deferred: which operations can be overtaken, and that results do not
//! change otherwise.

use super::super::Code;
use super::super::deferred::{Dispatch, Memory, Operation, Outline, Subgroup, SubgroupOutcome};
use super::super::lower::lower;
use super::super::observer::MemoryId;
use super::{Kernel, options};
use crate::random::Random;

/// A kernel that writes its results to `out`.
struct Test {
    kernel: Kernel,
    code: Code,
    outline: Outline,
}

impl Test {
    fn new(kernel: Kernel) -> Self {
        let code = lower(&kernel.program, 0).unwrap();
        let out = MemoryId(kernel.index("out") as u32);
        let outline = Outline::new(&code, &kernel.resources, &[out], 16).unwrap();
        Self { kernel, code, outline }
    }

    fn dispatch(&self, workgroups: u32) -> Dispatch<'_> {
        Dispatch::new(&self.code, &self.outline, &self.kernel.resources, workgroups).unwrap()
    }

    fn out(&self, words: &[u32]) -> Vec<u32> {
        let out = MemoryId(self.kernel.index("out") as u32);
        words[self.outline.of(&self.code, out).unwrap()].to_vec()
    }
}

/// A memory that defers the operations that its predicate selects.
struct DeferringMemory<F> {
    words: Vec<u32>,
    deferred: Vec<Operation>,
    should_defer: F,
}

impl<F: FnMut(&Operation) -> bool> DeferringMemory<F> {
    fn new(words: usize, should_defer: F) -> Self {
        Self { words: vec![0; words], deferred: Vec::new(), should_defer }
    }

    fn perform(&mut self, operation: Operation) -> u32 {
        let word = &mut self.words[operation.word as usize];
        let before = *word;
        *word = operation.does.leaves(before);
        before
    }

    /// Performs all deferred operations: the last word first, and for each word in the order in which they
    /// were issued.
    fn settle(&mut self, subgroups: &mut [Subgroup]) {
        let mut operations = std::mem::take(&mut self.deferred);
        operations.sort_by_key(|operation| std::cmp::Reverse(operation.word));
        for operation in operations {
            let value = self.perform(operation);
            let at = (operation.by.local / 32) as usize;
            subgroups[at].answer(operation.ticket, operation.by.local, value);
        }
    }
}

impl<F: FnMut(&Operation) -> bool> Memory for DeferringMemory<F> {
    fn issue(&mut self, operation: Operation) -> Option<u32> {
        let is_to_same_word =
            |earlier: &Operation| earlier.by == operation.by && earlier.word == operation.word;
        if self.deferred.iter().any(is_to_same_word) || (self.should_defer)(&operation) {
            self.deferred.push(operation);
            return None;
        }
        Some(self.perform(operation))
    }
}

/// Runs one workgroup until it ends. Performs the deferred operations whenever no subgroup can continue.
fn run(test: &Test, should_defer: impl FnMut(&Operation) -> bool) -> Vec<u32> {
    let mut dispatch = test.dispatch(1);
    let mut memory = DeferringMemory::new(dispatch.words(), should_defer);
    let count = dispatch.subgroups();
    let mut subgroups: Vec<Subgroup> = (0..count).map(|at| dispatch.start(0, at)).collect();
    let mut ended = vec![false; subgroups.len()];
    while ended.contains(&false) {
        for (at, ended) in ended.iter_mut().enumerate().filter(|(_, ended)| !**ended) {
            *ended = loop {
                match dispatch.turn(&mut subgroups[at], &mut memory) {
                    SubgroupOutcome::Ran => {}
                    SubgroupOutcome::Ended => break true,
                    SubgroupOutcome::Waits | SubgroupOutcome::Barrier => break false,
                    SubgroupOutcome::PartlyAtBarrier => panic!("lanes diverge"),
                }
            };
        }
        memory.settle(&mut subgroups);
    }
    memory.settle(&mut subgroups);
    test.out(&memory.words)
}

/// A kernel with calls, loops, branches on loaded values, workgroup memory and atomics. It has neither races
/// nor barriers.
const MIXED_KERNEL: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32, 50>;
    @group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
    @group(0) @binding(2) var<storage> input: array<vec2u, 50>;
    var<workgroup> tile: array<u32, 50>;
    fn doubled(at: u32) -> u32 {
        let v = out[at];
        if v > 40u { return v; }
        return v * 2u;
    }
    @compute @workgroup_size(50) fn main(@builtin(local_invocation_index) l: u32) {
        out[l] = l + input[l].y;
        tile[l] = 3u;
        var held = tile[l];
        var copy = held;
        for (var i = 0u; i < l % 5u; i++) { held = doubled(l); out[l] = held + copy; }
        tile[l] = held;
        copy = held;
        held = 1u;
        _ = atomicAdd(&sum, 1u);
        out[l] += copy + held + tile[l];
        if l == 7u { out[l] = out[l] + 1u; } else { copy = out[l]; out[l] = copy ^ 5u; }
    }";

#[test]
fn deferring_does_not_change_the_result_of_a_single_subgroup() {
    let inputs: Vec<u32> = (0..100).collect();
    let kernel =
        || Kernel::new(MIXED_KERNEL).zeros("out", 50).zeros("sum", 1).words("input", &inputs);
    let (test, direct) = (Test::new(kernel()), kernel());
    direct.run(&options());
    let expected = direct.result("out");
    assert!(expected.iter().any(|value| *value > 40));
    assert_eq!(run(&test, |_| false), expected);
    assert_eq!(run(&test, |_| true), expected);
    assert_eq!(run(&test, |operation| operation.does.reads()), expected);
    for seed in 0..20 {
        let mut random = Random::new(seed);
        assert_eq!(run(&test, move |_| random.below(3u32) == 0), expected, "{seed}");
    }
}

/// Returns the outcome of each step of one lane, and the number of operations that were issued until then.
fn issued_operations(body: &str) -> Vec<(SubgroupOutcome, usize)> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>, 8>;
        @compute @workgroup_size(1) fn main() {{ {body} }}"
    );
    let test = Test::new(Kernel::new(&text).zeros("out", 8));
    let mut dispatch = test.dispatch(1);
    let mut memory = DeferringMemory::new(dispatch.words(), |_| true);
    let mut subgroup = dispatch.start(0, 0);
    let mut outcomes = Vec::new();
    loop {
        let outcome = dispatch.turn(&mut subgroup, &mut memory);
        outcomes.push((outcome, memory.deferred.len()));
        if outcome != SubgroupOutcome::Ran {
            return outcomes;
        }
    }
}

#[test]
fn reads_are_overtaken_by_independent_operations() {
    use SubgroupOutcome::{Ended, Ran, Waits};
    let buffered =
        "let r = atomicLoad(&out[0]); atomicStore(&out[1], 1u); atomicStore(&out[2], r);";
    assert_eq!(issued_operations(buffered), [(Ran, 1), (Ran, 2), (Waits, 2)]);
    let copied =
        "var r = 0u; r = atomicLoad(&out[0]); var s = r; atomicStore(&out[1], 1u); s += 1u;";
    assert_eq!(issued_operations(copied), [(Ran, 1), (Ran, 2), (Waits, 2)]);
    let address = "let r = atomicLoad(&out[0]); atomicStore(&out[r], 1u);";
    assert_eq!(issued_operations(address), [(Ran, 1), (Waits, 1)]);
    let branch = "if atomicLoad(&out[0]) == 0u { atomicStore(&out[1], 1u); }";
    assert_eq!(issued_operations(branch), [(Ran, 1), (Waits, 1)]);
    let unused = "_ = atomicExchange(&out[0], 1u); atomicStore(&out[1], 1u);";
    assert_eq!(issued_operations(unused), [(Ran, 1), (Ran, 2), (Ended, 2)]);
    let barrier = "let r = atomicLoad(&out[0]); storageBarrier(); atomicStore(&out[1], 1u);";
    assert_eq!(issued_operations(barrier), [(Ran, 1), (SubgroupOutcome::Barrier, 1)]);
}

#[test]
fn lanes_that_diverge_at_a_barrier_are_detected() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32, 8>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            if l < 3u { storageBarrier(); }
            out[l] = 1u;
        }";
    let test = Test::new(Kernel::new(text).zeros("out", 8));
    let mut dispatch = test.dispatch(1);
    let mut memory = DeferringMemory::new(dispatch.words(), |_| false);
    let mut subgroup = dispatch.start(0, 0);
    assert_eq!(dispatch.turn(&mut subgroup, &mut memory), SubgroupOutcome::PartlyAtBarrier);
}

/// Records after each step whether a write to `out` may still follow: in a loop, in a function, and after
/// both.
#[test]
fn code_that_cannot_reach_an_observed_write_is_detected() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32, 8>;
        @group(0) @binding(1) var<storage, read_write> other: array<u32, 8>;
        fn aside(count: u32) { for (var i = 0u; i < count; i++) { other[i] = 1u; } }
        fn seen() { for (var i = 0u; i < 2u; i++) { other[i] = 1u; out[i] = 1u; other[i] = 2u; } }
        @compute @workgroup_size(1) fn main() { aside(2u); seen(); aside(3u); }";
    let test = Test::new(Kernel::new(text).zeros("out", 8).zeros("other", 8));
    let mut dispatch = test.dispatch(1);
    let mut memory = DeferringMemory::new(dispatch.words(), |_| false);
    let mut subgroup = dispatch.start(0, 0);
    let mut seen = Vec::new();
    while dispatch.turn(&mut subgroup, &mut memory) == SubgroupOutcome::Ran {
        seen.push(subgroup.may_affect_observed(&dispatch));
    }
    // Two steps in `aside(2u)`, six in `seen`, whose last iteration is not known to be the last one, and three
    // in `aside(3u)`.
    let expected = [[true; 8].as_slice(), &[false; 3]].concat();
    assert_eq!(seen, expected);
}

#[test]
fn unsupported_operations_are_rejected() {
    for body in [
        "pairs[0] = vec2u(1u);",
        "_ = atomicCompareExchangeWeak(&out[0], 0u, 1u);",
        "atomicStore(&out[0], subgroupAdd(1u));",
    ] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>, 8>;
            @group(0) @binding(1) var<storage, read_write> pairs: array<vec2u, 8>;
            @compute @workgroup_size(1) fn main() {{ {body} }}"
        );
        let kernel = Kernel::new(&text).zeros("out", 8).zeros("pairs", 16);
        let code = lower(&kernel.program, 0).unwrap();
        let refused = Outline::new(&code, &kernel.resources, &[], 16).unwrap_err().to_string();
        assert!(refused.contains("single-word"), "{body}: {refused}");
    }
}
