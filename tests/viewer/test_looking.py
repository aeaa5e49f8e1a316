import re

from browsing import family
from playwright.sync_api import expect


def test_the_page_draws_what_is_stored_and_says_how_much_of_it(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    expect(viewer.shown).to_have_text("Shown 4 of 4 memories, 2 of 2 edges")
    expect(viewer.options).to_have_count(4)
    assert drawn_pixels(viewer) > 300
    viewer.screenshot("loaded")


def drawn_pixels(viewer):
    """How many pixels of the drawing are not its background."""
    return viewer.page.evaluate(
        """() => [...document.querySelectorAll('#drawing canvas')].map((canvas) => {
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let drawn = 0;
            for (let place = 3; place < data.length; place += 4) if (data[place]) drawn += 1;
            return drawn;
        }).reduce((sum, each) => sum + each, 0)"""
    )


def test_a_part_of_the_memories_is_told_as_a_part(viewer, client):
    client.post("/memory/batch", {"memories": [{"content": f"Memory {n}"} for n in range(120)]})
    viewer.open().loaded(120)
    viewer.page.get_by_text("What is loaded").click()
    viewer.page.get_by_label("Most memories").select_option("100")
    viewer.page.get_by_role("button", name="Load", exact=True).click()
    viewer.loaded(100)
    expect(viewer.shown).to_have_text("Shown 100 of 120 memories, 0 of 0 edges")


def test_a_search_lists_and_marks_the_hits_and_adds_those_that_were_not_loaded(viewer, client):
    family(client)
    viewer.page.goto(f"{viewer.address}/viewer")
    viewer.sign_in()
    viewer.loaded(4, 2)
    viewer.page.get_by_text("What is loaded").click()
    viewer.page.get_by_label("Least importance").fill("0.8")
    viewer.page.get_by_role("button", name="Load", exact=True).click()
    viewer.loaded(1, 0)
    expect(viewer.shown).to_have_text("Shown 1 of 4 memories, 0 of 2 edges")
    viewer.search("software engineer")
    expect(viewer.page.get_by_role("heading", name=re.compile(r"Found \([234]\)"))).to_be_visible()
    expect(viewer.options.first).to_contain_text("Rachel is a software engineer")
    expect(viewer.option("The largest customer is in Taiwan")).to_be_visible()
    (request,) = viewer.asked("GET", "/recall")
    assert "expand_relations=true" in request.url
    expect(viewer.drawing).to_have_attribute("data-edges", "2")
    viewer.page.get_by_role("button", name="Show all").click()
    expect(viewer.page.get_by_role("heading", name=re.compile("Memories"))).to_be_visible()


def test_types_tags_and_times_filter_what_is_drawn(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    page = viewer.page
    page.get_by_label("Insight").uncheck()
    expect(viewer.shown).to_have_text("Shown 3 of 4 memories (4 loaded), 1 of 2 edges")
    page.get_by_label("Insight").check()
    page.get_by_label("Tag, or its beginning").fill("topic")
    expect(viewer.options).to_have_count(2)
    page.get_by_label("Tag, or its beginning").fill("to")
    expect(page.get_by_text("The filters leave no memory to show")).to_be_visible()
    page.get_by_label("Tag, or its beginning").fill("")
    page.get_by_label(re.compile("^From")).fill("500")
    expect(viewer.options).to_have_count(2)
    expect(viewer.option("Sarah prefers tea")).to_be_visible()
    page.get_by_label(re.compile("^Until")).fill("900")
    expect(viewer.options).to_have_count(1)
    expect(viewer.option("The largest customer")).to_be_visible()


def test_the_legend_names_each_edge_type_in_its_colour_and_hides_it(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    colours = client.get("/graph/relations").json["colors"]
    row = viewer.page.locator("#relations label", has_text="PREFERS_OVER")
    red, green, blue = (int(colours["PREFERS_OVER"][place : place + 2], 16) for place in (1, 3, 5))
    expect(row.locator(".swatch")).to_have_css("background-color", f"rgb({red}, {green}, {blue})")
    viewer.page.get_by_label("PREFERS_OVER").uncheck()
    expect(viewer.shown).to_have_text("Shown 4 of 4 memories, 1 of 2 edges")


def test_expanding_a_memory_adds_its_neighbours(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    viewer.page.get_by_text("What is loaded").click()
    viewer.page.get_by_label("Least importance").fill("0.8")
    viewer.page.get_by_role("button", name="Load", exact=True).click()
    viewer.loaded(1, 0)
    viewer.open_memory("Rachel is a software engineer")
    viewer.act("Expand neighbours")
    expect(viewer.detail.get_by_role("status")).to_contain_text("2 neighbours along edges")
    (request,) = viewer.asked("GET", "/graph/neighbors/")
    assert "depth=1" in request.url
    assert "include_semantic=true" in request.url
    expect(viewer.drawing).to_have_attribute("data-edges", "2")
    expect(viewer.option("Sarah's sister is Rachel")).to_be_visible()
    expect(viewer.option("The largest customer is in Taiwan")).to_be_visible()


def test_the_path_between_two_memories_is_found_and_told(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah's sister is Rachel")
    viewer.act("Path from here")
    viewer.open_memory("The largest customer is in Taiwan")
    viewer.act("Path to here")
    result = viewer.page.locator("#path-result")
    expect(result).to_contain_text("A path over 2 edges")
    expect(result.get_by_role("listitem")).to_have_text(
        [
            re.compile("Sarah's sister is Rachel"),
            re.compile("→ RELATES_TO.*Rachel is a software engineer"),
            re.compile("→ PREFERS_OVER.*The largest customer is in Taiwan"),
        ]
    )
    viewer.screenshot("path")


def test_where_there_is_no_path_it_says_so(viewer, client):
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Sarah prefers tea")
    viewer.act("Path from here")
    viewer.open_memory("The largest customer is in Taiwan")
    viewer.act("Path to here")
    expect(viewer.page.locator("#path-result")).to_have_text("No path of at most 6 edges joins them.")


def test_a_memory_that_is_a_script_is_text_everywhere(viewer, client):
    script = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    one = client.store(script, tags=["<b>bold</b>"], metadata={"<i>": "<u>x</u>"}, type="Context")
    other = client.store("Plain")
    client.associate(one, other, "PREFERS_OVER", reason="<script>alert(3)</script>")
    dialogs = []
    viewer.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    viewer.open().loaded(2, 1)
    viewer.open_memory("<script>alert(1)</script>")
    expect(viewer.detail.locator(".content")).to_have_text(script)
    expect(viewer.detail.locator(".tag")).to_have_text("<b>bold</b>")
    viewer.act("Edge PREFERS_OVER")
    expect(viewer.detail).to_contain_text("<script>alert(3)</script>")
    viewer.search(script)
    expect(viewer.page.get_by_role("heading", name=re.compile("Found"))).to_be_visible()
    assert viewer.page.locator("body script, body img, body b, body i, body u").count() == 0
    assert dialogs == []


def test_a_click_on_the_drawing_opens_the_memory(viewer, client):
    client.store("The only one")
    viewer.open().loaded(1)
    viewer.drawing.click()
    expect(viewer.detail.locator(".content")).to_have_text("The only one")


def test_it_looks_right_in_the_dark_too(viewer, client):
    viewer.page.emulate_media(color_scheme="dark")
    family(client)
    viewer.open().loaded(4, 2)
    viewer.open_memory("Rachel is a software engineer")
    background = viewer.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", background)) < 60
    viewer.screenshot("dark")
