package imports

import (
	"context"
	"errors"
	"sync"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports/sheet"
	"enlist/internal/lists"
)

// This file runs an Import, step by step. The process that runs it has a lease, which each step renews. If the process
// dies, another process sees that (db.Presence), or the lease ends, and that process continues after the last step.

const (
	// importLease is the time in seconds for which a process may run an Import without a step.
	importLease = 60
	// resultsTime is the time in seconds for which the results of rows are kept after the end of an Import.
	resultsTime = 7 * 24 * 60 * 60
)

// ErrImportRuns is the error of RunImport while another process runs the Import.
var ErrImportRuns = errors.New("another process runs the import")

// errStopped ends the steps of an Import that was paused or cancelled, or that another process runs.
var errStopped = errors.New("the import was stopped")

// RunImport stores the rows of an Import until it has ended or was paused. It returns nil also if the Import has ended
// before or is paused. Its error is ErrImportRuns while another process runs the Import, and ErrNoMemory while other
// workbooks have the memory. After any other error, such as an outage of the database, a later call continues. A file
// that cannot be read ends the Import as failed.
func (s *Service) RunImport(ctx context.Context, id enlist.ImportID) error {
	r := &importRun{service: s, id: id, owner: db.NewHolder(ctx, s.db), seen: newAddressSet()}
	gone, err := r.gone(ctx)
	if err != nil {
		return err
	}
	i, err := r.claim(ctx, gone)
	if err != nil || i == nil {
		return err
	}
	r.dryRun = i.Options.DryRun
	ctx = enlist.WithAccount(ctx, i.AccountID)
	reader := s.contentOf(ctx, i)
	file, err := s.open(reader, i.Size, &i.Options)
	switch {
	case errors.Is(err, ErrNoMemory):
		return errors.Join(err, r.release(ctx))
	case err != nil && reader.err == nil:
		return r.fail(ctx, err)
	case err != nil:
		return err
	}
	err = ignoreStopped(r.steps(ctx, i, reader, file))
	if err != nil {
		err = errors.Join(err, r.release(context.WithoutCancel(ctx)))
	}
	return errors.Join(err, file.Close())
}

// gone returns the owner of the Import if its process has died, or "". Unlike a sender of mails it need not wait for
// db.StopTime: each step confirms its owner in its transaction.
func (r *importRun) gone(ctx context.Context) (owner string, err error) {
	i, err := db.OwnView(ctx, r.service.db, func(tx *db.Tx) (*Import, error) { return importByID(tx, r.id) })
	if err != nil || i.State != ImportRunning {
		return "", ignoreNoImport(err)
	}
	if gone, err := db.HolderIsGone(ctx, r.service.db, i.Owner); err != nil || !gone {
		return "", err
	}
	return i.Owner, nil
}

func ignoreNoImport(err error) error {
	if errors.Is(err, ErrNoImport) {
		return nil
	}
	return err
}

// release gives the lease back, so that another process can continue at once.
func (r *importRun) release(ctx context.Context) error {
	return ignoreStopped(r.service.db.Update(ctx, func(tx *db.Tx) error {
		i, err := r.lock(tx, 0)
		if err != nil {
			return err
		}
		i.State, i.Owner, i.LeaseUntil = ImportWaiting, "", 0
		return i.save(tx)
	}))
}

// importRun is one run of an Import by this process.
type importRun struct {
	service *Service
	id      enlist.ImportID
	owner   string
	dryRun  bool
	seen    *addressSet // of a dry run
	results resultPacker
}

// claim takes the lease of the Import, also from the owner gone. It returns nil if nothing is left to do. A dry run that
// was interrupted starts again, because it does not store which addresses it has seen.
func (r *importRun) claim(ctx context.Context, gone string) (*Import, error) {
	return db.OwnUpdate(ctx, r.service.db, func(tx *db.Tx, now int64) (*Import, error) {
		i, err := lockImport(tx, r.id)
		if errors.Is(err, ErrNoImport) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		switch {
		case i.LeaseUntil > now && i.State == ImportUploading,
			i.LeaseUntil > now && i.State == ImportRunning && i.Owner != gone:
			return nil, ErrImportRuns
		case i.State == ImportUploading:
			return nil, i.end(tx, ImportFailed, "the upload did not end", now)
		case i.HasKeptFile() && now >= i.EndTime+keptTime:
			return nil, i.releaseKept(tx, now)
		case i.State != ImportWaiting && i.State != ImportRunning:
			return nil, nil
		}
		if i.Options.DryRun && i.Rows > 0 {
			i.Rows, i.ImportCounts, i.Speed = 0, ImportCounts{}, Speed{}
			i.Report.restart()
			if _, err := deleteImportResults(tx, i.ID, maxDryRunSteps); err != nil {
				return nil, err
			}
		}
		if i.StartTime == 0 {
			i.StartTime = now
		}
		i.State, i.Owner, i.LeaseUntil, i.Reason = ImportRunning, r.owner, now+importLease, ""
		return i, i.save(tx)
	})
}

// maxDryRunSteps is more than the number of steps of any dry run.
const maxDryRunSteps = 1 << 30

// fail ends the Import because its file cannot be read.
func (r *importRun) fail(ctx context.Context, reason error) error {
	return r.service.db.Update(ctx, func(tx *db.Tx) error {
		now := r.service.db.Now().Unix()
		i, err := r.lock(tx, now)
		if err != nil {
			return ignoreStopped(err)
		}
		return i.end(tx, ImportFailed, reason.Error(), now)
	})
}

