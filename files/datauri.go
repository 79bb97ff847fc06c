// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
)

// decodeDataURI reads a "data:" URL, which is a file by itself (RFC 2397).
func decodeDataURI(text string, limit int64) (*Fetched, error) {
	head, body, found := strings.Cut(strings.TrimPrefix(text, "data:"), ",")
	if !found {
		return nil, errors.New("files: the data: URL has no comma before its content")
	}
	if int64(len(body)) > limit*3 { // each byte takes three characters at most
		return nil, tooLarge(limit)
	}
	content, err := url.PathUnescape(body)
	if err != nil {
		return nil, errors.New("files: the data: URL is not escaped as URLs are")
	}
	mediaType, isBase64 := strings.CutSuffix(head, ";base64")
	if isBase64 {
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(content, "="))
		if err != nil {
			return nil, errors.New("files: the data: URL is not base64")
		}
		content = string(raw)
	}
	if int64(len(content)) > limit {
		return nil, tooLarge(limit)
	}
	if mediaType == "" || mediaType[0] == ';' {
		mediaType = "text/plain" + mediaType
	}
	return &Fetched{Content: []byte(content), MediaType: cleanType(mediaType), URL: "data:"}, nil
}
