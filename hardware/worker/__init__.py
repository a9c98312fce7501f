"""The device process: the ports of all configured devices, as a client of the API.

- `hardware.worker.device_worker`: takes over the configuration, starts and ends devices, reports on them
- `hardware.worker.managed_device`: one device: its transport, what its display and its lights show
- `hardware.worker.outbox`: presses and scans on their way to the server, in order, none lost, none twice
- `hardware.worker.event_stream`: a table's events
"""
