// The selection of tests: a list with filters for kind and name, and a description of the current test.

import { fill, h, select } from "./dom.js";
import { action, many, place } from "./words.js";

const KINDS = [["", "all kinds"], ["conformance", "conformance"], ["mutant", "mutants"], ["observation", "observations"]];

export class Chooser {
  #tests;
  #chosen;
  #kind;
  #text = h("input", { id: "field-filter", type: "search", placeholder: "part of a name", oninput: () => this.#filter() });
  #list = h("ul", { class: "choices" });
  #said = h("p", { class: "dim", "aria-live": "polite" });
  #shown = h("div", { class: "test" });

  /**
   * @param {object[]} tests
   * @param {string[]} chosen names
   * @param {() => void} onchange
   */
  constructor(tests, chosen, onchange) {
    this.#tests = tests;
    this.#chosen = new Set(chosen.filter((name) => tests.some((test) => test.name === name)));
    this.#kind = select("kind", KINDS, "", () => this.#filter());
    const choose = (name, isChosen) => {
      if (isChosen) this.#chosen.add(name);
      else this.#chosen.delete(name);
      this.#say(name);
      onchange();
    };
    fill(this.#list, tests.map(({ name, kind }) => h("li", { "data-kind": kind, "data-name": name },
      h("label", {},
        h("input", {
          type: "checkbox", name: "test", value: name, checked: this.#chosen.has(name),
          onchange: (event) => choose(name, event.target.checked), onfocus: () => this.#show(name),
        }),
        " ", h("span", {}, name), " ", h("span", { class: "dim" }, kind)))));
    this.element = h("fieldset", { class: "chooser" }, h("legend", {}, "Tests"),
      h("div", { class: "fields" },
        h("div", { class: "field" }, h("label", { for: "field-kind" }, "Kind"), this.#kind),
        h("div", { class: "field" }, h("label", { for: "field-filter" }, "Name"), this.#text)),
      this.#list,
      h("p", {}, h("button", { type: "button", onclick: () => this.#all(onchange) }, "Select all listed"), " ",
        h("button", { type: "button", onclick: () => this.#none(onchange) }, "Clear selection")),
      this.#said, this.#shown);
    this.#say(this.names[0]);
  }

  /** The names of the chosen tests, in the order of the list. */
  get names() {
    return this.#tests.map((test) => test.name).filter((name) => this.#chosen.has(name));
  }

  #filter() {
    const part = this.#text.value.trim().toLowerCase();
    for (const item of this.#list.children) {
      const { kind, name } = item.dataset;
      item.hidden = (this.#kind.value !== "" && kind !== this.#kind.value) || !name.includes(part);
    }
  }

  #all(onchange) {
    for (const item of this.#list.children) if (!item.hidden) this.#chosen.add(item.dataset.name);
    this.#mark(onchange);
  }

  #none(onchange) {
    this.#chosen.clear();
    this.#mark(onchange);
  }

  #mark(onchange) {
    for (const box of this.#list.querySelectorAll("input")) box.checked = this.#chosen.has(box.value);
    this.#say();
    onchange();
  }

  #say(name) {
    this.#said.textContent = `${many(this.#chosen.size, "test")} selected`;
    if (name) this.#show(name);
  }

  #show(name) {
    const test = this.#tests.find((test) => test.name === name);
    fill(this.#shown, test && described(test));
  }
}

/** Returns the description of a test: its threads and its condition. */
export function described(test) {
  const thread = ({ actions }, at) => h("li", {}, `thread ${at}: `, h("code", {}, actions.map(action).join("; ")));
  return [
    h("p", {}, h("b", {}, test.name), ` (${test.kind}${test.conformance_test ? ` of ${test.conformance_test}` : ""}): ${place(test)}`),
    h("ul", { class: "plain" }, test.threads.map(thread)),
    h("p", {}, "condition: ", h("code", {}, test.condition)),
    h("p", { class: "dim" }, "S: store, L: load, X: exchange, R: read by an add of 0, A: add, F: fence, B: barrier"),
  ];
}
