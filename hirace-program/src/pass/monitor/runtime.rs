//! The runtime of the monitor: the WGSL constants, variables and functions that an instrumented module contains.

use super::unchanged_states::{ACCESSOR_SETS, STATE_XOR};
use super::words::{Words, buffer, in_layout};
use crate::ir::memory::Space;
use crate::shadow::fields::Width;
use crate::shadow::plan::{Plan, Purpose, ShadowLocation, Table, class_name, layout_name};
use crate::shadow::{log, record, tally, trail};
use fsm_spec::{Action, Relation, State, Sync};
use std::fmt::Write;

const AUTOMATON: &str = include_str!("runtime/automaton.wgsl");
const TRANSITION_FROM_TABLE: &str = include_str!("runtime/transition_from_table.wgsl");
const COMPUTED_TRANSITION: &str = include_str!("runtime/computed_transition.wgsl");
const LAYOUT: &str = include_str!("runtime/layout.wgsl");
const IS_UNCHANGED: &str = include_str!("runtime/is_unchanged.wgsl");
const ADVANCE_CLOCK: &str = include_str!("runtime/advance_clock.wgsl");
const STAMP: &str = include_str!("runtime/stamp.wgsl");
const BARRIER: &str = include_str!("runtime/barrier.wgsl");
const SUBGROUP_BARRIER: &str = include_str!("runtime/subgroup_barrier.wgsl");
const STORAGE: &str = include_str!("runtime/storage.wgsl");
const TEXTURE: &str = include_str!("runtime/texture.wgsl");
const WORKGROUP: &str = include_str!("runtime/workgroup.wgsl");
const SLOT: &str = include_str!("runtime/slot.wgsl");
const ASSIGNED_SLOT: &str = include_str!("runtime/assigned_slot.wgsl");
const ACQUIRE_SLOT: &str = include_str!("runtime/acquire_slot.wgsl");
const ADD_TO_TALLY: &str = include_str!("runtime/add_to_tally.wgsl");
const RECORD_ERRORS: &str = include_str!("runtime/record_errors.wgsl");
const FLAG_ERRORS: &str = include_str!("runtime/flag_errors.wgsl");
const DEFERRED: &str = include_str!("runtime/deferred.wgsl");
const REACHED_SITES: &str = include_str!("runtime/reached_sites.wgsl");
const TRAIL: &str = include_str!("runtime/trail.wgsl");
const EVENT: &str = include_str!("runtime/event.wgsl");
const EPOCH: &str = include_str!("runtime/epoch.wgsl");
const SUBGROUP_EPOCH: &str = include_str!("runtime/subgroup_epoch.wgsl");

/// The suffix of lines that are only needed for the tally.
const FOR_TALLY: &str = " // tally";

/// The suffix of lines that record something immediately.
const IMMEDIATE: &str = " // immediate";

/// The suffix of lines that defer recording to the end of the invocation.
const DEFERRED_TO_END: &str = " // deferred";

/// Iterates over the address spaces with watched memory.
pub fn classes(plan: &Plan) -> impl Iterator<Item = Space> + '_ {
    let all = [Space::Storage, Space::Texture, Space::Workgroup];
    all.into_iter().filter(|&space| plan.watches(space))
}

