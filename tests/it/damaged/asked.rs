//! How long a check may take that a configuration asks for: damage makes two schedules 65,536, and to run those is no hang.

use hirace::raw::config::Config;
use std::path::Path;
use std::time::Duration;

/// What a launch of the shader may take, on a busy machine and without optimization.
const EACH: Duration = Duration::from_millis(1);
/// No configuration asks for more than this, whatever it says.
const MOST: u64 = 900_000;

/// What the configuration at `path` asks for, beyond what any check may take. Nothing, if it cannot be read: then there is
/// nothing to be done.
pub fn by(path: &Path, shader: &Path) -> Duration {
    let settings = Config::read(path).and_then(|config| {
        let launches = config.settings(shader)?.launches.len();
        Ok((launches, config.check().schedules))
    });
    settings.map_or(Duration::ZERO, |(launches, schedules)| time(launches, schedules))
}

/// Each launch runs under the plain schedule too; it is one of its first entry point, or one of each of both.
fn time(launches: usize, schedules: u32) -> Duration {
    let all = (launches.max(1) as u64 * 2).saturating_mul(u64::from(schedules) + 1);
    EACH * u32::try_from(all.min(MOST)).unwrap_or(u32::MAX)
}

/// What is asked for counts, and is bounded.
pub fn is_by_launches() -> Result<(), libtest_mimic::Failed> {
    let wrong = |what: &str| Err(what.to_owned().into());
    if time(2, 2) > Duration::from_secs(1) {
        return wrong("a few launches are given long");
    }
    if time(9, 65_536) < Duration::from_secs(500) {
        return wrong("many launches are given no time");
    }
    match time(usize::MAX >> 8, u32::MAX) == EACH * MOST as u32 {
        true => Ok(()),
        false => wrong("what is asked for has no bound"),
    }
}
