//! Working on a campaign: pieces are taken, run and sent, until there are none left.

use super::{Kept, LeaseAsked, Leased, Nothing, Worked};
use crate::campaign::{Campaign, Piece, Watcher};
use crate::results::{Run, Target};
use crate::run::Runner;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// So many pieces are taken at once.
const AT_ONCE: usize = 8;

/// Whoever hands out pieces of a campaign.
pub trait Board {
    /// Pieces for a device.
    ///
    /// # Errors
    /// They cannot be had.
    fn lease(&mut self, asked: &LeaseAsked) -> Result<Leased>;

    /// Takes what came of pieces.
    ///
    /// # Errors
    /// It is not taken.
    fn put(&mut self, lease: &str, worked: &Worked) -> Result<Kept>;
}

/// How it ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// There is nothing left to be run, for this reason.
    Nothing(Nothing),
    /// Somebody stopped it: what was taken and not done was given back.
    Stopped,
    /// The device was lost too often.
    Lost(u32),
    /// The board cannot be reached any more, or what ran cannot be kept.
    Failed(Box<Diagnostic>),
}

/// Works on a campaign until it is done, and gives what it ran, however it ends.
pub fn work(
    board: &mut dyn Board,
    campaign: &Campaign,
    runner: &mut dyn Runner,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> (Vec<Run>, Ended) {
    let mut runs = Vec::new();
    let ended = turns(board, campaign, runner, watcher, stop, &mut runs);
    (runs, ended.unwrap_or_else(Ended::Failed))
}

fn turns(
    board: &mut dyn Board,
    campaign: &Campaign,
    runner: &mut dyn Runner,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
    runs: &mut Vec<Run>,
) -> Result<Ended> {
    let asked = LeaseAsked { target: Target::from(runner.described()), most: AT_ONCE };
    let classes = campaign.classes();
    let mut lost = 0;
    while !stop.load(Ordering::Relaxed) {
        let leased = board.lease(&asked)?;
        let Some(lease) = leased.lease else {
            if let Some(why) = leased.why {
                return Ok(Ended::Nothing(why));
            }
            wait(leased.wait.unwrap_or(1), stop);
            continue;
        };
        let pieces = leased.pieces.iter().map(|number| campaign.pieces.get(*number).copied());
        let Some(pieces) = pieces.collect::<Option<Vec<Piece>>>() else {
            let error = "the service hands out pieces that the campaign does not have";
            return Err(Box::new(Diagnostic::new(error).of_device()));
        };
        for (at, piece) in pieces.iter().enumerate() {
            let run = campaign.piece(runner, *piece, &classes[piece.test], watcher, stop)?;
            let Some(run) = run else {
                board.put(&lease, &Worked { runs: Vec::new(), done: true })?;
                return Ok(Ended::Stopped);
            };
            lost = if run.lost_device() { lost + 1 } else { 0 };
            let is_given_up = lost == Campaign::LOST_IN_A_ROW;
            let done = at + 1 == pieces.len() || is_given_up;
            runs.push(run.clone());
            let Kept { over, .. } = board.put(&lease, &Worked { runs: vec![run], done })?;
            if is_given_up {
                return Ok(Ended::Lost(lost));
            }
            if over {
                break;
            }
        }
    }
    Ok(Ended::Stopped)
}

/// Waits for so long, or until it is stopped.
fn wait(seconds: u64, stop: &AtomicBool) {
    let until = Instant::now() + Duration::from_secs(seconds.clamp(1, 30));
    while Instant::now() < until && !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests;
