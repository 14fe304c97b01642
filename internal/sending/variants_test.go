package sending_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests the variants of Batches, and the editions of an edited Message.

// The tests send variants to a part of the recipients and the winner to the others.
//
// covers: spec batch.variants, batch.editions, decision 77, decision 79
func TestVariants(t *testing.T) {
	apptest.Run(t, apptest.Own, newVariantFixture, []apptest.Rule[*variantFixture]{
		{Name: "the variant with the most clicks of persons is the winner after some hours", Test: clicksChooseTheWinner},
		{Name: "a difference that is too small is said", Test: smallDifferenceIsSaid},
		{Name: "a person chooses the winner", Test: winnerByHand},
		{Name: "with a test of all recipients there is no winner", Test: wholeTest},
		{Name: "a test without a recipient has a winner at once", Test: emptyTest},
		{Name: "a variant is the same after a crash, a pause and in each process", Test: variantsAreStable},
		{Name: "a variant is another Message with the sender of the Batch's Message", Test: variantsOfMessages},
		{Name: "bad variants are refused", Test: badVariants},
		{Name: "an edited Message has an edition for those left", Test: editionsAreCounted},
	})
}

// variantFixture is a SentBatch with a Batch of two variants to its Contacts.
type variantFixture struct{ *apptest.SentBatch }

func (f *variantFixture) add(o batches.VariantOptions) {
	f.Helper()
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
		Populations: []batches.PopulationRequest{apptest.Whole(f.News)}, Options: batches.BatchOptions{VariantOptions: o}})
	f.Must(err)
	f.Created = f.Now.Unix()
	f.SentBatch.ID = id
	f.Prepare(id)
}

// subjects sends all mails that may be sent, and returns the Contacts by subject.
func (f *variantFixture) subjects() map[string][]enlist.ContactID {
	f.Helper()
	found := make(map[string][]enlist.ContactID)
	f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		found[m.Message.Subject] = append(found[m.Message.Subject], m.Recipient.Contact)
		return nil
	})
	return found
}

func newVariantFixture(t *testing.T, store db.Engine) *variantFixture {
	return &variantFixture{apptest.NewSentBatch(100)(t, store)}
}

var twoSubjects = []batches.Variant{{}, {Subject: "Other"}}

func clicksChooseTheWinner(f *variantFixture) {
	f.add(batches.VariantOptions{Variants: twoSubjects, Share: 60, Hours: 2})
	test := f.subjects()
	first, second := test["Hello"], test["Other"]
	if len(test) != 2 || len(first) < 10 || len(second) < 10 || len(first)+len(second) > 80 {
		f.Fatalf("the test went to %d and %d Contacts, want about 30 each", len(first), len(second))
	}
	f.Pass(time.Minute)
	for i, id := range second {
		if i%2 == 0 {
			f.Click(id, f.Links[0], apptest.PersonAgent)
		}
	}
	for _, id := range first { // programs do not count
		f.Open(id, apptest.PersonAgent)
		f.Click(id, f.Links[0], apptest.ScannerAgent)
	}
	f.Pass(2*time.Hour - 61*time.Second)
	if got := f.subjects(); len(got) != 0 {
		f.Errorf("mails were sent before the time of the winner: %v", got)
	}
	f.WantStatus(f.SentBatch.ID, batches.BatchSending)
	f.Pass(2 * time.Second)
	rest := f.subjects()
	if len(rest) != 1 || len(rest["Other"]) != 100-len(first)-len(second) {
		f.Errorf("the rest got %v, want the variant Other for all", rest)
	}
	f.WantStatus(f.SentBatch.ID, batches.BatchCompleted)
	r := f.Report()
	v := r.ByVariant
	clicks := int64((len(second) + 1) / 2)
	if len(v) != 2 || v[0].Winner || !v[1].Winner || v[0].Sent != int64(len(first)) || v[1].Sent != int64(100-len(first)) ||
		v[0].HumanClicked != 0 || v[0].Clicked != v[0].Sent || v[0].HumanOpened != v[0].Sent || v[1].HumanClicked != clicks {
		f.Errorf("the variants are %+v", v)
	}
	if !strings.Contains(r.Variants.Verdict, "variant 2 was clicked") || !strings.Contains(r.Variants.Verdict, "is significant") {
		f.Errorf("the verdict is %q", r.Variants.Verdict)
	}
}

