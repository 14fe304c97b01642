// This file has a table of the methods of the API. The table has the name, the access level and the
// parameters of each method, and says whether the method accepts an Idempotency-Key. A function in
// call_*.go executes the method, or a function in call.go builds it.

package rpc

import (
	"slices"
	"strings"

	"enlist/internal/audience"
)

// method is one operation of the API.
type method struct {
	name   string
	level  audience.Level // lowest access level of a key that may call it
	writes bool           // changes data, so it accepts an Idempotency-Key
	params []string       // names of the parameters, api_key first
	run    func(c *call) error
}

// Parameter names that several methods share: the parameters of a search and of consent.
const (
	searchParams  = " search_criteria limit offset sort_by sort_order"
	consentParams = " consent_type consent_text list_preferences ip_address"
)

// Short names for the table: access levels, and whether a method writes.
const (
	read, standard, full = audience.Read, audience.Standard, audience.Full
	readOnly, writes     = false, true
)

// methods returns the methods by name. Letter case matters in the name of a method.
func methods() map[string]*method {
	t := make(table)
	t.addContactMethods()
	t.addDefinitionMethods()
	t.addEventMethods()
	t.addBatchMethods()
	t.addFileMethods()
	return t
}

// table maps the name of a method to the method.
type table map[string]*method

// add adds a method. params are the names of its parameters after api_key, separated by spaces.
func (t table) add(name string, level audience.Level, writes bool, params string, run func(*call) error) {
	t[name] = &method{name, level, writes, slices.Insert(strings.Fields(params), 0, "api_key"), run}
}

// addContactMethods adds the methods for Contacts. They need the access level standard, because
// Contacts are personal data. decisions.md: 10
func (t table) addContactMethods() {
	t.add("subscribeContact", standard, writes, "list_id contact_details"+consentParams, subscribeContact)
	t.add("resubscribeContact", standard, writes, "list_id contact_id"+consentParams, resubscribeContact)
	t.add("addContacts", standard, writes, "list_id contacts overwrite remove_unsubscribers", addContacts)
	t.add("editContacts", standard, writes, "list_id contacts trigger_update_profile", editContacts)
	t.add("deleteContacts", standard, writes, "list_id contact_ids"+searchParams, deleteContacts)
	t.add("unsubscribeContact", standard, writes, "list_id address", unsubscribeContact)
	t.add("unsubscribeContactById", standard, writes, "list_id contact_id",
		changeContact((*service).UnsubscribeByID))
	t.add("deactivateContact", standard, writes, "list_id contact_id", changeContact((*service).Deactivate))
	t.add("reactivateContact", standard, writes, "list_id contact_id", changeContact((*service).Reactivate))
	t.add("confirmContact", standard, writes, "list_id contact_id", changeContact((*service).Confirm))
	t.add("searchContacts", standard, readOnly, "list_id"+searchParams+" returned_fields", searchContacts)
	t.add("countContacts", standard, readOnly, "list_id search_criteria", countContacts)
	t.add("getContactById", standard, readOnly, "list_id contact_id returned_fields", getContactByID)
	t.add("getContactPreferences", standard, readOnly, "list_id contact_id", getContactPreferences)
	t.add("getContactConsents", standard, readOnly, "list_id contact_id limit offset", getContactConsents)
	t.add("getMessagesSentToContact", standard, readOnly, "list_id contact_id", getMessagesSentToContact)
	t.add("searchPreviousUnsubscribers", standard, readOnly, "list_id"+searchParams, searchPreviousUnsubscribers)
	t.add("countPreviousUnsubscribers", standard, readOnly, "list_id search_criteria", countPreviousUnsubscribers)
}

