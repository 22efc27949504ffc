//! The kinds of damaged input: texts of every language, configurations, contents of buffers, command lines.

use super::{damage, reports};
use crate::random::Random;
use crate::support::root;
use libtest_mimic::Failed;
use std::path::PathBuf;

/// A kind of input.
pub struct Kind {
    pub name: &'static str,
    /// The file name extension.
    pub ending: &'static str,
    /// Returns the originals that are damaged.
    pub originals: fn() -> Result<Vec<Vec<u8>>, Failed>,
    /// Damages an input a little.
    pub damage: fn(&mut Vec<u8>, &[Vec<u8>], &mut Random),
    pub stage: Stage,
    /// The number of inputs of this kind among 100,000.
    pub of_all: u64,
    /// The number of inputs that a default test run uses.
    pub sample: u64,
}

/// The component that takes an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A front end, and `hirace check` for some of the inputs.
    FrontEnd,
    /// `hirace` with these arguments, where `{}` is the path of the file.
    Command(&'static [&'static str]),
    /// `hirace` with these arguments, where `{}` is the text of the file.
    Text(&'static [&'static str]),
    /// `hirace check` with the input as its arguments, one per line.
    Arguments,
}

pub const KINDS: &[Kind] = &[
    Kind {
        name: "wgsl",
        ending: "wgsl",
        originals: wgsl,
        damage: text,
        stage: Stage::FrontEnd,
        of_all: 24_500,
        sample: 400,
    },
    Kind {
        name: "rust",
        ending: "rs",
        originals: rust,
        damage: text,
        stage: Stage::FrontEnd,
        of_all: 12_000,
        sample: 120,
    },
    #[cfg(feature = "glsl")]
    Kind {
        name: "glsl",
        ending: "comp",
        originals: glsl,
        damage: text,
        stage: Stage::FrontEnd,
        of_all: 16_000,
        sample: 250,
    },
    #[cfg(feature = "spirv")]
    Kind {
        name: "spirv",
        ending: "spv",
        originals: crate::spirv::modules,
        damage: damage::damage_words,
        stage: Stage::FrontEnd,
        of_all: 18_500,
        sample: 250,
    },
    Kind {
        name: "configuration",
        ending: "toml",
        originals: configurations,
        damage: text,
        stage: Stage::Command(&["check", "inputs.wgsl", "--config", "{}"]),
        of_all: 8_000,
        sample: 30,
    },
    Kind {
        name: "npy",
        ending: "npy",
        originals: arrays,
        damage: text,
        stage: Stage::Command(&["check", "inputs.wgsl", "--buffer", "data=@{}"]),
        of_all: 5_000,
        sample: 30,
    },
    Kind {
        name: "raw",
        ending: "bin",
        originals: raw,
        damage: text,
        stage: Stage::Command(&["check", "inputs.wgsl", "--buffer", "table=@{}"]),
        of_all: 1_000,
        sample: 10,
    },
    Kind {
        name: "arguments",
        ending: "txt",
        originals: arguments,
        damage: text,
        stage: Stage::Arguments,
        of_all: 8_000,
        sample: 40,
    },
    Kind {
        name: "litmus",
        ending: "litmus",
        originals: litmus_tests,
        damage: text,
        stage: Stage::Command(&["verify", "{}", "--max-executions", "200"]),
        of_all: 2_000,
        sample: 20,
    },
    Kind {
        name: "replay",
        ending: "txt",
        originals: replays,
        damage: text,
        stage: Stage::Text(&[
            "check",
            "inputs.wgsl",
            "--entry=second",
            "--workgroups=2",
            "--replay={}",
        ]),
        of_all: 1_000,
        sample: 10,
    },
    Kind {
        name: "baseline",
        ending: "json",
        originals: reports::baselines,
        damage: text,
        stage: Stage::Command(&["check", "inputs.wgsl", "--workgroups", "2", "--baseline", "{}"]),
        of_all: 1_000,
        sample: 10,
    },
    Kind {
        name: "merge",
        ending: "json",
        originals: reports::mergeable,
        damage: text,
        stage: Stage::Command(&["merge", "{}"]),
        of_all: 1_500,
        sample: 20,
    },
    #[cfg(feature = "litmus")]
    Kind {
        name: "analyze",
        ending: "json",
        originals: reports::litmus,
        damage: text,
        stage: Stage::Command(&["litmus", "analyze", "{}"]),
        of_all: 1_000,
        sample: 10,
    },
    Kind {
        name: "diff",
        ending: "diff",
        originals: reports::diffs,
        damage: text,
        stage: Stage::Command(&["mutate", "inputs.wgsl", "--list", "--in-diff", "{}"]),
        of_all: 500,
        sample: 10,
    },
];

