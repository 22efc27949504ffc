//! Measures the time per execution: `cargo run --release -p hirace-mc --example executions`.

#[path = "../tests/it/classics.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod classics;
#[path = "../tests/it/script.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod script;

use hirace_mc::explore::{Options, Reductions, explore};
use hirace_mc::model::Model;
use script::Script;
use std::time::Instant;

fn measure(name: &str, script: &Script, model: Model, reductions: Reductions) {
    for threads in [1, 0] {
        let mut options = Options::new(model);
        options.threads = threads;
        options.reductions = reductions;
        let before = Instant::now();
        let explored = explore(script, &options, None);
        let seconds = before.elapsed().as_secs_f64();
        println!(
            "{name:24} {model:?}, {}: {} executions, {} blocked, {} abandoned, {seconds:.3} s, {:.2} µs each",
            if threads == 1 { "one thread" } else { "all threads" },
            explored.executions,
            explored.blocked,
            explored.abandoned,
            seconds * 1e6 / explored.executions as f64,
        );
    }
}

fn main() {
    for n in [12, 14, 16, 18] {
        for model in [Model::ScopedRc11, Model::Wgsl] {
            measure(&format!("LB-{n}"), &classics::load_buffering(n), model, Reductions::NONE);
            measure(&format!("SB-{n}"), &classics::store_buffering(n), model, Reductions::NONE);
        }
    }
    for model in [Model::ScopedRc11, Model::Wgsl] {
        let adds = Script::new(vec![vec![classics::add(0, 0, 1, classics::RELAXED)]; 8]);
        measure("8 additions", &adds, model, Reductions::NONE);
    }
    let awaiting = Reductions { awaiting: true, ..Reductions::NONE };
    for (name, reductions) in [("without symmetry", awaiting), ("", Reductions::ALL)] {
        for n in [7, 8] {
            let (cas, ticket) = (classics::cas_lock, classics::ticket_lock);
            let (acquire, release) = (classics::ACQUIRE, classics::RELEASE);
            measure(
                &format!("CAS lock {n} {name}"),
                &cas(n, acquire, release),
                Model::ScopedRc11,
                reductions,
            );
            measure(
                &format!("ticket lock {n} {name}"),
                &ticket(n, acquire, release),
                Model::ScopedRc11,
                reductions,
            );
        }
    }
}
