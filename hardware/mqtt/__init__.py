"""Tables over MQTT, for a home's automation: how they stand, what happens, and buttons.

- `hardware.mqtt.payloads`: what is published and what a command says, as plain documents
- `hardware.mqtt.discovery`: how Home Assistant comes to know a table
- `hardware.mqtt.table_feed`: a table's stream, come back to where it broke off
- `hardware.mqtt.broker`: the connection to the broker; the only module that knows paho-mqtt (the extra ``mqtt``)
- `hardware.mqtt.bridge`: all of it together, a client of the API like any other device
"""
