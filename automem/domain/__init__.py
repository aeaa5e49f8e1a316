"""What a memory, an association and a recall are: plain Python, no input or output."""
