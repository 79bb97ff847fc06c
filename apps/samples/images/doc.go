// SPDX-License-Identifier: Apache-2.0

// Package images is a sample agent that makes pictures from words and changes them: "a white rabbit in the snow at
// night", "make it blue", or a photograph with "rotate it and make it grayscale".
//
// With a model, the model paints if it can; otherwise it turns the words into a scene or into changes, and package
// paint draws them. Without a model the agent needs no network and no key: it draws a few things, and refuses
// everything else.
//
//	agent.go    the agent: a message becomes a task with a picture, a question or a refusal
//	deliver.go  a picture becomes an artifact, after a preview
//	source.go   which picture is meant: one that was sent, one that is referred to, or the last of the conversation
//	model.go    a request, or the picture itself, from a model
//	rules/      what reads a few words without a model
//	paint/      scenes, changes of pictures, and pixels
package images
