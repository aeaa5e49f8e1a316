import pytest

from automem.app import create_app
from automem.bootstrap import compose
from automem.embedding.hashing import HashingEmbedder

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/viewer": "text/html",
    "/viewer/": "text/html",
    "/viewer/assets/viewer.js": "text/javascript",
    "/viewer/assets/viewer.css": "text/css",
    "/viewer/assets/licenses.txt": "text/plain",
}


@pytest.mark.parametrize("path", FILES)
def test_the_page_and_its_files_need_no_token(client, path):
    answer = client.raw.get(path, buffered=True)
    assert (answer.status_code, answer.mimetype) == (200, FILES[path])
    assert len(answer.data) > 500


@pytest.mark.parametrize("path", [*FILES, "/viewer/assets/unknown.js"])
def test_a_strict_policy_goes_with_everything(client, path):
    headers = client.raw.get(path, buffered=True).headers
    assert headers["Content-Security-Policy"] == POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "name",
    [
        "unknown.js",
        "index.html",
        "",
        "../pages.py",
        "..%2fpages.py",
        "../../../pyproject.toml",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "..\\pages.py",
        "viewer.js/",
        "viewer.js%00",
    ],
)
def test_any_other_name_is_a_404_in_the_usual_shape(client, name):
    answer = client.raw.get(f"/viewer/assets/{name}")
    assert answer.status_code == 404
    assert (answer.json["status"], answer.json["code"]) == ("error", 404)


def test_only_the_viewer_s_own_paths_are_open(client):
    for path in ("/viewer/other", "/viewerx", "/viewer/assets"):
        assert client.raw.get(path, buffered=True).status_code == 401


@pytest.mark.parametrize("path", FILES)
def test_a_browser_that_has_the_file_gets_no_second_copy(client, path):
    tag = client.raw.get(path, buffered=True).headers["ETag"]
    assert client.raw.get(path, headers={"If-None-Match": tag}, buffered=True).status_code == 304


@pytest.mark.parametrize("path", FILES)
def test_switched_off_it_is_not_there(service, settings, path):
    without = settings.model_copy(update={"viewer": False})
    container = compose(without, service.runner, service.vectors, HashingEmbedder(128))
    answer = create_app(without, container).test_client().get(path, buffered=True)
    assert (answer.status_code, answer.json["status"]) == (404, "error")


def test_the_page_holds_no_script_and_no_style_of_its_own(client):
    page = client.raw.get("/viewer", buffered=True).text
    assert page.count("<script") == page.count('src="/viewer/assets/viewer.js"') == 1
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick=" not in page