/// The shader that configurations, buffers and arguments are for.
pub const SHADER: &str = "\
struct Table { count: u32, rows: array<vec3<f32>> }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> limits: vec4<u32>;
@group(0) @binding(2) var<storage, read_write> table: Table;
@group(0) @binding(3) var image: texture_2d<f32>;
override scale: u32 = 1u;
override factor: f32 = 0.5;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < limits.x) { data[id.x] = id.x * scale; }
    table.rows[id.x] = vec3<f32>(factor) * textureLoad(image, vec2<u32>(0u, id.x), 0).x;
}
@compute @workgroup_size(4)
fn second(@builtin(local_invocation_index) local: u32) {
    data[local / 2u] = local;
}
";

fn text(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    damage::damage_once(input, others, damage::split_text, random);
}

fn wgsl() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["tests/it/spans", "kernels/rules", "kernels/examples", "kernels/bench"], "wgsl")
}

fn rust() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["kernels/src", "kernels/src/constructs", "tests/it/rust_files"], "rs")
}

#[cfg(feature = "glsl")]
fn glsl() -> Result<Vec<Vec<u8>>, Failed> {
    let mut shaders = files(&["tests/it/spirv"], "comp")?;
    shaders.push(
        b"#version 450\n#define N 4\n#define SQUARE(x) ((x) * (x))\n#define TWICE(x) SQUARE(x) + SQUARE(x)\n\
          #if N > 2 && defined(SQUARE)\nlayout(local_size_x = N) in;\n#else\nlayout(local_size_x = 1) in;\n#endif\n\
          struct Pair { uint a; uint b[2]; };\nstruct Pairs { Pair one; Pair two; };\n\
          layout(std430, binding = 0) buffer Data { Pairs pairs[]; };\n\
          uint sum(Pair pair) { return pair.a + pair.b[0]; }\n\
          void main() {\n  uint i = gl_GlobalInvocationID.x;\n  uint total = i > 2u ? TWICE(i) : sum(pairs[i].one);\n\
          for (uint k = 0u; k < N; k++) { if (k == 1u) { total += k; } else if (k == 2u) total--; }\n\
          switch (total) { case 0u: pairs[i].two.a = 1u; break; default: pairs[i].two.b[1] = -total; }\n}\n"
            .to_vec(),
    );
    Ok(shaders)
}

fn litmus_tests() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["hirace-mc/litmus/ptx", "hirace-mc/litmus/vulkan"], "litmus")
}

fn replays() -> Result<Vec<Vec<u8>>, Failed> {
    let texts = ["serial", "target-first:3", "1/choices:0x5,1,0,2x7", "pct:1:2:40", "1/choices:0"];
    Ok(texts.map(|text| text.as_bytes().to_vec()).to_vec())
}

