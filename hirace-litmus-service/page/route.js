// Addresses: each state of the page has an address after the `#`, so that it can be linked without involving the
// service.

/**
 * @typedef {{view: string, rest: string, query: URLSearchParams}} Route
 */

/** @returns {Route} */
export function parse(hash) {
  const [path, query = ""] = split(hash.replace(/^#\/?/, ""), "?");
  const [view, rest = ""] = split(path, "/");
  return { view, rest: decoded(rest), query: new URLSearchParams(query) };
}

/** Returns the address of a view. Parameters without a value are omitted. */
export function address(view, rest = "", query = {}) {
  const there = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  // Commas need no escaping there, and lists of tests are easier to read with them.
  const text = new URLSearchParams(there.map(([name, value]) => [name, String(value)])).toString().replaceAll("%2C", ",");
  return `#/${view}${rest === "" ? "" : `/${encodeURIComponent(rest)}`}${text && `?${text}`}`;
}

/** Shows a state in the address bar without reloading the view. */
export function replace(hash) {
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/** Parses an integer from an address; returns undefined if it is not one. */
export function wholeNumber(text) {
  return text !== null && text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Parses a list of names from an address. A literal `+` is decoded as a space, which no name of a test contains. */
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
