package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/search/advisor"
)

// enlist index: lists, creates and drops search indexes. The service builds and drops indexes by itself. These commands
// show the indexes and override the decisions of the service. decisions.md: 56

type indexCommand struct {
	List   indexList   `cmd:"" help:"List the search indexes."`
	Create indexCreate `cmd:"" help:"Build an index now. The service does not drop it."`
	Drop   indexDrop   `cmd:"" help:"Drop indexes. The service builds an index again if searches need it."`
}

type indexList struct {
	reporting
}

func (c *indexList) Run(ctx context.Context, out *console, _ *app.App, indexes *advisor.Advisor) error {
	found, err := indexes.Reports(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.list(out.stdout, records(found, indexRecord))
	}
	return c.list(out.stdout, records(found, indexLine),
		"id", "list", "key", "state", "size", "contacts", "last use", "built in", "why")
}

// indexRecord returns an index for --json. Other programs read the JSON, so the keys must not change.
func indexRecord(r *advisor.Report) record {
	return record{{"id", r.ID}, {"list_id", r.ListID}, {"key", r.Key}, {"name", r.KeyName}, {"state", stateOf(r)},
		{"by_hand", r.Manual}, {"bytes", r.Bytes}, {"contacts", r.Contacts}, {"creation_time", r.Created},
		{"built_time", r.Built}, {"build_ms", r.BuildMS}, {"last_used_time", r.LastUsed}, {"error", r.Error}}
}

// indexLine returns an index as a line of the table.
func indexLine(r *advisor.Report) record {
	key := r.Key
	if r.KeyName != "" && r.KeyName != r.Key {
		key += " (" + r.KeyName + ")"
	}
	state := stateOf(r)
	if r.Manual && !r.Missing {
		state += ", by hand"
	}
	return record{{"id", r.ID}, {"list", r.ListID}, {"key", key}, {"state", state}, {"size", sizeShown(r.Bytes)},
		{"contacts", r.Contacts}, {"last use", formatTime(time.DateTime, r.LastUsed, "–")},
		{"built in", milliseconds(r.BuildMS)}, {"why", r.Error}}
}

// stateOf returns the recorded state of an index. It returns "missing" if the record says ready but the database has
// no valid index.
func stateOf(r *advisor.Report) string {
	if r.Missing {
		return "missing"
	}
	return string(r.State)
}

// milliseconds returns n milliseconds as a Duration, which is printed as 1.5s, for example.
func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// sizeShown formats a number of bytes for a table.
func sizeShown(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

type indexCreate struct {
	reporting
	List int64  `required:"" placeholder:"ID" help:"ID of the List whose Contacts are searched."`
	Key  string `required:"" placeholder:"NAME" help:"Name or ID (field_12) of a Field, or a system key such as is_unsubscribed."`
	// The index for parts is another index of the same key.
	Parts bool `help:"Build the index that contains and ends_with use (only on PostgreSQL with pg_trgm)."`
}

// Run builds the index and waits for it.
func (c *indexCreate) Run(ctx context.Context, out *console, s *app.App, indexes *advisor.Advisor) error {
	x, err := indexes.Create(ctx, enlist.ListID(c.List), c.Key, c.Parts)
	switch {
	case errors.Is(err, enlist.ErrIndexBusy):
		return next(err, "enlist index list shows whether the index is ready")
	case enlist.KindOf(err) == enlist.NoList:
		return next(err, "enlist list show prints the Lists")
	case err != nil:
		return err
	case x.State != enlist.IndexReady:
		return fmt.Errorf("the index was not built: %s", x.Error)
	}
	if err := s.Accounts.RecordAct(ctx, "Index", map[string]any{"id": int64(x.ID), "list_id": c.List,
		"key": c.Key}); err != nil {
		return err
	}
	return c.one(out.stdout, indexRecord(x), "built index %d in %s, %s", x.ID, milliseconds(x.BuildMS),
		sizeShown(x.Bytes))
}

type indexDrop struct {
	config.Database
	IDs []int64 `arg:"" name:"id" help:"IDs of indexes, as enlist index list shows them."`
}

// Run drops the indexes. Searches stop using an index before it is dropped.
func (c *indexDrop) Run(ctx context.Context, out *console, s *app.App, indexes *advisor.Advisor) error {
	for _, id := range c.IDs {
		err := indexes.Remove(ctx, enlist.SearchIndexID(id))
		switch {
		case errors.Is(err, enlist.ErrIndexBusy): // a running service may already be dropping the index
			fmt.Fprintf(out.stdout, "index %d: searches no longer use it. Another process is building or "+
				"dropping it. After that, the service drops it if it still exists\n", id)
		case err != nil:
			return fmt.Errorf("index %d: %w", id, err)
		default:
			fmt.Fprintf(out.stdout, "dropped index %d\n", id)
		}
		if err := s.Accounts.RecordAct(ctx, "Index", map[string]any{"dropped": id}); err != nil {
			return err
		}
	}
	return nil
}
