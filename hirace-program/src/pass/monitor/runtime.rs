//! The functions that an instrumented module brings along, written in WGSL.

use crate::ir::graft::{self, Grafted};
use crate::ir::memory::Space;
use crate::shadow::plan::{Place, Plan, Purpose, Table};
use crate::shadow::{log, record, tally};
use fsm_spec::{Relation, State, Sync};
use naga::{Function, Handle, Module, Override, Scalar, Type, TypeInner, VectorSize};
use std::fmt::Write;

const AUTOMATON: &str = include_str!("runtime/automaton.wgsl");
const LAYOUT: &str = include_str!("runtime/layout.wgsl");
const CLASS: &str = include_str!("runtime/class.wgsl");
const SUBGROUP: &str = include_str!("runtime/subgroup.wgsl");
const CHECK: &str = include_str!("runtime/check.wgsl");
const STORAGE: &str = include_str!("runtime/storage.wgsl");
const TEXTURE: &str = include_str!("runtime/texture.wgsl");
const WORKGROUP: &str = include_str!("runtime/workgroup.wgsl");
const SLOT: &str = include_str!("runtime/slot.wgsl");
const TALLY: &str = include_str!("runtime/tally.wgsl");
const EVENT: &str = include_str!("runtime/event.wgsl");
const EPOCH: &str = include_str!("runtime/epoch.wgsl");
const SUBGROUP_EPOCH: &str = include_str!("runtime/subgroup_epoch.wgsl");
const RECORD: &str = include_str!("runtime/record.wgsl");

/// How lines end that are there for the tally's sake alone.
const FOR_TALLY: &str = " // tally";

/// The name of a memory's class in the runtime.
pub fn class(space: Space) -> &'static str {
    match space {
        Space::Storage => "storage",
        Space::Texture => "texture",
        Space::Workgroup => "workgroup",
    }
}

/// The name of the layout of a memory's shadow words.
fn layout(space: Space) -> &'static str {
    match space {
        Space::Storage | Space::Texture => "dispatch",
        Space::Workgroup => "workgroup",
    }
}

/// The classes of memory that are watched.
pub fn classes(plan: &Plan) -> impl Iterator<Item = Space> + '_ {
    let all = [Space::Storage, Space::Texture, Space::Workgroup];
    all.into_iter().filter(|&space| plan.watches(space))
}

/// Where the parts of the runtime are that instrumented code refers to.
pub struct Runtime {
    module: Module,
    grafted: Grafted,
    prefix: String,
    /// `u32`.
    pub u32: Handle<Type>,
    /// `vec3<u32>`.
    pub vec3: Handle<Type>,
}

impl Runtime {
    /// Puts the runtime that `plan` needs into `into`.
    pub fn graft(into: &mut Module, plan: &Plan) -> Result<Self, String> {
        let text = text(plan);
        let module = naga::front::wgsl::parse_str(&text)
            .map_err(|error| error.emit_to_string_with_path(&text, "runtime.wgsl"))?;
        let grafted = graft::graft(into, &module);
        let [u32, vec3] = [
            TypeInner::Scalar(Scalar::U32),
            TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 },
        ]
        .map(|inner| into.types.insert(Type { name: None, inner }, naga::Span::UNDEFINED));
        Ok(Self { module, grafted, prefix: plan.prefix.clone(), u32, vec3 })
    }

    /// The function with this name, which stands without the prefix.
    pub fn function(&self, name: &str) -> Option<Handle<Function>> {
        self.grafted.function(&self.module, &format!("{}_{name}", self.prefix))
    }

    /// The override with this name, which stands with the prefix.
    pub fn value(&self, name: &str) -> Option<Handle<Override>> {
        self.grafted.value(&self.module, name)
    }
}

/// The runtime as WGSL.
fn text(plan: &Plan) -> String {
    let mut text = String::new();
    if !plan.has_runtime() {
        return text;
    }
    constants(&mut text);
    variables(&mut text, plan);
    let records = plan.purpose == Purpose::Record;
    if records {
        text.push_str(EVENT);
    } else if !plan.watched.is_empty() {
        table(&mut text, plan.table);
        text.push_str(AUTOMATON);
    }
    if plan.tally.is_some() {
        text.push_str(TALLY);
    }
    let (class_part, subgroup_part, check_part) = match plan.purpose {
        Purpose::Detect => (CLASS, SUBGROUP, CHECK),
        Purpose::Record => (EPOCH, SUBGROUP_EPOCH, RECORD),
    };
    for (name, needs) in plan.layouts() {
        for (field, needed) in needs.fields() {
            let declaration = if needed { "override" } else { "const" };
            let value = if needed { "" } else { " = 0u" };
            line(&mut text, format_args!("{declaration} hirace_{name}_{field}: u32{value};"));
        }
        text.push_str(&LAYOUT.replace("LAYOUT", name));
    }
    for space in classes(plan) {
        for part in [class_part, if plan.has_subgroups() { subgroup_part } else { "" }] {
            let part = part.replace("CLASS", class(space));
            text.push_str(&part.replace("LAYOUT", layout(space)));
        }
    }
    let mut check = |name: &str, array: &str, layout: &str| {
        let check = check_part.replace("NAME", name).replace("ARRAY", array);
        text.push_str(
            &check
                .replace("STOPPED_LAYOUT", &format!("STOPPED_{}", layout.to_uppercase()))
                .replace("LAYOUT", layout),
        );
    };
    if plan.dispatch.is_some() {
        check("dispatch", "hirace_shadow", "dispatch");
    }
    if plan.workgroup_words > 0 {
        check("workgroup", "hirace_workgroup_shadow", "workgroup");
    }
    if plan.has_slots() {
        check("slot", "hirace_shadow", "workgroup");
    }
    for (needed, access) in [
        (plan.watches(Space::Storage), STORAGE),
        (plan.watches(Space::Texture), TEXTURE),
        (plan.workgroup_words > 0, WORKGROUP),
        (plan.has_slots(), SLOT),
    ] {
        text.push_str(if needed { access } else { "" });
    }
    enter(&mut text, plan);
    if plan.tally.is_none() {
        let lines = text.lines().filter(|line| !line.ends_with(FOR_TALLY));
        text = lines.flat_map(|line| [line, "\n"]).collect();
    }
    // The names of bases come from the plan with their prefix.
    let mut text = text.replace("hirace_", &format!("{}_", plan.prefix));
    text = text.replace("HIRACE_", &format!("{}_", plan.prefix.to_uppercase()));
    for watched in &plan.watched {
        if let Place::Storage(base) = &watched.place {
            line(&mut text, format_args!("override {base}: u32;"));
        }
    }
    text
}

