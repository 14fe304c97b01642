// Package audience is the domain: Lists, their Fields and Contacts, consent,
// and every rule about them. It says what is allowed and what follows; it does
// not know JSON, SQL, HTTP or mail.
//
// A Service carries the rules. Each of its methods is one thing a caller can
// ask for, checks it in the order that the specification gives, and makes its
// change inside one Store.Update, so that the change, its ledger row and what
// it sets in motion are stored together or not at all.
//
// The Store and Tx interfaces (store.go) are what the domain needs from a
// database; the packages under internal/store implement them. Times are integer
// Unix seconds, 0 where something never happened.
//
// Tx is made of roles, one for each kind of record. A role is declared beside the
// rules that use it: AccountTx in account.go, KeyTx in key.go, FolderTx in
// folders.go, ListTx in list.go, FieldTx in field.go, PreferenceTx in
// preferences.go, ContactTx in contact.go, SearchTx in searchcontacts.go, ConsentTx
// in consent.go, UnsubscriberTx in searchunsubscribers.go, RetryTx in service.go,
// IndexTx in searchindex.go, MessageTx in message_service.go, AutoresponderTx in
// autoresponder_service.go, WebhookTx in webhook_edit.go, WebhookQueueTx in webhook_deliver.go,
// DeliveryTx in delivery.go, LinkTx in link.go, JobTx in effect.go, and LockTx in
// store.go.
package audience
