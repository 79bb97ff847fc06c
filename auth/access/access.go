// SPDX-License-Identifier: Apache-2.0

// Package access reads the file that says who may call agents, and what those callers may do. One file makes both the
// behaviour of a server and the security schemes on its card, so that the two cannot differ.
package access

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/authzen"
	"github.com/dragoman-a2a/dragoman/auth/oauth"
	"github.com/dragoman-a2a/dragoman/auth/oidc"
)

// Access is what a file says.
type Access struct {
	// Authenticator knows the callers; nil if the file names none.
	Authenticator auth.Authenticator
	// Policy is that of limits, rules and the decision point, all of which must allow; nil if the file has none.
	Policy auth.Policy
	// ClientCAs sign the certificates of callers; nil if none come with certificates. The server's tls.Config needs
	// them, with tls.VerifyClientCertIfGiven.
	ClientCAs *x509.CertPool
}

// Open reads a file. Names of files in it are relative to its folder. An error in it names line and column.
func Open(path string) (*Access, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := Parse(text, filepath.Dir(path), os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return a, nil
}

// Parse reads the text of a file. Relative names of files are in a folder, and lookup returns environment variables.
func Parse(text []byte, folder string, lookup func(name string) (string, bool)) (*Access, error) {
	var f file
	r := &reader{folder: folder, lookup: lookup}
	ctx := context.WithValue(context.Background(), readerKey{}, r)
	documents := yaml.NewDecoder(bytes.NewReader(text), yaml.DisallowUnknownField())
	if err := documents.DecodeContext(ctx, &f); err != nil && !errors.Is(err, io.EOF) {
		return nil, located(err)
	}
	var more any
	if err := documents.DecodeContext(ctx, &more); !errors.Is(err, io.EOF) {
		return nil, errors.New("1:1: the file has several documents, parted by ---; put everything into one")
	}
	if len(f.Callers)+len(f.Rules)+len(f.Limits) == 0 && f.Policy == nil {
		return nil, errors.New("1:1: the file has no callers, limits or rules; see docs/access.md for examples")
	}
	a := &Access{}
	policies, err := limiter(f.Limits)
	if err != nil {
		return nil, located(err)
	}
	if len(f.Rules) > 0 {
		policies = append(policies, f.Rules)
	}
	if f.Policy != nil {
		policies = append(policies, f.Policy.policy)
	}
	if policies != nil {
		a.Policy = policies
	}
	if a.Authenticator, a.ClientCAs, err = authenticator(f.Callers); err != nil {
		return nil, located(err)
	}
	return a, nil
}

// located returns an error of the YAML library as "line:column: message". It leaves out the text of the file around
// that place, which may be a secret.
func located(err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fmt.Errorf("1:1: %w", err)
	}
	p := at.GetToken().Position
	return fmt.Errorf("%d:%d: %s", p.Line, p.Column, at.GetMessage())
}

// file is the form of the file.
type file struct {
	Callers []caller       `yaml:"callers"`
	Limits  []limit        `yaml:"limits"`
	Rules   rules          `yaml:"rules"`
	Policy  *decisionPoint `yaml:"policy"`
}

// A caller has one member, which says by what it is known.
type caller struct {
	Token         *tokenCaller         `yaml:"token"`
	APIKey        *keyCaller           `yaml:"apiKey"`
	Basic         *basicCaller         `yaml:"basic"`
	OIDC          *oidcCallers         `yaml:"oidc"`
	Introspection *introspectedCallers `yaml:"introspection"`
	Certificate   *certificateCallers  `yaml:"certificate"`

	node ast.Node // for errors
}

// UnmarshalYAML refuses an entry that has several members, or none.
func (c *caller) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	type plain caller
	if err := inside(ctx, node, (*plain)(c)); err != nil {
		return err
	}
	c.node = node
	n := 0
	for _, set := range []bool{c.Token != nil, c.APIKey != nil, c.Basic != nil, c.OIDC != nil,
		c.Introspection != nil, c.Certificate != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return badf(node, "an entry has one of token, apiKey, basic, oidc, introspection and certificate; this has %d",
			n)
	}
	return nil
}

type tokenCaller struct {
	Secret  secret   `yaml:"secret"`
	Subject string   `yaml:"subject"`
	Client  string   `yaml:"client"`
	Scopes  []string `yaml:"scopes"`
}

type keyCaller struct {
	Of     tokenCaller `yaml:",inline"`
	Header string      `yaml:"header"`
	Query  string      `yaml:"query"`
	Cookie string      `yaml:"cookie"`
}

type basicCaller struct {
	User     string `yaml:"user"`
	Password secret `yaml:"password"`
}

type oidcCallers struct {
	Issuer     string   `yaml:"issuer"`
	Audience   []string `yaml:"audience"`
	JWKS       string   `yaml:"jwks"`
	Algorithms []string `yaml:"algorithms"`
	Scopes     []string `yaml:"scopes"`
	Prefix     string   `yaml:"prefix"`
	PlainHTTP  bool     `yaml:"plainHTTP"`
}

type introspectedCallers struct {
	URL          string   `yaml:"url"`
	ClientID     string   `yaml:"clientId"`
	ClientSecret secret   `yaml:"clientSecret"`
	Audience     []string `yaml:"audience"`
	Scopes       []string `yaml:"scopes"`
	Prefix       string   `yaml:"prefix"`
	PlainHTTP    bool     `yaml:"plainHTTP"`
}

type certificateCallers struct {
	CA pemFile `yaml:"ca"`
}

