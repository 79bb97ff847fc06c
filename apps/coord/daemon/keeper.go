// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// maxBody is the largest body of a request other than those of MCP, in bytes.
const maxBody = 4 << 20

// sendMessage passes on a message of a person: to one session as a query, and to all as a broadcast.
func (d *Daemon) sendMessage(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	var m struct {
		To   string `json:"to"` // a session; "" is all
		Text string `json:"text"`
	}
	if !read(w, r, &m) {
		return
	}
	person := coord.Person(g.Name)
	if m.To == "" {
		d.do(w, r, g.Name, coord.Broadcast{Session: person, External: true, Type: "person", Content: m.Text})
		return
	}
	d.do(w, r, g.Name, coord.Ask{From: person, External: true, To: m.To, Type: "person", Query: m.Text})
}

func (d *Daemon) freeLock(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	d.do(w, r, g.Name, coord.Free{ID: r.PathValue("id"), Person: coord.Person(g.Name)})
}

func (d *Daemon) retireAgent(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	d.do(w, r, g.Name, coord.Retire{Session: r.PathValue("session"), Person: coord.Person(g.Name)})
}

func (d *Daemon) deleteProject(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	force, err := strconv.ParseBool(cmp.Or(r.URL.Query().Get("force"), "false"))
	if err != nil {
		refuse(w, http.StatusBadRequest, errors.New("force must be true or false"))
		return
	}
	// a caller that disconnects does not stop it halfway
	ctx, project, before := context.WithoutCancel(r.Context()), r.PathValue("project"), time.Now()
	result, err := d.opts.Hub.DeleteProject(ctx, project, coord.Person(g.Name), force)
	if err == nil && d.opts.Deleted != nil {
		switch result := result.(type) {
		case coord.Ended:
			err = d.opts.Deleted(ctx, project, result.Free)
		case coord.Failure:
			if result.Status == "not_found" { // there may be what is left of one before
				err = d.opts.Deleted(ctx, project, before)
			}
		}
	}
	d.say(w, r, g.Name, result, err)
}

func (d *Daemon) serveSettings(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	d.do(w, r, g.Name, coord.GetSettings{})
}

func (d *Daemon) changeSettings(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	var settings coord.Settings
	if read(w, r, &settings) {
		d.do(w, r, g.Name, coord.Configure{Settings: settings})
	}
}

// serveConflicts tells which paths others have leased, for gates such as that of a repository.
func (d *Daemon) serveConflicts(w http.ResponseWriter, r *http.Request, _ coord.Grant) {
	var asked struct {
		Session string   `json:"session"`
		Branch  string   `json:"branch"`
		Paths   []string `json:"paths"`
	}
	if read(w, r, &asked) {
		d.do(w, r, "", coord.Conflicts{Session: asked.Session, Branch: asked.Branch, Paths: asked.Paths})
	}
}

// do runs a command and answers with its result.
func (d *Daemon) do(w http.ResponseWriter, r *http.Request, principal string, c coord.Command) {
	result, err := d.opts.Hub.Do(r.Context(), r.PathValue("project"), principal, c)
	d.say(w, r, principal, result, err)
}

// say answers with what came of something that a principal did.
func (d *Daemon) say(w http.ResponseWriter, r *http.Request, principal string, result coord.Result, err error) {
	if err != nil {
		d.fail(w, err)
		return
	}
	if f, failed := result.(coord.Failure); failed {
		if f.Code == coord.CodeForbidden {
			d.audit.Refused(describe(r), r.PathValue("project"), principal, f.Error)
		}
		refuse(w, statusOf(&f), errors.New(f.Error))
		return
	}
	answer(w, result)
}

func statusOf(f *coord.Failure) int {
	switch {
	case f.Status == "not_found":
		return http.StatusNotFound
	case f.Code == coord.CodeLimit:
		return http.StatusTooManyRequests
	case f.Code == coord.CodeForbidden:
		return http.StatusForbidden
	case f.Code == coord.CodeInUse:
		return http.StatusConflict
	case f.Code == coord.CodeShutdown:
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, maxBody), into,
		json.RejectUnknownMembers(true)); err != nil {
		refuse(w, http.StatusBadRequest, errors.New("the body is not the JSON that this takes: "+unread(err)))
		return false
	}
	return true
}

func unread(err error) string {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Sprintf("it is larger than %d MiB", maxBody>>20)
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
		return "it is not whole, or no JSON"
	case e.JSONPointer == "":
		return "it is no object"
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Sprintf("there is no %s", e.JSONPointer)
	}
	return fmt.Sprintf("%s is not of the kind that it should be", e.JSONPointer)
}
