// SPDX-License-Identifier: Apache-2.0

// Package auditcmd holds the command that checks audit logs.
package auditcmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

const verifyLong = `verify reads an audit log and checks that no line was changed, taken out or put in.
It prints how many lines there are and the head of the log, LINES:HASH.

A program that can write the file can write all of it anew. Against that, keep
the head elsewhere: --head checks that the log still goes on from it.`

const verifyExample = `  dragoman audit verify audit.jsonl
  dragoman audit verify audit.jsonl --head 120:5c0d...
  dragoman audit verify audit.jsonl --print`

// Command returns the command audit, with verify below it.
func Command(run *cmdline.Run) *cobra.Command {
	var head string
	var show bool
	cmd := &cobra.Command{
		Use:     "verify FILE",
		Short:   "Check that an audit log is whole",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    cmdline.OneWord("the FILE of an audit log"),
		RunE: func(_ *cobra.Command, args []string) error {
			return verify(run.Terminal, args[0], head, show)
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "an earlier head of the log, LINES:HASH, that must still be in it")
	cmd.Flags().BoolVar(&show, "print", false, "print each record")
	return cmdline.Group(&cobra.Command{Use: "audit", Short: "Check the audit log of a server",
		Example: "  dragoman audit verify audit.jsonl"}, cmd)
}

func verify(t *terminal.Terminal, path, earlier string, show bool) error {
	want, err := parseHead(earlier)
	if err != nil {
		return err
	}
	text, err := os.Open(path)
	if err != nil {
		return cmdline.Usagef("%v", err)
	}
	defer text.Close()
	if earlier != "" {
		got, err := audit.Verify(firstLines(text, want.Lines), nil)
		if err == nil && got != want {
			err = fmt.Errorf("it does not have the head %s: lines up to there were replaced, or are missing", earlier)
		}
		if err != nil {
			return broken(path, err)
		}
		if _, err := text.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(t.Out)
	head, err := audit.Verify(text, func(r audit.Record) {
		if show {
			fmt.Fprintln(out, recordLine(&r))
		}
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return broken(path, err)
	}
	if t.AsJSON {
		return t.ShowValue(map[string]any{"lines": head.Lines, "head": headText(head)})
	}
	_, err = fmt.Fprintf(t.Out, "%s is whole: %d lines, head %s\n", path, head.Lines, headText(head))
	return err
}

func broken(path string, err error) error {
	return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
		Message: fmt.Sprintf("%s is not whole: %v", path, err)}).WithHint(
		"keep the file as it is, and compare it with a copy")
}

// recordLine returns a record on one line. What callers named is escaped.
func recordLine(r *audit.Record) string {
	words := []string{r.Time.Format(time.RFC3339Nano), r.Result, r.Operation}
	for _, named := range [...][2]string{{"subject", r.Subject}, {"client", r.Client},
		{"actors", strings.Join(r.Actors, ",")}, {"agent", r.Agent}, {"task", r.Task}, {"trace", r.Trace}} {
		if named[1] != "" {
			words = append(words, named[0]+"="+named[1])
		}
	}
	return terminal.Inline(strings.Join(words, " "))
}

func headText(h audit.Head) string { return strconv.FormatInt(h.Lines, 10) + ":" + h.Hash }

func parseHead(text string) (audit.Head, error) {
	if text == "" {
		return audit.Head{}, nil
	}
	number, hash, _ := strings.Cut(text, ":")
	lines, err := strconv.ParseInt(number, 10, 64)
	if err != nil || lines < 1 || len(hash) != 64 {
		return audit.Head{}, cmdline.Usagef("--head is %q; it must be LINES:HASH, as audit verify prints it", text)
	}
	return audit.Head{Lines: lines, Hash: hash}, nil
}

// firstLines reads at most so many lines.
func firstLines(r io.Reader, lines int64) io.Reader { return &limitedLines{r: r, left: lines} }

type limitedLines struct {
	r    io.Reader
	left int64
}

func (l *limitedLines) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(p)
	for i := 0; i < n; {
		end := bytes.IndexByte(p[i:n], '\n')
		if end < 0 {
			break
		}
		i += end + 1
		if l.left--; l.left == 0 {
			return i, nil
		}
	}
	return n, err
}
