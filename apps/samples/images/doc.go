// SPDX-License-Identifier: Apache-2.0

// Package images is a sample agent that makes pictures from words and changes them: "a rabbit under the moon", "make it
// blue", "add a tree on the left", or a photograph with "rotate it and make it grayscale".
//
// Without a model it needs no network and no key: rules read the text, and package paint draws what they found from
// shapes. It never pretends to be more: each picture says that an offline renderer made it. With a model, the model
// paints if it can; otherwise it turns the words into the scene or the changes that the rules would have found.
//
//	lex.go       text becomes words; quotations are kept as they are
//	lexicon.go   words and phrases that mean something: styles, backgrounds, sizes, places
//	create.go    words become a scene
//	edit.go      words become changes of a picture
//	request.go   which of both a message is: Read returns a Request
//	model.go     the same Request from a model, or the picture itself
//	picture.go   a picture is a scene or pixels; changes apply to either
//	source.go    which picture is meant: one that was sent, one that is referred to, or the last of the conversation
//	form.go      the question that a vague message is answered with
//	agent.go     the agent: a thin layer that turns all this into events of a task
package images