fn configurations() -> Result<Vec<Vec<u8>>, Failed> {
    let own = "[check]\nseed = 3\nschedules = 2\nsubgroup-size = 16\nmax-steps = 100_000\n\
               [watch]\nvariables = [\"data\", \"t*\"]\nrelations = [\"workgroup\", \"dispatch\"]\n\
               [shadow]\nmax-mib = 16\n[[file]]\npath = \"inputs.wgsl\"\nkernels = [\"main\"]\n\
               watch = { ignore = [\"debug_*\"] }\n[[file.launch]]\nentry = \"main\"\nworkgroups = [2, 1, 1]\n\
               overrides = { scale = 2, factor = 0.25 }\nseed = 7\n[file.launch.buffers]\ndata = \"random:32\"\n\
               limits = [16, 0, 0, 0]\n[[file]]\npath = \"*.wgsl\"\n[[file.launch]]\n\
               dispatches = [{ entry = \"main\", workgroups = 2 }, { entry = \"second\", workgroups = [1] }]\n\
               timeout = 2.5\nschedule = 12\n";
    let shown = std::fs::read(root().join("docs/book/guide/hirace.toml"))?;
    Ok(vec![own.as_bytes().to_vec(), own.replace("inputs.wgsl", "./*").into_bytes(), shown])
}

/// Returns arrays of numbers as numpy writes them.
fn arrays() -> Result<Vec<Vec<u8>>, Failed> {
    let array = |version: u8, ty: &str, shape: &str, order: &str, bytes: usize| {
        let header = format!("{{'descr': '{ty}', 'fortran_order': {order}, 'shape': ({shape}), }}");
        let header = format!("{header:<117}\n");
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([version, 0]);
        match version {
            1 => file.extend((header.len() as u16).to_le_bytes()),
            _ => file.extend((header.len() as u32).to_le_bytes()),
        }
        file.extend(header.bytes());
        file.extend((0..bytes).map(|index| (index % 7) as u8));
        file
    };
    Ok(vec![
        array(1, "<u4", "16,", "False", 64),
        array(2, "<u4", "4, 4", "False", 64),
        array(3, "<u4", "2, 2, 4", "True", 64),
        array(1, "<i4", "", "False", 4),
        array(1, ">u4", "16,", "False", 64),
        array(1, "<u8", "8,", "False", 64),
        array(1, "<f4", "16,", "False", 64),
        array(1, "|b1", "16,", "False", 16),
    ])
}

fn raw() -> Result<Vec<Vec<u8>>, Failed> {
    Ok(vec![(0..=255).collect(), vec![0; 16], vec![0xff; 4096], (0..52).collect()])
}

/// Returns command lines, with one argument per line.
fn arguments() -> Result<Vec<Vec<u8>>, Failed> {
    let lines = [
        "inputs.wgsl --workgroups 2 --buffer data=zeros:64 --buffer limits=1,2,3,4",
        "inputs.wgsl --entry second --workgroups 1,1,1 --buffer data=random:64:7 --seed 3",
        "inputs.wgsl --dispatch main:2 --dispatch second:1,1,1 --buffer data=iota:32 --schedule 5",
        "inputs.wgsl --override scale=3 --override factor=0.5 --buffer data=fill:16:9 --schedules 2",
        "inputs.wgsl --buffer image=random:4x4 --buffer table=1,2,3,4 --subgroup-size 16 --oracle",
        "inputs.wgsl --max-steps 10000 --timeout 2.5 --format json --quiet --color never",
        "inputs.wgsl --config config.toml --report sarif=report.sarif --format github",
        "inputs.wgsl --write-baseline written.json --report text=report.txt --device embedded",
        "inputs.wgsl --buffer data=@array.npy --buffer table=@raw.bin -v --log-format json",
    ];
    Ok(lines.iter().map(|line| line.replace(' ', "\n").into_bytes()).collect())
}

/// Returns the contents of the files in some folders with this extension, sorted by name.
fn files(folders: &[&str], ending: &str) -> Result<Vec<Vec<u8>>, Failed> {
    let mut texts = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root().join(folder))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|file| Some(file.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == ending)) {
            texts.push(std::fs::read(path)?);
        }
    }
    Ok(texts)
}
