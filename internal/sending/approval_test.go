package sending_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
	"enlist/internal/users"
)

// covers: spec batch.approval
func TestApprovals(t *testing.T) {
	apptest.Run(t, apptest.Own, newApprovals, []apptest.Rule[*approvals]{
		{Name: "a Batch to more Contacts than the setting begins after another user approves it, and no other does", Test: (*approvals).approved},
		{Name: "the users who ask cannot approve, also not with another role", Test: (*approvals).notOwn},
		{Name: "a change of the Message, of a Segment's mail or of the time ends an approval, also one that was given", Test: (*approvals).changed},
		{Name: "a Batch that has begun goes on only with what was approved", Test: (*approvals).begun},
		{Name: "an approval ends with a Segment that decides who sees a block", Test: (*approvals).condition},
		{Name: "with local times, an approval comes before the first zone is due", Test: (*approvals).zones},
		{Name: "of two users, the one who has asked can take an approval over from the one who has changed the Batch", Test: (*approvals).taken},
		{Name: "after the users who have asked may not send any more, another user can ask again", Test: (*approvals).askerGone},
		{Name: "an approval stays after the user who gave it is removed or has a lesser role", Test: (*approvals).approverGone},
		{Name: "only users who may send to all Lists of a Batch see and approve it", Test: (*approvals).restricted},
		{Name: "a refusal has a reason, and can be asked for again", Test: (*approvals).refused},
		{Name: "a Batch that waits past its time is not sent late", Test: (*approvals).late},
		{Name: "a Batch of a key needs an approval only if the Account says so", Test: (*approvals).keys},
	})
}

type approvals struct {
	*apptest.Batches
	List        enlist.ListID
	maria, noor *enlist.Caller
}

func newApprovals(t *testing.T, store db.Engine) *approvals {
	f := &approvals{Batches: apptest.NewBatches(t, store)}
	f.List = f.AddList()
	f.AddMany(f.List, 3)
	f.maria, f.noor = f.user("Maria", enlist.Sender), f.user("Noor", enlist.Sender)
	f.set(map[string]string{"approve-above": "2"})
	return f
}

func (f *approvals) set(values map[string]string) {
	f.Must(f.App.Accounts.ChangeSettings(f.Context(), f.Caller.Account.ID, values))
	f.Must(f.App.Accounts.ReadSettings(f.Context()))
}

// user returns the Caller of a user with a role, whom it adds, or whose role it changes.
func (f *approvals) user(name string, role enlist.Role) *enlist.Caller {
	c := *f.Caller
	m, err := f.App.Users.Invite(f.Context(), users.Invitation{Email: name + "@example.com", Name: name,
		Membership: users.Membership{Account: c.Account.ID, Role: role}})
	f.Must(err)
	c.User, c.Hash, c.Actor = int64(m.ID), nil, enlist.Actor{Method: "POST /admin/sends", User: name + "@example.com"}
	c.Key = &enlist.Key{Name: name, AccountID: c.Account.ID, Role: role}
	return &c
}

// add adds a Batch by a caller, and prepares it.
func (f *approvals) add(c *enlist.Caller, at int64, populations ...batches.PopulationRequest) enlist.BatchID {
	f.Helper()
	id, err := f.App.Batches.AddBatch(f.Context(), c, batches.BatchRequest{Message: f.Message, Populations: populations, SendTime: at})
	f.Must(err)
	f.Prepare(id)
	return id
}

func (f *approvals) approval(id enlist.BatchID) *batches.WaitingApproval {
	f.Helper()
	w, err := f.App.Batches.Approval(f.Context(), f.noor, id)
	f.Must(err)
	return w
}

// approve approves what the user sees now.
func (f *approvals) approve(c *enlist.Caller, id enlist.BatchID) error {
	f.Helper()
	err := f.App.Batches.Approve(f.Context(), c, id, f.approval(id).Approval.Version)
	if err == nil {
		f.Prepare(id)
	}
	return err
}

func (f *approvals) want(what string, id enlist.BatchID, status batches.BatchStatus, reason string) {
	f.Helper()
	if b := f.Batch(id); b.Status != status || b.Reason != reason {
		f.Errorf("%s: the Batch is %s, %q; want %s, %q", what, b.Status, b.Reason, status, reason)
	}
}

