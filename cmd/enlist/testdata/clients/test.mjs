// Tests enlist.mjs. Arguments: the URL, a key, the file, and the id, time, signature, body and secret of a webhook.
const [, , url, key, file, id, time, signature, body, secret] = process.argv;
const {Enlist, EnlistError, verifyWebhook} = await import(file);
const assert = (condition, what) => { if (!condition) { console.log("failed:", what); process.exit(1); } };

const enlist = new Enlist(url, key, {wait: 0.01});
const list = await enlist.addList({name: "JavaScript"});
assert((await enlist.countLists([["name", "exactly", "JavaScript"]])) === 1, "a repeated call is executed once");
await enlist.addContacts(list, Array.from({length: 5}, (_, i) => ({Email: `c${i}@example.com`})));
const found = [];
for await (const contact of enlist.all("searchContacts", list, [], 2)) found.push(contact.Email);
assert(found.join() === [0, 1, 2, 3, 4].map((i) => `c${i}@example.com`).join(), found);
const failure = await enlist.searchFields(99).catch((error) => error);
assert(failure instanceof EnlistError && failure.code === 303, failure);
const headers = {"webhook-id": id, "webhook-timestamp": time, "webhook-signature": "v1,x " + signature};
assert((await verifyWebhook(headers, body, secret))[0].contact_id === 7, "a webhook");
assert((await verifyWebhook(headers, body + " ", secret).catch((error) => error)) instanceof EnlistError, "a forged webhook");
assert((await enlist.getKeyInfo()).access_level === "full", "a call that was refused with 399 is sent again");
console.log("good");
