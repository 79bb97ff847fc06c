// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const cardKeyLong = `key makes a key for ES256, writes the private key to a file that only you can read, and prints
the public key as a JWK set. Give the file to card sign or to --sign-key of a server, and the JWK
set to clients for --trusted-keys.`

func cardKey(c *connect.Caller) *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use: "key FILE", Short: "Make a key that signs cards", Long: cardKeyLong,
		Example: "  dragoman card key agent.jwk > public.json\n  dragoman card key --kid 2026-11 agent.jwk",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return err
			}
			key := jose.JSONWebKey{Key: private, KeyID: id, Algorithm: string(jose.ES256), Use: "sig"}
			signer, err := signature.NewSigner([]jose.JSONWebKey{key}, "")
			if err != nil {
				return err
			}
			key.KeyID = signer.PublicKeys().Keys[0].KeyID
			text, err := key.MarshalJSON()
			if err != nil {
				return err
			}
			file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, os.ErrExist) {
				return cmdline.Usagef("%s is already there", args[0]).WithHint(
					"name a new file; a key is not overwritten")
			}
			if err != nil {
				return err
			}
			if _, err := file.Write(append(text, '\n')); err != nil {
				return errors.Join(err, file.Close())
			}
			if err := file.Close(); err != nil {
				return err
			}
			return c.ShowValue(signer.PublicKeys())
		},
	}
	cmd.Flags().StringVar(&id, "kid", "", "ID of the key (default: its thumbprint)")
	return cmd
}

const cardSignLong = `sign prints a card with a signature by each key. Signatures that the card has stay, so that it can
have those of an old and a new key while keys change. The card is a file, a URL, - for standard
input, or the agent of -a. A server that derives its card signs it itself: see --sign-key of serve.`

func cardSign(c *connect.Caller) *cobra.Command {
	var keys []string
	var id, keysURL string
	cmd := &cobra.Command{
		Use: "sign --key KEY [FILE|URL]", Short: "Sign a card", Long: cardSignLong,
		Example: "  dragoman card sign --key agent.jwk card.json > signed.json\n  dragoman card sign --key old.jwk " +
			"--key new.pem --jku https://agent.example.com/keys.json card.json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Within(cmd.Context(), nil, func(ctx context.Context) error {
				if len(keys) == 0 {
					return cmdline.Usagef("no key is named").WithHint(
						"name its file with --key; make one with card key")
				}
				if id != "" && len(keys) > 1 {
					return cmdline.Usagef("--kid is for one key").WithHint("put the member kid into the JWKs")
				}
				signer, err := cmdline.ReadSigner("key", keys, id, keysURL)
				if err != nil {
					return err
				}
				raw, err := rawCard(ctx, c, args)
				if err != nil {
					return err
				}
				signed, err := signer.Sign(raw)
				if err != nil {
					return badCard(c, args, err)
				}
				return c.ShowJSON(signed)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&keys, "key", nil, "file with a private key, in PEM, as JWK or as JWK set; repeatable")
	flags.StringVar(&id, "kid", "", "ID of the key (default: that of the JWK, or its thumbprint)")
	flags.StringVar(&keysURL, "jku", "", "https URL of the JWK set with the public keys, for the signatures")
	return cmd
}

// badCard is the failure of a card that cannot be read.
func badCard(c *connect.Caller, args []string, err error) error {
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeCardInvalid, Message: err.Error(),
		Hint: "see what is wrong with it: " +
			terminal.CommandLine([]string{c.Program, "card", "validate", cardNamed(c, args)})}
}

const cardVerifyLong = `verify checks that a trusted key signed a card, and prints which key, and the canonical form of
the card that the signature covers: implementations differ, see docs/cards.md. The card is a file, a
URL, - for standard input, or the agent of -a. If no signature holds, the exit code is 1.`

func cardVerify(c *connect.Caller) *cobra.Command {
	return &cobra.Command{
		Use: "verify [FILE|URL]", Short: "Verify the signatures of a card", Long: cardVerifyLong,
		Example: "  dragoman card verify --trusted-keys public.json signed.json\n  dragoman card verify " +
			"--trusted-jku https://agent.example.com/ https://agent.example.com",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Within(cmd.Context(), nil, func(ctx context.Context) error { return verifyCard(ctx, c, args) })
		},
	}
}

func verifyCard(ctx context.Context, c *connect.Caller, args []string) error {
	if len(c.Trust.Keys)+len(c.Trust.URLs) == 0 {
		return connect.NoKeys()
	}
	verifier, err := c.Trust.Verifier(signature.VerifierOptions{HTTPClient: c.HTTPClient()})
	if err != nil {
		return err
	}
	raw, err := rawCard(ctx, c, args)
	if err != nil {
		return err
	}
	got, err := verifier.Verify(ctx, raw)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, signature.ErrUnsigned), errors.Is(err, signature.ErrNoKey),
		errors.Is(err, signature.ErrInvalid):
		return connect.Untrusted(err)
	case err != nil:
		return badCard(c, args, err)
	}
	if c.AsJSON {
		return c.ShowValue(struct {
			KeyID     string         `json:"keyId"`
			KeysURL   string         `json:"keysUrl,omitempty"`
			Algorithm string         `json:"algorithm"`
			Form      signature.Form `json:"form"`
		}{got.KeyID, got.KeysURL, got.Algorithm, got.Form})
	}
	fmt.Fprintf(c.Out, "The signature by key %s holds.\nAlgorithm: %s\nCanonical form: %s\n",
		terminal.Inline(cmp.Or(got.KeyID, "without an ID")), got.Algorithm, got.Form)
	if got.KeysURL != "" {
		fmt.Fprintf(c.Out, "Key from: %s\n", terminal.Inline(got.KeysURL))
	}
	var all struct {
		Signatures []struct{} `json:"signatures"`
	}
	if json.Unmarshal(raw, &all) == nil && len(all.Signatures) > 1 {
		fmt.Fprintf(c.Out, "Signatures of the card: %d\n", len(all.Signatures))
	}
	if got.Form != signature.FormWhole && got.Form != signature.Form03 {
		fmt.Fprintln(c.Out, "Only the members of A2A 1.0 are covered.")
	}
	return nil
}
