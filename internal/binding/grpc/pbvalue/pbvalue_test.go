// SPDX-License-Identifier: Apache-2.0

package pbvalue_test

import (
	"errors"
	"math"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// Numbers that a double cannot hold are rounded. All other numbers keep their value.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "17": "17", "9007199254740991": "9007199254740991",
		"9007199254740993": "9.007199254740992e+15",
		"0.1":              "0.1", "1E3": "1000", "1e400": "1.7976931348623157e+308",
		"-1e400": "-1.7976931348623157e+308",
	} {
		v, err := pbvalue.FromValue(jsontext.Value(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (pbvalue.Decoder{}).Value(v); err != nil || string(got) != want {
			t.Errorf("%s comes back as %s, %v; want %s", text, got, err, want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if got, err := (pbvalue.Decoder{}).Value(structpb.NewNumberValue(bad)); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%v is read as %s, %v", bad, got, err)
		}
	}
}

func TestOtherValues(t *testing.T) {
	t.Parallel()
	if got, err := (pbvalue.Decoder{}).Value(nil); err != nil || string(got) != "null" {
		t.Errorf("no value is %s, %v", got, err)
	}
	if _, err := pbvalue.Time(&timestamppb.Timestamp{Seconds: math.MaxInt64}); !errors.Is(err, a2a.ErrInvalidParams) {
		t.Errorf("a time beyond time: %v", err)
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, "[1] 2"} {
		if v, err := pbvalue.FromValue(jsontext.Value(bad)); err == nil {
			t.Errorf("%q is read as %v", bad, v)
		}
	}
	if got := pbvalue.Int32(math.MaxInt64); got != math.MaxInt32 {
		t.Error(got)
	}
}

// A field is named by its whole path.
func TestWithin(t *testing.T) {
	t.Parallel()
	err := pbvalue.Within("message", pbvalue.Within("parts", pbvalue.Within("[2]", a2a.InvalidParams("raw", "is odd"))))
	if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Violations[0].Field != "message.parts[2].raw" {
		t.Error(err)
	}
}
