# syntax=docker/dockerfile:1
# The service alone, or beside the servers of docker-compose.yml. Data and the generated token live in /data.
ARG PYTHON_IMAGE=python:3.12.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# The CPU wheel index that PyTorch's installation page names keeps a CUDA build of several gigabytes out of the image.
ARG TORCH_INDEX=
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/automem
ENV PATH=/opt/automem/bin:$PATH

# The dependencies are a layer of their own, which a change of the code does not touch.
WORKDIR /dependencies
COPY pyproject.toml constraints.txt README.md ./
RUN mkdir automem && echo '__version__ = "0"' > automem/__init__.py \
    && pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} --no-deps "$(grep '^torch==' constraints.txt)" \
    && pip install --constraint constraints.txt '.[embedded]'

WORKDIR /src
COPY pyproject.toml README.md ./
COPY automem automem
RUN pip install --no-deps --force-reinstall .
# Exported here, the model needs no start-up time and no writable directory.
RUN python -c "from pathlib import Path; from automem.embedding.export import exported_model; \
exported_model('all-MiniLM-L6-v2', Path('/opt/automem/models'), print)"

FROM ${PYTHON_IMAGE}
# FalkorDB's module, which the embedded mode runs, needs the OpenMP runtime.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home automem \
    && install --directory --owner automem --group automem --mode 0700 /data
COPY --from=build /opt/automem /opt/automem
ENV PATH=/opt/automem/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AUTOMEM_HOST=0.0.0.0 \
    PORT=8001 \
    AUTOMEM_DATA_DIR=/data \
    AUTOMEM_MODELS_DIR=/opt/automem/models
USER automem
WORKDIR /data
VOLUME /data
EXPOSE 8001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/health/ready', timeout=4)"]
CMD ["automem", "serve"]
