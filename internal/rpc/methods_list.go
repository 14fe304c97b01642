package rpc

import (
	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/lists"
	"enlist/internal/users"
)

// This file has the methods for Lists, Fields, Folders and the Account. The methods that read need the access
// level read. The methods that change something need full.

// addListMethods adds the methods for Lists and their preferences.
func (t table) addListMethods() {
	g := t.of("Lists")
	g.add("addList", full, writes, "list_details", run1(readDetails, g.Lists.AddList, writeInt)).
		says("Adds a List with the Fields Email and Mobile Phone.", "integer, the List's ID", "310")
	g.add("editList", full, writes, "list_details", editRecord(g.Lists.EditList)).
		says("Changes the sent details of a List. They contain its id.", "integer, the List's ID", "303 310")
	g.add("deleteList", full, writes, "list_id", act1(readID, g.Contacts.DeleteList)).
		says("Deletes a List with its Contacts. The Unsubscriber List and the consent ledger stay.", "true", "302 303")
	g.add("clearList", full, writes, "list_id", act1(readID, g.Contacts.ClearList)).
		says("Deletes the Contacts of a List. The Unsubscriber List and the consent ledger stay.", "true", "302 303")
	g.add("searchLists", read, readOnly, searchParams,
		allBefore33(run1(readQuery, g.Lists.SearchLists, writeEach(lists.ListAttributes)))).
		says("Returns the Lists that match the criteria.", "array of List", "311")
	g.add("countLists", read, readOnly, "search_criteria=[]", run1(readMatching, g.Lists.SearchLists, writeCount)).
		says("Counts the Lists that match the criteria.", "integer, the number of Lists", "311")
	g.add("getListById", read, readOnly, "list_id", run1(readID, g.Lists.List, writeOne(lists.ListAttributes))).
		says("Returns one List.", "array of List, with one List", "303")
	g.add("getListDays", read, readOnly, "list_id from_day= to_day=",
		run3(readList, readText, readText, g.Lists.ListDays, writeEach(lists.ListDayAttributes))).
		says("Returns what each day added to a List and took from it, by default of the last 90 days.",
			"array of ListDay, by day", "303 310")
	g.add("addListPreference", full, writes, "list_id name",
		run2(readList, readRequired, g.Lists.AddPreference, writeInt)).
		says("Adds a preference that Contacts of a List agree to or decline.",
			"integer, the preference's ID", "303 310")
	g.add("deleteListPreference", full, writes, "list_id preference_id",
		act2(readList, readID, g.Lists.DeletePreference)).
		says("Deletes a List preference.", "true", "303 310")
	g.add("searchListPreferences", read, readOnly, "list_id"+searchParams,
		run2(readList, readQuery, g.Lists.SearchPreferences, writeEach(enlist.PreferenceAttributes))).
		says("Returns the preferences of a List that match the criteria.", "array of Preference", "303 311")
}

func (t table) addFieldMethods() {
	g := t.of("Fields")
	g.add("addField", full, writes, "list_id field_details", run2(readList, readDetails, g.Lists.AddField, writeInt)).
		says("Adds a Field to a List.", "integer, the Field's ID", "303 310 318 325")
	g.add("editField", full, writes, "list_id field_details", editField).
		says("Changes the sent details of a Field. They contain its id.",
			"integer, the Field's ID", "303 305 310 316 318 325")
	g.add("deleteField", full, writes, "list_id field_id", act2(readList, readID, g.Lists.DeleteField)).
		says("Deletes a Field and its values.", "true", "302 303 310 315 316")
	g.add("searchFields", read, readOnly, "list_id"+searchParams,
		allBefore33(run2(readList, readQuery, g.Lists.SearchFields, writeEach(lists.FieldAttributes)))).
		says("Returns the Fields of a List that match the criteria.", "array of Field", "303 311")
	g.add("countFields", read, readOnly, "list_id search_criteria=[]",
		run2(readList, readMatching, g.Lists.SearchFields, writeCount)).
		says("Counts the Fields of a List that match the criteria.", "integer, the number of Fields", "303 311")
	g.add("getFieldById", read, readOnly, "list_id field_id",
		run2(readList, readID, g.Lists.Field, writeOne(lists.FieldAttributes))).
		says("Returns one Field.", "array of Field, with one Field", "303 305")
	g.add("getFolderIdForField", read, readOnly, "list_id field_id",
		run2(readList, readID, g.Lists.Field, writeFolderOfField)).
		says("Returns the Folder that a file Field uploads into.", "integer, the Folder's ID, or 0", "303 305")
	g.add("setFieldFolderId", full, writes, "list_id field_id folder_id",
		act3(readList, readID, readID, g.Lists.SetFieldFolder)).
		says("Sets the Folder that a file Field uploads into.", "true", "303 305 306 310")
}

