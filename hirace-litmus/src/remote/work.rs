//! The worker of a campaign: it leases pieces, runs them and submits the results until no pieces are left.

use super::{LeaseRequest, LeaseResponse, NoMorePieces, WorkReceipt, WorkReport};
use crate::campaign::{Campaign, Piece, Watcher};
use crate::results::{Run, Target};
use crate::run::Runner;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The number of pieces per lease.
const AT_ONCE: usize = 8;

/// A source of the pieces of a campaign.
pub trait Board {
    /// Leases pieces for a device.
    ///
    /// # Errors
    /// The pieces cannot be leased.
    fn lease(&mut self, asked: &LeaseRequest) -> Result<LeaseResponse>;

    /// Submits the results of pieces.
    ///
    /// # Errors
    /// The results are not accepted.
    fn put(&mut self, lease: &str, worked: &WorkReport) -> Result<WorkReceipt>;
}

/// The reason why a worker ended.
#[derive(Clone, Debug)]
pub enum WorkEnd {
    /// There are no more pieces, for this reason.
    NothingToDo(NoMorePieces),
    /// It was stopped. Leased pieces that are not done were returned.
    Stopped,
    /// The device was lost in this number of consecutive pieces.
    Lost(u32),
    /// The board cannot be reached, or a run cannot be stored.
    Failed(Box<Diagnostic>),
}

/// Works on a campaign until it is done. Returns the completed runs, however the work ends.
pub fn work(
    board: &mut dyn Board,
    campaign: &Campaign,
    runner: &mut dyn Runner,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> (Vec<Run>, WorkEnd) {
    let mut runs = Vec::new();
    let ended = turns(board, campaign, runner, watcher, stop, &mut runs);
    (runs, ended.unwrap_or_else(WorkEnd::Failed))
}

fn turns(
    board: &mut dyn Board,
    campaign: &Campaign,
    runner: &mut dyn Runner,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
    runs: &mut Vec<Run>,
) -> Result<WorkEnd> {
    let asked = LeaseRequest { target: Target::from(runner.described()), most: AT_ONCE };
    let classes = campaign.classes();
    let mut lost = 0;
    while !stop.load(Ordering::Relaxed) {
        let leased = board.lease(&asked)?;
        let Some(lease) = leased.lease else {
            if let Some(why) = leased.reason {
                return Ok(WorkEnd::NothingToDo(why));
            }
            wait(leased.retry_after.unwrap_or(1), stop);
            continue;
        };
        let pieces = leased.pieces.iter().map(|number| campaign.pieces.get(*number).copied());
        let Some(pieces) = pieces.collect::<Option<Vec<Piece>>>() else {
            let error = "the service leased pieces that the campaign does not have";
            return Err(Box::new(Diagnostic::new(error).of_device()));
        };
        for (at, piece) in pieces.iter().enumerate() {
            let run = campaign.run_piece(runner, *piece, &classes[piece.test], watcher, stop)?;
            let Some(run) = run else {
                board.put(&lease, &WorkReport { runs: Vec::new(), done: true })?;
                return Ok(WorkEnd::Stopped);
            };
            lost = if run.lost_device() { lost + 1 } else { 0 };
            let is_given_up = lost == Campaign::LOST_IN_A_ROW;
            let done = at + 1 == pieces.len() || is_given_up;
            runs.push(run.clone());
            let WorkReceipt { expired: over, .. } =
                board.put(&lease, &WorkReport { runs: vec![run], done })?;
            if is_given_up {
                return Ok(WorkEnd::Lost(lost));
            }
            if over {
                break;
            }
        }
    }
    Ok(WorkEnd::Stopped)
}

/// Waits for a number of seconds, or until stopped.
fn wait(seconds: u64, stop: &AtomicBool) {
    let until = Instant::now() + Duration::from_secs(seconds.clamp(1, 30));
    while Instant::now() < until && !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests;
