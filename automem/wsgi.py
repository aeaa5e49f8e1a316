"""What a WSGI server loads: `gunicorn --workers 1 --threads 16 automem.wsgi:app`.

Load it after any fork (no `--preload`): the embedded engines belong to one process.
"""

from automem.app import create_app
from automem.cli import end_streams_on_signal
from automem.settings import load_settings

app = create_app(load_settings())
app.extensions["automem"].background.start()
end_streams_on_signal(app.extensions["automem"].events)
