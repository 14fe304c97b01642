package rpc

import (
	"enlist/internal/batches"
	"enlist/internal/files"
	"enlist/internal/messages"
	"enlist/internal/webhooks"
)

// This file has the methods for Messages, autoresponders and webhooks. They configure the mails and the webhook
// notifications that an event causes.

func (t table) addMessageMethods() {
	g := t.of("Messages")
	g.add("addMessage", full, writes, "message_details", run1(readDetails, g.Messages.AddMessage, writeInt)).
		says("Adds a Message: the content of an e-mail or SMS, with merge fields.", "integer, the Message's ID",
			"310 379")
	g.add("editMessage", full, writes, "message_details", editRecord(g.Messages.EditMessage)).
		says("Changes the sent details of a Message. They contain its id.", "integer, the Message's ID", "307 310 379")
	g.add("deleteMessage", full, writes, "message_id", act1(readID, g.Messages.DeleteMessage)).
		says("Deletes a Message that no autoresponder uses.", "true", "307 310")
	g.add("searchMessages", read, readOnly, searchParams,
		allBefore33(run1(readQuery, g.Messages.SearchMessages, writeEach(messages.MessageAttributes)))).
		says("Returns the Messages that match the criteria, without their contents.", "array of Message", "311")
	g.add("countMessages", read, readOnly, "search_criteria=[]",
		run1(readMatching, g.Messages.SearchMessages, writeCount)).
		says("Counts the Messages that match the criteria.", "integer, the number of Messages", "311")
	g.add("getMessageById", read, readOnly, "message_id retrieve_content=false", getMessageByID).
		says("Returns one Message, with its contents if retrieve_content is true.",
			"array of WholeMessage, with one Message",
			"307 310")
	g.add("previewMessage", standard, readOnly, "message_id list_id contact_id",
		run3(readID, readList, readContact, g.Messages.PreviewMessage, writeObject(appendPreview))).
		says("Returns the mail that a Contact would get, and what is probably wrong with it. Sends nothing.",
			"Preview",
			"303 304 307 310")
	g.add("sendTestMessage", standard, writes, "message_id addresses list_id=0 contact_id=0",
		act1(readTest, g.Messages.SendTestMessage)).
		says("Sends a Message to a few addresses, with the values of a Contact if contact_id is sent.", "true",
			"303 304 307 310 317")
}

// addSavedMethods adds the methods for saved blocks. They are part of the Messages that get copies of them.
func (t table) addSavedMethods() {
	g := t.of("Messages")
	g.add("setSavedBlock", full, writes, "name blocks saved_block_id=0",
		run1(readSaved, g.Messages.SetSaved, writeInt)).
		says("Adds a saved block, or replaces the blocks of the one with the name, or name and blocks of the one with the ID.",
			"integer, the saved block's ID", "310 379")
	g.add("deleteSavedBlock", full, writes, "saved_block_id", act1(readID[int64], g.Messages.DeleteSaved)).
		says("Deletes a saved block. Messages keep their copies.", "true", "310")
	g.add("searchSavedBlocks", read, readOnly, searchParams,
		run1(readQuery, g.Messages.SearchSaved, writeEach(messages.SavedAttributes))).
		says("Returns the saved blocks that match the criteria, without their blocks.", "array of SavedBlock", "311")
	g.add("getSavedBlockById", read, readOnly, "saved_block_id",
		run1(readID[int64], g.Messages.SavedBlock, writeOne(messages.WholeSavedAttributes))).
		says("Returns one saved block with its blocks.", "array of WholeSavedBlock, with one saved block", "310")
}

// addThemeMethods adds the methods for the theme of an Account.
func (t table) addThemeMethods() {
	g := t.of("Themes")
	g.add("getTheme", read, readOnly, "", run0(g.Messages.Theme, writeObject(Encoder(messages.ThemeAttributes)))).
		says("Returns how mails of Markdown and blocks look.", "Theme", "")
	g.add("setTheme", full, writes, "theme_details", act1(readDetails, g.Messages.SetTheme)).
		says("Changes the sent details of the theme. Mails that are not sent yet get it.", "true", "310 379")
}

