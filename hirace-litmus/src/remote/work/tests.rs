use super::*;
use crate::campaign::{CampaignProposal, SharedCampaign};
use crate::environment::Environment;
use crate::run::RunResult;
use crate::simulated::SimulatedDevice;
use crate::test::{Class, Test};
use serde_json::json;

struct NoObserver;

impl Watcher for NoObserver {
    fn begins(&mut self, _: &Environment, _: &Test, _: &[Class]) {}
    fn counted(&mut self, _: &Test, _: &RunResult) {}
    fn ended(&mut self, _: &Run) -> Result<()> {
        Ok(())
    }
}

/// A board that leases three pieces at a time and answers submissions with `responses`.
struct TestBoard<F> {
    next: usize,
    end: usize,
    submitted: usize,
    responses: F,
}

impl<F: FnMut(usize) -> Result<WorkReceipt>> Board for TestBoard<F> {
    fn lease(&mut self, _: &LeaseRequest) -> Result<LeaseResponse> {
        let pieces: Vec<usize> = (self.next..self.end.min(self.next + 3)).collect();
        self.next += pieces.len();
        let lease = (!pieces.is_empty()).then(|| "lease".to_owned());
        let reason = lease.is_none().then_some(NoMorePieces::Done);
        Ok(LeaseResponse { reason, lease, pieces, ..LeaseResponse::default() })
    }

    fn put(&mut self, _: &str, report: &WorkReport) -> Result<WorkReceipt> {
        self.submitted += report.runs.len();
        (self.responses)(self.submitted)
    }
}

fn campaign() -> Campaign {
    let proposal: CampaignProposal = serde_json::from_value(json!({
        "name": "made",
        "tests": ["rr", "rw", "wr", "ww"],
        "environments": {"seed": "s", "number": 2, "maxWorkgroups": 4, "maxWorkgroupSize": 4},
        "settings": {"seed": "t", "iterations": 1},
    }))
    .unwrap();
    let announced: SharedCampaign = proposal.validate().unwrap();
    announced.campaign().unwrap()
}

fn work_with(responses: impl FnMut(usize) -> Result<WorkReceipt>) -> (usize, WorkEnd) {
    let mut board = TestBoard { next: 0, end: 8, submitted: 0, responses };
    let mut device = SimulatedDevice::new("simulated:strong".parse().unwrap());
    let stop = AtomicBool::new(false);
    let (runs, ended) = work(&mut board, &campaign(), &mut device, &mut NoObserver, &stop);
    (runs.len(), ended)
}

#[test]
fn all_leased_pieces_are_run() {
    let (runs, ended) = work_with(|_| Ok(WorkReceipt { kept: 1, expired: false }));
    assert!(
        runs == 8 && matches!(ended, WorkEnd::NothingToDo(NoMorePieces::Done)),
        "{runs} {ended:?}"
    );
}

#[test]
fn finished_runs_are_returned_after_a_failure() {
    let (runs, ended) = work_with(|submitted| match submitted {
        3 => Err(Box::new(Diagnostic::new("gone"))),
        _ => Ok(WorkReceipt { kept: 1, expired: false }),
    });
    assert!(runs == 3 && matches!(ended, WorkEnd::Failed(_)), "{runs} {ended:?}");
}

#[test]
fn an_expired_lease_is_abandoned() {
    // The first result of each lease is accepted, and the other pieces belong to another worker.
    let (runs, ended) = work_with(|_| Ok(WorkReceipt { kept: 1, expired: true }));
    assert!(
        runs == 3 && matches!(ended, WorkEnd::NothingToDo(NoMorePieces::Done)),
        "{runs} {ended:?}"
    );
}

#[test]
fn unknown_pieces_end_the_work_with_an_error() {
    let mut board = TestBoard {
        next: 7,
        end: 12,
        submitted: 0,
        responses: |_| Ok(WorkReceipt { kept: 1, expired: false }),
    };
    let mut device = SimulatedDevice::new("simulated:strong".parse().unwrap());
    let stop = AtomicBool::new(false);
    let (runs, ended) = work(&mut board, &campaign(), &mut device, &mut NoObserver, &stop);
    assert!(runs.is_empty() && matches!(ended, WorkEnd::Failed(_)), "{ended:?}");
}
