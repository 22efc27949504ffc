// Addresses: each state of the page is one, behind the `#`, so that it can be linked and the service needs not know of it.

/**
 * @typedef {{view: string, rest: string, query: URLSearchParams}} Route
 */

/** @returns {Route} */
export function parse(hash) {
  const [path, query = ""] = split(hash.replace(/^#\/?/, ""), "?");
  const [view, rest = ""] = split(path, "/");
  return { view, rest: decoded(rest), query: new URLSearchParams(query) };
}

/** An address of a view. What has no value is left out. */
export function address(view, rest = "", query = {}) {
  const there = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  // A comma needs no escape there, and lists of tests are easier to read with it.
  const text = new URLSearchParams(there.map(([name, value]) => [name, String(value)])).toString().replaceAll("%2C", ",");
  return `#/${view}${rest === "" ? "" : `/${encodeURIComponent(rest)}`}${text && `?${text}`}`;
}

/** Has the address bar show a state, without showing it anew. */
export function replace(hash) {
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/** A whole number from an address, if it is one. */
export function wholeNumber(text) {
  return text !== null && text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Names from a list in an address. A `+` that somebody typed there is read as a space, which no name of a test has. */
export function names(text) {
  return (text ?? "").replaceAll(" ", "+").split(",").filter((name) => name !== "");
}

function split(text, at) {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
