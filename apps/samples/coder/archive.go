// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// archive puts files into a zip file. The same files give the same bytes.
func archive(files []File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.Name)
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.Name, err)
		}
		if _, err := w.Write([]byte(f.Content)); err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.Name, err)
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
