//! The part of the runtime that reads and writes shadow words, instantiated for each kind of word.

use crate::ir::memory::Space;
use crate::shadow::fields::Width;
use crate::shadow::plan::{Plan, Purpose, layout_name};

/// A function for words in one array, and one for words that are spread over several arrays.
const UPDATE: [&str; 2] =
    [include_str!("runtime/update.wgsl"), include_str!("runtime/spread/update.wgsl")];
const RESET_CLOCK: [&str; 2] =
    [include_str!("runtime/reset_clock.wgsl"), include_str!("runtime/spread/reset_clock.wgsl")];
const CLEAR: [&str; 2] =
    [include_str!("runtime/clear.wgsl"), include_str!("runtime/spread/clear.wgsl")];
const IS_MARKED: [&str; 2] =
    [include_str!("runtime/is_marked.wgsl"), include_str!("runtime/spread/is_marked.wgsl")];
const CHECK: &str = include_str!("runtime/check.wgsl");
const RECORD: &str = include_str!("runtime/record.wgsl");
const SWEEP: &str = include_str!("runtime/sweep.wgsl");

/// The suffix of lines that are only needed for clocks that may stop.
const FOR_CLOCKS: &str = " // clocks";

/// Shadow words that are checked in the same way, wherever they are stored.
pub struct Words {
    name: &'static str,
    /// The kind of memory that determines their layout.
    space: Space,
    /// The arrays that they are spread over.
    arrays: Vec<String>,
}

impl Words {
    /// Returns all kinds of shadow words in the plan.
    pub fn all(plan: &Plan) -> Vec<Self> {
        let (spread, first) = plan.spread();
        let buffers: Vec<String> = (first..first + spread).map(buffer).collect();
        let slots = if first == 0 { buffers.clone() } else { vec![buffer(0)] };
        let mut all = Vec::new();
        if plan.dispatch.is_some() {
            all.push(Self { name: "dispatch", space: Space::Storage, arrays: buffers });
        }
        if plan.workgroup_words > 0 {
            let arrays = vec!["hirace_workgroup_shadow".to_owned()];
            all.push(Self { name: "workgroup", space: Space::Workgroup, arrays });
        }
        if plan.has_slots() {
            all.push(Self { name: "slot", space: Space::Workgroup, arrays: slots });
        }
        all
    }

    /// Returns the functions that check accesses to memory with such words, and that sweep the words.
    pub fn text(&self, plan: &Plan) -> String {
        let Some((width, needs)) = plan.layout(self.space) else { return String::new() };
        let mut text = String::new();
        match plan.purpose {
            Purpose::Detect => {
                self.each(&mut text, UPDATE);
                if needs.clocks() {
                    self.each(&mut text, RESET_CLOCK);
                    text.push_str(SWEEP);
                }
                if self.name == "slot" && plan.shared_slots {
                    self.each(&mut text, CLEAR);
                }
                text.push_str(&CHECK.replace("REPORT", self.report(plan)));
            }
            Purpose::Record => {
                self.each(&mut text, IS_MARKED);
                text.push_str(RECORD);
            }
        }
        if !needs.clocks() {
            let lines = text.lines().filter(|line| !line.ends_with(FOR_CLOCKS));
            text = lines.flat_map(|line| [line, "\n"]).collect();
        }
        in_layout(&text.replace("NAME", self.name), layout_name(self.space), width)
    }

    /// Returns the code that handles a word that became racy.
    fn report(&self, plan: &Plan) -> &'static str {
        match (plan.defers_records, self.name) {
            (true, "workgroup") => "return",
            (true, "slot") if plan.shared_slots => "hirace_report(index, racy_site)",
            (true, _) => "hirace_unlogged += 1u",
            (false, _) => "hirace_report(index, racy_site)",
        }
    }

    /// Writes a function for the word at an address: its text for words in one array, and if there are several, the function that
    /// selects the array.
    fn each(&self, text: &mut String, [one, spread]: [&str; 2]) {
        if let [array] = &self.arrays[..] {
            return text.push_str(&one.replace("ARRAY", array));
        }
        for (index, array) in self.arrays.iter().enumerate() {
            text.push_str(&one.replace("NAME", &part(index)).replace("ARRAY", array));
        }
        for line in spread.lines() {
            let cases = if line.contains("CASE") { self.arrays.len() } else { 1 };
            for index in 0..cases {
                let last = index + 1 == cases;
                let case = if last { "default".to_owned() } else { format!("case {index}u") };
                text.push_str(&line.replace("CASE", &case).replace("PART", &part(index)));
                text.push('\n');
            }
        }
    }
}

/// Returns the name of the words in one of several arrays.
fn part(index: usize) -> String {
    format!("NAME_{index}")
}

/// Returns the variable of one of the shadow's buffers.
pub fn buffer(index: usize) -> String {
    match index {
        0 => "hirace_shadow".to_owned(),
        index => format!("hirace_shadow_{index}"),
    }
}

/// Instantiates a part of the text for one layout of shadow words. In a wide word the clocks are in the lower half and the ids in
/// the upper half, and masks are relative to their half.
pub fn in_layout(part: &str, layout: &str, width: Width) -> String {
    let mut part = part.to_owned();
    if width == Width::Wide {
        for clock in ["clock", "subgroup_clock"] {
            let mask = format!("hirace_LAYOUT_{clock}");
            part = part.replace(&mask, &format!("u64({mask})"));
        }
        for id in ["lane_id", "subgroup_id", "workgroup_id"] {
            let mask = format!("hirace_LAYOUT_{id}");
            part = part.replace(&mask, &format!("(u64({mask}) << 32u)"));
        }
    }
    let word = match width {
        Width::Narrow => "u32",
        Width::Wide => "u64",
    };
    part.replace("UNCHECKED_LAYOUT", &format!("UNCHECKED_{}", layout.to_uppercase()))
        .replace("LAYOUT", layout)
        .replace("WORD", word)
}
