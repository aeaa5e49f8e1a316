"""The HTTP surface: parse a request, make one service call, shape the answer."""
