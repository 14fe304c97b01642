package mail

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"enlist/internal/mail/mailtest"
)

// If the next server refuses a mail, the mail server sends a report. The recipient of the report is the address with
// the tag of the delivery. ReadReport must recognise a bounce of the address, and a refusal for policy that is none.
//
// covers: decision 51
func TestBouncesOfMailServersAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func(*testing.T, *mailtest.Server) *mailtest.Relay
	}{{"OpenSMTPD", mailtest.StartOpenSMTPD}, {"Postfix", mailtest.StartPostfix}, {"Exim", mailtest.StartExim}} {
		t.Run(c.name, func(t *testing.T) {
			sink := mailtest.Start(t, mailtest.Options{})
			sink.Script(func(s mailtest.Step) mailtest.Action {
				switch {
				case s.Stage == mailtest.Rcpt && strings.HasPrefix(s.To[0], "ann@"):
					return mailtest.Reply(550, "no such user here")
				case s.Stage == mailtest.Rcpt && strings.HasPrefix(s.To[0], "bob@"):
					return mailtest.Reply(550, "DMARC check failed")
				}
				return mailtest.Action{}
			})
			m := c.start(t, sink)
			s := senderTo(t, m, Transport{settings: bouncesTo("example.org"), Key: reportKey})
			for i, to := range []string{"ann@example.com", "bob@example.com"} {
				if err := s.send(t.Context(), testMessage(t, i, to), &reported); err != nil {
					t.Fatal(err)
				}
			}
			var reports []mailtest.Message
			m.Until("both reports arrive", 3*time.Minute, func() bool {
				reports = nil
				for _, got := range sink.Messages() {
					if strings.HasPrefix(got.To[0], "bounces+") {
						reports = append(reports, got)
					}
				}
				return len(reports) == 2
			})
			for _, r := range reports {
				want := RefusalReport
				if bytes.Contains(r.Data, []byte("no such user")) {
					want = BounceReport
				}
				got := ReadReport(bytes.NewReader(r.Data), &reportKey, r.To[0])
				if r.From != "" || got.Kind != want || got.Delivery != reported {
					t.Errorf("from %q ReadReport returned %+v, want the kind %q; the report is:\n%s", r.From, got, want, r.Data)
				}
			}
		})
	}
}