func ignoreStopped(err error) error {
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// lock returns the Import with its lease renewed. Its error is errStopped if this run must not go on.
func (r *importRun) lock(tx *db.Tx, now int64) (*Import, error) {
	i, err := lockImport(tx, r.id)
	if err != nil {
		return nil, err
	}
	if i.State != ImportRunning || i.Owner != r.owner {
		return nil, errStopped
	}
	i.LeaseUntil = now + importLease
	return i, nil
}

// steps stores the rows. While one step commits, a second goroutine reads the rows of the next step.
func (r *importRun) steps(ctx context.Context, i *Import, content *contentReader, file *sheet.Reader) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	chunks := make(chan *importChunk, 1)
	var reading sync.WaitGroup
	var readErr error
	reading.Go(func() {
		defer close(chunks)
		readErr = r.read(ctx, i, content, file, chunks)
	})
	defer func() {
		cancel()
		reading.Wait()
		if err == nil {
			err = readErr
		}
	}()
	for chunk := range chunks {
		if err := r.step(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// step stores the rows of a chunk in one transaction. A dry run reads in a View, so that other callers can write
// meanwhile.
func (r *importRun) step(ctx context.Context, chunk *importChunk) error {
	var decided, dryRun *importTx
	var err error
	if r.dryRun {
		dryRun, err = r.decideDry(ctx, chunk)
		if err != nil {
			return err
		}
	}
	err = r.service.db.Update(ctx, func(tx *db.Tx) error {
		now := r.service.db.Now().Unix()
		i, err := r.lock(tx, now)
		if err != nil {
			return err
		}
		decided = dryRun
		if decided == nil {
			decided, err = r.decide(tx, i, chunk, now)
			if err != nil {
				if enlist.KindOf(err) == enlist.NoList {
					return i.end(tx, ImportFailed, err.Error(), now)
				}
				return err
			}
		}
		return r.finish(tx, i, decided, chunk, now)
	})
	if err == nil && dryRun != nil {
		for _, d := range dryRun.all {
			if d.outcome == RowAdded {
				r.seen.add(d.row.parsed.Key)
			}
		}
	}
	return err
}

// decideDry decides about the rows of a dry run.
func (r *importRun) decideDry(ctx context.Context, chunk *importChunk) (decided *importTx, err error) {
	return db.OwnView(ctx, r.service.db, func(tx *db.Tx) (*importTx, error) {
		i, err := importByID(tx, r.id)
		if err != nil {
			return nil, err
		}
		return r.decide(tx, i, chunk, r.service.db.Now().Unix())
	})
}

// decide stores the rows of a chunk or, in a dry run, decides what would become of them.
func (r *importRun) decide(tx *db.Tx, i *Import, chunk *importChunk, now int64) (*importTx, error) {
	schema, err := lists.Schema(tx, i.ListID)
	if err != nil {
		return nil, err
	}
	account, err := accounts.ByID(tx, i.AccountID)
	if err != nil {
		return nil, err
	}
	parser := newRowParser(i, schema, dayOf(schema, now))
	for n := range chunk.rows {
		if row := &chunk.rows[n]; !row.isCurrent(parser) {
			parser.parse(row)
		}
	}
	if !i.Options.DryRun {
		if err := tx.LockListForBulk(i.ListID); err != nil {
			return nil, err
		}
	}
	s := &importTx{tx: tx, i: i, schema: schema, now: now, seen: r.seen,
		caller: &enlist.Caller{Account: account, Key: &enlist.Key{ID: i.CreatorKeyID}}}
	if i.Options.As != AsContacts {
		return s, s.storeOthers(chunk.rows)
	}
	return s, s.store(chunk.rows)
}

// finish stores the results of a step, and that its rows are done.
func (r *importRun) finish(tx *db.Tx, i *Import, decided *importTx, chunk *importChunk, now int64) error {
	i.Published = decided.i.Published
	results := resultsOf(decided.all, maxRefusals-i.Refused)
	for _, d := range decided.all {
		i.count(d.outcome)
	}
	i.Report.count(i, decided.schema, decided.all)
	if len(results) > 0 {
		data, err := r.results.pack(results)
		if err != nil {
			return err
		}
		if err := addImportResults(tx, i.ID, i.Rows, data); err != nil {
			return err
		}
	}
	i.Speed.add(now-i.StartTime, chunk.upto-i.Rows)
	i.Rows, i.Bytes = chunk.upto, chunk.bytes
	switch {
	case i.Refused >= maxRefusals && i.Refused == i.Total():
		return i.end(tx, ImportFailed, reasonAllRefused, now)
	case chunk.failed != nil:
		return i.end(tx, ImportFailed, chunk.failed.Error(), now)
	case chunk.last:
		return i.end(tx, ImportDone, "", now)
	}
	return i.save(tx)
}

// end ends an Import and removes its file, unless keepsFile. The results of its rows stay for resultsTime.
func (i *Import) end(tx *db.Tx, state ImportState, reason string, now int64) error {
	i.State, i.Reason, i.EndTime, i.Owner, i.LeaseUntil = state, reason, now, "", 0
	if i.keepsFile(state) {
		return errors.Join(i.save(tx), tx.Enqueue(RemoveImportResults{Import: i.ID, Due: now + resultsTime}),
			tx.Enqueue(RunImport{Import: i.ID, Account: i.AccountID, Due: now + keptTime})) // claim removes the file
	}
	content := i.Content
	i.Content = 0
	if err := i.save(tx); err != nil {
		return err
	}
	if content == 0 {
		return tx.Enqueue(RemoveImportResults{Import: i.ID, Due: now + resultsTime})
	}
	// No link leads to the file of an Import, so its content is removed at once.
	return errors.Join(files.SetContentSize(tx, content, 0), tx.Enqueue(files.RemoveContent{Content: content, Due: now}),
		tx.Enqueue(RemoveImportResults{Import: i.ID, Due: now + resultsTime}))
}
