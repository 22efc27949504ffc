// Requests to the API of the service. Its OpenAPI description has the routes.

/** An error in the communication between this page and the service. */
export class Problem extends Error {
  /** @param {{status: number, title: string, detail?: string, location?: string, kind?: string}} of `status` is 0 if the service could not be reached */
  constructor({ status, title, detail, location, kind }) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.location = location;
    this.kind = kind;
  }

  /** Whether a retry may succeed. */
  get isPassing() {
    // 507 is a full disk: it persists until someone frees space.
    return [0, 408, 429].includes(this.status) || (this.status >= 500 && this.status !== 507);
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, title: "cannot reach the service" });
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Problem({ ...problem, status: response.status, title: problem.title || `the service responded with status ${response.status}` });
}

export async function get(path, query = {}) {
  return (await ask(path + queryText(query), { headers: { accept: "application/json" } })).json();
}

export async function getText(path, query = {}) {
  return (await ask(path + queryText(query))).text();
}

/** Sends JSON: a value, or JSON text. */
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

/** Requests data only once that does not change while the page is open. */
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

/** Returns whether submissions need the token. If this cannot be determined now, the submission itself reports the error. */
export async function isClosed() {
  const { closed } = await get("/api/health").catch(() => ({}));
  return closed === true;
}

/** Requests everything that is needed to run a test in an environment. */
export function job(of) {
  return post("/api/jobs", of);
}
