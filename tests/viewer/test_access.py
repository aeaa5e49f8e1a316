from browsing import TOKEN, family
from playwright.sync_api import expect


def test_the_form_asks_for_the_token_and_keeps_it_for_this_tab_only(viewer, client):
    family(client)
    viewer.open(token=None)
    expect(viewer.page.get_by_label("API token")).to_be_focused()
    viewer.screenshot("sign-in")
    viewer.sign_in()
    viewer.loaded(4, 2)
    kept = viewer.page.evaluate("[{...sessionStorage}, {...localStorage}, document.cookie]")
    assert kept == [{"automem.token": TOKEN}, {}, ""]
    sent = [request.header_value("authorization") for request in viewer.asked("GET", "/graph/")]
    assert sent[0] is None
    assert set(sent[1:]) == {f"Bearer {TOKEN}"}
    viewer.page.reload()
    viewer.loaded(4, 2)


def test_a_wrong_token_leads_back_to_the_form_with_a_reason(viewer, client):
    family(client)
    viewer.open(token="wrong")
    expect(viewer.page.get_by_role("alert")).to_have_text("The service did not accept this token.")
    assert viewer.page.evaluate("sessionStorage.length") == 0
    viewer.sign_in()
    viewer.loaded(4, 2)


def test_a_token_that_is_no_longer_good_leads_back_to_the_form(viewer, client):
    viewer.allowed.append("status of 401")
    family(client)
    viewer.open().loaded(4, 2)
    viewer.page.evaluate("sessionStorage.setItem('automem.token', 'old')")
    viewer.option("Sarah prefers tea").click()
    expect(viewer.page.get_by_role("alert").first).to_have_text("The service did not accept this token.")
    expect(viewer.drawing).to_be_hidden()
    assert "tea" not in viewer.page.content()


def test_signing_out_forgets_the_token(viewer, client):
    viewer.open().loaded(0)
    viewer.page.get_by_role("button", name="Sign out").click()
    expect(viewer.page.get_by_label("API token")).to_be_visible()
    assert viewer.page.evaluate("sessionStorage.length") == 0


def test_a_service_without_a_token_asks_for_none(viewer, client, open_address):
    family(client)
    viewer.address = open_address
    viewer.allowed.clear()
    viewer.open(token=None).loaded(4, 2)
    expect(viewer.page.get_by_label("API token")).to_be_hidden()
    assert {request.header_value("authorization") for request in viewer.requests} == {None}


def test_an_empty_store_says_what_to_do_first(viewer, client):
    viewer.open()
    expect(viewer.page.get_by_role("heading", name="There are no memories yet")).to_be_visible()
    command = viewer.page.get_by_label("Command that stores a memory").inner_text()
    assert f"curl {viewer.address}/memory" in command
    assert '"content"' in command
    viewer.screenshot("empty")
    client.store("The first one")
    viewer.page.get_by_role("button", name="Look again").click()
    viewer.loaded(1)
    expect(viewer.page.get_by_role("heading", name="There are no memories yet")).to_be_hidden()


def test_while_the_store_is_away_it_says_so_and_retries(viewer, client, graph):
    viewer.allowed.append("status of 503")
    family(client)
    with graph.failing():
        viewer.open()
        alert = viewer.page.locator("#notice")
        expect(alert).to_contain_text("The store is away (FalkorDB is unavailable). Retry in a moment.")
        viewer.screenshot("away")
    viewer.page.get_by_role("button", name="Retry").click()
    viewer.loaded(4, 2)
    expect(alert).to_be_hidden()


def test_while_it_loads_it_says_so(viewer, client):
    family(client)
    held = []

    def hold(route):
        held.append(route)

    viewer.page.route("**/graph/snapshot*", hold)
    viewer.page.goto(f"{viewer.address}/viewer", wait_until="load")
    expect(viewer.page.get_by_text("Loading memories…")).to_be_visible()
    held[0].continue_()
    viewer.page.unroute("**/graph/snapshot*")
    viewer.sign_in()
    viewer.loaded(4, 2)


def test_a_service_that_is_gone_is_told_and_the_page_stays(viewer, client):
    viewer.allowed.append("ERR_CONNECTION_REFUSED")
    family(client)
    viewer.open().loaded(4, 2)
    viewer.page.route("**/recall*", lambda route: route.abort("connectionrefused"))
    viewer.search("tea")
    expect(viewer.shown).to_have_text("The service does not answer. Is it running? Then retry.")
    expect(viewer.options).to_have_count(4)
