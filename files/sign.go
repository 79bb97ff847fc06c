// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Path is where the URLs of files are, below the base URL of the server that gives them out.
const Path = "/files/"

// keySize is that of the hash, which is what HMAC wants (RFC 2104 §3).
const keySize = sha256.Size

// readKey reads the key that signs URLs, and makes one if there is none. Removing the key invalidates all URLs.
func readKey(name string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		fresh := make([]byte, keySize)
		rand.Read(fresh)
		err = writeFile(name, []byte(hex.EncodeToString(fresh)+"\n"))
		if err == nil {
			err = syncFolder(filepath.Dir(name))
		}
		raw = []byte(hex.EncodeToString(fresh))
	}
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(raw)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("files: %s is not a key; remove it, and all URLs that were given out end", name)
	}
	return key, nil
}

// sign returns the signature of a URL. The signed text is unambiguous: only the name could contain a line break, and
// names never do.
func (s *Store) sign(id, name, expires string) string {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "dragoman file 1\n%s\n%s\n%s", id, name, expires)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// URL returns where a file can be had for a while, below a base URL such as "https://agent.example.com/agents/clock".
// The same file has the same URL for some time, so that what a reader has fetched it need not fetch again.
func (s *Store) URL(base, id, name string, now time.Time) string {
	until := now.Add(s.opts.Lifetime).Truncate(s.opts.Lifetime).Add(s.opts.Lifetime)
	expires := strconv.FormatInt(until.Unix(), 10)
	name = urlName(name)
	query := url.Values{"expires": {expires}, "signature": {s.sign(id, name, expires)}}
	return strings.TrimRight(base, "/") + Path + id + "/" + url.PathEscape(name) + "?" + query.Encode()
}

func urlName(name string) string {
	if name = cleanName(name); name == "" {
		return "file"
	}
	return name
}

var (
	errUnsigned = errors.New("files: the URL is not signed, or changed")
	errExpired  = errors.New("files: the URL has expired")
)

// verify returns the id of the file that a URL names. Errors: errUnsigned, errExpired.
func (s *Store) verify(u *url.URL, now time.Time) (id string, until time.Time, err error) {
	rest, ok := strings.CutPrefix(u.Path, Path)
	id, name, named := strings.Cut(rest, "/")
	query := u.Query()
	expires, signature := query.Get("expires"), query.Get("signature")
	seconds, err := strconv.ParseInt(expires, 10, 64)
	if !ok || !named || err != nil || len(name) > 4*maxName ||
		!hmac.Equal([]byte(signature), []byte(s.sign(id, name, expires))) {
		return "", until, errUnsigned
	}
	until = time.Unix(seconds, 0)
	if !now.Before(until) {
		return "", until, errExpired
	}
	return id, until, nil
}

// reference is what stands in the journal for a file, in place of a URL.
const reference = "dragoman-file:"

func referenceTo(f *File) string {
	return reference + f.ID + "/" + url.PathEscape(path.Base(urlName(f.Name)))
}

// parseReference returns the id and the name of what a reference is to.
func parseReference(ref string) (id, name string, ok bool) {
	rest, ok := strings.CutPrefix(ref, reference)
	if !ok {
		return "", "", false
	}
	id, escaped, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(escaped)
	return id, name, err == nil
}
