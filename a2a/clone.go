// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Clone returns a deep copy that shares nothing with t; the clone of nil is nil.
func (t *Task) Clone() *Task {
	if t == nil {
		return nil
	}
	c := *t
	c.Status = t.Status.Clone()
	c.Artifacts = cloneList(t.Artifacts, (*Artifact).Clone)
	c.History = cloneList(t.History, (*Message).Clone)
	c.Metadata = t.Metadata.Clone()
	return &c
}

// Clone returns a deep copy that shares nothing with s.
func (s TaskStatus) Clone() TaskStatus {
	s.Message = s.Message.Clone()
	return s
}

// Clone returns a deep copy that shares nothing with m; the clone of nil is nil.
func (m *Message) Clone() *Message {
	if m == nil {
		return nil
	}
	c := *m
	c.Parts = cloneList(m.Parts, Part.Clone)
	c.Metadata = m.Metadata.Clone()
	c.Extensions = slices.Clone(m.Extensions)
	c.ReferenceTaskIDs = slices.Clone(m.ReferenceTaskIDs)
	return &c
}

// Clone returns a deep copy that shares nothing with a; the clone of nil is nil.
func (a *Artifact) Clone() *Artifact {
	if a == nil {
		return nil
	}
	c := *a
	c.Parts = cloneList(a.Parts, Part.Clone)
	c.Metadata = a.Metadata.Clone()
	c.Extensions = slices.Clone(a.Extensions)
	return &c
}

// Clone returns a deep copy that shares nothing with p.
func (p Part) Clone() Part {
	switch c := p.Content.(type) {
	case Raw:
		p.Content = Raw(bytes.Clone(c))
	case Data:
		p.Content = Data(bytes.Clone(c))
	}
	p.Metadata = p.Metadata.Clone()
	return p
}

// Clone returns a deep copy that shares nothing with m; the clone of nil is nil.
func (m Metadata) Clone() Metadata { return cloneMap(m, jsontext.Value.Clone) }

// Clone returns a deep copy that shares nothing with u; the clone of nil is nil.
func (u *StatusUpdate) Clone() *StatusUpdate {
	if u == nil {
		return nil
	}
	c := *u
	c.Status = u.Status.Clone()
	c.Metadata = u.Metadata.Clone()
	return &c
}

// Clone returns a deep copy that shares nothing with u; the clone of nil is nil.
func (u *ArtifactUpdate) Clone() *ArtifactUpdate {
	if u == nil {
		return nil
	}
	c := *u
	c.Artifact = u.Artifact.Clone()
	c.Metadata = u.Metadata.Clone()
	return &c
}

// Clone returns a deep copy that shares nothing with c; the clone of nil is nil.
func (c *AgentCard) Clone() *AgentCard {
	if c == nil {
		return nil
	}
	n := *c
	n.SupportedInterfaces = slices.Clone(c.SupportedInterfaces)
	n.Provider = clonePtr(c.Provider)
	n.DocumentationURL = clonePtr(c.DocumentationURL)
	n.IconURL = clonePtr(c.IconURL)
	n.Capabilities = c.Capabilities.Clone()
	n.SecuritySchemes = cloneMap(c.SecuritySchemes, cloneScheme)
	n.SecurityRequirements = cloneList(c.SecurityRequirements, SecurityRequirement.Clone)
	n.DefaultInputModes = slices.Clone(c.DefaultInputModes)
	n.DefaultOutputModes = slices.Clone(c.DefaultOutputModes)
	n.Skills = cloneList(c.Skills, AgentSkill.Clone)
	n.Signatures = cloneList(c.Signatures, AgentCardSignature.Clone)
	return &n
}

// Clone returns a deep copy that shares nothing with c.
func (c AgentCapabilities) Clone() AgentCapabilities {
	c.Streaming = clonePtr(c.Streaming)
	c.PushNotifications = clonePtr(c.PushNotifications)
	c.ExtendedAgentCard = clonePtr(c.ExtendedAgentCard)
	c.Extensions = cloneList(c.Extensions, AgentExtension.Clone)
	return c
}

// Clone returns a deep copy that shares nothing with e.
func (e AgentExtension) Clone() AgentExtension {
	e.Params = e.Params.Clone()
	return e
}

// Clone returns a deep copy that shares nothing with s.
func (s AgentSkill) Clone() AgentSkill {
	s.Tags = slices.Clone(s.Tags)
	s.Examples = slices.Clone(s.Examples)
	s.InputModes = slices.Clone(s.InputModes)
	s.OutputModes = slices.Clone(s.OutputModes)
	s.SecurityRequirements = cloneList(s.SecurityRequirements, SecurityRequirement.Clone)
	return s
}

// Clone returns a deep copy that shares nothing with s.
func (s AgentCardSignature) Clone() AgentCardSignature {
	s.Header = s.Header.Clone()
	return s
}

// Clone returns a deep copy that shares nothing with r; the clone of nil is nil.
func (r SecurityRequirement) Clone() SecurityRequirement {
	return cloneMap(r, slices.Clone[[]string])
}

func cloneScheme(s SecurityScheme) SecurityScheme {
	switch s := s.(type) {
	case *APIKeyScheme:
		return clonePtr(s)
	case *HTTPAuthScheme:
		return clonePtr(s)
	case *OAuth2Scheme:
		c := *s
		c.Flow = cloneFlow(s.Flow)
		return &c
	case *OpenIDConnectScheme:
		return clonePtr(s)
	case *MutualTLSScheme:
		return clonePtr(s)
	}
	return s
}

func cloneFlow(f OAuthFlow) OAuthFlow {
	switch f := f.(type) {
	case *AuthorizationCodeFlow:
		c := *f
		c.Scopes = maps.Clone(f.Scopes)
		return &c
	case *ClientCredentialsFlow:
		c := *f
		c.Scopes = maps.Clone(f.Scopes)
		return &c
	case *DeviceCodeFlow:
		c := *f
		c.Scopes = maps.Clone(f.Scopes)
		return &c
	case *ImplicitFlow:
		c := *f
		c.Scopes = maps.Clone(f.Scopes)
		return &c
	case *PasswordFlow:
		c := *f
		c.Scopes = maps.Clone(f.Scopes)
		return &c
	}
	return f
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloneList[L ~[]E, E any](list L, clone func(E) E) L {
	if list == nil {
		return nil
	}
	c := make(L, len(list))
	for i, e := range list {
		c[i] = clone(e)
	}
	return c
}

func cloneMap[M ~map[string]V, V any](m M, clone func(V) V) M {
	if m == nil {
		return nil
	}
	c := make(M, len(m))
	for k, v := range m {
		c[k] = clone(v)
	}
	return c
}
