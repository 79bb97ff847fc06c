// SPDX-License-Identifier: Apache-2.0

// Package files keeps the files that agents make beside the journal, and gives them out by URL.
//
// A [Store] is a folder. An agent that it wraps ([Store.Agent]) goes on making parts of bytes; those that are large, or
// whose client asks for URLs, are written to the folder before the event that shows them is committed, and the event
// carries only a reference. A service that it wraps ([Store.Service]) shows each reader a URL in its place that is
// signed and works for a while. [Store.ServeHTTP] answers these URLs, below /files/. Files are removed with their task.
//
// Package files also fetches what others point at: a [Fetcher] follows only URLs that its allow list names, and no
// address of a private network.
package files
