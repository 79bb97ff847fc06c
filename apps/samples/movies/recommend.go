// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
)

const (
	goodVote   = 7  // of 10: what is recommended is rated at least so
	maxLookups = 12 // films whose details are looked at for one answer
)

// discover finds films by a filter. What a catalogue does not look at is looked at here.
func (d *dialogue) discover(ctx context.Context, f Filter) ([]Movie, error) {
	found, err := d.catalogue.Discover(ctx, f)
	if err != nil || f.Lead == 0 {
		return found, err
	}
	var kept []Movie
	for _, m := range found {
		if len(kept) == maxLookups {
			break
		}
		full, err := d.catalogue.Movie(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		if full.Credits != nil && len(full.Credits.Cast) > 0 && full.Credits.Cast[0].Gender == f.Lead {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// recommend picks one film: of those that fit, by the seed, and none twice in a conversation.
func (x *answering) recommend(ctx context.Context) (outcome, error) {
	f := x.filter()
	f.MinVote = max(f.MinVote, goodVote)
	if liked := x.movies; len(liked) > 0 && len(f.Genres) == 0 {
		f.Genres = liked[0].genreIDs()[:min(1, len(liked[0].genreIDs()))]
	}
	found, err := x.d.discover(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	if len(found) == 0 { // then also what is rated lower
		f.MinVote = 0
		if found, err = x.d.discover(ctx, f); err != nil {
			return outcome{}, err
		}
	}
	found = slices.DeleteFunc(slices.Clone(found), func(m Movie) bool { return slices.Contains(x.s.Recommended, m.ID) || x.isLiked(m) })
	if len(found) == 0 {
		return outcome{text: "I know no other film like that. Name another genre, or other years."}, nil
	}
	slices.SortStableFunc(found, func(a, b Movie) int {
		if n := cmp.Compare(x.likeness(b), x.likeness(a)); n != 0 {
			return n
		}
		return cmp.Compare(x.d.lot(a.ID), x.d.lot(b.ID))
	})
	m, err := x.d.catalogue.Movie(ctx, found[0].ID)
	if err != nil {
		return outcome{}, err
	}
	x.s.Recommended = append(slices.Clip(x.s.Recommended), m.ID)
	x.s.Recommended = x.s.Recommended[max(0, len(x.s.Recommended)-maxRecommended):]
	return outcome{text: fmt.Sprintf("I recommend %s", about(m)), movies: []Movie{m}, people: x.credited(m.Credits.Crew, func(c Credit) bool { return c.Job == "Director" })}, nil
}

// isLiked reports whether a film is the one that others should be like.
func (x *answering) isLiked(m Movie) bool {
	return slices.ContainsFunc(x.movies, func(liked Movie) bool { return liked.ID == m.ID })
}

// likeness is how many genres a film shares with the one that was liked; 0 when none was named.
func (x *answering) likeness(m Movie) int {
	if len(x.movies) == 0 {
		return 0
	}
	n := 0
	for _, id := range m.genreIDs() {
		if slices.Contains(x.movies[0].genreIDs(), id) {
			n++
		}
	}
	return n
}

// lot is a number by which films are drawn: the same for a seed and a film.
func (d *dialogue) lot(id int) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], d.seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(id))
	h.Write(b[:])
	return h.Sum64()
}
