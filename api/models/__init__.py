"""Models of requests and answers: they validate, serialize, and make up the OpenAPI document."""
