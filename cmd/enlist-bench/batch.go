package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"enlist/api"
)

// This file is the part "batch": a Batch to all Contacts of a List. It measures the time to store the recipients, the
// rate of the mails, and what the Batch costs the callers of subscribeContact. The comparison for the rate is the floor.

// batching measures Batches.
func (b *bench) batching() error {
	return b.onEngines("batch.db", func(db string) error {
		in, err := b.makeMailingList(db, b.Contacts)
		if err != nil {
			return err
		}
		return b.measureBatch(in)
	})
}

// runningBatch is a Batch that a server sends to a mail server of this process.
type runningBatch struct {
	*bench
	in     *mailingList
	server *process
	to     *sink
	batch  int64
}

func (b *bench) measureBatch(in *mailingList) error {
	to, server, err := b.serveWithSink(in.db)
	if err != nil {
		return err
	}
	defer to.close()
	defer server.stop()
	r := &runningBatch{bench: b, in: in, server: server, to: to}
	for _, step := range []func() error{r.populate, r.send, r.subscribe} {
		if err := step(); err != nil {
			return err
		}
	}
	if int(to.taken.Load()) >= b.Contacts {
		return fmt.Errorf("the Batch ended during the measurement: use more --contacts, a shorter --duration or fewer --rounds")
	}
	return nil
}

// populate adds the Batch and waits until its recipients are stored. The mail server is paused.
func (r *runningBatch) populate() error {
	client := api.NewClient("http://"+r.server.addr, apiKey)
	defer client.Close()
	began := time.Now()
	to := []api.Population{{ListID: int64(r.in.list)}}
	id, err := client.AddBatch(r.ctx, int64(r.in.message), to, 0, false, api.BatchOptions{})
	for err == nil {
		var batch *api.Batch
		batch, err = client.GetBatchByID(r.ctx, id)
		if err == nil && batch.IsPopulated {
			r.batch = batch.ID
			r.add(figure{fmt.Sprintf("%s: time until %d recipients are stored", engine(r.in.db),
				batch.SendContactCount),
				fmt.Sprintf("%.1f s", time.Since(began).Seconds()), 0})
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// send measures the mails of the Batch, alternately with those of the floor.
func (r *runningBatch) send() error {
	to, err := newSink()
	if err != nil {
		return err
	}
	defer to.close()
	to.resume()
	database, err := r.floorDatabase(r.in.db)
	if err != nil {
		return err
	}
	floor, err := openFloor(r.ctx, database)
	if err != nil {
		return err
	}
	defer close(floor.queue)
	if _, err := r.whileSending(r.wait); err != nil { // the first mails fill caches, and one is the floor's
		return err
	}
	mail := r.to.first.Load()
	if mail == nil || !recipientAddress.Match(*mail) {
		return errors.New("no mail with the address of its recipient arrived")
	}
	title := fmt.Sprintf("%s: mails of a Batch, %s connections, %d bytes", engine(r.in.db), mailConnections, len(*mail))
	sender := &floorSender{floor: floor, to: to, mail: *mail}
	ratio, o, err := r.alternate(title, func() (outcome, error) { return r.whileSending(r.wait) },
		func() (outcome, error) { return sender.run(r.Duration) })
	if err != nil {
		return err
	}
	r.add(figure{title + "; ratio to the floor", perSecond(o), ratio})
	return nil
}

// wait waits for the duration of a load.
func (r *runningBatch) wait() error {
	select {
	case <-time.After(r.Duration):
	case <-r.ctx.Done():
	}
	return context.Cause(r.ctx)
}

// whileSending calls do while the mail server accepts mails, and returns the number of mails.
func (r *runningBatch) whileSending(do func() error) (o outcome, err error) {
	before, began := r.to.taken.Load(), time.Now()
	r.to.resume()
	err = do()
	o.calls, o.elapsed = int(r.to.taken.Load()-before), time.Since(began)
	r.to.pause()
	return o, err
}

// subscribe measures subscribeContact over 16 connections while the Batch runs, and while the mail server is paused.
func (r *runningBatch) subscribe() error {
	during := r.subscriptions(r.server, r.in.list, 16)
	alone := r.subscriptions(r.server, r.in.list, 16)
	title := engine(r.in.db) + ": subscribeContact, 16 connections, while a Batch runs"
	ratio, o, err := r.alternate(title, func() (o outcome, err error) {
		_, err = r.whileSending(func() error { o, err = during.run(r.ctx); return err })
		return o, err
	}, func() (outcome, error) { return alone.run(r.ctx) })
	if err != nil {
		return err
	}
	r.add(figure{title + "; ratio to the same without mails", perSecond(o), ratio})
	return nil
}

// floorSender is the floor for mails: it writes the address of each recipient into a mail of the Batch, hands the mail
// over with as many connections and round trips as enlist, and stores a row for each mail, 16 in a change, as enlist does.
type floorSender struct {
	floor *floor
	to    *sink
	mail  []byte // as it was sent
	next  atomic.Int64
}

// recipientAddress matches what address returns.
var recipientAddress = regexp.MustCompile(`p\d{9}@example\.com`)

// floorRecipient stores the result of a mail. Its arguments are the List, the recipient, the time and the address.
const floorRecipient = `INSERT INTO recipient (list_id, batch_id, contact_id, slice, status, time, attempts, address, detail,
	sent_time, unsubscribed_time, deactivated_time)
	VALUES (?1, 1, ?2, 0, 'sent', ?3, 0, ?4, '250 ok', ?3, 0, 0)`

// run sends mails for the duration of a load.
func (s *floorSender) run(duration time.Duration) (o outcome, err error) {
	var stop atomic.Bool
	defer time.AfterFunc(duration, func() { stop.Store(true) }).Stop()
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	before, began := s.to.taken.Load(), time.Now()
	for range 16 {
		all.Go(func() {
			if err := s.send(&stop); err != nil {
				failed.Store(&err)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return o, *err
	}
	return outcome{calls: int(s.to.taken.Load() - before), elapsed: time.Since(began)}, nil
}

// send sends mails over one connection until stop is set.
func (s *floorSender) send(stop *atomic.Bool) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.to.url(), "smtp://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	replies := bufio.NewReader(conn)
	exchange := func(send []byte, lines int) error {
		_, err := conn.Write(send)
		for ; lines > 0 && err == nil; lines-- {
			_, err = replies.ReadSlice('\n')
		}
		return err
	}
	sample := recipientAddress.Find(s.mail)
	err = exchange([]byte("EHLO bench\r\n"), 5) // the greeting and four lines
	for err == nil && !stop.Load() {
		var results []floorStatement
		for len(results) < 16 && err == nil {
			n := s.next.Add(1)
			person := address(int(n))
			err = exchange([]byte("MAIL FROM:<bench@example.com>\r\nRCPT TO:<"+person+">\r\nDATA\r\n"), 3)
			if err == nil {
				err = exchange(append(bytes.ReplaceAll(s.mail, sample, []byte(person)), ".\r\n"...), 1)
			}
			results = append(results, floorStatement{floorRecipient,
				[]any{int64(floorList), n, time.Now().Unix(), person}})
		}
		if err == nil {
			_, err = s.floor.store(results...)
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