func (f *approvals) approved() {
	few := f.AddList()
	f.AddMany(few, 2)
	small := f.add(f.maria, 0, apptest.Whole(few))
	f.want("two Contacts", small, batches.BatchSending, "")
	id := f.add(f.maria, 0, apptest.Whole(f.List))
	f.want("three Contacts", id, batches.BatchPaused, batches.ReasonApproval)
	if n := f.Jobs("ask_approval"); n != 1 {
		f.Errorf("%d jobs tell the others, want 1", n)
	}
	waiting, err := f.App.Batches.WaitingApprovals(f.Context(), f.noor)
	if err != nil || len(waiting) != 1 || waiting[0].ID != id {
		f.Errorf("Noor sees %v, %v", waiting, err)
	}
	if own, err := f.App.Batches.WaitingApprovals(f.Context(), f.maria); err != nil || len(own) != 0 {
		f.Errorf("Maria sees %v, %v", own, err)
	}
	f.Edit(id, "unpause") // by a program
	f.Prepare(id)
	f.want("after it was continued", id, batches.BatchPaused, batches.ReasonApproval)
	f.Must(f.approve(f.noor, id))
	f.want("after the approval", id, batches.BatchSending, "")
	if err := f.approve(f.noor, id); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a second approval: %v", err)
	}
	if sent := f.SendAll(nil); len(sent) != 5 {
		f.Errorf("the mails are to %v", sent)
	}
	rows := f.AuditLog(f.Caller.Account.ID)
	if !slices.ContainsFunc(rows, func(r accounts.AuditRow) bool {
		return r.User == "Noor@example.com" && r.ObjectID == int64(id) && r.Before == `{"approval":"waits"}` && strings.HasPrefix(r.After, `{"approval":"approved","asked_by":"Maria","recipients":3,`)
	}) {
		f.Errorf("the audit log has no approval: %+v", rows)
	}
	test, err := f.App.Batches.AddBatch(f.Context(), f.maria, batches.BatchRequest{Message: f.Message, IsTest: true,
		Populations: []batches.PopulationRequest{apptest.Whole(f.List)}})
	f.Must(err)
	f.Prepare(test)
	f.want("a test", test, batches.BatchPaused, batches.ReasonApproval)
}

func (f *approvals) begun() {
	other := f.AddList()
	for i := range 3 {
		f.Subscribe(other, "Email", "b"+strconv.Itoa(i)+"@example.com")
	}
	segment := f.SetSegment(other, "All", apptest.Criterion("Email", "contains", "b"))
	id := f.add(f.maria, 0, apptest.Whole(f.List), batches.PopulationRequest{List: other, Segment: segment})
	f.Must(f.approve(f.noor, id))
	first := true
	change := func(do func()) func(*sending.BatchMail) *messages.Undelivered {
		first = true
		return func(*sending.BatchMail) *messages.Undelivered {
			if first {
				do()
			}
			first = false
			return nil
		}
	}
	f.WantAddresses(f.SendAll(change(func() { f.edit("Changed") })), "a0@example.com", "a1@example.com", "a2@example.com")
	f.want("changed after the first slice", id, batches.BatchPaused, batches.ReasonApproval)
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "unpause", 0))
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil))
	f.want("continued without an approval", id, batches.BatchPaused, batches.ReasonApproval)
	if err := f.approve(f.maria, id); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("who has asked approves: %v", err)
	}
	f.Must(f.App.Contacts.DeleteSegment(f.Context(), f.Caller, other, segment)) // it has found its Contacts
	f.Must(f.approve(f.noor, id))
	f.WantAddresses(f.SendAll(nil), "b0@example.com", "b1@example.com", "b2@example.com")
	f.want("approved again", id, batches.BatchCompleted, "")
	same := f.add(f.maria, 0, apptest.Whole(f.List), apptest.Whole(other))
	f.Must(f.approve(f.noor, same))
	if sent := f.SendAll(nil); len(sent) != 6 {
		f.Errorf("without a change, the mails are to %v", sent)
	}
}

func (f *approvals) condition() {
	segment := f.SetSegment(f.List, "First", apptest.Criterion("Email", "contains", "a0"))
	blocks := `[{"type":"text","text":"Hello","show_if":[["segment_id","exactly",` + strconv.FormatInt(int64(segment), 10) + `]]}]`
	message, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "Blocks", "subject", "Hello",
		"email_type", "blocks", "blocks", blocks))
	f.Must(err)
	f.Message = message
	id := f.add(f.maria, 0, apptest.Whole(f.List))
	_, err = f.App.Contacts.SetSegment(f.Context(), f.Caller, contacts.SegmentRequest{ID: segment, List: f.List, Name: "First",
		Criteria: apptest.Criterion("Email", "contains", "a1")})
	f.Must(err)
	if w := f.approval(id); !w.IsChanged {
		f.Errorf("after a change of the Segment: %+v", w)
	}
}

