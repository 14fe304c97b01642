package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/config"
	"enlist/internal/db/sqlite"
	"enlist/internal/imports"

	"github.com/prometheus/client_golang/prometheus"
)

// The metrics that are read from the database, and whether the service is ready, and those of the disks that the service
// writes to. They are read when Prometheus asks for them, so they cost nothing without Prometheus.

const (
	figuresTime  = 2 * time.Second // longest time to read the figures, and to check whether the service is ready
	figuresFresh = 5 * time.Second // figures that are younger are returned again
)

// figuresCollector is a prometheus.Collector.
type figuresCollector struct {
	read  func(context.Context) (*app.Figures, error)
	ready func(context.Context) error
	now   func() time.Time

	mu      sync.Mutex   // serialises the reads
	at      time.Time    // when figures were read
	figures *app.Figures // nil: they could not be read
	isReady bool
}

// figureDesc returns a description.
func figureDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("enlist_"+name, help, labels, nil)
}

// The metrics of figuresCollector.
var (
	descReady   = figureDesc("ready", "1: the service is ready, as /readyz says it.")
	descFigures = figureDesc("figures_up", "1: the figures of the database could be read.")
	descJobs    = figureDesc("jobs", "Jobs in the queue; of each kind and state, 10,000 at most are counted.", "kind",
		"state")
	descOldest  = figureDesc("oldest_job_seconds", "How long the oldest job has been due; 0: none is due.", "kind")
	descHeld    = figureDesc("mail_held", "1: the operator or a restore holds all mails.")
	descBatches = figureDesc("batches", "Batches by status, of the newest 1,000.", "status")
	descMails   = figureDesc("batch_mails", "Mails of those of the newest 1,000 Batches that sent mails in the last 7 days.", "outcome")
	descImports = figureDesc("imports", "Imports by state, of the newest 1,000.", "state")
	descRows    = figureDesc("import_rows", "Rows of those of the newest 1,000 Imports that began in the last 7 days.",
		"outcome")
	descWebhooks = figureDesc("oldest_webhook_event_seconds",
		"How long the oldest event waits for a webhook that is not failing; 0: none waits.")
	descFailing = figureDesc("failing_webhook_targets", "Targets of webhooks that the service has stopped posting to.")
)

// newFiguresCollector returns the collector. kinds are the kinds of jobs.
func newFiguresCollector(service *app.App, ready func(context.Context) error, kinds []string) *figuresCollector {
	return &figuresCollector{ready: ready, now: time.Now,
		read: func(ctx context.Context) (*app.Figures, error) { return service.Figures(ctx, kinds) }}
}

// Describe implements prometheus.Collector.
func (c *figuresCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descReady, descFigures, descJobs, descOldest, descHeld, descBatches, descMails,
		descImports, descRows, descWebhooks, descFailing} {
		to <- d
	}
}

// Collect implements prometheus.Collector. Without the database it returns only descReady and descFigures.
func (c *figuresCollector) Collect(to chan<- prometheus.Metric) {
	f, ready := c.fresh()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(descReady, oneIf(ready))
	gauge(descFigures, oneIf(f != nil))
	if f == nil {
		return
	}
	oldest := make(map[string]int64)
	for _, j := range f.Jobs {
		gauge(descJobs, float64(j.Count), j.Kind, j.State)
		oldest[j.Kind] = max(oldest[j.Kind], age(j.Due, f.ReadTime))
	}
	for kind, seconds := range oldest {
		gauge(descOldest, float64(seconds), kind)
	}
	gauge(descHeld, oneIf(f.Held))
	for _, status := range []batches.BatchStatus{batches.BatchInitialising, batches.BatchPending, batches.BatchSending,
		batches.BatchPaused, batches.BatchCompleted, batches.BatchFailed, batches.BatchCancelled,
		batches.BatchDeleted} {
		gauge(descBatches, float64(f.Batches[status]), string(status))
	}
	for outcome, n := range f.Mails {
		gauge(descMails, float64(n), outcome)
	}
	for _, state := range []imports.ImportState{imports.ImportUploading, imports.ImportWaiting, imports.ImportRunning,
		imports.ImportPaused, imports.ImportDone, imports.ImportCancelled, imports.ImportFailed} {
		gauge(descImports, float64(f.Imports[state]), string(state))
	}
	for outcome, n := range f.Rows {
		gauge(descRows, float64(n), string(outcome))
	}
	gauge(descWebhooks, float64(age(f.Event, f.ReadTime)))
	gauge(descFailing, float64(f.Failing))
}

// fresh returns figures that are at most figuresFresh old. They are nil if the database did not answer in time.
func (c *figuresCollector) fresh() (*app.Figures, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && c.now().Sub(c.at) < figuresFresh {
		return c.figures, c.isReady
	}
	ctx, cancel := context.WithTimeout(context.Background(), figuresTime)
	defer cancel()
	c.figures, c.isReady = nil, c.ready(ctx) == nil
	if c.isReady {
		figures, err := c.read(ctx)
		if err == nil {
			c.figures = figures
		}
	}
	c.at = c.now()
	return c.figures, c.isReady
}

// age returns the seconds since a Unix time; 0 if the time is 0 or later than now.
func age(at, now int64) int64 {
	if at == 0 {
		return 0
	}
	return max(now-at, 0)
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// diskMetrics returns the metrics of the disks of SQLite's file and of the backups.
func diskMetrics(c config.Serve) (all []prometheus.Collector) {
	add := func(name, path string) {
		if _, _, known := sqlite.DiskSpace(path); !known {
			return // the system cannot tell
		}
		labels := prometheus.Labels{"disk": name}
		all = append(all,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_disk_free_bytes",
				Help: "Free bytes of the disk with the database or the backups.", ConstLabels: labels,
			}, func() float64 { free, _, _ := sqlite.DiskSpace(path); return float64(free) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_disk_bytes",
				Help: "Size of the disk with the database or the backups.", ConstLabels: labels,
			}, func() float64 { _, size, _ := sqlite.DiskSpace(path); return float64(size) }))
	}
	if !c.IsPostgres() {
		add("database", filepath.Dir(c.DB))
	}
	if c.MakesBackups() {
		add("backups", c.BackupDir)
	}
	return all
}
