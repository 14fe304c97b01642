package movein_test

import (
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/movein"
	"enlist/internal/movein/listmonk"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// These tests move from a database with the tables of listmonk that package listmonk reads.

// listmonkTables are the tables, columns and types of listmonk v6.2 that package listmonk reads.
const listmonkTables = `
	CREATE TYPE list_optin AS ENUM ('single', 'double');
	CREATE TYPE list_type AS ENUM ('public', 'private', 'temporary');
	CREATE TYPE list_status AS ENUM ('active', 'archived');
	CREATE TYPE subscriber_status AS ENUM ('enabled', 'disabled', 'blocklisted');
	CREATE TYPE subscription_status AS ENUM ('unconfirmed', 'confirmed', 'unsubscribed');
	CREATE TYPE campaign_status AS ENUM ('draft', 'running', 'scheduled', 'paused', 'cancelled', 'finished');
	CREATE TYPE content_type AS ENUM ('richtext', 'html', 'plain', 'markdown', 'visual');
	CREATE TYPE bounce_type AS ENUM ('soft', 'hard', 'complaint');
	CREATE TYPE template_type AS ENUM ('campaign', 'campaign_visual', 'tx');
	CREATE TABLE settings (key TEXT NOT NULL UNIQUE, value JSONB NOT NULL);
	CREATE TABLE lists (id SERIAL PRIMARY KEY, name TEXT NOT NULL, type list_type NOT NULL DEFAULT 'public',
		optin list_optin NOT NULL DEFAULT 'single', status list_status NOT NULL DEFAULT 'active',
		description TEXT NOT NULL DEFAULT '', created_at TIMESTAMPTZ DEFAULT '2024-01-01Z',
		updated_at TIMESTAMPTZ DEFAULT '2024-01-02Z');
	CREATE TABLE subscribers (id SERIAL PRIMARY KEY, uuid UUID NOT NULL DEFAULT gen_random_uuid(), email TEXT NOT NULL UNIQUE,
		name TEXT NOT NULL, attribs JSONB NOT NULL DEFAULT '{}', status subscriber_status NOT NULL DEFAULT 'enabled',
		created_at TIMESTAMPTZ DEFAULT '2024-02-01Z', updated_at TIMESTAMPTZ DEFAULT '2024-02-02Z');
	CREATE TABLE subscriber_lists (subscriber_id INTEGER REFERENCES subscribers ON DELETE CASCADE,
		list_id INTEGER REFERENCES lists ON DELETE CASCADE, meta JSONB NOT NULL DEFAULT '{}',
		status subscription_status NOT NULL DEFAULT 'unconfirmed', created_at TIMESTAMPTZ DEFAULT '2024-03-01Z',
		updated_at TIMESTAMPTZ DEFAULT '2024-03-02Z', PRIMARY KEY (subscriber_id, list_id));
	CREATE TABLE templates (id SERIAL PRIMARY KEY, name TEXT NOT NULL, type template_type NOT NULL DEFAULT 'campaign',
		subject TEXT NOT NULL DEFAULT '', body TEXT NOT NULL, created_at TIMESTAMPTZ DEFAULT NOW(),
		updated_at TIMESTAMPTZ DEFAULT NOW());
	CREATE TABLE campaigns (id SERIAL PRIMARY KEY, name TEXT NOT NULL, subject TEXT NOT NULL, from_email TEXT NOT NULL,
		body TEXT NOT NULL, altbody TEXT, content_type content_type NOT NULL DEFAULT 'richtext', send_at TIMESTAMPTZ,
		headers JSONB NOT NULL DEFAULT '[]', status campaign_status NOT NULL DEFAULT 'draft',
		messenger TEXT NOT NULL DEFAULT 'email', template_id INTEGER REFERENCES templates ON DELETE SET NULL,
		created_at TIMESTAMPTZ DEFAULT NOW(), updated_at TIMESTAMPTZ DEFAULT NOW());
	CREATE TABLE media (id SERIAL PRIMARY KEY, provider TEXT NOT NULL DEFAULT '', filename TEXT NOT NULL,
		content_type TEXT NOT NULL DEFAULT 'application/octet-stream', thumb TEXT NOT NULL DEFAULT '',
		created_at TIMESTAMPTZ DEFAULT '2024-01-03Z');
	CREATE TABLE campaign_media (campaign_id INTEGER REFERENCES campaigns, media_id INTEGER REFERENCES media ON DELETE SET NULL,
		filename TEXT NOT NULL DEFAULT '');
	CREATE TABLE bounces (id SERIAL PRIMARY KEY, subscriber_id INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
		type bounce_type NOT NULL DEFAULT 'hard', created_at TIMESTAMPTZ DEFAULT NOW());
	INSERT INTO settings VALUES ('migrations', '["v6.2.0"]')`

// listmonkRecords are two lists with some subscribers.
const listmonkRecords = `
	INSERT INTO lists (id, name, optin, status, description) VALUES (3, 'Club', 'double', 'active', 'Our club'),
		(4, 'Shop', 'single', 'archived', '');
	INSERT INTO subscribers (id, email, name, attribs, status) VALUES
		(11, 'Ada@Example.com', 'Ada B Lovelace', '{"city": "Köln", "age": 36, "member": true, "born": "1990-02-03",
			"zip": "01097", "address": {"street": "Main St", "geo": {"lat": 1.5}}, "likes": ["tea", "cake"], "id": 7,
			"Email": "no address", "none": null}', 'enabled'),
		(12, 'bob@example.com', 'Bob', '{"age": 40.5, "member": false, "likes": ["a,b"], "zip": "10115"}', 'blocklisted'),
		(13, 'cy@example.com', 'Cy', '"text"', 'disabled'),
		(14, 'dee@example.com', '', '{}', 'enabled'),
		(15, 'eve@example.com', 'Eve', '{"city": "Perth"}', 'enabled'),
		(16, 'fay@example.com', 'Fay', '{}', 'enabled'),
		(17, 'nowhere@example.com', 'No List', '{}', 'enabled');
	INSERT INTO subscriber_lists (subscriber_id, list_id, status, meta) VALUES
		(11, 3, 'confirmed', '{"optin_ip": "203.0.113.9"}'), (11, 4, 'unconfirmed', '{}'),
		(12, 3, 'confirmed', '{}'), (13, 3, 'unconfirmed', '{}'), (14, 3, 'unsubscribed', '{"optin_ip": "203.0.113.7"}'),
		(15, 3, 'confirmed', '{}'), (16, 4, 'confirmed', '{}');
	INSERT INTO bounces (subscriber_id, type, created_at) VALUES (11, 'soft', '2024-04-01Z'), (15, 'hard', '2024-04-02Z'),
		(16, 'complaint', '2024-04-03Z');
	INSERT INTO templates (id, name, body) VALUES (1, 'Frame', '<body>{{ template "content" . }}<i>{{ .Nothing }}</i></body>');
	INSERT INTO campaigns (id, name, subject, from_email, body, altbody, content_type, status, headers, template_id) VALUES
		(1, 'May', 'Hi {{ .Subscriber.Name }}', 'Club <club@example.com>', '<p>{{ .Subscriber.Attribs.city }} $1</p>', 'Text',
			'html', 'scheduled', '[{"X-A": "b"}]', 1),
		(2, 'June', 'June', 'none', '# {{ UnsubscribeURL }}', NULL, 'markdown', 'finished', '[]', 1),
		(3, 'July', 'July', 'a@example.com', 'Plain {{ .Subscriber.Email }}', NULL, 'plain', 'draft', '[]', NULL);
	INSERT INTO campaign_media (campaign_id, filename) VALUES (3, 'plan.pdf')`

// newListmonk returns a database of listmonk and its URL.
func newListmonk(t *testing.T) (conn *pgx.Conn, url string) {
	t.Helper()
	at := pgtest.Open(t)
	conn = must(pgx.Connect(t.Context(), at))(t)
	t.Cleanup(func() { conn.Close(context.Background()) })
	execute(t, conn, listmonkTables)
	return conn, listmonk.Scheme + strings.TrimPrefix(at, "postgres")
}

func execute(t *testing.T, conn *pgx.Conn, statements string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// moveListmonk runs a Mover that reads a database of listmonk.
func (to *target) moveListmonk(ctx context.Context, url string) (*movein.Result, error) {
	return to.moveUploads(ctx, url, "")
}

// moveUploads is moveListmonk with the folder of the uploads.
func (to *target) moveUploads(ctx context.Context, url, folder string) (*movein.Result, error) {
	to.problems = nil
	from, err := listmonk.Open(ctx, url, "")
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if folder != "" {
		if err := from.UseUploads(folder); err != nil {
			return nil, err
		}
	}
	m := &movein.Mover{Service: to.service, Caller: to.caller, From: from, Source: "listmonk", Report: func(string) {},
		Problem: func(p movein.Problem) {
			to.problems = append(to.problems, fmt.Sprintf("%s %d %s=%s", p.Record, p.ID, p.Key, p.Value))
		}}
	return m.Run(ctx)
}

// stored returns what a List has: a line for each Contact with its flags and its ledger.
func (to *target) stored(t *testing.T, list enlist.ListID) (lines []string) {
	t.Helper()
	err := to.store.View(t.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		ids, err := contacts.IDsUpTo(tx, list, 0, 1<<40, 1000)
		if err != nil {
			return err
		}
		all, err := contacts.AllByID(tx, list, ids)
		if err != nil {
			return err
		}
		for _, c := range all {
			line := fmt.Sprint(c.ID)
			for _, f := range schema.Fields {
				if v := c.Values.Get(f.ID); v != "" && f.Name != "UUID" {
					line += fmt.Sprintf(" %s:%s=%s", f.Name, f.Type, v)
				}
			}
			for _, is := range []struct {
				name string
				is   bool
			}{{"confirmed", c.DoubleOptIn}, {"inactive", !c.IsActive}, {"bounced", c.IsBounceDeactivated}, {"unsubscribed", c.IsUnsubscribed}} {
				if is.is {
					line += " " + is.name
				}
			}
			rows, err := contacts.LedgerRows(tx, list, c.ID, 0, 0)
			if err != nil {
				return err
			}
			for _, r := range rows {
				line += fmt.Sprintf(" [%s %d %s]", strings.TrimPrefix(r.Method, "listmonk: "), r.Time, r.IP)
			}
			lines = append(lines, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

const (
	march1  = 1709251200 // subscriber_lists.created_at
	march2  = 1709337600 // subscriber_lists.updated_at
	feb2    = 1706832000 // subscribers.updated_at
	april3  = 1712102400 // of the complaint
	fields  = " Email:text=Ada@Example.com Name:text=Ada B Lovelace First Name:text=Ada B Lovelace"
	more    = " address.geo:text={\"lat\":1.5} address.street:text=Main St age:decimal=36 born:date=1990-02-03 city:text=Köln"
	another = " id (attribute):decimal=7 likes:text=tea,cake member:checkbox=yes zip:text=01097"
)

// Subscribers of listmonk become Contacts with their states, attributes and times. A later run brings what has changed,
// and stores nothing twice.
//
// covers: decision 97
func TestListmonkMovesIn(t *testing.T) { dbtest.EachParallel(t, listmonkMovesIn) }

func listmonkMovesIn(t *testing.T, e dbtest.Engine) {
	source, url := newListmonk(t)
	execute(t, source, listmonkRecords)
	to := newTarget(t, e)
	result := must(to.moveListmonk(t.Context(), url))(t)
	for _, l := range result.Lists {
		if !l.Equal() {
			t.Errorf("the List is %+v", l)
		}
	}
	subscribed := fmt.Sprintf(" [subscribed %d ", march1)
	confirmed := fmt.Sprintf(" [confirmed %d ", march2)
	want := []string{
		"1103" + fields + " Email (attribute):text=no address" + more + another + " confirmed" + confirmed + "203.0.113.9]" + subscribed + "]",
		"1203 Email:text=bob@example.com Name:text=Bob First Name:text=Bob age:decimal=40.5 likes:text=[\"a,b\"] zip:text=10115" +
			" confirmed unsubscribed" + fmt.Sprintf(" [blocklisted %d ]", feb2) + confirmed + "]" + subscribed + "]",
		"1303 Email:text=cy@example.com Name:text=Cy First Name:text=Cy inactive" + subscribed + "]",
		"1403 Email:text=dee@example.com unsubscribed" + fmt.Sprintf(" [unsubscribed %d ]", march2) + subscribed + "203.0.113.7]",
		"1503 Email:text=eve@example.com Name:text=Eve First Name:text=Eve city:text=Perth confirmed inactive bounced" + confirmed + "]" + subscribed + "]",
	}
	if diff := cmp.Diff(want, to.stored(t, 3)); diff != "" {
		t.Errorf("the List 3: %s", diff)
	}
	if got := to.stored(t, 4); len(got) != 2 || !strings.HasPrefix(got[0], "1104 ") || !strings.Contains(got[1], "confirmed unsubscribed") {
		t.Errorf("the List 4 is %q", got)
	}
	wantProblems := []string{"list 4 status=archived", "subscriber 0 count=1",
		"message 10 status=scheduled", `message 10 headers=[{"X-A": "b"}]`, "message 10 html_content={{ .Nothing }}",
		"message 11 html_content={{ .Nothing }}", "message 20 from_email=none", "message 20 template_id=", "message 30 attachments=plan.pdf"}
	if diff := cmp.Diff(wantProblems, to.problems); diff != "" {
		t.Errorf("the problems: %s", diff)
	}
	to.checkMessages(t)
	to.changeListmonk(t, source, url)
}

// checkMessages checks the Messages for the campaigns and the template, and the Unsubscriber List.
func (to *target) checkMessages(t *testing.T) {
	t.Helper()
	var all, entries []string
	err := to.store.View(t.Context(), func(tx *db.Tx) error {
		heads, err := messages.Messages(tx, to.caller.Account.ID)
		if err != nil {
			return err
		}
		for _, head := range heads {
			m, err := messages.LoadMessage(tx, to.caller.Account.ID, head.ID)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%d %s|%s|%s|%s|%s|%s", m.ID, m.Name, m.EmailType, m.Subject, m.FromAddress, m.HTML, m.Text))
		}
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: to.caller.Account.ID}, func(u *contacts.Unsubscriber) error {
			entries = append(entries, fmt.Sprint(u.Address, " ", u.ListID, u.ContactID, u.Time))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantMessages := []string{
		"10 May|raw_html|Hi {{Name}}|club@example.com|<body><p>{{city}} $1</p><i>{{ .Nothing }}</i></body>|Text",
		"11 Template: Frame|raw_html|Frame||<body><!-- here is the content of the campaign --><i>{{ .Nothing }}</i></body>|",
		"20 June|markdown|June|||# {{unsubscribe_url}}",
		"30 July|plain|July|a@example.com||Plain {{Email}}",
	}
	if diff := cmp.Diff(wantMessages, all); diff != "" {
		t.Errorf("the Messages: %s", diff)
	}
	wantEntries := []string{fmt.Sprintf("bob@example.com 0 0 %d", feb2), fmt.Sprintf("dee@example.com 3 1403 %d", march2),
		fmt.Sprintf("fay@example.com 0 0 %d", april3)}
	if diff := cmp.Diff(wantEntries, entries); diff != "" {
		t.Errorf("the Unsubscriber List: %s", diff)
	}
}

// changeListmonk changes the source and moves two more times.
func (to *target) changeListmonk(t *testing.T, source *pgx.Conn, url string) {
	t.Helper()
	before := to.stored(t, 3)
	execute(t, source, `UPDATE subscriber_lists SET status = 'unsubscribed', updated_at = '2024-05-01Z' WHERE subscriber_id = 15;
		UPDATE subscribers SET updated_at = '2024-05-02Z' WHERE id = 12;
		UPDATE subscribers SET attribs = attribs || '{"shoe size": 42, "age": "about 40"}' WHERE id = 11;
		DELETE FROM subscribers WHERE id = 13;
		INSERT INTO subscriber_lists (subscriber_id, list_id) VALUES (17, 3)`)
	for range 2 {
		result := must(to.moveListmonk(t.Context(), url))(t)
		if !result.Lists[0].Equal() || result.StoredUnsubs != 4 {
			t.Errorf("after a change, the result is %+v", result)
		}
		got := to.stored(t, 3)
		want := []string{strings.Replace(strings.Replace(before[0], " age:decimal=36", "", 1), " confirmed", " shoe size:decimal=42 confirmed", 1),
			before[1], before[3], strings.NewReplacer("confirmed inactive bounced", "inactive bounced unsubscribed [unsubscribed 1714521600 ]").Replace(before[4]),
			"1703 Email:text=nowhere@example.com Name:text=No List First Name:text=No Last Name:text=List" + fmt.Sprintf(" [subscribed %d ]", march1)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after a change, the List 3: %s", diff)
		}
		if problems := strings.Join(to.problems, "\n"); !strings.Contains(problems, "contact 1103 age=about 40") {
			t.Errorf("the problems do not have the value that its Field refuses: %s", problems)
		}
	}
}

// A move from listmonk that is stopped continues, and loses and repeats nothing.
func TestAStoppedMoveFromListmonkContinues(t *testing.T) {
	source, url := newListmonk(t)
	execute(t, source, `INSERT INTO lists (id, name) VALUES (3, 'Club');
		INSERT INTO subscribers (email, name, attribs) SELECT 'p' || n || '@example.com', 'P', jsonb_build_object('n', n) FROM generate_series(1, 2500) n;
		INSERT INTO subscriber_lists (subscriber_id, list_id, status) SELECT id, 3, 'confirmed' FROM subscribers`)
	to := newTarget(t, dbtest.SQLite)
	more := 2 // lines until the next run is stopped
	if testing.Short() {
		more = 5
	}
	for stopAt := 1; ; stopAt += more {
		ctx, stop := context.WithCancel(t.Context())
		from := must(listmonk.Open(ctx, url, ""))(t)
		lines := 0
		m := &movein.Mover{Service: to.service, Caller: to.caller, From: from, Source: "listmonk", Problem: func(movein.Problem) {},
			Report: func(string) {
				lines++
				if lines == stopAt {
					stop()
				}
			}}
		result, err := m.Run(ctx)
		stop()
		from.Close()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err != nil {
			continue
		}
		if l := result.Lists[0]; !l.Equal() || l.Stored != 2500 {
			t.Errorf("the List is %+v", l)
		}
		if lines := to.stored(t, 3); len(lines) != 1000 || strings.Count(strings.Join(lines, ""), "[") != 2000 {
			t.Errorf("the first 1000 Contacts have other rows of the ledger than two each: %q", lines[:3])
		}
		return
	}
}

// The error for a database that cannot be read says what to do.
//
// covers: decision 97
func TestADatabaseThatIsNotListmonkIsRefused(t *testing.T) {
	source, url := newListmonk(t)
	opened := func(url, want string) {
		t.Helper()
		d, err := listmonk.Open(t.Context(), url, "")
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", url, err, want)
		}
	}
	opened(listmonk.Scheme+"://127.0.0.1:1/listmonk", "connect to listmonk's PostgreSQL server 127.0.0.1:1")
	opened(listmonk.Scheme+"://secret@127.0.0.1:x/listmonk", "is not valid: expected one like listmonk-postgres://USER@HOST")
	opened("https://example.com", "expected a URL like listmonk-postgres://")
	missing := must(neturl.Parse(url))(t)
	missing.Path = "/no_such_database"
	opened(missing.String(), `has no database "no_such_database"`)
	execute(t, source, "CREATE ROLE listmonk_reader LOGIN; GRANT SELECT ON settings, lists TO listmonk_reader")
	t.Cleanup(func() {
		source.Exec(context.Background(), "DROP OWNED BY listmonk_reader; DROP ROLE listmonk_reader")
	})
	reader := must(neturl.Parse(url))(t)
	query := reader.Query()
	query.Set("user", "listmonk_reader")
	reader.RawQuery = query.Encode()
	opened(reader.String(), `the role "listmonk_reader" has no right to read the table subscribers`)
	execute(t, source, "ALTER TABLE subscriber_lists DROP COLUMN meta")
	opened(url, "table subscriber_lists has no column meta (its schema is v6.2.0): upgrade listmonk")
	execute(t, source, "DROP TABLE bounces, campaign_media")
	execute(t, source, "ALTER TABLE subscriber_lists ADD COLUMN meta JSONB")
	opened(url, "has no table campaign_media: give the URL of the database of listmonk")
}
