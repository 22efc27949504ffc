// The random choices of each dispatch: bit for bit those of hirace-litmus/src/run/iteration.rs, in the same order, so
// that a seed gives the same dispatches in a browser as on the command line. This file does not use the DOM: node runs
// it, too.

/** SplitMix64. Its 64-bit state is kept as two 32-bit halves, because BigInt is too slow for a shuffle of many workgroups. */
export class Random {
  #high;
  #low;

  /** @param {bigint} seed */
  constructor(seed) {
    this.#high = Number((seed >> 32n) & 0xffffffffn);
    this.#low = Number(seed & 0xffffffffn);
    /** The halves of the last 64 bits. */
    this.high = 0;
    this.low = 0;
  }

  /** Computes the next 64 bits, as `high` and `low`. */
  #next() {
    const sum = this.#low + 0x7f4a7c15;
    this.#low = sum >>> 0;
    this.#high = (this.#high + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    let high = this.#high;
    let low = this.#low;
    [high, low] = [high ^ (high >>> 30), low ^ ((low >>> 30) | (high << 2))];
    high = times(high, low, 0xbf58476d, 0x1ce4e5b9);
    low = Math.imul(low, 0x1ce4e5b9);
    [high, low] = [high ^ (high >>> 27), low ^ ((low >>> 27) | (high << 5))];
    high = times(high, low, 0x94d049bb, 0x133111eb);
    low = Math.imul(low, 0x133111eb);
    this.high = (high ^ (high >>> 31)) >>> 0;
    this.low = (low ^ ((low >>> 31) | (high << 1))) >>> 0;
  }

  /** Returns 64 random bits. @returns {bigint} */
  bits() {
    this.#next();
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /**
   * Returns a number below `bound`, of the type of `bound`; 0 if `bound` is 0. A `number` must be below 2^32.
   * @template {number | bigint} N
   * @param {N} bound
   * @returns {N}
   */
  below(bound) {
    if (typeof bound === "bigint") return /** @type {N} */ ((this.bits() * bound) >> 64n);
    this.#next();
    // The high 64 bits of bits × bound, in halves of `bound`, so that each product and sum is exact in a double.
    const upper = bound >>> 16;
    const lower = bound & 0xffff;
    const carried = upperHalf(this.low, upper, lower, 0);
    return /** @type {N} */ (upperHalf(this.high, upper, lower, carried));
  }
}

/** Returns (word × (upper × 2^16 + lower) + added) / 2^32, rounded down, for 32-bit words and 16-bit halves. */
function upperHalf(word, upper, lower, added) {
  return Math.floor((word * upper + Math.floor((word * lower + added) / 0x10000)) / 0x10000);
}

/** Returns the high word of a product of 64-bit numbers modulo 2^64. */
function times(high, low, factorHigh, factorLow) {
  const word = low >>> 0;
  const carried = upperHalf(word, factorLow >>> 16, factorLow & 0xffff, 0);
  return (Math.imul(high, factorLow) + Math.imul(low, factorHigh) + carried) | 0;
}

/**
 * @typedef {{workgroups: number, uniform: Uint32Array, shuffled: Uint32Array, targets: Uint32Array}} Iteration
 */

/**
 * Draws the next dispatch of a sequence. `job` is the response of the service for a test in an environment.
 * @param {Random} random
 * @returns {Iteration}
 */
export function draw(random, job) {
  const { parameters } = job.environment;
  const often = (percent) => random.below(100) < percent;
  const isShuffled = often(parameters.shufflePct);
  const isInTurns = often(parameters.stressStrategyBalancePct);
  // The order of these is the order of the draws.
  const uniform = Uint32Array.of(
    Number(often(parameters.barrierPct)),
    Number(often(parameters.memStressPct)),
    parameters.memStressIterations,
    pattern(often(parameters.memStressStoreFirstPct), often(parameters.memStressStoreSecondPct)),
    Number(often(parameters.preStressPct)),
    parameters.preStressIterations,
    pattern(often(parameters.preStressStoreFirstPct), often(parameters.preStressStoreSecondPct)),
    job.permutation.first,
    job.second,
    parameters.testingWorkgroups,
    parameters.memStride,
    job.offset,
  );
  const least = parameters.testingWorkgroups;
  const workgroups = least + random.below(parameters.maxWorkgroups - least + 1);
  const shuffled = new Uint32Array(workgroups);
  for (let at = 0; at < workgroups; at++) shuffled[at] = at;
  if (isShuffled) shuffle(random, shuffled);
  return { workgroups, uniform, shuffled, targets: targets(random, parameters, workgroups, isInTurns) };
}

/** Returns the number of a pattern of two accesses: 0 is two stores, 3 is two loads. */
function pattern(firstStores, secondStores) {
  return 2 * Number(!firstStores) + Number(!secondStores);
}

/** Shuffles the items (Fisher-Yates). */
function shuffle(random, items) {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const item = items[at];
    items[at] = items[other];
    items[other] = item;
  }
}

/** Returns the word that each workgroup stresses: one word in each of a few regions, assigned round-robin or in chunks. */
function targets(random, parameters, workgroups, isInTurns) {
  const line = parameters.stressLineSize;
  const regions = someOf(random, Math.floor(parameters.scratchMemorySize / line), parameters.stressTargetLines);
  const words = regions.map((region) => region * line + random.below(line));
  const count = words.length;
  const all = new Uint32Array(workgroups);
  for (let at = 0; at < workgroups; at++) {
    all[at] = words[isInTurns ? at % count : Math.floor(at * count / workgroups)];
  }
  return all;
}

/** Returns distinct numbers below `all` in ascending order (Floyd's sampling). */
function someOf(random, all, count) {
  const chosen = new Set();
  for (let last = all - count; last < all; last++) {
    const number = random.below(last + 1);
    chosen.add(chosen.has(number) ? last : number);
  }
  return [...chosen].sort((a, b) => a - b);
}
