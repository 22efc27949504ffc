//! The inputs that are damaged.

use crate::support::root;
#[cfg(feature = "litmus")]
use hirace_litmus::environment::{Environment, Layout, Preset};
#[cfg(feature = "litmus")]
use hirace_litmus::test::definition::Definition;
use libtest_mimic::Failed;
use std::path::PathBuf;

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

pub fn wgsl() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["tests/it/spans", "kernels/rules", "kernels/examples", "kernels/bench"], "wgsl")
}

pub fn rust() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["kernels/src", "kernels/src/constructs", "tests/it/rust_files"], "rs")
}

#[cfg(feature = "glsl")]
pub fn glsl() -> Result<Vec<Vec<u8>>, Failed> {
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

pub fn litmus() -> Result<Vec<Vec<u8>>, Failed> {
    files(&["hirace-mc/litmus/ptx", "hirace-mc/litmus/vulkan"], "litmus")
}

pub fn replays() -> Result<Vec<Vec<u8>>, Failed> {
    let texts = ["serial", "target-first:3", "1/choices:0x5,1,0,2x7", "pct:1:2:40", "1/choices:0"];
    Ok(texts.map(|text| text.as_bytes().to_vec()).to_vec())
}

pub fn configurations() -> Result<Vec<Vec<u8>>, Failed> {
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

/// A kernel without its workgroup size.
#[cfg(feature = "host")]
const KERNEL: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> t: array<u32, 64>;
@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) l: u32) {
  t[l] = l;
  o[l] = t[l ^ 1u];
}
";

/// Returns programs in TypeScript with shaders in strings: a literal, templates with values, a sum, an escaped string.
#[cfg(feature = "host")]
pub fn typescript() -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = KERNEL.replace("SIZE", "64");
    let filled = KERNEL.replace("SIZE", "${W * 2}");
    Ok([
        format!("export const s = /* wgsl */ `\n{kernel}`;\n"),
        format!("const W = 32;\nconst N = W > 16 ? 'a' : \"b\";\nexport const s = `// ${{N}}\n` + `{filled}`;\n"),
        format!("const a = {{ size: 8, list: [1, 2] }};\nfunction f(x: number) {{ return `{}`; }}\nf(a.size);\n", KERNEL.replace("SIZE", "${x}")),
        format!("s = '{}';\n", kernel.replace('\n', "\\n")),
        format!("enum E {{ A = 4 }}\nconst parts = [`{filled}`].join('\\n').replace('x', /a[/]b/g);\nconst W = E.A;\n"),
    ]
    .map(String::into_bytes)
    .to_vec())
}

/// Returns pages with shaders in elements and in scripts.
#[cfg(feature = "host")]
pub fn html() -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = KERNEL.replace("SIZE", "64");
    Ok([
        format!("<!doctype html>\n<script type=\"x/wgsl\" id=s>\n{kernel}</script>\n"),
        format!("<template/>\n<script setup lang=\"ts\">\nconst s: string = `\n{kernel}`\n</script>\n"),
        format!("<p>&lt;</p><!-- a -->\n<script>\nconst W = 8; const s = `{}`;\n</script><style>b {{}}</style>\n", KERNEL.replace("SIZE", "${W}")),
    ]
    .map(String::into_bytes)
    .to_vec())
}

/// Returns programs in Python with shaders in strings.
#[cfg(feature = "host")]
pub fn python() -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = KERNEL.replace("SIZE", "64");
    let braced = KERNEL.replace('{', "{{").replace('}', "}}").replace("SIZE", "{N}");
    let joined: String = kernel.lines().map(|line| format!("    \"{line}\\n\"\n")).collect();
    Ok([
        format!("N = 64\nS = f'''\n{braced}'''\n"),
        format!("S = (\n{joined})\n"),
        format!("N = 4\nS = \"\"\"{braced}\"\"\".format(N=N)\n"),
        format!("class A:\n    N = 2 ** 3\n    S = r'''{}''' % N\n", KERNEL.replace("SIZE", "%d")),
    ]
    .map(String::into_bytes)
    .to_vec())
}

