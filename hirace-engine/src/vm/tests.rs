//! Tests of small kernels by their final memory.

mod alone;
mod barriers;
mod deferred;
mod flow;
mod indices;
mod interleave;
mod limits;
mod machine;
mod orders;
mod progress;
mod repetition;
mod slices;
mod textures;
mod unused_reads;
mod updates;
mod values;

use super::driver::run;
use super::lower::lower;
use super::memory::{Buffer, Resource, Resources};
use super::observer::Observer;
use super::run::{Options, Run};
use super::schedule::{Limits, Schedule};
use crate::front::wgsl;
use crate::program::Program;
use crate::source_map::Span;
use std::collections::BTreeMap;

/// A kernel with its buffers, by name.
struct Kernel {
    program: Program,
    resources: Resources,
}

/// Returns the default options of tests: one workgroup, subgroups of 32, serial order.
fn options() -> Options<'static> {
    Options {
        workgroups: [1, 1, 1],
        subgroup_size: 32,
        schedule: Schedule::default(),
        limits: Limits { steps: 2_000_000, ..Limits::default() },
        parallel: false,
        stop: None,
    }
}

impl Kernel {
    fn new(text: &str) -> Self {
        let parsed = match wgsl::parse("test.wgsl", text) {
            Ok(parsed) => parsed,
            Err(error) => panic!("{error}: {:?}", error.notes),
        };
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let count = program.module.global_variables.len();
        let by_global = std::iter::repeat_with(|| None).take(count).collect();
        Self { program, resources: Resources { by_global } }
    }

    fn index(&self, name: &str) -> usize {
        let mut globals = self.program.module.global_variables.iter();
        let found = globals.find(|(_, global)| global.name.as_deref() == Some(name));
        found.unwrap().0.index()
    }

    fn bind(mut self, name: &str, buffer: Buffer) -> Self {
        let index = self.index(name);
        self.resources.by_global[index] = Some(Resource::Buffer(buffer));
        self
    }

    fn words(self, name: &str, words: &[u32]) -> Self {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.bind(name, Buffer::new(&bytes))
    }

    fn zeros(self, name: &str, words: u32) -> Self {
        self.bind(name, Buffer::zeros(4 * words))
    }

    fn buffer(&self, name: &str) -> &Buffer {
        match &self.resources.by_global[self.index(name)] {
            Some(Resource::Buffer(buffer)) => buffer,
            _ => panic!("{name} is not bound"),
        }
    }

    fn result(&self, name: &str) -> Vec<u32> {
        self.buffer(name).snapshot()
    }

    fn run(&self, options: &Options) -> Run {
        self.observed(options, &super::observer::NoObserver)
    }

    fn observed<O: Observer>(&self, options: &Options, observer: &O) -> Run {
        let code = match lower(&self.program, 0) {
            Ok(code) => code,
            Err(error) => panic!("{error}"),
        };
        run(&code, &self.resources, options, observer).unwrap()
    }

    /// Returns the source text of a site.
    fn snippet(&self, site: crate::ir::sites::SiteId) -> &str {
        let span = self.program.sites.get(site).map_or(Span::default(), |site| site.span);
        self.program.source.snippet(span)
    }
}

/// Runs a kernel of 64 invocations in one workgroup that writes `out[l]`; `body` can use `l`. It runs with
/// every subgroup size and under several schedules, and all results must be equal.
fn out(globals: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
        {globals}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
    );
    let mut first: Option<Vec<u32>> = None;
    for (subgroup_size, seed) in [(32, 0), (64, 0), (1, 0), (4, 0), (32, 1), (8, 2), (64, 3)] {
        let kernel = Kernel::new(&text).zeros("out", 64);
        let run =
            kernel.run(&Options { subgroup_size, schedule: Schedule::seeded(seed), ..options() });
        assert_eq!(run.no_progress, None, "subgroups of {subgroup_size}, seed {seed}");
        assert_eq!(run.divergences, [], "subgroups of {subgroup_size}, seed {seed}");
        let result = kernel.result("out");
        match &first {
            Some(first) => assert_eq!(*first, result, "subgroups of {subgroup_size}, seed {seed}"),
            None => first = Some(result),
        }
    }
    first.unwrap()
}

/// Returns the expected contents of `out`, given as a function of the invocation.
fn expect(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..64).map(f).collect()
}
