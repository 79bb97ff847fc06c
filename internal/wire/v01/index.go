// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const indexPrefix = "index-"

// maxIndex is the highest index that is read or written.
const maxIndex = 1 << 30

// artifactID returns the id of the artifact that a peer has at an index.
func artifactID(index int) a2a.ArtifactID {
	return a2a.ArtifactID(indexPrefix + strconv.Itoa(index))
}

// indexOf returns the index that an id of the form index-N names.
func indexOf(id a2a.ArtifactID) (int, bool) {
	digits, ok := strings.CutPrefix(string(id), indexPrefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > maxIndex || artifactID(n) != id {
		return 0, false
	}
	return n, true
}

// indexes gives the artifacts of one task their indexes. All who see the artifacts appear in the same order give them
// the same. The zero value knows no artifact.
type indexes struct {
	byID  map[a2a.ArtifactID]int
	taken map[int]bool
}

// of returns the index of an artifact, which it keeps: the one in its id, else the number of artifacts before it, and
// when another has that the next that is free.
func (x *indexes) of(id a2a.ArtifactID) int {
	if i, ok := x.byID[id]; ok {
		return i
	}
	if x.byID == nil {
		x.byID, x.taken = map[a2a.ArtifactID]int{}, map[int]bool{}
	}
	i, ok := indexOf(id)
	if !ok {
		i = len(x.byID)
	}
	i = take(x.taken, i)
	x.byID[id] = i
	return i
}

// take takes an index, or the next that is free.
func take(taken map[int]bool, index int) int {
	for taken[index] {
		index = (index + 1) % (maxIndex + 1)
	}
	taken[index] = true
	return index
}