/// Returns the runtime as WGSL.
pub fn text(plan: &Plan) -> String {
    let mut text = String::new();
    if !plan.has_runtime() {
        return text;
    }
    constants(&mut text);
    variables(&mut text, plan);
    match plan.purpose {
        Purpose::Record => text.push_str(EVENT),
        Purpose::Detect if plan.watched.is_empty() => {}
        Purpose::Detect => {
            transition(&mut text, plan.table);
            text.push_str(AUTOMATON);
            unchanged_states(&mut text, plan.table);
        }
    }
    if let Some(sites) = plan.tally {
        text.push_str(ADD_TO_TALLY);
        text.push_str(if plan.defers_records { FLAG_ERRORS } else { RECORD_ERRORS });
        reached_sites(&mut text, tally::bits(sites));
    }
    if plan.trails {
        text.push_str(TRAIL);
    }
    for (name, width, needs) in plan.layouts() {
        for (field, needed) in needs.fields() {
            let declaration = if needed { "override" } else { "const" };
            let value = if needed { "" } else { " = 0u" };
            line(&mut text, format_args!("{declaration} hirace_{name}_{field}: u32{value};"));
        }
        for part in [LAYOUT, IS_UNCHANGED, if needs.clocks() { ADVANCE_CLOCK } else { "" }] {
            text.push_str(&in_layout(part, name, width));
        }
    }
    for words in Words::all(plan) {
        text.push_str(&words.text(plan));
    }
    for space in classes(plan) {
        class(&mut text, plan, space);
    }
    for (needed, access) in [
        (plan.watches(Space::Storage), STORAGE),
        (plan.watches(Space::Texture), TEXTURE),
        (plan.workgroup_words > 0, WORKGROUP),
        (plan.has_slots(), SLOT),
        (plan.shared_slots, ASSIGNED_SLOT),
    ] {
        text.push_str(if needed { access } else { "" });
    }
    if plan.shared_slots && plan.purpose == Purpose::Detect {
        text.push_str(&ACQUIRE_SLOT.replace("CLEAR", &clear(plan)));
    }
    if plan.defers_records {
        text.push_str(&DEFERRED.replace("SCAN", &scan(plan)));
    }
    enter(&mut text, plan);
    let not_for_tally = if plan.tally.is_none() { FOR_TALLY } else { "\n" };
    let other_time = if plan.defers_records { IMMEDIATE } else { DEFERRED_TO_END };
    let is_omitted = |line: &&str| line.ends_with(not_for_tally) || line.ends_with(other_time);
    let lines = text.lines().filter(|line| !is_omitted(line));
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    // The names of bases in the plan already contain the prefix.
    text = text.replace("hirace_", &format!("{}_", plan.prefix));
    text = text.replace("HIRACE_", &format!("{}_", plan.prefix.to_uppercase()));
    for (index, watched) in plan.watched.iter().enumerate() {
        if let ShadowLocation::Storage(base) = &watched.place {
            text = text.replace(&format!("BASE_{index}_"), base);
            line(&mut text, format_args!("override {base}: u32;"));
        }
    }
    text
}

/// Writes the variables and functions that count barriers for memory of this kind.
fn class(text: &mut String, plan: &Plan, space: Space) {
    let Some((width, needs)) = plan.layout(space) else { return };
    let sweep = if needs.clocks() { sweep(plan, space) } else { String::new() };
    let parts = match (plan.purpose, needs.barriers) {
        (Purpose::Record, _) => [EPOCH, "", "", SUBGROUP_EPOCH],
        (Purpose::Detect, true) => [STAMP, &sweep, BARRIER, SUBGROUP_BARRIER],
        (Purpose::Detect, false) => [STAMP, &sweep, "", SUBGROUP_BARRIER],
    };
    for part in &parts[..if needs.subgroup_barriers { 4 } else { 3 }] {
        let part = part.replace("CLASS", class_name(space));
        text.push_str(&in_layout(&part, layout_name(space), width));
    }
}

/// Returns the code that clears this invocation's part of its workgroup's slot.
fn clear(plan: &Plan) -> String {
    let mut text = String::new();
    for (first, count) in slots(plan) {
        line(
            &mut text,
            format_args!("    for (var i = local_index; i < {count}; i += workgroup_size) {{"),
        );
        line(&mut text, format_args!("        hirace_iterations += 1u;{FOR_TALLY}"));
        line(&mut text, format_args!("        hirace_slot_clear({first} + i);"));
        line(&mut text, format_args!("    }}"));
    }
    text
}

