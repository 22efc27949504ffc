//! `hirace-bench detect`: which launches to run, from arguments; their judging is the library's.

use crate::{oclgrind_is_missing, print, progress};
use clap::{Args, ValueEnum};
use hirace_bench::detect::table::{Row, tables};
use hirace_bench::detect::{self, Input, Judged};
use hirace_bench::graph::published::{Large, SMALL};
use hirace_bench::graph::read;
use hirace_bench::pattern::{Data, Variant};
use hirace_bench::peers::{Peer, oclgrind};
use hirace_core::bounded::Limit;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::{self, Executor, matches_pattern};
use hirace_terminal::{Exit, stop};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Of a file with a graph: the largest that are published have somewhat less.
const GRAPH: Limit = Limit { name: "graph limit", bytes: 2 << 30 };

/// Run the patterns of irregular programs on graphs, and count what was found
///
/// Each launch is judged by the exact full-history oracle. `missed` and `false alarms` count launches in
/// which the checker differs from it in any word (on a device, where the order of invocations decides which
/// words race: in whether there is a race); `wrong site` those with a race reported at places where
/// the planted bugs make none. The exit status is 1 if there is any of these.
#[derive(Debug, Args)]
pub struct DetectArgs {
    /// A graph: a name like counterDAG_200n_1000e or rmat16.sym, or a file in .mtx, .gr or .egr or a list
    /// of edges (repeatable) [default: the six of the published table]
    #[arg(long, value_name = "NAME or FILE")]
    graph: Vec<String>,
    /// Only kernels of this name, in which `*` stands for anything (repeatable): push_block_*Bug*
    #[arg(long, value_name = "PATTERN")]
    kernel: Vec<String>,
    /// What the values are
    #[arg(long, value_enum, default_value = "i32")]
    data: Type,
    /// Only so many launches, evenly chosen
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// What launches run on, as `hirace devices` shows it; the oracle runs on the embedded executor
    #[arg(long, value_name = "DEVICE", default_value = exec::EMBEDDED)]
    device: String,
    /// The seed of graphs and values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Run up to this many seeded schedules beside the plain order, until a race is found
    #[arg(long, value_name = "N", default_value_t = 0)]
    schedules: u32,
    /// Ask Oclgrind too, on the kernels that OpenCL C has words for (half a second a launch)
    #[arg(long)]
    oclgrind: bool,
    /// Ask `detectRaces` of the npm package wgsl_reflect too, which is installed in this folder
    #[arg(long, value_name = "FOLDER")]
    wgsl_reflect: Option<PathBuf>,
    /// How to print the table
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Type {
    I32,
    U32,
    F32,
    /// All of them
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table, and what is to be said of it
    Text,
    /// The rows alone
    Csv,
    /// The rows, as JSON
    Json,
}

/// Runs the launches; what to print, and the exit status.
pub fn run(args: &DetectArgs) -> Result<(String, Exit)> {
    let inputs = inputs(args)?;
    let variants = variants(args)?;
    let executor: Box<dyn Executor + Sync> = exec::open(&args.device)?;
    let device = (args.device != exec::EMBEDDED).then_some(&*executor);
    let stop = stop::on_signal();
    let peers = peers(args)?;
    let options = detect::Options {
        device,
        seed: args.seed,
        schedules: args.schedules,
        peers: &peers,
        stop: Some(&stop),
    };
    let all = variants.len() * inputs.len();
    let chosen = detect::Sample::new(all, args.sample.unwrap_or(all));
    let bar = progress(chosen.len());
    let judged = detect::run(&variants, &inputs, &chosen, &options, &|judged: &Judged| {
        bar.set_message(format!("{} on {}", judged.variant, inputs[judged.input].name));
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    let tables = tables(&executor.device().to_string(), &peers, &inputs, &judged);
    let text = match args.format {
        Format::Text => print::text(&tables, &peers, &inputs, &judged, args.schedules),
        Format::Csv => print::csv(&tables.concat()),
        Format::Json => serde_json::to_string_pretty(&tables.concat()).unwrap_or_default() + "\n",
    };
    let exit = if stop.load(Ordering::Relaxed) {
        Exit::Failed
    } else if tables.first().is_none_or(|rows| rows.iter().all(Row::is_right)) {
        Exit::Clean
    } else {
        Exit::Findings
    };
    Ok((text, exit))
}

fn peers(args: &DetectArgs) -> Result<Vec<Peer>> {
    let mut peers = Vec::new();
    if args.oclgrind {
        if !oclgrind::is_installed() {
            return Err(oclgrind_is_missing());
        }
        peers.push(Peer::Oclgrind);
    }
    if let Some(folder) = &args.wgsl_reflect {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        if !folder.join("wgsl_reflect.module.js").exists() {
            let error = Diagnostic::new(format!("{} is not the package", folder.display()));
            return Err(Box::new(
                error.help("npm install wgsl_reflect, and give node_modules/wgsl_reflect here"),
            ));
        }
        peers.push(Peer::WgslReflect(folder));
    }
    Ok(peers)
}

fn inputs(args: &DetectArgs) -> Result<Vec<Input>> {
    if args.graph.is_empty() {
        return SMALL.iter().map(|name| input(name, args.seed)).collect();
    }
    args.graph.iter().map(|name| input(name, args.seed)).collect()
}

/// The graph that a name means, or the one in a file.
fn input(name: &str, seed: u64) -> Result<Input> {
    let wrong = |error: &dyn std::fmt::Display| Box::new(Diagnostic::new(error.to_string()));
    let path = Path::new(name);
    if Large::find(name).is_some() || !path.exists() {
        return Input::of(name, seed).map_err(|error| wrong(&error));
    }
    let bytes = GRAPH.file(path).map_err(|error| wrong(&format!("cannot read {name}: {error}")))?;
    let graph = read::read(path, &bytes).map_err(|error| wrong(&format!("{name}: {error}")))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Input { name: stem.into_owned(), graph })
}

fn variants(args: &DetectArgs) -> Result<Vec<Variant>> {
    let data = match args.data {
        Type::I32 => vec![Data::I32],
        Type::U32 => vec![Data::U32],
        Type::F32 => vec![Data::F32],
        Type::All => Data::ALL.to_vec(),
    };
    let wanted = |variant: &Variant| {
        let name = variant.to_string();
        args.kernel.is_empty() || args.kernel.iter().any(|pattern| matches_pattern(pattern, &name))
    };
    let variants: Vec<Variant> =
        data.into_iter().flat_map(Variant::all).filter(|variant| wanted(variant)).collect();
    if variants.is_empty() {
        let error = Diagnostic::new("no kernel has such a name and such values");
        return Err(Box::new(error.help(
            "names are like push_block_persistent_cond_atomicBug_i32; `*` stands for anything",
        )));
    }
    Ok(variants)
}
