module github.com/dragoman-a2a/dragoman/interop

go 1.26.0

replace github.com/dragoman-a2a/dragoman => ..

require github.com/dragoman-a2a/dragoman v0.0.0-00010101000000-000000000000

require (
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
)
