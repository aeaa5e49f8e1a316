"""Benchmarks: `python -m benchmarks.NAME`, one command each. Each prints a Markdown table; `--log` appends it to log.md."""
