"""Devices at the table: readers, buttons and displays on serial ports.

- `hardware.transports.transport`: keeps one device connected: finds, opens, probes and monitors its port, and reopens it
- `hardware.readers`, `hardware.buttons`, `hardware.displays`: drivers, which do no I/O themselves
- `hardware.simulators`: a simulator of every device, with faults that can be switched on
- `hardware.driver_registry`: all drivers by name
"""
