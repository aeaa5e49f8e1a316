// The panel of one memory or one edge: reading, changing, removing.

import { ApiError, type Api } from "./api";
import { confirmed } from "./confirm";
import { button, make, part, swatch, whenSubmitted, type Child } from "./dom";
import { edgeId, type Model } from "./model";
import type { End } from "./path";
import { beginning, moment, several } from "./text";
import type { Association, Memory, MemoryChange } from "./types";

interface Actions {
  current(id: string): void;
  expand(id: string): Promise<string>;
  path(end: End, id: string): void;
  changed(memory: Memory): void;
  memoryRemoved(id: string): void;
  edgeRemoved(id: string): void;
  loaded(memory: Memory): void;
  closed(): void;
  failed(error: unknown): string;
}

const SHOWN_APART = new Set(["memory1_id", "memory2_id", "type", "strength", "created_at", "updated_at"]);

export class Details {
  readonly #panel = part("detail");
  #turn = 0;
  #edgeCount = "";

  constructor(
    private readonly api: Api,
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  get open(): boolean {
    return !this.#panel.hidden;
  }

  close(): void {
    this.#turn += 1;
    if (this.#panel.hidden) return;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    this.actions.closed();
  }

  async memory(id: string, message = ""): Promise<void> {
    const turn = this.#begin("Memory");
    this.actions.current(id);
    try {
      const [{ memory }, { associations, has_more }] = await Promise.all([this.api.memory(id), this.api.associations(id)]);
      if (turn !== this.#turn) return;
      this.actions.loaded(memory);
      this.#fill("Memory", ...this.#memory(memory), ...this.#edges(id, associations, has_more));
      this.#say(message);
    } catch (error) {
      if (!this.#gone(turn, error, id)) this.#failed(turn, "Memory", error, () => void this.memory(id));
    }
  }

  async edge(source: string, type: string, target: string): Promise<void> {
    const turn = this.#begin("Edge");
    try {
      const { association } = await this.api.association(source, type, target);
      if (turn === this.#turn) this.#fill("Edge", ...this.#edge(association));
    } catch (error) {
      this.#failed(turn, "Edge", error, () => void this.edge(source, type, target));
    }
  }

  #begin(title: string): number {
    this.#turn += 1;
    this.#panel.hidden = false;
    this.#fill(title, make("p", { class: "note" }, "Loading…"));
    this.#panel.focus();
    return this.#turn;
  }

  #failed(turn: number, title: string, error: unknown, retry: () => void): void {
    const message = this.actions.failed(error);
    if (turn === this.#turn) this.#fill(title, make("p", { role: "alert" }, message), button("Retry", retry));
  }

  #fill(title: string, ...children: Child[]): void {
    const close = button("×", () => this.close(), { class: "close", "aria-label": "Close" });
    const head = make("div", { class: "title" }, make("h2", {}, title), close);
    this.#panel.replaceChildren(head, ...children.filter((child) => child !== null), make("p", { id: "detail-said", role: "status" }));
  }

  #say(message: string): void {
    const said = document.getElementById("detail-said");
    if (said) said.textContent = message;
  }

  #memory(memory: Memory): HTMLElement[] {
    const facts: [string, Child][] = [
      ["Type", make("span", {}, swatch(this.model.colourOf(memory)), memory.type)],
      ["Importance", String(round(memory.importance))],
      ["Confidence", memory.confidence === undefined ? null : String(round(memory.confidence))],
      ["Tags", memory.tags.length ? make("span", { class: "tags" }, ...memory.tags.map((tag) => make("span", { class: "tag" }, tag))) : "none"],
      ["When", moment(memory.timestamp)],
      ["Changed", memory.updated_at === memory.timestamp ? null : moment(memory.updated_at)],
      ["Last read", memory.last_accessed ? moment(memory.last_accessed) : null],
      ["True from", memory.t_valid && memory.t_valid !== memory.timestamp ? moment(memory.t_valid) : null],
      ["True until", memory.t_invalid ? moment(memory.t_invalid) : null],
      ["Archived", memory.archived ? "yes" : null],
      ["Id", make("code", {}, memory.id)],
    ];
    const metadata = memory.metadata ?? {};
    const parts = [make("p", { class: "content" }, memory.content), table(facts)];
    if (Object.keys(metadata).length) parts.push(make("h3", {}, "Metadata"), make("pre", { tabindex: 0 }, JSON.stringify(metadata, null, 2)));
    const expand = button("Expand neighbours", () => void this.#expand(memory.id));
    parts.push(
      make(
        "div",
        { class: "buttons" },
        expand,
        button("Path from here", () => this.actions.path("from", memory.id)),
        button("Path to here", () => this.actions.path("to", memory.id)),
        button("Edit", () => this.#edit(memory)),
        button("Delete", () => void this.#remove(memory), { class: "danger" }),
      ),
    );
    return parts;
  }

  #edges(id: string, associations: Association[], more: boolean): HTMLElement[] {
    const rows = associations.map((each) => {
      const out = each.memory1_id === id;
      const other = this.model.memories.get(out ? each.memory2_id : each.memory1_id);
      const text = other ? beginning(other.content, 60) : "a memory that is not loaded";
      const open = button("", () => void this.edge(each.memory1_id, each.type, each.memory2_id), {
        class: "edge",
        "aria-label": `Edge ${each.type} ${out ? "to" : "from"} ${text}, strength ${round(each.strength)}`,
      });
      open.append(
        make("span", { class: "relation" }, swatch(this.model.colourOfRelation(each.type), "edge"), `${out ? "→" : "←"} ${each.type}`),
        make("span", { class: "number" }, String(round(each.strength))),
        make("span", { class: "text" }, text),
      );
      return make("li", {}, open);
    });
    this.#edgeCount = more ? "edges" : several(associations.length, "edge", "edges");
    const title = more ? "Edges (the first 500)" : `Edges (${associations.length})`;
    return [make("h3", {}, title), rows.length ? make("ul", { class: "edges" }, ...rows) : make("p", { class: "note" }, "none")];
  }

  #edge(edge: Association): HTMLElement[] {
    const end = (id: string): HTMLElement => {
      const memory = this.model.memories.get(id);
      return button(memory ? beginning(memory.content, 120) : id, () => void this.memory(id), { class: "link" });
    };
    const own = Object.entries(edge).filter(([name]) => !SHOWN_APART.has(name));
    const facts: [string, Child][] = [
      ["Type", make("span", { class: "relation" }, swatch(this.model.colourOfRelation(edge.type), "edge"), edge.type)],
      ["From", end(edge.memory1_id)],
      ["To", end(edge.memory2_id)],
      ["Strength", String(round(edge.strength))],
      ["When", edge.created_at ? moment(edge.created_at) : "unknown"],
      ["Changed", edge.updated_at && edge.updated_at !== edge.created_at ? moment(edge.updated_at) : null],
      ...own.map(([name, value]): [string, Child] => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ];
    const remove = button("Remove edge", () => void this.#removeEdge(edge), { class: "danger" });
    return [table(facts), make("div", { class: "buttons" }, remove)];
  }

  #edit(memory: Memory): void {
    const content = make("textarea", { id: "edit-content", rows: 8, required: true });
    content.value = memory.content;
    const importance = make("input", { id: "edit-importance", type: "number", min: 0, max: 1, step: "any", required: true });
    importance.value = String(memory.importance);
    const tags = make("input", { id: "edit-tags", type: "text", autocomplete: "off", spellcheck: "false" });
    tags.value = memory.tags.join(", ");
    const form = make(
      "form",
      { class: "stack", "aria-label": "Edit the memory" },
      make("label", { for: "edit-content" }, "Content"),
      content,
      make("label", { for: "edit-importance" }, "Importance, 0 to 1"),
      importance,
      make("label", { for: "edit-tags" }, "Tags, separated by commas"),
      tags,
      make("div", { class: "buttons" }, make("button", { class: "primary" }, "Save"), button("Cancel", () => void this.memory(memory.id))),
    );
    whenSubmitted(form, () => {
      const wanted = tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
      void this.#save(memory, {
        ...(content.value === memory.content ? {} : { content: content.value }),
        ...(Number(importance.value) === memory.importance ? {} : { importance: Number(importance.value) }),
        ...(wanted.join() === memory.tags.join() ? {} : { tags: wanted }),
      });
    });
    this.#fill("Edit", form);
    content.focus();
  }

  async #save(memory: Memory, change: MemoryChange): Promise<void> {
    const turn = this.#turn;
    try {
      if (Object.keys(change).length) await this.api.change(memory.id, change);
      this.actions.changed({ ...memory, ...change });
      if (turn === this.#turn) await this.memory(memory.id, "Saved.");
    } catch (error) {
      if (!this.#gone(turn, error, memory.id)) this.#told(turn, error);
    }
  }

  async #expand(id: string): Promise<void> {
    const turn = this.#turn;
    this.#say("Looking for neighbours…");
    try {
      const said = await this.actions.expand(id);
      if (turn === this.#turn) await this.memory(id, said);
    } catch (error) {
      if (!this.#gone(turn, error, id)) this.#told(turn, error);
    }
  }

  async #remove(memory: Memory): Promise<void> {
    const turn = this.#turn;
    if (!(await confirmed(`Delete “${beginning(memory.content, 80)}” and its ${this.#edgeCount}? This cannot be undone.`, "Delete memory"))) return;
    try {
      await this.api.remove(memory.id);
      this.actions.memoryRemoved(memory.id);
      if (turn === this.#turn) this.close();
    } catch (error) {
      if (!this.#gone(turn, error, memory.id)) this.#told(turn, error);
    }
  }

  async #removeEdge(edge: Association): Promise<void> {
    const turn = this.#turn;
    if (!(await confirmed(`Remove this ${edge.type} edge? The memories stay.`, "Remove"))) return;
    try {
      await this.api.removeAssociation(edge.memory1_id, edge.type, edge.memory2_id);
      this.actions.edgeRemoved(edgeId(edge.memory1_id, edge.type, edge.memory2_id));
      if (turn === this.#turn) await this.memory(edge.memory1_id, "The edge is removed.");
    } catch (error) {
      this.#told(turn, error);
    }
  }

  /** Take away a memory that somebody else has deleted meanwhile, and say so. */
  #gone(turn: number, error: unknown, id: string): boolean {
    if (!(error instanceof ApiError) || error.status !== 404) return false;
    this.actions.memoryRemoved(id);
    if (turn === this.#turn) this.#fill("Memory", make("p", { role: "alert" }, "This memory is no longer there: somebody else has deleted it."));
    return true;
  }

  #told(turn: number, error: unknown): void {
    const message = this.actions.failed(error);
    if (turn === this.#turn) this.#say(message);
  }
}

function table(facts: [string, Child][]): HTMLElement {
  const rows = facts.filter(([, value]) => value !== null);
  return make("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

const round = (value: number): number => Math.round(value * 100) / 100;
