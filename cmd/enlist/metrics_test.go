package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// This test reads the metrics of the real program and compares them with the dashboard, the alerts and the manual.

// The metrics count what the service does. The dashboard and the alerts use only metrics that exist, and the manual
// explains each metric and each alert.
//
// covers: decision 104
func TestMetricsShowWhatTheServiceDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, metricsShowWhatTheServiceDoes)
}

func metricsShowWhatTheServiceDoes(t *testing.T, e dbtest.Engine) {
	server := mailtest.Start(t, mailtest.Options{})
	m := &scrape{t: t, crash: newCrash(t, e, server.URL())}
	m.serve()
	const contacts = 3
	message := m.crash.recipientsAt("example.com", contacts)
	must(m.crash.client.AddBatch(t.Context(), message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(t)
	must(m.crash.client.EditList(t.Context(), api.Details{"id": 1, "on_register_address": "owner@example.com"}))(t)
	must(m.crash.client.SubscribeContact(t.Context(), 1, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	m.until(`enlist_batch_mails outcome="sent"`, contacts)
	m.until(`enlist_mails_total outcome="sent"`, contacts+1)
	endpoint := strings.TrimSuffix(m.crash.url, "/api/jsonrpcserver") + "/bounces/postmark/" + secret
	must(http.Post(endpoint, "application/json", strings.NewReader(`{"RecordType":"Delivery"}`)))(t).Body.Close()
	relay := strings.TrimPrefix(server.URL(), "smtp://")
	want := map[string]float64{
		`enlist_ready`: 1, `enlist_figures_up`: 1, `enlist_calls_total method="subscribeContact" code="0"`: 1,
		`enlist_batches status="completed"`: 1, `enlist_mail_seconds relay="` + relay + `"`: contacts + 1, `enlist_commit_updates`: 5,
		`enlist_database_connections_max pool="searches"`: 8, `enlist_last_good_backup_timestamp_seconds`: 1,
		`enlist_disk_free_bytes disk="backups"`: 1, `enlist_provider_events_total provider="postmark" outcome="ignored"`: 1,
	}
	if e.Name == dbtest.Citus.Name {
		delete(want, `enlist_last_good_backup_timestamp_seconds`) // enlist makes no backup of a cluster
	}
	for name, least := range want {
		m.until(name, least)
	}
	m.compare(e.Name == "sqlite")
	m.checkedByPromtool()
}

// secret is the secret in the URL of the provider's events.
const secret = "secret-of-the-url-0123456789"

// scrape has the metrics of a running program.
type scrape struct {
	t        *testing.T
	crash    *crash
	url      string
	text     []byte
	families map[string]*dto.MetricFamily
}

var loggedMetrics = regexp.MustCompile(`http://[0-9.:]+/metrics`)

// serve starts the program with metrics, which crash.process does not serve.
func (m *scrape) serve() {
	cmd := exec.Command("enlist", "serve", "--db", m.crash.db, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
		"--smtp", m.crash.smtp, "--backup-dir", m.t.TempDir(),
		"--smtp-provider", "postmark")
	cmd.Env = append(cmd.Environ(), "ENLIST_BOOTSTRAP_KEY="+m.crash.key, "ENLIST_BOUNCE_SECRET="+secret)
	stdout := must(cmd.StdoutPipe())(m.t)
	stderr := must(cmd.StderrPipe())(m.t)
	must(0, cmd.Start())(m.t)
	m.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	logs := bufio.NewScanner(stderr)
	for m.url == "" && logs.Scan() {
		m.url = loggedMetrics.FindString(logs.Text())
	}
	go io.Copy(io.Discard, stderr) // ends with the program
	greeting := make([]byte, 4096)
	n, _ := stdout.Read(greeting)
	found := greetingURL.FindSubmatch(greeting[:n])
	if m.url == "" || found == nil {
		m.t.Fatalf("the program printed %q and logged no address of metrics", greeting[:n])
	}
	m.crash.url = string(found[1])
	m.crash.client = api.NewClient(m.crash.url, m.crash.key)
	m.t.Cleanup(m.crash.client.Close)
}

// read reads the metrics.
func (m *scrape) read() {
	m.t.Helper()
	reply := must(http.Get(m.url))(m.t)
	defer reply.Body.Close()
	m.text = must(io.ReadAll(reply.Body))(m.t)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	m.families = must(parser.TextToMetricFamilies(bytes.NewReader(m.text)))(m.t)
}

// value returns the value of the metric, or the number of observations of a histogram. name is the name of the metric
// and labels. With several series, value adds them.
func (m *scrape) value(name string) (sum float64) {
	words := strings.Fields(name)
	for _, series := range m.families[words[0]].GetMetric() {
		var labels []string
		for _, l := range series.GetLabel() {
			labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
		}
		if slices.ContainsFunc(words[1:], func(label string) bool { return !slices.Contains(labels, label) }) {
			continue
		}
		sum += series.GetGauge().GetValue() + series.GetCounter().GetValue() + float64(series.GetHistogram().GetSampleCount())
	}
	return sum
}

// until reads the metrics until one of them has at least a value.
func (m *scrape) until(name string, least float64) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	again := time.NewTicker(250 * time.Millisecond) // a scrape costs more than the work that it waits for
	defer again.Stop()
	for m.read(); m.value(name) < least; m.read() {
		select {
		case <-again.C:
		case <-ctx.Done():
			m.t.Fatalf("%s is %g, want at least %g, in\n%s", name, m.value(name), least, m.text)
		}
	}
}

var (
	metricName = regexp.MustCompile(`\b(?:enlist|process)_[a-z0-9_]+`)
	alertName  = regexp.MustCompile(`alert: (\w+)`)
	// onlySQLite are the metrics that PostgreSQL does not have.
	onlySQLite = []string{"enlist_wal_bytes", "enlist_write_queue", "enlist_broken_off_total"}
)

// compare compares the metrics with the dashboard, the alerts and the manual.
func (m *scrape) compare(isSQLite bool) {
	m.t.Helper()
	manual := string(must(os.ReadFile("../../doc/monitoring.md"))(m.t))
	exists := func(name string) bool {
		if _, ok := m.families[name]; ok {
			return true
		}
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			base, cut := strings.CutSuffix(name, part)
			if cut && m.families[base].GetType() == dto.MetricType_HISTOGRAM {
				return true
			}
		}
		return !isSQLite && slices.Contains(onlySQLite, name)
	}
	for file, text := range map[string]string{
		"grafana.json": string(must(os.ReadFile("../../deploy/grafana.json"))(m.t)),
		"alerts.yml":   string(must(os.ReadFile("../../deploy/alerts.yml"))(m.t)), "monitoring.md": manual,
	} {
		names := metricName.FindAllString(text, -1)
		if len(names) < 10 {
			m.t.Errorf("%s names %d metrics, want at least 10", file, len(names))
		}
		for _, name := range names {
			if !exists(name) && strings.TrimRight(name, "_") == name {
				m.t.Errorf("%s has the metric %s, which the program does not have", file, name)
			}
		}
		for _, alert := range alertName.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(manual, "`"+alert[1]+"`") {
				m.t.Errorf("doc/monitoring.md does not say what to do for the alert %s", alert[1])
			}
		}
	}
	for name := range m.families {
		if strings.HasPrefix(name, "enlist_") && !strings.Contains(manual, "`"+name+"`") && !strings.Contains(manual, "`"+name+"{") {
			m.t.Errorf("doc/monitoring.md does not explain the metric %s", name)
		}
	}
}

// checkedByPromtool checks the metrics with the tool of Prometheus.
func (m *scrape) checkedByPromtool() {
	m.t.Run("promtool", func(t *testing.T) { promtool(t, m.text, "check", "metrics") })
}

// The alerts are valid, and each is raised by the values that it is for and not by those of a good service.
func TestAlertsAreRaisedOnlyByFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	t.Parallel()
	promtool(t, nil, "check", "rules", "../../deploy/alerts.yml")
	promtool(t, nil, "test", "rules", "../../deploy/alerts_test.yml")
}

