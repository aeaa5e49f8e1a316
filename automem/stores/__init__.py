"""Ports to the two databases and their implementations; a driver's error leaves here as one of ours."""
