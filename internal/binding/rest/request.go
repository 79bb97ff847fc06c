// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request makes the request of an operation from path, query and body.
func (s *Server) request(x *binding.Exchange, op wire.Operation, r route) (any, *a2a.Error) {
	q, e := parseParameters(x.R.URL.RawQuery, r.old)
	if e != nil {
		return nil, e
	}
	request := op.NewRequest()
	if x.R.Method == "POST" {
		if request, e = s.readBody(x, r, request); e != nil {
			return nil, e
		}
	}
	m := merger{parameters: q, route: r}
	m.merge(request)
	return request, q.err()
}

// readBody decodes the body. Those of cancel and subscribe may be empty, because the path says it all.
func (s *Server) readBody(x *binding.Exchange, r route, request any) (any, *a2a.Error) {
	buf := binding.Buffer()
	defer binding.Release(buf)
	if e := s.checkMediaType(x); e != nil {
		return nil, e
	}
	if e := s.Core.Read(x, buf); e != nil {
		return nil, e
	}
	if empty(buf.Bytes()) && (x.Operation == wire.OpCancelTask || x.Operation == wire.OpSubscribe) {
		return request, nil
	}
	if s.Envelope != nil && r.old && isEnvelope(buf.Bytes()) {
		return envelope(bytes.Clone(buf.Bytes())), nil
	}
	var err error
	if x.Generation == a2a.Generation10 {
		err = json.Unmarshal(buf.Bytes(), request)
	} else {
		if v03pb.IsText(x.Operation, buf.Bytes()) {
			x.Dialect = v03pb.Text
		}
		request, err = x.Dialect.DecodeRequest(x.Operation, buf.Bytes())
	}
	if err != nil {
		return nil, binding.DecodeError(err)
	}
	return request, nil
}

// An envelope is the body of a request that is one of JSON-RPC.
type envelope []byte

// isEnvelope reports whether a body is an object with a member jsonrpc, which no request of HTTP+JSON has.
func isEnvelope(body []byte) bool {
	if !bytes.Contains(body, []byte(`"jsonrpc"`)) {
		return false
	}
	var members struct {
		Version jsontext.Value `json:"jsonrpc"`
	}
	return json.Unmarshal(body, &members) == nil && members.Version != nil
}

// empty reports whether a body says nothing; null, which some clients send for nothing, is unset as everywhere.
func empty(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) == 0 || string(body) == "null"
}

// checkMediaType accepts both media types that the editions of 1.0 name. A body of unknown length counts as one.
func (s *Server) checkMediaType(x *binding.Exchange) *a2a.Error {
	contentType := x.R.Header.Get("Content-Type")
	if contentType == "" && x.R.ContentLength == 0 {
		return nil
	}
	switch mediaType := binding.MediaType(contentType); mediaType {
	case wire.MediaTypeJSON, wire.MediaTypeA2A:
		return nil
	default:
		return a2a.NewError(a2a.ErrUnsupportedMediaType,
			fmt.Sprintf("the Content-Type must be application/json or application/a2a+json, not %.100q", mediaType))
	}
}

// A merger puts the values of path and query into a request. If the body has a value too, it must be the same.
type merger struct {
	*parameters
	route route
}

func (m *merger) merge(request any) {
	switch req := request.(type) {
	case *a2a.SendMessageRequest:
		m.tenant(&req.Tenant)
	case *a2a.GetTaskRequest:
		m.tenant(&req.Tenant)
		m.task("id", &req.ID)
		req.HistoryLength = m.history()
	case *a2a.ListTasksRequest:
		m.tenant(&req.Tenant)
		req.ContextID = a2a.ContextID(m.text("contextId"))
		req.Status = m.state("status")
		req.PageSize = m.pageSize()
		req.PageToken = m.text("pageToken")
		req.HistoryLength = m.count("historyLength")
		req.StatusTimestampAfter = m.after()
		req.IncludeArtifacts = m.flag("includeArtifacts")
	case *a2a.CancelTaskRequest:
		m.tenant(&req.Tenant)
		m.task("id", &req.ID)
	case *a2a.SubscribeRequest:
		m.tenant(&req.Tenant)
		m.task("id", &req.ID)
	case *a2a.PushConfig:
		m.tenant(&req.Tenant)
		m.task("taskId", &req.TaskID)
	case *a2a.GetPushConfigRequest:
		m.tenant(&req.Tenant)
		m.task("taskId", &req.TaskID)
		req.ID = m.route.config
	case *a2a.ListPushConfigsRequest:
		m.tenant(&req.Tenant)
		m.task("taskId", &req.TaskID)
		if size := m.pageSize(); size != nil {
			req.PageSize = *size
		}
		req.PageToken = m.text("pageToken")
	case *a2a.DeletePushConfigRequest:
		m.tenant(&req.Tenant)
		m.task("taskId", &req.TaskID)
		req.ID = m.route.config
	case *a2a.ExtendedCardRequest:
		m.tenant(&req.Tenant)
	}
}

// tenant settles the tenant: path, body and query may name it, but only the same one. There was none before 1.0.
func (m *merger) tenant(body *string) {
	if m.route.old {
		return
	}
	for _, other := range []string{m.route.tenant, m.text("tenant")} {
		switch {
		case other == "":
		case *body == "":
			*body = other
		case *body != other:
			m.wrong("tenant", "must be the same wherever the request names it")
			return
		}
	}
}

// history returns the length of the history that is asked for. Before 1.0 a length of 0 means all of it.
func (m *merger) history() *int {
	length := m.count("historyLength")
	if m.route.old && length != nil {
		return v03pb.HistoryLength(*length)
	}
	return length
}

// pageSize returns the size of a page that is asked for. Before 1.0 a size of 0 means that the server chooses.
func (m *merger) pageSize() *int {
	size := m.count("pageSize")
	if m.route.old && size != nil && *size == 0 {
		return nil
	}
	return size
}

// after returns the time after which the tasks of a list got their status.
func (m *merger) after() time.Time {
	if m.route.old {
		return m.updatedAfter()
	}
	return m.time("statusTimestampAfter")
}

// task settles the task's id, which the path always names.
func (m *merger) task(field string, body *a2a.TaskID) {
	if *body != "" && *body != a2a.TaskID(m.route.task) {
		m.wrong(field, "must be the same in path and body")
	}
	*body = a2a.TaskID(m.route.task)
}
