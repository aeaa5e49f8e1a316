# ruff: noqa: RUF001 - these texts are meant to be in other scripts.
"""Texts in any script, identifiers and every sign of a search syntax are stored, found and never an error."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recall_cases import client_without_embedder, ids, store_many

TEXTS = {
    "chinese": "我们决定在下个季度迁移到新的数据库",
    "japanese": "来週の会議は東京で行います",
    "korean": "서버를 다음 달에 이전합니다",
    "thai": "ระบบจะปิดปรับปรุงในคืนวันเสาร์",
    "russian": "Мы решили перенести базу данных в следующем квартале",
    "ukrainian": "Їжак зʼїв яблуко в саду",
    "greek": "Η ομάδα αποφάσισε να αλλάξει βάση",
    "arabic": "قررنا نقل قاعدة البيانات",
    "hebrew": "החלטנו להעביר את בסיס הנתונים",
    "hindi": "हमने डेटाबेस बदलने का फैसला किया",
    "accents": "Le café naïf coûte très cher à Zürich",
    "emoji": "🚀 launch day 🎉",
    "emoji-only": "🦄🌈",
    "error-code": "The importer stops with ERR-4521",
    "call": "foo_bar.baz() raises on an empty list",
    "path": "see C:\\Users\\ada\\notes.txt and /etc/hosts",
    "address": "write to ada@example.com about https://example.com/a?b=c&d=e#f",
    "price": "$100 for C++ and C# and .NET 8",
    "quotes": "she said \"it's 'fine'\" and `left`",
    "version": "upgrade to v2.10.3-rc1 on 2026-01-31",
    "short": "R is a language; so is Go",
    "cypher": "MATCH (n) WHERE n.id = 'x' DETACH DELETE n // $id {a: 1}",
    "markup": "<script>alert(1)</script> &amp; %20",
    "newlines": "first line\nsecond line\ttabbed",
}
PARTS = [
    ("chinese", "数据库"),
    ("chinese", "迁移"),
    ("japanese", "東京"),
    ("korean", "서버"),
    ("thai", "ปรับปรุง"),
    ("russian", "база данных"),
    ("russian", "РЕШИЛИ"),
    ("ukrainian", "яблука"),
    ("greek", "ομαδα"),
    ("arabic", "البيانات"),
    ("hebrew", "הנתונים"),
    ("hindi", "डेटाबेस"),
    ("accents", "cafe"),
    ("accents", "ZURICH"),
    ("emoji", "🚀"),
    ("emoji-only", "🌈"),
    ("error-code", "ERR-4521"),
    ("error-code", "err-4521"),
    ("error-code", "4521"),
    ("call", "foo_bar.baz()"),
    ("call", "foo_bar"),
    ("call", "baz"),
    ("path", "notes.txt"),
    ("path", "/etc/hosts"),
    ("address", "ada@example.com"),
    ("price", "C++"),
    ("price", "c#"),
    ("price", ".NET"),
    ("price", "$100"),
    ("version", "v2.10.3-rc1"),
    ("short", "R"),
    ("short", "Go"),
    ("markup", "alert(1)"),
    ("newlines", "tabbed"),
]
SIGNS = [
    *"@~*-+|&!(){}[]^\"':;,.<>?/\\%$#=`_ ",
    "\t",
    "\n",
    "\r",
    "--",
    "/*",
    "*/",
    "%00",
    "&&",
    "||",
    "(-@a:b)",
    "'; DROP",
    "${x}",
    "\u202e",
    "\ufeff",
    "\u0301",
    "\x01",
    "\x7f",
]


@pytest.fixture(scope="module")
def words_only(client, settings, service):
    return client_without_embedder(client, settings, service)


@pytest.fixture(scope="module")
def stored(client):
    store_many(client, [f"unrelated entry {n}: weather and traffic" for n in range(60)])
    return {name: client.store(text, tags=[f"lang-{name}"]) for name, text in TEXTS.items()}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_any_script_is_found_by_itself_and_comes_back_unchanged(client, words_only, stored, name):
    for caller in (client, words_only):
        result = caller.recall(TEXTS[name])[0]
        assert result["id"] == stored[name]
        assert result["memory"]["content"] == TEXTS[name]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_text_is_found_by_a_word_of_it_by_words_alone(words_only, stored, name, part):
    result = words_only.recall(part)[0]
    assert result["id"] == stored[name]
    assert result["score_components"]["keyword"] == 1.0


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_text_found_by_meaning_has_its_keyword_component_in_every_script(client, stored, name, part):
    found = {result["id"]: result for result in client.recall(part, tags=f"lang-{name}")}
    assert found[stored[name]]["match_type"] == "vector"
    assert found[stored[name]]["score_components"]["keyword"] == 1.0


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_no_sign_of_a_search_syntax_is_an_error(client, words_only, stored, tag, sign):
    text = f"before {sign} after-{tag}"
    memory_id = client.store(text, tags=[tag], metadata={"sign": sign})
    for caller in (client, words_only):
        assert ids(caller.recall(text, tags=tag)) == [memory_id]
        for query in (sign, sign * 3, f"after-{tag} {sign}", f"{sign}{sign}after"):
            answer = caller.get("/recall", query=query, expand_relations="true", expand_entities="true")
            assert answer.status_code == 200, answer.json
    assert client.get(f"/memory/{memory_id}").json["memory"]["content"] == text


@pytest.mark.parametrize("sign", [sign for sign in SIGNS if sign != "\x01"], ids=ascii)
def test_no_sign_in_a_tag_is_an_error(client, stored, tag, sign):
    label = f"{tag}{sign}x"
    memory_id = client.store("has an odd tag", tags=[label])
    for match in ("exact", "prefix"):
        assert ids(client.recall("odd tag", tags=label, tag_match=match)) == [memory_id]
        assert ids(client.recall("", tags=label, tag_match=match)) == [memory_id]
    assert memory_id not in ids(client.recall("", limit=100, exclude_tags=label))


def test_a_zero_byte_in_a_question_is_no_error(client, stored):
    assert client.get("/recall", query="ERR-4521\x00").json["results"][0]["id"] == stored["error-code"]
    assert client("GET", "/recall?query=%00%ff%fe&exclude_tags=%ff").status_code == 200
    assert client("GET", "/recall?query=a&tags=%00").status_code == 400


def test_a_question_may_be_long(client, words_only, stored):
    for caller in (client, words_only):
        assert caller.get("/recall", query="我们决定 база foo_bar.baz() " * 2000).status_code == 200


def test_texts_that_differ_in_one_character_of_their_script_do_not_collapse(client, tag):
    texts = [
        "会议在周一",
        "会议在周二",
        "会议在周三",
        "Встреча в среду",
        "Встреча в пятницу",
        "🚀",
        "🎉",
        "!!!",
        "???",
        "é",
        "e",
    ]
    stored = store_many(client, texts, tags=[tag])
    for query in ("会议", ""):
        answer = client.get("/recall", query=query, tags=tag, limit=100).json
        assert set(ids(answer["results"])) == set(stored)
        assert answer["dedup_removed"] == 0


def test_names_in_other_scripts_are_followed(client, tag):
    seed = client.store(f"{tag} знаком с Екатерина Волкова")
    other = client.store("Екатерина Волкова живёт у моря")
    tagged = client.store("来自上海的供应商", tags=["上海"])
    also = client.store(f"{tag} 供应合同", tags=["上海"])
    assert ids(client.recall(f"{tag} знаком", limit=1, expand_entities="true")) == [seed, other]
    assert ids(client.recall(f"{tag} 供应合同", limit=1, expand_entities="true")) == [also, tagged]


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60))
def test_any_text_is_stored_as_it_is_and_found_by_its_id_and_scope(client, text):
    answer = client.post("/memory", {"content": text, "tags": ["fuzz"], "metadata": {"t": text}})
    if not text.strip():
        assert answer.status_code == 400
        return
    assert answer.status_code == 201
    memory_id = answer.json["memory_id"]
    assert client.get(f"/memory/{memory_id}").json["memory"]["content"] == text.strip()
    found = client.get("/recall", query=text, tags="fuzz", limit=100, sort="time_desc")
    assert found.status_code == 200
    results = {copy for item in found.json["results"] for copy in (item["id"], *item.get("deduped_from", ()))}
    assert memory_id in results
    client.delete(f"/memory/{memory_id}")
