//! Sample results to submit.

use hirace_litmus::campaign::{Campaign, CampaignProposal, SharedCampaign, Watcher};
use hirace_litmus::environment::Environment;
use hirace_litmus::environment::{Layout, Parameters, Preset};
use hirace_litmus::results::{Document, Run, Settings, Verb};
use hirace_litmus::run::{RunResult, Runner};
use hirace_litmus::simulated::SimulatedDevice;
use hirace_litmus::test::{self, Class, Specification, Test};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

pub struct NoObserver;

impl Watcher for NoObserver {
    fn begins(&mut self, _: &Environment, _: &Test, _: &[Class]) {}
    fn counted(&mut self, _: &Test, _: &RunResult) {}
    fn ended(&mut self, _: &Run) -> hirace_core::diagnostic::Result<()> {
        Ok(())
    }
}

/// Returns a weak device.
pub fn device() -> SimulatedDevice {
    SimulatedDevice::new("simulated:relaxed,quiet=0.2".parse().unwrap())
}

/// Returns the results of two tests on a weak device, by a seed.
pub fn document(seed: &str) -> Document {
    let names = ["mp-two-locations", "rr"];
    let tests: Vec<Test> =
        test::all().into_iter().filter(|test| names.contains(&test.name.as_str())).collect();
    let basic = Preset::Basic.parameters();
    let parameters = Parameters { workgroup_size: 4, ..basic };
    let campaign = Campaign {
        verb: Verb::Run,
        pieces: Campaign::product(tests.len(), 1),
        tests,
        environments: vec![Environment { layout: Layout::Parallel, parameters }],
        settings: Settings::new(seed, 5, None),
        specification: Specification::default(),
        shard: None,
        budget: None,
    };
    whole(&campaign)
}

/// Returns the results of a campaign on a weak device.
pub fn whole(campaign: &Campaign) -> Document {
    let (mut device, stop) = (device(), AtomicBool::new(false));
    let (runs, _) = campaign.run(&mut device, &|_| None, &mut NoObserver, &stop).unwrap();
    campaign.document(device.described().into(), runs, false)
}

pub fn text(document: &Document) -> String {
    serde_json::to_string(document).unwrap()
}

/// Returns the document with another seed, which makes it another submission.
pub fn reseeded(document: &Document, seed: &str) -> String {
    let mut document = document.clone();
    document.settings.seed = seed.to_owned();
    text(&document)
}

/// Returns a proposal for a campaign with ten tests in each environment.
pub fn proposal(name: &str, environments: u32) -> Value {
    json!({
        "name": name,
        "tests": ["mp-two-locations", "sb-two-locations", "lb-two-locations", "rr", "rr-reversed",
                  "rw", "rw-reversed", "wr", "wr-reversed", "mp-fences"],
        "environments": {"seed": "s", "number": environments, "maxWorkgroups": 4, "maxWorkgroupSize": 4},
        "settings": {"seed": "t", "iterations": 2},
    })
}

pub fn announced(proposal: Value) -> SharedCampaign {
    serde_json::from_value::<CampaignProposal>(proposal).unwrap().validate().unwrap()
}
