//! The command `hirace-bench detect`: selects the launches to run; the library evaluates them.

use crate::{oclgrind_is_missing, print, progress};
use clap::{Args, ValueEnum};
use hirace_bench::detect::table::{Row, tables};
use hirace_bench::detect::{self, CaseResult, Input};
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

/// The size limit of a graph file: the largest published graphs are somewhat smaller.
const GRAPH: Limit = Limit { name: "graph limit", bytes: 2 << 30 };

/// Run the patterns of irregular programs on graphs, and count the races that are found
///
/// Each launch is evaluated by the exact full-history oracle. `missed` and `false positives` count launches in which the
/// checker differs from the oracle in any word (on a device, where the order of invocations decides which words race:
/// in whether there is a race). `wrong site` counts launches with a race reported at locations at which the planted
/// bugs cause none. The exit status is 1 if any of these counts is not 0.
#[derive(Debug, Args)]
pub struct DetectArgs {
    /// Use this graph: a name such as counterDAG_200n_1000e or rmat16.sym, or a file in .mtx, .gr or .egr format or a
    /// list of edges (repeatable) [default: the six of the published table]
    #[arg(long, value_name = "NAME or FILE")]
    graph: Vec<String>,
    /// Run only kernels of this name, in which `*` matches any text (repeatable): push_block_*Bug*
    #[arg(long, value_name = "PATTERN")]
    kernel: Vec<String>,
    /// Type of the values
    #[arg(long, value_enum, default_value = "i32")]
    data: Type,
    /// Run only N launches, evenly spread
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Device to run launches on, as shown by `hirace devices`; the oracle runs on the embedded executor
    #[arg(long, value_name = "DEVICE", default_value = exec::EMBEDDED)]
    device: String,
    /// Seed of graphs and values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Run up to N seeded schedules in addition to the default order, until a race is found
    #[arg(long, value_name = "N", default_value_t = 0)]
    schedules: u32,
    /// Also run Oclgrind, on kernels that can be expressed in OpenCL C (half a second per launch)
    #[arg(long)]
    oclgrind: bool,
    /// Also run `detectRaces` of the npm package wgsl_reflect, which is installed in FOLDER
    #[arg(long, value_name = "FOLDER")]
    wgsl_reflect: Option<PathBuf>,
    /// Format of the table
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Type {
    I32,
    U32,
    F32,
    /// All types
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table with explanations
    Text,
    /// Only the rows
    Csv,
    /// The rows as JSON
    Json,
}

/// Runs the launches. Returns the text to print and the exit status.
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
    let judged = detect::run(&variants, &inputs, &chosen, &options, &|judged: &CaseResult| {
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
            let error =
                Diagnostic::new(format!("{} is not the package wgsl_reflect", folder.display()));
            return Err(Box::new(
                error.help("run `npm install wgsl_reflect`, and pass node_modules/wgsl_reflect"),
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

/// Returns the graph of a name, or of a file.
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
        let error = Diagnostic::new("no kernel matches the name and the type of values");
        return Err(Box::new(error.help(
            "names are like push_block_persistent_cond_atomicBug_i32; `*` matches any text",
        )));
    }
    Ok(variants)
}
