"""The routes of the API and of the pages, one blueprint a file; `api.access.policy` has who may use which."""
