// Failures: the reason why a test did not run, or not completely. The kinds are those of result documents.

export class Failure extends Error {
  /** @param {"unsuitable" | "too-large" | "refused" | "lost" | "hangs" | "checksum" | "stopped"} kind */
  constructor(kind, reason) {
    super(reason);
    this.kind = kind;
  }

  get reason() {
    return this.message;
  }
}

/** Converts a problem of a job request into a failure of the run; returns nothing if it is another kind of problem. */
export function ofProblem(problem) {
  return problem.kind ? new Failure(problem.kind, problem.message) : undefined;
}

const REFUSALS = ["GPUValidationError", "GPUInternalError", "GPUPipelineError", "TypeError", "RangeError"];

/** Converts an error of WebGPU into a failure. */
export function ofError(error) {
  if (error instanceof Failure) return error;
  const name = error?.constructor?.name;
  const reason = error?.message || String(error);
  if (name === "GPUOutOfMemoryError") return new Failure("too-large", `out of memory: ${reason}`);
  if (REFUSALS.includes(name)) return new Failure("refused", `the device rejected the shader or a command: ${reason}`);
  return new Failure("lost", `the device was lost: ${reason}`);
}
