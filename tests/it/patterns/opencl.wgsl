// What OpenCL C says otherwise than WGSL, or leaves undefined: every invocation leaves one word for each.

struct Point { at: vec3f, mass: f32, tag: vec3u }
struct Sums { total: atomic<u32>, most: atomic<i32>, points: array<Point> }

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> threes: array<vec3f>;
@group(0) @binding(3) var<storage, read_write> sums: Sums;
@group(0) @binding(4) var<storage, read_write> pairs: array<mat3x2f, 2>;
@group(0) @binding(5) var<storage> numbers: array<i32>;
@group(0) @binding(6) var<uniform> origin: vec3f;
@group(0) @binding(7) var<uniform> scale: u32;

var<workgroup> tile: array<vec3f, 8>;
var<private> place: u32;
const WEIGHTS = array(vec2f(1.0, 2.0), vec2f(4.0, 8.0));
const LEAST = -2147483647 - 1;

fn leave(value: u32) {
    out[place] = value;
    place += 1u;
}

fn leave_signed(value: i32) {
    leave(bitcast<u32>(value));
}

fn moved(by: ptr<function, vec3f>, index: u32) -> Point {
    (*by)[index] += 1.0;
    return Point(*by, (*by).x, vec3u(index));
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    place = id.x * 64u;
    let number = numbers[id.x];
    let word = bitcast<u32>(number);

    // Integers wrap, and whatever is divided by zero stays what it is.
    leave_signed(number + 2147483647);
    leave_signed(number * 1103515245);
    leave_signed(-(number + LEAST));
    leave_signed(number / (number % 2));
    leave_signed((LEAST + number - number) / (number % 2 - 1));
    leave_signed(number % (number % 3));
    leave(word / (word % 2u));
    leave(word % (word % 3u));
    let divided = vec3i(number, LEAST, 7) / vec3i(number % 2, numbers[2], numbers[0]);
    leave_signed(divided.x);
    leave_signed(divided.y);
    leave_signed(divided.z);
    leave(word << (word % 32u));
    leave_signed(number >> (word % 32u));
    let shifted = vec2i(number) >> vec2u(word % 32u, 1u);
    leave_signed(shifted.x + shifted.y);

    // Numbers that fit no integer.
    let large = f32(number) * 1e9;
    leave_signed(i32(large));
    leave(u32(large));
    leave(u32(vec2f(large, -large).y));
    leave(u32(number > 3) + u32(bool(number % 2)));
    leave(bitcast<u32>(f32(word)));

    // Vectors, and what holds of their components.
    let two = vec2f(f32(number), 1.5);
    let holds = two > vec2f(1.0, 2.0);
    leave(u32(holds.x) + 2u * u32(any(holds)) + 4u * u32(all(!holds)));
    leave(select(1u, 2u, vec2<bool>(number > 1, true).x));
    leave(select(vec2u(1u), vec2u(2u), holds).x);
    leave(vec4u(word, 1u, 2u, 3u)[word % 4u]);
    leave(vec4u(word, 1u, 2u, 3u).wzyx.x);
    leave_signed(dot(vec3i(number), vec3i(1, 2, 3)));
    leave(vec3u(holds.xyx).z);

    // Bits.
    leave(reverseBits(word));
    leave_signed(extractBits(number, word % 32u, 5u));
    leave(insertBits(word, 7u, word % 40u, 20u));
    leave(unpack4xU8(word).z + pack4xU8(vec4u(word)));
    leave(countOneBits(word));
    leave(countLeadingZeros(word));
    leave(countTrailingZeros(word & 0xf0u));
    leave(firstTrailingBit(word & 0xf0u));
    leave(firstLeadingBit(word));
    leave_signed(firstLeadingBit(number));
    leave_signed(abs(number) + sign(number) + sign(vec2i(number, -number)).y);
    leave_signed(clamp(number, -2, 2) + min(number, 3) + max(number, 5));

    // A loop that goes on in the midst, within cases that fall through to nothing. Of a number that is known to have two
    // bits compilers make one that has no others, and Oclgrind compares more: so it is one of any.
    var sum = 0u;
    for (var turn = 0u; turn < 8u; turn++) {
        switch bitcast<u32>(numbers[(turn + id.x) % 16u]) {
            case 0u, 1u: { sum += turn; }
            case 2u: { continue; }
            default: { if turn == 6u { break; } sum += 100u; }
        }
        sum += 1000u;
    }
    leave(sum);

    // Memory: what is beside must stay.
    var by = vec3f(1.0, 2.0, f32(word % 8u));
    sums.points[id.x] = moved(&by, word % 3u);
    sums.points[id.x].mass = 5.0;
    sums.points[id.x].tag.y = word;
    threes[id.x].y = by.z;
    threes[id.x][word % 2u * 2u] = 7.0;
    tile[local] = threes[id.x] + origin * f32(scale);
    workgroupBarrier();
    floats[id.x * 8u] = tile[7u - local].x + tile[7u - local].z;
    if id.x < 2u {
        pairs[id.x][1] = WEIGHTS[word % 2u];
        pairs[id.x][2].y = 3.0;
    }
    let pair = pairs[min(id.x, 1u)];
    floats[id.x * 8u + 1u] = select(0.0, (pair * vec3f(1.0, 2.0, 3.0)).y, id.x < 2u);
    let product = transpose(mat2x2f(1.0, 2.0, 3.0, 4.0)) * mat2x2f(two, two.yx) * 2.0;
    floats[id.x * 8u + 2u] = (vec2f(1.0, 2.0) * product).x + product[1].y;
    floats[id.x * 8u + 3u] = two.x % 2.5 + round(two.y) + fract(-two.x * 0.3);
    floats[id.x * 8u + 4u] = mix(two.x, two.y, 0.25) + sqrt(two.y) + length(vec3f(two, 1.0));
    var points = array(sums.points[id.x], Point());
    points[word % 2u].mass += 1.0;
    let copied = points;
    floats[id.x * 8u + 5u] = copied[1].mass + copied[0].at.y + f32(copied[word % 2u].tag.y % 100u);
    leave(arrayLength(&sums.points) + arrayLength(&threes));

    // Atomics.
    atomicAdd(&sums.total, word % 5u);
    atomicMax(&sums.most, number);
    let exchanged = atomicCompareExchangeWeak(&sums.total, 0xffffffffu, 1u);
    leave(u32(exchanged.exchanged));
}
