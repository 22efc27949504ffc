//! `hirace fsm`: prints the race automaton and checks its proof.

use clap::{Args, Subcommand, ValueEnum};
use fsm_spec::grid::Grid;
use fsm_spec::proof::{Proof, prove};
use fsm_spec::{TABLE, TRANSITIONS, export};
use hirace_terminal::{Exit, Output};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Print the race automaton, or prove that it is exact
#[derive(Debug, Args)]
pub struct FsmArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print the transition table
    Table {
        /// Choose the output format
        #[arg(long, value_enum, default_value = "csv")]
        format: Format,
    },
    /// Search traces of any length for a false positive or a missed race
    Prove {
        /// Choose the invocations to search with (repeatable): sizes of subgroups, with `,` between subgroups and `/`
        /// between workgroups
        #[arg(long = "grid", value_name = "GRID", default_values = ["2,1/1", "2,1/2,1"])]
        grids: Vec<Grid>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// CSV, with one transition per line
    Csv,
    /// A Graphviz graph
    Dot,
    /// WGSL declarations for a shader
    Wgsl,
}

/// Runs the verb. The exit status is 0 if the automaton was printed or proved exact, 1 if it is not exact, and 3 if the
/// output cannot be written.
pub fn run(args: FsmArgs, output: &Output) -> ExitCode {
    let exit = match args.verb {
        Verb::Table { format } => output.print(&table(format)).map(|()| Exit::Clean),
        Verb::Prove { grids } => proved(&grids, output),
    };
    exit.unwrap_or_else(|failed| failed).into()
}

fn proved(grids: &[Grid], output: &Output) -> Result<Exit, Exit> {
    let mut exact = true;
    for grid in grids {
        let proof = prove(&TABLE, grid);
        exact &= proof.exact();
        output.print(&summary(grid, &proof))?;
    }
    Ok(if exact { Exit::Clean } else { Exit::Findings })
}

fn table(format: Format) -> String {
    let mut text = String::new();
    let written = match format {
        Format::Csv => export::csv(&mut text),
        Format::Dot => export::dot(&mut text),
        Format::Wgsl => export::wgsl(&mut text),
    };
    debug_assert!(written.is_ok(), "writing to a String never fails");
    text
}

fn summary(grid: &Grid, proof: &Proof) -> String {
    let verdict = if proof.exact() { "exact" } else { "not exact" };
    let mut text = format!(
        "grid {grid}: {TRANSITIONS} transitions, {} product states, {} false positives, {} missed: {verdict}\n",
        proof.states, proof.false_alarms, proof.missed,
    );
    if let Some(trace) = &proof.counterexample {
        let steps: Vec<_> = trace.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  shortest counterexample: {}", steps.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    #[test]
    fn the_wgsl_table_is_valid() {
        let module = naga::front::wgsl::parse_str(&table(Format::Wgsl)).expect("it parses");
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(&module).expect("it is valid");
        assert!(module.functions.iter().any(|(_, f)| f.name.as_deref() == Some("next_state")));
    }

    #[test]
    fn a_proof_is_summed_up_in_a_line() {
        let grid: Grid = "1/1".parse().expect("a grid");
        assert_eq!(
            summary(&grid, &prove(&TABLE, &grid)),
            "grid 1/1: 1200 transitions, 741 product states, 0 false positives, 0 missed: exact\n"
        );
    }

    #[test]
    fn a_wrong_table_is_shown_wrong_by_a_trace() {
        let grid: Grid = "1/1".parse().expect("a grid");
        let never_races = [0; TRANSITIONS];
        let text = summary(&grid, &prove(&never_races, &grid));
        assert!(text.contains(" 0 false positives"), "{text}");
        assert!(text.ends_with("not exact\n  shortest counterexample: R(t0); W(t1)\n"), "{text}");
    }
}
