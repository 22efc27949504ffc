//! Guards calls of wgpu: their panics become values, and recursion over the depth of a shader gets a large stack.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// The stack size. It reserves address space, not memory: untouched pages cost nothing.
const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`. `Err` has the message of a panic.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence_guarded_panics();
    let outer = SILENT.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    SILENT.set(outer);
    done.map_err(|payload| message(&*payload))
}

/// Runs `work` on a thread with a large stack. `Err` has the message of a panic.
pub fn catch_panic_with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("wgpu".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, || catch_panic(work)) {
            Ok(handle) => handle.join().unwrap_or_else(|payload| Err(message(&*payload))),
            Err(error) => Err(format!("cannot start a thread: {error}")),
        }
    })
}

/// Installs a panic hook that does not print guarded panics, which become errors. Others go to the previous hook.
fn silence_guarded_panics() {
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
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        let expected = Err::<(), _>("no good".to_owned());
        assert_eq!(catch_panic(|| panic!("no {}", "good")), expected);
        assert_eq!(catch_panic_with_large_stack(|| panic!("no {}", "good")), expected);
    }

    #[test]
    fn a_value_comes_back_from_within_another_guard() {
        let text = String::from("borrowed");
        let inner = || catch_panic_with_large_stack(|| text.len());
        assert_eq!(catch_panic(inner), Ok(Ok(8)));
        assert!(!SILENT.get());
    }
}
