// DOM elements. Text is only inserted as text nodes: nothing from the service or from users is ever parsed as HTML.

/**
 * Creates an element with attributes and children. Functions are listeners for `on…` attributes, `true` is an attribute
 * without a value, and false, null and undefined are omitted.
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked") element[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

function nodes(children) {
  const isThere = (child) => child !== null && child !== undefined && child !== false;
  return children.flat(Infinity).filter(isThere);
}

/**
 * Creates a table in a box that scrolls on narrow screens. The first cell of a row is its header.
 * @param {string} label
 * @param {(string | Node)[]} head
 * @param {(string | Node | null)[][]} rows
 */
export function table(label, head, rows, attributes = {}) {
  const cell = (content, at) => at === 0 ? h("th", { scope: "row" }, content) : h("td", {}, content);
  return scrolling(label, h("table", attributes,
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))));
}

/** Creates a box with scrolling content. It can be focused, so that the arrow keys scroll it. */
export function scrolling(label, ...children) {
  return h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, ...children);
}

/** Creates a list of terms and their values. @param {[string, string | Node | null | undefined][]} pairs */
export function facts(pairs) {
  const there = pairs.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  return h("dl", {}, there.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]));
}

export function badge(kind, text) {
  return h("span", { class: `badge ${kind}` }, text);
}

export function warning(...children) {
  return h("p", { class: "warning" }, ...children);
}

/** Creates a control to select one of several options. @param {[string, string][]} options value and text */
export function select(name, options, value, onchange) {
  const option = ([of, text]) => h("option", { value: of, selected: of === value }, text);
  return h("select", { id: `field-${name}`, name, onchange }, options.map(option));
}

/** Creates a labeled control with a help text below it. */
export function field(label, control, help) {
  const helpId = help && `${control.id}-help`;
  if (helpId) control.setAttribute("aria-describedby", helpId);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control,
    help && h("span", { class: "help", id: helpId }, help));
}

export function input(name, value, attributes = {}) {
  return h("input", { id: `field-${name}`, name, value, ...attributes });
}

/** Creates a control for an integer. */
export function number(name, value, min, max, attributes = {}) {
  return input(name, value, { type: "number", inputmode: "numeric", min, max, step: 1, ...attributes });
}

/**
 * Creates a labeled control for a JSON file. `read` gets the text of a chosen file and returns the message to show, or throws
 * an error, which is shown at the control.
 * @param {(text: string) => string | Promise<string>} read
 */
export function fileField(label, name, help, read) {
  const said = h("span", { id: `field-${name}-said`, role: "status", class: "dim" });
  const control = h("input", {
    id: `field-${name}`, name, type: "file", accept: ".json,application/json", "aria-errormessage": said.id,
    onchange: async ({ target }) => {
      const [file] = target.files;
      if (!file) return;
      const show = (text, isWrong) => {
        said.textContent = text;
        said.className = isWrong ? "wrong" : "dim";
        target.setAttribute("aria-invalid", String(isWrong));
      };
      try {
        show(await read(await file.text()), false);
      } catch (error) {
        show(`${file.name}: ${error.message}`, true);
      }
      // The same file can be chosen again when it has been changed.
      target.value = "";
    },
  });
  const element = field(label, control, help);
  element.append(said);
  return element;
}

/** A live region for messages. Screen readers read a message when it changes; repeating the same message has no effect. */
export class Messages {
  element = h("div", { role: "status" });

  say(text, kind = "dim") {
    if (this.element.textContent !== text) fill(this.element, h("p", { class: kind }, text));
  }
}

/** Announces a text to users of screen readers. */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place) place.textContent = text;
}
