// SPDX-License-Identifier: Apache-2.0

package signature_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/card/signature"
)

// The files in testdata are cards that the official SDKs named there signed, over texts, numbers and keys on which
// implementations of RFC 8785 differ, and with required members that are empty.
func TestCardsOfTheSDKs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/public.pem")
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, parse(t, text)...)
	for file, want := range map[string]signature.Form{
		"javascript-1.json":       signature.FormSDK,
		"javascript-1-empty.json": signature.FormSDK,
		"python-1.3.0.json":       signature.FormSDK,
		"python-1.3.0-empty.json": signature.FormSDK,
		"python-1.0.0.json":       signature.FormPython,
		"python-0.3.26.json":      signature.Form03,
	} {
		card, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Verify(t.Context(), card)
		if err != nil || got.Form != want || got.KeyID != "k1" {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
		changed := strings.Replace(string(card), `"version": "1`, `"version": "2`, 1)
		changed = strings.Replace(changed, `"version":"1`, `"version":"2`, 1)
		if _, err := v.Verify(t.Context(), []byte(changed)); !errors.Is(err, signature.ErrInvalid) {
			t.Errorf("%s, changed: %v", file, err)
		}
	}
}

// The example of RFC 8785 §3.2.2 and §3.2.3, as a member of a card.
func TestRFC8785(t *testing.T) {
	t.Parallel()
	const document = `{"signatures":[1], "numbers": [333333333.33333329, 1E30, 4.50, 2e-3,
		0.000000000000000000000000001],
		"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`
	const want = `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
		`"string":"€$\u000f\nA'B\"\\\\\"/"}`
	got, err := signature.Canonical([]byte(document), signature.FormWhole)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	const keys = `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`
	const sorted = "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"\U0001F600\":5,\"\ufb33\":3}"
	got, err = signature.Canonical([]byte(keys), signature.FormWhole)
	if diff := cmp.Diff(sorted, string(got)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// A2A 1.0 §8.4.1: required members stay, also empty ones; set ones stay; other defaults go.
func TestForm10(t *testing.T) {
	t.Parallel()
	const document = `{"name":"Example Agent","description":"","version":"","supportedInterfaces":[],"skills":[],
		"defaultInputModes":[],"defaultOutputModes":[],"capabilities":{"streaming":false,"pushNotifications":false,
		"extensions":[]},"documentationUrl":"","securitySchemes":{},"protocolVersion":"0.3.0","signatures":[]}`
	const want = `{"capabilities":{"pushNotifications":false,"streaming":false},"defaultInputModes":[],` +
		`"defaultOutputModes":[],"description":"","documentationUrl":"","name":"Example Agent","skills":[],` +
		`"supportedInterfaces":[],"version":""}`
	got, err := signature.Canonical([]byte(document), signature.Form10)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// The signature of RFC 7515 appendix A.3 (ES256) is by this key over this payload, so that parsing and verification
// are those of the standard.
func TestRFC7515(t *testing.T) {
	t.Parallel()
	key := parse(t, []byte(`{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
		"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`))[0]
	const signed = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS" +
		"9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
	jws, err := jose.ParseSignedCompact(signed, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jws.Verify(key); err != nil {
		t.Error(err)
	}
}

const card10 = `{"name":"Clock","description":"tells the time","version":"1","capabilities":{},"skills":[],
	"supportedInterfaces":[{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
	"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"x-other":[1]}`

func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	for name, private := range keysOfEachKind(t) {
		key := jose.JSONWebKey{Key: private}
		signer, err := signature.NewSigner([]jose.JSONWebKey{key}, "")
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign([]byte(card10))
		if err != nil {
			t.Fatal(err)
		}
		got, err := verifier(t, signer.PublicKeys().Keys...).Verify(t.Context(), signed)
		if err != nil || got.Form != signature.Form10 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		published, err := json.Marshal(signer.PublicKeys())
		if err != nil || strings.Contains(string(published), `"d"`) || !strings.Contains(string(published), `"kid"`) {
			t.Errorf("%s: published %s, %v", name, published, err)
		}
		if _, err := verifier(t).Verify(t.Context(), signed); !errors.Is(err, signature.ErrNoKey) {
			t.Errorf("%s, without the key: %v", name, err)
		}
	}
}

