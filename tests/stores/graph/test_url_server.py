"""What only a server by URL can get wrong, and how the driver's errors become ours."""

from dataclasses import replace

import pytest
from redis import exceptions

from automem.errors import AutomemError, ConfigurationError, GraphRefused, GraphUnavailable
from automem.stores.graph.link import translate
from automem.stores.graph.server import ServerAddress, server_graph


def test_a_wrong_password_names_the_setting(tcp_server, graph_name):
    for password in (None, "wrong"):
        runner = server_graph(ServerAddress(port=tcp_server.port, password=password), graph_name)
        for call in (runner.ping, lambda runner=runner: runner.read("RETURN 1")):
            with pytest.raises(GraphUnavailable, match="FALKORDB_PASSWORD"):
                call()
        runner.close()


def test_a_login_beside_the_url_serves_where_the_url_has_none(tcp_server, graph_name):
    address = ServerAddress(url=f"redis://127.0.0.1:{tcp_server.port}", password="open sesame")
    runner = server_graph(address, graph_name)
    assert runner.write("RETURN 1") == [[1]]
    runner.close()
    assert "sesame" not in repr(address) + repr(address.endpoint()) + repr(replace(address, url=tcp_server.url))


def test_a_user_without_rights_on_the_graph_names_the_setting(tcp_server, graph_name):
    admin = tcp_server.runner(graph_name)
    admin.command("ACL", "SETUSER", "reader", "on", ">pw", "~*", "+ping", "+GRAPH.RO_QUERY")
    runner = server_graph(ServerAddress(port=tcp_server.port, username="reader", password="pw"), graph_name)
    admin.write("CREATE (:Memory)")
    assert runner.read("MATCH (m:Memory) RETURN count(m)") == [[1]]
    with pytest.raises(GraphUnavailable, match="FALKORDB_USERNAME"):
        runner.write("CREATE (:Memory)")
    runner.close()
    admin.close()


def test_a_user_who_may_not_ask_for_the_servers_state_is_prepared_again_after_an_outage(tcp_server, graph_name):
    prepared = []
    admin = tcp_server.runner(graph_name)
    admin.command("ACL", "SETUSER", "member", "on", ">pw", "~*", "+ping", "+GRAPH.QUERY")
    address = ServerAddress(port=tcp_server.port, username="member", password="pw")
    runner = server_graph(address, graph_name, prepared.append)
    assert runner.write("RETURN 1") == [[1]]
    tcp_server.stop()
    with pytest.raises(GraphUnavailable):
        runner.write("RETURN 1")
    tcp_server.start()
    admin.command("ACL", "SETUSER", "member", "on", ">pw", "~*", "+ping", "+GRAPH.QUERY")
    assert runner.write("RETURN 1") == [[1]]
    assert len(prepared) == 2
    runner.close()
    admin.close()


def test_a_redis_without_the_module_is_named_as_such(redis_without_module, graph_name):
    runner = redis_without_module.runner(graph_name)
    with pytest.raises(GraphUnavailable, match="without the FalkorDB module"):
        runner.read("RETURN 1")
    runner.close()


def test_a_server_that_is_down_does_not_keep_the_runner_from_being_made(graph_name):
    runner = server_graph(ServerAddress(host="127.0.0.1", port=1), graph_name, lambda _: None)
    with pytest.raises(GraphUnavailable, match="does not answer"):
        runner.read("RETURN 1")
    runner.close()


@pytest.mark.parametrize("url", ["localhost:6379", "http://host:6379", "redis://host:port", "redis://host?colour=red"])
def test_a_url_that_cannot_be_understood_names_the_setting_and_not_the_url(url):
    with pytest.raises(ConfigurationError, match="FALKORDB_URL") as caught:
        server_graph(ServerAddress(url=url), "graph")
    assert url not in caught.value.message


@pytest.mark.parametrize(
    ("url", "tls"),
    [("redis://host", False), ("falkor://host", False), ("rediss://host:1", True), ("falkors://host:1", True)],
)
def test_the_scheme_decides_on_tls(url, tls):
    endpoint = ServerAddress(url=url).endpoint()
    assert (endpoint.connection_class.__name__ == "SSLConnection") is tls


# Errors


def driver_errors(base=exceptions.RedisError):
    for kind in base.__subclasses__():
        yield kind
        yield from driver_errors(kind)


@pytest.mark.parametrize("kind", sorted(set(driver_errors()), key=lambda kind: kind.__name__))
def test_every_error_of_the_driver_becomes_one_of_ours(kind):
    error = kind.__new__(kind)
    Exception.__init__(error, "text")
    expected = (
        GraphUnavailable if isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError) else AutomemError
    )
    assert isinstance(translate(error), expected)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.BusyLoadingError("Redis is loading the dataset in memory"), GraphUnavailable),
        (exceptions.ReadOnlyError("You can't write against a read only replica."), GraphUnavailable),
        (exceptions.ResponseError("command not allowed when used memory > 'maxmemory'."), GraphUnavailable),
        (exceptions.ResponseError("Max pending queries exceeded"), GraphUnavailable),
        (exceptions.ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), GraphUnavailable),
        (exceptions.ResponseError("Query timed out"), GraphUnavailable),
        (exceptions.ResponseError("errMsg: Invalid input errCtx: RETURN 'Query timed out'"), GraphRefused),
        (exceptions.ResponseError("The query TIMEOUT parameter value cannot exceed the TIMEOUT_MAX"), GraphRefused),
        (exceptions.ResponseError("Division by zero"), GraphRefused),
    ],
)
def test_an_answer_is_unavailable_when_the_same_query_may_succeed_later(error, kind):
    assert type(translate(error)) is kind
