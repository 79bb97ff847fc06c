// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/store"
)

// A problem is an error as the page shows it.
type problem struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitzero"` // what to do
	Code    int    `json:"code,omitzero"` // of JSON-RPC, when an agent answered it
	status  int    // of HTTP
}

func (p problem) json() []byte {
	b, _ := json.Marshal(p) // of texts and numbers
	return b
}

// problemOf says what an error means to a person.
func problemOf(err error) problem {
	if e, ok := errors.AsType[*card.Error](err); ok {
		return problem{Message: e.Error(), status: http.StatusBadGateway,
			Hint: "See that the address is that of an agent or of its card, and that the agent runs."}
	}
	if e, ok := errors.AsType[*client.UnreachableError](err); ok {
		return problem{Message: e.Error(), status: http.StatusBadGateway,
			Hint: "See that the agent runs, then try again."}
	}
	if e, ok := errors.AsType[*client.CutError](err); ok {
		return problem{Message: e.Error(), status: http.StatusBadGateway, Hint: "The task may still run. Get it again."}
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		row := wire.RowOf(e.Kind)
		p := problem{Message: e.Error(), Code: row.Code10, status: row.HTTP}
		switch e.Kind {
		case a2a.ErrUnauthenticated:
			p.Hint = "Log in to the agent with dragoman auth login, or start the console with its token."
		case a2a.ErrUnavailable:
			p.Hint = "Wait a moment, then try again."
		}
		return p
	}
	_, refused := errors.AsType[replayError](err)
	switch {
	case errors.Is(err, errUnknown):
		return problem{Message: "It is not there any more.", Hint: "Reload the page.", status: http.StatusNotFound}
	case errors.Is(err, errBusy), refused:
		return problem{Message: err.Error(), status: http.StatusConflict}
	case errors.Is(err, store.ErrDiskFull), errors.Is(err, store.ErrBusy), errors.Is(err, context.DeadlineExceeded):
		return problem{Message: "The console cannot keep anything now.", status: http.StatusServiceUnavailable,
			Hint: "See that the disk has room, then try again."}
	}
	return problem{Message: err.Error(), status: http.StatusInternalServerError}
}
