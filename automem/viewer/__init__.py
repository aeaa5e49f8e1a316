"""The page at /viewer, on which a person looks at memories and edges."""