/// Returns the code that logs the racy words of workgroup memory after all invocations of the workgroup have finished.
fn scan(plan: &Plan) -> String {
    let mut text = String::new();
    if plan.workgroup_words > 0 {
        line(&mut text, format_args!("    workgroupBarrier();"));
    }
    for watched in &plan.watched {
        let ShadowLocation::Workgroup(first) = watched.place else { continue };
        let count = watched.granules.unwrap_or(0);
        let start = "var i = hirace_local_index";
        let step = "i += hirace_workgroup_size";
        line(&mut text, format_args!("    for ({start}; i < {count}u; {step}) {{"));
        line(&mut text, format_args!("        hirace_iterations += 1u;{FOR_TALLY}"));
        let word = format!("atomicLoad(&hirace_workgroup_shadow[{first}u + i])");
        line(&mut text, format_args!("        let word = {word};"));
        line(&mut text, format_args!("        if hirace_workgroup_is_racy(word) {{"));
        line(
            &mut text,
            format_args!("            hirace_report(i, word >> 5u);\n        }}\n    }}"),
        );
    }
    text
}

/// Returns WGSL expressions for the first shadow word and the number of words of each workgroup variable whose shadow is in
/// storage. They refer to the slot of this workgroup. The number is 0 if the variable is not watched or there is no slot.
fn slots(plan: &Plan) -> Vec<(String, String)> {
    let watched = plan.watched.iter().enumerate();
    let slots = watched.filter(|(_, watched)| {
        watched.space == Space::Workgroup && matches!(watched.place, ShadowLocation::Storage(_))
    });
    let slots = slots.map(|(index, watched)| {
        let granules = format!("{}u", watched.granules.unwrap_or(0));
        let none = format!("BASE_{index}_ == HIRACE_NONE || hirace_slot == HIRACE_NONE");
        let first = format!("BASE_{index}_ + hirace_slot * {granules}");
        (first, format!("select({granules}, 0u, {none})"))
    });
    slots.collect()
}

/// Returns the code that sweeps all shadow words of memory of this kind that the workgroup owns.
fn sweep(plan: &Plan, space: Space) -> String {
    let class = class_name(space);
    let mut text = String::new();
    let mut call = |words: &str, first: &str, count: &str| {
        let rest = "part, parts, hirace_CLASS_stamp, clock, owner";
        line(&mut text, format_args!("    hirace_sweep_{words}({first}, {count}, {rest});"));
    };
    if space == Space::Workgroup {
        if plan.workgroup_words > 0 {
            call("workgroup", "0u", &format!("{}u", plan.workgroup_words));
        }
        for (first, count) in slots(plan) {
            call("slot", &first, &count);
        }
    } else {
        call("dispatch", &format!("hirace_{class}_first_swept"), &format!("hirace_{class}_swept"));
    }
    let mut sweep = format!("override hirace_{class}_swept: u32;\n");
    if space != Space::Workgroup {
        line(&mut sweep, format_args!("override hirace_{class}_first_swept: u32;"));
    }
    let arguments = "clock: WORD, owner: WORD, part: u32, parts: u32";
    line(&mut sweep, format_args!("fn hirace_{class}_sweep({arguments}) {{\n{text}}}"));
    sweep
}

/// Returns the constants and the function that steps the automaton.
pub fn automaton(table: Table) -> String {
    let mut text = String::new();
    constants(&mut text);
    transition(&mut text, table);
    text
}

