// The filters and the legend: both say what is drawn, and in which colour.

import { make, part, swatch } from "./dom";
import type { Model } from "./model";
import { count, day } from "./text";

const STEPS = 1000;

export class Filters {
  readonly #from = part<HTMLInputElement>("time-from");
  readonly #until = part<HTMLInputElement>("time-until");
  readonly #tag = part<HTMLInputElement>("tag");
  #descriptions: Record<string, { description?: string }> = {};
  #span: [number, number] | null = null;

  constructor(
    private readonly model: Model,
    private readonly changed: () => void,
  ) {
    this.#tag.addEventListener("input", () => {
      this.model.tag = this.#tag.value.trim();
      this.changed();
    });
    for (const slider of [this.#from, this.#until]) slider.addEventListener("input", () => this.#slide(slider));
  }

  describe(relations: Record<string, { description?: string }>): void {
    this.#descriptions = relations;
    this.#drawLegend();
  }

  /** Follow what is loaded; sliders at their ends stay there. */
  update(): void {
    this.#span = this.model.span();
    this.#applyTime();
    this.#drawLegend();
    const tags = new Set([...this.model.memories.values()].flatMap((memory) => memory.tags));
    part("tags").replaceChildren(...[...tags].sort().slice(0, 500).map((tag) => make("option", { value: tag })));
  }

  /** What the service is asked for when memories are loaded: the tag, and the types that are ticked. */
  get asked(): { tags?: string; types?: string } {
    const types = this.model.knownTypes().filter((type) => !this.model.hiddenTypes.has(type));
    return {
      ...(this.model.tag ? { tags: this.model.tag } : {}),
      ...(this.model.hiddenTypes.size && types.length ? { types: types.join(",") } : {}),
    };
  }

  #slide(moved: HTMLInputElement): void {
    if (Number(this.#from.value) > Number(this.#until.value)) {
      if (moved === this.#from) this.#until.value = moved.value;
      else this.#from.value = moved.value;
    }
    this.#applyTime();
    this.changed();
  }

  #applyTime(): void {
    const [from, until] = [this.#timeAt(this.#from), this.#timeAt(this.#until)];
    this.model.from = this.#from.value === "0" ? Number.NEGATIVE_INFINITY : from;
    this.model.until = this.#until.value === String(STEPS) ? Number.POSITIVE_INFINITY : until;
    for (const [slider, time] of [
      [this.#from, from],
      [this.#until, until],
    ] as const) {
      slider.disabled = !this.#span || this.#span[0] === this.#span[1];
      const text = this.#span ? day(time) : "no time";
      slider.setAttribute("aria-valuetext", text);
      part(`${slider.id}-text`).textContent = text;
    }
  }

  #timeAt(slider: HTMLInputElement): number {
    if (!this.#span) return 0;
    const [first, last] = this.#span;
    return first + ((last - first) * Number(slider.value)) / STEPS;
  }

  #drawLegend(): void {
    const types = tally([...this.model.memories.values()].map((memory) => memory.type), this.model.hiddenTypes);
    const relations = tally([...this.model.edges.values()].map((edge) => edge.type), this.model.hiddenRelations);
    const colourOf = new Map([...this.model.memories.values()].map((each) => [each.type, this.model.colourOf(each)]));
    keepFocus(part("types"), () => this.#rows(part("types"), "type", types, this.model.hiddenTypes, (name) => swatch(colourOf.get(name) ?? "")));
    keepFocus(part("relations"), () =>
      this.#rows(part("relations"), "relation", relations, this.model.hiddenRelations, (name) => swatch(this.model.colourOfRelation(name), "edge")),
    );
  }

  #rows(list: HTMLElement, kind: string, tallied: [string, number][], hidden: Set<string>, mark: (name: string) => HTMLElement): void {
    const rows = tallied.map(([name, number]) => {
      const box = make("input", { type: "checkbox", id: `${kind}-${name}`, checked: !hidden.has(name) });
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(name);
        else hidden.add(name);
        this.changed();
      });
      const description = kind === "relation" ? (this.#descriptions[name]?.description ?? "") : "";
      const label = make("label", { title: description || false }, box, mark(name), make("span", {}, name));
      return make("li", {}, label, make("span", { class: "number" }, count(number)));
    });
    list.replaceChildren(...(rows.length ? rows : [make("li", { class: "note" }, "none loaded")]));
  }
}

/** Names by how often they occur; what is hidden stays in the list even where nothing of it is loaded. */
function tally(names: string[], hidden: ReadonlySet<string>): [string, number][] {
  const found = new Map([...hidden].map((name): [string, number] => [name, 0]));
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found].sort(([, left], [, right]) => right - left);
}

/** Draw a part anew without losing the keyboard's place in it. */
function keepFocus(list: HTMLElement, draw: () => void): void {
  const id = list.contains(document.activeElement) ? document.activeElement?.id : undefined;
  draw();
  if (id) document.getElementById(id)?.focus();
}
