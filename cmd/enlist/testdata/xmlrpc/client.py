# Calls the service with xmlrpc.client of Python. Arguments: the URL and a key of the level full.
import datetime
import sys
import xmlrpc.client

url, key = sys.argv[1:]
server = xmlrpc.client.ServerProxy(url, allow_none=True)

for name, details in (("Born", {"type": "date"}), ("Balance", {"type": "decimal"}), ("0", {"type": "text"})):
    server.addField(key, 1, dict(details, name=name))
contact = server.subscribeContact(key, 1, {
    "Email": "zoë@example.com",
    "Born": datetime.datetime(2000, 1, 31),
    "Balance": 5_000_000_000.5,
    "0": xmlrpc.client.Binary("<Zürich> & \r\n".encode()),
}, None, "", None)
found = server.searchContacts(key, 1, [["Email", "exactly", "zoë@example.com"]], 1, 0, None, None,
                              ["id", "Email", "Born", "Balance", "0", "Mobile Phone", "is_active"])
expected = [{"id": contact, "Email": "zoë@example.com", "Born": "2000-01-31", "Balance": 5_000_000_000.5,
             "0": "<Zürich> & \r\n", "Mobile Phone": "", "is_active": True}]
assert found == expected, found
assert found[0]["is_active"] is True and isinstance(found[0]["id"], int)
assert server.getContactPreferences(key, 1, contact) == {}
assert server.searchLists(key, ["name", "exactly", "nothing"]) == []

for params, code in (((key, 99), 303), (("wrong", 1), 300), ((), 301), ((key, 1, "no criteria"), 311)):
    try:
        server.searchFields(*params)
    except xmlrpc.client.Fault as fault:
        assert fault.faultCode == code, fault
    else:
        raise AssertionError(f"searchFields{params} succeeded")
print("good")
