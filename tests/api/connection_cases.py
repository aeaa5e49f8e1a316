"""What the tests of the second dialect share."""

PATH = "/api/v1/connections"


def connect(client, source, target, name=None, **fields):
    body = {"source_id": source, "target_id": target, **({"relationship_type": name} if name else {}), **fields}
    answer = client.post(PATH, body)
    assert answer.status_code == 200, answer.json
    return answer.json["connection"]


def listed(client, **params):
    answer = client.get(PATH, **params)
    assert answer.status_code == 200, answer.json
    return answer.json


def connections_of(client, *ids):
    found = listed(client, limit=500)["connections"]
    return [item for item in found if {item["source_id"], item["target_id"]} <= set(ids)]


def related(client, memory_id, **params):
    answer = client.get(f"/api/v1/memories/{memory_id}/related", **params)
    assert answer.status_code == 200, answer.json
    return answer.json


def related_ids(client, memory_id, **params):
    return [item["memory"]["id"] for item in related(client, memory_id, **params)["related"]]


def association(client, source, relation, target):
    return client.get(f"/associations/{source}/{relation}/{target}")


def similar(service, first, second, score=0.9):
    service.runner.write(
        "MATCH (a:Memory {id: $a}) MATCH (b:Memory {id: $b}) "
        "CREATE (a)-[:SIMILAR_TO {score: $score, updated_at: '2024-01-01T00:00:00+00:00'}]->(b)",
        {"a": first, "b": second, "score": score},
    )
