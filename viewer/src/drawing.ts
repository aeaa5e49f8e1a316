// The drawing: memories as discs, edges as lines in the colour of their type, on a canvas.

import cytoscape, { type Core, type StylesheetJson } from "cytoscape";
import { Layout, type Place } from "./layout";
import type { Model } from "./model";
import { beginning } from "./text";
import type { Memory } from "./types";

export interface Marks {
  current: string | null;
  hits: ReadonlySet<string>;
  pathMemories: ReadonlySet<string>;
  pathEdges: ReadonlySet<string>;
}

interface Actions {
  open(id: string): void;
  openEdge(id: string): void;
}

// Above these, lines are drawn straight and then without arrow heads, which keeps the first drawing quick.
const MANY_EDGES = 800;
const VERY_MANY_EDGES = 6000;
const CLOSEST_FIT = 1.3;

export class Drawing {
  readonly #cy: Core;
  readonly #layout = new Layout();
  readonly #places = new Map<string, Place>();
  #marked = new Map<string, string>();
  // What the view was last made to fit; null since a person moved it.
  #fitted: { ids: string[] | null } | null = { ids: null };

  constructor(
    private readonly container: HTMLElement,
    private readonly model: Model,
    actions: Actions,
  ) {
    this.#cy = cytoscape({
      container,
      style: styles(),
      minZoom: 0.02,
      maxZoom: 6,
      boxSelectionEnabled: false,
      autounselectify: true,
      pixelRatio: Math.min(devicePixelRatio, 2),
    });
    this.#cy.on("tap", "node", (event) => actions.open(event.target.id() as string));
    this.#cy.on("tap", "edge", (event) => actions.openEdge(event.target.id() as string));
    this.#cy.on("free", "node", (event) => this.#places.set(event.target.id() as string, { ...event.target.position() }));
    for (const kind of ["wheel", "pointerdown"]) {
      container.addEventListener(kind, () => (this.#fitted = null), { passive: true });
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#cy.style(styles()));
    new ResizeObserver(() => this.#resized()).observe(container);
  }

  /** Draw what the model holds; with `afresh`, everything finds its place anew and the view fits it. */
  update(afresh = false): void {
    if (afresh) {
      this.#places.clear();
      this.#fitted = { ids: null };
    }
    const edges = this.model.shownEdges();
    const added = this.#write(edges.length);
    this.show();
    if (!added && !afresh) return;
    this.container.dataset["layout"] = "running";
    const nodes = this.model.shown().map((memory) => ({ id: memory.id, size: sizeOf(memory) }));
    this.#layout.start(nodes, edges, this.#places, (places, done) => this.#publish(places, done));
  }

  /** Show and hide by the filters. */
  show(): void {
    const [memories, edges] = [this.model.memories, this.model.edges];
    this.#cy.batch(() => {
      for (const node of this.#cy.nodes()) {
        const memory = memories.get(node.id());
        node.toggleClass("hidden", !memory || !this.model.shows(memory));
      }
      for (const line of this.#cy.edges()) {
        const edge = edges.get(line.id());
        line.toggleClass("hidden", !edge || !this.model.showsEdge(edge));
      }
    });
  }

  /** Mark elements; only those whose marks change are touched, for each change is drawn anew. */
  mark(marks: Marks): void {
    const wanted = this.#marksOf(marks);
    this.#cy.batch(() => {
      for (const id of new Set([...this.#marked.keys(), ...wanted.keys()])) {
        const [before, after] = [this.#marked.get(id) ?? "", wanted.get(id) ?? ""];
        if (before !== after) this.#cy.getElementById(id).removeClass(before).addClass(after);
      }
    });
    this.#marked = wanted;
    this.container.dataset["current"] = marks.current ?? "";
  }

  #marksOf({ current, hits, pathMemories, pathEdges }: Marks): Map<string, string> {
    const found = new Map<string, string>();
    const add = (id: string, mark: string): void => void found.set(id, `${found.get(id) ?? ""} ${mark}`.trim());
    const { memories, edges } = this.model;
    if (pathMemories.size) {
      for (const id of memories.keys()) add(id, pathMemories.has(id) ? "path" : "faded");
      for (const id of edges.keys()) add(id, pathEdges.has(id) ? "path" : "faded");
    } else if (hits.size) {
      for (const id of memories.keys()) if (!hits.has(id)) add(id, "dim");
      for (const { id, source, target } of edges.values()) if (!hits.has(source) || !hits.has(target)) add(id, "dim");
    }
    for (const id of hits) add(id, "hit");
    if (!current) return found;
    add(current, "current");
    for (const id of this.model.neighboursOf(current)) add(id, "near");
    for (const { id } of this.model.edgesOf(current)) add(id, "own");
    return found;
  }

  /** Bring a memory into view when it is out of sight. */
  reveal(id: string): void {
    const node = this.#cy.getElementById(id);
    if (node.empty()) return;
    const { x, y } = node.renderedPosition();
    const [width, height] = [this.#cy.width(), this.#cy.height()];
    if (x < 40 || y < 40 || x > width - 40 || y > height - 40) this.#cy.center(node);
  }

  /** Of some memories, the one that lies best in this direction from another; null when none does. */
  towards(from: string, among: string[], direction: Place): string | null {
    const start = this.#cy.getElementById(from).position();
    let best: [number, string] | null = null;
    for (const id of among) {
      const node = this.#cy.getElementById(id);
      if (node.empty()) continue;
      const [x, y] = [node.position().x - start.x, node.position().y - start.y];
      const distance = Math.hypot(x, y) || 1;
      const cosine = (x * direction.x + y * direction.y) / distance;
      const fit = distance / cosine;
      if (cosine > 0.3 && (!best || fit < best[0])) best = [fit, id];
    }
    return best && best[1];
  }

  zoom(factor: number): void {
    this.#fitted = null;
    const middle = { x: this.#cy.width() / 2, y: this.#cy.height() / 2 };
    this.#cy.zoom({ level: this.#cy.zoom() * factor, renderedPosition: middle });
  }

  fit(ids: string[] | null = null): void {
    this.#fitted = { ids };
    const wanted = new Set(ids ?? []);
    const visible = this.#cy.elements().filter((each) => !each.hasClass("hidden") && (!ids || wanted.has(each.id())));
    if (visible.empty()) return;
    this.#cy.fit(visible, 50);
    if (this.#cy.zoom() <= CLOSEST_FIT) return;
    this.#cy.zoom(CLOSEST_FIT);
    this.#cy.center(visible);
  }

  /** Bring the drawn elements in line with the model; tells whether anything was added. */
  #write(edgeCount: number): boolean {
    const { memories, edges } = this.model;
    let added = false;
    this.#cy.batch(() => {
      this.#cy.elements().filter((each) => !memories.has(each.id()) && !edges.has(each.id())).remove();
      for (const id of this.#places.keys()) if (!memories.has(id)) this.#places.delete(id);
      for (const memory of memories.values()) {
        const data = {
          id: memory.id,
          label: beginning(memory.content, 30),
          font: 9 + 5 * share(memory.importance),
          colour: this.model.colourOf(memory),
          size: sizeOf(memory),
        };
        const node = this.#cy.getElementById(memory.id);
        if (node.nonempty()) node.data(data);
        else {
          this.#marked.delete(memory.id);
          this.#cy.add({ group: "nodes", data, position: { ...(this.#places.get(memory.id) ?? { x: 0, y: 0 }) } });
          added = true;
        }
      }
      const shape = edgeCount > VERY_MANY_EDGES ? "haystack" : edgeCount > MANY_EDGES ? "straight" : "bezier";
      for (const edge of edges.values()) {
        const data = {
          id: edge.id,
          source: edge.source,
          target: edge.target,
          colour: this.model.colourOfRelation(edge.type),
          width: 0.8 + 2 * edge.strength,
          shape,
        };
        const line = this.#cy.getElementById(edge.id);
        if (line.nonempty()) line.data(data);
        else {
          this.#marked.delete(edge.id);
          this.#cy.add({ group: "edges", data });
          added = true;
        }
      }
    });
    this.container.dataset["nodes"] = String(this.#cy.nodes().length);
    this.container.dataset["edges"] = String(this.#cy.edges().length);
    return added;
  }

  #resized(): void {
    this.#cy.resize();
    if (this.#fitted) this.fit(this.#fitted.ids);
    const { current } = this.container.dataset;
    if (current) this.reveal(current);
  }

  #publish(places: Map<string, Place>, done: boolean): void {
    this.#cy.batch(() => {
      for (const [id, place] of places) {
        if (!this.#cy.getElementById(id).grabbed()) this.#cy.getElementById(id).position({ ...place });
        if (done) this.#places.set(id, place);
      }
    });
    if (this.#fitted) this.fit(this.#fitted.ids);
    if (done) this.#cy.one("render", () => (this.container.dataset["layout"] = "done"));
  }
}

function sizeOf(memory: Memory): number {
  return 10 + 14 * share(memory.importance);
}

const share = (value: number): number => Math.max(0, Math.min(1, value));

function styles(): StylesheetJson {
  const page = getComputedStyle(document.documentElement);
  const colour = (name: string): string => page.getPropertyValue(name).trim();
  return [
    {
      selector: "node",
      style: {
        "background-color": "data(colour)",
        width: "data(size)",
        height: "data(size)",
        label: "data(label)",
        color: colour("--text"),
        "font-family": "system-ui, sans-serif",
        "font-size": "data(font)",
        "min-zoomed-font-size": 11.5,
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-background-color": colour("--canvas"),
        "text-background-opacity": 0.75,
        "text-background-padding": "1px",
        "border-width": 1.5,
        "border-color": colour("--canvas"),
      },
    },
    {
      selector: "edge",
      style: {
        "line-color": "data(colour)",
        "target-arrow-color": "data(colour)",
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.7,
        "curve-style": "data(shape)" as "bezier",
        width: "data(width)",
        opacity: 0.65,
      },
    },
    { selector: "node.near, node.hit, node.path, node.current", style: { "min-zoomed-font-size": 6, "z-index": 4 } },
    { selector: "node.hit", style: { "border-width": 4, "border-color": colour("--hit") } },
    { selector: ".dim", style: { opacity: 0.35 } },
    { selector: "edge.own", style: { opacity: 1, "z-index": 5 } },
    { selector: ".faded", style: { opacity: 0.15 } },
    { selector: "node.path", style: { "border-width": 4, "border-color": colour("--accent"), "z-index": 10 } },
    { selector: "edge.path", style: { opacity: 1, width: 5, "z-index": 10 } },
    {
      selector: "node.current",
      style: {
        "border-width": 5,
        "border-color": colour("--accent"),
        "underlay-color": colour("--accent"),
        "underlay-opacity": 0.25,
        "underlay-padding": 8,
        "underlay-shape": "ellipse",
        "min-zoomed-font-size": 0,
        opacity: 1,
        "z-index": 20,
      },
    },
    { selector: ".hidden", style: { display: "none" } },
  ];
}
