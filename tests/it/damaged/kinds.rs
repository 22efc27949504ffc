//! The kinds of damaged input: texts of every language, programs with shaders, configurations, contents of buffers, command lines,
//! litmus tests and reports.

use super::readers::{self, Reader};
use super::{damage, originals, reports};
use crate::random::Random;
use libtest_mimic::Failed;
use std::path::Path;

/// A kind of input.
pub struct Kind {
    pub name: &'static str,
    /// The file name extension.
    pub ending: &'static str,
    /// Returns the originals that are damaged.
    pub originals: fn() -> Result<Vec<Vec<u8>>, Failed>,
    /// Damages an input a little.
    pub damage: fn(&mut Vec<u8>, &[Vec<u8>], &mut Random),
    /// The reader of the inputs. `None` if it is the whole command, which runs no kernels of these inputs.
    pub reader: Option<Reader>,
    /// How `hirace` takes the inputs.
    pub usage: Usage,
}

/// How `hirace` takes an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// As the path of a file with kernels, which several verbs take.
    Source,
    /// With these arguments, where `{}` is the path of the file.
    Path(&'static [&'static str]),
    /// With these arguments, where `{}` is the text of the file.
    Text(&'static [&'static str]),
    /// As the arguments of `hirace check`, one per line.
    Arguments,
}

impl Kind {
    /// Returns the arguments with which `hirace` takes an input.
    pub fn arguments(&self, path: &Path, input: &[u8]) -> Vec<String> {
        // Removes NUL, which no system accepts in arguments.
        let text = String::from_utf8_lossy(input).replace('\0', "");
        let (arguments, value): (&[&str], _) = match self.usage {
            Usage::Source => (&["check", "{}", "--workgroups", "2"], path.to_string_lossy()),
            Usage::Path(arguments) => (arguments, path.to_string_lossy()),
            Usage::Text(arguments) => (arguments, text.into()),
            Usage::Arguments => {
                // Removes paths to folders of others.
                let text = text.replace('/', "_").replace("..", "._");
                return ["check"].into_iter().chain(text.lines()).map(str::to_owned).collect();
            }
        };
        arguments.iter().map(|argument| argument.replace("{}", &value)).collect()
    }
}

pub const KINDS: &[Kind] = &[
    Kind {
        name: "wgsl",
        ending: "wgsl",
        originals: originals::wgsl,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    Kind {
        name: "rust",
        ending: "rs",
        originals: originals::rust,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "glsl")]
    Kind {
        name: "glsl",
        ending: "comp",
        originals: originals::glsl,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "spirv")]
    Kind {
        name: "spirv",
        ending: "spv",
        originals: crate::spirv::modules,
        damage: damage::damage_words,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "host")]
    Kind {
        name: "typescript",
        ending: "ts",
        originals: originals::typescript,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "host")]
    Kind {
        name: "html",
        ending: "html",
        originals: originals::html,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "host")]
    Kind {
        name: "python",
        ending: "py",
        originals: originals::python,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "host")]
    Kind {
        name: "rust_strings",
        ending: "rs",
        originals: originals::rust_strings,
        damage: text,
        reader: Some(readers::source),
        usage: Usage::Source,
    },
    #[cfg(feature = "preprocess")]
    Kind {
        name: "preprocessed",
        ending: "wgsl",
        originals: originals::preprocessed,
        damage: text,
        reader: Some(readers::preprocessed),
        usage: Usage::Path(&["check", "{}", "--define", "TILE=4", "--workgroups", "2"]),
    },
    Kind {
        name: "directives",
        ending: "wgsl",
        originals: originals::directives,
        damage: text,
        reader: Some(readers::directives),
        usage: Usage::Path(&["mutate", "{}", "--list"]),
    },
    Kind {
        name: "configuration",
        ending: "toml",
        originals: originals::configurations,
        damage: text,
        reader: Some(readers::configuration),
        usage: Usage::Path(&["check", "inputs.wgsl", "--config", "{}"]),
    },
    #[cfg(feature = "npy")]
    Kind {
        name: "npy",
        ending: "npy",
        originals: originals::arrays,
        damage: text,
        reader: Some(|path, _| readers::contents("data", path)),
        usage: Usage::Path(&["check", "inputs.wgsl", "--buffer", "data=@{}"]),
    },
    Kind {
        name: "raw",
        ending: "bin",
        originals: originals::raw,
        damage: text,
        reader: Some(|path, _| readers::contents("table", path)),
        usage: Usage::Path(&["check", "inputs.wgsl", "--buffer", "table=@{}"]),
    },
    Kind {
        name: "arguments",
        ending: "txt",
        originals: originals::arguments,
        damage: text,
        reader: Some(readers::arguments),
        usage: Usage::Arguments,
    },
    Kind {
        name: "litmus",
        ending: "litmus",
        originals: originals::litmus,
        damage: text,
        reader: Some(readers::litmus),
        usage: Usage::Path(&["verify", "{}", "--max-executions", "200"]),
    },
    Kind {
        name: "condition",
        ending: "txt",
        originals: originals::conditions,
        damage: text,
        reader: Some(readers::condition),
        usage: Usage::Text(&[
            "verify",
            "inputs.wgsl",
            "--entry=second",
            "--workgroups=1",
            "--max-executions=100",
            "--assert={}",
        ]),
    },
    Kind {
        name: "replay",
        ending: "txt",
        originals: originals::replays,
        damage: text,
        reader: Some(readers::replay),
        usage: Usage::Text(&[
            "check",
            "inputs.wgsl",
            "--entry=second",
            "--workgroups=2",
            "--replay={}",
        ]),
    },
    Kind {
        name: "baseline",
        ending: "json",
        originals: reports::baselines,
        damage: text,
        reader: Some(readers::baseline),
        usage: Usage::Path(&["check", "inputs.wgsl", "--workgroups", "2", "--baseline", "{}"]),
    },
    Kind {
        name: "diff",
        ending: "diff",
        originals: reports::diffs,
        damage: text,
        reader: Some(readers::diff),
        usage: Usage::Path(&["mutate", "inputs.wgsl", "--list", "--in-diff", "{}"]),
    },
    Kind {
        name: "merge",
        ending: "json",
        originals: reports::mergeable,
        damage: text,
        reader: None,
        usage: Usage::Path(&["merge", "{}"]),
    },
    #[cfg(feature = "litmus")]
    Kind {
        name: "analyze",
        ending: "json",
        originals: reports::litmus,
        damage: text,
        reader: None,
        usage: Usage::Path(&["litmus", "analyze", "{}"]),
    },
    #[cfg(feature = "litmus")]
    Kind {
        name: "definition",
        ending: "json",
        originals: originals::definitions,
        damage: text,
        reader: None,
        usage: Usage::Path(&["litmus", "show", "{}"]),
    },
    #[cfg(feature = "litmus")]
    Kind {
        name: "environment",
        ending: "json",
        originals: originals::environments,
        damage: text,
        reader: None,
        usage: Usage::Path(&[
            "litmus",
            "show",
            "mp-two-locations",
            "--format=wgsl",
            "--environment",
            "{}",
        ]),
    },
];

fn text(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    damage::damage_once(input, others, damage::split_text, random);
}
