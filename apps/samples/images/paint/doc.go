// SPDX-License-Identifier: Apache-2.0

// Package paint turns the description of a scene into pixels, without a model and without a network. The same [Scene]
// always gives the same pixels on one kind of processor: whatever looks random comes from the scene's seed.
//
//	scene.go    what a picture shows: the Scene and its limits
//	edit.go     what a message asks for, and changes of a picture
//	shapes.go   what can be drawn: data/subjects.txt holds the shapes of each subject
//	render.go   a scene becomes pixels
//	filter.go   changes of pixels
//	colour.go   names of colours
//	codec.go    PNG and JPEG out; PNG, JPEG and GIF in, with limits
package paint
