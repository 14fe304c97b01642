package apptest

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file reads the mails that tests send, and compares what records opens and clicks in them with the consent of the
// recipient at that time. decisions.md: 162

// ReadTraces returns what a mail server for tests calls with each mail that arrives (mailtest.Server.Read). A mail with a
// wrong trace fails the test.
func ReadTraces(t testing.TB, store db.Engine) func(to []string, data []byte) {
	return func(to []string, data []byte) {
		if wrong := WrongTraces(t.Context(), store, string(data)); wrong != "" {
			t.Errorf("a mail to %v: %s", to, wrong)
		}
	}
}

// paths matches the path of a tracking pixel (o), of a tracked link (k), or of another link of a mail, with the key of
// the mail.
var paths = regexp.MustCompile(`/([okucp])/(\d+)-(\d+)-(\d+)-([a-z]\d*)`)

// WrongTraces returns what is wrong with the traces of a mail, or "". A mail whose recipient is gone, and one that a
// stopped database cannot explain, is not wrong.
func WrongTraces(ctx context.Context, store db.Engine, data string) (wrong string) {
	data = strings.ReplaceAll(strings.ReplaceAll(data, "=\r\n", ""), "=\n", "") // of quoted-printable
	found := paths.FindAllStringSubmatch(data, -1)
	if found == nil {
		return ""
	}
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	}
	k := enlist.DeliveryKey{List: enlist.ListID(number(found[0][2])), Contact: enlist.ContactID(number(found[0][3])),
		Time: number(found[0][4]), Cause: found[0][5]}
	_ = store.View(ctx, func(tx *db.Tx) error {
		opens, clicks, err := mayTrace(tx, k)
		if err != nil {
			return err
		}
		wrong = ""
		for _, link := range found {
			if link[1] == "o" && !opens || link[1] == "k" && !clicks {
				wrong = fmt.Sprintf("it has %s, although this is not recorded of its recipient", link[0])
			}
		}
		if opens && strings.Contains(data, "text/html") && !strings.Contains(data, "/o/"+link(k)) {
			wrong = "it has no tracking pixel, although the opens of its recipient are recorded"
		}
		return nil
	})
	return wrong
}

// link returns the part of the path of a link that names the mail.
func link(k enlist.DeliveryKey) string {
	return fmt.Sprintf("%d-%d-%d-%s", k.List, k.Contact, k.Time, k.Cause)
}

// mayTrace reports what may be recorded of a mail. Only mails of Batches and autoresponders have a Message.
func mayTrace(tx *db.Tx, k enlist.DeliveryKey) (opens, clicks bool, err error) {
	schema, err := lists.Schema(tx, k.List)
	if err != nil {
		return false, false, err
	}
	contact, err := contacts.ByID(tx, k.List, k.Contact)
	if err != nil {
		return false, false, err
	}
	tracks := false
	if id := k.Batch(); id != 0 {
		b, err := batches.ByID(tx, id)
		if err != nil {
			return false, false, err
		}
		tracks = !b.Untracked
	}
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; a.ID == k.Autoresponder() {
			tracks = !a.Untracked
		}
	}
	return tracks && schema.TracksOpens(contact.TrackingConsent), tracks && schema.TracksClicks(contact.TrackingConsent), nil
}
