// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const (
	envFileName = ".env"
	maxEnvFile  = 1 << 20 // bytes
)

// An envFile is a file with variables, which count after those of the environment.
type envFile struct {
	path    string
	vars    map[string]string // only those of this program
	lines   map[string]int    // where they stand
	strays  []int             // lines that assign nothing to anything
	warning string            // what the user should know of it
}

// findFiles reads the files that count, the one that counts first at the front: that of --config, or else the .env that
// is nearest to the working directory on the way up; then that of the user. A file that was found, not named, and
// cannot be read or trusted counts for nothing and has a warning.
func (c *command) findFiles() ([]envFile, error) {
	var files []envFile
	named, source := c.Config, "--config"
	if named == "" {
		named, source = c.setting(cmdline.FlagConfig)
	}
	if named != "" {
		file, err := readEnvFile(named)
		if err != nil {
			return nil, cmdline.Usagef("%s: %v", source, err)
		}
		files = append(files, file)
	}
	found := []string{c.userFile()}
	if named == "" {
		found = []string{nearestFile(c.Dir), c.userFile()}
	}
	for _, path := range slices.Compact(found) {
		if path == "" {
			continue
		}
		file, err := readFoundFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// nearestFile returns the path of the first .env from a folder upwards; "" for none. A folder of that name, which
// other tools make, is none.
func nearestFile(dir string) string {
	for dir != "" {
		path := filepath.Join(dir, envFileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// userFile returns the path of the user's file, whose folder is that of the A2A command-line specification; "" for
// none.
func (c *command) userFile() string {
	home, err := c.ConfigHome()
	if err != nil {
		return ""
	}
	path := filepath.Join(home, "a2a-cli", envFileName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// readFoundFile reads a file that the user did not name. One that somebody else put on the way up could send messages
// and credentials to an agent of theirs.
func readFoundFile(path string) (envFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return envFile{path: path, warning: err.Error()}, nil
	}
	if cmdline.IsForeign(info) {
		return envFile{path: path, warning: path +
			" belongs to another user and does not count; name it with --config if you trust it"}, nil
	}
	file, err := readEnvFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return envFile{path: path, warning: err.Error()}, nil
	}
	if err != nil {
		return file, cmdline.Usagef("%v", err)
	}
	return file, nil
}

func readEnvFile(path string) (envFile, error) {
	file := envFile{path: path}
	info, err := os.Stat(path)
	if err != nil {
		return file, err
	}
	if !info.Mode().IsRegular() {
		return file, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return file, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEnvFile+1))
	if err != nil {
		return file, err
	}
	if len(text) > maxEnvFile {
		return file, fmt.Errorf("%s has more than %d bytes; it must hold settings only", path, maxEnvFile)
	}
	if err := file.parse(string(text)); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	if isOpen(info) && file.holdsSecret() {
		file.warning = fmt.Sprintf("%s holds a credential and others may read it; chmod 600 %s", path,
			terminal.ShellQuote(path))
	}
	return file, nil
}

// isOpen reports whether others than the owner may do anything with a file. Windows keeps that elsewhere.
func isOpen(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

func (f *envFile) holdsSecret() bool {
	for _, flag := range secrets {
		if value, _ := lookUp(flag, f.lookup); value != "" {
			return true
		}
	}
	return false
}

func (f *envFile) lookup(name string) (string, bool) {
	value, ok := f.vars[name]
	return value, ok
}

// parse reads the text of a .env file. Each variable stands on a line of its own, KEY=VALUE, perhaps after "export". In
// double quotes, \n, \r and \t are what they are in C and a backslash makes any other character itself; in single
// quotes every character is itself; without quotes the value ends before a # that follows a space. Nothing is replaced
// by other variables. Of two lines for a key the last one counts. Of the lines of other programs, whose rules may
// differ, it is only noted which are no assignments. An error names the line, and never the value, which may be a
// secret.
func (f *envFile) parse(text string) error {
	f.vars, f.lines = make(map[string]string), make(map[string]int)
	number, open := 0, "" // the quote of a value of another program that goes on over lines
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "export"); found && strings.TrimLeft(rest, " \t") != rest {
			line = strings.TrimLeft(rest, " \t")
		}
		key, value, found := strings.Cut(line, "=")
		key, value = strings.TrimRight(key, " \t"), strings.TrimLeft(value, " \t")
		if !slices.ContainsFunc(envPrefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			switch {
			case open != "":
				if strings.Contains(line, open) {
					open = ""
				}
			case line == "" || line[0] == '#':
			case !found:
				f.strays = append(f.strays, number)
			case opensQuote(value):
				open = value[:1]
			}
			continue
		}
		if !found || !isEnvName(key) {
			return fmt.Errorf("line %d is not KEY=VALUE", number)
		}
		value, err := unquoteEnv(value)
		if err != nil {
			return fmt.Errorf("line %d: the value of %s %w", number, key, err)
		}
		f.vars[key], f.lines[key] = value, number
	}
	return nil
}

// opensQuote reports whether a value begins a quote that does not end on its line.
func opensQuote(value string) bool {
	return value != "" && strings.Contains(`"'`, value[:1]) && !strings.Contains(value[1:], value[:1])
}

// unusedLines says of a file's lines which ones have no effect though they look as if they should: those that are no
// assignments, and variables that no option has. Those of the second prefix may be other tools'.
func (c *command) unusedLines(root *cobra.Command, f *envFile) []string {
	problems := make(map[int]string)
	for _, number := range f.strays {
		problems[number] = "is not KEY=VALUE and has no effect"
	}
	names := variables(root)
	for name, number := range f.lines {
		if strings.HasPrefix(name, envPrefixes[0]) && !slices.Contains(names, name) {
			problems[number] = name + " is no variable of dragoman and has no effect"
			if near := closest(name, names, (len(name)-len(envPrefixes[0]))/3); near != "" {
				problems[number] += "; did you mean " + near + "?"
			}
		}
	}
	var lines []string
	for _, number := range slices.Sorted(maps.Keys(problems)) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", f.path, number, problems[number]))
	}
	return lines
}

// variables returns the names of the variables of all options, also of those that only flags set.
func variables(root *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) { names = append(names, variable(envPrefixes[0], f.Name)) }
	for _, cmd := range append(descendants(root), root) {
		cmd.LocalFlags().VisitAll(add)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isEnvName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			r != '_'
	})
}

// unquoteEnv returns the value that a line ends with, without its quotes and the comment after it.
func unquoteEnv(text string) (string, error) {
	var value, rest string
	closed := true
	switch {
	case strings.HasPrefix(text, `'`):
		value, rest, closed = strings.Cut(text[1:], `'`)
	case strings.HasPrefix(text, `"`):
		value, rest, closed = cutDoubleQuoted(text[1:])
	default:
		for i := range len(text) {
			if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
				text = text[:i]
				break
			}
		}
		value = strings.TrimRight(text, " \t")
	}
	if !closed {
		return "", errors.New("has no closing quote")
	}
	if rest = strings.TrimLeft(rest, " \t"); rest != "" && rest[0] != '#' {
		return "", errors.New("goes on after its closing quote")
	}
	return value, nil
}

func cutDoubleQuoted(text string) (value, rest string, closed bool) {
	escapes := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:], true
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(cmp.Or(escapes[text[i]], text[i]))
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}
