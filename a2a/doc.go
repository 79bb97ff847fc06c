// SPDX-License-Identifier: Apache-2.0

// Package a2a is the data model of the Agent2Agent protocol, generation 1.0, and [Service], the one
// interface that everything in Dragoman speaks: what the engine makes of an agent is a Service, the client
// is a Service, and a server serves any Service. Every other generation of the protocol is a codec at the
// edge and never reaches this package.
//
// # JSON
//
// The JSON of every type is that of ProtoJSON as A2A 1.0 uses it: camelCase out; camelCase or snake_case in
// (both spellings of one member at once are a duplicate); unknown members are ignored; null means unset, except as
// the value of data or of a member of metadata, where it is a value like any other; enums by name or number; base64
// standard or URL-safe, padded or not; whole numbers also as strings; timestamps with any offset, written in UTC with a
// Z and milliseconds, what is finer being cut off. Defaults are left out unless the member is required or optional.
//
// Values of data and metadata keep their JSON text, so numbers lose no digit; they nest at most [MaxDepth] levels.
// Duplicate keys, invalid UTF-8 and trailing garbage are errors. Everything is written in one line.
//
// Every type has AppendJSON and the methods of encoding/json and of json/v2; [Unmarshal] is the shortest way in.
// Decoding checks the shape of JSON; whether what is required is there, Validate says.
//
// # Sums
//
// A value that is one of several things is a sealed interface: [PartContent], [Event], [SendResult],
// [SecurityScheme], [OAuthFlow]. Switch on its type.
//
// # Sharing
//
// Values that a Service returns are shared between its callers and must not be changed: Clone first.
package a2a
