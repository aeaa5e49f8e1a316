"""The least that a Flask endpoint under gunicorn can do."""

from flask import Flask, jsonify

app = Flask("empty")


@app.route("/", methods=["GET", "POST"])
def empty():  # noqa: ANN201
    return jsonify({"status": "success"})
