//! What is to be said of a dispatch beside what was found: what a device does not tell, what was asked for and not
//! done, and what its shadow was like.

use super::dispatch::OnDevice;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::finding::place::{location, span_of};
use crate::finding::who::count;
use crate::ir::sites::SiteId;
use crate::shadow::fields::Width;
use crate::shadow::layout::Layout;
use crate::shadow::log::Stopped;
use crate::shadow::plan::Plan;

impl OnDevice<'_> {
    /// What was asked for, and only the embedded executor does.
    pub fn unheard(&self) -> impl Iterator<Item = String> {
        let schedule = self.launch.schedule;
        let schedule = (!schedule.is_plain()).then(|| {
            let name = match schedule.seed() {
                Some(seed) => format!("{seed:#x}"),
                None => format!("`{schedule}`"),
            };
            format!("schedule {name} was not followed: a device has an order of its own")
        });
        let oracle = self.watch.oracle.then(|| {
            "the oracle was not asked: it sees what runs on the embedded executor alone".to_owned()
        });
        schedule.into_iter().chain(oracle)
    }

    /// What is to be said of barriers that may be in non-uniform control flow: a device does not tell
    /// who reached them.
    pub fn unjudged_barriers(&self) -> Option<String> {
        let barriers = non_uniform_barriers(self.program, self.dispatch.entry);
        let mut places: Vec<String> =
            barriers.iter().map(|found| self.place(found.barrier)).collect();
        places.dedup();
        (!places.is_empty()).then(|| {
            format!(
                "whether all invocations of a workgroup reach the barrier at {} was not checked, and races after it may have been missed: a device does not tell (without --device it is checked)",
                places.join(", ")
            )
        })
    }

    fn place(&self, site: SiteId) -> String {
        location(&self.program.source, span_of(self.program.sites.get(site)))
    }
}

/// `32-bit shadow words, 12 bits for barriers of storage memory`.
pub fn shadow_said(plan: &Plan, layout: &Layout) -> String {
    let clocks = layout.clocks.iter().map(|(name, bits)| {
        let memory = if *name == "workgroup" { "workgroup" } else { "storage" };
        format!(", {bits} bits for barriers of {memory} memory")
    });
    let width = match plan.width {
        Width::Narrow => "32-bit shadow words",
        Width::Wide => "64-bit shadow words",
    };
    let mut said = width.to_owned() + &clocks.collect::<String>();
    if plan.spread().0 > 1 {
        said.push_str(&format!(", in {} buffers", plan.shadow.len()));
    }
    if let Some(slots) = layout.slots {
        let slots = count(slots.count.into(), "workgroup", "workgroups");
        said.push_str(&format!(", for the memory of {slots} at a time"));
    }
    said
}

/// What is to be said of what was not judged.
pub fn unjudged_said(stopped: Stopped) -> impl Iterator<Item = String> {
    let many = "after too many barriers for the shadow's words to count";
    let said = [
        (stopped.dispatch, "storage memory and textures", many),
        (stopped.workgroup, "workgroup memory", many),
        (
            stopped.slots,
            "workgroup memory",
            "in workgroups that waited for its shadow for too long",
        ),
    ];
    let said = said.into_iter().filter(|(is_so, ..)| *is_so);
    said.map(|(_, what, why)| format!("accesses to {what} {why} were not checked"))
}