func keysOfEachKind(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		all[curve.Params().Name] = key
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	all["Ed25519"], all["RSA"] = ed, rs
	return all
}

// A card in which something is empty has a signature for readers by the standard, and one for the official SDKs.
func TestSignaturesForSDKs(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "k", "")
	full := strings.NewReplacer(`"capabilities":{}`, `"capabilities":{"streaming":false}`, `"skills":[]`,
		`"skills":[{"id":"s","name":"n","description":"d","tags":["t"]}]`).Replace(card10)
	for card, want := range map[string]int{card10: 2, full: 1} {
		var signed struct{ Signatures []any }
		if err := json.Unmarshal(sign(t, signer, []byte(card)), &signed); err != nil {
			t.Fatal(err)
		}
		if len(signed.Signatures) != want {
			t.Errorf("%d signatures, want %d: %s", len(signed.Signatures), want, card)
		}
	}
}

// A signature over 1.0 says nothing of members that only readers of 0.3 see.
func TestCovered(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "k", "")
	signed := strings.Replace(string(sign(t, signer, []byte(card10))), "{", `{"url":"https://mallory.example",`, 1)
	got, err := verifier(t, signer.PublicKeys().Keys...).Verify(t.Context(), []byte(signed))
	if err != nil {
		t.Fatal(err)
	}
	if covered := string(got.Covered); strings.Contains(covered, "mallory") || !strings.Contains(covered, "a.example") {
		t.Errorf("covered is %s", covered)
	}
}

// During a rotation a card has two signatures, and a verifier with either key trusts it.
func TestRotation(t *testing.T) {
	t.Parallel()
	old, young := newSigner(t, "old", ""), newSigner(t, "new", "")
	signed := sign(t, young, sign(t, old, []byte(card10)))
	for _, s := range []*signature.Signer{old, young} {
		if _, err := verifier(t, s.PublicKeys().Keys...).Verify(t.Context(), signed); err != nil {
			t.Error(err)
		}
	}
	if _, err := verifier(t, newSigner(t, "new", "").PublicKeys().Keys...).Verify(t.Context(), signed); !errors.Is(err,
		signature.ErrInvalid) {
		t.Errorf("another key of the same ID: %v", err)
	}
}

