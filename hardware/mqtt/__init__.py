"""Tables over MQTT for home automation: their states, their events, and button presses.

- `hardware.mqtt.payloads`: the JSON documents that are published and received
- `hardware.mqtt.discovery`: Home Assistant's discovery message of a table
- `hardware.mqtt.table_feed`: follows a table's event stream and resumes it after a lost connection
- `hardware.mqtt.broker`: the connection to the broker; the only module that uses paho-mqtt (the extra ``mqtt``)
- `hardware.mqtt.bridge`: connects all of these; a client of the API like any other device
"""
