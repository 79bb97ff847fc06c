// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// writeFile makes a small file, all at once and on disk. One that is there already is the same and stays.
func writeFile(name string, content []byte) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), "*"+partial)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // when it is not renamed
	_, err = f.Write(content)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		f.Close()
		return err
	}
	return os.Rename(f.Name(), name)
}

// syncFolder makes renames in a folder durable.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such call, and needs none
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