// A PEM text gives all of its keys, or an error: a key that is left out would be missed during a rotation only.
func TestKeysInPEM(t *testing.T) {
	t.Parallel()
	block := func(kind string) string {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(private)
		if kind == "CERTIFICATE" {
			template := &x509.Certificate{SerialNumber: big.NewInt(1)}
			der, err = x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	old, young, certificate := block("PRIVATE KEY"), block("PRIVATE KEY"), block("CERTIFICATE")
	parameters := string(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{5, 0}}))
	for name, c := range map[string]struct {
		text string
		keys int // 0: an error
	}{
		"two keys":                 {"old\n" + old + "new\n" + young, 2},
		"a certificate":            {certificate, 1},
		"parameters of OpenSSL":    {parameters + old, 1},
		"parameters alone":         {parameters, 0},
		"a chain of certificates":  {certificate + block("CERTIFICATE"), 0},
		"a key and a certificate":  {old + certificate, 0},
		"a damaged key, then one":  {strings.Replace(old, "\n", "\n*", 1) + young, 0},
		"one, then a damaged key":  {old + strings.Replace(young, "-----END", "", 1), 0},
		"a key, then another kind": {old + strings.ReplaceAll(young, "PRIVATE KEY", "OTHER"), 0},
	} {
		keys, err := signature.ParseKeys([]byte(c.text))
		if (err == nil) != (c.keys > 0) || len(keys) != c.keys {
			t.Errorf("%s: %d keys, %v", name, len(keys), err)
		}
	}

	signer, err := signature.NewSigner(parse(t, []byte(old+young)), "")
	if err != nil {
		t.Fatal(err)
	}
	signed := sign(t, signer, []byte(card10))
	for _, text := range []string{old, young} {
		if _, err := verifier(t, parse(t, []byte(text))...).Verify(t.Context(), signed); err != nil {
			t.Error(err)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "k", "")
	signed := string(sign(t, signer, []byte(card10)))
	keys := signer.PublicKeys().Keys
	header := func(h string) string {
		var card struct{ Signatures []struct{ Protected string } }
		if err := json.Unmarshal([]byte(signed), &card); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(signed, card.Signatures[0].Protected, base64.RawURLEncoding.EncodeToString([]byte(h)))
	}
	encryption := keys[0]
	encryption.Use = "enc"
	for name, c := range map[string]struct {
		card string
		keys []jose.JSONWebKey
		want error
	}{
		"unsigned":                 {card10, keys, signature.ErrUnsigned},
		"no signature in the list": {strings.Replace(card10, "{", `{"signatures":[],`, 1), keys, signature.ErrUnsigned},
		"a changed text": {strings.Replace(signed, "tells the time", "tells all", 1), keys,
			signature.ErrInvalid},
		"an added interface": {strings.Replace(signed, `"supportedInterfaces":[`,
			`"supportedInterfaces":[{"url":"https://m.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"},`,
			1), keys, signature.ErrInvalid},
		"alg none":                 {header(`{"alg":"none","kid":"k"}`), keys, signature.ErrInvalid},
		"alg HS256":                {header(`{"alg":"HS256","kid":"k"}`), keys, signature.ErrInvalid},
		"another header":           {header(`{"alg":"ES256","kid":"k","typ":"x"}`), keys, signature.ErrInvalid},
		"a header that is no JSON": {header(`no`), keys, signature.ErrInvalid},
		"a key for encryption":     {signed, []jose.JSONWebKey{encryption}, signature.ErrNoKey},
		"an expired certificate": {signed, []jose.JSONWebKey{withCertificate(t, signer, -time.Hour)},
			signature.ErrNoKey},
	} {
		if got, err := verifier(t, c.keys...).Verify(t.Context(), []byte(c.card)); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := verifier(t, withCertificate(t, signer, time.Hour)).Verify(t.Context(), []byte(signed)); err != nil {
		t.Errorf("a certificate that is valid: %v", err)
	}
	for _, text := range []string{`{"kty":"oct","k":"c2VjcmV0"}`, `{"kty":"EC"}`, "secret", "",
		"-----BEGIN X-----\n-----END X-----\n"} {
		all, err := signature.ParseKeys([]byte(text))
		if err == nil {
			_, err = signature.NewSigner(all[:1], "")
		}
		if err == nil || !strings.HasPrefix(err.Error(), "signature: ") || strings.Contains(err.Error(), "secret") &&
			text == "secret" {
			t.Errorf("key %q: %v", text, err)
		}
	}
	if _, err := signature.NewSigner(keys[:1], ""); err == nil ||
		!strings.Contains(err.Error(), "a private key is needed") {
		t.Errorf("a public key: %v", err)
	}
}

// withCertificate returns the public key of a signer as one with a certificate that ends after a while.
func withCertificate(t *testing.T, s *signature.Signer, ends time.Duration) jose.JSONWebKey {
	t.Helper()
	issuer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := s.PublicKeys().Keys[0]
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "cards"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(ends)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Key, issuer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	key.Certificates = []*x509.Certificate{cert}
	return key
}

// The author of a card chooses its jku, so that keys come only from where the verifier allows it.
func TestKeysByURL(t *testing.T) {
	t.Parallel()
	var published jose.JSONWebKeySet
	var asked int
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/keys/a.json" {
			http.Redirect(w, r, "/keys/a.json", http.StatusFound)
			return
		}
		set := map[string]any{"keys": []any{map[string]string{"kty": "later"}, published.Keys[0]}}
		json.NewEncoder(w).Encode(set)
	}))
	defer srv.Close()
	for name, c := range map[string]struct {
		jku     string
		allowed []string
		want    error
	}{
		"allowed":           {srv.URL + "/keys/a.json", []string{srv.URL + "/keys/"}, nil},
		"allowed by name":   {srv.URL + "/keys/a.json", []string{srv.URL + "/keys/a.json"}, nil},
		"not allowed":       {srv.URL + "/keys/a.json", nil, signature.ErrNoKey},
		"another folder":    {srv.URL + "/keys/a.json", []string{srv.URL + "/key/"}, signature.ErrNoKey},
		"beside the folder": {srv.URL + "/keys/a.json", []string{srv.URL + "/ke"}, signature.ErrNoKey},
		"out of the folder": {srv.URL + "/open/../keys/a.json", []string{srv.URL + "/open/"}, signature.ErrNoKey},
		"another host":      {srv.URL + "/keys/a.json", []string{"https://keys.example/"}, signature.ErrNoKey},
		"that one with user": {strings.Replace(srv.URL, "https://", "https://keys.example@", 1) + "/keys/a.json",
			[]string{"https://keys.example/"}, signature.ErrNoKey},
		"encoded dots":     {srv.URL + "/open/%2e%2e/keys/a.json", []string{srv.URL + "/open/"}, signature.ErrNoKey},
		"an encoded slash": {srv.URL + "/open/..%2fkeys/a.json", []string{srv.URL + "/open/"}, signature.ErrNoKey},
		"a query":          {srv.URL + "/keys/a.json?x", []string{srv.URL + "/keys/"}, signature.ErrNoKey},
		"a redirect":       {srv.URL + "/open/", []string{srv.URL + "/open"}, signature.ErrNoKey},
	} {
		signer := newSigner(t, "k", c.jku)
		published = signer.PublicKeys()
		client := srv.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		v, err := signature.NewVerifier(signature.VerifierOptions{KeysURLs: c.allowed, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		asked = 0
		for range 3 {
			got, err := v.Verify(t.Context(), sign(t, signer, []byte(card10)))
			if !errors.Is(err, c.want) || err == nil && got.KeysURL != c.jku {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		if c.want == nil && asked != 1 {
			t.Errorf("%s: the keys were fetched %d times", name, asked)
		}
	}
	for _, prefix := range []string{"http://keys.example/", "https://keys.example", "keys"} {
		if _, err := signature.NewVerifier(signature.VerifierOptions{KeysURLs: []string{prefix}}); err == nil {
			t.Errorf("%q is taken", prefix)
		}
	}
}

// Canonical takes any document without a panic, and its result is JSON that is canonical already.
func FuzzCanonical(f *testing.F) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".json") {
			text, err := os.ReadFile("testdata/" + file.Name())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, form := range signature.Forms() {
			once, err := signature.Canonical(document, form)
			if err != nil {
				continue
			}
			if !json.Valid(once) {
				t.Fatalf("%s: %s", form, once)
			}
			if form != signature.FormWhole {
				continue
			}
			twice, err := signature.Canonical(once, form)
			if err != nil || string(once) != string(twice) {
				t.Fatalf("%s becomes %s (%v)", once, twice, err)
			}
		}
	})
}

func parse(t *testing.T, text []byte) []jose.JSONWebKey {
	t.Helper()
	keys, err := signature.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func verifier(t *testing.T, keys ...jose.JSONWebKey) *signature.Verifier {
	t.Helper()
	v, err := signature.NewVerifier(signature.VerifierOptions{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// newSigner returns one with a fresh key, which it reads from PEM.
func newSigner(t *testing.T, id, keysURL string) *signature.Signer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key := parse(t, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))[0]
	key.KeyID = id
	signer, err := signature.NewSigner([]jose.JSONWebKey{key}, keysURL)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func sign(t *testing.T, s *signature.Signer, card []byte) []byte {
	t.Helper()
	signed, err := s.Sign(card)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}
