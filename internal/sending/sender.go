package sending

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file sends the mails of Batches. A process has one BatchSender. It leases slices of
// recipients, and each of its workers takes a few recipients of a slice, marks them as being sent,
// hands their mails over and stores the results. sender_turns.go leases the slices, sender_results.go has the
// transactions for that, sender_slice.go the slices that this process has leased, and sender_tokens.go the limits of
// rates.
//
// Other mails go first: a worker needs a slot of a Limiter that notifications, confirmations and
// autoresponders use too, and waits while one of these is waiting.

const (
	// markedMails is the largest number of mails that one worker has marked as being sent. After a
	// crash, the outcome of these mails is unknown.
	markedMails = 16
	// lookInterval is the longest time between two looks for slices. A commit of any process wakes the sender (db.Looks),
	// and PrepareBatch at once the one of its process. A look reads two small tables.
	lookInterval = time.Minute
	// checkInterval is the time between two checks whether the Batches of the leased slices are
	// still sending. A pause takes effect after this time.
	checkInterval = 500 * time.Millisecond
	// renewInterval is the time between two renewals of leases. safeLease is the age of a renewal
	// at which a worker stops to hand mails over. The rest of the lease is for the mail that is
	// being handed over, and for clocks of several machines that differ.
	renewInterval = 30 * time.Second
	safeLease     = 60 * time.Second
	// failedPause is how long the sender waits after an error of the database.
	failedPause = 2 * time.Second
)

// BatchSender sends the mails of Batches. Call Start, and Stop before the database closes.
type BatchSender struct {
	service     *Service
	mailer      Mailer
	slots       *limiter.Limiter
	connections int
	log         *slog.Logger
	now         func() time.Time // the clock of the service: its times are stored
	wake        chan struct{}
	reads       *grouper[BatchPart, BatchProgress]
	reports     *grouper[BatchProgress, []BatchMail]
	held        heldSlices
	ready       readySlices
	deferred    deferredSlices // only the leasing goroutine uses it
	nextFree    atomic.Int64   // Unix time at which a slice may become free; 0: none is known
	asleep      atomic.Bool    // the leasing goroutine waits; for tests
	pace        paceMeter
	work        chan *heldSlice
	stop        context.CancelFunc // the workers hand no further mail over
	cut         context.CancelFunc // ends running
	running     context.Context    // ends when Stop cancels the hand-over of mails
	workers     sync.WaitGroup
}

// SenderOptions has the settings of the senders of mails, and the objects that they use.
type SenderOptions struct {
	Mailer      Mailer
	Slots       *limiter.Limiter // of NewSlots; nil: 16 slots
	Connections int              // to the mail server, which is the number of mails of Batches at the same time; the default is 8
	Log         *slog.Logger
	Now         func() time.Time // the clock of the Service; nil: time.Now
}

// Mailer composes and sends mails. Its methods return an *messages.Undelivered if a mail could not
// be sent. They return ErrSendingPaused if they did not try to send the mail.
type Mailer interface {
	// Notify sends a notification. The Message-ID is derived from id. If a caller sends the same
	// notification again, with the same id, the second mail has the same Message-ID.
	Notify(ctx context.Context, id string, n *messages.Notification) error
	// Send sends a mail to a Contact. It returns the subject with its merge fields filled.
	Send(ctx context.Context, m *messages.OutgoingMail) (subject string, err error)
}

// NewBatchSender returns a BatchSender. The caller calls its methods Start and Stop.
func (s *Service) NewBatchSender(o SenderOptions) *BatchSender {
	b := &BatchSender{service: s, mailer: o.Mailer, slots: o.Slots, log: o.Log,
		connections: cmp.Or(o.Connections, defaultMails/2),
		now:         o.Now, wake: make(chan struct{}, 1), work: make(chan *heldSlice),
		held:  heldSlices{added: make(chan struct{}, 1)},
		ready: readySlices{last: make(map[enlist.AccountID]enlist.BatchID)}}
	if b.now == nil {
		b.now = time.Now
	}
	b.reads = &grouper[BatchPart, BatchProgress]{run: s.BatchMails}
	b.reports = &grouper[BatchProgress, []BatchMail]{run: b.storeReports}
	b.running, b.cut = context.WithCancel(context.Background())
	return b
}

// Wake makes the sender look for slices now.
func (b *BatchSender) Wake() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// lookAfter makes the sender look for slices after a commit, and when the clock says that one is free: it may have been
// set forward.
func (b *BatchSender) lookAfter(changed bool) {
	if next := b.nextFree.Load(); changed || next != 0 && next <= b.now().Unix() {
		b.Wake()
	}
}

// Start starts the goroutines of the sender.
func (b *BatchSender) Start() {
	ctx, stop := context.WithCancel(b.running)
	b.stop = stop
	b.workers.Go(func() {
		defer b.service.db.Watch(b.lookAfter)()
		b.lease(ctx)
	})
	b.workers.Go(func() { b.check(ctx) })
	for range b.connections {
		b.workers.Go(func() { b.send(ctx) })
	}
}

// Stop hands no further mail over, and waits until the running mails are sent and their results
// stored. If ctx ends first, it cancels the running mails.
func (b *BatchSender) Stop(ctx context.Context) {
	b.stop()
	done := make(chan struct{})
	go func() {
		b.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		b.cut()
		<-done
	}
	b.cut()
}

// untilNext returns how long to wait for the next slice. at is a Unix time, or 0.
func (b *BatchSender) untilNext(at int64) time.Duration {
	b.nextFree.Store(at)
	if at == 0 {
		return lookInterval
	}
	return min(max(time.Unix(at, 0).Sub(b.now()), 50*time.Millisecond), lookInterval)
}

