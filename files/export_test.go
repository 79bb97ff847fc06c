// SPDX-License-Identifier: Apache-2.0

package files

// BreakSync makes it fail to make the next files durable.
func (s *Store) BreakSync(err error) { s.sync = func(string) error { return err } }

// MendSync undoes BreakSync.
func (s *Store) MendSync() { s.sync = syncFolder }

// ReferenceTo returns what stands for a file in the journal.
func ReferenceTo(f *File) string { return referenceTo(f) }
