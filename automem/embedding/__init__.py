"""Turn texts into vectors: one port, one file per provider."""
