// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"log"
	"log/slog"
	"strings"
)

// ErrorLog returns the logger for an http.Server. Its messages about connections, such as broken TLS handshakes, have
// the level Debug. If the server cannot accept any connection, for example because the process has no file descriptor
// left, ErrorLog logs an error, because the server then serves no client. The server tries again with pauses of up to a
// second, and logs each failure.
func ErrorLog(logger *slog.Logger) *log.Logger {
	return log.New(errorLog{logger}, "", 0)
}

type errorLog struct{ logger *slog.Logger }

func (e errorLog) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	if cause, ok := strings.CutPrefix(text, "http: Accept error: "); ok {
		e.logger.Error("the server cannot accept connections; raise the limit of open files if that is why",
			"error", cause)
	} else {
		e.logger.Debug(text)
	}
	return len(p), nil
}
