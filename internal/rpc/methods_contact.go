package rpc

import (
	"enlist/internal/contacts"
	"enlist/internal/reports"
)

// This file has the methods for Contacts. They need the access level standard, because Contacts are personal
// data. reference.md: auth.levels

func (t table) addContactMethods() {
	g := t.of("Contacts")
	g.add("subscribeContact", standard, writes, "list_id contact_details"+consentParams,
		run1(readSubscribe, g.Contacts.Subscribe, writeInt)).
		says("Adds one Contact to a List. If the List has the address, changes this Contact and subscribes it again.",
			"integer, the Contact's ID", "302 303 310 317 330 334 335")
	g.add("resubscribeContact", standard, writes, "list_id contact_id"+consentParams+trackingParams+" contact_language=",
		run1(readResubscribe, g.Contacts.Resubscribe, writeInt)).
		says("Clears the unsubscribe flag of a Contact. Its entry on the Unsubscriber List stays.",
			"integer, the Contact's ID", "302 303 304 310 334 335")
	g.add("addContacts", standard, writes, "list_id contacts overwrite=false remove_unsubscribers=0 ip_address=",
		addContacts).
		says("Adds up to 5,000 Contacts. It does not subscribe them: no notification is sent. Invalid rows are left out.",
			"object of integer, the position of each stored row to its Contact's ID", "303 310 330 380")
	g.add("editContacts", standard, writes, "list_id contacts trigger_update_profile=false",
		run1(readEdits, g.Contacts.EditContacts, writeOutcomes)).
		says("Changes the values of up to 5,000 Contacts. Each row has the id of its Contact.",
			"object of boolean, each Contact ID to whether all its rows succeeded", "303 310 320 380")
	g.add("deleteContacts", standard, writes,
		"list_id contact_ids=[] search_criteria=[] limit=0 offset=0 sort_by= sort_order=DESC",
		run1(readDeletion, g.Contacts.DeleteContacts, writeOutcomes)).
		says("Deletes Contacts by their IDs or, with criteria, the matching Contacts. Without limit it deletes all matches.",
			"object of boolean, each Contact ID to whether the List had the Contact", "303 310 311")
	const copyParams = "list_id target_list_id contact_ids=[] search_criteria=[]"
	g.add("copyContacts", standard, writes, copyParams,
		run1(readCopy, g.Contacts.StartChange, writeInt)).
		says("Copies Contacts to another List, by their IDs or, with criteria, the matching Contacts. A job does it.",
			"integer, the ID of the change, for getContactChangeById", "303 310 311")
	g.add("moveContacts", standard, writes, copyParams,
		run1(readMove, g.Contacts.StartChange, writeInt)).
		says("Copies Contacts as copyContacts does, and removes them from their List.",
			"integer, the ID of the change, for getContactChangeById", "303 310 311")
	g.add("cancelContactChange", standard, writes, "change_id", act1(readID[int64], g.Contacts.CancelChange)).
		says("Ends a change of many Contacts. What is done stays. A change that has ended stays as it is.", "true", "310")
	g.add("unsubscribeContact", standard, writes, "list_id address ip_address=",
		run1(readUnsubscribe, g.Contacts.Unsubscribe, writeInt)).
		says("Unsubscribes every Contact of a List that has the address. With list_id 0, the address is only added to the "+
			"Unsubscriber List.", "integer, the List's ID", "303 310")
	g.add("unsubscribeContactById", standard, writes, "list_id contact_id ip_address=",
		run1(readChange, g.Contacts.UnsubscribeByID, writeInt)).
		says("Unsubscribes a Contact.", "integer, the List's ID", "303 304 310")
	g.add("deactivateContact", standard, writes, "list_id contact_id",
		run2(readList, readContact, g.Contacts.Deactivate, writeInt)).
		says("Makes a Contact inactive: it gets no messages but stays subscribed.", "integer, the Contact's ID",
			"302 303 304")
	g.add("reactivateContact", standard, writes, "list_id contact_id",
		run2(readList, readContact, g.Contacts.Reactivate, writeInt)).
		says("Makes a Contact active again, also after a bounce.", "integer, the Contact's ID", "302 303 304")
	g.add("confirmContact", standard, writes, "list_id contact_id ip_address="+trackingParams,
		run1(readConfirmation, g.Contacts.Confirm, writeInt)).
		says("Records that the subscriber confirmed the subscription.", "integer, the Contact's ID", "302 303 304 310")
	t.addContactSearches()
}

