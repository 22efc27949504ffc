//! Exports the table to other formats.

use crate::state::{Action, Relation, State, Sync};
use crate::table::{PACKED_WORDS, pack_table, step, transition};
use core::fmt::{Result, Write};

/// The header line of [`csv`].
pub const CSV_HEADER: &str = "state,action,sync,relation,next";

/// Writes the table as CSV: one line per transition, in the order of the table, with the published names.
pub fn csv(out: &mut impl Write) -> Result {
    writeln!(out, "{CSV_HEADER}")?;
    let mut index = 0;
    while let Some((state, action, sync, relation)) = transition(index) {
        let next = step(state, action, sync, relation);
        writeln!(out, "{state},{action},{sync},{relation},{next}")?;
        index += 1;
    }
    Ok(())
}

/// Writes the automaton as a Graphviz graph. Transitions between the same two states share an edge, which
/// lists their symbols as `action{syncs}{relations}`. Transitions that stay in a state are omitted, and so
/// are those to `RACE`, which are all the others.
pub fn dot(out: &mut impl Write) -> Result {
    writeln!(out, "digraph automaton {{")?;
    writeln!(out, "  rankdir=LR;\n  node [shape=box, fontname=monospace];")?;
    writeln!(out, "  edge [fontname=monospace, fontsize=9];")?;
    for state in State::ALL {
        writeln!(out, "  {state};")?;
        for next in State::ALL {
            if next != state && *next != State::Race {
                edge(out, *state, *next)?;
            }
        }
    }
    writeln!(out, "}}")
}

fn edge(out: &mut impl Write, state: State, next: State) -> Result {
    let leads = |action, sync, relation| step(state, action, sync, relation) == next;
    let mut open = false;
    for action in Action::ALL {
        for (i, sync) in Sync::ALL.iter().enumerate() {
            let row = |sync| Relation::ALL.iter().filter(move |r| leads(*action, sync, **r));
            // Syncs with the same relations are written together, at the first of them.
            let alike = |other: &&Sync| row(**other).eq(row(*sync));
            if row(*sync).next().is_none() || Sync::ALL[..i].iter().any(|s| alike(&s)) {
                continue;
            }
            out.write_str(if open { "\\n" } else { "" })?;
            if !open {
                write!(out, "  {state} -> {next} [label=\"")?;
                open = true;
            }
            write!(out, "{action}{{")?;
            Sync::ALL.iter().filter(alike).try_for_each(|s| out.write_str(s.name()))?;
            out.write_str("}{")?;
            row(*sync).try_for_each(|r| out.write_str(r.name()))?;
            out.write_str("}")?;
        }
    }
    if open { writeln!(out, "\"];") } else { Ok(()) }
}

/// Writes WGSL declarations: the ids of the states, actions, syncs and relations as constants, the packed
/// table, and a function that looks up a transition.
///
/// The table is a private variable, not a constant: some compilers copy a constant array at every look-up.
pub fn wgsl(out: &mut impl Write) -> Result {
    for state in State::ALL {
        writeln!(out, "const STATE_{state}: u32 = {}u;", state.id())?;
    }
    for action in Action::ALL {
        writeln!(out, "const ACTION_{action}: u32 = {}u;", action.id())?;
    }
    for sync in Sync::ALL {
        writeln!(out, "const SYNC_{sync}: u32 = {}u;", sync.id())?;
    }
    for relation in Relation::ALL {
        writeln!(out, "const RELATION_{relation}: u32 = {}u;", relation.id())?;
    }
    writeln!(out, "\n// A word for each state, action and sync; a byte of it for each relation.")?;
    write!(
        out,
        "var<private> transitions: array<u32, {PACKED_WORDS}> = array<u32, {PACKED_WORDS}>("
    )?;
    for (i, word) in pack_table().iter().enumerate() {
        out.write_str(if i % 8 == 0 { "\n    " } else { " " })?;
        write!(out, "{word:#010x}u,")?;
    }
    writeln!(out, "\n);\n")?;
    let (actions, syncs) = (Action::COUNT, Sync::COUNT);
    writeln!(out, "fn next_state(state: u32, action: u32, sync: u32, relation: u32) -> u32 {{")?;
    writeln!(out, "    let word = (state * {actions}u + action) * {syncs}u + sync;")?;
    writeln!(out, "    return (transitions[word] >> (8u * relation)) & 0xffu;")?;
    writeln!(out, "}}")
}
