//! Generation of WGSL for a prefix sum.

use super::{PrefixSumSize, Protocol};

impl Protocol {
    /// Returns the WGSL of a prefix sum; its entry point is `main`. Its buffers are initially zero: `next` (the number of
    /// parts that workgroups have taken), `flags` (a word for each part: 1 if its own sum is published, 2 if its whole
    /// prefix is, in the two highest bits), `sums` (the result) and, except for [`Protocol::Packed`], `published` (two sums
    /// for each part).
    pub fn wgsl(self, size: &PrefixSumSize) -> String {
        let PrefixSumSize { workgroup_size, max_loop_iterations, .. } = size;
        let published = "@group(0) @binding(3) var<storage, read_write> published: array<u32>;\n";
        let fence = if self == Self::SplitFenced { "\n    storageBarrier();" } else { "" };
        let publish = |flag: u32, condition: &str, sum: &str| match self {
            Self::Packed => {
                format!(
                    "    if {condition} {{ atomicStore(&flags[own], ({flag}u << 30u) | ({sum})); }}"
                )
            }
            Self::Split | Self::SplitFenced => format!(
                "    if {condition} {{ published[2u * own + {}u] = {sum}; }}{fence}
    if {condition} {{ atomicStore(&flags[own], {flag}u << 30u); }}",
                flag - 1
            ),
        };
        let (declared, read) = match self {
            Self::Packed => ("", "seen & 0x3fffffffu".to_owned()),
            Self::Split | Self::SplitFenced => {
                (published, "workgroupUniformLoad(&word)".to_owned())
            }
        };
        let load = match self {
            Self::Packed => String::new(),
            Self::Split | Self::SplitFenced => format!(
                "{}\n        if lane == 0u {{ word = published[2u * (at - 1u) + flag - 1u]; }}",
                fence.replace("    ", "        ")
            ),
        };
        let own_sum = publish(1, "lane == 0u", "total");
        let prefix = publish(2, "lane == 0u && at == 0u", "before + total");
        format!(
            "@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;
{declared}
var<workgroup> part: u32;
var<workgroup> tile: array<u32, {workgroup_size}>;
var<workgroup> state: u32;
var<workgroup> word: u32;

fn element(index: u32) -> u32 {{
    return 1u + ((index * 0x9e3779b1u) >> 28u);
}}

@compute @workgroup_size({workgroup_size})
fn main(@builtin(local_invocation_index) lane: u32) {{
    if lane == 0u {{ part = atomicAdd(&next, 1u); }}
    let own = workgroupUniformLoad(&part);
    // The prefix sums within the part.
    tile[lane] = element(own * {workgroup_size}u + lane);
    for (var distance = 1u; distance < {workgroup_size}u; distance *= 2u) {{
        workgroupBarrier();
        var sum = tile[lane];
        if lane >= distance {{ sum += tile[lane - distance]; }}
        workgroupBarrier();
        tile[lane] = sum;
    }}
    workgroupBarrier();
    let total = tile[{workgroup_size}u - 1u];
{own_sum}
    // The look-back: `at` parts are not summed yet.
    var at = own;
    var before = 0u;
    for (var i = 0u; i < {max_loop_iterations}u; i++) {{
        if at == 0u {{ break; }}
        if lane == 0u {{ state = atomicLoad(&flags[at - 1u]); }}
        let seen = workgroupUniformLoad(&state);
        let flag = seen >> 30u;
        if flag == 0u {{ continue; }}{load}
        before += {read};
        at = select(at - 1u, 0u, flag == 2u);
    }}
{prefix}
    if at == 0u {{ sums[own * {workgroup_size}u + lane] = before + tile[lane]; }}
}}
"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_program::front::wgsl;

    #[test]
    fn each_protocol_is_a_shader() {
        let size = PrefixSumSize { workgroups: 4, workgroup_size: 8, max_loop_iterations: 100 };
        for (name, protocol) in Protocol::NAMED {
            let text = protocol.wgsl(&size);
            wgsl::parse("sum.wgsl", &text)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            let fences = if protocol == Protocol::SplitFenced { 3 } else { 0 };
            assert_eq!(text.matches("storageBarrier").count(), fences, "{text}");
            assert_eq!(text.contains("published"), protocol != Protocol::Packed);
            assert_eq!(protocol.name(), name);
        }
    }
}