func (f *approvals) zones() {
	f.AddField(f.List, "name", "Zone", "type", "text")
	add := func(at int64) enlist.BatchID {
		id, err := f.App.Batches.AddBatch(f.Context(), f.maria, batches.BatchRequest{Message: f.Message, SendTime: at,
			Populations: []batches.PopulationRequest{apptest.Whole(f.List)}, Options: batches.BatchOptions{LocalTime: "Zone"}})
		f.Must(err)
		f.Prepare(id)
		return id
	}
	soon, later := add(f.Now.Unix()+3600), add(f.Now.Unix()+30*3600)
	f.Must(f.approve(f.noor, soon)) // asked for when the first zones were due already
	f.want("asked for late", soon, batches.BatchSending, "")
	f.Now = f.Now.Add(5 * time.Hour)
	if w := f.approval(later); w.Waits() || !w.IsLate {
		f.Errorf("after the first zone is due: %+v", w)
	}
}

func (f *approvals) taken() {
	ada := f.user("Ada", enlist.Sender)
	id := f.add(f.maria, f.Now.Unix()+3600, apptest.Whole(f.List))
	f.Must(f.App.Batches.EditBatch(f.Context(), f.noor, id, "reschedule", f.Now.Unix()+7200))
	f.Prepare(id)
	if w := f.approval(id); !w.MayAsk(f.maria.User) || w.MayAsk(f.noor.User) || w.MayAsk(ada.User) {
		f.Errorf("after Noor has changed the time, these may ask: Maria %t, Noor %t, Ada %t", w.MayAsk(f.maria.User), w.MayAsk(f.noor.User), w.MayAsk(ada.User))
	}
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "unpause", 0))
	f.Prepare(id)
	f.Must(f.approve(f.noor, id))
	f.edit("Changed")
	f.Edit(id, "pause")
	if w := f.approval(id); !w.MayAsk(f.maria.User) || w.MayAsk(f.noor.User) {
		f.Errorf("after a change, these may ask: Maria %t, Noor %t", w.MayAsk(f.maria.User), w.MayAsk(f.noor.User))
	}
}

func (f *approvals) remove(name string) {
	f.Helper()
	f.Must(f.App.Users.Remove(f.Context(), name+"@example.com", f.Caller.Account.ID))
}

func (f *approvals) askerGone() {
	ada := f.user("Ada", enlist.Sender)
	for _, ends := range []struct {
		what string
		do   func()
	}{{"removed", func() { f.remove("Maria") }}, {"a writer now", func() { f.user("Maria", enlist.Writer) }}} {
		f.maria = f.user("Maria", enlist.Sender)
		id := f.add(f.maria, 0, apptest.Whole(f.List))
		f.Must(f.App.Batches.RefuseApproval(f.Context(), f.noor, id, "wrong date"))
		if f.approval(id).MayAsk(f.noor.User) {
			f.Errorf("Noor may ask although Maria can")
		}
		ends.do()
		if !f.approval(id).MayAsk(f.noor.User) || !f.approval(id).MayAsk(ada.User) {
			f.Errorf("Maria is %s, and no other user is offered to ask again", ends.what)
		}
		f.Must(f.App.Batches.EditBatch(f.Context(), f.noor, id, "unpause", 0))
		f.Prepare(id)
		if err := f.approve(f.noor, id); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("Noor has asked and approves: %v", err)
		}
		f.Must(f.approve(ada, id))
		f.want("asked by another user", id, batches.BatchSending, "")
	}
}

func (f *approvals) approverGone() {
	for _, ends := range []func(){func() { f.user("Noor", enlist.Reader) }, func() { f.remove("Noor") }} {
		f.noor = f.user("Noor", enlist.Sender)
		id := f.add(f.maria, f.Now.Unix()+3600, apptest.Whole(f.List))
		f.Must(f.approve(f.noor, id))
		ends()
		f.Now = f.Now.Add(time.Hour)
		f.Prepare(id)
		f.want("after the approver has lost the right", id, batches.BatchSending, "")
	}
}

func (f *approvals) restricted() {
	other := f.AddList()
	f.AddMany(other, 1)
	ada := f.user("Ada", enlist.Sender)
	ada.Key.Lists = []enlist.ListID{f.List}
	id := f.add(f.maria, 0, apptest.Whole(f.List), apptest.Whole(other))
	own := f.add(f.maria, 0, apptest.Whole(f.List))
	version := f.approval(id).Approval.Version
	_, seen := f.App.Batches.Approval(f.Context(), ada, id)
	for _, err := range []error{seen, f.App.Batches.Approve(f.Context(), ada, id, version), f.App.Batches.RefuseApproval(f.Context(), ada, id, "no")} {
		if k := enlist.KindOf(err); k != enlist.NoBatch && k != enlist.Denied {
			f.Errorf("a user of one of the Lists: %v", err)
		}
	}
	waiting, err := f.App.Batches.WaitingApprovals(f.Context(), ada)
	if err != nil || len(waiting) != 1 || waiting[0].ID != own {
		f.Errorf("the user of one List sees %v, %v", waiting, err)
	}
	f.Must(f.approve(ada, own))
}

