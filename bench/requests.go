// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
)

// messageIDs numbers the messages: no server sees one twice.
var messageIDs atomic.Uint64

const firstMessageID = 1_000_000_000

func messageID() uint64 { return firstMessageID + messageIDs.Add(1) }

// message is a request that sends a text.
func message(method, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"message":`+
		`{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":%q}]}}}`, method, messageID(), text)
}

// messageTo is a request that sends a text to a task and does not wait for what becomes of it.
func messageTo(task, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+
		`{"messageId":"m-%d","taskId":%q,"role":"ROLE_USER","parts":[{"text":%q}]},`+
		`"configuration":{"returnImmediately":true}}}`, messageID(), task, text)
}

func about(method, task string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"id":%q}}`, method, task)
}

// sends makes requests that send a short text, each with a message id of its own.
func sends(path string) func(int) requester {
	return func(int) requester {
		request := post(path, message("SendMessage", "Ada"))
		at := bytes.Index(request, []byte("m-")) + len("m-")
		return func() []byte {
			strconv.AppendUint(request[:at], messageID(), 10) // always ten digits
			return request
		}
	}
}

// oldSends makes the same requests in 0.3.
func oldSends(path string) func(int) requester {
	return func(int) requester {
		request := postAs("0.3", path,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":`+
				`{"kind":"message","messageId":"m-%d","role":"user","parts":[{"kind":"text","text":"Ada"}]}}}`,
				messageID()))
		at := bytes.Index(request, []byte("m-")) + len("m-")
		return func() []byte {
			strconv.AppendUint(request[:at], messageID(), 10) // always ten digits
			return request
		}
	}
}

// gets makes requests for tasks, picked at random.
func gets(path string, tasks []string) func(int) requester {
	return func(i int) requester {
		request := post(path, about("GetTask", tasks[0]))
		at := bytes.Index(request, []byte(tasks[0]))
		random := rand.New(rand.NewPCG(1, uint64(i)))
		return func() []byte {
			copy(request[at:], tasks[random.IntN(len(tasks))]) // ids are of one length
			return request
		}
	}
}
