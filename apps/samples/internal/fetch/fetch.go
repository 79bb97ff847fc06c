// SPDX-License-Identifier: Apache-2.0

// Package fetch gets JSON documents of services on the web. Its errors name no URL: some have a key in them.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	timeout = 10 * time.Second // of a whole request, redirects and body included
	maxBody = 2 << 20          // bytes of a document
)

// StatusError is the HTTP status of an answer that is no success.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// BaseURL reads the base URL of a service: http or https, without query.
func BaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("the base URL must be like https://host/v1")
	}
	return u, nil
}

// JSON gets a document into v. It asks once, for 10 seconds and 2 MiB at most.
func JSON(ctx context.Context, c *http.Client, u *url.URL, header http.Header, v any, options ...json.Options) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := c.Do((&http.Request{Method: http.MethodGet, URL: u, Header: header}).WithContext(ctx))
	if err != nil {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err // without the URL
		}
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return StatusError(response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return err
	}
	if len(text) > maxBody {
		return fmt.Errorf("answer of more than %d bytes", maxBody)
	}
	if err := json.Unmarshal(text, v, options...); err != nil {
		return fmt.Errorf("the answer is not what it should be: %w", err)
	}
	return nil
}