// addContactSearches adds the methods that read Contacts.
func (t table) addContactSearches() {
	g := t.of("Contacts")
	g.add("searchContacts", standard, readOnly, "list_id"+searchParams+` returned_fields=["all"]`, searchContacts).
		says("Returns the Contacts of a List that match the criteria. A long result is streamed.", "array of Contact",
			"303 311")
	g.add("countContacts", standard, readOnly, "list_id search_criteria=[]",
		run2(readList, readCriteria, g.Contacts.CountContacts, writeInt)).
		says("Counts the Contacts of a List that match the criteria.", "integer, the number of Contacts", "303 311")
	g.add("getContactById", standard, readOnly, `list_id contact_id returned_fields=["all"]`, getContactByID).
		says("Returns one Contact.", "array of Contact, with one Contact", "303 304")
	g.add("getContactChangeById", standard, readOnly, "change_id",
		run1(readID[int64], g.Contacts.Change, writeOne(contacts.ChangeAttributes))).
		says("Returns how far a change of many Contacts is, of copyContacts, moveContacts or the pages.",
			"array of ContactChange, with one change", "310")
	g.add("getContactPreferences", standard, readOnly, "list_id contact_id",
		run2(readList, readContact, g.Contacts.ContactPreferences, writeChoices)).
		says("Returns a Contact's answers to the List preferences.", "object of boolean, each preference to the answer",
			"303 304")
	g.add("getContactConsents", standard, readOnly, "list_id contact_id limit=100 offset=0 with_changes=false",
		rows1(readLedgerQuery, g.Contacts.ContactConsents, appendLedgerRow)).
		says("Returns what a Contact agreed to, newest first.", "array of Consent", "303 304 311")
	g.add("getMessagesSentToContact", standard, readOnly,
		"list_id contact_id message_type=all period_from=0 period_to=0",
		rows1(readSentQuery, g.Reports.MessagesSentToContact, Encoder(reports.SentMessageAttributes))).
		says("Returns the Messages that were sent to a Contact, newest first.", "array of SentMessage", "303 304 310")
	g.add("getContactDeliveries", standard, readOnly, "list_id contact_id",
		rows2(readList, readContact, g.Reports.ContactDeliveries, Encoder(reports.ContactDeliveryAttributes))).
		says("Returns all mails to a Contact with their outcomes, newest first.", "array of ContactDelivery", "303 304")
	g.add("searchPreviousUnsubscribers", standard, readOnly, "list_id=0"+searchParams,
		rows2((*params).optionalList, readQuery, g.Contacts.SearchUnsubscribers,
			Encoder(contacts.UnsubscriberAttributes))).
		says("Returns the addresses that ever unsubscribed from a List, or with list_id 0 from any List.",
			"array of Unsubscriber", "303 311")
	g.add("countPreviousUnsubscribers", standard, readOnly, "list_id=0 search_criteria=[]",
		run2((*params).optionalList, readCriteria, g.Contacts.CountUnsubscribers, writeInt)).
		says("Counts the addresses that ever unsubscribed from a List.", "integer, the number of addresses", "303 311")
}

// addPersonMethods adds the methods about everything that is stored about a person, in all Lists of the Account.
func (t table) addPersonMethods() {
	g := t.of("People's data")
	g.add("exportPerson", full, readOnly, "address", exportPerson).
		says("Returns everything that the Account stores about an address, in all Lists. It takes long if there are many mails.",
			"object of array of object, each kind of data to its rows", "310")
	g.add("erasePerson", full, writes, "address dry_run=false", erasePerson).
		says("Erases everything that the Account stores about an address. The address stays unsubscribed, as a keyed hash.",
			"Erasure", "310")
}
