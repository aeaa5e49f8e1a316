"""What a WSGI server loads: `gunicorn --workers 1 --threads 8 automem.wsgi:app`.

Load it after any fork (no `--preload`): the embedded engines belong to one process.
"""

from automem.app import create_app
from automem.errors import ConfigurationError
from automem.settings import load_settings

settings = load_settings()
if settings.auth == "on" and settings.api_token is None:
    raise ConfigurationError(
        "AUTOMEM_API_TOKEN is not set; set it, or AUTOMEM_AUTH=off to let everyone in who can reach the service"
    )
app = create_app(settings)
app.extensions["automem"].background.start()
