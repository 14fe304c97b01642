package backup

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"enlist/internal/config"
	"enlist/internal/db"

	"filippo.io/age"
	"github.com/prometheus/client_golang/prometheus"
)

// This file makes backups regularly, while the server runs.

// Scheduler makes backups in a folder and removes old ones. Several processes may have a Scheduler for one database:
// each backup is made by one of them.
type Scheduler struct {
	DB         *db.DB
	From       config.Database
	Dir        string
	Every      time.Duration
	Keep       Keep
	Recipients []age.Recipient
	Log        *slog.Logger

	last   atomic.Int64 // Unix time of the last good backup of all processes
	failed atomic.Int64 // failures of this process
}

// lookEvery is the time between two looks whether a backup is due.
const lookEvery = time.Minute

// Run makes backups until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		if err := s.RunDue(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.failed.Add(1)
			s.Log.Error("a scheduled backup failed; it is tried again", "error", err, "folder", s.Dir)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// RunDue makes a backup if one is due and no other process makes it, and then removes old backups.
func (s *Scheduler) RunDue(ctx context.Context, now time.Time) error {
	claimed, err := claim(ctx, s.DB, s.Every)
	if err == nil && claimed != 0 {
		err = s.backUp(ctx, claimed, now)
	}
	if b, lastErr := Last(ctx, s.DB); lastErr == nil && b != nil {
		s.last.Store(b.Time)
	}
	return err
}

func (s *Scheduler) backUp(ctx context.Context, claimed int64, now time.Time) error {
	name := now.UTC().Format(nameTime)
	if len(s.Recipients) > 0 {
		name += ".age"
	}
	if err := removeAbandoned(s.Dir, now, isTemp); err != nil {
		s.Log.Warn("incomplete backups of killed processes were not removed", "error", err)
	}
	r, err := Write(ctx, Job{From: s.From, To: filepath.Join(s.Dir, name), Recipients: s.Recipients})
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	// The result is stored also if the process stops. Otherwise the next backup would wait for the end of the lease.
	stored := finish(context.WithoutCancel(ctx), s.DB, claimed, r.Time, name, failure)
	if err != nil {
		return err
	}
	for _, problem := range r.Problems {
		s.Log.Warn("the database and its backup have a problem", "problem", problem)
	}
	s.Log.Info("backed up and checked", "file", filepath.Join(s.Dir, name), "bytes", r.Bytes)
	if stored != nil {
		return stored
	}
	return s.Keep.rotate(s.Dir, now)
}

// Metrics returns the metrics of the backups.
func (s *Scheduler) Metrics() []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "enlist_last_good_backup_timestamp_seconds",
			Help: "When the last good backup began, as a Unix time; 0: there is none.",
		}, func() float64 { return float64(s.last.Load()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "enlist_failed_backups_total", Help: "Scheduled backups of this process that failed.",
		}, func() float64 { return float64(s.failed.Load()) }),
	}
}
