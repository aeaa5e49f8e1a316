import random
import time

import pytest
from browsing import Viewer
from playwright.sync_api import expect

MEMORIES, EDGES = 2_000, 3_000

# Count frames, and the longest wait between two of them, while the page is zoomed and moved with the mouse.
FRAMES = """(milliseconds) => new Promise((resolve) => {
    let [frames, longest, last] = [0, 0, performance.now()];
    const end = last + milliseconds;
    const frame = (now) => {
        frames += 1;
        longest = Math.max(longest, now - last);
        last = now;
        if (now < end) requestAnimationFrame(frame);
        else resolve({ perSecond: (1000 * frames) / milliseconds, longest });
    };
    const drawing = document.querySelector('#drawing');
    const box = drawing.getBoundingClientRect();
    let turn = 0;
    const wheel = setInterval(() => {
        turn += 1;
        const target = drawing.querySelector('canvas');
        const [clientX, clientY] = [box.x + box.width / 2, box.y + box.height / 2];
        target.dispatchEvent(new WheelEvent('wheel', {
            deltaY: Math.sin(turn / 5) * 60, clientX, clientY, bubbles: true, cancelable: true,
        }));
        if (performance.now() > end) clearInterval(wheel);
    }, 30);
    requestAnimationFrame(frame);
})"""


@pytest.fixture(scope="module")
def large_store(client):
    chance = random.Random(7)
    kinds = ("Decision", "Pattern", "Preference", "Habit", "Insight", "Context")
    ids = []
    for start in range(0, MEMORIES, 500):
        items = [
            {"content": f"Memory number {number} of many", "type": kinds[number % 6], "importance": chance.random()}
            for number in range(start, start + 500)
        ]
        ids += client.post("/memory/batch", {"memories": items}).json["memory_ids"]
    pairs = {(number, chance.randrange(max(0, number - 40), number)) for number in range(1, MEMORIES)}
    while len(pairs) < EDGES:
        number = chance.randrange(1, MEMORIES)
        pairs.add((number, chance.randrange(max(0, number - 40), number)))
    edges = [{"memory1_id": ids[one], "memory2_id": ids[other], "type": "LEADS_TO"} for one, other in sorted(pairs)]
    for start in range(0, EDGES, 500):
        assert client.post("/associate", {"associations": edges[start : start + 500]}).status_code == 201
    return ids


@pytest.fixture
def empty_store():
    """The large store stays; it has a graph of its own."""


@pytest.mark.usefixtures("large_store")
def test_two_thousand_memories_are_drawn_and_stay_smooth(viewer: Viewer, record_property):
    page = viewer.page
    viewer.open()
    expect(viewer.drawing).to_have_attribute("data-nodes", "500", timeout=60_000)
    page.get_by_text("What is loaded").click()
    page.get_by_label("Most memories").select_option("2000")
    began = time.monotonic()
    page.get_by_role("button", name="Load", exact=True).click()
    viewer.loaded(MEMORIES, EDGES)
    drawn = time.monotonic() - began
    expect(viewer.shown).to_have_text("Shown 2,000 of 2,000 memories, 3,000 of 3,000 edges")
    viewer.screenshot("two-thousand")
    moved = page.evaluate(FRAMES, 3000)
    began = time.monotonic()
    viewer.drawing.focus()
    page.keyboard.press("ArrowRight")
    expect(viewer.drawing).not_to_have_attribute("data-current", "")
    answered = time.monotonic() - began
    page.get_by_label("Decision").uncheck()
    expect(viewer.shown).to_contain_text("Shown 1,666 of 2,000 memories")
    for name, value in {"drawn_seconds": drawn, "key_seconds": answered, **moved}.items():
        record_property(name, round(value, 2))
    print(f"drawn in {drawn:.1f} s, {moved}, key answered in {answered:.2f} s")
    # Bounds for a shared machine that draws in software; with a graphics card it is far from them.
    assert drawn < 45
    assert moved["perSecond"] > 5
    assert answered < 5
