//! Runs published programs and libraries on wgpu, either under a plain instance or under hirace's.

#![cfg_attr(
    not(all(feature = "burn", feature = "lampshade", feature = "vello")),
    allow(dead_code, reason = "some programs need more of the harness than others")
)]

mod boids;
#[cfg(feature = "burn")]
mod burn;
#[cfg(feature = "gizmo")]
mod gizmo_fluid;
mod gpu;
mod hello_compute;
#[cfg(feature = "lampshade")]
mod lampshade;
#[cfg(feature = "lampshade")]
mod lampshade_pipeline;
mod particular;
mod plant;
mod run;
#[cfg(feature = "vello")]
mod vello;
mod wgpu_sort;

use plant::Plant;
use run::{Make, Outcome};
use std::fs;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

struct Program {
    name: &'static str,
    of: &'static str,
    run: fn(Make<'_>, Option<&'static Plant>) -> Outcome,
    plant: Option<&'static Plant>,
}

#[rustfmt::skip]
static PROGRAMS: &[Program] = &[
    #[cfg(feature = "vello")]
    Program { name: "vello", of: "vello 0.11.0", run: vello::run, plant: Some(&vello::NO_BARRIER) },
    #[cfg(feature = "burn")]
    Program { name: "burn", of: "burn-tensor 0.23.0-pre.1 on cubecl-wgpu 0.12.0-pre.1", run: burn::run, plant: None },
    #[cfg(feature = "lampshade")]
    Program { name: "lampshade", of: "lampshade 0.8.0", run: lampshade::run, plant: Some(&lampshade::NO_ATOMIC) },
    #[cfg(feature = "lampshade")]
    Program { name: "lampshade-pipeline", of: "lampshade 0.8.0", run: lampshade_pipeline::run, plant: None },
    #[cfg(feature = "gizmo")]
    Program { name: "gizmo-fluid", of: "gizmo-renderer 0.10.0", run: gizmo_fluid::run, plant: None },
    Program { name: "wgpu-sort", of: "wgpu_sort 0.1.0, ported", run: wgpu_sort::run, plant: Some(&wgpu_sort::NO_BARRIER) },
    Program { name: "wgpu-sort-ragged", of: "wgpu_sort 0.1.0, ported", run: wgpu_sort::run_ragged, plant: None },
    Program { name: "particular", of: "particular 0.7.0, ported", run: particular::run, plant: Some(&particular::NO_BARRIER) },
    Program { name: "particular-ragged", of: "particular 0.7.0, ported", run: particular::run_ragged, plant: None },
    Program { name: "boids", of: "an example of wgpu's, ported", run: boids::run, plant: Some(&boids::IN_PLACE) },
    Program { name: "hello-compute", of: "an example of wgpu's, ported", run: hello_compute::run, plant: None },
];

const USAGE: &str = "\
applications list
applications run NAME [--plain] [--plant] [--outputs=FILE]
applications compare [NAME]...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, words): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|word| word.starts_with("--"));
    let done = match *words {
        ["list"] if flags.is_empty() => {
            list();
            Ok(true)
        }
        ["run", name] => run(name, &flags),
        ["compare", ref names @ ..] if flags.is_empty() => compare(names),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn list() {
    for Program { name, of, plant, .. } in PROGRAMS {
        let plant = plant.map_or(String::new(), |plant| format!("; --plant: {}", plant.what));
        println!("{name}: {of}{plant}");
    }
}

fn plain(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    wgpu::Instance::new(descriptor)
}

fn program(name: &str) -> Result<&'static Program, String> {
    let found = PROGRAMS.iter().find(|program| program.name == name);
    found.ok_or_else(|| format!("unknown program {name}; `applications list` prints all"))
}

fn run(name: &str, flags: &[&str]) -> Result<bool, String> {
    let program = program(name)?;
    let (files, flags): (Vec<&str>, Vec<&str>) =
        flags.iter().partition(|flag| flag.starts_with("--outputs="));
    if let Some(flag) = flags.iter().find(|flag| !["--plain", "--plant"].contains(flag)) {
        return Err(format!("unknown flag {flag}\n{USAGE}"));
    }
    let make: Make<'_> = if flags.contains(&"--plain") { &plain } else { &hirace_wgpu::instance };
    let plant = if flags.contains(&"--plant") {
        Some(program.plant.ok_or_else(|| format!("{name} has no planted race"))?)
    } else {
        None
    };
    let outcome = (program.run)(make, plant);
    if plant.is_some_and(|plant| !plant.done.load(Ordering::Relaxed)) {
        return Err(format!("{name} did not create the shader in which the race is planted"));
    }
    for file in files.iter().filter_map(|flag| flag.strip_prefix("--outputs=")) {
        fs::write(file, &outcome.outputs).map_err(|error| format!("{file}: {error}"))?;
    }
    print(name, &outcome);
    Ok(true)
}

fn print(name: &str, outcome: &Outcome) {
    println!(
        r#"{{"name":{name:?},"adapter":{:?},"first_ms":{:.1},"warm_ms":{:.1},"bytes":{},"digest":"{:016x}","repeats":{}}}"#,
        outcome.adapter,
        outcome.first.as_secs_f64() * 1e3,
        outcome.median().as_secs_f64() * 1e3,
        outcome.outputs.len(),
        outcome.digest(),
        outcome.repeats,
    );
}

/// Compares the outputs under both instances, and returns whether they are the same for all programs whose outputs are
/// deterministic.
fn compare(names: &[&str]) -> Result<bool, String> {
    let named: Vec<&Program> = match names {
        [] => PROGRAMS.iter().collect(),
        names => names.iter().map(|name| program(name)).collect::<Result<_, _>>()?,
    };
    let mut all = true;
    for Program { name, run, .. } in named {
        let one = run(&plain, None);
        let two = run(&hirace_wgpu::instance, None);
        let ms = |outcome: &Outcome| {
            let [first, warm] = [outcome.first, outcome.median()].map(|it| it.as_secs_f64() * 1e3);
            format!("first {first:.0} ms, warm {warm:.1} ms")
        };
        let words = if one.outputs == two.outputs {
            "equal"
        } else if one.repeats && two.repeats {
            all = false;
            "DIFFERENT"
        } else {
            "not comparable: runs under one instance differ"
        };
        println!(
            "{name}: {words}; {} bytes; plain: {}; wrapped: {}",
            one.outputs.len(),
            ms(&one),
            ms(&two)
        );
    }
    Ok(all)
}