// A decisionPoint decides beside the rules. It is a URL, or a URL and a token.
type decisionPoint struct {
	URL   string `yaml:"url"`
	Token secret `yaml:"token"`

	policy auth.Policy
}

// UnmarshalYAML makes the policy.
func (d *decisionPoint) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	type plain decisionPoint
	var err error
	if _, ok := node.(*ast.MappingNode); ok {
		err = inside(ctx, node, (*plain)(d))
	} else {
		d.URL, err = text(node)
	}
	if err != nil {
		return err
	}
	if d.policy, err = authzen.New(authzen.Options{URL: d.URL, Token: string(d.Token)}); err != nil {
		return badf(node, "%v", err)
	}
	return nil
}

// A place is where API keys are sent.
type place struct{ location, name string }

// callers are collected by kind, so that a request is compared with all tokens, passwords or keys at once.
type callers struct {
	tokens    map[string]a2a.Identity
	passwords map[string]string
	keys      map[place]map[string]a2a.Identity
	places    []place // of keys, in the order of the file
	others    []auth.Authenticator
	pool      *x509.CertPool
}

// authenticator returns that of all callers, and who signs their certificates.
func authenticator(all []caller) (auth.Authenticator, *x509.CertPool, error) {
	c := callers{tokens: map[string]a2a.Identity{}, passwords: map[string]string{},
		keys: map[place]map[string]a2a.Identity{}}
	for i := range all {
		if err := c.add(&all[i]); err != nil {
			return nil, nil, badf(all[i].node, "%v", err)
		}
	}
	var kinds []auth.Authenticator
	if len(c.tokens) > 0 {
		kinds = append(kinds, auth.Tokens(c.tokens))
	}
	for _, p := range c.places {
		kinds = append(kinds, auth.APIKeys(p.location, p.name, c.keys[p]))
	}
	if len(c.passwords) > 0 {
		kinds = append(kinds, auth.Basic(c.passwords))
	}
	switch kinds = append(kinds, c.others...); len(kinds) {
	case 0:
		return nil, nil, nil
	case 1:
		return kinds[0], c.pool, nil
	}
	return auth.AnyOf(kinds...), c.pool, nil
}

func (c *callers) add(one *caller) error {
	switch {
	case one.Token != nil:
		id, err := one.Token.identity()
		if _, taken := c.tokens[string(one.Token.Secret)]; err == nil && taken {
			err = errors.New("this secret is that of an earlier entry")
		}
		c.tokens[string(one.Token.Secret)] = id
		return err
	case one.APIKey != nil:
		return c.addKey(one.APIKey)
	case one.Basic != nil:
		if one.Basic.User == "" || strings.Contains(one.Basic.User, ":") || one.Basic.Password == "" {
			return errors.New("it needs a user, whose name has no colon, and a password")
		}
		if _, taken := c.passwords[one.Basic.User]; taken {
			return errors.New("this user is that of an earlier entry")
		}
		c.passwords[one.Basic.User] = string(one.Basic.Password)
	case one.OIDC != nil:
		o := one.OIDC
		a, err := oidc.New(oidc.Options{Issuer: o.Issuer, Audience: o.Audience, JWKS: o.JWKS,
			Algorithms: o.Algorithms, Scopes: o.Scopes, Prefix: o.Prefix, PlainHTTP: o.PlainHTTP})
		c.others = append(c.others, a)
		return err
	case one.Introspection != nil:
		o := one.Introspection
		a, err := oauth.New(oauth.Options{URL: o.URL, ClientID: o.ClientID, ClientSecret: string(o.ClientSecret),
			Audience: o.Audience, Scopes: o.Scopes, Prefix: o.Prefix, PlainHTTP: o.PlainHTTP})
		c.others = append(c.others, a)
		return err
	case one.Certificate != nil:
		if c.pool == nil {
			c.pool = x509.NewCertPool()
			c.others = append(c.others, auth.Certificates(nil))
		}
		if !c.pool.AppendCertsFromPEM(one.Certificate.CA) {
			return errors.New("the file of ca has no certificate in PEM")
		}
	}
	return nil
}

func (c *callers) addKey(key *keyCaller) error {
	id, err := key.Of.identity()
	if err != nil {
		return err
	}
	var at []place
	for _, p := range []place{{"header", http.CanonicalHeaderKey(key.Header)}, {"query", key.Query},
		{"cookie", key.Cookie}} {
		if p.name != "" {
			at = append(at, p)
		}
	}
	if len(at) != 1 {
		return errors.New("say where the key is sent with one of header, query and cookie")
	}
	p := at[0]
	if c.keys[p] == nil {
		c.keys[p] = map[string]a2a.Identity{}
		c.places = append(c.places, p)
	}
	if _, taken := c.keys[p][string(key.Of.Secret)]; taken {
		return errors.New("this secret is that of an earlier entry")
	}
	c.keys[p][string(key.Of.Secret)] = id
	return nil
}

func (c *tokenCaller) identity() (a2a.Identity, error) {
	switch {
	case c.Secret == "":
		return a2a.Identity{}, errors.New("the secret is missing")
	case cmp.Or(c.Subject, c.Client) == "":
		return a2a.Identity{}, errors.New("say whose it is with subject, or client for a program without a user")
	}
	return a2a.Identity{Subject: c.Subject, Client: c.Client, Scopes: c.Scopes}, nil
}

// reader is what values of the file are read with.
type reader struct {
	folder string
	lookup func(name string) (string, bool)
}

type readerKey struct{}

// file returns the text of a file that the file names.
func (r *reader) file(name string) ([]byte, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.folder, name)
	}
	text, err := os.ReadFile(name)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return text, err
}