fn constants(text: &mut String) {
    for (name, value) in [
        ("GREAD", State::GRead.id() as u32),
        ("GATOM_G", State::GAtomG.id() as u32),
        ("RACE", State::Race.id() as u32),
        ("SYNC_W", Sync::W.id() as u32),
        ("SYNC_B", Sync::B.id() as u32),
        ("RELATION_W", Relation::W.id() as u32),
        ("RELATION_B", Relation::B.id() as u32),
        ("RELATION_G", Relation::G.id() as u32),
        ("REPORTS", log::REPORTS),
        ("STOPPED", log::STOPPED),
        ("STOPPED_DISPATCH", log::STOPPED_DISPATCH),
        ("STOPPED_WORKGROUP", log::STOPPED_WORKGROUP),
        ("HEADER", log::HEADER),
        ("ENTRY", log::ENTRY),
        ("EVENT", record::WORDS),
        ("TALLY", tally::WORDS),
        ("HIGHEST", tally::HIGHEST),
        ("LOWEST", tally::LOWEST),
        ("COUNT", tally::COUNT),
        ("WORKGROUP", tally::WORKGROUP),
        ("LOCAL", tally::LOCAL),
        ("INDEX", tally::INDEX),
        ("LAST", tally::LAST),
        ("KIND", tally::KIND),
        ("MOST", tally::MOST),
        ("RUNTIME_SIZED", tally::RUNTIME_SIZED),
        ("UNWATCHED", crate::shadow::layout::UNWATCHED),
        // In a stamp: which of its clocks ran out.
        ("STOPPED_CLOCK", 1),
        ("STOPPED_SUBGROUP", 2),
    ] {
        line(text, format_args!("const HIRACE_{name}: u32 = {value}u;"));
    }
}

fn variables(text: &mut String, plan: &Plan) {
    let naga::ResourceBinding { group, binding } = plan.shadow;
    line(text, format_args!("@group({group}) @binding({binding})"));
    line(text, format_args!("var<storage, read_write> hirace_shadow: array<atomic<u32>>;"));
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
    if plan.tally.is_some() || plan.purpose == Purpose::Record {
        line(text, format_args!("var<private> hirace_local: u32;"));
    }
    if plan.tally.is_some() {
        line(text, format_args!("override hirace_tally_base: u32;"));
        line(text, format_args!("override hirace_most_turns: u32;"));
        line(text, format_args!("var<private> hirace_number: u32;"));
        line(text, format_args!("var<private> hirace_turns: u32;"));
    }
}

/// The look-up of a row of the table: a byte for each relation.
fn table(text: &mut String, table: Table) {
    let words = fsm_spec::PACKED_WORDS;
    let declaration = match table {
        Table::Buffer => None,
        Table::Private => Some("var<private>"),
        Table::Constant => Some("const"),
    };
    if let Some(declaration) = declaration {
        let _ = write!(
            text,
            "{declaration} hirace_transitions: array<u32, {words}> = array<u32, {words}>("
        );
        for word in fsm_spec::packed() {
            let _ = write!(text, "{word:#x}u,");
        }
        text.push_str(");\n");
    }
    text.push_str("fn hirace_table(row: u32) -> u32 {\n    return hirace_transitions[row];\n}\n");
}

/// What an entry point calls first.
fn enter(text: &mut String, plan: &Plan) {
    let size = if plan.tally.is_some() { ", size: u32" } else { "" };
    let arguments = format!("id: vec3<u32>, workgroups: vec3<u32>, local: u32{size}");
    line(text, format_args!("fn hirace_enter({arguments}) {{"));
    let linear = "id.x + workgroups.x * (id.y + workgroups.y * id.z)";
    line(text, format_args!("    hirace_workgroup = {linear};"));
    if plan.tally.is_some() {
        line(text, format_args!("    hirace_number = hirace_workgroup * size + local + 1u;"));
    }
    let records = plan.purpose == Purpose::Record;
    if plan.tally.is_some() || records {
        line(text, format_args!("    hirace_local = local;"));
    }
    // A subgroup is known by its first invocation: `@builtin(subgroup_id)` is there for workgroups
    // of one dimension only.
    let (subgroup, lane) = if plan.has_subgroups() {
        ("subgroupBroadcastFirst(local)", "subgroupExclusiveAdd(1u)")
    } else {
        ("0u", "local")
    };
    line(text, format_args!("    let subgroup = {subgroup};"));
    line(text, format_args!("    let lane = {lane};"));
    if records {
        line(text, format_args!("    hirace_subgroup = subgroup;"));
    }
    for space in classes(plan).filter(|_| !records) {
        let (class, layout) = (class(space), layout(space));
        let start = format!("hirace_{layout}_start(hirace_workgroup, subgroup, lane)");
        line(text, format_args!("    hirace_{class}_stamp = {start};"));
    }
    line(text, format_args!("}}"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
