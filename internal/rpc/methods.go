package rpc

import (
	"slices"
	"strings"

	"enlist/internal/audience"
)

// method is one operation of the API.
type method struct {
	name   string
	level  audience.Level // that the key must have at least
	writes bool           // heeds an Idempotency-Key
	params []string       // of the signature, api_key first
	run    func(c *call) error
}

// The parameters that every search takes, and those of consent.
const (
	searching  = " search_criteria limit offset sort_by sort_order"
	consenting = " consent_type consent_text list_preferences ip_address"
)

// methods is the contents page of the API. Names are matched exactly.
func methods() map[string]*method {
	const (
		read, standard, full = audience.Read, audience.Standard, audience.Full
		asks, writes         = false, true
	)
	table := make(map[string]*method)
	add := func(name string, level audience.Level, writes bool, params string, run func(*call) error) {
		table[name] = &method{name, level, writes, slices.Insert(strings.Fields(params), 0, "api_key"), run}
	}

	// Contacts.
	add("subscribeContact", standard, writes, "list_id contact_details"+consenting, subscribeContact)
	add("resubscribeContact", standard, writes, "list_id contact_id"+consenting, resubscribeContact)
	add("addContacts", standard, writes, "list_id contacts overwrite remove_unsubscribers", addContacts)
	add("editContacts", standard, writes, "list_id contacts trigger_update_profile", editContacts)
	add("deleteContacts", standard, writes, "list_id contact_ids"+searching, deleteContacts)
	add("unsubscribeContact", standard, writes, "list_id address", unsubscribeContact)
	add("unsubscribeContactById", standard, writes, "list_id contact_id", unsubscribeContactByID)
	add("deactivateContact", standard, writes, "list_id contact_id", deactivateContact)
	add("reactivateContact", standard, writes, "list_id contact_id", reactivateContact)
	add("confirmContact", standard, writes, "list_id contact_id", confirmContact)
	add("searchContacts", standard, asks, "list_id"+searching+" returned_fields", searchContacts)
	add("countContacts", standard, asks, "list_id search_criteria", countContacts)
	add("getContactById", standard, asks, "list_id contact_id returned_fields", getContactByID)
	add("getContactPreferences", standard, asks, "list_id contact_id", getContactPreferences)
	add("getContactConsents", standard, asks, "list_id contact_id limit offset", getContactConsents)
	add("getMessagesSentToContact", standard, asks, "list_id contact_id", getMessagesSentToContact)
	add("searchPreviousUnsubscribers", standard, asks, "list_id"+searching, searchPreviousUnsubscribers)
	add("countPreviousUnsubscribers", standard, asks, "list_id search_criteria", countPreviousUnsubscribers)

	// Lists.
	add("addList", full, writes, "list_details", addList)
	add("editList", full, writes, "list_details", editList)
	add("deleteList", full, writes, "list_id", deleteList)
	add("clearList", full, writes, "list_id", clearList)
	add("searchLists", read, asks, searching, searchLists)
	add("countLists", read, asks, "search_criteria", countLists)
	add("getListById", read, asks, "list_id", getListByID)
	add("addListPreference", full, writes, "list_id name", addListPreference)
	add("deleteListPreference", full, writes, "list_id preference_id", deleteListPreference)
	add("searchListPreferences", read, asks, "list_id"+searching, searchListPreferences)

	// Fields.
	add("addField", full, writes, "list_id field_details", addField)
	add("editField", full, writes, "list_id field_details", editField)
	add("deleteField", full, writes, "list_id field_id", deleteField)
	add("searchFields", read, asks, "list_id"+searching, searchFields)
	add("countFields", read, asks, "list_id search_criteria", countFields)
	add("getFieldById", read, asks, "list_id field_id", getFieldByID)

	// Webhooks.
	add("addWebhook", full, writes, "webhook_details", addWebhook)
	add("editWebhook", full, writes, "webhook_details", editWebhook)
	add("deleteWebhook", full, writes, "webhook_id", deleteWebhook)
	add("getWebhookById", full, asks, "webhook_id", getWebhookByID)
	add("searchWebhooks", full, asks, searching, searchWebhooks)
	add("countWebhooks", full, asks, "search_criteria", countWebhooks)

	// Messages and autoresponders.
	add("addMessage", full, writes, "message_details", addMessage)
	add("editMessage", full, writes, "message_details", editMessage)
	add("deleteMessage", full, writes, "message_id", deleteMessage)
	add("searchMessages", read, asks, searching, searchMessages)
	add("countMessages", read, asks, "search_criteria", countMessages)
	add("getMessageById", read, asks, "message_id retrieve_content", getMessageByID)
	add("addAutoresponder", full, writes, "autoresponder_details", addAutoresponder)
	add("editAutoresponder", full, writes, "autoresponder_details", editAutoresponder)
	add("deleteAutoresponder", full, writes, "autoresponder_id", deleteAutoresponder)
	add("searchAutoresponders", read, asks, searching, searchAutoresponders)
	add("countAutoresponders", read, asks, "search_criteria", countAutoresponders)
	add("getAutoresponderById", read, asks, "autoresponder_id", getAutoresponderByID)

	// Folders and the Account.
	add("addFolder", full, writes, "folder_details", addFolder)
	add("editFolder", full, writes, "folder_details", editFolder)
	add("deleteFolder", full, writes, "folder_id", deleteFolder)
	add("searchFolders", read, asks, "folder_type"+searching, searchFolders)
	add("countFolders", read, asks, "folder_type search_criteria", countFolders)
	add("getFolderById", read, asks, "folder_id", getFolderByID)
	add("getSessionInfo", read, asks, "", getSessionInfo)
	add("getTimezoneList", read, asks, "", getTimezoneList)
	return table
}