func smallDifferenceIsSaid(f *variantFixture) {
	f.add(batches.VariantOptions{Variants: twoSubjects, Share: 50, Winner: "opens", Hours: 1})
	test := f.subjects()
	f.Pass(time.Minute)
	f.Open(test["Other"][0], apptest.GmailAgent)
	f.Pass(time.Hour)
	if rest := f.subjects(); len(rest) != 1 || len(rest["Other"]) == 0 {
		f.Errorf("the rest got %v, want the variant that a reader at Gmail opened", rest)
	}
	if r := f.Report(); !strings.Contains(r.Variants.Verdict, "too small to be sure") {
		f.Errorf("the verdict is %q", r.Variants.Verdict)
	}
}

func winnerByHand(f *variantFixture) {
	f.add(batches.VariantOptions{Variants: []batches.Variant{{}, {Subject: "Other"}, {Subject: "Third"}}, Share: 30, Winner: "hand"})
	f.subjects()
	f.Pass(100 * time.Hour)
	if got := f.subjects(); len(got) != 0 {
		f.Errorf("mails were sent without a winner: %v", got)
	}
	id := f.SentBatch.ID
	choose := func(n int64) error { return f.App.Sending.ChooseWinner(f.Context(), f.Caller, id, n) }
	f.Refused(choose(4), enlist.InvalidParameters, "expected 1 to 3")
	f.Refused(choose(0), enlist.InvalidParameters, "expected 1 to 3")
	f.Edit(id, "pause")
	f.Must(choose(3))
	f.Must(choose(3))
	f.Refused(choose(2), enlist.InvalidParameters, "variant 3 is the winner")
	f.Edit(id, "unpause")
	f.Prepare(id)
	if rest := f.subjects(); len(rest) != 1 || len(rest["Third"]) < 50 {
		f.Errorf("the rest got %v, want Third", rest)
	}
	f.WantStatus(id, batches.BatchCompleted)
	f.Refused(choose(3), enlist.InvalidParameters, "completed")
}

func wholeTest(f *variantFixture) {
	f.add(batches.VariantOptions{Variants: twoSubjects, Share: 100})
	if got := f.subjects(); len(got["Hello"])+len(got["Other"]) != 100 {
		f.Errorf("the mails are %v, want 100", got)
	}
	f.WantStatus(f.SentBatch.ID, batches.BatchCompleted)
}

func emptyTest(f *variantFixture) {
	f.News = f.AddList()
	var one enlist.ContactID
	for i := 0; one == 0; i++ { // the Batch's ID and the Contact's ID decide, so look for a Contact outside of the test
		f.News = f.AddList()
		id := f.Subscribe(f.News, "Email", fmt.Sprintf("only%d@x.io", i))
		f.add(batches.VariantOptions{Variants: twoSubjects, Share: 1})
		if got := f.subjects(); len(got["Hello"]) == 1 {
			one = id
		}
	}
	f.WantStatus(f.SentBatch.ID, batches.BatchCompleted)
}

// Of the first sender, which dies, the mails of the test are sent again by another one.
func variantsAreStable(f *variantFixture) {
	f.add(batches.VariantOptions{Variants: twoSubjects, Share: 60})
	s := f.Lease("dead")
	chosen := make(map[enlist.ContactID]string)
	for _, m := range f.Mails(s) {
		chosen[m.Recipient.Contact] = m.Message.Subject
	}
	id := f.SentBatch.ID
	f.Edit(id, "pause")
	f.Pass(3 * time.Minute)
	f.Edit(id, "unpause")
	f.Prepare(id)
	again := f.subjects()
	n := 0
	for subject, ids := range again {
		for _, contact := range ids {
			n++
			if chosen[contact] != subject {
				f.Errorf("the Contact %d got %q and then %q", contact, chosen[contact], subject)
			}
		}
	}
	if n != len(chosen) || n == 0 {
		f.Errorf("%d mails were sent again, want %d", n, len(chosen))
	}
}