func (t table) addAutoresponderMethods() {
	g := t.of("Autoresponders")
	g.add("addAutoresponder", full, writes, "autoresponder_details",
		run1(readDetails, g.Batches.AddAutoresponder, writeInt)).
		says("Adds an autoresponder: it sends a Message to a Contact because of an event.",
			"integer, the autoresponder's ID",
			"303 307 310")
	g.add("editAutoresponder", full, writes, "autoresponder_details", editRecord(g.Batches.EditAutoresponder)).
		says("Changes the sent details of an autoresponder. They contain its id.", "integer, the autoresponder's ID",
			"303 307 309 310")
	g.add("deleteAutoresponder", full, writes, "autoresponder_id", act1(readID, g.Batches.DeleteAutoresponder)).
		says("Deletes an autoresponder.", "true", "309 310")
	g.add("searchAutoresponders", read, readOnly, searchParams,
		allBefore33(run1(readQuery, g.Batches.SearchAutoresponders, writeEach(batches.AutoresponderAttributes)))).
		says("Returns the autoresponders that match the criteria.", "array of Autoresponder", "311")
	g.add("countAutoresponders", read, readOnly, "search_criteria=[]",
		run1(readMatching, g.Batches.SearchAutoresponders, writeCount)).
		says("Counts the autoresponders that match the criteria.", "integer, the number of autoresponders", "311")
	g.add("getAutoresponderById", read, readOnly, "autoresponder_id",
		run1(readID, g.Batches.Autoresponder, writeOne(batches.AutoresponderAttributes))).
		says("Returns one autoresponder.", "array of Autoresponder, with one autoresponder", "309")
}

func (t table) addWebhookMethods() {
	g := t.of("Webhooks")
	g.add("addWebhook", full, writes, "webhook_details", run1(readDetails, g.Webhooks.AddWebhook, writeInt)).
		says("Adds a webhook: it posts one kind of event to a URL.", "integer, the webhook's ID", "303 310")
	g.add("editWebhook", full, writes, "webhook_details", editRecord(g.Webhooks.EditWebhook)).
		says("Changes the sent details of a webhook, which contain its id. A failing webhook delivers again.",
			"integer, the webhook's ID", "303 310")
	g.add("deleteWebhook", full, writes, "webhook_id", act1(readID, g.Webhooks.DeleteWebhook)).
		says("Deletes a webhook and its waiting events.", "true", "310")
	g.add("getWebhookById", full, readOnly, "webhook_id",
		run1(readID, g.Webhooks.Webhook, writeOne(webhooks.WholeWebhookAttributes))).
		says("Returns one webhook with its secret.", "array of WholeWebhook, with one webhook", "310")
	g.add("searchWebhooks", full, readOnly, searchParams,
		run1(readQuery, g.Webhooks.SearchWebhooks, writeEach(webhooks.WebhookAttributes))).
		says("Returns the webhooks that match the criteria, without their secrets.", "array of Webhook", "311")
	g.add("countWebhooks", full, readOnly, "search_criteria=[]",
		run1(readMatching, g.Webhooks.SearchWebhooks, writeCount)).
		says("Counts the webhooks that match the criteria.", "integer, the number of webhooks", "311")
}

// addFileMethods adds the methods for files. They have the levels of the methods for Folders.
func (t table) addFileMethods() {
	g := t.of("Files")
	g.add("uploadBase64FileData", full, writes, "file_details folder_id duplicate_action=increment",
		run1(readUpload, g.Files.UploadFile, writeObject(appendUpload))).
		says("Stores a file in a Folder.", "Upload", "306 310")
	g.add("deleteFile", full, writes, "file_id", act1(readID, g.Files.DeleteFile)).
		says("Deletes a file that no Message, no saved block and no theme has.", "true", "310 379")
	g.add("searchFiles", read, readOnly, searchParams,
		allBefore33(run1(readQuery, g.Files.SearchFiles, writeEach(files.FileAttributes)))).
		says("Returns the files that match the criteria.", "array of File", "311")
	g.add("countFiles", read, readOnly, "search_criteria=[]", run1(readMatching, g.Files.SearchFiles, writeCount)).
		says("Counts the files that match the criteria.", "integer, the number of files", "311")
	g.add("getFileById", read, readOnly, "file_id", run1(readID, g.Files.File, writeOne(files.FileAttributes))).
		says("Returns one file.", "array of File, with one file", "379")
	g.add("findFileInFolder", read, readOnly, "name folder_id",
		run2(readRequired, readID, g.Files.FindFile, writeInt)).
		says("Finds the file with exactly this name in a Folder.", "integer, the file's ID, or 0", "306 310")
}
