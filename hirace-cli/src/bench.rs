//! `hirace bench`: how well `hirace` itself does, measured.

use crate::output::{Exit, Output};
use crate::progress::Bar;
use crate::stop;
use clap::{Args, Subcommand, ValueEnum};
use hirace_bench::detect::table::{Row, differences, tables, unanswered, unreached};
use hirace_bench::detect::{self, Input, Judged};
use hirace_bench::graph::published::{Large, SMALL};
use hirace_bench::graph::{Name, read};
use hirace_bench::pattern::{Data, Variant};
use hirace_bench::peers::{Peer, oclgrind};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::event::{Event, Listener, Unit};
use hirace_core::exec::{self, Executor, matches_pattern};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::Style;
use tabled::settings::object::{Columns, Object};
use tabled::settings::{Alignment, Modify};

/// Measure hirace on programs with known races
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Detect(DetectArgs),
}

/// Run the patterns of irregular programs on graphs, and count what was found
///
/// Each launch is judged by the exact full-history oracle. `missed` and `false alarms` count launches in
/// which the checker differs from it in any word (on a device, where the order of invocations decides which
/// words race: in whether there is a race); `wrong site` those with a race reported at places where
/// the planted bugs make none. The exit status is 1 if there is any of these.
#[derive(Debug, Args)]
struct DetectArgs {
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

/// Runs the verb.
pub fn run(args: &BenchArgs, output: &Output) -> ExitCode {
    let Verb::Detect(args) = &args.verb;
    match detected(args, output) {
        Ok(exit) => exit,
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::of(&diagnostic)
        }
    }
    .into()
}

fn detected(args: &DetectArgs, output: &Output) -> Result<Exit> {
    let inputs = inputs(args)?;
    let variants = variants(args)?;
    let executor: Box<dyn Executor + Sync> = exec::open(&args.device)?;
    let device = (args.device != exec::EMBEDDED).then_some(&*executor);
    let stop = stop::on_interrupt();
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
    let listener = Mutex::new(Bar::new(false));
    let emit =
        |event: &Event<'_>| listener.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    emit(&Event::WorkStarted { unit: Unit::Launch, count: chosen.len() });
    let judged = detect::run(&variants, &inputs, &chosen, &options, &|judged: &Judged| {
        let done = format!("{} on {}", judged.variant, inputs[judged.input].name);
        emit(&Event::WorkAdvanced { done: &done });
    });
    emit(&Event::WorkEnded);
    let judged = judged?;
    let tables = tables(&executor.device().to_string(), &peers, &inputs, &judged);
    let text = match args.format {
        Format::Text => text(&tables, &peers, &inputs, &judged, args.schedules),
        Format::Csv => csv(&tables.concat()),
        Format::Json => serde_json::to_string_pretty(&tables.concat()).unwrap_or_default() + "\n",
    };
    if let Err(exit) = output.print(&text) {
        return Ok(exit);
    }
    Ok(if stop.load(Ordering::Relaxed) {
        Exit::Failed
    } else if tables.first().is_none_or(|rows| rows.iter().all(Row::is_right)) {
        Exit::Clean
    } else {
        Exit::Findings
    })
}

fn peers(args: &DetectArgs) -> Result<Vec<Peer>> {
    let mut peers = Vec::new();
    if args.oclgrind {
        if !oclgrind::is_installed() {
            let error = Diagnostic::new("Oclgrind is not installed").of_device();
            return Err(Box::new(error.help("apt-get install oclgrind")));
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
    if let Some(large) = Large::find(name) {
        let graph = large.generate(seed).map_err(|error| wrong(&error))?;
        return Ok(Input { name: name.to_owned(), graph });
    }
    let path = Path::new(name);
    if !path.exists() {
        let name: Name = name.parse().map_err(|error| wrong(&error))?;
        return Input::generate(&name, seed).map_err(|error| wrong(&error));
    }
    let bytes =
        std::fs::read(path).map_err(|error| wrong(&format!("cannot read {name}: {error}")))?;
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

const COLUMNS: [&str; 8] =
    ["input", "kernels", "planted", "with race", "found", "missed", "false alarms", "wrong site"];

fn table(rows: &[Row]) -> Table {
    let mut table = Builder::new();
    table.push_record(COLUMNS);
    for row in rows {
        let Row { launches, planted, with_race, found, missed, false_alarms, wrong_site, .. } = row;
        let numbers = [launches, planted, with_race, found, missed, false_alarms, wrong_site];
        let numbers = numbers.into_iter().map(usize::to_string);
        table.push_record(std::iter::once(row.input.clone()).chain(numbers));
    }
    let mut table = table.build();
    let numbers = Columns::first().inverse();
    table.with(Style::markdown()).with(Modify::new(numbers).with(Alignment::right()));
    table
}

fn text(
    tables: &[Vec<Row>],
    peers: &[Peer],
    inputs: &[Input],
    judged: &[Judged],
    schedules: u32,
) -> String {
    let mut text = String::new();
    for rows in tables {
        let name = rows.first().map_or("", |row| &row.executor);
        let _ = writeln!(text, "{name}:\n\n{}\n", table(rows));
    }
    let by_schedule = judged.iter().filter(|judged| judged.by_schedule).count();
    let orders = match schedules {
        0 => "in the plain order".to_owned(),
        _ => format!("in the plain order and in {schedules} seeded schedules"),
    };
    if schedules > 0 {
        let _ = writeln!(text, "Launches with a race in a seeded schedule alone: {by_schedule}\n");
    }
    let unreached = unreached(inputs, judged);
    if !unreached.is_empty() {
        let _ = writeln!(text, "Races that were planted and do not happen {orders}, and why:\n");
    }
    for ((input, reason), count) in unreached {
        let _ = writeln!(text, "- {input}, {count} kernels: {reason}");
    }
    for (at, peer) in peers.iter().enumerate() {
        let differences = differences(judged, at);
        if !differences.is_empty() {
            let _ = writeln!(text, "\nWhat {} says otherwise:\n", peer.name());
        }
        for ((says, what), count) in differences {
            let _ = writeln!(text, "- {says}, {count} launches: {what}");
        }
        let unanswered = unanswered(judged, at);
        if !unanswered.is_empty() {
            let _ = writeln!(text, "\nWhy {} does not answer:\n", peer.name());
        }
        for (reason, count) in unanswered {
            let _ = writeln!(text, "- {count} launches: {reason}");
        }
    }
    for judged in judged {
        let Judged { variant, missed, false_alarms, wrong_sites, warnings, .. } = judged;
        let input = &inputs[judged.input].name;
        if missed + false_alarms > 0 {
            let wrong = format!("{missed} words missed, {false_alarms} false");
            let _ = writeln!(text, "\n{variant} on {input}: {wrong}");
        }
        for wrong in wrong_sites.iter().chain(warnings) {
            let _ = writeln!(text, "\n{variant} on {input}: {wrong}");
        }
    }
    text
}

fn csv(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory does not fail.
        let _ = writer.serialize(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
