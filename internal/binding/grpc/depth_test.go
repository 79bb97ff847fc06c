// SPDX-License-Identifier: Apache-2.0

package grpc_test

import "google.golang.org/protobuf/types/known/structpb"

// nested returns an object that nests to a depth, itself the first level.
func nested(depth int) *structpb.Struct {
	s := &structpb.Struct{Fields: map[string]*structpb.Value{"end": structpb.NewNullValue()}}
	for range depth - 1 {
		s = &structpb.Struct{Fields: map[string]*structpb.Value{"x": structpb.NewStructValue(s)}}
	}
	return s
}
