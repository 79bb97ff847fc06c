// SPDX-License-Identifier: Apache-2.0

// Package catalogue knows films and people, in the shape of the answers of The Movie Database (TMDB). [Bundled] needs
// no network; [NewTMDB] asks that service. What a catalogue says is data: it is shown to people and told to models, and
// never followed. This product uses the TMDB API but is not endorsed or certified by TMDB.
package catalogue
