// SPDX-License-Identifier: Apache-2.0

// Package a2a is the data model of the Agent2Agent protocol, generation 1.0, and [Service], the one
// interface that everything in Dragoman speaks: what the engine makes of an agent is a Service, the client
// is a Service, and a server serves any Service. Every other generation of the protocol is a codec at the
// edge and never reaches this package.
//
// # JSON
//
// The JSON of every type is that of ProtoJSON as A2A 1.0 uses it: camelCase out; camelCase or snake_case in
// (both spellings of one member at once are a duplicate); unknown members are ignored; null means unset;
// enums by name or number; base64 standard or URL-safe, padded or not; timestamps with any offset, written in
// UTC with a Z. Values of data and metadata keep their JSON text, so numbers lose no digit. Duplicate keys,
// invalid UTF-8 and trailing garbage are errors.
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
