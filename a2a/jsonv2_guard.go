// SPDX-License-Identifier: Apache-2.0

//go:build goexperiment.jsonv2 && !go1.27

package a2a

// This file must not compile. With GOEXPERIMENT=jsonv2 on Go 1.26 the JSON library hands its work to that
// toolchain's early copy of encoding/json/v2, which ignores the option "embed" of struct tags without a word: members
// of messages would be lost on the wire. Build without GOEXPERIMENT=jsonv2, or with Go 1.27 or newer, whose
// encoding/json/v2 is the final one. docs/decisions/0003-json-v2.md has the whole story.
var _ = build_without_GOEXPERIMENT_jsonv2_or_with_Go_1_27
