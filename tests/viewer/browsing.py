"""What a person does in the viewer, and what the browser saw meanwhile."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect

TOKEN = "test-token"
ARTIFACTS = Path(__file__).parents[2] / ".artifacts"


class Viewer:
    """One tab. `allowed` holds patterns of console errors that a test causes on purpose."""

    def __init__(self, context, address, client):
        self.context = context
        self.page = context.new_page()
        self.address = address
        self.client = client
        self.errors = []
        self.requests = []
        # The browser itself notes the refusal of the one request that tries whether a token is needed at all.
        self.allowed = [r"status of 401 .*/graph/snapshot\?"]
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._sent)

    def _said(self, message):
        if message.type == "error":
            self.errors.append(f"{message.text} {message.location.get('url', '')}")

    def _sent(self, request):
        self.requests.append(request)

    def check(self):
        """Nothing failed, nothing broke the policy, nothing left the host, and no address held the token."""
        unexpected = [each for each in self.errors if not any(re.search(known, each) for known in self.allowed)]
        assert unexpected == [], unexpected
        for request in self.requests:
            assert TOKEN not in request.url, request.url
            assert request.url.startswith(("data:", f"{self.address}/")), request.url
        assert TOKEN not in self.page.url

    def asked(self, method, path):
        """The requests of a method whose path begins so."""
        return [r for r in self.requests if r.method == method and urlsplit(r.url).path.startswith(path)]

    def open(self, token=TOKEN):
        self.page.goto(f"{self.address}/viewer")
        if token is not None:
            self.sign_in(token)
        return self

    def sign_in(self, token=TOKEN):
        self.page.get_by_label("API token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()

    def loaded(self, memories, edges=0):
        """Wait until this many are drawn and in their places."""
        expect(self.drawing).to_have_attribute("data-nodes", str(memories), timeout=60_000)
        expect(self.drawing).to_have_attribute("data-edges", str(edges))
        if memories:
            expect(self.drawing).to_have_attribute("data-layout", "done", timeout=60_000)
        return self

    @property
    def drawing(self):
        return self.page.locator("#drawing")

    @property
    def detail(self):
        return self.page.locator("#detail")

    @property
    def shown(self):
        return self.page.locator("#shown")

    @property
    def options(self):
        return self.page.get_by_role("listbox", name=re.compile("Memories|Found")).get_by_role("option")

    def option(self, text):
        return self.options.filter(has_text=text)

    def open_memory(self, text):
        self.option(text).click()
        expect(self.detail.locator(".content")).to_contain_text(text)
        expect(self.detail.get_by_role("heading", name=re.compile("^Edges"))).to_be_visible()

    def act(self, name):
        self.detail.get_by_role("button", name=name).click()

    def search(self, query):
        self.page.get_by_label("Search the memories").fill(query)
        self.page.get_by_role("button", name="Search").click()

    def confirm(self, name):
        self.page.get_by_role("dialog").get_by_role("button", name=name).click()

    def screenshot(self, name):
        self.page.screenshot(path=ARTIFACTS / f"viewer-{name}.png")


def family(client):
    """Store four memories, three of them joined in a row; gives their ids."""
    sister = client.store("Sarah's sister is Rachel", tags=["family", "topic:sarah"], timestamp="2026-01-05")
    job = client.store("Rachel is a software engineer", tags=["career"], timestamp="2026-03-05", importance=0.9)
    customer = client.store("The largest customer is in Taiwan", tags=["work"], timestamp="2026-06-05", type="Insight")
    tea = client.store("Sarah prefers tea", tags=["topic:sarah"], timestamp="2026-09-05", type="Preference")
    client.associate(sister, job, "RELATES_TO", 0.7)
    client.associate(job, customer, "PREFERS_OVER", 0.9, reason="it pays better", context="at work")
    return sister, job, customer, tea
