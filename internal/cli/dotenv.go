// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const (
	envFileName = ".env"
	maxEnvFile  = 1 << 20 // bytes
)

// An envFile is a file with variables, which count after those of the environment.
type envFile struct {
	path    string
	vars    map[string]string // only those of this program
	warning string            // what the user should know of it
}

// findFiles reads the files that count, the one that counts first at the front: that of --config, or else the .env that
// is nearest to the working directory on the way up; then that of the user. A file that was found, not named, and cannot
// be read or trusted counts for nothing and has a warning.
func (c *command) findFiles() ([]envFile, error) {
	var files []envFile
	named, source := c.options.config, "--config"
	if named == "" {
		named, source = c.setting(flagConfig)
	}
	if named != "" {
		file, err := readEnvFile(named)
		if err != nil {
			return nil, usagef("%s: %v", source, err)
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

// userFile returns the path of the user's file, whose folder is that of the A2A command-line specification; "" for none.
func (c *command) userFile() string {
	home, err := c.configHome()
	if err != nil {
		return ""
	}
	path := filepath.Join(home, "a2a-cli", envFileName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// configHome returns where programs of this user keep their settings, by the custom of the operating system.
func (c *command) configHome() (string, error) {
	if dir, ok := c.LookupEnv("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir, nil
	}
	variable, folder := "HOME", ".config"
	switch runtime.GOOS {
	case "windows":
		variable, folder = "AppData", ""
	case "darwin":
		folder = filepath.Join("Library", "Application Support")
	}
	home, ok := c.LookupEnv(variable)
	if !ok || !filepath.IsAbs(home) {
		return "", errors.New(variable + " is not set")
	}
	return filepath.Join(home, folder), nil
}

// readFoundFile reads a file that the user did not name. One that somebody else put on the way up could send messages
// and credentials to an agent of theirs.
func readFoundFile(path string) (envFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return envFile{path: path, warning: err.Error()}, nil
	}
	if isForeign(info) {
		return envFile{path: path, warning: path + " belongs to another user and does not count; name it with --config if you trust it"}, nil
	}
	file, err := readEnvFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return envFile{path: path, warning: err.Error()}, nil
	}
	if err != nil {
		return file, usagef("%v", err)
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
		return file, fmt.Errorf("%s has more than %d bytes; it should only hold settings", path, maxEnvFile)
	}
	if file.vars, err = parseEnv(string(text)); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	if isOpen(info) && file.holdsSecret() {
		file.warning = fmt.Sprintf("%s holds a credential and others may read it; chmod 600 %s", path, shellQuote(path))
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

// parseEnv returns the variables of this program in the text of a .env file. Each stands on a line of its own, KEY=VALUE,
// perhaps after "export". In double quotes, \n, \r and \t are what they are in C and a backslash makes any other
// character itself; in single quotes every character is itself; without quotes the value ends before a # that follows
// a space. Nothing is replaced by other variables. Of two lines for a key the last one counts. Lines of other programs
// are not looked at, as their rules may differ. An error names the line, and never the value, which may be a secret.
func parseEnv(text string) (map[string]string, error) {
	vars := make(map[string]string)
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "export"); found && strings.TrimLeft(rest, " \t") != rest {
			line = strings.TrimLeft(rest, " \t")
		}
		if !slices.ContainsFunc(envPrefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if key = strings.TrimRight(key, " \t"); !found || !isEnvName(key) {
			return nil, fmt.Errorf("line %d is not KEY=VALUE", number)
		}
		value, err := unquoteEnv(strings.TrimLeft(value, " \t"))
		if err != nil {
			return nil, fmt.Errorf("line %d: the value of %s %w", number, key, err)
		}
		vars[key] = value
	}
	return vars, nil
}

func isEnvName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' })
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
