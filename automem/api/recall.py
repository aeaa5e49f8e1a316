"""The route /recall."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint

from automem.api.openapi import documented
from automem.api.parsing import container, query
from automem.api.schemas.recall import RecallAnswerView, RecallParameters
from automem.api.views import result_view
from automem.domain.recall import SORTS, Expansion, MemoryFilter, RecallAnswer, RecallQuery
from automem.domain.relation import PUBLIC
from automem.domain.tags import canonical_tags, split_list, tag_filters

blueprint = Blueprint("recall", __name__)

Answer = tuple[dict[str, Any], int]

DEFAULT_LIMIT = 5
DEFAULT_DEPTH = 2


@blueprint.get("/recall")
@documented({200: RecallAnswerView}, query=RecallParameters)
def recall() -> Answer:
    """Recall the memories that matter for a question, and say why each is there."""
    started = time.perf_counter()
    asked = query(RecallParameters)
    request = _recall_query(asked)
    answer = container().recaller.recall(request)
    seeds = {
        result.memory.id: (place, result.score)
        for place, result in enumerate(item for item in answer.results if not (item.links or item.shared))
    }
    return {
        "status": "success",
        "query": asked.query,
        "results": [result_view(result, seeds) for result in answer.results],
        "count": len(answer.results),
        "dedup_removed": answer.duplicates,
        "sort": request.sort,
        "state_mode": "current" if request.current_only else "history",
        "tag_mode": asked.tag_mode,
        "tag_match": asked.tag_match,
        "vector_search": {"enabled": answer.searched_by_meaning, "matched": answer.matched_by_meaning},
        **_echo(asked, request, answer),
        "query_time_ms": round((time.perf_counter() - started) * 1000, 2),
    }, 200


def _recall_query(asked: RecallParameters) -> RecallQuery:
    rules = container().rules
    windowed = asked.start is not None or asked.end is not None
    default_sort = "time_desc" if windowed and not asked.query else "score"
    current = asked.current_only if asked.current_only is not None else asked.state_mode == "current"
    return RecallQuery(
        text=asked.query,
        limit=min(asked.limit or DEFAULT_LIMIT, rules.recall_max_limit),
        where=MemoryFilter(
            tags=_scope(asked),
            tag_mode=asked.tag_mode,
            tag_match=asked.tag_match,
            exclude_tags=tag_filters(asked.exclude_tags),
            start=asked.start,
            end=asked.end,
        ),
        sort=next(sort for sort in SORTS if sort == (asked.sort or default_sort)),
        min_score=rules.recall_min_score if asked.min_score is None else asked.min_score,
        current_only=current,
        expansion=Expansion(
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
        ),
    )


def _scope(asked: RecallParameters) -> tuple[str, ...]:
    """Return the canonical tags to match; a tag of delimiters alone matches nothing rather than everything."""
    sent = split_list(asked.tags)
    return (tag_filters(asked.tags) if asked.tag_mode == "any" else canonical_tags(sent)) or ("",) * bool(sent)


def _echo(asked: RecallParameters, request: RecallQuery, answer: RecallAnswer) -> dict[str, Any]:
    """Return the keys that are there only when what they speak of was asked for."""
    echo: dict[str, Any] = {}
    if asked.query:
        echo["keywords"] = list(answer.keywords)
    if request.current_only:
        echo["state_filter"] = {
            "current_only": True,
            "suppressed_count": len(answer.suppressed),
            "replacement_count": 0,
        }
    if asked.start is not None or asked.end is not None:
        echo["time_window"] = {
            name: value for name, value in (("start", asked.start), ("end", asked.end)) if value is not None
        }
    if request.where.tags:
        echo["tags"] = asked.tags
        echo["tag_scope"] = {"filtered": True, "pool_size_hint": answer.pool}
    if request.where.exclude_tags:
        echo["exclude_tags"] = split_list(asked.exclude_tags)
    if request.min_score > 0:
        echo["score_filter"] = {"min_score": request.min_score, "filtered_count": answer.below_min_score}
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
    if asked_for.entities:
        echo["entity_expansion"] = {
            "enabled": True,
            "expanded_count": answer.expanded_by_entity,
            "entities_found": list(answer.entities[:10]),
        }
    return echo
