"""The graph on a FalkorDB server that others run: compose file, cloud or cluster."""

from __future__ import annotations

from dataclasses import dataclass, field

from automem.stores.graph.falkordb import FalkorRunner, Prepare
from automem.stores.graph.link import Endpoint, RunnerLimits

_SCHEMES = {"falkor": "redis", "falkors": "rediss"}


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the server is: `url` when given, else `host` and `port`.

    URLs start with redis:// or falkor://, or with rediss:// or falkors:// for TLS. `username` and `password` serve
    where the URL names none.
    """

    url: str | None = field(default=None, repr=False)
    host: str = "localhost"
    port: int = 6379
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    def endpoint(self) -> Endpoint:
        """Return the address in the driver's terms.

        Raises:
            ConfigurationError: The URL cannot be understood.
        """
        if self.url is None:
            return Endpoint.tcp(self.host, self.port, self.username, self.password)
        scheme, separator, rest = self.url.partition("://")
        return Endpoint.from_url(_SCHEMES.get(scheme, scheme) + separator + rest, self.username, self.password)


def server_graph(
    address: ServerAddress,
    graph_name: str,
    prepare: Prepare | None = None,
    *,
    limits: RunnerLimits | None = None,
) -> FalkorRunner:
    """Return a runner on one graph of a server; nothing connects before the first query.

    Raises:
        ConfigurationError: The URL cannot be understood.
    """
    return FalkorRunner(address.endpoint(), graph_name, prepare, limits=limits)