/// Returns programs in Rust with shaders in strings.
#[cfg(feature = "host")]
pub fn rust_strings() -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = KERNEL.replace("SIZE", "64");
    let braced = KERNEL.replace('{', "{{").replace('}', "}}").replace("SIZE", "{N}");
    Ok([
        format!("pub const S: &str = r#\"\n{kernel}\"#;\n"),
        format!("const N: u32 = 64;\nfn s() -> String {{\n    format!(\"{braced}\")\n}}\n"),
        format!("const A: &str = concat!(\"{kernel}\", \"// {{}}\\n\");\n"),
        format!("const N: usize = 1 << 3;\nfn s() -> String {{ let t = \"{}\"; t.replace(\"SIZE\", &N.to_string()) }}\n", KERNEL),
    ]
    .map(String::into_bytes)
    .to_vec())
}

/// Returns WGSL for naga_oil.
#[cfg(feature = "preprocess")]
pub fn preprocessed() -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n\
                  @compute @workgroup_size(#{TILE})\nfn main(@builtin(local_invocation_index) lane: u32) {\n";
    Ok([
        format!("#ifdef TILE\nvar<workgroup> tile: array<u32, #{{TILE}}>;\n#else\nvar<workgroup> tile: array<u32, 1>;\n#endif\n{kernel}    tile[lane] = lane;\n#ifndef RACY\n    workgroupBarrier();\n#endif\n    data[lane] = tile[(lane + 1u) % #{{TILE}}];\n}}\n"),
        format!("#define LIMIT 3\n#if TILE == 4\n#if LIMIT > 2\nconst a = 1u;\n#else\nconst a = 2u;\n#endif\n#else if TILE == 8\nconst a = 3u;\n#endif\n{kernel}    data[lane] = a;\n}}\n"),
        format!("#define_import_path tools::sums\n{kernel}    data[lane] = lane;\n}}\n"),
    ]
    .map(String::into_bytes)
    .to_vec())
}

/// Returns a shader with directives.
pub fn directives() -> Result<Vec<Vec<u8>>, Failed> {
    let comments = [
        "allow(race): every invocation writes the same value",
        "allow(race, out-of-bounds)",
        "allow(HR001): a reason",
        "skip mutants(relational): they do not matter",
        "skip mutants",
        "expect survived(barrier): lane 0 reads what it wrote itself",
        "expect killed(constant): a test",
    ];
    let lines = SHADER.lines().zip(comments.iter().cycle());
    let above: String =
        lines.clone().map(|(line, comment)| format!("// hirace: {comment}\n{line}\n")).collect();
    let behind: String =
        lines.map(|(line, comment)| format!("{line} // hirace: {comment}\n")).collect();
    Ok(vec![above.into_bytes(), behind.into_bytes(), SHADER.into()])
}

/// Returns conditions on memory.
pub fn conditions() -> Result<Vec<Vec<u8>>, Failed> {
    let texts = [
        "data[0] == 1",
        "(0..2).all(|i| data[i] >= 1 && !(data[i] == 7))",
        "data.len() == 2 || data[1] + 2 * data[0] % 3 != -1",
        "(0..data.len()).any(|i| (i..2).all(|j| data[j] / 2 - 1 < 0x10))",
        "table.rows[0].x == 1.5 && true",
    ];
    Ok(texts.map(|text| text.as_bytes().to_vec()).to_vec())
}

/// Returns definitions of litmus tests.
#[cfg(feature = "litmus")]
pub fn definitions() -> Result<Vec<Vec<u8>>, Failed> {
    let tests = hirace_litmus::test::all();
    let texts = tests.iter().map(|test| serde_json::to_vec_pretty(&Definition::from(test)));
    Ok(texts.collect::<Result<_, _>>()?)
}

/// Returns environments of litmus tests.
#[cfg(feature = "litmus")]
pub fn environments() -> Result<Vec<Vec<u8>>, Failed> {
    let presets = [Preset::Basic, Preset::Interleave, Preset::Stress];
    let environments = presets.map(|preset| {
        let parameters = preset.parameters();
        serde_json::to_vec_pretty(&Environment { layout: Layout::Parallel, parameters })
    });
    Ok(environments.into_iter().collect::<Result<_, _>>()?)
}

/// Returns arrays of numbers as numpy writes them.
pub fn arrays() -> Result<Vec<Vec<u8>>, Failed> {
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

pub fn raw() -> Result<Vec<Vec<u8>>, Failed> {
    Ok(vec![(0..=255).collect(), vec![0; 16], vec![0xff; 4096], (0..52).collect()])
}

/// Returns command lines, with one argument per line.
pub fn arguments() -> Result<Vec<Vec<u8>>, Failed> {
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
