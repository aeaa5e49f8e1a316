// Requests to the service that served this page. The token is kept for this tab and sent in a header, never in a URL.

import type {
  Associations,
  AssociationAnswer,
  MemoryAnswer,
  MemoryChange,
  Neighbours,
  PathAnswer,
  RecallAnswer,
  RelationKinds,
  Snapshot,
  Stats,
} from "./types";

const STORED_TOKEN = "automem.token";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Parameters = Record<string, string | number | boolean>;

export class Api {
  get signedIn(): boolean {
    return sessionStorage.getItem(STORED_TOKEN) !== null;
  }

  signIn(token: string): void {
    sessionStorage.setItem(STORED_TOKEN, token);
  }

  signOut(): void {
    sessionStorage.removeItem(STORED_TOKEN);
  }

  snapshot(parameters: Parameters): Promise<Snapshot> {
    return this.#send("GET", "/graph/snapshot", parameters);
  }

  stats(): Promise<Stats> {
    return this.#send("GET", "/graph/stats");
  }

  recall(query: string, limit: number): Promise<RecallAnswer> {
    return this.#send("GET", "/recall", { query, limit, expand_relations: true });
  }

  neighbours(id: string): Promise<Neighbours> {
    return this.#send("GET", `/graph/neighbors/${encodeURIComponent(id)}`, { depth: 1, include_semantic: true });
  }

  path(from: string, to: string): Promise<PathAnswer> {
    return this.#send("GET", "/graph/path", { from, to });
  }

  relations(): Promise<RelationKinds> {
    return this.#send("GET", "/graph/relations");
  }

  memory(id: string): Promise<MemoryAnswer> {
    return this.#send("GET", `/memory/${encodeURIComponent(id)}`);
  }

  change(id: string, change: MemoryChange): Promise<unknown> {
    return this.#send("PATCH", `/memory/${encodeURIComponent(id)}`, {}, change);
  }

  remove(id: string): Promise<unknown> {
    return this.#send("DELETE", `/memory/${encodeURIComponent(id)}`);
  }

  associations(id: string): Promise<Associations> {
    return this.#send("GET", "/associations", { memory_id: id, direction: "both", limit: 500 });
  }

  association(source: string, type: string, target: string): Promise<AssociationAnswer> {
    return this.#send("GET", edgePath(source, type, target));
  }

  removeAssociation(source: string, type: string, target: string): Promise<unknown> {
    return this.#send("DELETE", edgePath(source, type, target));
  }

  async #send<Answer>(method: string, path: string, parameters: Parameters = {}, body?: unknown): Promise<Answer> {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
    const token = sessionStorage.getItem(STORED_TOKEN);
    const headers: Record<string, string> = { Accept: "application/json" };
    if (token !== null) headers["Authorization"] = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response: Response;
    try {
      response = await fetch(query.size ? `${path}?${query}` : path, {
        method,
        headers,
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new ApiError(0, "The service does not answer. Is it running? Then retry.");
    }
    if (!response.ok) throw await failure(response);
    return (await response.json()) as Answer;
  }
}

function edgePath(source: string, type: string, target: string): string {
  return `/associations/${[source, type, target].map(encodeURIComponent).join("/")}`;
}

async function failure(response: Response): Promise<ApiError> {
  let said = "";
  try {
    said = String(((await response.json()) as { message?: unknown }).message ?? "");
  } catch {
    // A proxy may answer with something else than JSON; the status says enough.
  }
  if (response.status === 503) return new ApiError(503, `The store is away${said ? ` (${said})` : ""}. Retry in a moment.`);
  return new ApiError(response.status, said || `The service answered ${response.status}.`);
}
