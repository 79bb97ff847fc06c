// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var errNoRecords = errors.New("it is not a list of objects, which is how JSON writes a table")

// ParseJSON reads a table from JSON: a list of objects, or an object that has such a list as a member. Errors: it is no
// JSON, has no such list, or is over a limit.
func ParseJSON(raw []byte) (*Table, error) {
	value := jsontext.Value(bytes.TrimSpace(raw))
	if !value.IsValid() {
		return nil, errors.New("it is not JSON")
	}
	list, err := findList(value)
	if err != nil {
		return nil, err
	}
	if len(list) > maxRows {
		return nil, fmt.Errorf("it has more than %d rows", maxRows)
	}
	var names []string
	at := map[string]int{}
	rows := make([][]string, len(list))
	cells := 0
	for i, record := range list {
		err := eachMember(record, func(name string, v jsontext.Value) error {
			column, known := at[name]
			if !known {
				column = len(names)
				names, at[name] = append(names, name), column
			}
			if cells += column + 1; column >= maxColumns || cells > maxCells {
				return fmt.Errorf("it has more than %d columns or %d cells", maxColumns, maxCells)
			}
			for len(rows[i]) <= column {
				rows[i] = append(rows[i], "")
			}
			rows[i][column] = cellOf(v)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, errNoRecords
	}
	t := newTable(names, rows, false)
	t.Ragged = 0 // members that are left out are ordinary
	return t, nil
}

func findList(value jsontext.Value) ([]jsontext.Value, error) {
	var list []jsontext.Value
	switch value.Kind() {
	case '[':
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, err
		}
	case '{':
		err := eachMember(value, func(_ string, v jsontext.Value) error {
			if list == nil && v.Kind() == '[' {
				return json.Unmarshal(v, &list)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, record := range list {
		if record.Kind() != '{' {
			return nil, errNoRecords
		}
	}
	if len(list) == 0 {
		return nil, errNoRecords
	}
	return list, nil
}

// eachMember calls f for the members of an object, in their order.
func eachMember(object jsontext.Value, f func(string, jsontext.Value) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := f(text, v.Clone()); err != nil {
			return err
		}
	}
	return nil
}

// cellOf writes a value as a table has it: what is nested stays JSON.
func cellOf(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
	case 'n':
		return ""
	}
	return string(v)
}
