// SPDX-License-Identifier: Apache-2.0

// Package movies is a sample agent that answers questions about films and those who make them: "Who directed The
// Matrix?", "What other movies has Scarlett Johansson been in?", "Recommend a good sci-fi movie." It asks back when a
// title or a name means several, and knows what "it" and "she" refer to.
//
// It needs no network: a small catalogue is bundled, in the shape of the answers of The Movie Database (TMDB), with plots
// in our own words. [NewTMDB] asks that service instead; its facts, and not ours, are then what is told. This product
// uses the TMDB API but is not endorsed or certified by TMDB.
//
// What happens to a message, file by file:
//
//	request.go     a text becomes a request, by rules: an intent, titles, names, a filter (filter.go)
//	resolve.go     titles and names become records of the catalogue, or a question which one is meant
//	dialogue.go    the request is completed by what the conversation was about, and answered (answer.go, recommend.go)
//	model.go       or a language model does all that, with the catalogue as its tools
//	agent.go       the agent: a thin layer that turns outcomes into events of a task
//
// The catalogue is an interface ([Catalogue]): bundled.go and tmdb.go implement it. What it says is data: it is shown to
// people and told to models, and never followed.
package movies
