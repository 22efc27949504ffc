#!/usr/bin/env bash
# Measures the compile time of `#[hirace::monitor]`: the wall-clock time of `cargo build` for a crate of 20 kernels with the
# attribute and for the same crate without it, with dependencies already built, and the processor time of `cargo check`
# after one kernel was edited, which other load on the machine affects little. Reports the minimum of several
# runs.
#
#   scripts/compile-time.sh [FOLDER]     creates the crates in FOLDER [default: target/compile-time]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$root/target/compile-time}
runs=5

# Templates of the kernels. `[@i@]` is an index: `[i]` with the attribute, `[(i) as usize]` without it.
reduce() { cat <<'KERNEL'
/// Sums blocks.
#[hirace::monitor(workgroup_size(64))]
pub fn KERNEL(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    #[builtin(workgroup_id)] group: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[workgroup] tile: &mut [f32; 64],
) {
    tile[@lane@] = input[@gid.x@] * SEED.0;
    workgroup_barrier();
    let mut stride = 32u32;
    while stride > 0 {
        if lane < stride {
            tile[@lane@] += tile[@lane + stride@];
        }
        workgroup_barrier();
        stride /= 2;
    }
    if lane == 0 {
        output[@group.x@] = tile[@0@];
    }
}
KERNEL
}
histogram() { cat <<'KERNEL'
/// Counts how often each value occurs.
#[hirace::monitor(workgroup_size(256))]
pub fn KERNEL(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    data: &[u32],
    bins: &[Atomic<u32>],
    #[workgroup] counts: &[Atomic<u32>; 256],
) {
    counts[@lane@].store(0);
    workgroup_barrier();
    if gid.x < 4096u32 {
        let value = data[@gid.x@] ^ SEED;
        counts[@value % 256@].fetch_add(1);
    }
    workgroup_barrier();
    let count = counts[@lane@].load();
    if count != 0 {
        bins[@lane@].fetch_add(count);
    }
}
KERNEL
}
stencil() { cat <<'KERNEL'
/// Smooths a picture.
#[hirace::monitor(workgroup_size(8, 8))]
pub fn KERNEL(
    #[builtin(global_invocation_id)] gid: UVec3,
    input: &[f32],
    output: &mut [f32],
    #[uniform] size: UVec2,
) {
    if gid.x >= size.x || gid.y >= size.y {
        return;
    }
    let mut sum = 0.0;
    let mut weights = 0.0;
    for dy in -1i32..=1 {
        for dx in -1i32..=1 {
            let x = clamp(gid.x as i32 + dx, 0, size.x as i32 - 1);
            let y = clamp(gid.y as i32 + dy, 0, size.y as i32 - 1);
            let weight = if dx == 0 && dy == 0 { SEED.5 } else { 1.0 };
            sum += input[@y as u32 * size.x + x as u32@] * weight;
            weights += weight;
        }
    }
    output[@gid.y * size.x + gid.x@] = sum / weights;
}
KERNEL
}
bodies() { cat <<'KERNEL'
/// Moves bodies by their gravity.
#[hirace::monitor(workgroup_size(64))]
pub fn KERNEL(
    #[builtin(global_invocation_id)] gid: UVec3,
    #[builtin(local_invocation_index)] lane: u32,
    positions: &[Vec4],
    velocities: &mut [Vec3],
    #[workgroup] near: &mut [Vec4; 64],
) {
    let own = positions[@gid.x@];
    let mut force = Vec3::ZERO;
    for tile in 0u32..4 {
        near[@lane@] = positions[@tile * 64 + lane@];
        workgroup_barrier();
        for other in 0u32..64 {
            let body = near[@other@];
            let offset = vec3(body.x - own.x, body.y - own.y, body.z - own.z);
            let square = dot(offset, offset) + SEED.25;
            force += offset * (body.w / (square * sqrt(square)));
        }
        workgroup_barrier();
    }
    velocities[@gid.x@] += force * 0.01;
}
KERNEL
}

# write CRATE ATTRIBUTE: writes the crate with its 20 kernels, with the attribute (yes) or without it (no).
write() {
    local crate=$1 attribute=$2 number=0 name
    mkdir -p "$crate/src"
    cat > "$crate/Cargo.toml" <<TOML
[package]
name = "$(basename "$crate")"
version = "0.0.0"
edition = "2024"

[dependencies]
hirace = { path = "$root" }

[workspace]
TOML
    cp "$root/Cargo.lock" "$crate/Cargo.lock"
    : > "$crate/src/lib.rs"
    for _ in 1 2 3 4 5; do
        for kernel in reduce histogram stencil bodies; do
            number=$((number + 1))
            name=$kernel$number
            echo "pub mod k$number;" >> "$crate/src/lib.rs"
            { echo 'use hirace::prelude::*;'; $kernel; } \
                | sed "s/KERNEL/$name/; s/SEED/$number/" | with "$attribute" > "$crate/src/k$number.rs"
        done
    done
}

with() {
    if [ "$1" = yes ]; then
        sed 's/\[@\([^@]*\)@\]/[\1]/g'
    else
        sed 's/\[@\([^@]*\)@\]/[(\1) as usize]/g; /^#\[hirace::monitor/d; s/^    #\[[^]]*\] /    /'
    fi
}

# Prints the wall-clock time in milliseconds of a build of crate $1.
build() {
    local start
    start=$(date +%s%N)
    (cd "$1" && CARGO_TARGET_DIR=$work/target cargo build --quiet --offline)
    echo $((($(date +%s%N) - start) / 1000000))
}

# Prints the processor time in milliseconds of a check of crate $1.
check() {
    local TIMEFORMAT='%U %S' took
    took=$( { time (cd "$1" && CARGO_TARGET_DIR=$work/target cargo check --quiet --offline) ; } 2>&1)
    awk '{ printf "%d", ($1 + $2) * 1000 }' <<<"$took"
}

# Prints the minimum that $2, one of these functions, returns for crate $1; runs command $3 before each run.
fastest() {
    local best=999999 run took
    for run in $(seq "$runs"); do
        eval "$3"
        took=$("$2" "$1")
        [ "$took" -lt "$best" ] && best=$took
    done
    echo "$best"
}

# shellcheck disable=SC2016  # `fastest` evaluates them
clean='rm -rf "$work"/target/debug/incremental/* && touch "$1"/src/*.rs'
# shellcheck disable=SC2016
edit='sed -i "s/sum \/ weights.*/sum \/ weights + $run.0;/" "$1/src/k3.rs"'

write "$work/plain" no
write "$work/monitored" yes
for crate in plain monitored; do
    build "$work/$crate" > /dev/null
    check "$work/$crate" > /dev/null
done
plain=$(fastest "$work/plain" build "$clean")
monitored=$(fastest "$work/monitored" build "$clean")
checked_plain=$(fastest "$work/plain" check "$edit")
checked=$(fastest "$work/monitored" check "$edit")
printf '20 kernels without the attribute  %6d ms\n' "$plain"
printf '20 kernels with it                %6d ms  (%s times)\n' "$monitored" \
    "$(awk "BEGIN { printf \"%.2f\", $monitored / $plain }")"
printf 'check after editing one of them   %6d ms, without the attribute %d ms: %s ms for each kernel of the crate\n' \
    "$checked" "$checked_plain" "$(awk "BEGIN { printf \"%.1f\", ($checked - $checked_plain) / 20 }")"
