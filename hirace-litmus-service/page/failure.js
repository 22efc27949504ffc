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

/** Why the service says that a test cannot run in an environment, as a failure of the run; nothing if it is another problem. */
export function ofProblem(problem) {
  return problem.kind ? new Failure(problem.kind, problem.message) : undefined;
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
