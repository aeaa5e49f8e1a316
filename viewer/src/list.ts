// The list of memories beside the drawing: what the drawing shows, for the keyboard and for screen readers.

import { make, part, swatch } from "./dom";
import type { Model } from "./model";
import { beginning, count } from "./text";
import type { Memory } from "./types";

const PAGE = 200;

interface Actions {
  current(id: string): void;
  open(id: string): void;
  all(): void;
}

export class List {
  readonly #list = part<HTMLUListElement>("list");
  readonly #more = part<HTMLButtonElement>("list-more");
  #memories: Memory[] = [];
  #items = new Map<string, HTMLElement>();
  #current: string | null = null;

  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("click", (event) => {
      const item = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (item?.dataset["id"]) actions.open(item.dataset["id"]);
    });
    this.#more.addEventListener("click", () => this.#draw(this.#items.size + PAGE));
    part("list-all").addEventListener("click", () => actions.all());
  }

  update(): void {
    const hits = this.model.hits.flatMap((id) => this.model.memories.get(id) ?? []).filter((each) => this.model.shows(each));
    const found = this.model.hits.length > 0;
    this.#memories = found ? hits : this.model.shown();
    if (!found) this.#memories.sort((left, right) => (right.timestamp ?? "").localeCompare(left.timestamp ?? ""));
    part("list-title").textContent = `${found ? "Found" : "Memories"} (${count(this.#memories.length)})`;
    part("list-all").hidden = !found;
    this.#draw(Math.max(PAGE, this.#items.size));
  }

  select(id: string | null): void {
    if (this.#current) this.#items.get(this.#current)?.setAttribute("aria-selected", "false");
    this.#current = id;
    const item = id ? this.#items.get(id) : undefined;
    if (!item) {
      this.#list.removeAttribute("aria-activedescendant");
      return;
    }
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    this.#list.setAttribute("aria-activedescendant", item.id);
  }

  focus(): void {
    this.#list.focus();
  }

  #draw(wanted: number): void {
    const shown = this.#memories.slice(0, wanted);
    this.#items = new Map(shown.map((memory, place) => [memory.id, this.#item(memory, place)]));
    this.#list.replaceChildren(...this.#items.values());
    const left = this.#memories.length - shown.length;
    this.#more.hidden = left <= 0;
    this.#more.textContent = `Show ${count(Math.min(left, PAGE))} more of ${count(left)}`;
    this.select(this.#current);
  }

  #item(memory: Memory, place: number): HTMLElement {
    return make(
      "li",
      { role: "option", id: `option-${place}`, "data-id": memory.id, "aria-selected": false },
      swatch(this.model.colourOf(memory)),
      make("span", { class: "text" }, beginning(memory.content, 90)),
      make("span", { class: "kind" }, memory.type),
    );
  }

  #onKey(event: KeyboardEvent): void {
    const ids = [...this.#items.keys()];
    const place = this.#current ? ids.indexOf(this.#current) : -1;
    const next: Record<string, number> = {
      ArrowDown: Math.min(place + 1, ids.length - 1),
      ArrowUp: Math.max(place - 1, 0),
      PageDown: Math.min(place + 10, ids.length - 1),
      PageUp: Math.max(place - 10, 0),
      Home: 0,
      End: ids.length - 1,
    };
    const id = ids[next[event.key] ?? -1];
    if (id) this.actions.current(id);
    else if (event.key === "Enter" && this.#current) this.actions.open(this.#current);
    else return;
    event.preventDefault();
  }
}
