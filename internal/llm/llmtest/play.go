// SPDX-License-Identifier: Apache-2.0

package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// object is a JSON object in the making.
type object = map[string]any

// play answers one request.
func (s *Server) play(w http.ResponseWriter, r *http.Request, req *Request, step Step) {
	step = s.complete(req, step)
	switch {
	case step.Status != 0:
		s.writeError(w, step)
	case !strings.HasSuffix(req.Path, "/chat/completions"):
		s.paint(w, req, step)
	case step.Plain || !req.Stream:
		writeJSON(w, http.StatusOK, s.provider.whole(step))
	default:
		s.provider.stream(w, r, step)
	}
}

// complete fills in what the step leaves open.
func (s *Server) complete(req *Request, step Step) Step {
	switch value := step.JSON.(type) {
	case nil:
	case string:
		step.Text = value
	default:
		raw, err := json.Marshal(value)
		if err != nil {
			s.t.Errorf("llmtest: encode the answer: %v", err)
		}
		step.Text = s.provider.inWords(string(raw))
	}
	step = s.provider.withhold(step)
	calls := make([]Call, len(step.Calls))
	for i, c := range step.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i)
		}
		calls[i] = c
	}
	step.Calls = calls
	if s.provider == llm.Gemini && len(calls) > 0 {
		s.mu.Lock()
		s.signed[calls[0].ID] = true
		s.mu.Unlock()
	}
	if step.Finish == "" {
		step.Finish = llm.FinishStop
		if len(calls) > 0 && s.provider != llm.Gemini {
			step.Finish = llm.FinishToolCalls
		}
	}
	if step.Usage == (llm.Usage{}) {
		step.Usage = llm.Usage{Input: len(req.Body)/4 + 1, Output: len(step.Text)/4 + 1}
	}
	return step
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(raw)
}

func (s *Server) writeError(w http.ResponseWriter, step Step) {
	if step.RetryAfter > 0 && s.provider != llm.Gemini {
		w.Header().Set("Retry-After", strconv.Itoa(int(step.RetryAfter.Seconds())))
	}
	writeJSON(w, step.Status, s.provider.complaint(step))
}

func usage(u llm.Usage) object {
	return object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
}

// whole is an answer that does not stream.
func (p Provider) whole(step Step) object {
	message := object{"role": "assistant", "content": step.Text}
	if step.Refusal != "" {
		message["refusal"] = step.Refusal
	}
	if len(step.Calls) > 0 {
		message["tool_calls"] = p.wholeCalls(step.Calls)
	}
	answer := object{"id": "chatcmpl-1", "object": "chat.completion", "model": ModelName,
		"choices": []object{{"index": 0, "message": message, "finish_reason": step.Finish}}}
	if !step.NoUsage {
		answer["usage"] = usage(step.Usage)
	}
	return answer
}

// stream answers in events.
func (p Provider) stream(w http.ResponseWriter, r *http.Request, step Step) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	flush := http.NewResponseController(w)
	event := func(value any) {
		raw, err := json.Marshal(value)
		if err != nil {
			panic(err) // maps of texts and numbers
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
		flush.Flush()
	}
	var counted any // so far
	if p == llm.Gemini && !step.NoUsage {
		counted = usage(llm.Usage{Input: step.Usage.Input})
	}
	delta := func(d object, finish any) {
		event(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": ModelName, "usage": counted,
			"choices": []object{{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	delta(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, piece := range pieces(step.Text, 7) {
		delta(object{"content": piece}, nil)
	}
	for _, piece := range pieces(step.Refusal, 7) {
		delta(object{"refusal": piece}, nil)
	}
	if step.Late != "" {
		event(object{"error": object{"message": step.Late, "code": step.Code}})
		return
	}
	if step.Noise {
		fmt.Fprint(w, "data: <html>\n\n")
		return
	}
	fragments := p.callFragments(step)
	if step.Cut {
		for _, f := range fragments[:len(fragments)/2] {
			delta(object{"tool_calls": []object{f}}, nil)
		}
		panic(http.ErrAbortHandler) // which cuts the connection
	}
	if step.Stall {
		fmt.Fprint(w, ": thinking\n\n")
		flush.Flush()
		<-r.Context().Done()
		if step.Left != nil {
			close(step.Left)
		}
		return
	}
	for _, f := range fragments {
		delta(object{"tool_calls": []object{f}}, nil)
	}
	delta(object{}, step.Finish)
	if !step.NoUsage {
		event(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": ModelName, "choices": []object{},
			"usage": usage(step.Usage)})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// wholeCalls are calls that are not in pieces. Gemini signs the first.
func (p Provider) wholeCalls(calls []Call) []object {
	var list []object
	for i, c := range calls {
		o := object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}}
		if p == llm.Gemini && i == 0 {
			o["extra_content"] = object{"google": object{"thought_signature": signature(c.ID)}}
		}
		list = append(list, o)
	}
	return list
}

// callFragments are the pieces of the calls. Those of several calls come mixed, as they may, or one call after the
// other.
func (p Provider) callFragments(step Step) []object {
	if step.Whole || p == llm.Gemini {
		calls := p.wholeCalls(step.Calls)
		for _, c := range calls {
			c["index"] = 0
		}
		return calls
	}
	var heads []object
	args := make([][]object, len(step.Calls))
	for i, c := range step.Calls {
		heads = append(heads, object{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}})
		for _, piece := range pieces(c.Args, 5) {
			args[i] = append(args[i], object{"index": i, "function": object{"arguments": piece}})
		}
	}
	var fragments []object
	if p == llm.Anthropic {
		for i, head := range heads {
			fragments = append(append(fragments, head), args[i]...)
		}
		return fragments
	}
	fragments = heads
	for left := true; left; {
		left = false
		for i, list := range args {
			if len(list) > 0 {
				fragments, args[i], left = append(fragments, list[0]), list[1:], true
			}
		}
	}
	return fragments
}

// pieces cuts a text into pieces of n characters.
func pieces(s string, n int) []string {
	var list []string
	for runes := []rune(s); len(runes) > 0; {
		k := min(n, len(runes))
		list = append(list, string(runes[:k]))
		runes = runes[k:]
	}
	return list
}

// paint answers a request for an image.
func (s *Server) paint(w http.ResponseWriter, req *Request, step Step) {
	if step.Image == nil {
		s.t.Errorf("llmtest: a request to paint %q, and the step has no image", req.Prompt)
		s.writeError(w, Fail(http.StatusBadRequest, "nothing to show"))
		return
	}
	data := base64.StdEncoding.EncodeToString(step.Image.Data)
	if strings.HasSuffix(req.Path, ":generateContent") {
		writeJSON(w, http.StatusOK, object{"candidates": []object{{"content": object{"role": "model", "parts": []object{
			{"text": "Here it is."}, {"inlineData": object{"mimeType": step.Image.MediaType, "data": data}},
		}}, "finishReason": "STOP"}}})
		return
	}
	writeJSON(w, http.StatusOK, object{"created": 1, "data": []object{{"b64_json": data}}})
}