// addDefinitionMethods adds the methods for Lists, Fields, Folders and the Account. The methods
// that read need the access level read. The methods that change something need full.
func (t table) addDefinitionMethods() {
	// Lists.
	t.add("addList", full, writes, "list_details", addRecord((*service).AddList))
	t.add("editList", full, writes, "list_details", editRecord((*service).EditList))
	t.add("deleteList", full, writes, "list_id", deleteRecord((*service).DeleteList))
	t.add("clearList", full, writes, "list_id", deleteRecord((*service).ClearList))
	t.add("searchLists", read, readOnly, searchParams,
		allBefore33(searchRecords((*service).SearchLists, audience.ListAttributes)))
	t.add("countLists", read, readOnly, "search_criteria", countRecords((*service).SearchLists))
	t.add("getListById", read, readOnly, "list_id", getRecord((*service).List, audience.ListAttributes))
	t.add("addListPreference", full, writes, "list_id name", addListPreference)
	t.add("deleteListPreference", full, writes, "list_id preference_id",
		deleteInList((*service).DeletePreference))
	t.add("searchListPreferences", read, readOnly, "list_id"+searchParams,
		searchInList((*service).SearchPreferences, audience.PreferenceAttributes))

	// Fields.
	t.add("addField", full, writes, "list_id field_details", addField)
	t.add("editField", full, writes, "list_id field_details", editField)
	t.add("deleteField", full, writes, "list_id field_id", deleteInList((*service).DeleteField))
	t.add("searchFields", read, readOnly, "list_id"+searchParams,
		allBefore33(searchInList((*service).SearchFields, audience.FieldAttributes)))
	t.add("countFields", read, readOnly, "list_id search_criteria", countFields)
	t.add("getFieldById", read, readOnly, "list_id field_id", getFieldByID)
	t.add("getFolderIdForField", read, readOnly, "list_id field_id", getFolderIDForField)
	t.add("setFieldFolderId", full, writes, "list_id field_id folder_id", setFieldFolderID)

	// Folders and the Account.
	t.add("addFolder", full, writes, "folder_details", addRecord((*service).AddFolder))
	t.add("editFolder", full, writes, "folder_details", editRecord((*service).EditFolder))
	t.add("deleteFolder", full, writes, "folder_id", deleteRecord((*service).DeleteFolder))
	t.add("searchFolders", read, readOnly, "folder_type"+searchParams, allBefore33(searchFolders))
	t.add("countFolders", read, readOnly, "folder_type search_criteria", countFolders)
	t.add("getFolderById", read, readOnly, "folder_id",
		getRecord((*service).Folder, audience.FolderAttributes))
	t.add("getSessionInfo", read, readOnly, "", getSessionInfo)
	t.add("getCreditBalance", read, readOnly, "type", getCreditBalance)
	t.add("getTimezoneList", read, readOnly, "", getTimezoneList)
}

// addEventMethods adds the methods for Messages, autoresponders and webhooks. These methods
// configure the mails and the webhook notifications that an event causes.
func (t table) addEventMethods() {
	// Messages and autoresponders.
	t.add("addMessage", full, writes, "message_details", addRecord((*service).AddMessage))
	t.add("editMessage", full, writes, "message_details", editRecord((*service).EditMessage))
	t.add("deleteMessage", full, writes, "message_id", deleteRecord((*service).DeleteMessage))
	t.add("searchMessages", read, readOnly, searchParams,
		searchRecords((*service).SearchMessages, audience.MessageAttributes))
	t.add("countMessages", read, readOnly, "search_criteria", countRecords((*service).SearchMessages))
	t.add("getMessageById", read, readOnly, "message_id retrieve_content", getMessageByID)
	t.add("previewMessage", standard, readOnly, "message_id list_id contact_id", previewMessage)
	t.add("sendTestMessage", standard, writes, "message_id addresses list_id contact_id", sendTestMessage)
	t.add("addAutoresponder", full, writes, "autoresponder_details", addRecord((*service).AddAutoresponder))
	t.add("editAutoresponder", full, writes, "autoresponder_details",
		editRecord((*service).EditAutoresponder))
	t.add("deleteAutoresponder", full, writes, "autoresponder_id",
		deleteRecord((*service).DeleteAutoresponder))
	t.add("searchAutoresponders", read, readOnly, searchParams,
		searchRecords((*service).SearchAutoresponders, audience.AutoresponderAttributes))
	t.add("countAutoresponders", read, readOnly, "search_criteria",
		countRecords((*service).SearchAutoresponders))
	t.add("getAutoresponderById", read, readOnly, "autoresponder_id",
		getRecord((*service).Autoresponder, audience.AutoresponderAttributes))

	// Webhooks.
	t.add("addWebhook", full, writes, "webhook_details", addRecord((*service).AddWebhook))
	t.add("editWebhook", full, writes, "webhook_details", editRecord((*service).EditWebhook))
	t.add("deleteWebhook", full, writes, "webhook_id", deleteRecord((*service).DeleteWebhook))
	t.add("getWebhookById", full, readOnly, "webhook_id",
		getRecord((*service).Webhook, audience.WholeWebhookAttributes))
	t.add("searchWebhooks", full, readOnly, searchParams,
		searchRecords((*service).SearchWebhooks, audience.WebhookAttributes))
	t.add("countWebhooks", full, readOnly, "search_criteria", countRecords((*service).SearchWebhooks))
}

