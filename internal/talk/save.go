// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const (
	maxDownload  = 1 << 30 // bytes of a file behind a URL
	maxRedirects = 3       // on the way to it
	maxName      = 200     // bytes of one name in a path
)

// A saver writes what an agent made into a folder. Nothing it writes is outside of the folder, whatever the agent calls
// its files and wherever links in the folder lead, and nothing is written over unless force says so.
type saver struct {
	SaveOptions
	web *http.Client

	root     *os.Root
	patience time.Duration // how long a server of files may send nothing; 0 means maxSilence
	// names that this run has used, in lower case, with the last number that was put to each; 1 for none
	taken map[string]int
}

// A SavedFile is what a saver wrote.
type SavedFile struct {
	Artifact  string `json:"artifact"`
	Path      string `json:"path"`
	MediaType string `json:"mediaType,omitzero"`
	Size      int64  `json:"size"`
}

// SaveOptions say where and how artifacts are saved.
type SaveOptions struct {
	Dir      string
	Force    bool   // write over files
	Networks string // those that URLs of other servers than the agent's may lead to
	Over     string // says in errors what writes over files
	Allow    string // follows the option that allows a network, in errors
}

// NetworksFlag adds --networks.
func (o *SaveOptions) NetworksFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.Networks, "networks", string(guard.Public),
		"networks besides the agent's server to fetch files from: public, loopback (and public) or private (and both)")
}

// Check refuses networks that there are none of.
func (o *SaveOptions) Check() error {
	if !guard.Networks(o.Networks).Valid() {
		return cmdline.Usagef("--networks is %q; use public, loopback or private", o.Networks)
	}
	return nil
}

// Save saves artifacts. The error joins those of files that are not on the disk.
func (t *Talk) Save(ctx context.Context, o SaveOptions, artifacts []*a2a.Artifact) ([]SavedFile, error) {
	s, err := t.newSaver(o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	saved, failed := s.artifacts(ctx, artifacts)
	if failed != nil && ctx.Err() == nil {
		failed = &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
			Message: strings.ReplaceAll(failed.Error(), "\n", "; ")}
	}
	return saved, failed
}

// SaveResult saves what a message brought and says so on the error stream.
func (t *Talk) SaveResult(ctx context.Context, o SaveOptions, outcome *client.Outcome) error {
	var made []*a2a.Artifact
	switch answer := outcome.Message(); {
	case answer != nil:
		made = filesOf(answer)
	case t.Task != "":
		task, err := outcome.Final(t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: t.Task, HistoryLength: new(int)}))
		if err != nil {
			return fmt.Errorf("the agent accepted the message, but the result cannot be saved: %w", err)
		}
		made = task.Artifacts
	}
	saved, err := t.Save(ctx, o, made)
	for _, file := range saved {
		t.Tell("Saved: %s", file)
	}
	return err
}

// filesOf returns the parts of a message that are files as an artifact, if there are any.
func filesOf(m *a2a.Message) []*a2a.Artifact {
	artifact := &a2a.Artifact{ID: a2a.ArtifactID(m.ID), Name: "message"}
	for _, part := range m.Parts {
		switch part.Content.(type) {
		case a2a.Raw, a2a.URL:
			artifact.Parts = append(artifact.Parts, part)
		}
	}
	if len(artifact.Parts) == 0 {
		return nil
	}
	return []*a2a.Artifact{artifact}
}

// String describes the file for people.
func (f SavedFile) String() string {
	return show.DescribeFile(f.Path, f.MediaType, show.Size(int(f.Size)))
}

// newSaver makes the folder, if it is missing, and opens it. Close it.
func (t *Talk) newSaver(o SaveOptions) (*saver, error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, cmdline.Usagef("the folder %s cannot be made: %s", o.Dir, cmdline.LastCause(err))
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, cmdline.Usagef("the folder %s cannot be used: %s", o.Dir, cmdline.LastCause(err))
	}
	transport := t.fileTransport(t.Client.Interface().URL, guard.Networks(o.Networks))
	web := &http.Client{Transport: transport, CheckRedirect: limitRedirects}
	return &saver{SaveOptions: o, web: web, root: root, taken: make(map[string]int)}, nil
}

func (s *saver) close() {
	s.root.Close()
	s.web.CloseIdleConnections()
}

func limitRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return nil
}

// fileTransport fetches files: from the server of the agent, which is called anyway, and from the given networks.
func (t *Talk) fileTransport(agent string, networks guard.Networks) http.RoundTripper {
	own := t.HTTPClient().Transport
	var others http.RoundTripper = guard.Transport(guard.Dial(networks))
	if t.Debug { // without the credentials, which do not go there
		others = connect.NewTap(others, t.Err, nil)
	}
	home, _ := url.Parse(agent)
	return connect.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if home != nil && req.URL.Scheme == home.Scheme && req.URL.Host == home.Host {
			return own.RoundTrip(req)
		}
		return others.RoundTrip(req)
	})
}

