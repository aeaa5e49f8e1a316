// Where the memories stand: forces between them, worked out in slices so that the page answers meanwhile.

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";

export interface Place {
  x: number;
  y: number;
}

interface Body extends SimulationNodeDatum {
  id: string;
  size: number;
}

const SLICE_MS = 10;
const SMALL = 300;
const LEAST_ALPHA = 0.001;

export class Layout {
  #simulation: Simulation<Body, SimulationLinkDatum<Body>> | null = null;
  #frame = 0;

  /**
   * Work out places and hand them over: as they come while the drawing is small, else once at the end.
   *
   * Memories that `known` has a place for stay where they are, so that a person finds them again.
   */
  start(
    nodes: { id: string; size: number }[],
    edges: { source: string; target: string }[],
    known: ReadonlyMap<string, Place>,
    publish: (places: Map<string, Place>, done: boolean) => void,
  ): void {
    this.stop();
    const bodies = nodes.map(({ id, size }): Body => ({ id, size, ...pinned(known.get(id)) }));
    placeBesideNeighbours(bodies, edges);
    const ticks = nodes.length > SMALL ? 120 : 220;
    const simulation = forceSimulation(bodies)
      .force("links", forceLink<Body, SimulationLinkDatum<Body>>(edges.map((edge) => ({ ...edge }))).id((body) => body.id).distance(85))
      .force("apart", forceManyBody<Body>().strength(-240).theta(1).distanceMax(900))
      .force("x", forceX<Body>().strength(0.06))
      .force("y", forceY<Body>().strength(0.08))
      .force("collide", forceCollide<Body>((body) => body.size + 6))
      .alphaDecay(1 - LEAST_ALPHA ** (1 / ticks))
      .stop();
    this.#simulation = simulation;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (): void => {
      const end = performance.now() + SLICE_MS;
      while (simulation.alpha() > LEAST_ALPHA && performance.now() < end) simulation.tick();
      const done = simulation.alpha() <= LEAST_ALPHA;
      if (done || (nodes.length <= SMALL && !still)) publish(placesOf(bodies), done);
      this.#frame = done ? 0 : requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  stop(): void {
    if (this.#frame) cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#simulation?.stop();
    this.#simulation = null;
  }
}

function pinned(place: Place | undefined): Partial<Body> {
  return place ? { x: place.x, y: place.y, fx: place.x, fy: place.y } : {};
}

function placeBesideNeighbours(bodies: Body[], edges: { source: string; target: string }[]): void {
  const byId = new Map(bodies.map((body) => [body.id, body]));
  edges.forEach(({ source, target }, number) => {
    for (const [one, other] of [
      [byId.get(source), byId.get(target)],
      [byId.get(target), byId.get(source)],
    ] as const) {
      if (one?.x === undefined && other?.fx !== undefined && other.fx !== null && one) {
        one.x = other.fx + 60 * Math.cos(number * 2.4);
        one.y = (other.fy ?? 0) + 60 * Math.sin(number * 2.4);
      }
    }
  });
}

function placesOf(bodies: Body[]): Map<string, Place> {
  return new Map(bodies.map((body) => [body.id, { x: body.x ?? 0, y: body.y ?? 0 }]));
}
