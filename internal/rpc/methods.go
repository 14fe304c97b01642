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

// Levels, and whether a method writes, as the table has them.
const (
	read, standard, full = audience.Read, audience.Standard, audience.Full
	asks, writes         = false, true
)

// methods is the contents page of the API. Names are matched exactly.
func methods() map[string]*method {
	t := make(table)
	t.addContactMethods()
	t.addDefinitionMethods()
	t.addEventMethods()
	return t
}

type table map[string]*method

func (t table) add(name string, level audience.Level, writes bool, params string, run func(*call) error) {
	t[name] = &method{name, level, writes, slices.Insert(strings.Fields(params), 0, "api_key"), run}
}

func (t table) addContactMethods() {
	t.add("subscribeContact", standard, writes, "list_id contact_details"+consenting, subscribeContact)
	t.add("resubscribeContact", standard, writes, "list_id contact_id"+consenting, resubscribeContact)
	t.add("addContacts", standard, writes, "list_id contacts overwrite remove_unsubscribers", addContacts)
	t.add("editContacts", standard, writes, "list_id contacts trigger_update_profile", editContacts)
	t.add("deleteContacts", standard, writes, "list_id contact_ids"+searching, deleteContacts)
	t.add("unsubscribeContact", standard, writes, "list_id address", unsubscribeContact)
	t.add("unsubscribeContactById", standard, writes, "list_id contact_id", unsubscribeContactByID)
	t.add("deactivateContact", standard, writes, "list_id contact_id", deactivateContact)
	t.add("reactivateContact", standard, writes, "list_id contact_id", reactivateContact)
	t.add("confirmContact", standard, writes, "list_id contact_id", confirmContact)
	t.add("searchContacts", standard, asks, "list_id"+searching+" returned_fields", searchContacts)
	t.add("countContacts", standard, asks, "list_id search_criteria", countContacts)
	t.add("getContactById", standard, asks, "list_id contact_id returned_fields", getContactByID)
	t.add("getContactPreferences", standard, asks, "list_id contact_id", getContactPreferences)
	t.add("getContactConsents", standard, asks, "list_id contact_id limit offset", getContactConsents)
	t.add("getMessagesSentToContact", standard, asks, "list_id contact_id", getMessagesSentToContact)
	t.add("searchPreviousUnsubscribers", standard, asks, "list_id"+searching, searchPreviousUnsubscribers)
	t.add("countPreviousUnsubscribers", standard, asks, "list_id search_criteria", countPreviousUnsubscribers)
}

func (t table) addDefinitionMethods() {
	// Lists.
	t.add("addList", full, writes, "list_details", addList)
	t.add("editList", full, writes, "list_details", editList)
	t.add("deleteList", full, writes, "list_id", deleteList)
	t.add("clearList", full, writes, "list_id", clearList)
	t.add("searchLists", read, asks, searching, searchLists)
	t.add("countLists", read, asks, "search_criteria", countLists)
	t.add("getListById", read, asks, "list_id", getListByID)
	t.add("addListPreference", full, writes, "list_id name", addListPreference)
	t.add("deleteListPreference", full, writes, "list_id preference_id", deleteListPreference)
	t.add("searchListPreferences", read, asks, "list_id"+searching, searchListPreferences)

	// Fields.
	t.add("addField", full, writes, "list_id field_details", addField)
	t.add("editField", full, writes, "list_id field_details", editField)
	t.add("deleteField", full, writes, "list_id field_id", deleteField)
	t.add("searchFields", read, asks, "list_id"+searching, searchFields)
	t.add("countFields", read, asks, "list_id search_criteria", countFields)
	t.add("getFieldById", read, asks, "list_id field_id", getFieldByID)

	// Folders and the Account.
	t.add("addFolder", full, writes, "folder_details", addFolder)
	t.add("editFolder", full, writes, "folder_details", editFolder)
	t.add("deleteFolder", full, writes, "folder_id", deleteFolder)
	t.add("searchFolders", read, asks, "folder_type"+searching, searchFolders)
	t.add("countFolders", read, asks, "folder_type search_criteria", countFolders)
	t.add("getFolderById", read, asks, "folder_id", getFolderByID)
	t.add("getSessionInfo", read, asks, "", getSessionInfo)
	t.add("getTimezoneList", read, asks, "", getTimezoneList)
}

// addEventMethods adds those that say what follows when something happens.
func (t table) addEventMethods() {
	// Messages and autoresponders.
	t.add("addMessage", full, writes, "message_details", addMessage)
	t.add("editMessage", full, writes, "message_details", editMessage)
	t.add("deleteMessage", full, writes, "message_id", deleteMessage)
	t.add("searchMessages", read, asks, searching, searchMessages)
	t.add("countMessages", read, asks, "search_criteria", countMessages)
	t.add("getMessageById", read, asks, "message_id retrieve_content", getMessageByID)
	t.add("addAutoresponder", full, writes, "autoresponder_details", addAutoresponder)
	t.add("editAutoresponder", full, writes, "autoresponder_details", editAutoresponder)
	t.add("deleteAutoresponder", full, writes, "autoresponder_id", deleteAutoresponder)
	t.add("searchAutoresponders", read, asks, searching, searchAutoresponders)
	t.add("countAutoresponders", read, asks, "search_criteria", countAutoresponders)
	t.add("getAutoresponderById", read, asks, "autoresponder_id", getAutoresponderByID)

	// Webhooks.
	t.add("addWebhook", full, writes, "webhook_details", addWebhook)
	t.add("editWebhook", full, writes, "webhook_details", editWebhook)
	t.add("deleteWebhook", full, writes, "webhook_id", deleteWebhook)
	t.add("getWebhookById", full, asks, "webhook_id", getWebhookByID)
	t.add("searchWebhooks", full, asks, searching, searchWebhooks)
	t.add("countWebhooks", full, asks, "search_criteria", countWebhooks)
}
