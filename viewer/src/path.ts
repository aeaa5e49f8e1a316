// The path between two memories: choosing its ends, finding it, and telling it in words.

import type { Api } from "./api";
import { button, make, part, swatch } from "./dom";
import type { Model } from "./model";
import { beginning, several } from "./text";
import type { PathAnswer } from "./types";

interface Actions {
  found(answer: PathAnswer): void;
  cleared(): void;
  open(id: string): void;
  failed(error: unknown): string;
}

export type End = "from" | "to";

export class Path {
  readonly #ends: Record<End, string | null> = { from: null, to: null };

  constructor(
    private readonly api: Api,
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    part("path-find").addEventListener("click", () => void this.find());
    part("path-clear").addEventListener("click", () => this.clear());
  }

  choose(end: End, id: string): void {
    this.#ends[end] = id;
    part<HTMLDetailsElement>("path-part").open = true;
    this.#draw();
    if (this.#ends.from && this.#ends.to) void this.find();
  }

  clear(): void {
    this.#ends.from = this.#ends.to = null;
    part("path-result").replaceChildren();
    this.#draw();
    this.actions.cleared();
  }

  /** Forget a memory that is gone. */
  forget(id: string): void {
    if (this.#ends.from === id || this.#ends.to === id) this.clear();
  }

  async find(): Promise<void> {
    const { from, to } = this.#ends;
    const result = part("path-result");
    if (!from || !to) return;
    if (from === to) {
      result.replaceChildren(make("p", {}, "These are the same memory."));
      return;
    }
    result.replaceChildren(make("p", {}, "Looking for a path…"));
    try {
      const answer = await this.api.path(from, to);
      if (from !== this.#ends.from || to !== this.#ends.to) return;
      if (answer.found) this.actions.found(answer);
      else this.actions.cleared();
      result.replaceChildren(...(answer.found ? this.#told(answer) : [make("p", {}, nothingFound(answer))]));
      result.scrollIntoView({ block: "nearest" });
    } catch (error) {
      result.replaceChildren(make("p", { role: "alert" }, this.actions.failed(error)));
    }
  }

  #told(answer: PathAnswer): HTMLElement[] {
    const text = new Map(answer.memories.map((memory) => [memory.id, beginning(memory.content, 60)]));
    const link = (id: string): HTMLElement => button(text.get(id) ?? id, () => this.actions.open(id), { class: "link" });
    const steps = answer.path.map((step) => {
      const arrow = step.direction === "in" ? "←" : "→";
      const colour = this.model.colourOfRelation(step.type);
      return make("li", {}, make("span", { class: "relation" }, swatch(colour, "edge"), `${arrow} ${step.type}`), link(step.to));
    });
    const first = answer.path[0];
    return [
      make("p", {}, `A path over ${several(answer.path.length, "edge", "edges")}:`),
      make("ol", { class: "path" }, first ? make("li", {}, link(first.from)) : null, ...steps),
    ];
  }

  #draw(): void {
    for (const end of ["from", "to"] as const) {
      const id = this.#ends[end];
      const memory = id ? this.model.memories.get(id) : undefined;
      part(`path-${end}`).textContent = memory ? beginning(memory.content, 70) : (id ?? "not chosen");
    }
    part<HTMLButtonElement>("path-find").disabled = !this.#ends.from || !this.#ends.to;
  }
}

function nothingFound(answer: PathAnswer): string {
  return `No path of at most ${several(answer.max_depth ?? 6, "edge", "edges")} joins them.`;
}
