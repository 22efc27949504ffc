//! Runs naga on a large stack and converts its panics to values.
//!
//! naga recurses to the depth of its input, and panics on a few inputs that it should reject. A checker that reads untrusted
//! files must survive both.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Reserves address space, not memory: pages that are never touched cost nothing.
const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread with a large stack. `Err` holds the message of a panic.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    silence_guarded_threads();
    let span = tracing::Span::current();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("naga".into()).stack_size(STACK_BYTES);
        let spawned = thread.spawn_scoped(scope, || {
            SILENT.set(true);
            let _within = span.enter();
            panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(&*payload))
        });
        match spawned {
            Ok(handle) => handle.join().unwrap_or_else(|payload| Err(message(&*payload))),
            Err(error) => Err(format!("cannot start a thread: {error}")),
        }
    })
}

/// Installs a panic hook that prints nothing for guarded threads, because their panics become diagnostics. Panics of other
/// threads go to the previous hook.
fn silence_guarded_threads() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SILENT.get() {
                before(info);
            }
        }));
    });
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(super::run(|| panic!("no {}", "good")), Err::<(), _>("no good".to_owned()));
    }

    #[test]
    fn a_value_comes_back() {
        let text = String::from("borrowed");
        assert_eq!(super::run(|| text.len()), Ok(8));
    }
}
