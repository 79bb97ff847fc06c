// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/peterh/liner"
)

const (
	maxHistoryLine = 64 << 10 // bytes; longer lines are forgotten
	maxHistory     = 1 << 20  // bytes of the file, until the next chat shortens it
)

// A History keeps what a person typed in conversations, for the next ones: a file with a line for each message, the
// newest at the end. Several processes may use it at once. The nil history keeps nothing.
type History struct {
	File string
	Warn func(error) // says that nothing more is kept, and why
}

// lines returns what was kept, the newest 1,000 lines at most. A file that has grown too large is shortened to them.
func (h *History) lines() []string {
	if h == nil {
		return nil
	}
	file, err := os.Open(h.File)
	if err != nil {
		h.complain(err)
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		h.complain(err)
		return nil
	}
	text, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-maxHistory), maxHistory))
	if err != nil {
		h.complain(err)
		return nil
	}
	lines := strings.Split(string(text), "\n")
	if info.Size() > maxHistory {
		lines = lines[1:] // which begins somewhere
	}
	kept := lines[:0]
	for _, line := range lines {
		if line != "" && utf8.ValidString(line) {
			kept = append(kept, line)
		}
	}
	kept = kept[max(0, len(kept)-liner.HistoryLimit):]
	if info.Size() > maxHistory {
		h.complain(h.replace(kept))
	}
	return kept
}

// replace writes the file anew.
func (h *History) replace(lines []string) error {
	shorter, err := os.CreateTemp(filepath.Dir(h.File), filepath.Base(h.File)+"-*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(shorter, strings.Join(lines, "\n")+"\n")
	if err = errors.Join(err, shorter.Close()); err == nil {
		err = os.Rename(shorter.Name(), h.File)
	}
	if err != nil {
		return errors.Join(err, os.Remove(shorter.Name()))
	}
	return nil
}

// add keeps a line. One that begins with a space is forgotten, as shells do.
func (h *History) add(line string) {
	if h == nil || len(line) > maxHistoryLine || strings.HasPrefix(line, " ") {
		return
	}
	h.complain(h.write(marked.Replace(line) + "\n"))
}

func (h *History) write(line string) error {
	if err := os.MkdirAll(filepath.Dir(h.File), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(h.File, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line) // at once, so that lines of several processes do not mix
	return errors.Join(err, file.Close())
}

// complain warns of the first error, after which nothing more is kept.
func (h *History) complain(err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) || h.File == "" {
		return
	}
	h.Warn(err)
	h.File = ""
}
