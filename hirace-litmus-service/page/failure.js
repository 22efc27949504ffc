// Why a test did not run, or not to its end: by the kinds that documents have.

export class Failure extends Error {
  /** @param {"unsuitable" | "too-large" | "refused" | "lost" | "hangs" | "checksum" | "stopped"} kind */
  constructor(kind, why) {
    super(why);
    this.kind = kind;
  }

  get why() {
    return this.message;
  }
}

/** What the service refused, as a failure of the run; nothing if it is another problem, which may pass. */
export function ofProblem(problem) {
  if (problem.status !== 422) return undefined;
  const isTooLarge = problem.kind === "too-large" || /are asked for, and there are/.test(problem.message);
  return new Failure(isTooLarge ? "too-large" : "unsuitable", problem.message);
}

const REFUSALS = ["GPUValidationError", "GPUInternalError", "GPUPipelineError", "TypeError", "RangeError"];

/** What WebGPU reported. */
export function ofError(error) {
  if (error instanceof Failure) return error;
  const name = error?.constructor?.name;
  const why = error?.message || String(error);
  if (name === "GPUOutOfMemoryError") return new Failure("too-large", `out of memory: ${why}`);
  if (REFUSALS.includes(name)) return new Failure("refused", `the shader or a command was not taken: ${why}`);
  return new Failure("lost", `the device was lost: ${why}`);
}
