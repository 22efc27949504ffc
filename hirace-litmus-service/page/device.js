// The notice about the device that tests run on, or that there is none.

import { h } from "./dom.js";
import { findGpu } from "./gpu.js";

/** @returns {Promise<{gpu?: import("./gpu.js").Gpu, notice: HTMLElement}>} */
export async function device() {
  const { gpu, reason } = await findGpu();
  if (!gpu) {
    return {
      notice: h("p", { class: "warning", "data-webgpu": "none" },
        `${reason} Tests use WebGPU to run on the GPU of this computer, so no test can run here. `,
        h("a", { href: "#/results" }, "Results"), " and ", h("a", { href: "#/analysis" }, "their analysis"), " are still available."),
    };
  }
  const { name, vendor, driver } = gpu.target;
  const kind = gpu.isProcessor ? "This device is a CPU" : gpu.isPhone && "This device is the GPU of a phone";
  const slow = kind ? ` ${kind}, so the presets have small sizes.` : "";
  return { gpu, notice: h("p", { class: "dim", "data-webgpu": "there" }, `Device: ${name} (${vendor}), ${driver}.${slow}`) };
}
