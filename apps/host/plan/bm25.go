// SPDX-License-Identifier: Apache-2.0

package plan

import "math"

// An index ranks documents by Okapi BM25. A term of weight 2 counts as if it stood there twice.
type index struct {
	docs []*document
	in   map[string]int // in how many documents a term is
	mean float64        // length of a document
}

// The constants that the literature recommends, with less regard for length: cards differ in how chatty they are, not
// in how much they are about.
const (
	bm25K = 1.2
	bm25B = 0.3

	// leastDocs keeps scores comparable however few agents there are: a term that one of two agents has would
	// otherwise count for nearly nothing.
	leastDocs = 8
)

func newIndex(docs []*document) *index {
	x := &index{docs: docs, in: make(map[string]int)}
	for _, doc := range docs {
		for term := range doc.words {
			x.in[term]++
		}
		x.mean += doc.length / float64(len(docs))
	}
	return x
}

// idf is how much it says that a document has a term.
func (x *index) idf(term string) float64 {
	total, n := float64(max(len(x.docs), leastDocs)), float64(x.in[term])
	return math.Log(1 + (total-n+0.5)/(n+0.5))
}

// score is how well a document fits the weighted terms of a query, added up in the same order each time.
func (x *index) score(doc int, terms []string, query map[string]float64) float64 {
	norm := 1.0
	if x.mean > 0 {
		norm = 1 - bm25B + bm25B*x.docs[doc].length/x.mean
	}
	sum := 0.0
	for _, term := range terms {
		if tf := x.docs[doc].words[term]; tf > 0 {
			sum += query[term] * x.idf(term) * tf * (bm25K + 1) / (tf + bm25K*norm)
		}
	}
	return sum
}
