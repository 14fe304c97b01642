package rpc

import (
	"enlist/internal/batches"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the methods for Batches and their reports. Records and numbers of Batches contain no personal
// data, but rows of recipients do. reference.md: auth.levels

// addBatchMethods adds the methods that send Batches.
func (t table) addBatchMethods() {
	g := t.of("Batches")
	g.add("addBatch", standard, writes, "message_id populations send_time=0 is_test=false options={}",
		run1(readBatch, g.Batches.AddBatch, writeInt)).
		says("Sends a Message to the Contacts of the populations, at once or at send_time.", "integer, the queue ID",
			"303 307 308 310 311 314")
	g.add("checkBatch", standard, readOnly, "message_id populations options={}",
		run1(readBatchToCheck, g.Batches.CheckBatch, writeObject(appendBatchCheck))).
		says("Returns what is probably wrong with a Batch that is not added yet, and how many Contacts would get it.",
			"BatchCheck", "303 307 308 310 311 314")
	g.add("addBatchByContactSearch", standard, writes,
		"message_id lists search_criteria send_time=0 is_scheduled=false",
		run1(readBatchOfLists, g.Batches.AddBatch, writeInt)).
		says("Sends a Message to the Contacts of Lists that match the criteria.", "integer, the queue ID",
			"303 307 310 311 314")
	g.add("getBatchIdByQueueId", read, readOnly, "queue_id", run1(readID, g.Batches.BatchOfQueue, writeBatchOfQueue)).
		says("Returns the Batch of a queue ID.", "integer, the Batch's ID, or 0 while the service prepares it", "302")
	g.add("editBatch", standard, writes, "batch_id command send_time=0",
		act3(readID, readRequired, (*params).sendTime, g.Batches.EditBatch)).
		says("Pauses, continues, cancels or reschedules a Batch.", "true", "308 310")
	g.add("deleteBatch", standard, writes, "batch_id", act1(readID, g.Batches.DeleteBatch)).
		says("Deletes a Batch that has not begun or has ended.", "true", "308 310")
	g.add("getBatchById", read, readOnly, "batch_id",
		run1(readID, g.Batches.Batch, writeOne(batches.BatchAttributes))).
		says("Returns one Batch.", "array of Batch, with one Batch", "308")
	g.add("searchBatches", read, readOnly, searchParams,
		allBefore33(run1(readQuery, g.Batches.SearchBatches, writeEach(batches.BatchAttributes)))).
		says("Returns the Batches that match the criteria.", "array of Batch", "311")
	g.add("countBatches", read, readOnly, "search_criteria=[]", run1(readCriteria, g.Batches.CountBatches, writeInt)).
		says("Counts the Batches that match the criteria.", "integer, the number of Batches", "311")
	g.add("getAllCurrentBatches", read, readOnly, "",
		run0(g.Batches.CurrentBatches, writeEach(batches.CurrentBatchAttributes))).
		says("Returns the Batches that have not ended.", "array of CurrentBatch", "")
	g.add("getBatchStatus", read, readOnly, "batch_id",
		run1(readID, g.Batches.Batch, writeObject(Encoder(batches.BatchStatusAttributes)))).
		says("Returns the status of a Batch.", "BatchStatus", "308")
	g.add("chooseBatchWinner", standard, writes, "batch_id variant",
		act2(readID, (*params).id, g.Sending.ChooseWinner)).
		says("Chooses the variant that the recipients get who are not in the test.", "true", "308 310")
	g.add("getAutoresponderBatchId", read, readOnly, "autoresponder_id",
		run1(readID, g.Batches.AutoresponderBatch, writeInt)).
		says("Returns the Batch that has the figures of an autoresponder, for the methods of reports.",
			"integer, the Batch's ID, or 0", "309")
}

// addReportMethods adds the methods for the numbers of a Batch, and for its recipients.
func (t table) addReportMethods() {
	g := t.of("Reports")
	g.add("getBatchStatistics", read, readOnly, "batch_id", run1(readID, g.Reports.BatchReport, writeStatistics)).
		says("Returns the numbers of a Batch: mails, opens, clicks, bounces and more.", "BatchStatistics", "308")
	g.add("getBatchReport", read, readOnly, "batch_id",
		run1(readID, g.Reports.BatchReport, writeObject(appendBatchReport))).
		says("Returns further numbers of a Batch: persons, reasons, periods, variants and more.", "BatchReport", "308")
	g.add("getBatchLinkStatistics", read, readOnly, "batch_id",
		run1(readID, g.Reports.BatchLinks, writeEach(reports.LinkAttributes))).
		says("Returns the links of a Batch and how often they were clicked.", "array of Link", "308")
	g.add("getBatchLinkContacts", standard, readOnly, "batch_id link_url"+searchParams, getBatchLinkContacts).
		says("Returns who clicked a link.",
			"object of array of ClickedLink, each List's ID to its rows", "308 311")
	g.add("getBatchResponses", standard, readOnly, "batch_id"+searchParams,
		run2(readID, readQuery, g.Reports.Responses, writeEach(reports.ResponseAttributes))).
		says("Returns nothing: it is for replies by SMS.",
			"array of Response", "308 311")
	g.add("getBatchContactLinks", standard, readOnly, "batch_id send_id"+searchParams, getBatchContactLinks).
		says("Returns the links that a recipient clicked.",
			"object of array of ClickedLink, each List's ID to its rows", "308 311")
	for _, report := range []struct {
		name string
		kind recipients.EventKind
		who  string
	}{
		{"getBatchContacts", recipients.RowsSent, "all recipients that get the mail or have got it"},
		{"getBatchOpened", recipients.EventOpened, "who opened the mail"},
		{"getBatchNotOpened", recipients.RowsNotOpened, "whose mail was accepted, has not bounced and was not opened"},
		{"getBatchBounced", recipients.EventBounced, "whose mail bounced"},
		{"getBatchUnsubscribed", recipients.EventUnsubscribed, "who unsubscribed by the mail or complained"},
		{"getBatchComplained", recipients.EventComplained, "who complained about the mail"},
		{"getBatchAutoDeactivated", recipients.EventDeactivated, "whom a bounce of the mail deactivated"},
		{"getBatchUpdated", recipients.RowsUpdated, "nothing: mails have no link to update a profile"},
		{"getBatchOpens", recipients.RowsOpens, "how often the mail was opened, and whether by a person"},
		{"getBatchClicked", recipients.EventClicked, "who clicked a link of the mail"},
	} {
		g.add(report.name, standard, readOnly, "batch_id"+searchParams, batchRows(report.kind)).
			says("Returns "+report.who+".", "object of array of Recipient, each List's ID to its rows", "308 311")
	}
}
