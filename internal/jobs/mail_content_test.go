package jobs_test

import (
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
)

// The Message of an autoresponder loses its content before a mail is due. The mail is not sent, and its job has failed.
//
// covers: spec autoresponder.content
func TestAutoresponderWithoutContentSendsNothing(t *testing.T) {
	dbtest.EachParallel(t, autoresponderWithoutContentSendsNothing)
}

func autoresponderWithoutContentSendsNothing(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	_, err := p.service.Messages.EditMessage(p.Context(), p.caller, enlist.MessageID(1), []enlist.Detail{detail("text_content", " ")})
	p.must(err)
	p.send(p.service)
	p.subscribe("ann@example.com")
	done := p.waitForEvent("autorespond")
	if done.Kind != jobqueue.Cancelled || len(done.Job.Errors) != 1 ||
		!strings.Contains(done.Job.Errors[0].Error, "no content") {
		t.Errorf("the job ended as %s with the errors %v, want it cancelled because of the content", done.Kind, done.Job.Errors)
	}
	if all := p.waitForMessages(0); len(all) != 0 {
		t.Errorf("%d mails were sent, want none", len(all))
	}
}
