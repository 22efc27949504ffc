use super::*;
use crate::campaign::{CampaignProposal, SharedCampaign};
use crate::environment::Environment;
use crate::run::RunResult;
use crate::simulated::SimulatedDevice;
use crate::test::{Class, Test};
use serde_json::json;

struct Nobody;

impl Watcher for Nobody {
    fn begins(&mut self, _: &Environment, _: &Test, _: &[Class]) {}
    fn counted(&mut self, _: &Test, _: &RunResult) {}
    fn ended(&mut self, _: &Run) -> Result<()> {
        Ok(())
    }
}

/// A board that leases three pieces at a time and answers submissions with `answers`.
struct Made<F> {
    next: usize,
    all: usize,
    put: usize,
    answers: F,
}

impl<F: FnMut(usize) -> Result<WorkReceipt>> Board for Made<F> {
    fn lease(&mut self, _: &LeaseRequest) -> Result<LeaseResponse> {
        let pieces: Vec<usize> = (self.next..self.all.min(self.next + 3)).collect();
        self.next += pieces.len();
        let lease = (!pieces.is_empty()).then(|| "lease".to_owned());
        let why = lease.is_none().then_some(NoMorePieces::Done);
        Ok(LeaseResponse { reason: why, lease, pieces, ..LeaseResponse::default() })
    }

    fn put(&mut self, _: &str, worked: &WorkReport) -> Result<WorkReceipt> {
        self.put += worked.runs.len();
        (self.answers)(self.put)
    }
}

fn campaign() -> Campaign {
    let proposed: CampaignProposal = serde_json::from_value(json!({
        "name": "made",
        "tests": ["rr", "rw", "wr", "ww"],
        "environments": {"seed": "s", "number": 2, "maxWorkgroups": 4, "maxWorkgroupSize": 4},
        "settings": {"seed": "t", "iterations": 1},
    }))
    .unwrap();
    let announced: SharedCampaign = proposed.validate().unwrap();
    announced.campaign().unwrap()
}

fn worked(answers: impl FnMut(usize) -> Result<WorkReceipt>) -> (usize, WorkEnd) {
    let mut board = Made { next: 0, all: 8, put: 0, answers };
    let mut device = SimulatedDevice::new("simulated:strong".parse().unwrap());
    let stop = AtomicBool::new(false);
    let (runs, ended) = work(&mut board, &campaign(), &mut device, &mut Nobody, &stop);
    (runs.len(), ended)
}

#[test]
fn all_that_is_handed_out_is_run() {
    let (runs, ended) = worked(|_| Ok(WorkReceipt { kept: 1, expired: false }));
    assert!(
        runs == 8 && matches!(ended, WorkEnd::NothingToDo(NoMorePieces::Done)),
        "{runs} {ended:?}"
    );
}

#[test]
fn what_ran_is_had_however_it_ends() {
    let (runs, ended) = worked(|put| match put {
        3 => Err(Box::new(Diagnostic::new("gone"))),
        _ => Ok(WorkReceipt { kept: 1, expired: false }),
    });
    assert!(runs == 3 && matches!(ended, WorkEnd::Failed(_)), "{runs} {ended:?}");
}

#[test]
fn a_lease_that_is_over_is_left() {
    // The first result of each lease is accepted, and the other pieces belong to another worker.
    let (runs, ended) = worked(|_| Ok(WorkReceipt { kept: 1, expired: true }));
    assert!(
        runs == 3 && matches!(ended, WorkEnd::NothingToDo(NoMorePieces::Done)),
        "{runs} {ended:?}"
    );
}

#[test]
fn pieces_that_are_not_there_are_no_reason_to_ask_for_ever() {
    let mut board =
        Made { next: 7, all: 12, put: 0, answers: |_| Ok(WorkReceipt { kept: 1, expired: false }) };
    let mut device = SimulatedDevice::new("simulated:strong".parse().unwrap());
    let stop = AtomicBool::new(false);
    let (runs, ended) = work(&mut board, &campaign(), &mut device, &mut Nobody, &stop);
    assert!(runs.is_empty() && matches!(ended, WorkEnd::Failed(_)), "{ended:?}");
}
