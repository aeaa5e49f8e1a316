"""The vector store: an index by meaning and by words that can always be rebuilt from the graph."""
