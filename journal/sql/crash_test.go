// SPDX-License-Identifier: Apache-2.0

package sql_test

func crashing() bool { return false }