// artifacts writes artifacts, and goes on when one of them cannot be written. The error joins what went wrong.
func (s *saver) artifacts(ctx context.Context, artifacts []*a2a.Artifact) (saved []SavedFile, err error) {
	for _, artifact := range artifacts {
		for _, part := range show.Joined(artifact.Parts) {
			file, failed := s.part(ctx, artifact, &part)
			if failed != nil {
				name := nameOf(artifact, &part)
				err = errors.Join(err, fmt.Errorf("%s is not saved: %w", terminal.Inline(name), failed))
				continue
			}
			saved = append(saved, file)
		}
		if ctx.Err() != nil {
			return saved, ctx.Err()
		}
	}
	return saved, err
}

// part writes one part of an artifact.
func (s *saver) part(ctx context.Context, artifact *a2a.Artifact, part *a2a.Part) (SavedFile, error) {
	file := SavedFile{Artifact: string(artifact.ID), MediaType: show.TypeOf(part)}
	content, err := s.open(ctx, part, &file)
	if err != nil {
		return file, err
	}
	defer content.Close()
	name, err := safeName(nameOf(artifact, part))
	if err != nil {
		return file, err
	}
	file.Path, file.Size, err = s.write(name, content)
	return file, err
}

// open returns the content of a part.
func (s *saver) open(ctx context.Context, part *a2a.Part, file *SavedFile) (io.ReadCloser, error) {
	switch content := part.Content.(type) {
	case a2a.Text:
		return io.NopCloser(strings.NewReader(string(content))), nil
	case a2a.Data:
		text := jsontext.Value(content).Clone()
		if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(append(text, '\n'))), nil
	case a2a.Raw:
		return io.NopCloser(bytes.NewReader(content)), nil
	case a2a.URL:
		return s.fetch(ctx, string(content), file)
	}
	return nil, errors.New("it is of a kind that this program does not know")
}

// fetch opens what a URL leads to. Credentials are not sent there.
func (s *saver) fetch(ctx context.Context, ref string, file *SavedFile) (content io.ReadCloser, failed error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if failed != nil {
			cancel()
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ref, nil)
	if err != nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of http or https", ref)
	}
	resp, err := s.web.Do(req)
	if errors.Is(err, guard.ErrRefused) {
		return nil, fmt.Errorf("%s is in a network that agents may not make this program reach; %s", req.URL.Host,
			s.allow(req.URL))
	}
	if err != nil {
		why, _ := cmdline.CauseOf(err, ref)
		return nil, fmt.Errorf("%s: %s", ref, why)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: HTTP %s", ref, resp.Status)
	}
	if resp.ContentLength > maxDownload {
		resp.Body.Close()
		return nil, errTooLong
	}
	if file.MediaType == "" {
		file.MediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	}
	return newSteady(resp.Body, cancel, cmp.Or(s.patience, maxSilence)), nil
}

// isThere is the error of a file that is not written over.
func (s *saver) isThere(name string) error {
	return fmt.Errorf("%s is there already; %s writes over it", name, cmp.Or(s.Over, "--force"))
}

// allow says what lets a file of a forbidden network be fetched.
func (s *saver) allow(u *url.URL) string {
	network := guard.Private
	if connect.OnThisMachine(u.Host) {
		network = guard.Loopback
	}
	return fmt.Sprintf("--networks %s%s allows it", network, s.Allow)
}

// maxSilence is how long a server of files may send nothing in the middle of a file.
const maxSilence = 30 * time.Second

// steady is a body whose reads fail once it has sent nothing for a while. Make one with newSteady.
type steady struct {
	io.ReadCloser
	patience time.Duration
	cancel   context.CancelFunc // ends the request, and a read that waits
	silent   *time.Timer
	cut      atomic.Bool // it was silent for too long
}

func newSteady(body io.ReadCloser, cancel context.CancelFunc, patience time.Duration) *steady {
	b := &steady{ReadCloser: body, patience: patience, cancel: cancel}
	b.silent = time.AfterFunc(patience, func() {
		b.cut.Store(true)
		cancel()
	})
	b.silent.Stop() // until somebody waits
	return b
}

func (b *steady) Read(p []byte) (int, error) {
	b.silent.Reset(b.patience)
	n, err := b.ReadCloser.Read(p)
	b.silent.Stop()
	if err != nil && err != io.EOF && b.cut.Load() {
		err = fmt.Errorf("its server sent nothing for %s", terminal.FormatDuration(b.patience))
	}
	return n, err
}

func (b *steady) Close() error {
	b.silent.Stop()
	b.cancel()
	return b.ReadCloser.Close()
}

