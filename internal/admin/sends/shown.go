package sends

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file sends exactly what the last page of a new send has shown, and once. The form of the page says what it has
// shown. The server looks again, and shows the page once more if anything has changed. reference.md: batch.shown

// shown is what the page has shown.
type shown struct {
	Token   string         // of the page
	Count   int64          // who gets it; with more Contacts than a check reads: all
	Version string         // of batches.BatchCheck
	Time    int64          // when it is sent; 0: now
	Latest  enlist.BatchID // of batches.BatchCheck
	Drift   bool           // the person lets a few Contacts come and go
}

// tokenLife is how long a page can be used, in seconds: shorter than its Batch is known by its token.
const tokenLife = 23 * enlist.Hour

// freshToken returns the token of a page, which says when it was made: that of the request, or a new one.
func freshToken(r *ui.Request) string {
	if token := r.FormValue("token"); isFresh(r, token) {
		return token
	}
	return strconv.FormatInt(r.Now.Unix(), 36) + "-" + rand.Text()
}

// isFresh reports whether a token is one of the last hours.
func isFresh(r *ui.Request, token string) bool {
	text, _, _ := strings.Cut(token, "-")
	made, err := strconv.ParseInt(text, 36, 64)
	return err == nil && made > r.Now.Unix()-tokenLife
}

// once returns the Caller who adds the Batch of a plan with a token once: a second press by the same or another person
// returns the first Batch.
func once(r *ui.Request, p *plan, token string) *enlist.Caller {
	values := p.values() // without the tick of the page itself
	values.Del("ticks")
	values.Del("track")
	sum := sha256.Sum256([]byte(token + "\n" + values.Encode()))
	c := *r.Caller
	c.Retry = &enlist.Retry{Header: "page-" + hex.EncodeToString(sum[:20])}
	return &c
}

// show sets what the page shows of a request: the values of its form, and the Batch that the page has added.
func (d *checkData) show(r *ui.Request, request *batches.BatchRequest) (err error) {
	token := freshToken(r)
	d.Shown = shown{Token: token, Count: countOf(d.Check), Version: d.Check.Version, Time: request.SendTime,
		Latest: d.Check.Latest()}
	if d.Added, err = r.App.Batches.AddedBefore(r.Context(), once(r, &d.plan, token)); err != nil {
		return err
	}
	if d.Added == 0 {
		d.Recent, err = recentOf(r, d.Check)
	}
	d.ask(r)
	return err
}

// ask adds the inputs with what the person has to agree to. They have what was sent.
func (d *checkData) ask(r *ui.Request) {
	if len(d.Recent) > 0 {
		d.Asks = append(d.Asks, ui.Input{Name: "repeat", Kind: ui.InputBoxes, Required: true, Wrong: d.Wrong["repeat"],
			Options: ui.Choices(ui.Plain(int64(d.Shown.Latest)), r.Text("sends.send_again_all_same"))})
	}
	if d.Check.Recipients >= askedFrom {
		d.Asks = append(d.Asks, ui.Input{Name: "typed", Label: r.Text("sends.over_10_000_mails_type"), Kind: ui.InputNumber,
			Required: true, Autocomplete: "off", Wrong: d.Wrong["typed"]})
	}
	if d.Wrong["count"] != "" && d.Check.Recipients >= 1000 {
		d.Asks = append(d.Asks, ui.Check("drift", r.Text("sends.contacts_come_go_send_also"), false))
	}
	if r.Method == http.MethodPost {
		d.Asks.Read(r)
	}
}

// countOf returns the number that must not change between the page and its button.
func countOf(check *batches.BatchCheck) int64 {
	if !check.Complete {
		return check.Total
	}
	return check.Recipients
}

// readShown reads what the form says that the page has shown.
func readShown(r *ui.Request) shown {
	return shown{Token: r.PostForm.Get("token"), Count: ui.Int(r.PostForm.Get("shown_count")),
		Version: r.PostForm.Get("shown_version"), Time: ui.Int(r.PostForm.Get("shown_time")),
		Latest: enlist.BatchID(ui.Int(r.PostForm.Get("repeat"))), Drift: r.PostForm.Has("drift")}
}

// compare returns what is not as it was shown, by input.
func (s *shown) compare(r *ui.Request, check *batches.BatchCheck, request *batches.BatchRequest) map[string]string {
	wrong := make(map[string]string)
	allowed := int64(0)
	if s.Drift || !check.Complete {
		allowed = s.Count / 100
	}
	now := countOf(check)
	if !isFresh(r, s.Token) {
		wrong["token"] = r.Text("sends.page_old")
	}
	if now-s.Count > allowed || s.Count-now > allowed {
		wrong["count"] = r.Text("sends.count_changed", "shown", s.Count, "now", now)
	}
	mails, segments, _ := strings.Cut(check.Version, ".")
	mailsShown, segmentsShown, _ := strings.Cut(s.Version, ".")
	if mails != mailsShown {
		wrong["message"] = r.Text("sends.message_was_changed")
	}
	if segments != segmentsShown {
		wrong["segments"] = r.Text("sends.segment_was_changed")
	}
	if s.Time != request.SendTime {
		wrong["time"] = r.Text("sends.time_another_one")
	}
	typed := strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "", "\u202f", "").Replace(r.PostForm.Get("typed"))
	if len(wrong) == 0 && check.Recipients >= askedFrom && typed != ui.Plain(s.Count) {
		wrong["typed"] = r.Text("sends.type_number", "number", ui.Plain(check.Recipients))
	}
	if s.Latest < check.Latest() {
		wrong["repeat"] = r.Text("sends.tick_send_message_again")
	}
	return wrong
}

