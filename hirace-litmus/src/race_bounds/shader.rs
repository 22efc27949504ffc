//! Generation of WGSL for tests of the bounds of data races.

use super::{FIRST, LATER, Memory, RaceBoundsSize, RaceBoundsTest, SECOND, Use};

impl RaceBoundsTest {
    /// Returns the WGSL of a test; its entry point is `main`. Its buffers are initially zero: `results` (two words for each element) and,
    /// if the race is on storage memory, `racing` (the elements).
    pub fn wgsl(self, size: &RaceBoundsSize) -> String {
        let workgroup_size = size.workgroup_size;
        let (declared, base, barrier) = match self.memory {
            Memory::Storage => (
                "@group(0) @binding(1) var<storage, read_write> racing: array<u32>;".to_owned(),
                "first_element + ",
                "storageBarrier",
            ),
            Memory::Workgroup => (
                format!("var<workgroup> racing: array<u32, {workgroup_size}>;"),
                "",
                "workgroupBarrier",
            ),
        };
        let read = |name: &str| format!("    let {name} = racing[{base}lane];");
        let write = format!("    racing[{base}lane] = {LATER}u;");
        let after = match self.after {
            Use::ReadRead => [read("first"), read("second")].to_vec(),
            Use::ReadWrite => [read("first"), write, read("second")].to_vec(),
            Use::WriteRead => [write, read("first"), read("second")].to_vec(),
        };
        let after = after.join("\n");
        format!(
            "@group(0) @binding(0) var<storage, read_write> results: array<u32>;
{declared}

@compute @workgroup_size({workgroup_size})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
    let first_element = group.x * {workgroup_size}u;
    // The race: two invocations write each element.
    racing[{base}lane] = {FIRST}u;
    racing[{base}(lane + {half}u) % {workgroup_size}u] = {SECOND}u;
    // Its end.
    {barrier}();
    // Each element is used by one invocation.
{after}
    results[2u * (first_element + lane)] = first;
    results[2u * (first_element + lane) + 1u] = second;
}}
",
            half = workgroup_size / 2
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_program::front::wgsl;

    #[test]
    fn each_test_is_a_shader() {
        let size = RaceBoundsSize { workgroups: 4, workgroup_size: 8 };
        for (name, test) in RaceBoundsTest::NAMED {
            let text = test.wgsl(&size);
            wgsl::parse("race.wgsl", &text)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            let is_storage = test.memory == Memory::Storage;
            assert_eq!(text.contains("storageBarrier"), is_storage, "{text}");
            assert_eq!(text.contains("var<workgroup>"), !is_storage, "{text}");
            let writes = text.matches("] = 3u").count();
            assert_eq!(writes, usize::from(test.after != Use::ReadRead), "{text}");
            assert_eq!(test.name(), name);
        }
    }
}
