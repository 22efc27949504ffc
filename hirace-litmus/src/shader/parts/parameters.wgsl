struct Parameters {
    do_barrier: u32,
    mem_stress: u32,
    mem_stress_iterations: u32,
    mem_stress_pattern: u32,
    pre_stress: u32,
    pre_stress_iterations: u32,
    pre_stress_pattern: u32,
    permute_first: u32,
    permute_second: u32,
    testing_workgroups: u32,
    mem_stride: u32,
    location_offset: u32,
}

@group(0) @binding(2) var<storage, read> shuffled_workgroups: array<u32>;
@group(0) @binding(6) var<uniform> parameters: Parameters;
