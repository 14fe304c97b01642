package dbcopy_test

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/sending"
)

// This file fills a SQLite database for the tests of this package. Every table gets rows, and texts
// contain characters that a copy could damage.

// testService is a Service on an open store, with a caller that has all permissions.
type testService struct {
	*testing.T
	store   *dbtest.Store
	service *app.App
	caller  *enlist.Caller
	added   int // Contacts that subscribeMore has added
}

func openService(t *testing.T, location string) *testService {
	t.Helper()
	store, err := dbtest.Open(t.Context(), location, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &testService{T: t, store: store, service: app.New(store, time.Now)}
	if accounts := value(s.service.Accounts.AllAccounts(t.Context()))(s); len(accounts) > 0 {
		s.caller = value(s.service.Accounts.Operator(t.Context(), accounts[0].ID))(s)
	}
	return s
}

func (s *testService) close() {
	s.Helper()
	s.must(s.store.Close())
}

func (s *testService) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// value returns a function that returns v. If err is not nil, that function ends the test.
func value[T any](v T, err error) func(*testService) T {
	return func(s *testService) T {
		s.Helper()
		s.must(err)
		return v
	}
}

func (s *testService) setSegment(list enlist.ListID) {
	s.Helper()
	value(s.service.Contacts.SetSegment(s.Context(), s.caller, contacts.SegmentRequest{List: list, Name: "Läser", Criteria: &enlist.Criteria{Key: "Über",
		Operator: "contains", Value: enlist.Input{Kind: enlist.InputText, Text: specialCharacters}}}))(s)
}

func (s *testService) update(fn func(*db.Tx) error) {
	s.Helper()
	s.must(s.store.Update(s.Context(), fn))
}

func details(pairs ...string) (all []enlist.Detail) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, enlist.Detail{Key: pairs[i], Value: enlist.Input{Kind: enlist.InputText, Text: pairs[i+1]}})
	}
	return all
}

// specialCharacters contains characters with a meaning in SQL, in JSON, in arrays or in PostgreSQL's
// COPY format, and characters that are not ASCII.
const specialCharacters = "Ä ö ß İ 東京 😀 \\N \\x41 \t tab\r\nline \"quoted\" {a,b} 'it''s' $1 ?"

