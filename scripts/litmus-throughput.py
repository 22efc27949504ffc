#!/usr/bin/env python3
"""Measures litmus test instances per second: of `hirace litmus run` on llvmpipe, and of headless Chromium on SwiftShader.

    scripts/litmus-throughput.py HIRACE [ROUNDS]

Both run the same shaders in the same environments, alternating on one machine. The browser runs them in two ways: as the page of
GPUHarbor does, reading the counts after each dispatch, and as fast as possible, reading the counts once after many dispatches.
"""
import http.server
import json
import statistics
import subprocess
import sys
import tempfile
import threading

TEST = "mp-two-locations"
SIZES = ["--set", "testingWorkgroups=32", "--set", "maxWorkgroups=32", "--set", "workgroupSize=32"]
STRESS = ["--set", "preStressIterations=16", "--set", "memStressIterations=16"]
ENVIRONMENTS = {
    "basic": ["--preset", "basic", *SIZES],
    "stress": ["--preset", "stress", *SIZES, *STRESS],
}
ITERATIONS = 2000
# The number of dispatches before counts are read; a browser does not keep more in flight.
AT_ONCE = 100

PAGE = """<!doctype html><title>throughput</title><script type="module">
const { test, count, parameters, permutation, counters, registers, locations, iterations, atOnce } = JOB;
const report = async (of) => { await fetch("/report", { method: "POST", body: JSON.stringify(of) }); };
try {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const { testingWorkgroups, maxWorkgroups, workgroupSize, memStride, scratchMemorySize } = parameters;
  const instances = testingWorkgroups * workgroupSize;
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffer = (words, usage = storage) => device.createBuffer({ size: words * 4, usage });
  const buffers = [instances * locations * memStride, instances * registers, maxWorkgroups, 1, scratchMemorySize, maxWorkgroups]
    .map((words) => buffer(words));
  buffers.push(buffer(12, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST), buffer(counters));
  const read = buffer(counters, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  const made = (code, used) => {
    const pipeline = device.createComputePipeline({ layout: "auto", compute: { module: device.createShaderModule({ code }), entryPoint: "main" } });
    const entries = used.map((binding) => ({ binding, resource: { buffer: buffers[binding] } }));
    return { pipeline, bound: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
  };
  const passes = [[made(test, [0, 1, 2, 3, 4, 5, 6]), maxWorkgroups], [made(count, [0, 1, 6, 7]), testingWorkgroups]];
  const often = (name) => Number(Math.random() * 100 < parameters[name]);
  const pattern = (first, second) => 2 * (1 - often(first)) + (1 - often(second));
  const write = () => {
    const p = parameters;
    device.queue.writeBuffer(buffers[6], 0, new Uint32Array([often("barrierPct"), often("memStressPct"), p.memStressIterations,
      pattern("memStressStoreFirstPct", "memStressStoreSecondPct"), often("preStressPct"), p.preStressIterations,
      pattern("preStressStoreFirstPct", "preStressStoreSecondPct"), permutation.first, permutation.second, testingWorkgroups,
      memStride, memStride]));
    const shuffled = Uint32Array.from({ length: maxWorkgroups }, (_, at) => at);
    for (let at = maxWorkgroups - 1; at > 0 && Math.random() * 100 < p.shufflePct; at--) {
      const other = Math.floor(Math.random() * (at + 1));
      [shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]];
    }
    device.queue.writeBuffer(buffers[2], 0, shuffled);
    device.queue.writeBuffer(buffers[5], 0, new Uint32Array(maxWorkgroups).map((_, at) => (at % 2) * 64));
  };
  const dispatch = () => {
    write();
    const encoder = device.createCommandEncoder();
    for (const at of [0, 1, 3]) encoder.clearBuffer(buffers[at]);
    for (const [{ pipeline, bound }, workgroups] of passes) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bound);
      pass.dispatchWorkgroups(workgroups);
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
  };
  const counted = async () => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers[7], 0, read, 0, counters * 4);
    encoder.clearBuffer(buffers[7]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const sum = new Uint32Array(read.getMappedRange()).reduce((sum, count) => sum + count, 0);
    read.unmap();
    return sum;
  };
  const run = async (atOnce) => {
    let all = 0;
    const began = performance.now();
    for (let done = 0; done < iterations; done += atOnce) {
      for (let turn = 0; turn < atOnce; turn++) dispatch();
      all += await counted();
    }
    if (all !== instances * iterations) throw new Error(`${all} outcomes of ${instances * iterations} instances`);
    return all / (performance.now() - began) * 1000;
  };
  dispatch();
  await counted();
  const { vendor, architecture, description } = adapter.info;
  await report({ adapter: [vendor, architecture, description].join(" ").trim(), each: await run(1), most: await run(atOnce) });
} catch (error) { await report({ error: String(error) }); }
</script>"""


def hirace(binary, *words):
    ended = subprocess.run([binary, "litmus", *words], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(ended.stderr)
    return ended.stdout


def in_browser(job):
    """Runs a job in the browser and returns the page's report."""
    reported = {}
    done = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = PAGE.replace("JOB", json.dumps(job)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def do_POST(self):
            length = int(self.headers["Content-Length"])
            reported.update(json.loads(self.rfile.read(length)))
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = ["--headless", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = f"http://127.0.0.1:{server.server_address[1]}/"
        browser = subprocess.Popen(["chromium", *flags, f"--user-data-dir={profile}", page],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        is_done = done.wait(600)
        browser.terminate()
        browser.wait()
    server.shutdown()
    if not is_done or "error" in reported:
        sys.exit(f"the browser: {reported.get('error', 'no report within ten minutes')}")
    return reported


def main():
    binary, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print(f"{TEST}, {ITERATIONS} dispatches of 32 workgroups of 32; instances per second, median of {rounds} rounds\n")
    print("| environment | hirace, llvmpipe | Chromium, counts read after each dispatch | ratio | Chromium, read after "
          f"{AT_ONCE} | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for name, flags in ENVIRONMENTS.items():
        shaders = hirace(binary, "show", TEST, "--format", "wgsl", *flags).split("// Counts outcomes:")
        rows = []
        for _ in range(rounds):
            result = json.loads(hirace(binary, "run", TEST, "--device", "llvmpipe", "--format", "json", "--iterations",
                                       str(ITERATIONS), *flags))
            run = result["runs"][0]
            job = {
                "test": shaders[0], "count": shaders[1], "parameters": result["environments"][0]["parameters"],
                "permutation": result["settings"]["permutation"], "counters": 37, "registers": 2, "locations": 2,
                "iterations": ITERATIONS, "atOnce": AT_ONCE,
            }
            browser = in_browser(job)
            ours = run["instances"] / result["timing"]["runs"][0]
            rows.append((ours, browser["each"], ours / browser["each"], browser["most"], ours / browser["most"]))
        ours, each, ratio, most, least = (statistics.median(column) for column in zip(*rows))
        print(f"| {name} | {ours:,.0f} | {each:,.0f} | {ratio:.1f} | {most:,.0f} | {least:.1f} |")
    print(f"\nChromium's adapter: {browser['adapter']}")


main()
