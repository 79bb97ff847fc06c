// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card/signature"
)

// Signing is what a server needs to sign its cards and notifications; see server.Options and push.Options.
type Signing struct {
	CardSigner interface {
		Signatures(document []byte) ([]a2a.AgentCardSignature, error)
	}
	TokenSigner interface {
		Token(claims []byte) (string, error)
	}
	PublicKeys []byte // a JWK set
}

// SignFlag adds the flag for the keys that sign the cards of a server.
func (o *ListenOptions) SignFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.SignKeys, "sign-key", nil, "file with a private key, in PEM or as JWK, that signs the "+
		"agent card; see card key; repeatable")
}

// Signing reads the keys. The server publishes them at keysPath, which the signatures name if --url is https.
func (o *ListenOptions) Signing(keysPath string) (s Signing, err error) {
	if len(o.SignKeys) == 0 {
		return s, nil
	}
	keysURL := ""
	if strings.HasPrefix(o.URL, "https://") {
		keysURL = strings.TrimRight(o.URL, "/") + keysPath
	}
	signer, err := ReadSigner("sign-key", o.SignKeys, "", keysURL)
	if err != nil {
		return s, err
	}
	s.CardSigner, s.TokenSigner = signer, signer
	s.PublicKeys, err = json.Marshal(signer.PublicKeys())
	return s, err
}

// ReadSigner returns the signer of the keys in files that a flag names. A key that has no ID gets keyID.
func ReadSigner(flag string, files []string, keyID, keysURL string) (*signature.Signer, error) {
	keys, err := ReadKeys(flag, files)
	if err != nil {
		return nil, err
	}
	for i := range keys {
		if keyID != "" && len(keys) == 1 {
			keys[i].KeyID = keyID
		}
		if keys[i].IsPublic() {
			return nil, Usagef("--%s: the key %q is public; signing takes the private key", flag,
				keys[i].KeyID).WithHint("make a key with card key")
		}
	}
	signer, err := signature.NewSigner(keys, keysURL)
	if err != nil {
		return nil, Usagef("--%s: %v", flag, err)
	}
	return signer, nil
}

// maxKeys is the size of the largest file with keys, in bytes.
const maxKeys = 1 << 20

// ReadKeys reads the keys in files that a flag names.
func ReadKeys(flag string, files []string) ([]jose.JSONWebKey, error) {
	var all []jose.JSONWebKey
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && info.Size() > maxKeys {
			err = fmt.Errorf("%s is larger than 1 MiB", name)
		}
		if err != nil {
			return nil, Usagef("--%s: %v", flag, err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, Usagef("--%s: %v", flag, err)
		}
		keys, err := signature.ParseKeys(text)
		if err != nil {
			return nil, Usagef("--%s: %s: %v", flag, name, err)
		}
		all = append(all, keys...)
	}
	return all, nil
}
