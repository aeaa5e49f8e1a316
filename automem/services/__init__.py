"""Use cases: each method is what one request, or one piece of background work, does."""
