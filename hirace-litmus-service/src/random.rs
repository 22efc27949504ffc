//! Names that nobody guesses.

/// So many random bytes as hexadecimal digits; nothing where the system has none.
pub fn hex<const BYTES: usize>() -> Option<String> {
    let mut bytes = [0; BYTES];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        Err(error) => {
            tracing::error!(%error, "the system has no random numbers");
            None
        }
    }
}
