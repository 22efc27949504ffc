//! Checks the distribution of the generated kernels: enough races, but not too many; every access kind, barrier class and
//! relation often enough; only valid WGSL.

use super::kernel::{AccessMode, Atomic, Class, Guard, Kernel, Part, Shape, Space, Step};
use super::model::{self, Relation};
use super::{generate, print};
use crate::support::naga_rejects;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::BTreeMap;

const KERNELS: u64 = 2_000;
/// The minimum frequency of each feature, in percent of kernels.
const SHARE: f64 = 5.0;

pub fn trial() -> Trial {
    Trial::test("random::generator_makes_every_access_barrier_and_relation", check)
}

fn check() -> Result<(), Failed> {
    let mut seen: BTreeMap<String, u32> = expected().into_iter().map(|name| (name, 0)).collect();
    let (mut judged, mut racy, mut wild) = (0, 0, 0);
    for seed in 0..KERNELS {
        let kernel = generate::kernel(seed);
        let print::PrintedKernel { wgsl: text, lines } = print::print(&kernel);
        if lines.contains(&0) {
            return Err(format!("kernel {seed}: a touch has no line\n{text}").into());
        }
        if let Some(error) = naga_rejects(&text) {
            return Err(format!("kernel {seed}: {error}\n{text}").into());
        }
        for feature in features(&kernel) {
            *seen.entry(feature).or_default() += 1;
        }
        if kernel.depends_on_data() {
            wild += 1;
            continue;
        }
        judged += 1;
        let verdict = model::judge(&kernel);
        racy += u32::from(!verdict.racy.is_empty());
        for relation in verdict.relations {
            *seen.entry(format!("relation {relation:?}")).or_default() += 1;
        }
    }
    let share = |count: u32| 100.0 * f64::from(count) / KERNELS as f64;
    let table: String =
        seen.iter().map(|(name, count)| format!("{:6.1} %  {name}\n", share(*count))).collect();
    let rare: Vec<&str> =
        seen.iter().filter(|(_, n)| share(**n) < SHARE).map(|(name, _)| name.as_str()).collect();
    if !rare.is_empty() {
        return Err(format!("in less than {SHARE} % of kernels: {rare:?}\n{table}").into());
    }
    let racy = 100.0 * f64::from(racy) / f64::from(judged);
    if !(30.0..=70.0).contains(&racy) {
        return Err(format!("{racy:.1} % of kernels race\n{table}").into());
    }
    if !(1.0..=20.0).contains(&share(wild)) {
        return Err(format!("{:.1} % of kernels depend on data", share(wild)).into());
    }
    Ok(())
}

fn expected() -> Vec<String> {
    let relations = [Relation::Same, Relation::Subgroup, Relation::Workgroup, Relation::Dispatch];
    let mut names: Vec<String> = relations.iter().map(|r| format!("relation {r:?}")).collect();
    names.extend(Class::ALL.iter().map(|class| format!("barrier {class:?}")));
    names.extend(
        [
            "scalar",
            "component",
            "column",
            "member",
            "item",
            "aggregate",
            "atomic load",
            "atomic store",
            "atomic update",
            "uniform load",
            "texture load",
            "texture store",
            "texture atomic",
            "through a pointer",
            "plain among atomics",
            "in a helper",
            "in a branch",
            "in a loop",
        ]
        .map(|name| format!("access {name}")),
    );
    names
}

fn features(kernel: &Kernel) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for step in kernel.steps() {
        match step {
            Step::Barrier(class) => found.push(format!("barrier {class:?}")),
            Step::UniformLoad(_) => found.push("access uniform load".into()),
            Step::Helper(_) => found.push("access in a helper".into()),
            Step::Guard(Guard::Data(_), _) => {}
            Step::Guard(..) => found.push("access in a branch".into()),
            Step::Repeat(..) => found.push("access in a loop".into()),
            Step::Touch(_) | Step::InGroup(..) => {}
        }
    }
    for touch in kernel.touches() {
        let name = match (touch.how, touch.memory.shape, touch.part) {
            (AccessMode::Atomic(_), Shape::AtomicTexel, _) => "texture atomic",
            (AccessMode::Read, Shape::Texel, _) => "texture load",
            (_, Shape::Texel, _) => "texture store",
            (AccessMode::Atomic(Atomic::Load), ..) => "atomic load",
            (AccessMode::Atomic(Atomic::Store), ..) => "atomic store",
            (AccessMode::Atomic(_), ..)
            | (_, Shape::AtomicU | Shape::AtomicI | Shape::AtomicTexel, _) => "atomic update",
            (_, Shape::Scalar, _) => "scalar",
            (_, _, Part::All) => "aggregate",
            (_, Shape::Vector | Shape::PaddedVector, _) => "component",
            (_, Shape::Matrix, Part::Inner(..)) => "component",
            (_, Shape::Matrix, _) => "column",
            (_, Shape::Nested, _) => "item",
            (_, Shape::Record, Part::ByLane) => "item",
            (_, Shape::Record, _) => "member",
        };
        found.push(format!("access {name}"));
        if touch.is_plain_access_of_atomic() {
            found.push("access plain among atomics".into());
        }
        if touch.through_pointer && touch.memory.space != Space::Texture {
            found.push("access through a pointer".into());
        }
    }
    found.sort();
    found.dedup();
    found
}
