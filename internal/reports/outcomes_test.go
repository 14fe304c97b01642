package reports_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

func TestOutcomesByDay(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewSentBatch(3), []apptest.Rule[*apptest.SentBatch]{
		{Name: "a day has the mails of the Batches that began on it, for who may see them", Test: outcomesByDay},
	})
}

func outcomesByDay(f *apptest.SentBatch) {
	f.Now = f.Now.AddDate(0, 0, 1)
	other := f.AddList("name", "Other")
	f.SubscribeMany(other, 2)
	f.Add(apptest.Whole(other))
	refused := true
	f.SendAll(func(*sending.BatchMail) (u *messages.Undelivered) {
		if refused {
			u = &messages.Undelivered{Permanent: true, Recipient: true, Code: 550}
		}
		refused = false
		return u
	})
	f.Now = f.Now.AddDate(0, 0, 1)
	days, err := f.App.Reports.OutcomesByDay(f.Context(), f.Caller, 3)
	f.Must(err)
	if days[0].Sent != 3 || days[0].Delivered() != 3 || days[1].Sent != 1 || days[1].Refused != 1 || days[1].Bounced != 1 ||
		days[1].Delivered() != 1 || days[2].Sent != 0 || !days[2].Day.After(days[1].Day) {
		f.Errorf("the outcomes are %+v", days)
	}
	days, err = f.App.Reports.OutcomesByDay(f.Context(), f.Caller, 2)
	f.Must(err)
	if days[0].Sent != 1 || days[1].Sent != 0 {
		f.Errorf("the outcomes of two days are %+v", days)
	}
	days, err = f.App.Reports.OutcomesByDay(f.Context(), f.Restricted(f.News), 3)
	f.Must(err)
	if days[0].Sent != 3 || days[1].Sent != 0 {
		f.Errorf("the outcomes of one List are %+v", days)
	}
}
