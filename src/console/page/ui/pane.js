// The pane beside a list: what is known about the selected item, and what can be done with it.

import { button, copy, h } from "./dom.js";
import { attempt, describe } from "./notify.js";
import { pairs } from "./dialog.js";

const pane = () => document.getElementById("pane");
let generation = 0;

/** Shows the pane. `fill` gets its body and may wait; what it adds after another item was selected is dropped. */
export async function showPane({ icon, title, subtitle, actions = [] }, fill) {
  const mine = ++generation;
  const body = h("div", { class: "pane-body" });
  const close = button("Close details (Esc)", hidePane, { icon: "close", iconOnly: true, kind: "quiet" });
  const head = h("header", {}, icon, h("div", { class: "pane-title" }, h("h2", { title }, title), subtitle && h("p", {}, subtitle)), close);
  pane().replaceChildren(head, h("div", { class: "pane-actions" }, actions), body);
  pane().hidden = false;
  document.body.classList.add("has-pane");
  const add = (...nodes) => mine === generation && body.append(...nodes.filter(Boolean));
  try {
    await fill(add, () => mine === generation);
  } catch (error) {
    add(h("p", { class: "problem" }, describe(error)));
  }
}

/** Hides the pane. Returns true if it was shown. */
export function hidePane() {
  generation++;
  const was = !pane().hidden;
  pane().hidden = true;
  pane().replaceChildren();
  document.body.classList.remove("has-pane");
  if (was) document.querySelector("#main .grid")?.focus({ preventScroll: true });
  return was;
}

/** A part of the pane that can be folded. `open` parts are unfolded; `fill`, if given, is called when the part is first unfolded. */
export function section(title, content, { open = true, count, fill } = {}) {
  const body = h("div", { class: "section-body" }, content);
  const summary = h("summary", {}, title, count !== undefined && count !== "" && h("span", { class: "count" }, String(count)));
  const element = h("details", { class: "section", open }, summary, body);
  if (fill) {
    let filled = false;
    const start = () => {
      if (filled || !element.open) return;
      filled = true;
      attempt(() => fill(body));
    };
    element.addEventListener("toggle", start);
    start();
  }
  return element;
}

/** Names and values. A click copies a value. */
export function properties(entries) {
  const rows = entries
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => [
      h("dt", {}, name),
      h("dd", {}, value instanceof Node ? value : h("button", { type: "button", class: "value", title: "Copy", onclick: () => copy(String(value), `${name} copied`) }, String(value))),
    ]);
  return h("dl", {}, rows);
}

/** Pairs that can be edited, with a button that saves them. */
export function editablePairs(entries, save, labels) {
  const editor = pairs(entries, labels);
  const send = button("Save", () => attempt(() => save(editor.read()), "Saved"), { kind: "small" });
  return h("div", {}, editor.element, h("div", { class: "section-foot" }, send));
}
