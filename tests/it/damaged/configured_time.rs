//! The time that a configuration makes a check take: damage can turn two schedules into 65,536, and running those is not a hang.

use hirace::raw::config::Config;
use std::path::Path;
use std::time::Duration;

/// The time for one launch of the shader, on a busy machine and without optimization.
const EACH: Duration = Duration::from_millis(1);
/// The maximum number of launches that is considered, whatever a configuration says.
const MOST: u64 = 900_000;

/// Returns the time that the configuration at `path` requires, in addition to that of any check. Zero if the configuration
/// cannot be read, because then nothing is run.
pub fn required_time(path: &Path, shader: &Path) -> Duration {
    let settings = Config::read(path).and_then(|config| {
        let launches = config.settings(shader)?.launches.len();
        Ok((launches, config.check().schedules))
    });
    settings.map_or(Duration::ZERO, |(launches, schedules)| time(launches, schedules))
}

/// Returns the time of all launches. Each also runs under the plain schedule; it is one of the first entry point, or one of each
/// of both.
fn time(launches: usize, schedules: u32) -> Duration {
    let all = (launches.max(1) as u64 * 2).saturating_mul(u64::from(schedules) + 1);
    EACH * u32::try_from(all.min(MOST)).unwrap_or(u32::MAX)
}

/// Tests that the required time grows with the number of launches, and is bounded.
pub fn required_time_grows_with_launches() -> Result<(), libtest_mimic::Failed> {
    let wrong = |what: &str| Err(what.to_owned().into());
    if time(2, 2) > Duration::from_secs(1) {
        return wrong("a few launches are given long");
    }
    if time(9, 65_536) < Duration::from_secs(500) {
        return wrong("many launches are given no time");
    }
    match time(usize::MAX >> 8, u32::MAX) == EACH * MOST as u32 {
        true => Ok(()),
        false => wrong("the required time has no bound"),
    }
}
