//! A compiled shader with its buffers.

use crate::run::Failure;
use hirace_engine::vm::Code;
use hirace_engine::vm::lower::lower;
use hirace_engine::vm::memory::{Buffer, Resource, Resources};
use hirace_engine::vm::observer::MemoryId;
use hirace_program::diagnostic::Diagnostic;
use hirace_program::front::wgsl;
use hirace_program::program::Program;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// A compiled shader with its buffers.
#[derive(Debug)]
pub struct CompiledShader {
    pub code: Code,
    pub resources: Resources,
    /// The memory of each binding.
    bound: BTreeMap<u32, MemoryId>,
}

impl CompiledShader {
    /// Compiles WGSL. `words` returns the size of the buffer at a binding, in words.
    pub fn new(text: &str, words: impl Fn(u32) -> u64) -> Result<Self, Failure> {
        let parsed = wgsl::parse("test.wgsl", text).map_err(refused)?;
        let program = Program::new(&parsed, &BTreeMap::new()).map_err(refused)?;
        let code = lower(&program, 0).map_err(refused)?;
        let mut by_global = Vec::new();
        let mut bound = BTreeMap::new();
        for (global, variable) in program.module.global_variables.iter() {
            by_global.push(variable.binding.map(|at| {
                bound.insert(at.binding, MemoryId(global.index() as u32));
                Resource::Buffer(Buffer::zeros(4 * words(at.binding) as u32))
            }));
        }
        Ok(Self { code, resources: Resources { by_global }, bound })
    }

    /// Returns the memory of a binding, if the shader has it.
    pub fn memory(&self, binding: u32) -> Option<MemoryId> {
        self.bound.get(&binding).copied()
    }

    /// Writes the first words of a binding, if the shader has it.
    pub fn write(&self, binding: u32, words: &[u32]) {
        let buffer = self.memory(binding).and_then(|memory| self.resources.buffer(memory));
        for (to, word) in buffer.into_iter().flat_map(Buffer::words).zip(words) {
            to.store(*word, Ordering::Relaxed);
        }
    }

    /// Returns the content of a binding.
    pub fn read(&self, binding: u32) -> Vec<u32> {
        let buffer = self.memory(binding).and_then(|memory| self.resources.buffer(memory));
        buffer.map(Buffer::snapshot).unwrap_or_default()
    }
}

/// Converts an error of a shader into a failure.
pub fn refused(error: Box<Diagnostic>) -> Failure {
    Failure::Rejected(error.to_string())
}
