//! SPIR-V that exceeds limits, written as words.

use super::{Case, Checked, Rejected};

pub const CASES: &[Case] = &[
    (
        "vector_of_billions",
        "spv",
        || spirv(&[&[TYPE_VECTOR, 10, UINT, 1 << 31], &[NULL, 10, 11]]),
        Rejected("OpTypeVector"),
    ),
    (
        "matrix_of_billions",
        "spv",
        || {
            let column = [TYPE_VECTOR, 11, 10, 4];
            spirv(&[
                &[TYPE_FLOAT, 10, 32],
                &column,
                &[TYPE_MATRIX, 12, 11, u32::MAX],
                &[NULL, 12, 13],
            ])
        },
        Rejected("OpTypeMatrix"),
    ),
    (
        "array_of_billions",
        "spv",
        || spirv(&[&[CONSTANT, UINT, 10, u32::MAX], &[TYPE_ARRAY, 11, UINT, 10], &[NULL, 11, 12]]),
        Rejected("OpTypeArray"),
    ),
    ("structures_that_double", "spv", || doubling(28), Rejected("1,000,000 members")),
    ("ids_of_billions", "spv", || ids_below(u32::MAX), Rejected("SPIR-V's limit")),
    ("lines_of_many_files", "spv", lines, Checked),
    ("long_names", "spv", long_names, Checked),
    (
        "nested_selections",
        "spv",
        || selections(3_000),
        Rejected("may nest at most 400 levels deep"),
    ),
    ("many_cases", "spv", || cases(16_000), Checked),
];

const NAME: u32 = 5;
const STRING: u32 = 7;
const LINE: u32 = 8;
const TYPE_FLOAT: u32 = 22;
const TYPE_VECTOR: u32 = 23;
const TYPE_MATRIX: u32 = 24;
const TYPE_ARRAY: u32 = 28;
const TYPE_STRUCT: u32 = 30;
const CONSTANT: u32 = 43;
const NULL: u32 = 46;

/// The ids that every module here has; those from 10 on are free.
const VOID: u32 = 1;
const UINT: u32 = 2;
const SIGNATURE: u32 = 3;
const MAIN: u32 = 4;
const BEGIN: u32 = 5;
const BOOL: u32 = 6;
const TRUE: u32 = 7;
const ZERO: u32 = 8;

/// Returns a module with an empty entry point and these declarations, given as opcodes and operands.
fn spirv(declarations: &[&[u32]]) -> Vec<u8> {
    module(declarations, &[])
}

/// Returns structures, each with two members of the previous type.
fn doubling(times: u32) -> Vec<u8> {
    let first = vec![TYPE_STRUCT, 10, UINT];
    let others = (0..times).map(|n| vec![TYPE_STRUCT, 11 + n, 10 + n, 10 + n]);
    let all: Vec<Vec<u32>> = std::iter::once(first).chain(others).collect();
    spirv(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Returns a module with this id bound in its header.
fn ids_below(bound: u32) -> Vec<u8> {
    let mut module = spirv(&[]);
    module.splice(12..16, bound.to_le_bytes());
    module
}

/// Returns a module with high line numbers in many files.
fn lines() -> Vec<u8> {
    let files = 10..3_000;
    let names = files.clone().map(|id| vec![STRING, id, id]);
    let lines = files.map(|id| vec![LINE, id, 1 << 20, 1]);
    let all: Vec<Vec<u32>> = names.chain(lines).collect();
    spirv(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Returns many constants of a type with a long name.
fn long_names() -> Vec<u8> {
    let name = [vec![NAME, UINT], vec![0x6161_6161; 60_000], vec![0]].concat();
    let constants = (0..100_000).map(|n| vec![CONSTANT, UINT, 10 + n, n]);
    let all: Vec<Vec<u32>> = std::iter::once(name).chain(constants).collect();
    spirv(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Returns nested selections.
fn selections(depth: u32) -> Vec<u8> {
    let (inside, behind) = (|n: u32| 10 + n, |n: u32| 10 + depth + n);
    let mut body = Vec::new();
    for n in 0..depth {
        body.push(vec![247, behind(n), 0]);
        body.push(vec![250, TRUE, inside(n), behind(n)]);
        body.push(vec![248, inside(n)]);
    }
    for n in (0..depth).rev() {
        body.push(vec![249, behind(n)]);
        body.push(vec![248, behind(n)]);
    }
    module(&[], &body)
}

/// Returns a switch with this number of cases.
fn cases(number: u32) -> Vec<u8> {
    let behind = 10 + number;
    let of_cases = (0..number).flat_map(|n| [n, 10 + n]);
    let mut body = vec![vec![247, behind, 0]];
    body.push([251, ZERO, behind].into_iter().chain(of_cases).collect());
    for n in 0..number {
        body.push(vec![248, 10 + n]);
        body.push(vec![249, behind]);
    }
    body.push(vec![248, behind]);
    module(&[], &body)
}

fn module(declarations: &[&[u32]], body: &[Vec<u32>]) -> Vec<u8> {
    let main = u32::from_le_bytes(*b"main");
    // Names and lines precede types.
    let is_debug = |declared: &&&[u32]| matches!(declared[0], NAME | STRING);
    let before: Vec<&[u32]> = declarations.iter().filter(is_debug).copied().collect();
    let behind = declarations.iter().filter(|one| !is_debug(one)).copied();
    let entry = [15, 5, MAIN, main, 0];
    let mut all: Vec<&[u32]> = vec![&[17, 1], &[14, 0, 1], &entry, &[16, MAIN, 17, 1, 1, 1]];
    all.extend(before);
    all.push(&[19, VOID]);
    all.push(&[21, UINT, 32, 0]);
    all.push(&[20, BOOL]);
    all.push(&[41, BOOL, TRUE]);
    all.push(&[CONSTANT, UINT, ZERO, 0]);
    all.push(&[33, SIGNATURE, VOID]);
    all.extend(behind);
    all.push(&[54, VOID, MAIN, 0, SIGNATURE]);
    all.push(&[248, BEGIN]);
    all.extend(body.iter().map(Vec::as_slice));
    all.push(&[253]);
    all.push(&[56]);
    let mut words = vec![0x0723_0203, 0x1_0300, 0, 300_000, 0];
    for instruction in all {
        words.push((instruction.len() as u32) << 16 | instruction[0]);
        words.extend(&instruction[1..]);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
