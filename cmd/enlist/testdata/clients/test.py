# Tests enlist.py. Arguments: the URL, a key, the file, and the id, time, signature, body and secret of a webhook.
import importlib.util
import sys

url, key, file, number, time, signature, body, secret = sys.argv[1:]
spec = importlib.util.spec_from_file_location("enlist", file)
client = importlib.util.module_from_spec(spec)
spec.loader.exec_module(client)

enlist = client.Enlist(url, key, wait=0.01)
new = enlist.addList({"name": "Python"})
assert enlist.countLists([["name", "exactly", "Python"]]) == 1, "a repeated call is executed once"
enlist.addContacts(new, [{"Email": f"c{i}@example.com"} for i in range(5)])
found = [contact["Email"] for contact in enlist.all("searchContacts", new, [], 2)]
assert found == [f"c{i}@example.com" for i in range(5)], found
headers = {"webhook-id": number, "webhook-timestamp": time, "webhook-signature": "v1,x " + signature}
assert client.verify_webhook(headers, body.encode(), secret)[0]["contact_id"] == 7
for attempt, code in ((lambda: enlist.searchFields(99), 303), (lambda: client.verify_webhook(headers, b"[]", secret), 0)):
    try:
        attempt()
    except client.EnlistError as error:
        assert error.code == code, error
    else:
        raise AssertionError(f"no error {code}")
assert enlist.getKeyInfo()["access_level"] == "full", "a call that was refused with 399 is sent again"
print("good")
