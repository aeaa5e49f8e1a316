"""Benchmarks: `python -m benchmarks.NAME`, one command each. Each prints a table; `--log` appends it to log.md."""
