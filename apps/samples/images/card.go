// SPDX-License-Identifier: Apache-2.0

package images

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Image Generator Agent",
		Description: "Makes pictures from words and changes pictures; without a language model only simple " +
			"scenes of a few things",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", paint.PNG, paint.JPEG, "image/gif", "application/json"},
		DefaultOutputModes: []string{paint.PNG, paint.JPEG, "text/plain"},
		Skills: []a2a.AgentSkill{{
			ID:          "image_generator",
			Name:        "Image Generator",
			Description: "Draws what a text describes, and edits the last picture or one that is sent along",
			Tags:        []string{"generate image", "edit image"},
			Examples: []string{
				"Draw a rabbit",
				"a white rabbit in the snow at night",
				"three red balloons above a house",
				"make it blue and add a tree on the left",
				"rotate it by 90 degrees",
			},
		}},
	}
}
