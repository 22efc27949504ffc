// Says which device tests run on, or plainly that there is none.

import { h } from "./dom.js";
import { findGpu } from "./gpu.js";

/** @returns {Promise<{gpu?: import("./gpu.js").Gpu, notice: HTMLElement}>} */
export async function device() {
  const { gpu, why } = await findGpu();
  if (!gpu) {
    return {
      notice: h("p", { class: "warning", "data-webgpu": "none" },
        `${why} Tests run on the device of this computer by WebGPU, so nothing can be run here. `,
        h("a", { href: "#/results" }, "Results"), " and ", h("a", { href: "#/analysis" }, "their analysis"), " are here all the same."),
    };
  }
  const { name, vendor, driver } = gpu.target;
  const kind = gpu.isProcessor ? "It runs on the CPU" : gpu.isPhone && "It is a phone's GPU";
  const slow = kind ? ` ${kind}, so small sizes are preset.` : "";
  return { gpu, notice: h("p", { class: "dim", "data-webgpu": "there" }, `Device: ${name} (${vendor}), ${driver}.${slow}`) };
}
