"""automem: long-term memory for AI agents over FalkorDB and Qdrant."""

__version__ = "0.1.0"
