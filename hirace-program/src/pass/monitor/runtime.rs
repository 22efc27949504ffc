//! The runtime of the monitor: the WGSL constants, variables and functions that an instrumented module contains.

use super::unchanged_states::{CODE, REACHES};
use super::words::{Words, buffer, in_layout};
use crate::ir::memory::Space;
use crate::shadow::fields::Width;
use crate::shadow::plan::{Plan, Purpose, ShadowLocation, Table, class_name, layout_name};
use crate::shadow::{log, record, tally, trail};
use fsm_spec::{Action, Relation, State, Sync};
use std::fmt::Write;

const AUTOMATON: &str = include_str!("runtime/automaton.wgsl");
const LOOKED_UP: &str = include_str!("runtime/looked_up.wgsl");
const COMPUTED: &str = include_str!("runtime/computed.wgsl");
const LAYOUT: &str = include_str!("runtime/layout.wgsl");
const KEEPS: &str = include_str!("runtime/keeps.wgsl");
const CLOCK: &str = include_str!("runtime/clock.wgsl");
const CLASS: &str = include_str!("runtime/class.wgsl");
const BARRIER: &str = include_str!("runtime/barrier.wgsl");
const SUBGROUP: &str = include_str!("runtime/subgroup.wgsl");
const STORAGE: &str = include_str!("runtime/storage.wgsl");
const TEXTURE: &str = include_str!("runtime/texture.wgsl");
const WORKGROUP: &str = include_str!("runtime/workgroup.wgsl");
const SLOT: &str = include_str!("runtime/slot.wgsl");
const SLOTS_GIVEN: &str = include_str!("runtime/slots_given.wgsl");
const SLOTS_TAKEN: &str = include_str!("runtime/slots_taken.wgsl");
const TALLY: &str = include_str!("runtime/tally.wgsl");
const WRONG: &str = include_str!("runtime/wrong.wgsl");
const RECORD_ERROR_FLAG: &str = include_str!("runtime/amiss.wgsl");
const LATE: &str = include_str!("runtime/late.wgsl");
const ARRIVAL: &str = include_str!("runtime/came.wgsl");
const TRAIL: &str = include_str!("runtime/trail.wgsl");
const EVENT: &str = include_str!("runtime/event.wgsl");
const EPOCH: &str = include_str!("runtime/epoch.wgsl");
const SUBGROUP_EPOCH: &str = include_str!("runtime/subgroup_epoch.wgsl");

/// The suffix of lines that are only needed for the tally.
const FOR_TALLY: &str = " // tally";

/// The suffix of lines that record something immediately.
const AT_ONCE: &str = " // at once";

/// The suffix of lines that defer recording to the end.
const AT_THE_END: &str = " // late";

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
            kept(&mut text, plan.table);
        }
    }
    if let Some(sites) = plan.tally {
        text.push_str(TALLY);
        text.push_str(if plan.late { RECORD_ERROR_FLAG } else { WRONG });
        notes(&mut text, tally::bits(sites));
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
        for part in [LAYOUT, KEEPS, if needs.clocks() { CLOCK } else { "" }] {
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
        (plan.shared_slots, SLOTS_GIVEN),
    ] {
        text.push_str(if needed { access } else { "" });
    }
    if plan.shared_slots && plan.purpose == Purpose::Detect {
        text.push_str(&SLOTS_TAKEN.replace("CLEAR", &clear(plan)));
    }
    if plan.late {
        text.push_str(&LATE.replace("SCAN", &scan(plan)));
    }
    enter(&mut text, plan);
    let not_for_tally = if plan.tally.is_none() { FOR_TALLY } else { "\n" };
    let not_now = if plan.late { AT_ONCE } else { AT_THE_END };
    let left_out = |line: &&str| line.ends_with(not_for_tally) || line.ends_with(not_now);
    let lines = text.lines().filter(|line| !left_out(line));
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
        (Purpose::Detect, true) => [CLASS, &sweep, BARRIER, SUBGROUP],
        (Purpose::Detect, false) => [CLASS, &sweep, "", SUBGROUP],
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
        line(&mut text, format_args!("    for (var i = local; i < {count}; i += size) {{"));
        line(&mut text, format_args!("        hirace_turns += 1u;{FOR_TALLY}"));
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
        let from = "var i = hirace_local";
        line(&mut text, format_args!("    for ({from}; i < {count}u; i += hirace_size) {{"));
        line(&mut text, format_args!("        hirace_turns += 1u;{FOR_TALLY}"));
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
        let none = format!("BASE_{index}_ == HIRACE_UNWATCHED || hirace_slot == HIRACE_UNWATCHED");
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
        let who = "part, parts, hirace_CLASS_stamp, clock, owner";
        line(&mut text, format_args!("    hirace_sweep_{words}({first}, {count}, {who});"));
    };
    if space == Space::Workgroup {
        if plan.workgroup_words > 0 {
            call("workgroup", "0u", &format!("{}u", plan.workgroup_words));
        }
        for (first, count) in slots(plan) {
            call("slot", &first, &count);
        }
    } else {
        call("dispatch", &format!("hirace_{class}_first"), &format!("hirace_{class}_swept"));
    }
    let mut sweep = format!("override hirace_{class}_swept: u32;\n");
    if space != Space::Workgroup {
        line(&mut sweep, format_args!("override hirace_{class}_first: u32;"));
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
        ("CODE", CODE),
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
        ("STOPPED", log::STOPPED),
        ("STOPPED_DISPATCH", log::STOPPED_DISPATCH),
        ("STOPPED_WORKGROUP", log::STOPPED_WORKGROUP),
        ("STOPPED_SLOTS", log::STOPPED_SLOTS),
        ("UNLOGGED", log::UNLOGGED),
        ("AMISS", log::ERROR_FLAG),
        ("HEADER", log::HEADER),
        ("ENTRY", log::ENTRY),
        ("EVENT", record::WORDS),
        ("TALLY", tally::WORDS),
        ("COUNT", tally::COUNT),
        ("WORKGROUP", tally::WORKGROUP),
        ("LOCAL", tally::LOCAL),
        ("INDEX", tally::INDEX),
        ("LAST", tally::LAST),
        ("KIND", tally::KIND),
        ("MOST", tally::MAX_INDEX),
        ("RUNTIME_SIZED", tally::RUNTIME_SIZED),
        ("TRAIL", trail::WORDS),
        ("GREATEST", trail::GREATEST),
        ("LEAST", trail::LEAST),
        ("ENDED", trail::ENDED),
        ("FACTOR", trail::FACTOR),
        ("INVERSE", trail::INVERSE),
        ("UNWATCHED", crate::shadow::layout::UNWATCHED),
        // Flags in a stamp: which of its clocks overflowed.
        ("STOPPED_CLOCK", 1),
        ("STOPPED_SUBGROUP", 2),
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
    for variable in known(plan) {
        line(text, format_args!("var<private> hirace_{variable}: u32;"));
    }
    if let Some(sites) = plan.tally {
        line(text, format_args!("const HIRACE_BITS: u32 = {}u;", tally::bits(sites)));
        line(text, format_args!("override hirace_tally_base: u32;"));
        line(text, format_args!("override hirace_most_turns: u32;"));
        line(text, format_args!("var<private> hirace_turns: u32;"));
    }
}

