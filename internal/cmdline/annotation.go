// SPDX-License-Identifier: Apache-2.0

package cmdline

// AnnotationPart marks the flags of a message's parts, as one of them has the name of an option of serve.
const AnnotationPart = "part"
