// SPDX-License-Identifier: Apache-2.0

package auth

// maxActors bounds the chain of a token.
const maxActors = 16

// Actors returns the programs that act for the subject of a token, the nearest one first, of its claim act (RFC 8693
// §4.1). It leaves out what has no name, and those after the first 16.
func Actors(act any) (names []string) {
	for range maxActors {
		actor, ok := act.(map[string]any)
		if !ok {
			break
		}
		name, _ := actor["sub"].(string)
		if name == "" {
			name, _ = actor["client_id"].(string)
		}
		if name != "" {
			names = append(names, name)
		}
		act = actor["act"]
	}
	return names
}