func (f *approvals) notOwn() {
	id := f.add(f.maria, 0, apptest.Whole(f.List))
	for _, c := range []*enlist.Caller{f.maria, f.user("Maria", enlist.Owner), f.user("Li", enlist.Writer), f.Caller} {
		if err := f.approve(c, id); enlist.KindOf(err) != enlist.Denied {
			f.Errorf("%s approves: %v", c.Key.Name, err)
		}
	}
	f.Must(f.App.Batches.EditBatch(f.Context(), f.noor, id, "reschedule", f.Now.Unix()+3600))
	f.Prepare(id)
	if err := f.approve(f.noor, id); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("who has chosen the time approves: %v", err)
	}
	f.Must(f.approve(f.user("Ada", enlist.Manager), id))
	f.want("approved by a third user", id, batches.BatchPending, "")
}

func (f *approvals) edit(subject string) {
	f.Helper()
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("subject", subject))
	f.Must(err)
}

func (f *approvals) changed() {
	at := f.Now.Unix() + 3600
	id := f.add(f.maria, at, apptest.Whole(f.List))
	seen := f.approval(id).Approval.Version
	f.edit("Changed")
	if w := f.approval(id); !w.IsChanged || w.Waits() {
		f.Errorf("after a change: %+v", w)
	}
	if err := f.App.Batches.Approve(f.Context(), f.noor, id, seen); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("what was changed since is approved: %v", err)
	}
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "unpause", 0)) // asks again
	f.Prepare(id)
	f.Must(f.approve(f.noor, id))
	f.want("approved before its time", id, batches.BatchPending, "")
	f.edit("Changed again")
	f.Now = f.Now.Add(2 * time.Hour)
	f.Prepare(id)
	f.want("changed after the approval", id, batches.BatchPaused, batches.ReasonApproval)
	if w := f.approval(id); w.Waits() {
		f.Errorf("a Batch whose time is over can be approved: %+v", w)
	}
	later := f.add(f.maria, f.Now.Unix()+3600, apptest.Whole(f.List))
	f.Must(f.approve(f.noor, later))
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, later, "reschedule", f.Now.Unix()+7200))
	f.Prepare(later)
	f.want("another time", later, batches.BatchPaused, batches.ReasonApproval)
}

func (f *approvals) refused() {
	id := f.add(f.maria, 0, apptest.Whole(f.List))
	if err := f.App.Batches.RefuseApproval(f.Context(), f.noor, id, " "); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("without a reason: %v", err)
	}
	if err := f.App.Batches.RefuseApproval(f.Context(), f.maria, id, "no"); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("by who asks: %v", err)
	}
	f.Must(f.App.Batches.RefuseApproval(f.Context(), f.noor, id, "wrong date"))
	f.want("refused", id, batches.BatchPaused, "not approved by Noor: wrong date")
	if err := f.approve(f.noor, id); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("an approval after it: %v", err)
	}
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "unpause", 0))
	f.Prepare(id)
	f.want("asked again", id, batches.BatchPaused, batches.ReasonApproval)
	f.Must(f.approve(f.noor, id))
	f.want("approved", id, batches.BatchSending, "")
}

func (f *approvals) late() {
	id := f.add(f.maria, f.Now.Unix()+3600, apptest.Whole(f.List))
	f.Now = f.Now.Add(2 * time.Hour)
	f.Prepare(id)
	f.want("its time is over", id, batches.BatchPaused, batches.ReasonApproval)
	if err := f.approve(f.noor, id); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a late approval: %v", err)
	}
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "unpause", 0))
	f.Prepare(id)
	f.want("continued", id, batches.BatchPaused, batches.ReasonTooLate)
	f.Must(f.App.Batches.EditBatch(f.Context(), f.maria, id, "reschedule", f.Now.Unix()+3600))
	f.Prepare(id)
	f.Must(f.approve(f.noor, id))
	f.want("another time, approved", id, batches.BatchPending, "")
}

func (f *approvals) keys() {
	f.want("a key", f.add(f.Caller, 0, apptest.Whole(f.List)), batches.BatchSending, "")
	f.set(map[string]string{"approve-keys": "yes"})
	id := f.add(f.Caller, 0, apptest.Whole(f.List))
	f.want("a key that needs an approval", id, batches.BatchPaused, batches.ReasonApproval)
	f.Must(f.approve(f.noor, id))
	f.want("approved", id, batches.BatchSending, "")
}
