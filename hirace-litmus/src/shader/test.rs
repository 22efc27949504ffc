//! The shader that tests and stresses.

use super::{STRESS, Shape, element, location_words};
use crate::environment::Layout;
use crate::test::{Action, Memory, ThreadPlacement};
use std::fmt::Write;

/// Returns the WGSL of the shader.
pub fn text(shape: &Shape<'_>) -> String {
    let mut body = Body { shape, text: String::new(), depth: 1 };
    body.main();
    format!(
        "{}{STRESS}{}\n@compute @workgroup_size(WORKGROUP_SIZE)\nfn main(@builtin(local_invocation_index) lane: u32, \
         @builtin(workgroup_id) workgroup: vec3<u32>) {{\n{}}}\n",
        shape.common(),
        memory(shape),
        body.text
    )
}

/// Declares the memory of the locations. Workgroup memory is copied to storage at the end.
fn memory(shape: &Shape<'_>) -> String {
    let Memory { workgroup, .. } = shape.test.memory;
    let of = element(shape.test.memory);
    let storage =
        |of| format!("\n@group(0) @binding(0) var<storage, read_write> locations: array<{of}>;\n");
    if !workgroup {
        return storage(of);
    }
    let size = u64::from(shape.parameters.workgroup_size);
    let words = location_words(shape.test, shape.layout, shape.parameters, size);
    storage("u32") + &format!("var<workgroup> workgroup_locations: array<{of}, {words}>;\n")
}

struct Body<'a> {
    shape: &'a Shape<'a>,
    text: String,
    depth: usize,
}

