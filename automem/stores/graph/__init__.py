"""The graph store: the record of every memory, association and piece of pending work."""
