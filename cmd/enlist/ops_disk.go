package main

import (
	"path/filepath"

	"enlist/internal/config"
	"enlist/internal/db/sqlite"

	"github.com/prometheus/client_golang/prometheus"
)

// The metrics of the disks, for the directories that the service writes to.

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
