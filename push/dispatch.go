// SPDX-License-Identifier: Apache-2.0

package push

import (
	"math/rand/v2"
	"net/url"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
)

const (
	// batch is how many due configs are looked at in one go.
	batch = 256
	// maxWaiting is how many configs wait in memory for one host. Further ones are put off.
	maxWaiting = 32
	// minPause is between two searches for due configs.
	minPause = 20 * time.Millisecond
	// maxSlow bounds how long a host is left alone, if it does not ask for longer.
	maxSlow = 5 * time.Minute
)

// host is what is known of a target. Sender.mu guards it.
type host struct {
	active  int           // deliveries
	waiting []*job        // that follow
	pace    time.Duration // how long a turn of a config takes, on average
	next    time.Time     // when a config that was put off last is due
	closed  time.Time     // until when nothing is sent to it
	slowed  int           // how often in a row it asked for less traffic
	failing bool          // the last delivery failed
}

// limit is how many deliveries to the host run at one time: a host that hangs must not keep all workers.
func (s *Sender) limit(h *host) int {
	if h.failing {
		return 1
	}
	return s.opts.PerHost
}

// dispatchLoop hands due configs to workers until the sender ends.
func (s *Sender) dispatchLoop() {
	for s.ctx.Err() == nil {
		if s.dispatch() {
			continue
		}
		if !s.pause(minPause, nil) || !s.pause(s.opts.Poll, s.nudge) {
			return
		}
	}
}

// pause waits, or until wake; it returns false when the sender ends.
func (s *Sender) pause(d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-s.ctx.Done():
		return false
	}
	return true
}

// dispatch looks once for due configs. It returns true if it made progress and there may be more.
func (s *Sender) dispatch() bool {
	s.mu.Lock()
	known, full := len(s.busy), s.running >= s.opts.Workers
	s.mu.Unlock()
	if full {
		return false // a worker that ends says so
	}
	due, err := s.journal.DueCursors(s.ctx, known+batch)
	if err != nil {
		if s.ctx.Err() == nil {
			s.log.Warn("cannot look for push notifications", "error", err)
		}
		return false
	}
	var late []*job
	progress := false
	for i := range due {
		j := s.jobOf(&due[i])
		if j == nil {
			continue
		}
		switch wait, taken := s.admit(j); {
		case wait > 0:
			j.until = time.Now().Add(wait)
			late = append(late, j)
			progress = true
		case taken:
			progress = true
		}
	}
	s.putOff(late)
	return progress && len(due) >= known+batch
}

// jobOf reads a due cursor; a config that cannot be read is left alone for a day.
func (s *Sender) jobOf(due *journal.DueCursor) *job {
	rec, err := decode(due.Data)
	if err != nil {
		s.log.Warn("cannot read a push notification config", "task", due.Key.ID, "config", due.Name, "error", err)
		next := due.Cursor
		next.Due = time.Now().Add(maxRetryAfter)
		_ = s.journal.SwapCursor(s.ctx, due.Key, due.Cursor, next) // else it is tried again
		return nil
	}
	j := &job{DueCursor: *due, rec: rec}
	if u, err := url.Parse(rec.URL); err == nil {
		j.host = u.Host
	}
	return j
}

// admit gives a job to a worker, or to its host's queue; or it says for how long to put the job off, because the host
// is slow or has many. It does neither for a job that is at work, and when all workers are.
func (s *Sender) admit(j *job) (putOff time.Duration, taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[j.key()] || s.ctx.Err() != nil {
		return 0, false
	}
	h := s.hosts[j.host]
	if h == nil {
		h = new(host)
	}
	now := time.Now()
	switch {
	case now.Before(h.closed), h.active >= s.limit(h) && len(h.waiting) >= maxWaiting:
		for _, t := range []time.Time{now.Add(minPause), h.closed} {
			if h.next.Before(t) {
				h.next = t
			}
		}
		h.next = h.next.Add(h.pace / time.Duration(s.limit(h)))
		return h.next.Sub(now), false
	case h.active >= s.limit(h):
		s.busy[j.key()] = true
		h.waiting = append(h.waiting, j)
	case s.running >= s.opts.Workers:
		return 0, false
	default:
		s.busy[j.key()], s.hosts[j.host] = true, h
		h.active++
		s.running++
		s.jobs.Go(func() { s.work(h, j) })
	}
	return 0, true
}

// work delivers a job and then those that wait for its host.
func (s *Sender) work(h *host, j *job) {
	for j != nil {
		began := time.Now()
		if s.ctx.Err() == nil {
			s.deliver(j)
		}
		j = s.next(h, j, time.Since(began))
	}
	s.Notify()
}

// next ends a job and returns the next one of its host, if there is one and the host is not slowed down.
func (s *Sender) next(h *host, done *job, took time.Duration) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, done.key())
	h.pace += (took - h.pace) / 4
	if time.Now().Before(h.closed) {
		for _, j := range h.waiting { // they are still due, and will be put off
			delete(s.busy, j.key())
		}
		h.waiting = nil
	}
	if len(h.waiting) > 0 && h.active <= s.limit(h) {
		j := h.waiting[0]
		h.waiting = h.waiting[1:]
		return j
	}
	h.active--
	s.running--
	if h.active == 0 && time.Now().After(h.closed) && time.Now().After(h.next) {
		delete(s.hosts, done.host)
	}
	return nil
}

// slow leaves a host alone for a while, longer each time.
func (s *Sender) slow(name string, retryAfter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil || time.Now().Before(h.closed) {
		return
	}
	wait := min(time.Second<<min(h.slowed, 10), maxSlow)
	h.slowed++
	h.closed = time.Now().Add(max(wait, min(retryAfter, maxRetryAfter)) + rand.N(wait/10))
}

// note remembers whether the last delivery to a host failed.
func (s *Sender) note(name string, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hosts[name]; h != nil {
		h.failing = failed
		if !failed {
			h.slowed = 0
		}
	}
}

// putOff makes configs due later.
func (s *Sender) putOff(late []*job) {
	var group sync.WaitGroup
	room := make(chan struct{}, s.opts.Workers)
	for _, j := range late {
		room <- struct{}{}
		group.Go(func() {
			next := j.Cursor
			next.Due = j.until
			s.swap(j, next)
			<-room
		})
	}
	group.Wait()
}
