// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"log"
	"log/slog"
	"strings"
)

// ErrorLog returns what an http.Server logs to. What it says of connections, such as broken handshakes of strangers, is of
// level Debug. That it cannot accept any, as when the process has no file descriptor left, is an error: nobody is served
// then. It tries again with pauses of up to a second, and says so each time.
func ErrorLog(logger *slog.Logger) *log.Logger {
	return log.New(errorLog{logger}, "", 0)
}

type errorLog struct{ logger *slog.Logger }

func (e errorLog) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	if cause, ok := strings.CutPrefix(text, "http: Accept error: "); ok {
		e.logger.Error("the server cannot accept connections; raise the limit of open files if that is why", "error", cause)
	} else {
		e.logger.Debug(text)
	}
	return len(p), nil
}