// addBatchMethods adds the methods for Batches. Records and numbers of Batches contain no personal
// data. decisions.md: 10
func (t table) addBatchMethods() {
	t.add("addBatch", standard, writes, "message_id populations send_time is_test options", addBatch)
	t.add("addBatchByContactSearch", standard, writes, "message_id lists search_criteria send_time is_scheduled",
		addBatchByContactSearch)
	t.add("editBatch", standard, writes, "batch_id command send_time", editBatch)
	t.add("deleteBatch", standard, writes, "batch_id", deleteRecord((*service).DeleteBatch))
	t.add("getBatchIdByQueueId", read, readOnly, "queue_id", getBatchIDByQueueID)
	t.add("getBatchById", read, readOnly, "batch_id", getRecord((*service).Batch, audience.BatchAttributes))
	t.add("searchBatches", read, readOnly, searchParams,
		searchRecords((*service).SearchBatches, audience.BatchAttributes))
	t.add("countBatches", read, readOnly, "search_criteria", countRecords((*service).SearchBatches))
	t.add("getAllCurrentBatches", read, readOnly, "", getAllCurrentBatches)
	t.add("getBatchStatus", read, readOnly, "batch_id", getBatchStatus)
	t.add("getAutoresponderBatchId", read, readOnly, "autoresponder_id", getAutoresponderBatchID)
	t.addBatchReports()
}

// addBatchReports adds the methods for the numbers of a Batch, and for its recipients. The recipients are personal
// data. decisions.md: 10
func (t table) addBatchReports() {
	t.add("getBatchStatistics", read, readOnly, "batch_id", getBatchStatistics)
	t.add("getBatchLinkStatistics", read, readOnly, "batch_id", getBatchLinkStatistics)
	t.add("getBatchLinkContacts", standard, readOnly, "batch_id link_url"+searchParams, getBatchLinkContacts)
	t.add("getBatchContactLinks", standard, readOnly, "batch_id send_id"+searchParams, getBatchContactLinks)
	for name, kind := range map[string]audience.EventKind{
		"getBatchContacts":        audience.RowsSent,
		"getBatchOpened":          audience.EventOpened,
		"getBatchNotOpened":       audience.RowsNotOpened,
		"getBatchBounced":         audience.EventBounced,
		"getBatchUnsubscribed":    audience.EventUnsubscribed,
		"getBatchComplained":      audience.EventComplained,
		"getBatchAutoDeactivated": audience.EventDeactivated,
		"getBatchUpdated":         audience.RowsUpdated,
		"getBatchResponses":       audience.EventClicked,
	} {
		t.add(name, standard, readOnly, "batch_id"+searchParams, batchRows(kind))
	}
}

// addFileMethods adds the methods for files. They have the levels of the methods for Folders.
func (t table) addFileMethods() {
	t.add("uploadBase64FileData", full, writes, "file_details folder_id duplicate_action", uploadBase64FileData)
	t.add("deleteFile", full, writes, "file_id", deleteRecord((*service).DeleteFile))
	t.add("searchFiles", read, readOnly, searchParams,
		searchRecords((*service).SearchFiles, audience.FileAttributes))
	t.add("countFiles", read, readOnly, "search_criteria", countRecords((*service).SearchFiles))
	t.add("getFileById", read, readOnly, "file_id", getRecord((*service).File, audience.FileAttributes))
	t.add("findFileInFolder", read, readOnly, "name folder_id", findFileInFolder)
}
