"""What other queries are made of: the columns of a memory, and the conditions on one."""

from __future__ import annotations

from collections.abc import Sequence

from automem.domain.recall import MemoryFilter

MEMORY_COLUMNS = (
    "id", "content", "type", "confidence", "importance", "tags", "metadata", "timestamp", "updated_at", "last_accessed",
    "t_valid", "t_invalid", "summary", "archived", "relevance_score", "turn_key",
)  # fmt: skip


SUMMARY_COLUMNS = ("id", "content", "type", "confidence", "importance", "tags", "timestamp", "summary")
"""What is shown of a memory beside another."""


def memory_columns(variable: str, names: Sequence[str] = MEMORY_COLUMNS) -> str:
    """Return the columns from which a memory is made, for a node bound to `variable`."""
    return ", ".join(f"{variable}.{name}" for name in names)


def tag_condition(variable: str, parameter: str, count: int, *, name: str, joined_by: str) -> str:
    """Compare element by element: FalkorDB uses the index for `$x IN list`, not for any()."""
    return "(" + f" {joined_by} ".join(f"${parameter}{i} IN {variable}.{name}" for i in range(count)) + ")"


def tag_parameters(parameter: str, tags: Sequence[str]) -> dict[str, str]:
    """Return the parameters that tag conditions name: `tag0`, `tag1` and so on."""
    return {f"{parameter}{i}": tag for i, tag in enumerate(tags)}


def filter_condition(where: MemoryFilter, variable: str = "m") -> str:
    """Return the condition of a MemoryFilter on a node; its parameters come from `filter_parameters`."""
    parts = []
    if where.tags:
        name = "tag_keys" if where.tag_match == "exact" else "tag_prefixes"
        joined_by = "OR" if where.tag_mode == "any" else "AND"
        parts.append(tag_condition(variable, "tag", len(where.tags), name=name, joined_by=joined_by))
    if where.exclude_tags:
        names = tag_condition(variable, "not_tag", len(where.exclude_tags), name="tag_prefixes", joined_by="OR")
        parts.append(f"({variable}.tag_prefixes IS NULL OR NOT {names})")
    if where.exclude_types:
        parts.append(f"({variable}.type IS NULL OR NOT {variable}.type IN $not_types)")
    if where.start is not None:
        parts.append(f"{variable}.timestamp >= $start")
    if where.end is not None:
        # Without coalesce the range index answers, and it ignores an upper bound of text.
        parts.append(f"coalesce({variable}.timestamp, '') <= $end")
    if not where.include_archived:
        parts.append(f"({variable}.archived IS NULL OR {variable}.archived = false)")
    if where.memory_ids is not None:
        parts.append(f"{variable}.id IN $only_ids")
    return " AND ".join(parts) or "true"


def filter_parameters(where: MemoryFilter) -> dict[str, object]:
    """Return the parameters that `filter_condition` names."""
    return {
        **tag_parameters("tag", where.tags),
        **tag_parameters("not_tag", where.exclude_tags),
        "not_types": list(where.exclude_types),
        "start": where.start,
        "end": where.end,
        "only_ids": list(where.memory_ids or ()),
    }


def valid(variable: str) -> str:
    """Return the condition that a memory is within its time of validity."""
    return (
        f"({variable}.t_valid IS NULL OR {variable}.t_valid <= $now) "
        f"AND ({variable}.t_invalid IS NULL OR {variable}.t_invalid > $now)"
    )


def replaced(variable: str) -> str:
    """Return the condition that another memory is said to have taken the place of one."""
    return f"outdegree({variable}, 'INVALIDATED_BY', 'EVOLVED_INTO') > 0"


def true_or_replaced(variable: str) -> str:
    """Return the condition that a memory is within its validity, or that another one may stand in its place."""
    return f"(({valid(variable)}) OR {replaced(variable)})"
