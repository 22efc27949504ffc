// Formatting of numbers, outcomes and tests, as in the reports of the command.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(number) {
  return WHOLE.format(number);
}

/** Formats a number with a noun. */
export function many(number, one, several = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** Formats the numbers of tests and environments. */
export function product({ tests, environments }) {
  return `${many(tests.length, "test")} in ${many(environments.length, "environment")}`;
}

/** Formats a number with three significant digits. */
export function rough(number) {
  if (number === 0) return "0";
  return Math.abs(number) >= 100 ? count(number) : String(Number(number.toPrecision(3)));
}

/** Formats a measured time. */
export function seconds(number) {
  return number < 60 ? `${number.toFixed(number < 10 ? 3 : 1)} s` : duration(number);
}

/** Formats a duration or a time limit. */
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

/** Formats a fraction. A small fraction is not shown as 0 %, and one below 1 not as 100 %. */
export function share(part, of) {
  if (of === 0) return "";
  if (part > 0 && part / of < 0.0005) return "< 0.1 %";
  return part < of && part / of >= 0.9995 ? "> 99.9 %" : percent(part / of);
}

/** Formats a time in the reader's time zone. */
export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? String(text) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const LOCATIONS = ["x", "y", "z"];

/** Formats the final values of an outcome in one line. */
export function held({ registers, memory }) {
  const location = (at) => LOCATIONS[at] ?? `x${at}`;
  return [...registers.map((value, at) => `r${at}=${value}`), ...memory.map((value, at) => `${location(at)}=${value}`)].join(" ");
}

/** Formats an operation of a thread: S store, L load, X exchange, R read by an add of 0, A add, F fence, B barrier. */
export function action({ action: does, memoryLocation: at, variable, value, useRMW }) {
  switch (does) {
    case "read": return `${variable}=${useRMW ? "R" : "L"}(${at})`;
    case "write": return `${useRMW ? "X" : "S"}(${at},${value})`;
    case "add": return `${variable}=A(${at},${value})`;
    case "fence": return "F";
    default: return "B";
  }
}

/** Describes the memory and the placement of the threads of a test. */
export function place(test) {
  const memory = `${test.atomic ? "atomics" : "plain words"} in ${test.workgroup_memory ? "workgroup memory" : "storage"}`;
  return `${memory}, ${test.one_workgroup ? "threads in one workgroup" : "each thread in its own workgroup"}`;
}

const FAILURES = {
  unsuitable: "the environment does not suit the test or the device",
  "too-large": "more memory than the device has",
  refused: "the device rejected the shader or a command",
  lost: "the device was lost",
  hangs: "a dispatch did not terminate",
  checksum: "not every instance was counted exactly once",
  stopped: "stopped",
};

/** Returns the meaning of a kind of failure. */
export function failure(kind) {
  return FAILURES[kind] ?? kind;
}

/** Formats an operating system or a browser: its name and version. */
export function software(of) {
  return of ? [of.name, of.version].filter(Boolean).join(" ") : "";
}

const VERBS = { run: "exploration", tune: "tuning", conform: "conformance", explore: "exploration" };

/** Returns the name of a verb for users. */
export function verb(of) {
  return VERBS[of] ?? of;
}

/** The message of a service that accepts submissions only with its token. */
export const CLOSED = "This service accepts results only with its token";

/** Formats an environment in one line. */
export function environment({ layout, parameters }) {
  const { testingWorkgroups, maxWorkgroups, workgroupSize = 256 } = parameters;
  const of = layout === "single" ? "single instance" : "parallel";
  return `${of}, ${testingWorkgroups} to ${maxWorkgroups} workgroups of ${workgroupSize}`;
}
