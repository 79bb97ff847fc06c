// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// storedTasks is how many tasks GetTask picks from. It is less than what the journal in memory keeps.
const storedTasks = 8000

// measureGet is GetTask of a finished task: in memory, and on SQLite in a process that was started after the tasks were
// stored, so that it has none of them in memory.
func measureGet(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	inMemory, err := makeTasks(f.memory, storedTasks)
	if err != nil {
		return nil, err
	}
	kind := "sqlite:" + filepath.Join(f.folder, "get")
	writer, err := startOwn(ctx, "SQLite", kind)
	if err != nil {
		return nil, err
	}
	stored, err := makeTasks(writer, storedTasks)
	writer.stop()
	if err != nil {
		return nil, err
	}
	reader, err := startOwn(ctx, "SQLite", kind)
	if err != nil {
		return nil, err
	}
	defer reader.stop()
	tasks := map[*process][]string{f.bare: inMemory, f.memory: inMemory, reader: stored}
	var rows []row
	for _, conns := range []int{16, 64} {
		found, err := compare(ctx, s, f.bare, []target{
			{name: "get, memory", server: f.memory, conns: conns, ratio: 1.0},
			{name: "get, SQLite", server: reader, conns: conns, ratio: 0.6},
		}, nil, func(at *process) func(int) requester { return gets(at.Path, tasks[at]) })
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// makeTasks sends messages, over a few connections, and returns the ids of the tasks they made.
func makeTasks(s *process, n int) ([]string, error) {
	const conns = 32
	var wg sync.WaitGroup
	ids := make([][]string, conns)
	fails := make([]error, conns)
	for i := range conns {
		wg.Go(func() { ids[i], fails[i] = s.makeSome(i, n/conns) })
	}
	wg.Wait()
	return slices.Concat(ids...), errors.Join(fails...)
}

func (s *process) makeSome(i, n int) ([]string, error) {
	c, err := dial(s.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var ids []string
	next := sends(s.Path)(i)
	for range n {
		body, err := c.do(next())
		if err != nil {
			return nil, err
		}
		id, err := taskOf(body)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// taskOf returns the id of the task that a message made.
func taskOf(body []byte) (string, error) {
	var answer struct {
		Result struct {
			Task struct{ ID string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", err
	}
	if answer.Result.Task.ID == "" {
		return "", fmt.Errorf("no task came of a message: %.300s", body)
	}
	return answer.Result.Task.ID, nil
}
