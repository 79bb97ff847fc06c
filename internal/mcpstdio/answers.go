// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answersTransport is a transport that answers as MCP has it where the SDK does not: who has cancelled a call gets no
// answer to it, and each error has a code.
type answersTransport struct {
	sdk.Transport
	out *messageWriter
}

func (t *answersTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answersConn{Connection: conn, out: t.out, running: make(map[jsonrpc.ID]*runningCall)}, nil
}

// An answersConn is a connection of an answersTransport.
type answersConn struct {
	sdk.Connection
	out *messageWriter

	mu      sync.Mutex
	running map[jsonrpc.ID]*runningCall
	begun   bool // something other than a ping was answered well, so that the client knows the server
}

// A runningCall is a request that is not answered yet.
type runningCall struct {
	method   string
	canceled bool
}

func (c *answersConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, err
	}
	if req, ok := message.(*jsonrpc.Request); ok {
		c.note(req)
	}
	return message, nil
}

// note notes a request, and that one is cancelled.
func (c *answersConn) note(req *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.IsCall() {
		c.running[req.ID] = &runningCall{method: req.Method}
		return
	}
	if req.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(params.ID); err == nil && c.running[id] != nil {
		c.running[id].canceled = true
	}
}

func (c *answersConn) Write(ctx context.Context, message jsonrpc.Message) error {
	answer, ok := message.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, message)
	}
	if answer = c.answer(answer); answer == nil {
		return nil
	}
	return c.Connection.Write(ctx, answer)
}

// answer returns what a request is answered with, nil when it is not.
func (c *answersConn) answer(answer *jsonrpc.Response) *jsonrpc.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.running[answer.ID]
	delete(c.running, answer.ID)
	if call != nil && call.canceled && !c.out.batched() { // the other answers of a batch wait for this one
		return nil
	}
	if answer.Error == nil {
		c.begun = c.begun || call != nil && call.method != "ping"
		return answer
	}
	if coded, ok := errors.AsType[*jsonrpc.Error](answer.Error); ok && coded.Code != 0 {
		return answer
	}
	code := int64(jsonrpc.CodeInternalError)
	if !c.begun { // the client has asked for something before it may
		code = jsonrpc.CodeInvalidRequest
	}
	withCode := *answer
	withCode.Error = &jsonrpc.Error{Code: code, Message: answer.Error.Error()}
	return &withCode
}
