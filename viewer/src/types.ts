// What the service answers, as far as the viewer reads it; docs/api.md has the whole.

export interface Memory {
  id: string;
  content: string;
  type: string;
  importance: number;
  confidence?: number;
  tags: string[];
  timestamp?: string;
  updated_at?: string;
  last_accessed?: string;
  t_valid?: string;
  t_invalid?: string;
  summary?: string;
  archived?: boolean;
  metadata?: Record<string, unknown>;
  color?: string;
  radius?: number;
  similarity?: number;
}

export interface Edge {
  id: string;
  source: string;
  target: string;
  type: string;
  strength: number;
  color?: string;
}

export interface Step {
  from: string;
  to: string;
  type: string;
  strength: number;
  direction: "out" | "in";
}

export interface Colours {
  type_colors: Record<string, string>;
  relation_colors: Record<string, string>;
}

export interface Snapshot {
  nodes: Memory[];
  edges: Edge[];
  stats: { total_nodes: number; total_edges: number; returned_nodes: number; returned_edges: number; sampled: boolean };
  meta: Colours;
}

export interface Stats {
  totals: { nodes: number; edges: number };
}

export interface Neighbours {
  center: Memory;
  graph_neighbors: Memory[];
  semantic_neighbors: Memory[];
  edges: Edge[];
}

export interface PathAnswer {
  found: boolean;
  length: number | null;
  path: Step[];
  memories: Memory[];
  max_depth?: number;
}

export interface RecallAnswer {
  results: { id: string; final_score: number; memory: Memory; relations?: { path?: Step[] }[] }[];
}

export interface RelationKinds {
  colors: Record<string, string>;
  details: Record<string, { description?: string }>;
}

export interface MemoryAnswer {
  memory: Memory;
}

export interface MemoryChange {
  content?: string;
  importance?: number;
  tags?: string[];
}

export type Association = Record<string, unknown> & {
  memory1_id: string;
  memory2_id: string;
  type: string;
  strength: number;
  created_at?: string;
  updated_at?: string;
};

export interface Associations {
  associations: Association[];
  has_more: boolean;
}

export interface AssociationAnswer {
  association: Association;
}