// promtool runs the tool of Prometheus, which must find no error.
func promtool(t *testing.T, input []byte, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed: install the Debian package prometheus")
	}
	check := exec.Command("promtool", args...)
	check.Stdin = bytes.NewReader(input)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Figures that are younger than figuresFresh are returned again, and a database that does not answer costs a scrape no
// more than figuresTime. Then the metrics say that there are no figures.
//
// covers: decision 104
func TestAScrapeReadsFiguresSeldomAndNeverWaitsLong(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	reads, now, hangs := 0, time.Unix(1000, 0), false
	c := &figuresCollector{now: func() time.Time { return now }, ready: func(context.Context) error { return nil },
		read: func(ctx context.Context) (*app.Figures, error) {
			reads++
			if hangs {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return new(app.Figures), nil
		}}
	for _, step := range []struct {
		after     time.Duration
		hangs, up bool
		reads     int
	}{
		{0, false, true, 1}, {figuresFresh - 1, false, true, 1}, {1, false, true, 2}, {figuresFresh, true, false, 3}, {1, true, false, 3},
	} {
		now, hangs = now.Add(step.after), step.hangs
		figures, ready := c.fresh()
		if (figures != nil) != step.up || !ready || reads != step.reads {
			t.Errorf("%+v: figures %v, ready %t after %d reads", step, figures, ready, reads)
		}
	}
	c.ready, now = func(context.Context) error { return errors.New("no") }, now.Add(figuresFresh)
	if figures, ready := c.fresh(); figures != nil || ready || reads != 3 {
		t.Errorf("a database that is not ready gives figures %v, ready %t, after %d reads", figures, ready, reads)
	}
}
