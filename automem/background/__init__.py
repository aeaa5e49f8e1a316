"""Work beside the requests. Each task finds its work in the stores, so nothing is lost when a process ends."""
