// Numbers, outcomes and tests in words, as the reports of the command have them.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(number) {
  return WHOLE.format(number);
}

/** So many of a thing. */
export function many(number, one, several = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** So many tests in so many environments. */
export function product({ tests, environments }) {
  return `${many(tests.length, "test")} in ${many(environments.length, "environment")}`;
}

/** A number of which the size matters. */
export function rough(number) {
  if (number === 0) return "0";
  return Math.abs(number) >= 100 ? count(number) : String(Number(number.toPrecision(3)));
}

/** What was measured. */
export function seconds(number) {
  return number < 60 ? `${number.toFixed(number < 10 ? 3 : 1)} s` : duration(number);
}

/** How long something may take. */
export function duration(seconds) {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

/** A share: what is little does not look like nothing, and what is not all does not look like all. */
export function share(part, of) {
  if (of === 0) return "";
  if (part > 0 && part / of < 0.0005) return "< 0.1 %";
  return part < of && part / of >= 0.9995 ? "> 99.9 %" : percent(part / of);
}

/** A moment, as the reader's clock has it. */
export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(text) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const LOCATIONS = ["x", "y", "z"];

/** What is left at the end, in a line. */
export function held({ registers, memory }) {
  const location = (at) => LOCATIONS[at] ?? `x${at}`;
  return [...registers.map((value, at) => `r${at}=${value}`), ...memory.map((value, at) => `${location(at)}=${value}`)].join(" ");
}

/** What a thread does, in the short notation: S store, L load, X exchange, R an add of 0 that reads, A add, F fence, B barrier. */
export function action({ action: does, memoryLocation: at, variable, value, useRMW }) {
  switch (does) {
    case "read": return `${variable}=${useRMW ? "R" : "L"}(${at})`;
    case "write": return `${useRMW ? "X" : "S"}(${at},${value})`;
    case "add": return `${variable}=A(${at},${value})`;
    case "fence": return "F";
    default: return "B";
  }
}

/** Where the threads and the memory of a test are. */
export function place(test) {
  const memory = `${test.atomic ? "atomics" : "plain words"} in ${test.workgroup_memory ? "workgroup memory" : "storage"}`;
  return `${memory}, ${test.one_workgroup ? "threads in one workgroup" : "threads in a workgroup each"}`;
}

const FAILURES = {
  unsuitable: "the environment does not suit the test or the device",
  "too-large": "more memory than the device has",
  refused: "the device refused the shader or a command",
  lost: "the device was lost",
  hangs: "a dispatch did not end",
  checksum: "not each instance was counted once",
  stopped: "stopped",
};

/** What a kind of failure means. */
export function failure(kind) {
  return FAILURES[kind] ?? kind;
}

const VERBS = { run: "exploration", tune: "tuning", conform: "conformance", explore: "exploration" };

/** What results were done by. */
export function verb(of) {
  return VERBS[of] ?? of;
}

/** Why nothing can be sent from here, where that is so. */
export const CLOSED = "This service takes results only from those who have its token";

/** An environment in a line. */
export function environment({ layout, parameters }) {
  const { testingWorkgroups, maxWorkgroups, workgroupSize = 256 } = parameters;
  const of = layout === "single" ? "single instances" : "parallel";
  return `${of}, ${testingWorkgroups} to ${maxWorkgroups} workgroups of ${workgroupSize}`;
}
