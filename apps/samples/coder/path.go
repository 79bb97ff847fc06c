// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"path"
	"path/filepath"
	"strings"
)

// Limits of what is written and read.
const (
	MaxFiles = 20
	MaxFile  = 256 << 10 // bytes of one file
	maxPath  = 120       // bytes of a file's name
)

// localPath cleans the name of a file. ok is false when it leaves its folder, is absolute, or is no name at all.
func localPath(name string) (clean string, ok bool) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	if name == "" || len(name) > maxPath || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`<>:"|?*`, r) }) {
		return "", false
	}
	clean = path.Clean(name)
	return clean, clean != "." && filepath.IsLocal(clean) && !strings.HasSuffix(name, "/")
}
