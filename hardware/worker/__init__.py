"""The device process: operates the ports of all configured devices, as a client of the server's API.

- `hardware.worker.device_worker`: the main loop: applies the configuration, starts and stops devices, reports their status
- `hardware.worker.managed_device`: one device: its transport, display and lights
- `hardware.worker.outbox`: delivers presses and scans to the server in order, each exactly once
- `hardware.worker.event_stream`: follows a table's event stream
"""
