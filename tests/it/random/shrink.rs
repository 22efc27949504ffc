//! Shrinks a failing kernel: removes steps while it still fails.

use super::kernel::{Grid, Index, Kernel, Part, Step, Touch};

/// Returns the smallest kernel that can be reached from `kernel` by single simplifications, all of which fail.
pub fn shrink(kernel: Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut smallest = kernel;
    while let Some(smaller) = simpler(&smallest).into_iter().find(|kernel| fails(kernel)) {
        smallest = smaller;
    }
    smallest
}

/// Returns every kernel that is one simplification away, the largest simplification first.
fn simpler(kernel: &Kernel) -> Vec<Kernel> {
    let bodies = simpler_steps(&kernel.body);
    let mut found: Vec<Kernel> =
        bodies.into_iter().map(|body| Kernel { grid: kernel.grid, body }).collect();
    let Grid { workgroups, workgroup_size, subgroup_size } = kernel.grid;
    if workgroups > 1 {
        let grid = Grid { workgroups: workgroups - 1, ..kernel.grid };
        found.push(Kernel { grid, ..kernel.clone() });
    }
    if workgroup_size > 2 {
        let workgroup_size = workgroup_size / 2;
        let grid = Grid {
            workgroup_size,
            subgroup_size: subgroup_size.min(1 << workgroup_size.ilog2()),
            ..kernel.grid
        };
        found.push(Kernel { grid, ..kernel.clone() });
    }
    found
}

fn simpler_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    for i in 0..steps.len() {
        found.push(replaced(steps, i, Vec::new()));
        match &steps[i] {
            Step::InGroup(_, inner) => {
                found.push(replaced(steps, i, inner.clone()));
            }
            Step::Repeat(times, inner) => {
                found.push(replaced(steps, i, inner.clone()));
                if *times > 1 {
                    found.push(replaced(steps, i, vec![Step::Repeat(times - 1, inner.clone())]));
                }
            }
            Step::Guard(_, touches) | Step::Helper(touches) => {
                found.push(replaced(steps, i, touches.iter().copied().map(Step::Touch).collect()));
            }
            Step::Touch(_) | Step::Barrier(_) | Step::UniformLoad(_) => {}
        }
    }
    for (i, step) in steps.iter().enumerate() {
        found.extend(simpler_step(step).into_iter().map(|step| replaced(steps, i, vec![step])));
    }
    found
}

fn simpler_step(step: &Step) -> Vec<Step> {
    match step {
        Step::InGroup(group, inner) => {
            simpler_steps(inner).into_iter().map(|inner| Step::InGroup(*group, inner)).collect()
        }
        Step::Repeat(times, inner) => {
            simpler_steps(inner).into_iter().map(|inner| Step::Repeat(*times, inner)).collect()
        }
        Step::Guard(guard, touches) => {
            simpler_touches(touches).into_iter().map(|t| Step::Guard(*guard, t)).collect()
        }
        Step::Helper(touches) => simpler_touches(touches).into_iter().map(Step::Helper).collect(),
        Step::Touch(touch) => simpler_touch(*touch).into_iter().map(Step::Touch).collect(),
        Step::Barrier(_) | Step::UniformLoad(_) => Vec::new(),
    }
}

fn simpler_touches(touches: &[Touch]) -> Vec<Vec<Touch>> {
    let mut found = Vec::new();
    for i in 0..touches.len() {
        if touches.len() > 1 {
            let mut fewer = touches.to_vec();
            fewer.remove(i);
            found.push(fewer);
        }
        for touch in simpler_touch(touches[i]) {
            let mut changed = touches.to_vec();
            changed[i] = touch;
            found.push(changed);
        }
    }
    found
}

fn simpler_touch(touch: Touch) -> Vec<Touch> {
    let mut found = Vec::new();
    if touch.through_pointer {
        found.push(Touch { through_pointer: false, ..touch });
    }
    if touch.part != Part::All {
        found.push(Touch { part: Part::All, ..touch });
    }
    if !matches!(touch.index, Index::Constant(_)) {
        found.push(Touch { index: Index::Constant(0), ..touch });
    }
    found
}

fn replaced(steps: &[Step], at: usize, with: Vec<Step>) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps.splice(at..=at, with);
    steps
}