fn constants(text: &mut String) {
    for (name, value) in [
        ("STATE_XOR", STATE_XOR),
        ("READ", Action::R.id() as u32),
        ("WRITE", Action::W.id() as u32),
        ("SCOPED", Action::BA.id() as u32),
        ("RACE", State::Race.id() as u32),
        ("SYNC_W", Sync::W.id() as u32),
        ("SYNC_B", Sync::B.id() as u32),
        ("RELATION_S", Relation::S.id() as u32),
        ("RELATION_W", Relation::W.id() as u32),
        ("RELATION_B", Relation::B.id() as u32),
        ("RELATION_G", Relation::G.id() as u32),
        ("REPORTS", log::REPORTS),
        ("FLAGS", log::FLAGS),
        ("UNCHECKED_DISPATCH", log::UNCHECKED_DISPATCH),
        ("UNCHECKED_WORKGROUP", log::UNCHECKED_WORKGROUP),
        ("NO_FREE_SLOT", log::NO_FREE_SLOT),
        ("UNLOGGED", log::UNLOGGED),
        ("ERROR_FLAG", log::ERROR_FLAG),
        ("HEADER", log::HEADER),
        ("ENTRY_SIZE", log::ENTRY),
        ("EVENT_SIZE", record::WORDS),
        ("ERROR_SIZE", tally::WORDS),
        ("ERROR_COUNT", tally::COUNT),
        ("ERROR_WORKGROUP", tally::WORKGROUP),
        ("ERROR_LOCAL_INDEX", tally::LOCAL),
        ("ERROR_INDEX", tally::INDEX),
        ("ERROR_LAST", tally::LAST),
        ("ERROR_KIND", tally::KIND),
        ("ERROR_MAX_INDEX", tally::MAX_INDEX),
        ("RUNTIME_SIZED", tally::RUNTIME_SIZED),
        ("TRAIL_SIZE", trail::WORDS),
        ("MAX_TRAIL", trail::MAX_TRAIL),
        ("INVERTED_MIN_TRAIL", trail::INVERTED_MIN_TRAIL),
        ("ENDED", trail::ENDED),
        ("TRAIL_FACTOR", trail::FACTOR),
        ("TRAIL_INVERSE", trail::INVERSE),
        // Stands for "not watched", "no slot" and "no site".
        ("NONE", crate::shadow::layout::UNWATCHED),
        // Flags in a stamp: which of its clocks have stopped.
        ("STOPPED_CLOCK", 1),
        ("STOPPED_SUBGROUP_CLOCK", 2),
    ] {
        line(text, format_args!("const HIRACE_{name}: u32 = {value}u;"));
    }
}

fn variables(text: &mut String, plan: &Plan) {
    let (spread, first) = plan.spread();
    for (index, naga::ResourceBinding { group, binding }) in plan.shadow.iter().enumerate() {
        let word = if index < first || plan.width == Width::Narrow { "u32" } else { "u64" };
        let name = buffer(index);
        line(text, format_args!("@group({group}) @binding({binding})"));
        line(text, format_args!("var<storage, read_write> {name}: array<atomic<{word}>>;"));
    }
    if spread > 1 {
        line(text, format_args!("override hirace_binding_words: u32;"));
    }
    if let Some(naga::ResourceBinding { group, binding }) = plan.table_binding {
        line(text, format_args!("@group({group}) @binding({binding})"));
        line(text, format_args!("var<storage, read> hirace_transitions: array<u32>;"));
    }
    if plan.workgroup_words > 0 {
        let words = plan.workgroup_words;
        let ty = format!("array<atomic<u32>, {words}>");
        line(text, format_args!("var<workgroup> hirace_workgroup_shadow: {ty};"));
    }
    line(text, format_args!("override hirace_log_entries: u32;"));
    line(text, format_args!("var<private> hirace_workgroup: u32;"));
    if plan.has_slots() {
        line(text, format_args!("var<private> hirace_slot: u32;"));
    }
    for variable in invocation_values(plan) {
        line(text, format_args!("var<private> hirace_{variable}: u32;"));
    }
    if let Some(sites) = plan.tally {
        line(text, format_args!("const HIRACE_SITE_WORDS: u32 = {}u;", tally::bits(sites)));
        line(text, format_args!("override hirace_tally_start: u32;"));
        line(text, format_args!("override hirace_max_iterations: u32;"));
        line(text, format_args!("var<private> hirace_iterations: u32;"));
    }
}

/// Writes a function for each set of accessors. It returns the states that an access by one of them leaves unchanged.
fn unchanged_states(text: &mut String, table: Table) {
    for (name, accessors) in ACCESSOR_SETS {
        let [read, write, scoped, atomic] = [Action::R, Action::W, Action::BA, Action::GA]
            .map(|action| format!("{:#x}u", accessors.unchanged_states(action, table)));
        line(text, format_args!("fn hirace_unchanged_by_{name}(action: u32) -> u32 {{"));
        let sets = format!("{read}, {write}, {scoped}, {atomic}");
        line(text, format_args!("    return hirace_select_by_action(action, {sets});\n}}"));
    }
}

