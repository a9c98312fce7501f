"""Serial ports: discovery, opening, and a transport that keeps one device connected.

- `hardware.transports.port_discovery`: finds a port by path, USB identity or URL
- `hardware.transports.serial_port`: opens a port with pyserial and reports its failures as `hardware.device_faults.Fault`
- `hardware.transports.transport`: opens a device's port, probes and monitors it, and reopens it after a failure
"""
