"""What the tests of associations share."""

TYPES = (
    "CONTRADICTS", "DERIVED_FROM", "EVOLVED_INTO", "EXEMPLIFIES", "INVALIDATED_BY", "LEADS_TO", "OCCURRED_BEFORE",
    "PART_OF", "PREFERS_OVER", "REINFORCES", "RELATES_TO",
)  # fmt: skip
UNKNOWN_TYPE = f"Relation type must be one of {list(TYPES)}"
IDS_REQUIRED = "'memory1_id' and 'memory2_id' are required"
SELF = "Cannot associate a memory with itself"
OWN = {
    "PREFERS_OVER": {"context": "storage", "reason": "ACID"},
    "EXEMPLIFIES": {"pattern_type": "testing", "confidence": 0.75},
    "CONTRADICTS": {"resolution": "open", "reason": "both claim the port"},
    "REINFORCES": {"observations": 3},
    "INVALIDATED_BY": {"reason": "moved", "timestamp": "2026-01-01T00:00:00Z"},
    "EVOLVED_INTO": {"confidence": 1, "reason": ["a", "b"]},
    "DERIVED_FROM": {"transformation": "summary", "confidence": True},
    "PART_OF": {"role": "component", "context": "界 🎉"},
}
