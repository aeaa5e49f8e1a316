"""The pydantic models that validate requests, describe answers, and write the OpenAPI document."""
