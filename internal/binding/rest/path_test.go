// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/binding"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]route{
		"/message:send":                    {resource: resSend},
		"/message%3Asend":                  {resource: resSend},
		"/message:stream":                  {resource: resStream},
		"/tasks":                           {resource: resTasks},
		"/tasks/a":                         {resource: resTask, task: "a"},
		"/tasks/tasks":                     {resource: resTask, task: "tasks"},
		"/tasks/a%2Fb":                     {resource: resTask, task: "a/b"},
		"/tasks/a:b":                       {resource: resTask, task: "a:b"},
		"/tasks/a:cancel":                  {resource: resCancel, task: "a"},
		"/tasks/a:b:cancel":                {resource: resCancel, task: "a:b"},
		"/tasks/a:cancel:cancel":           {resource: resCancel, task: "a:cancel"},
		"/tasks/a%3Acancel":                {resource: resTask, task: "a:cancel"},
		"/tasks/a:subscribe":               {resource: resSubscribe, task: "a"},
		"/tasks/a:Cancel":                  {resource: resTask, task: "a:Cancel"},
		"/tasks/a/pushNotificationConfigs": {resource: resConfigs, task: "a"},
		"/tasks/a:cancel/pushNotificationConfigs": {resource: resConfigs, task: "a:cancel"},
		"/tasks/a/pushNotificationConfigs/b%20c":  {resource: resConfig, task: "a", config: "b c"},
		"/extendedAgentCard":                      {resource: resCard},
		"/acme/message:send":                      {resource: resSend, tenant: "acme"},
		"/acme/tasks":                             {resource: resTasks, tenant: "acme"},
		"/acme/tasks/a:cancel":                    {resource: resCancel, tenant: "acme", task: "a"},
		"/a%2Fb/extendedAgentCard":                {resource: resCard, tenant: "a/b"},
		"/acme%20co/tasks/a/pushNotificationConfigs/b": {resource: resConfig, tenant: "acme co", task: "a",
			config: "b"},

		"/v1/message:send":                      {old: true, resource: resSend},
		"/v1/message:stream":                    {old: true, resource: resStream},
		"/v1/tasks":                             {old: true, resource: resTasks},
		"/v1/tasks/a":                           {old: true, resource: resTask, task: "a"},
		"/v1/tasks/a:cancel":                    {old: true, resource: resCancel, task: "a"},
		"/v1/tasks/a:subscribe":                 {old: true, resource: resSubscribe, task: "a"},
		"/v1/tasks/a/pushNotificationConfigs":   {old: true, resource: resConfigs, task: "a"},
		"/v1/tasks/a/pushNotificationConfigs/b": {old: true, resource: resConfig, task: "a", config: "b"},
		"/v1/task/a/pushNotificationConfigs":    {old: true, resource: resConfigs, task: "a"}, // a slip of the proto
		"/v1/card":                              {old: true, resource: resCard},
		"/agent/authenticatedExtendedCard":      {old: true, resource: resCard02},

		"":                                     {},
		"/":                                    {},
		"tasks":                                {},
		"/Tasks":                               {},
		"/acme":                                {},
		"/acme/":                               {},
		"/acme/acme/tasks":                     {},
		"//tasks":                              {},
		"/tasks/":                              {},
		"/tasks/:cancel":                       {},
		"/tasks/a/":                            {},
		"/tasks/a/b":                           {},
		"/tasks/a/pushNotificationConfigs/":    {},
		"/tasks//pushNotificationConfigs":      {},
		"/tasks/a/pushNotificationConfigs/b/c": {},
		"/message:send/":                       {},
		"/v1":                                  {},
		"/v1/":                                 {},
		"/v1/v1/tasks":                         {},
		"/v1/acme/tasks":                       {},
		"/v1/extendedAgentCard":                {},
		"/v1/task":                             {},
		"/agent/card":                          {},
		"/metrics/tasks":                       {},
		"/.well-known/tasks":                   {},
		"/message:send/tasks":                  {},
		"/message%3Asend/tasks":                {},
	} {
		got := match(path)
		if want.resource == resNone {
			want = route{}
			got = route{resource: got.resource}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

// Each resource that a path can name can be used, and its Allow header is complete.
func TestMethods(t *testing.T) {
	t.Parallel()
	for res := resSend; res <= resCard02; res++ {
		var verbs []string
		for verb := range methods[res] {
			verbs = append(verbs, verb)
		}
		slices.Sort(verbs)
		if got := strings.Join(verbs, ", "); got == "" || got != allow[res] {
			t.Errorf("resource %d: Allow is %q, its methods are %q", res, allow[res], got)
		}
	}
}

// FuzzMatch checks that what a path names is named again by the path made from it.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{"/v1/tasks/a%3Asubscribe:cancel", "/v1/card", "/agent/authenticatedExtendedCard",
		"/tasks/a:cancel", "/x/tasks/a%3Acancel/pushNotificationConfigs/%2F", "//", "/%zz/tasks", "/tasks/%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r := match(path)
		if r.resource == resNone {
			return
		}
		if binding.ReservedTenant(r.tenant) {
			t.Fatalf("%q has the reserved tenant %q", path, r.tenant)
		}
		if again := match(build(r)); again != r {
			t.Fatalf("%q is %+v, but %q is %+v", path, r, build(r), again)
		}
	})
}

// build returns the path of a route, with all that could mean something else escaped.
func build(r route) string {
	escape := func(s string) string { return strings.ReplaceAll(url.PathEscape(s), ":", "%3A") }
	var b strings.Builder
	if r.tenant != "" {
		b.WriteString("/" + escape(r.tenant))
	}
	task, card := "/tasks/"+escape(r.task), "/extendedAgentCard"
	if r.old && r.resource != resCard02 {
		b.WriteString("/v1")
		card = "/card"
	}
	b.WriteString(map[resource]string{
		resSend: "/message:send", resStream: "/message:stream", resTasks: "/tasks", resTask: task,
		resCancel: task + ":cancel", resSubscribe: task + ":subscribe", resConfigs: task + "/pushNotificationConfigs",
		resConfig: task + "/pushNotificationConfigs/" + escape(r.config), resCard: card,
		resCard02: "/agent/authenticatedExtendedCard",
	}[r.resource])
	return b.String()
}
