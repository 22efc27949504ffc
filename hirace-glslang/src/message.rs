//! Messages of glslang.

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file: [`Message::MAIN`] is the text itself, other names are those of included files. `None` if the error is about the whole program.
    pub file: Option<String>,
    /// The line, from 1, or 0 if it is not known.
    pub line: u32,
    /// The error, without its location.
    pub text: String,
}

impl Message {
    /// The name of the text itself.
    pub const MAIN: &str = "0";

    /// Creates an error without a location.
    pub fn new(text: impl Into<String>) -> Self {
        Self { file: None, line: 0, text: text.into() }
    }

    /// Parses the errors in the output of glslang. Summaries such as the number of errors are omitted, unless there is nothing
    /// else.
    pub fn parse_all(log: &str) -> Vec<Self> {
        let errors = log.lines().filter_map(|line| {
            line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("INTERNAL ERROR: "))
        });
        let all: Vec<Self> = errors.map(Self::parse).collect();
        let is_summary =
            |message: &Self| message.file.is_none() && message.text.ends_with("No code generated.");
        match all.iter().all(is_summary) {
            true => all,
            false => all.into_iter().filter(|message| !is_summary(message)).collect(),
        }
    }

    /// Parses `FILE:LINE: TEXT`. File names may contain colons.
    fn parse(error: &str) -> Self {
        for (at, _) in error.match_indices(':') {
            let Some((line, text)) = error[at + 1..].split_once(": ") else { break };
            let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
            if is_number && let Ok(line) = line.parse() {
                let (file, text) = (Some(error[..at].to_owned()), text.trim().to_owned());
                return Self { file, line, text };
            }
        }
        Self::new(error.trim())
    }
}
