// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// pushConfigObject is the config itself; the task it belongs to stands around it.
var pushConfigObject = jsonio.Object[a2a.PushConfig]{Members: wire.PushMembers(true)}

func writeTaskPushConfig(w *jsonio.Writer, p *a2a.PushConfig) {
	pushObject.Write(w, &pushParams{id: p.TaskID, config: p})
}
