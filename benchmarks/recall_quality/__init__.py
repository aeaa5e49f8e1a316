"""How well recall answers questions whose answers are known: `python -m benchmarks.recall_quality DATA …`."""
