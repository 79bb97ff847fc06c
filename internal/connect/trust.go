// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// TrustOptions are the flags that say which cards are trusted.
type TrustOptions struct {
	policy string
	Keys   []string // files
	URLs   []string // prefixes
}

// TrustFlags are the names of the flags.
var TrustFlags = []string{"trust", "trusted-keys", "trusted-jku"}

// Add adds the flags.
func (o *TrustOptions) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.policy, TrustFlags[0], "", "for cards that no trusted key signed: off takes them, prefer "+
		"warns, require refuses them (default: require if trusted keys are named, else off)")
	flags.StringArrayVar(&o.Keys, TrustFlags[1], nil, "file with keys whose signatures of cards count, in PEM, as "+
		"JWK or as JWK set; repeatable")
	flags.StringArrayVar(&o.URLs, TrustFlags[2], nil, "https URL below which the keys that signatures name are "+
		"fetched and count, such as https://keys.example.com/; repeatable")
}

// Verifier returns the verifier of the trusted keys.
func (o *TrustOptions) Verifier(how signature.VerifierOptions) (*signature.Verifier, error) {
	var err error
	if how.Keys, err = cmdline.ReadKeys(TrustFlags[1], o.Keys); err != nil {
		return nil, err
	}
	how.KeysURLs = o.URLs
	v, err := signature.NewVerifier(how)
	if err != nil {
		return nil, cmdline.Usagef("--%s: %v", TrustFlags[2], err)
	}
	return v, nil
}

// named reports whether there are trusted keys.
func (o *TrustOptions) named() bool { return len(o.Keys)+len(o.URLs) > 0 }

// NoKeys is the error of a command that needs trusted keys and has none.
func NoKeys() error {
	return cmdline.Usagef("no trusted keys are named").WithHint(
		"name a file of keys with --trusted-keys, or where keys are fetched with --trusted-jku")
}

// Open returns how cards are trusted. Keys are fetched as how says.
func (o *TrustOptions) Open(how signature.VerifierOptions, warn func(format string, args ...any)) (*signature.Trust,
	error) {
	policy := signature.Off
	if o.named() {
		policy = signature.Require
	}
	policy = cmp.Or(signature.Policy(o.policy), policy)
	if !policy.Valid() {
		return nil, cmdline.Usagef("--trust is %q; use off, prefer or require", o.policy)
	}
	if policy != signature.Off && !o.named() {
		return nil, NoKeys()
	}
	verifier, err := o.Verifier(how)
	return &signature.Trust{Policy: policy, Verifier: verifier, Warn: func(ref string, err error) {
		warn("the card of %s is not trusted: %v", WithoutUser(ref), err)
	}}, err
}
