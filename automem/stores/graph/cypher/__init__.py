"""All Cypher of the project. Values travel as parameters; only labels of the relation registry enter query text.

No query removes two properties of a node or an edge: FalkorDB 4.18 then removes the first and, for the second,
whichever took its place. What is over is set to 0 or "" instead.
"""