func (t table) addSegmentMethods() {
	g := t.of("Segments")
	g.add("setSegment", full, writes, "list_id name search_criteria segment_id=0",
		run1(readSegment, g.Contacts.SetSegment, writeInt)).
		says("Adds a Segment, or replaces the criteria of the one with the name, or the name and criteria of the one "+
			"with the ID.",
			"integer, the Segment's ID", "303 310 311")
	g.add("deleteSegment", full, writes, "list_id segment_id", act2(readList, readID, g.Contacts.DeleteSegment)).
		says("Deletes a Segment that no waiting Batch and no autoresponder uses.", "true", "303 310")
	g.add("searchSegments", read, readOnly, "list_id"+searchParams,
		run2(readList, readQuery, g.Contacts.SearchSegments, writeEach(contacts.SegmentAttributes))).
		says("Returns the Segments of a List that match the criteria.", "array of Segment", "303 311")
}

func (t table) addFormMethods() {
	g := t.of("Forms")
	g.add("setForm", full, writes, "list_id form_details form_id=0", setForm).
		says("Adds a Form, or changes the sent details of the one with the ID or, without an ID, with the name.",
			"integer, the Form's ID", "303 310")
	g.add("deleteForm", full, writes, "list_id form_id", act2(readList, readID, g.Forms.DeleteForm)).
		says("Deletes a Form with its counts. Its Contacts stay.", "true", "303 310")
	g.add("searchForms", read, readOnly, "list_id"+searchParams,
		run2(readList, readQuery, g.Forms.SearchForms, writeEach(forms.FormAttributes))).
		says("Returns the Forms of a List that match the criteria.", "array of Form", "303 311")
	g.add("getFormDays", read, readOnly, "list_id form_id from_day= to_day=", getFormDays).
		says("Returns how often a Form was shown, sent and confirmed on each day, by default of the last 90 days.",
			"array of FormDay, by day", "303 310")
}

func (t table) addFolderMethods() {
	g := t.of("Folders")
	g.add("addFolder", full, writes, "folder_details", run1(readDetails, g.Accounts.AddFolder, writeInt)).
		says("Adds a Folder for Lists, Messages or files.", "integer, the Folder's ID", "302 310 319")
	g.add("editFolder", full, writes, "folder_details", editRecord(g.Accounts.EditFolder)).
		says("Changes the name of a Folder. The details contain its id.", "integer, the Folder's ID", "302 306 310 319")
	g.add("deleteFolder", full, writes, "folder_id", act1(readID, g.Accounts.DeleteFolder)).
		says("Deletes an empty Folder.", "true", "302 306 323")
	g.add("searchFolders", read, readOnly, "folder_type"+searchParams,
		allBefore33(run2(readRequired, readQuery, searchFolders(g.Accounts.SearchFolders),
			writeEach(accounts.FolderAttributes)))).
		says("Returns the Folders of a type that match the criteria.", "array of Folder", "302 311")
	g.add("countFolders", read, readOnly, "folder_type search_criteria=[]",
		run2(readRequired, readMatching, searchFolders(g.Accounts.SearchFolders), writeCount)).
		says("Counts the Folders of a type that match the criteria.", "integer, the number of Folders", "302 311")
	g.add("getFolderById", read, readOnly, "folder_id",
		run1(readID, g.Accounts.Folder, writeOne(accounts.FolderAttributes))).
		says("Returns one Folder.", "array of Folder, with one Folder", "306")
}