// finishIfDone releases a slice if its last recipients were reported.
func (b *BatchSender) finishIfDone(s *heldSlice) {
	if !s.finished() {
		return
	}
	b.held.remove(s)
	b.returnTokens(s)
	release := BatchProgress{Slice: s.leased, Release: true}
	if s.noServer { // no worker uses the slice any more
		release.Pause = int64(pausedWait / time.Second)
	} else if !s.again.IsZero() {
		release.Pause = pauseUntil(s.again, b.now())
	}
	b.advance(release)
	b.Wake() // the Batch may be completed, or the slice may be free again
}

// check regularly renews the leases, and abandons the slices whose Batches were paused or cancelled.
func (b *BatchSender) check(ctx context.Context) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		if b.held.empty() {
			select {
			case <-ctx.Done():
				return
			case <-b.held.added:
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		sending, err := b.service.sendingBatches(ctx)
		if err == nil {
			b.held.abandonUnless(sending)
			err = b.held.renew(ctx, b.service, b.instant())
		}
		if err != nil {
			b.report(ctx, "renew the leases of Batches", err)
		}
	}
}

// send is one worker. It hands mails over until ctx ends.
func (b *BatchSender) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-b.work:
			b.sendFrom(ctx, s)
			b.finishIfDone(s)
		}
	}
}

// sendFrom sends mails of a slice until all of its recipients are taken, or until another Account's turn. The
// transaction that marks the next mails also stores the results of the last ones, so no more than markedMails
// recipients are marked. A Batch that does not repeat mails in doubt marks one: then exactly the mails that are handed
// over are in doubt. decisions.md: 59
func (b *BatchSender) sendFrom(ctx context.Context, s *heldSlice) {
	var results []BatchResult // not stored yet
	taken := 0                // number of recipients that results are about
	most := markedMails
	if s.leased.Of.SkipsDoubtful {
		most = 1 // mails that were marked and never handed over would not be sent
	}
	for part := s.take(most); len(part) > 0; part = s.take(most) {
		progress, err := b.next(s, part)
		if err != nil {
			b.report(ctx, "read the mails of a Batch", err)
			s.abandon()
		}
		progress.Results = append(progress.Results, results...)
		began := b.instant()
		marked, ok := b.advance(progress)
		s.reported(taken)
		results, taken = nil, len(part)
		if !ok {
			s.abandon() // the Batch is not sending any more, the slice is taken, or the database failed
			s.notTried(part...)
			break
		}
		if len(progress.Mark) > 0 {
			s.wasRenewed(began)
		}
		results = b.handOverAll(ctx, s, marked)
		if b.ready.shared.Load() {
			break
		}
	}
	if len(results) > 0 {
		b.advance(BatchProgress{Slice: s.leased, Results: results})
	}
	s.reported(taken)
}

// next reads the mails of some recipients of a slice. Workers that wait meanwhile share the next transaction.
func (b *BatchSender) next(s *heldSlice, part []recipients.Recipient) (p BatchProgress, err error) {
	p, err = b.reads.do(b.running, BatchPart{Slice: s.leased, Recipients: part})
	p.Slice = s.leased // also after an error
	return p, err
}

// handOverAll sends mails and returns the outcomes that are known.
func (b *BatchSender) handOverAll(ctx context.Context, s *heldSlice, mails []BatchMail) []BatchResult {
	results := make([]BatchResult, 0, len(mails))
	for i := range mails {
		r := b.handOver(ctx, s, &mails[i])
		if r.NotTried {
			s.notTried(r.Recipient)
		}
		if !r.Unknown {
			results = append(results, r)
		}
	}
	return results
}

func (b *BatchSender) handOver(ctx context.Context, s *heldSlice, m *BatchMail) BatchResult {
	r := BatchResult{Recipient: m.Recipient, Address: m.Address, Unmeasured: m.Unmeasured()}
	r.NotTried = true
	if ctx.Err() != nil || !b.maySend(s) {
		return r
	}
	release, err := b.slots.AcquireSpare(ctx, b.connections)
	if err != nil {
		return r
	}
	defer release()
	if !b.maySend(s) {
		return r
	}
	_, err = b.mailer.Send(b.running, &m.OutgoingMail)
	r = b.result(s, r, err)
	for _, by := range []messages.Slower{messages.SlowerDomain, messages.SlowerRelay} {
		b.pace.count(b.service.slowedGroup(by, r.Address), b.now())
	}
	if r.Failed != nil && r.Failed.Slower != "" {
		b.slowDown(ctx, b.service.slowedGroup(r.Failed.Slower, r.Address))
	}
	return r
}

// maySend reports whether a mail of the slice may be handed over. If this process has lost its lock, another one may
// soon have the slice.
func (b *BatchSender) maySend(s *heldSlice) bool {
	if !db.MayWork(b.service.db, s.leased.Holder) {
		s.abandon()
	}
	return s.maySend(b.instant())
}

// advance stores progress, and returns the mails of p.Mark that are marked. It tries again
// until the database has stored the results, or until Stop gives up: without them the mails would
// be sent again. ok is false if the sender has to stop.
func (b *BatchSender) advance(p BatchProgress) (marked []BatchMail, ok bool) {
	marked, err := b.reports.do(b.running, p)
	if err != nil {
		b.report(context.Background(), "store the results of a Batch", err)
	}
	return marked, err == nil && (marked != nil || len(p.Mark) == 0)
}

// report logs an error, unless the process stops.
func (b *BatchSender) report(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		b.log.Warn("the sender of Batches cannot "+doing+"; it tries again", "error", err)
	}
}
