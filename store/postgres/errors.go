// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dragoman-a2a/dragoman/store"
)

// classify is the dialect's Classify. After any error the server refuses the rest of a transaction.
func classify(err error) (_ error, lost bool) {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err, false
	}
	if known(err) { // it was here before
		return err, true
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return classifyCode(e), true
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	if connecting || network || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		strings.HasSuffix(err.Error(), "conn closed") || pgconn.SafeToRetry(err) {
		return fmt.Errorf("%w (%w)", store.ErrUnreachable, err), true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: it took longer than %v (%w)", store.ErrUnreachable, timeout, err), true
	}
	return err, true
}

func known(err error) bool {
	for _, sentinel := range []error{store.ErrUnreachable, store.ErrAgain, store.ErrDiskFull, store.ErrReadOnly,
		store.ErrDamaged, store.ErrBusy, store.ErrClosed} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// classifyCode reads the SQLSTATE of an error, see appendix A of PostgreSQL's documentation.
func classifyCode(e *pgconn.PgError) error {
	var kind error
	switch class := e.Code[:min(2, len(e.Code))]; {
	case e.Code == "40001", e.Code == "40P01": // serialization failure, deadlock
		kind = store.ErrAgain
	case e.Code == "53100":
		kind = store.ErrDiskFull
	case e.Code == "25006", e.Code == "42501": // a standby, or rights are missing
		kind = store.ErrReadOnly
	case e.Code == "57014", e.Code == "55P03": // the server's own time-outs
		kind = store.ErrBusy
	case class == "08", class == "53", class == "57", e.Code == "25P03":
		kind = store.ErrUnreachable
	case class == "XX":
		kind = store.ErrDamaged
	default:
		return e
	}
	return fmt.Errorf("%w (%w)", kind, e)
}

// explain adds what to do to an error of the first connection.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "3D000":
			return fmt.Errorf("there is no such database; make it with createdb (%w)", e)
		case "28P01", "28000":
			return fmt.Errorf("the server refuses the user or the password; give them in the URL, in PGUSER and "+
				"PGPASSWORD, or in ~/.pgpass (%w)", e)
		case "42501", "25006":
			return fmt.Errorf("%w: give the user the right to create tables in the schema, as by GRANT CREATE ON "+
				"SCHEMA public (%w)", store.ErrReadOnly, e)
		}
	}
	err, _ = classify(err)
	return err
}
