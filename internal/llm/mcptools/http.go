// SPDX-License-Identifier: Apache-2.0

package mcptools

import (
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds what a server may answer to one request, in bytes.
const maxAnswer = 32 << 20

// httpClient sends the headers of the options and bounds answers. It follows no redirects, which would carry the
// headers elsewhere.
func httpClient(o Options) *http.Client {
	own := http.Client{}
	if o.Client != nil {
		own = *o.Client
	}
	own.Transport = &sender{next: own.Transport, header: o.Header}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// sender adds headers to requests and bounds answers.
type sender struct {
	next   http.RoundTripper // nil: http.DefaultTransport
	header http.Header
}

func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range s.header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer of the MCP server is over the limit of %d MiB", maxAnswer>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
