// The memories and edges that are loaded, and which of them the filters let through.

import type { Colours, Edge, Memory, Step } from "./types";

const UNKNOWN_COLOUR = "#94A3B8";

export class Model {
  readonly memories = new Map<string, Memory>();
  readonly edges = new Map<string, Edge>();
  readonly hiddenTypes = new Set<string>();
  readonly hiddenRelations = new Set<string>();
  readonly hits: string[] = [];
  tag = "";
  from = Number.NEGATIVE_INFINITY;
  until = Number.POSITIVE_INFINITY;
  storedMemories = 0;
  storedEdges = 0;
  #colours: Colours = { type_colors: {}, relation_colors: {} };
  #joined = new Map<string, Set<string>>();

  replace(memories: Memory[], edges: Edge[], colours: Colours): void {
    this.memories.clear();
    this.edges.clear();
    this.#joined.clear();
    this.hits.length = 0;
    this.#colours = colours;
    this.add(memories, edges);
  }

  /** Add what is new and bring up to date what is known; edges to memories that are not loaded are left out. */
  add(memories: Memory[], edges: Edge[]): void {
    for (const memory of memories) this.memories.set(memory.id, { ...this.memories.get(memory.id), ...memory });
    for (const edge of edges) {
      if (!this.memories.has(edge.source) || !this.memories.has(edge.target)) continue;
      this.edges.set(edge.id, { ...this.edges.get(edge.id), ...edge });
      this.#join(edge.source, edge.id);
      this.#join(edge.target, edge.id);
    }
  }

  removeMemory(id: string): void {
    for (const edge of this.edgesOf(id)) this.removeEdge(edge.id);
    this.memories.delete(id);
    const hit = this.hits.indexOf(id);
    if (hit >= 0) this.hits.splice(hit, 1);
  }

  removeEdge(id: string): void {
    const edge = this.edges.get(id);
    if (!edge) return;
    this.edges.delete(id);
    this.#joined.get(edge.source)?.delete(id);
    this.#joined.get(edge.target)?.delete(id);
  }

  edgesOf(id: string): Edge[] {
    return [...(this.#joined.get(id) ?? [])].flatMap((key) => this.edges.get(key) ?? []);
  }

  /** The memories that an edge which is shown joins to this one, those with the strongest edges first. */
  neighboursOf(id: string): string[] {
    const edges = this.edgesOf(id).filter((edge) => this.showsEdge(edge));
    edges.sort((left, right) => right.strength - left.strength);
    return [...new Set(edges.map((edge) => (edge.source === id ? edge.target : edge.source)))];
  }

  shows(memory: Memory): boolean {
    if (this.hiddenTypes.has(memory.type) || !this.#hasTag(memory)) return false;
    const time = timeOf(memory);
    return time === null || (time >= this.from && time <= this.until);
  }

  showsEdge(edge: Edge): boolean {
    const source = this.memories.get(edge.source);
    const target = this.memories.get(edge.target);
    return !this.hiddenRelations.has(edge.type) && !!source && !!target && this.shows(source) && this.shows(target);
  }

  knownTypes(): string[] {
    const loaded = [...this.memories.values()].map((memory) => memory.type);
    return [...new Set([...Object.keys(this.#colours.type_colors), ...loaded])];
  }

  shown(): Memory[] {
    return [...this.memories.values()].filter((memory) => this.shows(memory));
  }

  shownEdges(): Edge[] {
    return [...this.edges.values()].filter((edge) => this.showsEdge(edge));
  }

  colourOf(memory: Memory): string {
    return this.#colours.type_colors[memory.type] ?? memory.color ?? UNKNOWN_COLOUR;
  }

  colourOfRelation(type: string): string {
    return this.#colours.relation_colors[type] ?? UNKNOWN_COLOUR;
  }

  /** The earliest and the latest time of what is loaded; null where nothing has a time. */
  span(): [number, number] | null {
    const times = [...this.memories.values()].map(timeOf).filter((time) => time !== null);
    if (!times.length) return null;
    return times.reduce<[number, number]>(([least, most], time) => [Math.min(least, time), Math.max(most, time)], [
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  }

  #hasTag(memory: Memory): boolean {
    if (!this.tag) return true;
    const wanted = segments(this.tag);
    return memory.tags.some((tag) => {
      const own = segments(tag);
      return wanted.every((segment, place) => own[place] === segment);
    });
  }

  #join(id: string, edge: string): void {
    const joined = this.#joined.get(id);
    if (joined) joined.add(edge);
    else this.#joined.set(id, new Set([edge]));
  }
}

export function edgeId(source: string, type: string, target: string): string {
  return `${source}-${type}-${target}`;
}

/** The edge that a step of a path goes along, in its own direction. */
export function edgeOfStep(step: Step): Edge {
  const [source, target] = step.direction === "in" ? [step.to, step.from] : [step.from, step.to];
  return { id: edgeId(source, step.type, target), source, target, type: step.type, strength: step.strength };
}

function timeOf(memory: Memory): number | null {
  const time = Date.parse(memory.timestamp ?? "");
  return Number.isNaN(time) ? null : time;
}

const segments = (tag: string): string[] => tag.toLowerCase().split(/[:/]/);