// addAccountMethods adds the methods for the Account and the key.
func (t table) addAccountMethods() {
	g := t.of("Account")
	g.add("getSessionInfo", read, readOnly, "", sessionInfo(sessionAttributes)).
		says("Returns the Account and the key of the call. The key stands for a user.", "Session", "")
	g.add("getKeyInfo", read, readOnly, "", sessionInfo(keyInfoAttributes)).
		says("Returns the Account, the name and the access level of the key, and the version of the service.",
			"KeyInfo", "")
	g.add("getCreditBalance", read, readOnly, "credit_type=", getCreditBalance).
		says("Returns a large balance, because the service sells no credits.", "array of Credits, with one balance", "")
	g.add("getTimezoneList", read, readOnly, "", getTimezoneList).
		says("Returns the time zones that an Account or an autoresponder can have.", "array of TimeZone", "")
	t.addUserMethods()
	g.add("searchAuditLog", full, readOnly, searchParams,
		rows1(readQuery, g.Accounts.SearchAuditLog, AuditRowEncoder())).
		says("Returns who changed which definitions, and who read out or erased Contacts. A long result is streamed.",
			"array of AuditRow", "311")
	g.add("countAuditLog", full, readOnly, "search_criteria=[]",
		run1(readCriteria, g.Accounts.CountAuditLog, writeInt)).
		says("Counts the rows of the audit log that match the criteria.", "integer, the number of rows", "311")
}

// addUserMethods adds the methods for Accounts and users. API keys stand for users.
func (t table) addUserMethods() {
	g := t.of("Account")
	g.add("searchAccounts", read, readOnly, searchParams+" include_sub_accounts=false",
		run1(readSearchOfAccounts, g.Accounts.SearchAccounts, writeEach(accounts.AccountAttributes))).
		says("Returns the Accounts that match the criteria, which can be only that of the key.",
			"array of Account", "311")
	g.add("countAccounts", read, readOnly, "search_criteria=[] include_sub_accounts=false",
		run1(readCountOfAccounts, g.Accounts.SearchAccounts, writeCount)).
		says("Counts the Accounts that match the criteria.", "integer, 1 or 0", "311")
	g.add("getAccountById", read, readOnly, "account_id",
		run1(readID, g.Accounts.Account, writeOne(accounts.AccountAttributes))).
		says("Returns the Account of the key.", "array of Account, with one Account", "328")
	g.add("searchUsers", full, readOnly, "account_id=0"+searchParams, searchUsers).
		says("Returns the API keys of the Account that match the criteria.", "array of User", "311 328")
	g.add("countUsers", full, readOnly, "account_id search_criteria=[]",
		run2(readID, readMatching, g.Accounts.SearchUsers, writeCount)).
		says("Counts the API keys of the Account that match the criteria.", "integer, the number of keys", "311 328")
	g.add("getUserById", full, readOnly, "account_id user_id",
		run2(readID, readID, g.Accounts.User, writeOne(accounts.UserAttributes))).
		says("Returns one API key of the Account.", "array of User, with one User", "328")
	g.add("setMember", full, writes, "member_details", run1(readDetails, g.Users.SetMember, writeInt)).
		says("Adds the user of the pages with an address, who gets an invitation by mail, or changes the sent role and Lists.",
			"integer, the user's ID", "303 310")
	g.add("deleteMember", full, writes, "member_id", act1(readID[users.UserID], g.Users.DeleteMember)).
		says("Ends what a user of the pages may do in the Account. A user of no other Account is forgotten.", "true", "310")
	g.add("searchMembers", full, readOnly, searchParams,
		run1(readQuery, g.Users.SearchMembers, writeEach(users.MemberAttributes))).
		says("Returns the users of the pages that match the criteria.", "array of Member", "311")
	const refused = "Is always refused: the operator does it with the command enlist."
	g.add("addUser", full, readOnly, "account_id user_details", refuseChange(true)).
		says(refused, "integer", "328")
	g.add("editUser", full, readOnly, "account_id user_details", refuseChange(true)).
		says(refused, "true", "328")
	g.add("deleteUser", full, readOnly, "account_id user_id", refuseChange(true)).
		says(refused, "true", "328")
	g.add("addAccount", full, readOnly, "account_details user_details={}", refuseChange(false)).
		says(refused, "array of integer, the IDs of the Account and of its user", "")
	g.add("editAccount", full, readOnly, "account_details", refuseChange(false)).
		says(refused, "true", "")
	g.add("deleteAccount", full, readOnly, "account_id", refuseChange(true)).
		says(refused, "true", "328")
}
