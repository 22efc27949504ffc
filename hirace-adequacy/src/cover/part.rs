//! The part of tests and launches that a shard runs.

use hirace_core::check::{Follower, LaunchGroup};
use hirace_core::cover::hash;
use hirace_core::diagnostic::Result;
use hirace_core::exec::Executor;
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::shard::Shard;

/// A follower restricted to a shard: tests are assigned by their names, launches of a file by its name and their
/// numbers. The assignment depends on nothing else, so each belongs to exactly one shard, on any machine.
#[derive(Debug)]
pub struct ShardFollower<F> {
    /// The follower of the selected tests and launches.
    pub follower: F,
    shard: Option<Shard>,
}

impl<F> ShardFollower<F> {
    /// Creates a follower that is restricted to `shard`, or not restricted if `shard` is `None`.
    pub fn new(shard: Option<Shard>, follower: F) -> Self {
        Self { follower, shard }
    }

    fn has(&self, name: &str) -> bool {
        self.shard.is_none_or(|shard| shard.has(&hash(name)))
    }
}

impl<F: Follower> Follower for ShardFollower<F> {
    fn begins(&mut self, unit: LaunchGroup<'_>) -> Result<bool> {
        let is_wanted = unit.test.is_none() || self.has(unit.name);
        Ok(is_wanted && self.follower.begins(unit)?)
    }

    fn wants(&mut self, unit: LaunchGroup<'_>, launch: usize) -> bool {
        self.has(&format!("{} {launch}", unit.name)) && self.follower.wants(unit, launch)
    }

    fn arrange(&mut self, program: &Program, launch: &mut Launch) {
        self.follower.arrange(program, launch);
    }

    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()> {
        self.follower.ran(program, launch, executor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoFollower;

    impl Follower for NoFollower {
        fn ran(&mut self, _: &Program, _: &Launch, _: &dyn Executor) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_launch_is_in_one_of_the_shards() {
        let unit = LaunchGroup { name: "k.wgsl", test: None };
        let shards = (1..=7).map(|k| format!("{k}/7").parse().unwrap());
        let mut parts: Vec<_> =
            shards.map(|shard| ShardFollower::new(Some(shard), NoFollower)).collect();
        for launch in 1..=50 {
            let count = parts.iter_mut().filter_map(|part| part.wants(unit, launch).then_some(()));
            assert_eq!(count.count(), 1);
        }
        assert!(parts.iter_mut().all(|part| part.begins(unit).unwrap()));
        assert!(parts.iter_mut().all(|part| (1..=50).any(|n| part.wants(unit, n))));
    }
}
