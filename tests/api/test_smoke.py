def test_a_stored_memory_is_recalled(client, tag):
    first = client.store("The billing service uses PostgreSQL", tags=[tag])
    assert [r["id"] for r in client.recall("postgresql billing", tags=tag)] == [first]
