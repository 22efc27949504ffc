//! Texts of the command that reproduces a finding.

use super::context::grid;
use crate::facts::replay::STANDARD_INPUT;
use crate::facts::{Flag, Replay};

/// Writes the `check` command: `hirace check kernel.wgsl --workgroups 4`.
pub fn replay(replay: &Replay) -> String {
    replay_by("check", replay)
}

/// Writes the command with another verb.
pub fn replay_by(verb: &str, replay: &Replay) -> String {
    let source = match &replay.source[..] {
        STANDARD_INPUT => "-".to_owned(),
        source => quote(source),
    };
    format!("hirace {verb} {source} {}", flags(&replay.flags)).trim_end().to_owned()
}

/// Writes flags: `--workgroups 4 --seed 7`.
pub fn flags(flags: &[Flag]) -> String {
    let words = flags.iter().flat_map(|given| {
        let (name, value) = flag(given);
        std::iter::once(name.to_owned()).chain(value)
    });
    words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
}

/// Returns the name of a flag, and its value if it has one.
fn flag(flag: &Flag) -> (&'static str, Option<String>) {
    let (name, value) = match flag {
        Flag::Preprocess => return ("--preprocess", None),
        Flag::Entry(entry) => ("--entry", entry.clone()),
        Flag::Workgroups(workgroups) => ("--workgroups", grid(*workgroups)),
        Flag::Dispatch { entry, workgroups } => {
            ("--dispatch", format!("{entry}:{}", grid(*workgroups)))
        }
        Flag::Override { name, value } => ("--override", format!("{name}={value}")),
        Flag::Buffer { name, spec } => ("--buffer", format!("{name}={spec}")),
        Flag::Seed(seed) => ("--seed", seed.to_string()),
        Flag::SubgroupSize(size) => ("--subgroup-size", size.to_string()),
        Flag::StepLimit(steps) => ("--max-steps", steps.to_string()),
        Flag::Schedule(seed) => ("--schedule", format!("{seed:#x}")),
        Flag::Replay(order) => ("--replay", order.to_string()),
        Flag::Device(device) => ("--device", device.clone()),
        Flag::Define { name, value } if value.is_empty() => ("--define", name.clone()),
        Flag::Define { name, value } => ("--define", format!("{name}={value}")),
        Flag::Module(path) => ("--module", path.clone()),
        Flag::Include(path) => ("--include", path.clone()),
        Flag::TargetEnvironment(name) => ("--target-env", name.clone()),
    };
    (name, Some(value))
}

/// Quotes `word` if a shell would split or interpret it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_a_shell_would_take_apart_are_quoted() {
        assert_eq!(quote("--buffer"), "--buffer");
        assert_eq!(quote("a=random:64:7"), "a=random:64:7");
        assert_eq!(quote("my file.wgsl"), "'my file.wgsl'");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[test]
    fn a_command_has_its_flags_in_their_order() {
        let flags = vec![
            Flag::Workgroups([4, 2, 1]),
            Flag::Buffer { name: "a".to_owned(), spec: "1, 2".to_owned() },
            Flag::Schedule(17),
            Flag::Entry("main".to_owned()),
            Flag::Override { name: "N".to_owned(), value: 64.0 },
            Flag::Preprocess,
            Flag::Define { name: "TILE".to_owned(), value: "4".to_owned() },
            Flag::Define { name: "WIDE".to_owned(), value: String::new() },
        ];
        let command = Replay { source: "a b.wgsl".to_owned(), flags };
        assert_eq!(
            replay(&command),
            "hirace check 'a b.wgsl' --workgroups 4,2 --buffer 'a=1, 2' --schedule 0x11 --entry main --override N=64 --preprocess --define TILE=4 --define WIDE"
        );
    }
}