/// Writes the variables and functions that record the sites that an invocation reaches, as `words` words of bits.
fn reached_sites(text: &mut String, words: u32) {
    for index in 0..words {
        text.push_str(&REACHED_SITES.replace("INDEX", &index.to_string()));
    }
    line(text, format_args!("fn hirace_record_reached() {{"));
    for index in 0..words {
        line(text, format_args!("    hirace_{index}_record_reached();"));
    }
    line(text, format_args!("}}"));
}

/// Writes the function that steps the automaton, and its transition table unless that is in a buffer.
fn transition(text: &mut String, table: Table) {
    let words = fsm_spec::PACKED_WORDS;
    let declaration = match table {
        Table::Computed => return text.push_str(COMPUTED_TRANSITION),
        Table::Buffer => None,
        Table::Private => Some("var<private>"),
        Table::Constant => Some("const"),
    };
    if let Some(declaration) = declaration {
        let _ = write!(
            text,
            "{declaration} hirace_transitions: array<u32, {words}> = array<u32, {words}>("
        );
        for word in fsm_spec::pack_table() {
            let _ = write!(text, "{word:#x}u,");
        }
        text.push_str(");\n");
    }
    text.push_str("fn hirace_table(row: u32) -> u32 {\n    return hirace_transitions[row];\n}\n");
    text.push_str(TRANSITION_FROM_TABLE);
}

/// Returns the names of the private variables for values that an invocation receives at its start, in addition to its workgroup.
fn invocation_values(plan: &Plan) -> Vec<&'static str> {
    let mut values = Vec::new();
    let records = plan.purpose == Purpose::Record;
    let scans = plan.defers_records && plan.workgroup_words > 0;
    if plan.sweeps() || plan.tally.is_some() || plan.shared_slots || records || scans {
        values.push("local_index");
    }
    if plan.sweeps() || scans {
        values.push("workgroup_size");
    }
    if plan.sweeps() && plan.has_subgroups() {
        values.extend(["lane", "subgroup_size"]);
    }
    values
}

/// Writes the function that an entry point calls first.
fn enter(text: &mut String, plan: &Plan) {
    let arguments =
        "workgroup_id: vec3<u32>, num_workgroups: vec3<u32>, local_index: u32, workgroup_size: u32";
    line(text, format_args!("fn hirace_enter({arguments}) {{"));
    let linear =
        "workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z)";
    line(text, format_args!("    hirace_workgroup = {linear};"));
    // A subgroup is identified by its first invocation, because `@builtin(subgroup_id)` is only available for one-dimensional
    // workgroups.
    let (subgroup, lane) = if plan.has_subgroups() {
        ("subgroupBroadcastFirst(local_index)", "subgroupExclusiveAdd(1u)")
    } else {
        ("0u", "local_index")
    };
    line(text, format_args!("    let subgroup = {subgroup};"));
    line(text, format_args!("    let lane = {lane};"));
    if plan.sweeps() && plan.has_subgroups() {
        line(text, format_args!("    let subgroup_size = subgroupAdd(1u);"));
    }
    for variable in invocation_values(plan) {
        line(text, format_args!("    hirace_{variable} = {variable};"));
    }
    let records = plan.purpose == Purpose::Record;
    if records {
        line(text, format_args!("    hirace_subgroup = subgroup;"));
    }
    for space in classes(plan).filter(|_| !records) {
        let (class, layout) = (class_name(space), layout_name(space));
        let start = format!("hirace_{layout}_initial_stamp(hirace_workgroup, subgroup, lane)");
        line(text, format_args!("    hirace_{class}_stamp = {start};"));
    }
    match (plan.has_slots(), plan.shared_slots) {
        (true, true) if records => {
            line(text, format_args!("    hirace_slot = hirace_assigned_slot();"));
        }
        (true, true) => {
            line(text, format_args!("    hirace_acquire_slot(local_index, workgroup_size);"));
        }
        (true, false) => line(text, format_args!("    hirace_slot = hirace_workgroup;")),
        (false, _) => {}
    }
    line(text, format_args!("}}"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
