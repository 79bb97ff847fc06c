// SPDX-License-Identifier: Apache-2.0

// Package coord lets agents that work on one code base keep out of each other's way: they register, share to-do lists,
// ask each other, lease files before they change them, and share interface definitions.
//
// A [Project] is the state of one project and the rules by which it changes, without I/O and with the time given to it:
// each command returns its result and the events that tell what it did, and the state is what its events fold into. A
// [Hub] runs projects: it serves many callers at once, keeps the events in a database, waits where a command waits, and
// notices who is gone.
//
// The results are the answers that the API reference of A2AMCP describes, with its members in its order.
package coord
