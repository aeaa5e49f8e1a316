"""The route /recall."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint

from automem.api import announce
from automem.api.openapi import documented
from automem.api.parsing import container, query
from automem.api.schemas.recall import RecallAnswerView, RecallParameters
from automem.api.views import result_view
from automem.domain import timestamps
from automem.domain.recall import SORTS, ContextHints, Expansion, MemoryFilter, RecallAnswer, RecallQuery
from automem.domain.relation import PUBLIC
from automem.domain.tags import canonical_tags, split_list, tag_filters
from automem.domain.timephrases import Window, time_window
from automem.recall.decompose import sub_queries

blueprint = Blueprint("recall", __name__)

Answer = tuple[dict[str, Any], int]

DEFAULT_LIMIT = 5
DEFAULT_DEPTH = 2
MOST_QUERIES = 20
TAGS_SHOWN = 10


@blueprint.get("/recall")
@documented({200: RecallAnswerView}, query=RecallParameters)
def recall() -> Answer:
    """Recall the memories that matter for a question, and say why each is there."""
    started = time.perf_counter()
    asked = query(RecallParameters)
    window = _window(asked)
    request = _recall_query(asked, window)
    answer = container().recaller.recall(request)
    announce.recalled(request, answer, started)
    seeds = {
        result.memory.id: (place, result.score)
        for place, result in enumerate(item for item in answer.results if not (item.links or item.shared))
    }
    return {
        "status": "success",
        "query": asked.query,
        "results": [result_view(result, seeds, explain=asked.explain) for result in answer.results],
        "count": len(answer.results),
        "dedup_removed": answer.duplicates,
        "sort": request.sort,
        "state_mode": "current" if request.current_only else "history",
        "tag_mode": asked.tag_mode,
        "tag_match": asked.tag_match,
        "vector_search": {"enabled": answer.searched_by_meaning, "matched": answer.matched_by_meaning},
        **_echo_of_query(asked, request, answer, window),
        **_echo_of_filters(asked, request, answer),
        **_echo_of_expansion(asked, request, answer),
        "query_time_ms": round((time.perf_counter() - started) * 1000, 2),
    }, 200


def _window(asked: RecallParameters) -> Window:
    """Return the time asked for; `start` and `end` each go before their end of `time_query`."""
    named = time_window(asked.time_query, timestamps.now()) if asked.time_query else None
    start, end = (named.start, named.end) if named is not None else (None, None)
    return Window(asked.start or start, asked.end or end)


def _texts(asked: RecallParameters) -> tuple[str, ...]:
    if asked.queries:
        return tuple(dict.fromkeys(asked.queries))[:MOST_QUERIES]
    decomposed = sub_queries(asked.query) if asked.auto_decompose and asked.query else []
    return tuple(decomposed) if len(decomposed) > 1 else ()


def _recall_query(asked: RecallParameters, window: Window) -> RecallQuery:
    rules = container().rules
    texts = _texts(asked)
    listing = not (asked.query or texts or asked.embedding)
    default_sort = "time_desc" if listing and window != Window(None, None) else "score"
    current = asked.current_only if asked.current_only is not None else asked.state_mode == "current"
    return RecallQuery(
        text=asked.query,
        texts=texts,
        vector=tuple(asked.embedding) if asked.embedding is not None else None,
        limit=min(asked.limit or DEFAULT_LIMIT, rules.recall_max_limit),
        per_query_limit=min(asked.per_query_limit, rules.recall_max_limit) if asked.per_query_limit else None,
        where=MemoryFilter(
            tags=_scope(asked),
            tag_mode=asked.tag_mode,
            tag_match=asked.tag_match,
            exclude_tags=tag_filters(asked.exclude_tags),
            start=window.start,
            end=window.end,
        ),
        sort=next(sort for sort in SORTS if sort == (asked.sort or default_sort)),
        min_score=rules.recall_min_score if asked.min_score is None else asked.min_score,
        adaptive_floor=rules.recall_adaptive_floor if asked.adaptive_floor is None else asked.adaptive_floor,
        recency_bias=asked.recency_bias or rules.recall_recency_bias,
        scope_fallback=asked.scope_fallback,
        explain=asked.explain,
        current_only=current,
        hints=ContextHints(
            label=asked.context,
            language=asked.language,
            active_path=asked.active_path,
            tags=tuple(asked.context_tags),
            types=tuple(asked.context_types),
            priority_ids=tuple(asked.priority_ids),
        ),
        expansion=_expansion(asked),
    )


def _expansion(asked: RecallParameters) -> Expansion:
    rules = container().rules
    return Expansion(
        relations=asked.expand_relations,
        entities=asked.expand_entities,
        relation_limit=asked.relation_limit or rules.recall_relation_limit,
        limit=asked.expansion_limit or rules.recall_expansion_limit,
        depth=asked.expand_depth or DEFAULT_DEPTH,
        types=tuple(name.upper() for name in asked.expand_relation_types if name.upper() in PUBLIC),
        min_strength=asked.expand_min_strength,
        min_importance=asked.expand_min_importance,
        respect_tags=asked.expand_respect_tags,
        rank=asked.expand_rank,
    )


def _scope(asked: RecallParameters) -> tuple[str, ...]:
    """Return the canonical tags to match; a tag of delimiters alone matches nothing rather than everything."""
    sent = split_list(asked.tags)
    return (tag_filters(asked.tags) if asked.tag_mode == "any" else canonical_tags(sent)) or ("",) * bool(sent)


# ---- the keys that are there only when what they speak of was asked for, or happened


def _echo_of_query(
    asked: RecallParameters, request: RecallQuery, answer: RecallAnswer, window: Window
) -> dict[str, Any]:
    echo: dict[str, Any] = {}
    if request.texts:
        echo["queries"] = list(request.texts)
    elif asked.query:
        echo["keywords"] = list(answer.keywords)
    if window != Window(None, None):
        sides = (("start", window.start), ("end", window.end))
        echo["time_window"] = {name: value for name, value in sides if value is not None}
    if answer.favoured is not None:
        told = (("language", answer.favoured.language), ("context", answer.favoured.label))
        echo["context_priority"] = {
            **{name: value for name, value in told if value is not None},
            "priority_tags": sorted(answer.favoured.tags)[:TAGS_SHOWN],
            "priority_types": list(answer.favoured.types),
            "injected": answer.favoured.injected,
        }
    if answer.recency_biased:
        echo["recency_bias"] = "on"
    return echo


def _echo_of_filters(asked: RecallParameters, request: RecallQuery, answer: RecallAnswer) -> dict[str, Any]:
    echo: dict[str, Any] = {}
    if request.current_only:
        echo["state_filter"] = _state_filter(answer, debug=asked.state_debug)
    if request.where.tags:
        echo["tags"] = asked.tags
        echo["tag_scope"] = {
            "filtered": True,
            "pool_size_hint": answer.pool,
            "gated_low_evidence": sum(result.gated for result in answer.results),
        }
    if request.where.exclude_tags:
        echo["exclude_tags"] = split_list(asked.exclude_tags)
    if answer.fell_back:
        echo["scope_fallback"] = True
    if request.min_score > 0 or answer.below_floor:
        echo["score_filter"] = {
            "min_score": request.min_score,
            "adaptive_floor": request.adaptive_floor,
            "filtered_count": answer.below_floor,
        }
    return echo


def _state_filter(answer: RecallAnswer, *, debug: bool) -> dict[str, Any]:
    replacements = [
        {"id": result.memory.id, "replaces_id": result.replaces.memory_id, "relation_type": result.replaces.step.type}
        for result in answer.results
        if result.replaces is not None
    ]
    shown: dict[str, Any] = {
        "current_only": True,
        "suppressed_count": len(answer.suppressed),
        "replacement_count": len(replacements),
    }
    if debug:
        by_replaced = {item["replaces_id"]: item for item in replacements}
        shown["replacements"] = replacements
        shown["suppressed"] = [
            {"id": memory_id, "reason": reason}
            | (
                {
                    "replacement_id": by_replaced[memory_id]["id"],
                    "relation_type": by_replaced[memory_id]["relation_type"],
                }
                if memory_id in by_replaced
                else {}
            )
            for memory_id, reason in answer.suppressed.items()
        ]
    return shown


def _echo_of_expansion(asked: RecallParameters, request: RecallQuery, answer: RecallAnswer) -> dict[str, Any]:
    echo: dict[str, Any] = {}
    asked_for = request.expansion
    if asked_for.relations:
        echo["expansion"] = {
            "enabled": True,
            "seed_count": answer.seeds,
            "expanded_count": answer.expanded_by_relation,
            "relation_limit": asked_for.relation_limit,
            "expansion_limit": asked_for.limit,
            "respect_tags": asked_for.respect_tags,
            "depth": asked_for.depth,
        }
        if ignored := [name for name in asked.expand_relation_types if name.upper() not in PUBLIC]:
            echo["expansion"]["ignored_types"] = ignored
    if asked_for.entities:
        echo["entity_expansion"] = {
            "enabled": True,
            "expanded_count": answer.expanded_by_entity,
            "entities_found": list(answer.entities[:10]),
        }
    return echo
