// SPDX-License-Identifier: Apache-2.0
// Prism colours a whole page by itself unless it is told not to.
globalThis.Prism = { manual: true };
