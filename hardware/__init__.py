"""Devices at the table: readers, buttons and displays on serial ports.

- `hardware.transports.transport`: one device's port: found, opened, probed, watched, and opened again for ever
- `hardware.readers`, `hardware.buttons`, `hardware.displays`: drivers, free of input and output
- `hardware.simulators`: a double of every device, with faults to switch on
- `hardware.driver_registry`: all drivers by name
"""