func variantsOfMessages(f *variantFixture) {
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("from_name", "The Club"))
	f.Must(err)
	other, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "B", "subject", "Bee", "text_content", "b", "from_name", "Bob"))
	f.Must(err)
	f.add(batches.VariantOptions{Variants: []batches.Variant{{}, {Message: other}}, Share: 50, Winner: "hand"})
	seen := 0
	f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		if m.Message.ID == other {
			seen++
			if m.Message.Subject != "Bee" || m.Message.FromName != "The Club" {
				f.Errorf("the variant has the subject %q and the sender %q", m.Message.Subject, m.Message.FromName)
			}
		}
		return nil
	})
	if seen == 0 {
		f.Error("no mail has the other Message")
	}
	f.Refused(f.App.Messages.DeleteMessage(f.Context(), f.Caller, other), enlist.InvalidParameters, "Batch")
}

func badVariants(f *variantFixture) {
	for _, c := range []struct {
		options batches.VariantOptions
		local   string
		kind    enlist.Kind
		about   string
	}{
		{batches.VariantOptions{Variants: twoSubjects[:1]}, "", enlist.InvalidParameters, "2 to 4"},
		{batches.VariantOptions{Variants: slices.Repeat(twoSubjects, 3)}, "", enlist.InvalidParameters, "2 to 4"},
		{batches.VariantOptions{Variants: twoSubjects, Share: 101}, "", enlist.InvalidParameters, "1 to 100"},
		{batches.VariantOptions{Variants: twoSubjects, Winner: "luck"}, "", enlist.InvalidParameters, "clicks, opens, hand"},
		{batches.VariantOptions{Variants: twoSubjects, Hours: 49}, "", enlist.InvalidParameters, "1 to 48"},
		{batches.VariantOptions{Variants: []batches.Variant{{}, {Message: 999}}}, "", enlist.NoMessage, "no Message"},
		{batches.VariantOptions{Variants: []batches.Variant{{}, {Subject: "a\nb"}}}, "", enlist.InvalidParameters, "subject"},
		{batches.VariantOptions{Share: 10}, "", enlist.InvalidParameters, "need variants"},
		{batches.VariantOptions{Variants: twoSubjects}, "Email", enlist.InvalidParameters, "cannot be combined"},
	} {
		_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
			Populations: []batches.PopulationRequest{apptest.Whole(f.News)},
			Options:     batches.BatchOptions{VariantOptions: c.options, LocalTime: c.local}})
		f.Refused(err, c.kind, c.about)
	}
	f.Refused(f.App.Sending.ChooseWinner(f.Context(), f.Caller, f.SentBatch.ID, 1), enlist.InvalidParameters, "no variants")
}

func editionsAreCounted(f *variantFixture) {
	f.add(batches.VariantOptions{})
	s := f.Lease("a")
	s.Recipients = s.Recipients[:30]
	var results []sending.BatchResult
	for _, m := range f.Mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, Address: m.Address})
	}
	id := f.SentBatch.ID
	f.Edit(id, "pause")
	f.Advance(sending.BatchProgress{Slice: s, Results: results, Release: true})
	f.Pass(time.Minute)
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("subject", "Corrected"))
	f.Must(err)
	f.Edit(id, "unpause")
	f.Prepare(id)
	if got := f.subjects(); len(got["Corrected"]) != 70 {
		f.Errorf("the mails after the edit are %v, want 70", got)
	}
	e := f.Report().Editions
	if len(e) != 2 || e[0].Subject != "Hello" || e[0].Sent != 30 || e[1].Subject != "Corrected" || e[1].Sent != 70 ||
		e[1].FirstTime != f.Now.Unix() || e[1].MessageTime != f.Now.Unix() {
		f.Errorf("the editions are %+v, want 30 and 70 mails", e)
	}
}
