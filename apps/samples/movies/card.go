// SPDX-License-Identifier: Apache-2.0

package movies

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Movie Agent",
		Description:        "An agent that can answer questions about movies and actors",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "general_movie_chat",
			Name:        "General Movie Chat",
			Description: "Answers questions about movies, actors and directors, and recommends what to watch",
			Tags:        []string{"movies", "actors", "directors"},
			Examples: []string{
				"Tell me about the plot of Inception.",
				"Recommend a good sci-fi movie.",
				"Who directed The Matrix?",
				"What other movies has Scarlett Johansson been in?",
				"Find action movies starring Keanu Reeves",
				"Which came out first, Jurassic Park or Terminator 2?",
			},
		}},
	}
}