// problem says at the top of the page what is wrong.
func (d *checkData) problem(r *ui.Request) string {
	var all []string
	for _, input := range []string{"token", "count", "message", "segments", "time"} {
		if text := d.Wrong[input]; text != "" {
			all = append(all, text)
		}
	}
	switch {
	case all != nil:
		return r.Text("sends.not_sent_again", "reasons", r.Language.Clauses(all))
	case d.Wrong["mistake"] != "":
		return r.Text("sends.not_sent_because", "reason", r.Language.Said(d.Wrong["mistake"]))
	case len(d.Wrong) > 0:
		return r.Text("sends.not_sent")
	}
	return ""
}

// send adds the Batch, if it is as the page has shown it.
func (p *pages) send(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	chosen, seen := planOf(r), readShown(r)
	caller := once(r, &chosen, seen.Token)
	if view, err := before(r, caller); view != nil || err != nil {
		return view, err
	}
	request, err := chosen.request(r)
	var d checkData
	if err == nil {
		d.Check, err = r.App.Batches.CheckBatch(r.Context(), r.Caller, request)
	}
	if err != nil {
		return p.showCheck(r, &chosen, &request, err, nil)
	}
	if d.Wrong = seen.compare(r, d.Check, &request); len(d.Wrong) == 0 {
		request.Shown = d.Check.Shown()
		request.Shown.Wait = r.App.Batches.WaitOf(r.Caller, d.Check, request.SendTime)
		id, err := r.App.Batches.AddBatch(r.Context(), caller, request)
		switch wrong := mistakes(err); {
		case wrong != nil:
			d.Wrong["mistake"] = err.Error()
		case errors.Is(err, batches.ErrNotAsShown):
			if d.Check, err = r.App.Batches.CheckBatch(r.Context(), r.Caller, request); err != nil {
				return nil, err
			}
			if d.Wrong = seen.compare(r, d.Check, &request); len(d.Wrong) == 0 {
				d.Wrong["message"] = r.Text("sends.message_or_segment_was_being")
			}
		case err != nil:
			return nil, err
		case d.approves(r):
			return ui.GoTo(batchPath(id), r.Text("sends.approval_asked")), nil
		case request.SendTime > r.Now.Unix():
			return ui.GoTo(batchPath(id), r.Text("sends.campaign_planned")), nil
		case request.Shown.Wait > 0:
			return ui.GoTo(batchPath(id), ""), nil // whose page says how long it can be stopped
		default:
			return begun(r, id)
		}
	}
	if view, err := before(r, caller); view != nil || err != nil { // another press was faster
		return view, err
	}
	return p.showCheck(r, &chosen, &request, nil, &d)
}

// approves reports whether another user has to approve the Batch.
func (d *checkData) approves(r *ui.Request) bool {
	return r.App.Batches.ApprovalOf(r.Caller, d.Check) > 0
}

// begun leads to the Batch that begins at once.
func begun(r *ui.Request, id enlist.BatchID) (*ui.View, error) {
	not, err := r.NoMail()
	if err != nil {
		return nil, err
	}
	if not == "" {
		not = r.Text("sends.you_can_pause_while_runs")
	}
	return ui.GoTo(batchPath(id), r.Text("sends.has_begun")+" "+not), nil
}

// before leads to the Batch that the page has added, or returns nil.
func before(r *ui.Request, caller *enlist.Caller) (*ui.View, error) {
	added, err := r.App.Batches.AddedBefore(r.Context(), caller)
	if err != nil || added == 0 {
		return nil, err
	}
	return ui.GoTo(batchPath(added), r.Text("sends.page_has_sent_before_nothing")), nil
}

func batchPath(id enlist.BatchID) string { return "/admin/sends/" + ui.Plain(int64(id)) }

// recentSend is a Batch of the last day that sent the same Message to one of the Lists.
type recentSend struct{ Text, Path string }

// recentOf returns the Batches of the last day in words. A person of other Lists sees no number of them.
func recentOf(r *ui.Request, check *batches.BatchCheck) (all []recentSend, err error) {
	for i := range check.Recent {
		b := &check.Recent[i]
		_, err := r.App.Batches.Batch(r.Context(), r.Caller, b.ID)
		who := r.Text("sends.n_people", "n", cmp.Or(b.Sent, b.ToSend()))
		one := recentSend{Path: batchPath(b.ID)}
		switch enlist.KindOf(err) {
		case enlist.Denied, enlist.NoBatch:
			who, one.Path = r.Text("sends.contacts_these_lists"), ""
		default:
			if err != nil {
				return nil, err
			}
		}
		switch {
		case b.FirstSent != 0:
			one.Text = r.Text("sends.got_it_at", "who", who, "time", soonText(r, b.FirstSent))
		case b.SendTime > r.Now.Unix():
			one.Text = r.Text("sends.will_get_it_at", "who", who, "time", soonText(r, b.SendTime))
		default:
			one.Text = r.Text("sends.will_get_it_soon", "who", who)
		}
		all = append(all, one)
	}
	return all, nil
}
