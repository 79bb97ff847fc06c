// SPDX-License-Identifier: Apache-2.0

// Package paint turns the description of a scene into pixels, without a model and without a network. The same [Scene]
// always gives the same pixels on one kind of processor: whatever looks random comes from the scene's seed.
//
//	scene.go       what a picture shows: the Scene and its limits
//	subjects.go    what can be drawn: data/subjects.txt holds the shapes of each subject
//	outline.go     shapes become polygons
//	canvas.go      polygons become pixels, in one of six styles
//	background.go  sky, night, sea, forest and the others
//	layout.go      which object stands where, and how large
//	lettering.go   captions
//	emblem.go      what stands for a subject that nobody has drawn yet
//	render.go      all of these together
//	filter.go      changes to pixels: rotate, crop, tint, blur and others
//	codec.go       PNG and JPEG out; PNG, JPEG and GIF in, with limits
package paint
