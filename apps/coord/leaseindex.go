// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// A leaseIndex finds leases by holder, path and end, so that a command costs no more than the leases in its way. It is
// no part of a snapshot.
type leaseIndex struct {
	settings *Settings
	held     map[string]*ordered[*Lease] // by session and id
	root     *folder
	paths    int       // of all leases
	patterns int       // of those, with wildcards
	soonest  time.Time // before it no lease's time is up; zero when none has an end
}

// A folder is a node for a name in paths, with the leases of it or of patterns right below it.
type folder struct {
	in   map[string]*folder // by name
	here map[string]*Lease  // by id
}

func newFolder() *folder { return &folder{in: make(map[string]*folder), here: make(map[string]*Lease)} }

// setLease puts a lease at the end, or in the place of what it was.
func (s *state) setLease(lease *Lease) {
	old := s.Leases.get(lease.ID)
	s.Leases.set(lease.ID, lease)
	switch {
	case s.index == nil:
	case old == nil:
		s.index.add(lease)
	default:
		s.index.replace(old, lease)
	}
}

func (s *state) deleteLease(lease *Lease) {
	s.Leases.delete(lease.ID)
	if s.index != nil {
		s.index.remove(lease)
	}
}

func newLeaseIndex(s *Settings, all *ordered[*Lease]) *leaseIndex {
	x := &leaseIndex{settings: s, held: make(map[string]*ordered[*Lease]), root: newFolder()}
	for _, lease := range all.all() {
		x.add(lease)
	}
	return x
}

func (x *leaseIndex) add(lease *Lease) {
	of := x.held[lease.Session]
	if of == nil {
		of = newOrdered[*Lease]()
		x.held[lease.Session] = of
	}
	of.set(lease.ID, lease)
	x.place(lease)
}

// replace puts what a lease is now in the place of what it was.
func (x *leaseIndex) replace(old, now *Lease) {
	x.displace(old)
	x.held[now.Session].set(now.ID, now)
	x.place(now)
}

func (x *leaseIndex) remove(lease *Lease) {
	of := x.held[lease.Session]
	of.delete(lease.ID)
	if of.len() == 0 {
		delete(x.held, lease.Session)
	}
	x.displace(lease)
}

func (x *leaseIndex) place(lease *Lease) {
	for _, p := range lease.Paths {
		at := x.root
		for name := range x.names(p) {
			at = at.enter(name)
		}
		at.here[lease.ID] = lease
	}
	x.paths += len(lease.Paths)
	x.patterns += lease.patterns()
	if !lease.ExpiresAt.IsZero() && (x.soonest.IsZero() || lease.ExpiresAt.Before(x.soonest)) {
		x.soonest = lease.ExpiresAt
	}
}

func (x *leaseIndex) displace(lease *Lease) {
	for _, p := range lease.Paths {
		x.root.take(slices.Collect(x.names(p)), lease.ID)
	}
	x.paths -= len(lease.Paths)
	x.patterns -= lease.patterns()
}

func (x *leaseIndex) of(session string) iter.Seq2[string, *Lease] {
	of := x.held[session]
	if of == nil {
		return func(func(string, *Lease) bool) {}
	}
	return of.all()
}

// names ranges over the names in a path, from the root, up to the first one with a wildcard, or what may be one.
func (x *leaseIndex) names(p string) iter.Seq[string] {
	wild := isPattern(p)
	return func(yield func(string) bool) {
		for name := range strings.SplitSeq(x.settings.fold(strings.TrimSuffix(p, "/")), "/") {
			if wild && strings.ContainsAny(name, `*?\`) || !yield(name) {
				return
			}
		}
	}
}

// near returns the leases, in order, that may share a file with some paths, as far as names before wildcards say.
func (x *leaseIndex) near(paths []string) []*Lease {
	found := make(map[string]*Lease)
	for _, p := range paths {
		at := x.root
		for name := range x.names(p) {
			maps.Copy(found, at.here)
			if at = at.in[name]; at == nil {
				break
			}
		}
		at.all(found)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Lease) int { return cmp.Compare(a.Token, b.Token) })
}

// enter returns a folder in this one, which is made if need be.
func (f *folder) enter(name string) *folder {
	in := f.in[name]
	if in == nil {
		in = newFolder()
		f.in[name] = in
	}
	return in
}

// take removes a lease from the folder that the names lead to, and what is empty then.
func (f *folder) take(names []string, id string) {
	if len(names) == 0 {
		delete(f.here, id)
		return
	}
	in := f.in[names[0]]
	if in == nil {
		return // another path of the lease led here
	}
	in.take(names[1:], id)
	if len(in.here)+len(in.in) == 0 {
		delete(f.in, names[0])
	}
}

// all adds the leases here and below to those that were found. There are none in nil.
func (f *folder) all(found map[string]*Lease) {
	if f == nil {
		return
	}
	maps.Copy(found, f.here)
	for _, in := range f.in {
		in.all(found)
	}
}
