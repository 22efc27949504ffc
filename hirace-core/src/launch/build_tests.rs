use super::*;
use crate::facts::assumption::{Assumption, Contents};
use crate::facts::{FieldValue, Flag, Number};
use crate::front::wgsl;
use crate::launch::candidates::candidates;
use crate::launch::spec::parse_grid;

const TEXT: &str = "
    struct Params { n: u32, size: vec2u, scale: f32 }
    struct Node { value: u32, next: atomic<u32> }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage> input: array<u32>;
    @group(0) @binding(2) var<storage, read_write> nodes: array<Node>;
    @group(0) @binding(3) var<storage, read_write> unused: array<u32>;
    @group(0) @binding(4) var image: texture_storage_2d<rgba8unorm, write>;
    var<workgroup> tile: array<u32, 64>;
    @compute @workgroup_size(8, 8) fn main(
        @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
        tile[l] = input[id.x];
        if (id.x < params.n) { nodes[id.y].value = params.size.x; }
        textureStore(image, id.xy, vec4f(params.scale));
    }";

fn program() -> Program {
    Program::new(&wgsl::parse("test.wgsl", TEXT).unwrap(), &Default::default()).unwrap()
}

fn spec(bindings: &[&str]) -> LaunchSpec {
    let bindings = bindings.iter().map(|text| Binding::parse(text).unwrap()).collect();
    LaunchSpec { bindings, workgroups: Some(parse_grid("2,3").unwrap()), ..LaunchSpec::default() }
}

fn built(bindings: &[&str], grown: &Grown) -> Launch {
    let program = program();
    let spec = spec(bindings);
    let first = &candidates(&program, &spec, 0).unwrap()[0];
    launch(&program, &spec, first, grown).unwrap()
}

fn words(launch: &Launch, memory: u32) -> Vec<u32> {
    launch.resources.buffer(MemoryId(memory)).unwrap().snapshot()
}

#[test]
fn missing_values_are_guessed_and_reported() {
    let launch = built(&[], &Grown::new());
    // `n` is compared with an id in x, `size` is recognized by its name, and nothing is known about `scale`.
    assert_eq!(words(&launch, 0), [16, 0, 16, 24, 1f32.to_bits(), 0]);
    assert_eq!(words(&launch, 1).len(), 16 * 24);
    assert!(words(&launch, 1).iter().all(|&n| n < 16 * 24));
    let nodes = words(&launch, 2);
    assert_eq!(nodes.len(), 16 * 24 * 2);
    assert!(nodes.chunks(2).all(|node| node[1] == 0), "atomics start at zero");
    assert!(launch.resources.by_global[3].is_none(), "not used by the entry point");
    assert_eq!(launch.resources.texture(MemoryId(4)).unwrap().size, [16, 24, 1]);
    assert_eq!(launch.inferred_contents, [true, true, true, false, true, false]);
    assert_eq!(launch.inferred_lengths, [false, true, true, false, true, false]);
    let params = Assumption::Parameters {
        variable: "params".to_owned(),
        fields: vec![
            field("params.n", &[Number::Int(16)]),
            field("params.size", &[Number::Int(16), Number::Int(24)]),
            field("params.scale", &[Number::Float(1.0)]),
        ],
        tried: 1,
    };
    assert_eq!(launch.assumptions[0], params);
    assert_eq!(launch.assumptions.len(), 4);
    let nodes = Assumption::Buffer {
        variable: "nodes".to_owned(),
        elements: Some(384),
        contents: Some(Contents::Random { seed: 0, zero_atomics: true }),
        grown: false,
    };
    assert_eq!(launch.assumptions[2], nodes);
    assert!(launch.resources.buffer(MemoryId(1)).unwrap().elastic);
    assert_eq!(launch.limits.steps, MAX_INFERRED_STEPS);
}

fn field(path: &str, values: &[Number]) -> FieldValue {
    FieldValue { path: path.to_owned(), values: values.to_vec() }
}

