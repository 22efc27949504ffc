// A test in an environment, compiled and bound, as in hirace-litmus/src/run/device.rs.

const [LOCATIONS, RESULTS, SHUFFLED, ARRIVED, , TARGETS, UNIFORM, COUNTERS] = [0, 1, 2, 3, 4, 5, 6, 7];
const UNIFORM_WORDS = 12;

/** The maximum number of bytes that are written for dispatches that are submitted at once. */
const MOST_WRITTEN = 16 << 20;

export class Ready {
  /**
   * @param {import("./gpu.js").Opened} opened
   * @param {AbortSignal} stop
   */
  static async of(opened, job, stop) {
    const buffers = [];
    try {
      await opened.checked(() => createBuffers(opened.device, job.words, buffers), stop);
      const test = await dispatch(opened, job.shaders.test, job.bindings.test, buffers, stop);
      const count = await dispatch(opened, job.shaders.count, job.bindings.count, buffers, stop);
      return new Ready(opened, job, buffers, test, count);
    } catch (error) {
      for (const buffer of buffers) buffer.destroy();
      throw error;
    }
  }

  constructor(opened, job, buffers, test, count) {
    Object.assign(this, { opened, job, buffers, test, count });
    const { maxWorkgroups } = job.environment.parameters;
    /** The number of random words of a dispatch: the uniform buffer, and two words per workgroup. */
    this.stride = UNIFORM_WORDS + 2 * maxWorkgroups;
    this.read = undefined;
    this.staging = undefined;
  }

  /** The maximum number of dispatches at once: a counter must not overflow a word, and the written bytes are limited. */
  get most() {
    const byCounters = Math.floor(0xffffffff / this.job.instances);
    return Math.max(1, Math.min(byCounters, Math.floor(MOST_WRITTEN / (this.stride * 4))));
  }

  /**
   * Runs dispatches one after the other, each on zeroed memory. @returns {Promise<Uint32Array>} the counters
   * @param {import("./draw.js").Iteration[]} iterations
   * @param {AbortSignal} stop
   */
  async iterate(iterations, stop) {
    const { opened, job } = this;
    const size = job.words.counters * 4;
    await opened.checked(() => this.#send(iterations, size), stop);
    await opened.within(this.read.mapAsync(GPUMapMode.READ), stop);
    const counted = new Uint32Array(this.read.getMappedRange()).slice();
    this.read.unmap();
    return counted;
  }

  #send(iterations, size) {
    const { device } = this.opened;
    const { buffers, stride } = this;
    this.read ??= this.#buffer(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const bytes = iterations.length * stride * 4;
    if (!this.staging || this.staging.size < bytes) {
      this.staging?.destroy();
      this.staging = this.#buffer(bytes, GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST);
    }
    const words = new Uint32Array(iterations.length * stride);
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(buffers[COUNTERS]);
    iterations.forEach(({ workgroups, uniform, shuffled, targets }, at) => {
      const start = at * stride;
      words.set(uniform, start);
      words.set(shuffled, start + UNIFORM_WORDS);
      words.set(targets, start + UNIFORM_WORDS + workgroups);
      const copy = (from, to, length) => encoder.copyBufferToBuffer(this.staging, from * 4, to, 0, length * 4);
      copy(start, buffers[UNIFORM], UNIFORM_WORDS);
      copy(start + UNIFORM_WORDS, buffers[SHUFFLED], workgroups);
      copy(start + UNIFORM_WORDS + workgroups, buffers[TARGETS], workgroups);
      for (const cleared of [LOCATIONS, RESULTS, ARRIVED]) encoder.clearBuffer(buffers[cleared]);
      pass(encoder, this.test, workgroups);
      pass(encoder, this.count, this.job.counting_workgroups);
    });
    encoder.copyBufferToBuffer(buffers[COUNTERS], 0, this.read, 0, size);
    device.queue.writeBuffer(this.staging, 0, words);
    device.queue.submit([encoder.finish()]);
  }

  #buffer(size, usage) {
    return this.opened.device.createBuffer({ size, usage });
  }

  destroy() {
    for (const buffer of [...this.buffers, this.read, this.staging]) buffer?.destroy();
  }
}

/** Creates the buffers in the order of their bindings. They are added to `buffers`, so that they can be destroyed after an error. */
function createBuffers(device, words, buffers) {
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const sizes = [
    words.locations, words.results, words.workgroups, 1, words.scratchpad, words.workgroups, UNIFORM_WORDS, words.counters,
  ];
  sizes.forEach((size, binding) => {
    buffers.push(device.createBuffer({ size: size * 4, usage: binding === UNIFORM ? uniform : storage }));
  });
}

async function dispatch(opened, code, used, buffers, stop) {
  const { device } = opened;
  const module = await opened.checked(() => device.createShaderModule({ code }), stop);
  const compute = { module, entryPoint: "main" };
  const pipeline = await opened.within(device.createComputePipelineAsync({ layout: "auto", compute }), stop);
  const entries = used.map((binding) => ({ binding, resource: { buffer: buffers[binding] } }));
  const layout = pipeline.getBindGroupLayout(0);
  const group = await opened.checked(() => device.createBindGroup({ layout, entries }), stop);
  return { pipeline, group };
}

function pass(encoder, { pipeline, group }, workgroups) {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(workgroups);
  pass.end();
}
