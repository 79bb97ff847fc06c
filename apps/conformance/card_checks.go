// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// cardChecks are those of the public card. That there is one is known before.
var cardChecks = []check{
	{
		name: "card.content-type", title: "the card comes as JSON", v1: should("8.2", "V1-324"), v03: should("5.3"),
		advice: "answer the card with Content-Type: application/json",
		run: func(s *session) {
			if t := s.card.mediaType(); t != "application/json" && t != "application/a2a+json" {
				s.card.failf("application/json", "%q", t)
			}
		},
	},
	{
		name: "card.members", title: "the card has what each card needs", v1: must("5.7", "V1-349", "V1-157"),
		v03:    must("5.5"),
		advice: "fill in the member; clients refuse cards without it",
		run:    checkCardMembers,
	},
	{
		name: "card.interfaces", title: "each interface has URL, binding and version",
		v1:     must("8.3.1", "V1-184", "V1-186", "V1-343"),
		advice: "name each interface by its whole URL, its binding and the version it speaks",
		run:    checkInterfaces,
	},
	{
		name: "card.no-patch-versions", title: "versions are given without patch numbers", v1: should("3.6", "V1-110"),
		advice: "write 1.0, not 1.0.1",
		run: func(s *session) {
			for _, i := range list(asObject(s.card.value), "supportedInterfaces") {
				if v := text(i, "protocolVersion"); strings.Count(v, ".") != 1 {
					s.card.failf("Major.Minor", "protocolVersion is %q", v)
				}
			}
		},
	},
	{
		name: "card.security", title: "what the card requires is one of the schemes that it declares",
		v1: must("4.5", "V1-350", "V1-283"), v03: must("5.5.3"),
		advice: "declare each scheme that securityRequirements (in 0.3 security) names",
		run:    checkSecurity,
	},
	{
		name: "card.camel-case", title: "members are in camelCase", v1: must("5.5", "V1-150"),
		advice: "write the names of ProtoJSON, not those of the proto file",
		run: func(s *session) {
			card := asObject(s.card.value)
			for name, value := range card { // names of schemes are the agent's own
				if name == "securitySchemes" || name == "securityRequirements" || name == "security" {
					continue
				}
				if found := snakes(object{name: value}); found != "" {
					s.card.failf("camelCase", "%q", found)
				}
			}
		},
	},
	{
		name: "card.caching", title: "the card may be cached", v1: should("8.6.1", "V1-210", "V1-211"),
		advice: "send Cache-Control with max-age, and an ETag",
		run: func(s *session) {
			control, tag := s.card.answered.Get("Cache-Control"), s.card.answered.Get("ETag")
			if !strings.Contains(control, "max-age") || tag == "" {
				s.card.failf("Cache-Control with max-age, and ETag", "Cache-Control %q and ETag %q", control,
					tag)
			}
		},
	},
}

func checkCardMembers(s *session) {
	card := asObject(s.card.value)
	arrays := []string{"supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills"}
	names := []string{"name", "description", "version"}
	shape := shape{s.card, s.dialect, "a string"}
	if s.dialect.profile == Profile03 {
		arrays, names = arrays[1:], append(names, "url", "protocolVersion")
	}
	shape.strings(card, "the card", names...)
	for _, name := range arrays {
		if _, ok := card[name].([]any); !ok {
			s.card.failf("an array", "the card has no %s", name)
		}
	}
	if asObject(card["capabilities"]) == nil {
		s.card.failf("an object", "the card has no capabilities")
	}
	for i, skill := range list(card, "skills") {
		shape.strings(skill, fmt.Sprintf("skills[%d]", i), "id", "name", "description")
		if _, ok := skill["tags"].([]any); !ok {
			s.card.failf("an array", "skills[%d] has no tags", i)
		}
	}
}

func checkInterfaces(s *session) {
	all := list(asObject(s.card.value), "supportedInterfaces")
	if len(all) == 0 {
		s.card.failf("at least one interface", "none")
	}
	for i, face := range all {
		where := fmt.Sprintf("supportedInterfaces[%d]", i)
		shape{s.card, s.dialect, "a string"}.strings(face, where, "url", "protocolBinding", "protocolVersion")
		binding := text(face, "protocolBinding")
		if !slices.Contains([]string{JSONRPC, HTTPJSON, "GRPC"}, binding) && !strings.Contains(binding, ":") {
			s.card.failf("JSONRPC, HTTP+JSON, GRPC or the URI of another binding", "%s.protocolBinding is %q",
				where, binding)
		}
		if at, err := url.Parse(text(face, "url")); binding != "GRPC" &&
			(err != nil || at.Scheme == "" || at.Host == "") {
			s.card.failf("a whole URL", "%s.url is %q", where, text(face, "url"))
		}
	}
}

func checkSecurity(s *session) {
	card := asObject(s.card.value)
	schemes := asObject(card["securitySchemes"])
	member, names := "securityRequirements", func(o object) object { return asObject(o["schemes"]) }
	if s.dialect.profile == Profile03 {
		member, names = "security", func(o object) object { return o }
	}
	for _, requirement := range list(card, member) {
		for name := range names(requirement) {
			if _, ok := schemes[name]; !ok {
				s.card.failf("a scheme of securitySchemes", "%s names %q, which is none", member, name)
			}
		}
	}
}

// reachCheck comes before all others of an interface: without it there is nothing to check.
var reachCheck = check{
	name: "interface.answers", title: "the interface is where the card says", v1: must("8.3.1", "V1-186"),
	v03:    must("5.6"),
	advice: "correct the URL on the card, or serve this binding there",
	run: func(s *session) {
		var r *reply
		if f := try(func() { r = s.getUnknown() }); f != nil {
			panic(&finding{outcome: Missing, expected: "an answer at " + s.dialect.base, got: f.got})
		}
		value, _ := decode(r.answer)
		switch {
		case r.unauthorized():
			r.failf("an answer of the protocol", "HTTP %d: the agent wants credentials, or others", r.status)
		case r.problem != "" || s.dialect.transport == HTTPJSON && (r.fault == nil || r.fault.body["error"] == nil),
			s.dialect.transport == JSONRPC && r.status/100 == 4 && asObject(value)["jsonrpc"] == nil:
			panic(&finding{outcome: Missing, expected: "an answer of the protocol", got: r.what(),
				exchange: r.exchange})
		}
	},
}
