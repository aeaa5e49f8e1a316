import re

from browsing import TOKEN, family
from playwright.sync_api import expect

FOCUSED = """() => {
    const at = document.activeElement;
    const style = getComputedStyle(at);
    const name = at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent;
    return {
        id: at.id,
        tag: at.tagName,
        name: name || at.getAttribute('aria-labelledby'),
        ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
    };
}"""


def tab_stops(viewer, most=80):
    """Press Tab from one end of the page to the other; gives what had the focus."""
    stops = []
    for _ in range(2 * most):
        viewer.page.keyboard.press("Tab")
        stop = viewer.page.evaluate(FOCUSED)
        if stop["tag"] != "BODY":
            stops.append(stop)
        elif stops and stops[0]["id"] == "query":
            return stops
        else:
            stops = []
    raise AssertionError(f"Tab never came to the end of the page: {stops}")


def test_every_control_is_reached_by_tab_with_a_name_and_a_visible_focus(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Rachel is a software engineer")
    viewer.page.locator("summary", has_text="Path between").click()
    viewer.page.locator("summary", has_text="What is loaded").click()
    viewer.page.evaluate("document.activeElement.blur()")
    stops = tab_stops(viewer)
    assert [stop for stop in stops if not (stop["name"] or "").strip()] == []
    assert [stop for stop in stops if not stop["ring"]] == []
    reached = {stop["id"] for stop in stops}
    assert reached >= {"query", "hits", "signout", "list", "tag", "time-from", "time-until", "type-Insight",
                       "relation-RELATES_TO", "path-clear", "limit", "least", "drawing", "zoom-in"}  # fmt: skip
    names = " ".join(stop["name"] for stop in stops)
    for name in ("Edit", "Delete", "Expand neighbours", "Path from here", "Close", "Edge PREFERS_OVER"):
        assert name in names


def test_from_signing_in_to_deleting_without_a_mouse(viewer, client):
    family(client)
    keyboard = viewer.page.keyboard
    viewer.open(token=None)
    expect(viewer.page.get_by_label("API token")).to_be_focused()
    keyboard.type(TOKEN)
    keyboard.press("Enter")
    viewer.loaded(4, 2)
    viewer.page.locator("#list").focus()
    keyboard.press("ArrowDown")
    expect(viewer.option("Sarah prefers tea")).to_have_attribute("aria-selected", "true")
    keyboard.press("Enter")
    expect(viewer.detail.locator(".content")).to_have_text("Sarah prefers tea")
    expect(viewer.detail.get_by_role("button", name="Delete")).to_be_visible()
    keyboard.press("Escape")
    expect(viewer.detail).to_be_hidden()
    expect(viewer.page.locator("#list")).to_be_focused()
    keyboard.press("Enter")
    expect(viewer.detail.get_by_role("button", name="Delete")).to_be_visible()
    viewer.detail.get_by_role("button", name="Delete").focus()
    keyboard.press("Enter")
    expect(viewer.page.get_by_role("button", name="Cancel")).to_be_focused()
    keyboard.press("Escape")
    expect(viewer.page.get_by_role("dialog")).to_be_hidden()
    expect(viewer.detail).to_be_visible()
    keyboard.press("Enter")
    keyboard.press("Tab")
    expect(viewer.page.get_by_role("button", name="Delete memory")).to_be_focused()
    keyboard.press("Enter")
    expect(viewer.shown).to_have_text("Shown 3 of 3 memories, 2 of 2 edges")


def test_arrow_keys_walk_along_the_edges_of_the_drawing(viewer, client):
    sister, job, _, _ = family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah's sister is Rachel")
    viewer.page.keyboard.press("Escape")
    viewer.drawing.focus()
    expect(viewer.drawing).to_have_attribute("data-current", sister)
    viewer.page.keyboard.press("n")
    expect(viewer.drawing).to_have_attribute("data-current", job)
    expect(viewer.page.locator("#spoken")).to_contain_text("Rachel is a software engineer. 2 neighbours.")
    walked = set()
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown") * 3:
        viewer.page.keyboard.press(key)
        walked.add(viewer.drawing.get_attribute("data-current"))
    assert len(walked) >= 2
    viewer.page.keyboard.press("Enter")
    expect(viewer.detail.get_by_role("heading", name=re.compile("Edges"))).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.detail).to_be_hidden()


def test_an_arrow_key_goes_to_the_only_neighbour_in_its_direction(viewer, client):
    first, second = client.store("One"), client.store("Two")
    client.associate(first, second)
    viewer.open().loaded(2, 1)
    viewer.drawing.focus()
    viewer.page.keyboard.press("ArrowDown")
    start = viewer.drawing.get_attribute("data-current")
    assert start in {first, second}
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        viewer.page.keyboard.press(key)
        if viewer.drawing.get_attribute("data-current") != start:
            return
    raise AssertionError("no arrow key led to the neighbour")
