// SPDX-License-Identifier: Apache-2.0

// Package kit is the look of every page that Dragoman serves: one style sheet with tokens and components, one frame
// around each page, and the scripts that show a conversation with an agent. Nothing is loaded from elsewhere.
//
// A page is a template made by [New] and written by [Write]. Its server has the files of the kit at [Path] below the
// page's own address, where [Files] serves them.
package kit

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:generate vendored/build.sh

//go:embed web/*.css web/*.js web/*.svg web/vendor/*.js web/vendor/LICENSES.txt
var embedded embed.FS

// Path is where a page finds the files of the kit, relative to the page.
const Path = ".dragoman/"

// policy lets a page load its own files and nothing else. What agents write is shown and never run. Pictures and sounds
// of elsewhere are loaded once a person asks for them.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src 'self' data: blob: https:; media-src 'self' blob: https:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const frame = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<link rel="icon" href="{{.Files}}icon.svg">
<link rel="stylesheet" href="{{.Files}}kit.css">
{{range .Styles}}<link rel="stylesheet" href="{{.}}">
{{end -}}
{{range .Scripts}}<script type="module" src="{{.}}"></script>
{{end}}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="brand" href="./">Dragoman</a><span class="section">{{.Section}}</span>{{block "end" .Data}}{{end}}</header>
<main id="main" class="page">
{{template "main" .Data}}</main>
</body>
</html>
`

// New returns the template of a page, whose text defines "main", and "end" for the right end of the bar.
func New(text string) *template.Template {
	return template.Must(template.Must(template.New("page").Parse(frame)).Parse(text))
}

// A Page is what goes into the frame.
type Page struct {
	Title   string
	Section string   // what the page is about, in one or two words
	Styles  []string // of the page alone, relative to it
	Scripts []string // modules, relative to the page
	Data    any      // of the template's "main" and "end"
}

// Write answers with a page.
func Write(w http.ResponseWriter, t *template.Template, p Page) error {
	var buf bytes.Buffer
	err := t.Execute(&buf, struct {
		Page
		Files string
	}{p, Path})
	if err != nil {
		return err
	}
	SetHeaders(w.Header())
	w.Write(buf.Bytes()) // the caller may be gone
	return nil
}

// SetHeaders sets the header of a page.
func SetHeaders(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-cache")
}

// A file is one of the kit.
type file struct {
	content   []byte
	mediaType string
	etag      string
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8", "": "text/plain; charset=utf-8",
}

// files are all files of the kit by their names.
var files = sync.OnceValue(func() map[string]file {
	all := make(map[string]file)
	err := fs.WalkDir(embedded, "web", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		sum := sha256.Sum256(content)
		all[strings.TrimPrefix(name, "web/")] = file{content, mediaTypes[path.Ext(name)],
			`"` + hex.EncodeToString(sum[:12]) + `"`}
		return err
	})
	if err != nil {
		panic("kit: " + err.Error()) // what is embedded can be read
	}
	return all
})

// Files serves a file of the kit. The name of the file is all that follows the last [Path] in the path of the request.
func Files(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(r.URL.Path, "/"+Path)
	f, ok := files()[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// Has reports whether a path is that of a file of the kit, as it is below the address of a page.
func Has(path string) bool { return strings.HasPrefix(path, "/"+Path) }
