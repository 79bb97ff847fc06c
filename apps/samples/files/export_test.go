// SPDX-License-Identifier: Apache-2.0

package files

// Schema is the schema of the agent's own form.
func Schema() []byte { return answerSchema }
