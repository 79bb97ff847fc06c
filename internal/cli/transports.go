// SPDX-License-Identifier: Apache-2.0

package cli

import _ "github.com/dragoman-a2a/dragoman/client/grpc" // clients call agents over gRPC, too
