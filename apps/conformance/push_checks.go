// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
)

// hook is a webhook that does not exist: the name leads nowhere, by its standard (RFC 2606).
const hook = "https://conformance.invalid/hook"

var pushChecks = []check{
	{
		name: "push.not-declared", title: "without the capability webhooks are refused, by all operations",
		absent: pushConfigs, v1: must("3.3.4", "V1-075", "V1-033"), v03: must("8.2"),
		advice: "answer PushNotificationNotSupportedError",
		run: func(s *session) {
			id := newID()
			calls := map[operation]object{
				opCreatePush: {"taskId": id, "url": hook}, opGetPush: {"taskId": id, "id": "none"},
				opListPush: {"taskId": id}, opDeletePush: {"taskId": id, "id": "none"},
			}
			for op, params := range calls {
				s.call(op, params).wants(pushNotSupported)
			}
		},
	},
	{
		name: "push.unknown-task", title: "a task that does not exist gets no webhook", capability: pushConfigs,
		v1: must("3.1.7", "V1-033"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run: func(s *session) {
			s.call(opCreatePush, object{"taskId": newID(), "url": hook}).wants(taskNotFound)
		},
	},
	{
		name: "push.create", title: "a webhook that is created gets an id", capability: pushConfigs,
		v1: must("3.1.7", "V1-031"), v03: must("7.5"),
		advice: "answer with the configuration and an id for it",
		run: func(s *session) {
			_, r, config := s.createHook()
			if text(config, "id") == "" || text(config, "url") != hook {
				r.failf("an id, and url "+hook, "id %q and url %q", text(config, "id"), text(config, "url"))
			}
		},
	},
	{
		name: "push.get", title: "a webhook can be got", capability: pushConfigs, v1: must("3.1.8", "V1-034"),
		v03:    must("7.6"),
		advice: "keep the configuration",
		run: func(s *session) {
			task, _, config := s.createHook()
			r := s.call(opGetPush, object{"taskId": task, "id": text(config, "id")})
			if url := text(s.configIn(r.result()), "url"); url != hook {
				r.failf("url "+hook, "url %q", url)
			}
		},
	},
	{
		name: "push.list", title: "a list shows all webhooks of a task", capability: pushConfigs,
		v1: must("3.1.9", "V1-036"), v03: must("7.7"),
		advice: "list each configuration",
		run: func(s *session) {
			task, _, config := s.createHook()
			r := s.call(opListPush, object{"taskId": task})
			o := asObject(r.value)
			if s.dialect.profile == Profile03 { // a bare array
				o = object{"configs": r.value}
			}
			if r.fault != nil || !slices.ContainsFunc(list(o, "configs"),
				func(c object) bool { return text(s.configIn(c), "id") == text(config, "id") }) {
				r.failf("the webhook "+text(config, "id"), "it is not there: %s", r.what())
			}
		},
	},
	{
		name: "push.delete", title: "a webhook that is deleted is gone, and may be deleted again",
		capability: pushConfigs, v1: must("3.1.10", "V1-038", "V1-039", "V1-035"), v03: must("7.8"),
		advice: "forget the configuration; deleting nothing is no error", run: checkDeleteHook,
	},
}

// createHook gives an open task, or else one that has ended, a webhook.
func (s *session) createHook() (task string, r *reply, config object) {
	var t object
	if try(func() { _, t = s.open() }) != nil {
		t = s.ended()
	}
	task = text(t, "id")
	r = s.call(opCreatePush, object{"taskId": task, "url": hook})
	if r.is(invalidParams) || r.is(unsupported) && isTerminal(s.dialect.state(t)) {
		skipf("the agent does not take the webhook %s: %s", hook, r.what())
	}
	return task, r, s.configIn(r.result())
}

// configIn returns the configuration in an answer.
func (s *session) configIn(o object) object {
	if s.dialect.profile == Profile03 {
		return asObject(o["pushNotificationConfig"])
	}
	return o
}

func checkDeleteHook(s *session) {
	task, _, config := s.createHook()
	params := object{"taskId": task, "id": text(config, "id")}
	for range 2 {
		r := s.call(opDeletePush, params)
		if r.fault != nil || r.problem != "" {
			r.failf("no error", "%s", r.what())
		}
		if s.dialect.profile == Profile03 { // does not say what to do the second time
			break
		}
	}
	r := s.call(opGetPush, params)
	if s.dialect.profile == Profile03 {
		r.wantsAnyFault("an error")
		return
	}
	r.wants(taskNotFound)
}

var extendedChecks = []check{
	{
		name: "extended.not-declared", title: "without the capability there is no extended card", absent: extendedCard,
		v1:     must("3.3.4", "V1-077", "V1-042"),
		advice: "answer UnsupportedOperationError",
		run:    func(s *session) { s.call(opExtendedCard, nil).wants(unsupported) },
	},
	{
		name: "extended.card", title: "the extended card is a card, for those who may see it", capability: extendedCard,
		v1: must("3.1.11", "V1-042", "V1-282"), v03: must("7.10"),
		advice: "serve it to callers with credentials, or do not declare it",
		run: func(s *session) {
			r := s.call(opExtendedCard, nil)
			switch {
			case r.is(cardNotConfigured):
			case r.unauthorized():
				skipf("the agent wants credentials, or others")
			default:
				shape{r, s.dialect, "an agent card"}.strings(r.result(), "the card", "name", "description", "version")
			}
		},
	},
	{
		name: "extended.anonymous", title: "the extended card is not for everybody", capability: extendedCard,
		v1: must("13.3", "V1-282"), v03: must("7.10"),
		advice: "refuse callers without credentials",
		run: func(s *session) {
			if len(s.wire.header) == 0 {
				skipf("no credentials were given, so that there is nothing to leave out")
			}
			anonymous, bare := *s, *s.wire
			anonymous.wire, bare.header = &bare, nil
			r := anonymous.call(opExtendedCard, nil)
			if !r.is(cardNotConfigured) && !r.unauthorized() {
				r.wantsAnyFault("an error")
			}
		},
	},
}
