// Compares the random choices of the page with those of the command line: a file of jobs, each with the dispatches of
// Rust.
//
//     node drawing.mjs FILE

import { readFileSync } from "node:fs";
import { draw, Random } from "../../page/draw.js";

const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
let dispatches = 0;
for (const { job, drawn } of cases) {
  const random = new Random(BigInt(`0x${job.seed}`));
  for (const [at, expected] of drawn.entries()) {
    const { workgroups, uniform, shuffled, targets } = draw(random, job);
    const own = { workgroups, uniform: [...uniform], shuffled: [...shuffled], targets: [...targets] };
    if (JSON.stringify(own) !== JSON.stringify(expected)) {
      console.error(`${job.tested.name}, dispatch ${at}:\n${JSON.stringify(own)}\n${JSON.stringify(expected)}`);
      process.exit(1);
    }
    dispatches += 1;
  }
}
console.log(dispatches);
