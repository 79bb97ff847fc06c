// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"slices"
)

// hook is a webhook that nobody serves: the name leads nowhere, by its standard (RFC 2606).
const hook = "https://conformance.invalid/hook"

// pushChecks are about the configuration of webhooks.
var pushChecks = []check{
	{
		name: "push.not-declared", title: "without the capability webhooks are refused, by all operations",
		absent: pushConfigs, v1: must("3.3.4", "V1-075", "V1-033"), v03: must("8.2"),
		advice: "answer PushNotificationNotSupportedError",
		run: func(ctx context.Context, s *session) error {
			id := newID()
			calls := map[operation]object{
				opCreatePush: {"taskId": id, "url": hook}, opGetPush: {"taskId": id, "id": "none"},
				opListPush: {"taskId": id}, opDeletePush: {"taskId": id, "id": "none"},
			}
			for op, params := range calls {
				r, err := s.call(ctx, op, params)
				if err != nil {
					return err
				}
				if err := r.wants(pushNotSupported); err != nil {
					return err
				}
			}
			return nil
		},
	},
	{
		name: "push.unknown-task", title: "a task that does not exist gets no webhook", capability: pushConfigs,
		v1: must("3.1.7", "V1-033"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opCreatePush, object{"taskId": newID(), "url": hook})
			if err != nil {
				return err
			}
			return r.wants(taskNotFound)
		},
	},
	{
		name: "push.create", title: "a webhook that is created gets an id", capability: pushConfigs,
		v1: must("3.1.7", "V1-031"), v03: must("7.5"),
		advice: "answer with the configuration and an id for it",
		run: func(ctx context.Context, s *session) error {
			_, r, config, err := s.createHook(ctx)
			if err != nil {
				return err
			}
			if text(config, "id") == "" || text(config, "url") != hook {
				return r.failf("an id, and url "+hook, "id %q and url %q", text(config, "id"), text(config, "url"))
			}
			return nil
		},
	},
	{
		name: "push.get", title: "a webhook can be got", capability: pushConfigs, v1: must("3.1.8", "V1-034"),
		v03:    must("7.6"),
		advice: "keep the configuration",
		run: func(ctx context.Context, s *session) error {
			task, _, config, err := s.createHook(ctx)
			if err != nil {
				return err
			}
			r, err := s.call(ctx, opGetPush, object{"taskId": task, "id": text(config, "id")})
			if err != nil {
				return err
			}
			o, err := r.result()
			if err != nil {
				return err
			}
			if got := s.configIn(o); text(got, "url") != hook {
				return r.failf("url "+hook, "url %q", text(got, "url"))
			}
			return nil
		},
	},
	{
		name: "push.list", title: "a list shows all webhooks of a task", capability: pushConfigs,
		v1: must("3.1.9", "V1-036"), v03: must("7.7"),
		advice: "list each configuration",
		run: func(ctx context.Context, s *session) error {
			task, _, config, err := s.createHook(ctx)
			if err != nil {
				return err
			}
			r, err := s.call(ctx, opListPush, object{"taskId": task})
			if err != nil {
				return err
			}
			o := asObject(r.value)
			if s.dialect.profile == Profile03 { // a bare array
				o = object{"configs": r.value}
			}
			if r.fault != nil || !slices.ContainsFunc(list(o, "configs"),
				func(c object) bool { return text(s.configIn(c), "id") == text(config, "id") }) {
				return r.failf("the webhook "+text(config, "id"), "it is not there: %s", r.what())
			}
			return nil
		},
	},
	{
		name: "push.delete", title: "a webhook that is deleted is gone, and may be deleted again",
		capability: pushConfigs, v1: must("3.1.10", "V1-038", "V1-039", "V1-035"), v03: must("7.8"),
		advice: "forget the configuration; deleting nothing is no error", run: checkDeleteHook,
	},
}

// createHook gives an open task, or else one that has ended, a webhook.
func (s *session) createHook(ctx context.Context) (task string, r *reply, config object, err error) {
	_, t, err := s.open(ctx)
	if err != nil {
		if t, err = s.ended(ctx); err != nil {
			return "", nil, nil, err
		}
	}
	task = text(t, "id")
	if r, err = s.call(ctx, opCreatePush, object{"taskId": task, "url": hook}); err != nil {
		return "", nil, nil, err
	}
	if r.is(invalidParams) || r.is(unsupported) && isTerminal(s.dialect.state(t)) {
		return "", nil, nil, skipf("the agent does not take the webhook %s: %s", hook, r.what())
	}
	o, err := r.result()
	return task, r, s.configIn(o), err
}

// configIn returns the configuration in an answer.
func (s *session) configIn(o object) object {
	if s.dialect.profile == Profile03 {
		return asObject(o["pushNotificationConfig"])
	}
	return o
}

func checkDeleteHook(ctx context.Context, s *session) error {
	task, _, config, err := s.createHook(ctx)
	if err != nil {
		return err
	}
	params := object{"taskId": task, "id": text(config, "id")}
	for range 2 {
		r, err := s.call(ctx, opDeletePush, params)
		if err != nil {
			return err
		}
		if r.fault != nil || r.problem != "" {
			return r.failf("no error", "%s", r.what())
		}
		if s.dialect.profile == Profile03 { // does not say what to do the second time
			break
		}
	}
	r, err := s.call(ctx, opGetPush, params)
	if err != nil {
		return err
	}
	if s.dialect.profile == Profile03 {
		return r.wantsAnyFault("an error")
	}
	return r.wants(taskNotFound)
}

// extendedChecks are about the extended card.
var extendedChecks = []check{
	{
		name: "extended.not-declared", title: "without the capability there is no extended card", absent: extendedCard,
		v1:     must("3.3.4", "V1-077", "V1-042"),
		advice: "answer UnsupportedOperationError",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opExtendedCard, nil)
			if err != nil {
				return err
			}
			return r.wants(unsupported)
		},
	},
	{
		name: "extended.card", title: "the extended card is a card, for those who may see it", capability: extendedCard,
		v1: must("3.1.11", "V1-042", "V1-282"), v03: must("7.10"),
		advice: "serve it to callers with credentials, or do not declare it",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opExtendedCard, nil)
			if err != nil || r.is(cardNotConfigured) {
				return err
			}
			if r.status == 401 || r.status == 403 {
				return skipf("the agent wants credentials, or others")
			}
			card, err := r.result()
			if err != nil {
				return err
			}
			if why := strs(card, "the card", "name", "description", "version"); why != "" {
				return r.failf("an agent card", "%s", why)
			}
			return nil
		},
	},
	{
		name: "extended.anonymous", title: "the extended card is not for everybody", capability: extendedCard,
		v1: must("13.3", "V1-282"), v03: must("7.10"),
		advice: "refuse callers without credentials",
		run: func(ctx context.Context, s *session) error {
			if len(s.wire.header) == 0 {
				return skipf("no credentials were given, so that there is nothing to leave out")
			}
			anonymous, bare := *s, *s.wire
			anonymous.wire, bare.header = &bare, nil
			r, err := anonymous.call(ctx, opExtendedCard, nil)
			if err != nil || r.is(cardNotConfigured) || r.status == 401 || r.status == 403 {
				return err
			}
			return r.wantsAnyFault("an error")
		},
	},
}