var errTooLong = fmt.Errorf("it has more than %s", terminal.FormatBytes(maxDownload))

// write writes a file completely or not at all. The name is one that safeName made.
func (s *saver) write(name string, content io.Reader) (where string, size int64, err error) {
	name = s.unused(name)
	if dir := path.Dir(name); dir != "." {
		if err := s.root.MkdirAll(dir, 0o755); err != nil {
			return "", 0, err
		}
	}
	where = filepath.Join(s.Dir, filepath.FromSlash(name))
	if _, err := s.root.Lstat(name); err == nil && !s.Force {
		return where, 0, s.isThere(where)
	}
	partial := path.Join(path.Dir(name), ".dragoman-"+rand.Text())
	f, err := s.root.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return where, 0, err
	}
	size, err = io.Copy(f, io.LimitReader(content, maxDownload+1))
	if size > maxDownload {
		err = errTooLong
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.publish(partial, name)
	}
	if err != nil {
		s.root.Remove(partial)
	}
	return where, size, err
}

// publish gives a file that is complete its name.
func (s *saver) publish(partial, name string) error {
	if s.Force {
		return s.root.Rename(partial, name)
	}
	err := s.root.Link(partial, name) // fails if somebody took the name meanwhile
	if errors.Is(err, fs.ErrExist) {
		return s.isThere(name)
	}
	if err != nil { // a file system without links
		return s.root.Rename(partial, name)
	}
	return s.root.Remove(partial)
}

// unused returns the name, with a number if this run has used it already.
func (s *saver) unused(name string) string {
	free, key := name, strings.ToLower(name) // file systems that know no case are many
	ext := path.Ext(name)
	for n := s.taken[key] + 1; s.taken[strings.ToLower(free)] > 0; n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
		s.taken[key] = n // so that the next one does not try all of these again
	}
	s.taken[strings.ToLower(free)] = max(1, s.taken[strings.ToLower(free)])
	return free
}

// nameOf returns what a part of an artifact is called: as the agent says, or else after its URL or its artifact.
func nameOf(artifact *a2a.Artifact, part *a2a.Part) string {
	if part.Filename != "" {
		return part.Filename
	}
	if ref, ok := part.Content.(a2a.URL); ok {
		if u, err := url.Parse(string(ref)); err == nil && strings.Contains(path.Base(u.Path), ".") {
			return path.Base(u.Path)
		}
	}
	name := artifact.Name
	if name == "" {
		name = "artifact-" + string(artifact.ID)
	}
	if path.Ext(name) == "" { // no file's name, so there are no folders in it either
		name = strings.ReplaceAll(name, "/", "_") + extension(show.TypeOf(part))
	}
	return name
}

// extensions are those that people expect, where the system knows several.
var extensions = map[string]string{
	"text/plain": ".txt", "text/markdown": ".md", "text/html": ".html", "application/json": ".json",
	"image/jpeg": ".jpg",
	"text/csv":   ".csv", "image/png": ".png", "text/x-python": ".py", "text/x-go": ".go",
}

func extension(mediaType string) string {
	mediaType, _, _ = mime.ParseMediaType(mediaType)
	if ext, ok := extensions[mediaType]; ok {
		return ext
	}
	if known, err := mime.ExtensionsByType(mediaType); err == nil && len(known) > 0 {
		return known[0]
	}
	return ""
}

// safeName makes a path inside a folder, with slashes, of the name that an agent gave a file, and refuses one that
// leads out of it. Folders in it stay. Hidden names get an underscore in front: what a program reads by itself, such as
// .profile, must not come from an agent unseen.
func safeName(name string) (string, error) {
	if !utf8.ValidString(name) || !filepath.IsLocal(name) || strings.Contains(name, `\`) {
		return "", fmt.Errorf("the name %q leads out of the folder", name)
	}
	var clean []string
	for _, element := range strings.Split(path.Clean(name), "/") {
		element = strings.Map(func(r rune) rune {
			if terminal.IsUnsafe(r) || strings.ContainsRune("\n\t<>:\"|?*", r) {
				return '_'
			}
			return r
		}, element)
		element = strings.TrimRight(strings.TrimSpace(element), ".")
		if element == "" || element[0] == '.' || element[0] == '-' {
			element = "_" + element
		}
		if len(element) > maxName {
			ext := path.Ext(element)
			if len(ext) > 20 {
				ext = ""
			}
			element = strings.ToValidUTF8(element[:maxName-len(ext)], "") + ext
		}
		clean = append(clean, element)
	}
	safe := strings.Join(clean, "/")
	if !filepath.IsLocal(safe) {
		return "", fmt.Errorf("the name %q leads out of the folder", name)
	}
	return safe, nil
}