/// Writes a function for each reach. It returns the set of states that an access leaves unchanged.
fn kept(text: &mut String, table: Table) {
    for (name, reach) in REACHES {
        let [read, write, scoped, atomic] = [Action::R, Action::W, Action::BA, Action::GA]
            .map(|action| format!("{:#x}u", reach.kept(action, table)));
        line(text, format_args!("fn hirace_kept_by_{name}(action: u32) -> u32 {{"));
        let sets = format!("{read}, {write}, {scoped}, {atomic}");
        line(text, format_args!("    return hirace_of_action(action, {sets});\n}}"));
    }
}

/// Writes the variables and functions that record the sites that an invocation reaches, as `words` words of bits.
fn notes(text: &mut String, words: u32) {
    for index in 0..words {
        text.push_str(&ARRIVAL.replace("INDEX", &index.to_string()));
    }
    line(text, format_args!("fn hirace_notes() {{"));
    for index in 0..words {
        line(text, format_args!("    hirace_{index}_notes();"));
    }
    line(text, format_args!("}}"));
}

/// Writes the function that steps the automaton, and its transition table unless that is in a buffer.
fn transition(text: &mut String, table: Table) {
    let words = fsm_spec::PACKED_WORDS;
    let declaration = match table {
        Table::Computed => return text.push_str(COMPUTED),
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
    text.push_str(LOOKED_UP);
}

/// Returns the names of the private variables for values that an invocation receives at its start, in addition to its workgroup.
fn known(plan: &Plan) -> Vec<&'static str> {
    let mut known = Vec::new();
    let records = plan.purpose == Purpose::Record;
    let scans = plan.late && plan.workgroup_words > 0;
    if plan.sweeps() || plan.tally.is_some() || plan.shared_slots || records || scans {
        known.push("local");
    }
    if plan.sweeps() || scans {
        known.push("size");
    }
    if plan.sweeps() && plan.has_subgroups() {
        known.extend(["lane", "lanes"]);
    }
    known
}

/// Writes the function that an entry point calls first.
fn enter(text: &mut String, plan: &Plan) {
    let arguments = "id: vec3<u32>, workgroups: vec3<u32>, local: u32, size: u32";
    line(text, format_args!("fn hirace_enter({arguments}) {{"));
    let linear = "id.x + workgroups.x * (id.y + workgroups.y * id.z)";
    line(text, format_args!("    hirace_workgroup = {linear};"));
    // A subgroup is identified by its first invocation, because `@builtin(subgroup_id)` is only available for one-dimensional
    // workgroups.
    let (subgroup, lane) = if plan.has_subgroups() {
        ("subgroupBroadcastFirst(local)", "subgroupExclusiveAdd(1u)")
    } else {
        ("0u", "local")
    };
    line(text, format_args!("    let subgroup = {subgroup};"));
    line(text, format_args!("    let lane = {lane};"));
    if plan.sweeps() && plan.has_subgroups() {
        line(text, format_args!("    let lanes = subgroupAdd(1u);"));
    }
    for variable in known(plan) {
        line(text, format_args!("    hirace_{variable} = {variable};"));
    }
    let records = plan.purpose == Purpose::Record;
    if records {
        line(text, format_args!("    hirace_subgroup = subgroup;"));
    }
    for space in classes(plan).filter(|_| !records) {
        let (class, layout) = (class_name(space), layout_name(space));
        let start = format!("hirace_{layout}_start(hirace_workgroup, subgroup, lane)");
        line(text, format_args!("    hirace_{class}_stamp = {start};"));
    }
    match (plan.has_slots(), plan.shared_slots) {
        (true, true) if records => line(text, format_args!("    hirace_slot = hirace_given();")),
        (true, true) => line(text, format_args!("    hirace_take(local, size);")),
        (true, false) => line(text, format_args!("    hirace_slot = hirace_workgroup;")),
        (false, _) => {}
    }
    line(text, format_args!("}}"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