// fillDatabase inserts rows into every table of a database, and returns the Lists that are not deleted.
func fillDatabase(t *testing.T, location string, contacts int) (lists []enlist.ListID) {
	ctx := t.Context()
	s := openService(t, location)
	account := value(s.service.Accounts.AddAccount(ctx, accounts.AccountDetails{Name: "Lädchen 東京", TimeZone: "Australia/Sydney", ContactLimit: enlist.NoContactLimit}))(s)
	s.caller = value(s.service.Accounts.Operator(ctx, account.ID))(s)
	s.caller.Key.Name = "operator"
	key, _, err := s.service.Accounts.AddKey(ctx, accounts.KeyDetails{Account: account.ID, Name: "some Lists", Level: enlist.Standard})
	s.must(err)
	folder := value(s.service.Accounts.AddFolder(ctx, s.caller, details("name", "Mehr Läden", "type", "message")))(s)
	for _, name := range []string{"News", "Überraschungen", "gone"} {
		lists = append(lists, value(s.service.Lists.AddList(ctx, s.caller, details("name", name, "on_register", "owner@example.com", "is_gdpr_compliant", "true")))(s))
	}
	for _, list := range lists[:2] {
		value(s.service.Lists.AddField(ctx, s.caller, list, details("name", "Amount", "type", "decimal")))(s)
		value(s.service.Lists.AddField(ctx, s.caller, list, details("name", "Über", "type", "text")))(s)
		value(s.service.Lists.AddPreference(ctx, s.caller, list, "Weekly ☕"))(s)
		s.setSegment(list)
		form := value(s.service.Forms.SetForm(ctx, s.caller, list, 0, details("name", "Läden", "introduction", "Ä 😀", "consent_text", "Ä")))(s)
		s.must(s.service.Forms.CountView(ctx, value(s.service.Forms.Show(ctx, form))(s)))
	}
	message := value(s.service.Messages.AddMessage(ctx, s.caller, details("name", "Welcome", "type", "email", "subject", "“Hällo” 😀", "text_content", strings.Repeat(specialCharacters, 300), "folder_id", fmt.Sprint(folder))))(s)
	value(s.service.Messages.SaveBlocks(ctx, s.caller, "Läden", `[{"type":"text","text":"Ä 😀"}]`))(s)
	value(s.service.Batches.AddAutoresponder(ctx, s.caller, details("list_id", fmt.Sprint(lists[0]), "message_id", fmt.Sprint(message),
		"event_type", "subscribe", "criteria_type", "delay", "criteria_timestamp", "1h", "offset_value", "2", "offset_period", "day", "is_active", "true")))(s)
	value(s.service.Webhooks.AddWebhook(ctx, s.caller, details("object", "contact", "event", "subscribed", "url", "https://hooks.example.com/hook?ä", "secret", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")))(s)
	value(s.service.Messages.LinkKey(ctx))(s)
	s.must(s.service.Accounts.ChangeSettings(ctx, account.ID, map[string]string{"mail-from": "news@example.org"}))
	value(s.service.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: account.ID, Domain: "example.org", Type: accounts.DKIMEd25519}))(s)
	value(s.service.Sending.LinkTargets(ctx, message, 1, []string{"https://example.com/?a={{Über}}", `https://example.com/\`}))(s)
	s.addFile("Grüße.bin", 2<<20)
	s.addFile("small.txt", 1)
	s.subscribeMany(lists[:2], contacts)
	s.addBatch(message, lists[0])
	s.addImport(lists[0])
	s.addRowsOutsideTheInterface(account.ID, key.ID, lists[0], message)
	s.must(s.service.Contacts.DeleteList(ctx, s.caller, lists[2]))
	s.close()
	addRareJobsAndTexts(t, location)
	return lists[:2]
}

// addBatch adds a Batch for the first Contact, which is populated but not sent.
func (s *testService) addBatch(message enlist.MessageID, list enlist.ListID) {
	s.Helper()
	exclude := batches.Exclusion{Criteria: &enlist.Criteria{Key: "Über", Operator: "contains", Value: enlist.Input{Kind: enlist.InputText, Text: "nobody 😀"}}}
	id := value(s.service.Batches.AddBatch(s.Context(), s.caller, batches.BatchRequest{Message: message, Populations: []batches.PopulationRequest{
		{List: list, Type: "contacts", Contacts: []enlist.ContactID{1}}}, Options: batches.BatchOptions{Exclude: exclude}}))(s)
	for range 2 {
		if _, _, err := s.service.Sending.PrepareBatch(s.Context(), batches.PrepareBatch{Batch: id}); err != nil {
			s.Fatal(err)
		}
	}
}

// addImport imports a file, so that its results are stored.
func (s *testService) addImport(list enlist.ListID) {
	s.Helper()
	i := value(s.service.Imports.AddImport(s.Context(), s.caller, imports.NewImport{File: strings.NewReader("Email,Über\nimported@example.com,Ä 😀\nnope,\n"),
		ImportOptions: imports.ImportOptions{List: list, FileName: "Läden.csv", ConsentType: "gdpr", ConsentText: "Ä"}}))(s)
	s.must(s.service.Imports.RunImport(s.Context(), i.ID))
}

// addFile stores a file whose bytes have all values.
func (s *testService) addFile(name string, size int) {
	s.Helper()
	folders := value(s.service.Accounts.SearchFolders(s.Context(), s.caller, "file", enlist.Query{}))(s)
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * 7)
	}
	value(s.service.Files.UploadFile(s.Context(), s.caller, files.UploadRequest{Folder: folders[0].ID,
		Details: details("name", name, "data", base64.StdEncoding.EncodeToString(content))}))(s)
}

func (s *testService) subscribeMany(lists []enlist.ListID, all int) {
	s.Helper()
	amounts := []string{"12.50", "-0.000", "100000000000000", "0.1", "-7", "1.10"}
	var last enlist.ContactID
	for i := range all {
		list := lists[i%len(lists)]
		last = value(s.service.Contacts.Subscribe(s.Context(), s.caller, contacts.SubscribeRequest{
			List:    list,
			Details: details("Email", fmt.Sprintf("p%d@exämple.com", i), "Amount", amounts[i%len(amounts)], "Über", fmt.Sprintf("%s %d", specialCharacters, i)),
			Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I want " + specialCharacters, IP: "2001:db8::1",
				Preferences: []enlist.PreferenceChoice{{Name: "Weekly ☕", Agree: i%2 == 0}}},
		}))(s)
		switch i % 7 {
		case 1:
			value(s.service.Contacts.UnsubscribeByID(s.Context(), s.caller, contacts.ContactRequest{List: list, Contact: last}))(s)
		case 2:
			value(s.service.Contacts.Confirm(s.Context(), s.caller, contacts.ContactRequest{List: list, Contact: last}))(s)
		}
	}
	// The Contact with the highest ID is deleted. So the test can check that the target database does
	// not use this ID again.
	value(s.service.Contacts.DeleteContacts(s.Context(), s.caller, contacts.DeleteRequest{List: lists[(all-1)%len(lists)], Contacts: []enlist.ContactID{last}}))(s)
}

// addRowsOutsideTheInterface stores some rows directly, because the Service stores them only with a
// mail server or after an HTTP request.
func (s *testService) addRowsOutsideTheInterface(account enlist.AccountID, key enlist.KeyID, list enlist.ListID, message enlist.MessageID) {
	s.Helper()
	s.update(func(tx *db.Tx) error {
		left := &enlist.Contact{ListID: list, ID: 1, IsUnsubscribed: true}
		if err := contacts.SetDeparture(tx, left, "other", specialCharacters, 10); err != nil {
			return err
		}
		delivery := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: list, Contact: 1, Time: 10, Cause: messages.CauseAutoresponder(1)},
			MessageID: message, Address: "p0@exämple.com", Subject: specialCharacters, SentTime: 20, Status: messages.DeliveryBounced, Detail: specialCharacters}
		if err := delivery.Put(tx); err != nil {
			return err
		}
		if _, err := contacts.TakeMailbox(tx, list, contacts.AskedLink, "ann@example.com", 1234); err != nil {
			return err
		}
		if err := tx.Do("UPDATE contact SET confirmation_time = 1234 WHERE list_id = ? AND id = 1", int64(list)); err != nil {
			return err
		}
		if err := contacts.MarkSubscriptionPending(tx, list, 1); err != nil {
			return err
		}
		if err := contacts.SetBouncesSince(tx, list, 1, 77); err != nil {
			return err
		}
		duplicate := enlist.Contact{ListID: list, Key: "p0@exämple.com", Mobile: "+61400000000", SubscribedVia: "api", Created: 5}
		if _, err := contacts.Insert(tx, &duplicate); err != nil {
			return err
		}
		if _, err := sending.LockBuckets(tx, []string{"recipient exämple.com day"}); err != nil {
			return err
		}
		if err := sending.SetPace(tx, &pace.Pace{Group: "exämple.com", Mails: 5, Top: 10, Time: 20}); err != nil {
			return err
		}
		if err := tx.Do("INSERT INTO mail_hold (id, reason, time, backup_time) VALUES (1, ?, 30, 0)", specialCharacters); err != nil {
			return err
		}
		if _, err := sending.LockDay(tx, "mail.exämple.com", "2027-01-31"); err != nil {
			return err
		}
		now := time.Now().Unix()
		if err := tx.SaveRetry(account, key, &enlist.Retry{Header: specialCharacters, Fingerprint: [32]byte{0, 1, 0xff}}, []byte(`{"result":"12.50"}`), now); err != nil {
			return err
		}
		return accounts.RevokeKey(tx, key, now)
	})
}

// addRareJobsAndTexts sets columns of jobs that only a worker sets, and stores a text with U+0000, which
// PostgreSQL cannot store.
func addRareJobsAndTexts(t *testing.T, location string) {
	db := rawSQLite(t, location)
	for _, statement := range []string{
		`UPDATE river_job SET state = 'retryable', attempt = 2, attempted_at = '2026-01-02 03:04:05.678', attempted_by = CAST('["a \"host\" \\ {x}","b"]' AS BLOB),
			errors = CAST('[{"at":"2026-01-02T03:04:05Z","attempt":1,"error":"421 \"ä\" \\ später","trace":""},{"attempt":2,"error":"","trace":""}]' AS BLOB)
			WHERE id = (SELECT min(id) FROM river_job)`,
		`UPDATE river_job SET state = 'discarded', finalized_at = '2026-01-02 03:04:05.001', tags = CAST('["one","two, three"]' AS BLOB), unique_key = x'00ff', unique_states = 5
			WHERE id = (SELECT max(id) FROM river_job)`,
		`INSERT INTO retry (account_id, key_id, header, fingerprint, time, result) VALUES (1, 1, 'claimed', x'', 5, NULL)`,
		`INSERT INTO queue_age (account_id, time, age) VALUES (1, 300, 60)`,
		`UPDATE webhook_target SET holder = 5000`,
		`UPDATE api_key SET lists = '[1,2]', rate = '10/second', last_used_time = 9`,
		`UPDATE delivery SET detail = 'a' || char(0) || 'b'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
}

func rawSQLite(t *testing.T, location string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if slices.Contains(sql.Drivers(), "sqlite3") {
		driver = "sqlite3"
	}
	db, err := sql.Open(driver, location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxIdleConns(0) // the file must be open only while a statement runs
	return db
}
