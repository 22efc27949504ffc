// What the service says. See its documentation for the routes.

/** Something went wrong between this page and the service. */
export class Problem extends Error {
  /** @param {{status: number, title: string, detail?: string, at?: string, kind?: string}} of status is 0 if the service could not be reached */
  constructor({ status, title, detail, at, kind }) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.at = at;
    this.kind = kind;
  }

  /** Whether it may be over in a while. */
  get isPassing() {
    // 507 is a full disk: it stays so until somebody makes room.
    return [0, 408, 429].includes(this.status) || (this.status >= 500 && this.status !== 507);
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, title: "the service cannot be reached" });
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem({ ...problem, status: response.status, title: problem.title || `the service answered ${response.status}` });
}

export async function get(path, query = {}) {
  return (await ask(path + queryText(query), { headers: { accept: "application/json" } })).json();
}

export async function getText(path, query = {}) {
  return (await ask(path + queryText(query))).text();
}

/** Sends JSON: a value, or a text that is JSON already. */
export async function post(path, body, options = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await ask(path, { method: "POST", headers, body: text, ...options });
  return response.status === 204 ? {} : response.json();
}

export function queryText(query) {
  const there = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(there).toString();
  return text && `?${text}`;
}

const known = new Map();

/** What does not change while the page is open is asked for once. */
function once(path, query) {
  const key = path + queryText(query);
  if (!known.has(key)) {
    const answer = get(path, query);
    answer.catch(() => known.delete(key));
    known.set(key, answer);
  }
  return known.get(key);
}

export async function tests(specification = "wgsl") {
  return (await once("/api/tests", { specification })).tests;
}

export function presets() {
  return once("/api/presets", {});
}

export async function environments(query) {
  return (await once("/api/environments", query)).environments;
}

/** Whether results are taken only from those who have the token. If that cannot be asked now, sending says what is wrong. */
export async function isClosed() {
  const { closed } = await get("/api/health").catch(() => ({}));
  return closed === true;
}

/** What is needed to run a test in an environment. */
export function job(of) {
  return post("/api/jobs", of);
}
