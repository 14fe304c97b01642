package demo

import (
	"container/heap"
	"context"
	"sync/atomic"
	"time"

	"enlist/internal/enlist"

	"golang.org/x/sync/errgroup"
)

// This file has the clock of the services, and the queue of what happens in the year.

// clock is the only clock of the services while Build runs.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.seconds.Load(), 0) }

// event is something that happens at a time.
type event struct {
	at     int64
	number int64            // order of events at the same time
	who    enlist.PersonKey // events of different Contacts can run together; zero: the event runs alone
	do     func(context.Context) error
}

// timeline runs events in the order of their times. An event can add later ones.
type timeline struct {
	clock
	end   int64 // later events do not happen
	added int64
	queue events
}

// together is the largest number of events that run at the same time, so that SQLite stores them in one transaction.
const together = 512

// window is the time in seconds within which events can run together. They all happen at the time of the first.
const window = enlist.Hour

func (t *timeline) add(at int64, who enlist.PersonKey, do func(context.Context) error) {
	if at <= t.end {
		t.added++
		heap.Push(&t.queue, &event{at, t.added, who, do})
	}
}

// run runs all events until none is left.
func (t *timeline) run(ctx context.Context) error {
	for len(t.queue) > 0 {
		group := t.next()
		now := max(group[0].at, t.seconds.Load())
		if group[0].who != (enlist.PersonKey{}) {
			now = max(now, t.seconds.Load()+1) // a Contact can have only one open in a second
		}
		t.seconds.Store(now)
		all, ctx := errgroup.WithContext(ctx)
		for _, e := range group {
			all.Go(func() error { return e.do(ctx) })
		}
		if err := all.Wait(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// next takes the events that can run together from the queue.
func (t *timeline) next() []*event {
	first := heap.Pop(&t.queue).(*event)
	group, seen := []*event{first}, map[enlist.PersonKey]bool{first.who: true}
	for first.who != (enlist.PersonKey{}) && len(t.queue) > 0 && len(group) < together {
		e := t.queue[0]
		if e.who == (enlist.PersonKey{}) || seen[e.who] || e.at > first.at+window {
			break
		}
		seen[e.who] = true
		group = append(group, heap.Pop(&t.queue).(*event))
	}
	return group
}

// events implements heap.Interface.
type events []*event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].number < q[j].number
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(e any)   { *q = append(*q, e.(*event)) }
func (q *events) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}
