// The keyboard on the drawing.

import type { Drawing } from "./drawing";
import type { Model } from "./model";

interface Actions {
  current(): string | null;
  move(id: string): void;
  open(id: string): void;
  close(): void;
}

const DIRECTIONS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

export class Keys {
  #turn: { around: string; seen: number } | null = null;

  constructor(
    area: HTMLElement,
    private readonly model: Model,
    private readonly drawing: Drawing,
    private readonly actions: Actions,
  ) {
    area.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.#act(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #act(key: string): boolean {
    const direction = DIRECTIONS[key];
    if (direction) this.#move(direction);
    else if (key === "n" || key === "N") this.#next();
    else if (key === "Enter") this.#open();
    else if (key === "Escape") this.actions.close();
    else if (key === "+" || key === "=") this.drawing.zoom(1.4);
    else if (key === "-") this.drawing.zoom(1 / 1.4);
    else if (key === "0") this.drawing.fit();
    else return false;
    return true;
  }

  /** Go to the neighbour that lies this way; where there is none, to the nearest memory that does. */
  #move(direction: { x: number; y: number }): void {
    this.#turn = null;
    const current = this.actions.current();
    const shown = this.model.shown();
    if (!current) {
      if (shown[0]) this.actions.move(shown[0].id);
      return;
    }
    const others = (): string[] => shown.map(({ id }) => id).filter((id) => id !== current);
    const next =
      this.drawing.towards(current, this.model.neighboursOf(current), direction) ??
      this.drawing.towards(current, others(), direction);
    if (next) this.actions.move(next);
  }

  /** Go through the neighbours of one memory, the strongest edge first. */
  #next(): void {
    const around = this.#turn?.around ?? this.actions.current();
    if (!around) return;
    const neighbours = this.model.neighboursOf(around);
    if (!neighbours.length) return;
    const seen = this.#turn?.seen ?? 0;
    this.actions.move(neighbours[seen % neighbours.length] ?? around);
    this.#turn = { around, seen: seen + 1 };
  }

  #open(): void {
    const current = this.actions.current();
    if (current) this.actions.open(current);
  }
}