#[test]
fn flags_of_a_guessed_launch_reproduce_it() {
    let launch = built(&[], &Grown::new());
    let flags = launch.replay.unwrap();
    let given: Vec<String> = flags
        .iter()
        .filter_map(|flag| match flag {
            Flag::Buffer { name, spec } => Some(format!("{name}={spec}")),
            _ => None,
        })
        .collect();
    assert_eq!(given, ["params.n=16", "params.size=16,24", "params.scale=1"]);
    let texts: Vec<&str> = given.iter().map(String::as_str).collect();
    let replayed = built(&texts, &Grown::new());
    let first = built(&[], &Grown::new());
    for memory in 0..3 {
        assert_eq!(words(&replayed, memory), words(&first, memory));
    }
    assert!(!replayed.inferred_contents[0]);
}

#[test]
fn fields_are_given_one_by_one() {
    let launch = built(&["params.size=5,6", "params.scale=0.5"], &Grown::new());
    assert_eq!(words(&launch, 0), [16, 0, 5, 6, 0.5f32.to_bits(), 0]);
    assert!(launch.inferred_contents[0], "one was not given");
    let program = program();
    let refused = |binding| *check_names(&program, &spec(&[binding])).unwrap_err();
    assert_eq!(refused("params.sise=5,6").help.as_deref(), Some("did you mean `params.size`?"));
    assert!(
        refused("params.qqq=5").help.is_some()
            || refused("params.qqq=5").notes[0].contains("params.n")
    );
    let first = &candidates(&program, &spec(&[]), 0).unwrap()[0];
    let wrong = |binding| {
        let error = super::launch(&program, &spec(&[binding]), first, &Grown::new()).unwrap_err();
        error.message
    };
    assert!(wrong("params.size=5").contains("has 2 components, got 1"));
    assert!(wrong("params.n=2.5").contains("is not a value of its scalar type u32"));
}

#[test]
fn what_was_given_is_taken() {
    let given = ["params=8,1,2,0.5", "input=iota:32", "nodes=zeros:4", "image=zeros:4x4"];
    let launch = built(&given, &Grown::new());
    assert_eq!(words(&launch, 0), [8, 0, 1, 2, 0.5f32.to_bits(), 0]);
    assert_eq!(words(&launch, 1), (0..32).collect::<Vec<_>>());
    assert!(!launch.inferred_contents.contains(&true));
    assert_eq!(launch.assumptions, []);
    assert!(!launch.resources.buffer(MemoryId(1)).unwrap().elastic);
    assert_eq!(launch.limits.steps, Limits::default().steps);
    let buffers = given.map(|given| {
        let (name, spec) = given.split_once('=').unwrap();
        Flag::Buffer { name: name.to_owned(), spec: spec.to_owned() }
    });
    let flags = [Flag::Workgroups([2, 3, 1])].into_iter().chain(buffers);
    assert_eq!(launch.replay, Some(flags.collect()));
}

#[test]
fn a_guessed_buffer_grows() {
    let launch = built(&[], &Grown::from([(MemoryId(1), 1 << 16)]));
    assert_eq!(words(&launch, 1).len(), 1 << 14);
    // Contents were given without a length, so the length is still a guess.
    let launch = built(&["input=iota"], &Grown::from([(MemoryId(1), 1 << 12)]));
    assert_eq!(words(&launch, 1), (0..1 << 10).collect::<Vec<_>>());
    let variable = "input".to_owned();
    let input = Assumption::Buffer { variable, elements: Some(1024), contents: None, grown: true };
    assert_eq!(launch.assumptions[1], input);
    assert!(!launch.inferred_contents[1] && launch.inferred_lengths[1]);
}

#[test]
fn names_are_checked() {
    let program = program();
    let refused = |binding| *check_names(&program, &spec(&[binding])).unwrap_err();
    assert_eq!(refused("inputs=zeros:4").help.as_deref(), Some("did you mean `input`?"));
    assert!(refused("qqq=zeros:4").notes[0].contains("params, input, nodes, unused, image"));
    assert!(refused("tile=zeros").message.contains("starts as zeros"));
    assert!(check_names(&program, &spec(&["unused=zeros:4"])).is_ok());
    let twice = check_names(&program, &spec(&["input=zeros:4", "input=iota:4"]));
    assert!(twice.unwrap_err().message.contains("twice"));
}

#[test]
fn subgroups_are_powers_of_two() {
    let program = program();
    let spec = LaunchSpec { subgroup_size: Some(48), ..spec(&[]) };
    let first = &candidates(&program, &spec, 0).unwrap()[0];
    let error = launch(&program, &spec, first, &Grown::new()).unwrap_err();
    assert!(error.message.contains("48 lanes"));
}