impl Body<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", self.depth * 4, text.as_ref());
    }

    fn block(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    fn main(&mut self) {
        self.line("let instances = WORKGROUP_SIZE * parameters.testing_workgroups;");
        self.line("let shuffled = shuffled_workgroups[workgroup.x];");
        let test = self.shape.test;
        let threads: Vec<usize> = (0..test.threads.len()).collect();
        match (self.shape.layout, test.threads_in) {
            (Layout::Parallel, _) => {
                let tests = "if shuffled < parameters.testing_workgroups";
                self.block(tests, |body| body.parallel(&threads));
                self.stress("if shuffled >= parameters.testing_workgroups");
            }
            (Layout::Single, ThreadPlacement::OneWorkgroup) => {
                self.block("if shuffled == 0u", |body| body.single(&threads));
                self.stress("if shuffled != 0u");
            }
            (Layout::Single, ThreadPlacement::Workgroups) => {
                for thread in &threads {
                    let tests = format!("if shuffled == {thread}u");
                    self.block(&tests, |body| body.single(&[*thread]));
                }
                self.stress(&format!("if shuffled >= {}u", threads.len()));
            }
        }
    }

    /// Writes the stress of the workgroups that do not test.
    fn stress(&mut self, others: &str) {
        self.block(&format!("{others} && parameters.mem_stress == 1u"), |body| {
            body.line(
                "stress(parameters.mem_stress_iterations, parameters.mem_stress_pattern, workgroup.x);",
            );
        });
    }

    /// Writes the stress and the spin barrier before a test.
    fn before(&mut self, invocations: &str) {
        self.block("if parameters.pre_stress == 1u", |body| {
            body.line(
                "stress(parameters.pre_stress_iterations, parameters.pre_stress_pattern, workgroup.x);",
            );
        });
        self.block("if parameters.do_barrier == 1u", |body| {
            body.line(format!("spin({invocations});"));
        });
    }

    /// Writes the parallel layout: each invocation takes part in as many instances as there are threads.
    fn parallel(&mut self, threads: &[usize]) {
        self.line("let lane_0 = lane;");
        self.line("let instance_0 = shuffled * WORKGROUP_SIZE + lane_0;");
        for thread in &threads[1..] {
            let before = thread - 1;
            self.line(format!(
                "let lane_{thread} = lane_{before} * parameters.permute_first % WORKGROUP_SIZE;"
            ));
            let workgroup = match self.shape.test.threads_in {
                ThreadPlacement::OneWorkgroup => "shuffled".to_owned(),
                ThreadPlacement::Workgroups => {
                    format!("other_workgroup(shuffled, lane_{before}, {before}u)")
                }
            };
            self.line(format!(
                "let instance_{thread} = {workgroup} * WORKGROUP_SIZE + lane_{thread};"
            ));
        }
        self.location_indices(threads);
        self.before("instances");
        self.threads(threads, false);
        self.copy("instance_0", "lane_0");
    }

    /// Writes the single-instance layout: one invocation runs a thread of the instance. The whole workgroup executes
    /// barriers.
    fn single(&mut self, threads: &[usize]) {
        let mut any = Vec::new();
        for (at, thread) in threads.iter().enumerate() {
            self.line(format!("let is_{thread} = lane == (workgroup.x + {at}u) % WORKGROUP_SIZE;"));
            self.line(format!("let instance_{thread} = 0u;"));
            self.line(format!("let lane_{thread} = 0u;"));
            any.push(format!("is_{thread}"));
        }
        self.location_indices(threads);
        let all = format!("{}u", self.shape.test.threads.len());
        self.block(&format!("if {}", any.join(" || ")), |body| body.before(&all));
        self.threads(threads, true);
        self.copy("0u", "0u");
    }

    /// Writes the indices of the locations that threads access.
    fn location_indices(&mut self, threads: &[usize]) {
        for thread in threads {
            let actions = &self.shape.test.threads[*thread];
            let mut locations: Vec<u8> = actions.iter().filter_map(Action::location).collect();
            locations.sort_unstable();
            locations.dedup();
            for location in locations {
                let (instance, instances) = match self.shape.test.memory.workgroup {
                    true => (format!("lane_{thread}"), "WORKGROUP_SIZE"),
                    false => (format!("instance_{thread}"), "instances"),
                };
                self.line(format!(
                    "let at_{thread}_{location} = location_index({instance}, {instances}, {location}u);"
                ));
            }
        }
    }

    /// Writes the operations of threads and the stores of their registers. All threads meet at the barriers of the
    /// test.
    fn threads(&mut self, threads: &[usize], guarded: bool) {
        let test = self.shape.test;
        let registers = |thread: &usize| test.threads[*thread].iter().filter_map(Action::register);
        for register in threads.iter().flat_map(registers) {
            self.line(format!("var r{register} = 0u;"));
        }
        let phases = |thread: &usize| -> Vec<&[Action]> {
            test.threads[*thread].split(|action| *action == Action::Barrier).collect()
        };
        let threads_phases: Vec<_> =
            threads.iter().map(|thread| (thread, phases(thread))).collect();
        let most = threads_phases.iter().map(|(_, phases)| phases.len()).max().unwrap_or(0);
        for phase in 0..most {
            if phase > 0 {
                self.barrier();
            }
            for (thread, phases) in &threads_phases {
                for action in phases.get(phase).copied().unwrap_or_default() {
                    match self.access(**thread, *action) {
                        None => self.barrier(),
                        Some(access) => self.guarded(guarded, **thread, &access),
                    }
                }
            }
        }
        for thread in threads {
            for register in registers(thread) {
                let count = test.registers();
                let kept =
                    format!("results[instance_{thread} * {count}u + {register}u] = r{register};");
                self.guarded(guarded, *thread, &kept);
            }
        }
    }

    fn guarded(&mut self, guarded: bool, thread: usize, statement: &str) {
        match guarded {
            true => self.line(format!("if is_{thread} {{ {statement} }}")),
            false => self.line(statement),
        }
    }

    fn barrier(&mut self) {
        self.line(match self.shape.test.memory.workgroup {
            true => "workgroupBarrier();",
            false => "storageBarrier();",
        });
    }

    /// Returns the statement of an action that accesses memory; `None` for a fence or a barrier.
    fn access(&self, thread: usize, action: Action) -> Option<String> {
        let Memory { workgroup, atomic } = self.shape.test.memory;
        let memory = if workgroup { "workgroup_locations" } else { "locations" };
        let word = format!("{memory}[at_{thread}_{}]", action.location()?);
        Some(match action {
            Action::Read { register, update: true, .. } => {
                format!("r{register} = atomicAdd(&{word}, 0u);")
            }
            Action::Read { register, .. } if atomic => {
                format!("r{register} = atomicLoad(&{word});")
            }
            Action::Read { register, .. } => format!("r{register} = {word};"),
            Action::Write { value, update: true, .. } => {
                format!("_ = atomicExchange(&{word}, {value}u);")
            }
            Action::Write { value, .. } if atomic => format!("atomicStore(&{word}, {value}u);"),
            Action::Write { value, .. } => format!("{word} = {value}u;"),
            Action::Add { value, register, .. } => {
                format!("r{register} = atomicAdd(&{word}, {value}u);")
            }
            Action::Fence | Action::Barrier => return None,
        })
    }

    /// Writes the copy of the final values from workgroup memory to storage.
    fn copy(&mut self, instance: &str, lane: &str) {
        let Memory { workgroup: true, atomic } = self.shape.test.memory else { return };
        self.line("workgroupBarrier();");
        for location in 0..self.shape.test.locations() {
            let word =
                format!("workgroup_locations[location_index({lane}, WORKGROUP_SIZE, {location}u)]");
            let held = if atomic { format!("atomicLoad(&{word})") } else { word };
            let copied =
                format!("locations[location_index({instance}, instances, {location}u)] = {held};");
            match self.shape.layout {
                Layout::Parallel => self.line(copied),
                Layout::Single => self.line(format!("if lane == 0u {{ {copied} }}")),
            }
        }
    }
}
