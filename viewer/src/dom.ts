// Elements are made here, with text as text: nothing in the viewer turns data into markup.

export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean>;

/** Make an element; an attribute that is false is left out, one that is true is empty. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", onClick);
  return element;
}

/** A small square in a colour that the service named; what is no colour shows nothing. */
export function swatch(colour: string, shape: "node" | "edge" = "node"): HTMLElement {
  const element = make("span", { class: `swatch ${shape}`, "aria-hidden": "true" });
  element.style.backgroundColor = colour;
  return element;
}

/** The element of the page with this id. */
export function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element "${id}"`);
  return element as Kind;
}

export function whenSubmitted(form: HTMLFormElement, action: () => void): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    action();
  });
}
