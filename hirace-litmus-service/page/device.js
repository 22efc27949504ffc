// Says which device tests run on, or plainly that there is none.

import { h } from "./dom.js";
import { findGpu } from "./gpu.js";

/** @returns {Promise<{gpu?: import("./gpu.js").Gpu, notice: HTMLElement}>} */
export async function device() {
  const { gpu, why } = await findGpu();
  if (!gpu) {
    return {
      notice: h("p", { class: "warning", "data-webgpu": "none" },
        `${why} Tests run on the device of this computer by WebGPU, so that nothing can be run here. `,
        h("a", { href: "#/results" }, "Results"), " and ", h("a", { href: "#/analysis" }, "their analysis"), " are here all the same."),
    };
  }
  const { name, vendor, driver } = gpu.target;
  const kind = gpu.isProcessor ? "a processor" : gpu.isPhone && "a phone's";
  const slow = kind ? ` It is ${kind}, so that sizes begin small.` : "";
  return { gpu, notice: h("p", { class: "dim", "data-webgpu": "there" }, `Device: ${name} (${vendor}), ${driver}.${slow}`) };
}
