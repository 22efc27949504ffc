//! Unguessable names.

/// Returns random bytes as hexadecimal digits; `None` if the system provides none.
pub fn hex<const BYTES: usize>() -> Option<String> {
    let mut bytes = [0; BYTES];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        Err(error) => {
            tracing::error!(%error, "the system provides no random numbers");
            None
        }
    }
}
