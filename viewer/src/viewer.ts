// The page as a whole: what happens when a person does something.

import { Api, ApiError } from "./api";
import { Details } from "./details";
import { part, whenSubmitted } from "./dom";
import { Drawing, type Marks } from "./drawing";
import { Filters } from "./filters";
import { Keys } from "./keys";
import { List } from "./list";
import { edgeOfStep, Model } from "./model";
import { hideNotice, showEmpty, showError, showLoading, showNothingFits } from "./notice";
import { Path } from "./path";
import { SignIn } from "./signin";
import { beginning, count, several } from "./text";
import type { Memory, PathAnswer } from "./types";

export class Viewer {
  readonly #model = new Model();
  readonly #drawing: Drawing;
  readonly #list: List;
  readonly #filters: Filters;
  readonly #details: Details;
  readonly #path: Path;
  readonly #signIn: SignIn;
  #current: string | null = null;
  #pathMemories = new Set<string>();
  #pathEdges = new Set<string>();
  #turn = 0;

  constructor(private readonly api: Api) {
    const open = (id: string): void => void this.#details.memory(id);
    this.#drawing = new Drawing(part("drawing"), this.#model, { open, openEdge: (id) => this.#openEdge(id) });
    this.#list = new List(this.#model, { current: (id) => this.#setCurrent(id), open, all: () => this.#clearSearch() });
    this.#filters = new Filters(this.#model, () => this.#filtered());
    const failed = (error: unknown): string => this.#failed(error);
    this.#path = new Path(api, this.#model, {
      found: (answer) => this.#showPath(answer),
      cleared: () => this.#markPath([], []),
      open,
      failed,
    });
    this.#details = new Details(api, this.#model, {
      current: (id) => this.#setCurrent(id),
      expand: (id) => this.#expand(id),
      path: (end, id) => this.#path.choose(end, id),
      changed: (memory) => this.#changed(memory),
      loaded: (memory) => this.#loaded(memory),
      memoryRemoved: (id) => this.#removed(id),
      edgeRemoved: (id) => this.#edgeRemoved(id),
      closed: () => this.#refocus(),
      failed,
    });
    new Keys(part("drawing"), this.#model, this.#drawing, {
      current: () => this.#current,
      move: (id) => this.#setCurrent(id),
      open,
      close: () => this.#details.close(),
    });
    this.#signIn = new SignIn(api, () => void this.load());
    this.#listen();
  }

  async start(): Promise<void> {
    await this.load();
  }

  /** Load what the form asks for and draw it afresh. */
  async load(): Promise<void> {
    const turn = ++this.#turn;
    showLoading();
    try {
      const snapshot = await this.api.snapshot({
        limit: part<HTMLSelectElement>("limit").value,
        min_importance: part<HTMLInputElement>("least").value || "0",
        ...this.#filters.asked,
      });
      if (turn !== this.#turn) return;
      this.#signIn.close();
      part("signout").hidden = !this.api.signedIn;
      this.#model.replace(snapshot.nodes, snapshot.edges, snapshot.meta);
      this.#model.storedMemories = snapshot.stats.total_nodes;
      this.#model.storedEdges = snapshot.stats.total_edges;
      this.#drawn(true);
      void this.#describe();
    } catch (error) {
      const message = this.#failed(error);
      if (turn !== this.#turn || (error as ApiError).status === 401) return;
      this.#signIn.close();
      showError(message, () => void this.load());
    }
  }

  #listen(): void {
    whenSubmitted(part<HTMLFormElement>("load"), () => void this.load());
    whenSubmitted(part<HTMLFormElement>("search"), () => void this.#search());
    part("signout").addEventListener("click", () => this.#signIn.signOut());
    part("zoom-in").addEventListener("click", () => this.#drawing.zoom(1.4));
    part("zoom-out").addEventListener("click", () => this.#drawing.zoom(1 / 1.4));
    part("zoom-fit").addEventListener("click", () => this.#drawing.fit());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !part<HTMLDialogElement>("confirm").open) this.#details.close();
    });
  }

  async #describe(): Promise<void> {
    try {
      this.#filters.describe((await this.api.relations()).details);
    } catch (error) {
      this.#failed(error);
    }
  }

  async #search(): Promise<void> {
    const query = part<HTMLInputElement>("query").value.trim();
    if (!query) {
      this.#clearSearch();
      return;
    }
    part("shown").textContent = "Searching…";
    try {
      const { results } = await this.api.recall(query, Number(part<HTMLSelectElement>("hits").value));
      const steps = results.flatMap(({ relations }) => (relations ?? []).flatMap(({ path }) => path ?? []));
      this.#model.add(results.map(({ memory }) => memory), steps.map(edgeOfStep));
      this.#model.hits.splice(0, Infinity, ...results.map(({ id }) => id));
      this.#drawn();
      this.#drawing.fit(this.#model.hits);
      const [first] = this.#model.hits;
      if (first) this.#setCurrent(first);
      if (!results.length) part("shown").textContent = `Nothing answers “${beginning(query, 40)}”.`;
    } catch (error) {
      part("shown").textContent = this.#failed(error);
    }
  }

  #clearSearch(): void {
    this.#model.hits.length = 0;
    part<HTMLInputElement>("query").value = "";
    this.#drawn();
    this.#drawing.fit();
  }

  async #expand(id: string): Promise<string> {
    const before = this.#model.memories.size;
    const { graph_neighbors: joined, semantic_neighbors: near, edges } = await this.api.neighbours(id);
    this.#model.add([...joined, ...near], edges);
    this.#drawn();
    const added = this.#model.memories.size - before;
    return `${several(joined.length, "neighbour", "neighbours")} along edges, ${count(near.length)} near in meaning; ${count(added)} new.`;
  }

  #showPath(answer: PathAnswer): void {
    const edges = answer.path.map(edgeOfStep);
    this.#model.add(answer.memories, edges);
    this.#drawn();
    this.#markPath(answer.memories.map(({ id }) => id), edges.map(({ id }) => id));
    this.#drawing.fit(answer.memories.map(({ id }) => id));
  }

  #markPath(memories: string[], edges: string[]): void {
    this.#pathMemories = new Set(memories);
    this.#pathEdges = new Set(edges);
    this.#mark();
  }

  #openEdge(id: string): void {
    const edge = this.#model.edges.get(id);
    if (edge) void this.#details.edge(edge.source, edge.type, edge.target);
  }

  #setCurrent(id: string): void {
    this.#current = id;
    this.#list.select(id);
    this.#mark();
    this.#drawing.reveal(id);
    const memory = this.#model.memories.get(id);
    const joined = several(this.#model.neighboursOf(id).length, "neighbour", "neighbours");
    part("spoken").textContent = memory ? `${memory.type}: ${beginning(memory.content, 120)}. ${joined}.` : "";
  }

  /** A memory was read whole: one that was not drawn yet is now. */
  #loaded(memory: Memory): void {
    const known = this.#model.memories.has(memory.id);
    this.#model.add([memory], []);
    if (!known) this.#drawn();
  }

  #changed(memory: Memory): void {
    this.#model.add([memory], []);
    this.#drawn();
  }

  #removed(id: string): void {
    this.#model.removeMemory(id);
    this.#path.forget(id);
    if (this.#current === id) this.#current = null;
    this.#drawn();
    void this.#recount();
  }

  #edgeRemoved(id: string): void {
    this.#model.removeEdge(id);
    if (this.#pathEdges.has(id)) this.#path.clear();
    this.#drawn();
    void this.#recount();
  }

  /** Ask how much is stored: what was removed may have had edges that were not loaded. */
  async #recount(): Promise<void> {
    try {
      const { totals } = await this.api.stats();
      this.#model.storedMemories = totals.nodes;
      this.#model.storedEdges = totals.edges;
      this.#told();
    } catch (error) {
      this.#failed(error);
    }
  }

  #filtered(): void {
    this.#drawing.show();
    this.#told();
  }

  /** Bring every part in line with the model. */
  #drawn(afresh = false): void {
    if (afresh) this.#current = null;
    this.#filters.update();
    this.#drawing.update(afresh);
    this.#mark();
    this.#told();
  }

  #told(): void {
    this.#list.update();
    const { memories, storedMemories, storedEdges } = this.#model;
    const [shown, edges] = [this.#model.shown().length, this.#model.shownEdges().length];
    const loaded = shown < memories.size ? ` (${count(memories.size)} loaded)` : "";
    part("shown").textContent =
      `Shown ${count(shown)} of ${several(storedMemories, "memory", "memories")}${loaded}, ` +
      `${count(edges)} of ${several(storedEdges, "edge", "edges")}`;
    if (storedMemories === 0 && memories.size === 0) showEmpty(() => void this.load());
    else if (shown === 0) showNothingFits();
    else hideNotice();
  }

  #mark(): void {
    const marks: Marks = {
      current: this.#current,
      hits: new Set(this.#model.hits),
      pathMemories: this.#pathMemories,
      pathEdges: this.#pathEdges,
    };
    this.#drawing.mark(marks);
  }

  /** After a panel closed, the keyboard goes on where the memories are. */
  #refocus(): void {
    if (this.#current) this.#list.focus();
    else part("drawing").focus();
  }

  /** What to tell of an error; a token that is refused leads back to the form. */
  #failed(error: unknown): string {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) {
      const message = this.api.signedIn ? "The service did not accept this token." : "";
      this.#forget();
      this.#signIn.ask(message);
    }
    return error.message;
  }

  /** Leave nothing on the page of what was read with a token that is no longer good. */
  #forget(): void {
    if (!this.#model.memories.size) return;
    this.#details.close();
    this.#path.clear();
    this.#model.replace([], [], { type_colors: {}, relation_colors: {} });
    this.#drawn(true);
    part("spoken").textContent = "";
  }
}
