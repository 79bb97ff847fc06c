// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/retry"
)

var (
	errAgain = errors.New("again")
	policy   = retry.Policy{Tries: 4, First: time.Second, Max: 3 * time.Second, MaxWait: time.Minute}
)

func always(error) (time.Duration, bool) { return 0, true }

func TestDoStopsAtTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		_, err := retry.Do(t.Context(), policy, func(context.Context) (int, error) { tries++; return 0, errAgain },
			always)
		if !errors.Is(err, errAgain) || tries != 4 {
			t.Fatalf("error %v after %d tries, want 4", err, tries)
		}
		// 1 s, 2 s, 3 s, each give or take a fifth.
		if took := time.Since(start); took < 4800*time.Millisecond || took > 7200*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestDoReturnsTheFirstSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		got, err := retry.Do(t.Context(), policy, func(context.Context) (int, error) {
			if tries++; tries < 3 {
				return 0, errAgain
			}
			return 7, nil
		}, always)
		if got != 7 || err != nil || tries != 3 {
			t.Errorf("got %d, %v after %d tries", got, err, tries)
		}
	})
}

func TestDoEndsAtAFinalError(t *testing.T) {
	t.Parallel()
	tries := 0
	_, err := retry.Do(t.Context(), policy, func(context.Context) (int, error) { tries++; return 0, errAgain },
		func(error) (time.Duration, bool) { return 0, false })
	if !errors.Is(err, errAgain) || tries != 1 {
		t.Errorf("error %v after %d tries", err, tries)
	}
}

func TestDoWaitsAsLongAsThePeerAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for asked, want := range map[time.Duration]int{30 * time.Second: 4, time.Hour: 1} {
			start, tries := time.Now(), 0
			retry.Do(t.Context(), policy, func(context.Context) (int, error) { tries++; return 0, errAgain },
				func(error) (time.Duration, bool) { return asked, true })
			if tries != want {
				t.Errorf("asked for %v: %d tries, want %d", asked, tries, want)
			}
			if took := time.Since(start); took != time.Duration(want-1)*asked {
				t.Errorf("asked for %v: took %v", asked, took)
			}
		}
	})
}

func TestDoKeepsTheErrorWhenTimeIsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := retry.Do(ctx, policy, func(context.Context) (int, error) { return 0, errAgain }, always)
		if !errors.Is(err, errAgain) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for value, want := range map[string]time.Duration{
			"":                     0,
			"12":                   12 * time.Second,
			"-5":                   0,
			"99999999999999999999": 0,
			"soon":                 0,
			time.Now().Add(time.Minute).UTC().Format(http.TimeFormat):  time.Minute,
			time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
		} {
			if got := retry.After(http.Header{"Retry-After": {value}}); got != want {
				t.Errorf("%q: %v, want %v", value, got, want)
			}
		}
	})
}
