import re

from browsing import family
from playwright.sync_api import expect


def test_a_memory_is_edited(viewer, client):
    _, _, _, tea = family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah prefers tea")
    viewer.act("Edit")
    form = viewer.detail.get_by_role("form", name="Edit the memory")
    form.get_by_label("Content").fill("Sarah prefers coffee")
    form.get_by_label("Importance").fill("0.75")
    form.get_by_label("Tags").fill("sarah, drinks")
    form.get_by_role("button", name="Save").click()
    expect(viewer.detail.get_by_role("status")).to_have_text("Saved.")
    expect(viewer.detail.locator(".content")).to_have_text("Sarah prefers coffee")
    expect(viewer.option("Sarah prefers coffee")).to_be_visible()
    stored = client.get(f"/memory/{tea}").json["memory"]
    assert (stored["content"], stored["importance"]) == ("Sarah prefers coffee", 0.75)
    assert sorted(stored["tags"]) == ["drinks", "sarah"]


def test_only_what_was_changed_is_sent(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah prefers tea")
    viewer.act("Edit")
    viewer.detail.get_by_label("Importance").fill("0.2")
    viewer.act("Save")
    expect(viewer.detail.get_by_role("status")).to_have_text("Saved.")
    (request,) = viewer.asked("PATCH", "/memory/")
    assert request.post_data_json == {"importance": 0.2}


def test_what_the_service_refuses_is_told_and_the_text_stays(viewer, client):
    viewer.allowed.append("status of 400")
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah prefers tea")
    viewer.act("Edit")
    viewer.detail.get_by_label("Content").fill("x" * 33_000)
    viewer.act("Save")
    expect(viewer.detail.get_by_role("status")).to_contain_text("32000")
    assert len(viewer.detail.get_by_label("Content").input_value()) == 33_000


def test_a_memory_is_deleted_once_that_is_confirmed(viewer, client):
    _, job, _, _ = family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Rachel is a software engineer")
    viewer.act("Delete")
    expect(viewer.page.get_by_role("dialog")).to_contain_text("and its 2 edges? This cannot be undone.")
    viewer.confirm("Cancel")
    assert client.get(f"/memory/{job}").status_code == 200
    viewer.act("Delete")
    viewer.confirm("Delete memory")
    expect(viewer.detail).to_be_hidden()
    expect(viewer.shown).to_have_text("Shown 3 of 3 memories, 0 of 0 edges")
    viewer.loaded(3, 0)
    assert client.get(f"/memory/{job}").status_code == 404


def test_an_edge_is_shown_whole_and_removed_once_that_is_confirmed(viewer, client):
    _, job, customer, _ = family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Rachel is a software engineer")
    viewer.act("Edge PREFERS_OVER to The largest customer")
    for text in ("PREFERS_OVER", "0.9", "it pays better", "at work", "The largest customer is in Taiwan"):
        expect(viewer.detail.locator(".facts")).to_contain_text(text)
    expect(viewer.detail.locator(".facts")).to_contain_text(re.compile(r"When\w{3} \d+, 20\d\d"))
    viewer.act("Remove edge")
    viewer.confirm("Cancel")
    assert client.get(f"/associations/{job}/PREFERS_OVER/{customer}").status_code == 200
    viewer.act("Remove edge")
    viewer.confirm("Remove")
    expect(viewer.detail.get_by_role("status")).to_have_text("The edge is removed.")
    expect(viewer.shown).to_have_text("Shown 4 of 4 memories, 1 of 1 edge")
    assert client.get(f"/associations/{job}/PREFERS_OVER/{customer}").status_code == 404


def test_a_memory_that_somebody_else_deleted_is_told(viewer, client):
    viewer.allowed.append("status of 404")
    _, _, _, tea = family(client)
    viewer.open().loaded(4, 2)
    client.delete(f"/memory/{tea}")
    viewer.option("Sarah prefers tea").click()
    expect(viewer.detail.get_by_role("alert")).to_contain_text("no longer there")
    expect(viewer.shown).to_have_text("Shown 3 of 3 memories, 2 of 2 edges")


def test_what_somebody_else_deleted_while_it_was_open_goes_when_it_is_deleted(viewer, client):
    viewer.allowed.append("status of 404")
    _, _, _, tea = family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah prefers tea")
    client.delete(f"/memory/{tea}")
    viewer.act("Delete")
    viewer.confirm("Delete memory")
    expect(viewer.detail.get_by_role("alert")).to_contain_text("no longer there")
    expect(viewer.shown).to_have_text("Shown 3 of 3 memories, 2 of 2 edges")
